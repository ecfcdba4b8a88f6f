/* surveyor_private.h - parts of the surveyor: files of /proc held open, and watched helpers. */
#ifndef WT_HARNESS_CLOCK_SURVEYOR_PRIVATE_H
#define WT_HARNESS_CLOCK_SURVEYOR_PRIVATE_H

#include <time.h>

#include "harness/clock/surveyor.h"

/* A thread that was seen asleep in a wait for words which only its own process and the coordinator change, or for files,
 * sleeps on until one of these has happened: the wait got another number, or the coordinator ended it ('gen'), a thread sent
 * a signal ('signals'); for words: a thread of its process woke waiters ('stirs') and not all of these run again
 * (wt_shm_process.limbo); for files, signals and threads: see enum wt_wait_for.  Until then it need not be looked at. */
struct wt_settled {
	bool yes, candidate;	/* a candidate becomes settled when the survey proves that nothing ran meanwhile */
	uint32_t gen, stirs;
	uint64_t signals;
};

/* A held file keeps meaning the thread that it was opened for, even when the tid has been given to another one. */
struct wt_thread_file {
	int fd, letter_fd;	/* of /proc/PID/task/TID/syscall and stat; -1: none */
	int32_t pid, tid;
	uint64_t owner;		/* of the slot, when the file was opened for a thread in one */
	bool zombie;
	bool letter_only;	/* the kernel does not let us read "syscall" */
	bool kernel;		/* a thread of the kernel itself, pinned to its CPU */
	bool confirmed;		/* nothing is left to ask about the last look */
	bool own_word;		/* it showed a wait for a word that only its own process changes */
	struct wt_settled settled;
};

void wt_thread_file_init(struct wt_thread_file *f, int32_t pid, int32_t tid, bool kernel);
void wt_thread_file_close(struct wt_thread_file *f);

/* What the kernel says of the thread now; opens the file when need be. */
enum wt_kernel_state wt_thread_file_look(struct wt_thread_file *f, int32_t pid, int32_t tid);

/* The thread was seen blocked by the last look: it was so then, and not just being woken.  With the CPU time of its process
 * unchanged since before that look, no other answer is possible later than "it was asleep". */
bool wt_thread_file_confirm(struct wt_thread_file *f);

/* What the state letter of the process' first thread says. */
enum wt_kernel_state wt_process_look(int32_t pid);

/* It has ended, though its parent may not have fetched it yet: its first thread alone may end before the others. */
bool wt_process_is_over(int32_t pid);

/* Ended, or a zombie. */
bool wt_process_is_dead(int32_t pid);

struct wt_helpers {		/* zeroed: none */
	struct wt_thread_file *threads;
	int count, size;
	bool missed;		/* there was no memory for one of them: it may be busy */
	int64_t cpu_ns;		/* of all, at the last wt_helpers_cpu_ns () */
	int64_t settled_ns;	/* the same when all were last seen asleep; -1: they never were */
	int32_t pids[16];
	int pids_count;
	int64_t listed_ns;	/* when the threads were last listed, on CLOCK_MONOTONIC */
};

int wt_helpers_add(struct wt_helpers *h, pid_t pid, struct wt_error *errp);
void wt_helpers_add_kernel(struct wt_helpers *h);
void wt_helpers_clear(struct wt_helpers *h);
int64_t wt_helpers_cpu_ns(struct wt_helpers *h);
bool wt_helpers_busy(struct wt_helpers *h);

/* All that the last wt_helpers_busy () looked at were asleep, and not just being woken. */
bool wt_helpers_confirm(struct wt_helpers *h);

/* They have used no CPU time since they were settled. */
bool wt_helpers_still(const struct wt_helpers *h);

/* The survey has proved it: while they use no CPU time, those that wait for each other need not be looked at again. */
void wt_helpers_settle(struct wt_helpers *h);

/* Asking for a process' clock costs as much as reading it. */
struct wt_process_clock {
	int32_t pid;
	clockid_t clock;
	int64_t ns;		/* what it showed in this survey, and in the last one that proved quiet */
	int64_t proved_ns;
	/* of a driver, one more than what it showed when it was last seen alive; -1: it is over; 0: not looked at yet */
	int64_t driving_ns;
};

/* As of the last look at all slots. */
struct wt_deadline {
	bool waiter;
	uint32_t slot, gen;
	int64_t at_ns;		/* virtual */
	int64_t seen_ns;	/* when, on CLOCK_MONOTONIC */
	uint64_t waits;		/* how many waits had begun ever, before */
};

/* What processes tell of: the sums over all of them (clock_shm.h). */
struct wt_doings {
	uint64_t sends, connects, pipes;
};

struct wt_surveyor {
	struct wt_process_clock clocks[WT_SHM_PROCESSES_MAX];
	struct wt_shm *shm;
	struct wt_thread_file threads[WT_SHM_THREADS_MAX];
	struct wt_helpers helpers;
	uint32_t hot, sleepy;
	uint64_t hot_reads;
	int64_t hot_since_ns;
	/* Of the process whose thread was busy last: its CPU time at a moment not long ago, and whether it has used some
	 * in the seconds before that. */
	int32_t computing_pid;
	int64_t computing_cpu_ns, computing_since_ns;
	bool computes;
	uint32_t processes;
	int view_fd;		/* -1: there cannot be guests */
	bool guests;		/* at the last look at all */
	/* Since all was proved quiet no process that does not tell of it has done anything to files or sent a signal: none
	 * has used CPU time, and none at all has ended. */
	bool others_still;
	/* Nor has any process done anything to files: of those that tell no call was counted in 'sends'. */
	bool files_still;
	bool files_ended;
	struct wt_doings doings, proved;	/* in this survey, and in the last one that proved quiet */
	uint32_t expected;	/* the slot that was woken last */
	int64_t expected_ns, thorough_ns;	/* when, and when all was last looked at, on CLOCK_MONOTONIC */
	struct wt_deadline deadline;
	struct wt_survey_counts counts;
};

/* surveyor_thread.c: what the kernel says of the thread in slot 'i', which belongs to 'owner'. */
enum wt_kernel_state surveyor_look_at(struct wt_surveyor *v, uint32_t i, uint64_t owner);

/* The thread in slot 'i', which is busy, is about to sleep, or another process has woken it. */
bool surveyor_is_passing(const struct wt_surveyor *v, uint32_t i);

/* The thread that waits for the earliest time; a look at all slots. */
void surveyor_deadlines(struct wt_surveyor *v, struct wt_survey *s);

/* All is quiet: up to which deadline may the clock jump at once, so that no wait ends later than it may? */
void surveyor_gather(const struct wt_surveyor *v, struct wt_survey *s);

/* The same as of a moment ago, for as long as one works; none where no time passes meanwhile. */
void surveyor_deadlines_in_haste(struct wt_surveyor *v, struct wt_survey *s, int64_t mono_ns);

/* The machine's monotonic clock. */
int64_t surveyor_mono_ns(void);

/* Fill 's' if a thread is at work for sure, and it is not time to look at all again; no other answer is possible. */
bool surveyor_haste(struct wt_surveyor *v, struct wt_survey *s, int64_t mono_ns);

#endif
