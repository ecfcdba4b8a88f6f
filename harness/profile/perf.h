/* perf.h - samples of a process' stacks by perf(1), as the kernel lets us take them. */
#ifndef WT_HARNESS_PROFILE_PERF_H
#define WT_HARNESS_PROFILE_PERF_H

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/error.h"

#define PERF_PATH_SIZE 4096

/* What perf keeps has parts of the process' memory: it lies in a folder of the caller's alone below $TMPDIR, or /tmp, until
 * perf_remove (). */
struct perf_recording {
	char dir[PERF_PATH_SIZE], data[PERF_PATH_SIZE], text[PERF_PATH_SIZE], errors[PERF_PATH_SIZE];
};

/* Let perf look at the CPU time of process 'pid' 'rate_hz' times a second for 'duration_s' seconds (0: as long as our
 * own process lives), or until *ended becomes true.  0; -1 with errno and *errp: ENOENT, there is no perf; EIO, it fails,
 * with its own words (kernel.perf_event_paranoid does not allow it); EAGAIN, it has failed again and again without any.
 * perf_remove () is due in any case. */
int perf_record(struct perf_recording *recording, pid_t pid, unsigned int rate_hz, unsigned int duration_s,
		const volatile sig_atomic_t *ended, struct wt_error *errp);

/* The text of "perf script" for stacks_parse (); the caller frees it.  As above. */
int perf_read(const struct perf_recording *recording, char **text, size_t *len, struct wt_error *errp);

void perf_remove(const struct perf_recording *recording);	/* errno is preserved */

#endif
