/* left_out.h - why a job of a trace is not in the workload that is made of it.  Nothing is left out without a count.
 *
 * Pure; plain values. */
#ifndef WT_WORKLOAD_LEFT_OUT_H
#define WT_WORKLOAD_LEFT_OUT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"

enum wt_left_out {
	WT_LEFT_NO_RUN_TIME,	/* its run time is not known */
	WT_LEFT_NO_SIZE,	/* nor how many processors it had */
	WT_LEFT_NOT_RUN,	/* cancelled, or failed, before it ran */
	WT_LEFT_PART,		/* a line that describes a part of a job, which has a line of its own, too */
	WT_LEFT_BAD,		/* its line, or its entry, cannot be read; only when asked for (wt_left_out_choose) */
	WT_LEFT_PROFILE,	/* its profile cannot be run; only when asked for */
	WT_LEFT_LARGE,		/* it asks for more than the machine has; only when asked for */
	WT_LEFT_OUTSIDE,	/* not in the slice that was asked for */
	WT_LEFT_COUNT
};

/* Its key in JSON ("no_run_time"), and for people, behind a count ("without a run time"). */
const char *wt_left_out_key(enum wt_left_out why);
const char *wt_left_out_text(enum wt_left_out why);

/* A comma-separated list of bad, large and profile: these jobs are left out and counted, where a trace with one is refused
 * otherwise. Sets chosen[] of each.  0, or -1 with EINVAL. */
int wt_left_out_choose(const char *list, bool chosen[WT_LEFT_COUNT], struct wt_error *errp);

#endif
