/* thread_times.h - the CPU time of a process' threads, by their names, from proc(5).
 *
 * Unless noted: 0, or -1 with errno and *errp set.  Not locked. */
#ifndef WT_HARNESS_PROFILE_THREAD_TIMES_H
#define WT_HARNESS_PROFILE_THREAD_TIMES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/error.h"

#define THREAD_NAME_SIZE 64	/* the kernel keeps 15 bytes of a name, and shows others as '?' or escapes */

struct thread_time {
	pid_t tid;
	uint64_t start_time;	/* clock ticks since boot: tids are reused */
	char name[THREAD_NAME_SIZE];
	double cpu_s;
};

struct thread_times {
	double cpu_s;		/* of the process, with its threads that have ended */
	struct thread_time *list;
	size_t count;
};

/* "18090 (rpcmgr) S ..." of /proc/PID/stat and /proc/PID/task/TID/stat.  -1: EINVAL, it is not that; no *errp. */
int thread_time_parse(const char *text, double ticks_per_s, struct thread_time *time);

/* As of now.  ESRCH: there is no such process.  Threads that end meanwhile are left out. */
int thread_times_read(pid_t pid, struct thread_times *times, struct wt_error *errp);
void thread_times_clear(struct thread_times *times);

struct thread_use {
	char name[THREAD_NAME_SIZE];	/* THREADS_ENDED: of those that began or ended in between and are gone */
	uint32_t threads;		/* 0 for THREADS_ENDED, whose number nobody knows */
	double cpu_s;
};
#define THREADS_ENDED "(ended)"

/* What was used from 'before' to 'after', most first; threads of one name are one.  *uses is to be freed by the caller.
 * -1: ENOMEM. */
int thread_uses(const struct thread_times *before, const struct thread_times *after, struct thread_use **uses,
		size_t *count, struct wt_error *errp);

#endif
