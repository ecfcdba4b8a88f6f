/* procfs.h - what /proc says of a thread, read from its text.  Pure: the caller reads the files.
 *
 * /proc/PID/task/TID/syscall (Linux fs/proc/base.c, proc_pid_syscall): "running" unless the thread is off its run queue,
 * and was all the while that the line was made; then the number of its system call and its arguments.  The state letter of
 * .../stat alone would not do: a thread that was woken but has not run yet, or is about to sleep, shows S, too. */
#ifndef WT_HARNESS_CLOCK_PROCFS_H
#define WT_HARNESS_CLOCK_PROCFS_H

#include <stddef.h>
#include <stdint.h>

#include "harness/clock/advance.h"

struct wt_kernel_call {
	long number;		/* WT_CALL_RUNNING, WT_CALL_NONE, or of a system call */
	uint64_t args[6];
};

#define WT_CALL_RUNNING (-2)
#define WT_CALL_NONE (-1)	/* off the run queue outside any system call: a page fault, a stop, or the end */

/* Read the text of a "syscall" file.  0, or -1 with errno EINVAL when it is no such text. */
int wt_procfs_parse_syscall(const char *text, struct wt_kernel_call *call);

/* The state letter and start time (clock ticks since boot) in the text of a "stat" file; a command's name may hold blanks
 * and parentheses.  -1: EINVAL. */
int wt_procfs_parse_stat(const char *text, char *state, uint64_t *start_time);

/* What a system call that a thread sits in means.  Only calls known to sleep until another one acts count as blocked;
 * those that are not known are BUSY, for they end by themselves.  UNSURE: off the run queue, but whether for a peer or for a
 * disk (or dead, or stopped) is told by the state letter. */
enum wt_kernel_state wt_procfs_classify(const struct wt_kernel_call *call);

/* The same from the state letter alone, for threads whose "syscall" file may not be read. */
enum wt_kernel_state wt_procfs_classify_letter(char state);

#endif
