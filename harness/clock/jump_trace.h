/* jump_trace.h - a log of every jump and wake-up, for comparing two runs that ought to be the same.
 *
 * With WT_CLOCK_TRACE_ENV set, wt-clockd writes there one line for each jump and wake-up: virtual seconds since the clock's
 * beginning, what is done, which thread it wakes (process/thread's name), until when that has waited.  With
 * WT_CLOCK_TRACE_THREADS_ENV, too, below it and behind two spaces, each thread that is blocked without a deadline or runs:
 * name, state of its slot, the kernel's "syscall" line; that is slow.  No thread's ids are in lines without spaces in front:
 * those of two runs can be compared with diff(1). */
#ifndef WT_HARNESS_CLOCK_JUMP_TRACE_H
#define WT_HARNESS_CLOCK_JUMP_TRACE_H

#include <stdint.h>

#include "harness/clock/advance.h"
#include "harness/clock/clock_shm.h"

#define WT_CLOCK_TRACE_ENV "WINDTUNNEL_CLOCK_TRACE"		/* a file, which is made anew */
#define WT_CLOCK_TRACE_THREADS_ENV "WINDTUNNEL_CLOCK_TRACE_THREADS"

struct clock_trace;	/* opaque */

/* NULL when the variable is not set, or the file cannot be made (said on stderr). */
struct clock_trace *clock_trace_open(void);
void clock_trace_close(struct clock_trace *trace);	/* NULL is ignored */

/* Before 'act' is done on what 'survey' saw at 'now_ns'.  Looks again are not logged.  'trace' may be NULL. */
void clock_trace_action(struct clock_trace *trace, const struct wt_shm *shm, const struct wt_survey *survey,
		     const struct wt_advance_action *act, int64_t now_ns);

#endif
