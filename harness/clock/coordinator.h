/* coordinator.h - the loop of wt-clockd: survey, decide, act. */
#ifndef WT_HARNESS_CLOCK_COORDINATOR_H
#define WT_HARNESS_CLOCK_COORDINATOR_H

#include <signal.h>

#include "harness/clock/advance.h"
#include "harness/clock/clock_shm.h"
#include "lib/error.h"
#include "harness/clock/surveyor.h"

struct coordinator_options {
	struct wt_advance_config advance;
	uint32_t charge_permille;
	const char *stats;	/* may be NULL */
	const char *log;	/* for messages; NULL: stderr */
	struct wt_view *view;	/* kept up to date for other users */
	bool while_used;	/* end when the last participant has ended */
};

/* Until *ending (or unused); from *closing on the clock runs at the machine's rate.  Says in the log when the clock falls
 * back to the machine's rate, and why.  -1: the statistics could not be written (the only thing that can fail). */
int coordinate(struct wt_shm *shm, struct wt_surveyor *v, const struct coordinator_options *options,
	       const volatile sig_atomic_t *ending, const volatile sig_atomic_t *closing, struct wt_error *errp);

#endif
