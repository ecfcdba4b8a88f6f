/* surveyor.h - looks at every thread of the experiment through shared memory and /proc, for advance.h.
 *
 * Why a survey without unrest proves quiet: the CPU time of all processes is the same before and after, so no thread ran
 * in between, not even one that was running when the survey began (the kernel's process CPU clocks are exact to the
 * nanosecond); in between each thread was seen off its run queue, in a call that only another one's doing ends; and no
 * thread or process was registered meanwhile.  What does not run cannot wake another.
 * Not locked: one thread. */
#ifndef WT_HARNESS_CLOCK_SURVEYOR_H
#define WT_HARNESS_CLOCK_SURVEYOR_H

#include <stdint.h>
#include <sys/types.h>

#include "harness/clock/advance.h"
#include "harness/clock/clock_shm.h"
#include "lib/error.h"

struct wt_surveyor;

/* 'shm' stays the caller's and must outlive the surveyor.  Unless noted: 0 or a pointer; -1 or NULL with errno, *errp. */
struct wt_surveyor *wt_surveyor_create(struct wt_shm *shm, struct wt_error *errp);
void wt_surveyor_destroy(struct wt_surveyor *v);

/* Also watch a process that lives in real time (munged) and serves the experiment's: no quiet while it works.  Its own
 * timed waits do not count.  ESRCH: there is none. */
int wt_surveyor_watch(struct wt_surveyor *v, pid_t pid, struct wt_error *errp);

/* Watch what the kernel itself may owe the experiment: packets that wait in ksoftirqd.  Without them in sight (a container)
 * nothing is watched; never fails. */
void wt_surveyor_watch_kernel(struct wt_surveyor *v);

/* 'fd' is the file of the clock's view: as long as another process has a lock on it, there are guests.  It stays the
 * caller's. */
void wt_surveyor_watch_guests(struct wt_surveyor *v, int fd);

/* One look.  Also frees the slots of threads and processes that have ended.
 * As long as one is at work for sure (one thread that the kernel shows running is enough), only that one is looked at,
 * and all of them some hundred times in a second: only quiet has to be proved. */
void wt_surveyor_look(struct wt_surveyor *v, struct wt_survey *survey);

/* The thread in this slot has just been woken: the one that is at work next. */
void wt_surveyor_expect(struct wt_surveyor *v, uint32_t slot);

/* What all looks until now have cost. */
struct wt_survey_counts {
	uint64_t hasty, thorough;	/* looks at one thread that was at work, and at all */
	uint64_t calls, letters;	/* files of /proc read: syscall, and stat */
	uint64_t clocks;		/* CPU clocks of processes read */
	uint64_t scans;			/* looks at all slots for the earliest deadline */
};

void wt_surveyor_counts(const struct wt_surveyor *v, struct wt_survey_counts *counts);

/* A thread that was woken long ago and sits in its wait as if it had not been (its signal came too early or was taken by
 * another thread): wake it again.  Its slot, or WT_ADVANCE_NOBODY. */
uint32_t wt_surveyor_sleepy(const struct wt_surveyor *v);

/* "slurmctld[123], thread 125" for a survey's unrest; 'text' is always terminated. */
void wt_surveyor_describe(const struct wt_surveyor *v, const struct wt_survey *survey, char *text, size_t size);

/* Living processes that take part. */
uint32_t wt_surveyor_processes(const struct wt_surveyor *v);

#endif
