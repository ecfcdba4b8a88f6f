/* advance.h - when a virtual clock may jump, and which thread it wakes: a pure state machine.
 *
 * The coordinator looks at all threads (a survey), asks this machine for the next action, does it, and looks again.
 * No clock, no memory shared, no I/O: everything comes as an argument, so every case can be tested.
 * Times: "virtual" and "mono" nanoseconds as in clock_shm.h.  Not locked: one thread. */
#ifndef WT_HARNESS_CLOCK_ADVANCE_H
#define WT_HARNESS_CLOCK_ADVANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/clock/clock_shm.h"

/* What the kernel says of one thread (see procfs.h). */
enum wt_kernel_state {
	WT_KERNEL_BUSY,		/* runs, may run, or is in an uninterruptible wait: it will go on by itself */
	WT_KERNEL_BLOCKED,	/* off the run queue, until another thread or process does something */
	WT_KERNEL_TIMED,	/* off the run queue, and a timer of the kernel may end it: real time passes */
	WT_KERNEL_ZOMBIE,
	WT_KERNEL_GONE,
	WT_KERNEL_UNSURE,	/* the state letter decides: never in a wt_seen_thread */
};

struct wt_seen_thread {
	enum wt_slot_state state;
	enum wt_kernel_state kernel;
	bool woken;		/* its deadline has been announced to it, and it has not yet left that wait */
	bool zombie_before;	/* was a zombie at the last survey, too: its parent has been woken since */
};

enum wt_activity {
	WT_ACTIVITY_QUIET,
	WT_ACTIVITY_BUSY,
	WT_ACTIVITY_REAL_WAIT,	/* waits for real time: no jump may be made meanwhile */
	WT_ACTIVITY_DEAD,	/* takes no part any more */
};

enum wt_activity wt_thread_activity(const struct wt_seen_thread *seen);

/* Why a survey did not find quiet; the first reason found. */
enum wt_unrest {
	WT_UNREST_NONE,
	WT_UNREST_THREAD,	/* 'slot' is busy */
	WT_UNREST_BIRTH,	/* a thread or process is being made by process 'slot' */
	WT_UNREST_CHANGED,	/* something ran or registered during the survey */
	WT_UNREST_REAL_WAIT,	/* thread 'slot' waits for real time */
	WT_UNREST_STRANGER,	/* process 'slot' runs a program without the clock library */
	WT_UNREST_OUTSIDER,	/* process 'slot' talks to a client that is not in the experiment */
	WT_UNREST_GUEST,	/* a process of another user lives by the clock */
	WT_UNREST_HELPER,	/* a watched process outside the clock (munged, ksoftirqd) is busy */
	WT_UNREST_COUNT
};

struct wt_survey {
	enum wt_unrest unrest;
	uint32_t slot;
	bool controller;	/* the busy thread belongs to the controller, or to the process that stands in for nodes */
	/* this will be over within microseconds, and no poke will tell: a thread is about to sleep */
	bool passing;
	bool spinning;		/* the busy thread reads the clock so often that it must be waiting for time to pass */
	bool works;		/* STRANGER, HELPER: it runs, or waits for a CPU, and so goes on by itself */
	bool computes;		/* THREAD: its process has used CPU time in the last seconds, too */
	bool waiter;		/* a thread waits for a time: 'earliest_slot' until 'earliest_ns' */
	int64_t earliest_ns;
	int64_t latest_ns;	/* quiet: a jump may go so far, if that is later: see wt_shm.slack_ns */
	uint32_t earliest_slot;
	uint32_t earliest_gen;	/* number of that wait: see wt_shm_thread.wait_gen */
	uint32_t processes;	/* that take part */
	uint32_t drivers;	/* living processes for whose sake the clock may jump */
	/* open conversations with clients that are not in the experiment; and one if there are guests */
	uint32_t outsiders;
};

enum wt_idle {		/* what the clock does while no driver takes part */
	WT_IDLE_REAL,		/* run at the machine's rate: for people at a prompt */
	WT_IDLE_STAND,		/* stand, so that a run begins exactly where another left off */
	WT_IDLE_RUN,		/* jump as if there were a driver */
};

struct wt_advance_config {
	enum wt_charge charge;
	enum wt_idle idle;
	int64_t patience_ns;	/* real time that the clock may stand while nothing accounts for it */
	int64_t controller_patience_ns; /* the same while the controller computes without reading the clock, and, with charge
					 * none, any process: how long the machine makes a thread wait must not decide what
					 * happens */
	int64_t computing_patience_ns;	/* with charge none: before that, so long while the controller uses CPU time */
	int64_t jump_max_ns;	/* 0: no limit; else no jump is longer */
};

enum wt_advance_kind {
	WT_ADVANCE_LOOK,	/* look again after pause_ns, or when poked */
	WT_ADVANCE_WAKE,	/* the deadline of 'slot' has come: wake it */
	WT_ADVANCE_JUMP,	/* set the clock to 'at_ns', then wake 'slot' unless it is WT_ADVANCE_NOBODY */
};

#define WT_ADVANCE_NOBODY UINT32_MAX

struct wt_advance_action {
	enum wt_advance_kind kind;
	uint32_t slot;
	int64_t at_ns;
	int64_t pause_ns;	/* INT64_MAX: until poked */
	bool running;		/* the clock has to run at the machine's rate from now on */
	bool fallback_began, fallback_ended;	/* worth a line in the log */
};

struct wt_advance {
	struct wt_advance_config config;
	bool busy;		/* the last survey was not quiet */
	bool fallback;
	bool closed;		/* the experiment is over */
	bool used;		/* a process takes part, or has */
	int64_t busy_since_mono_ns;	/* no quiet since */
	int64_t stuck_since_mono_ns;	/* no thread computes, and yet there is no quiet, since; 0: it is not so */
	int64_t stands_since_mono_ns, stands_at_ns;	/* the clock has shown this since */
	int64_t fallback_since_mono_ns;
	uint32_t looks, work_looks;	/* in vain since the last wake: all, and those that saw a thread work */
	uint32_t passing_looks, passing_slot;	/* those, one after the other, that saw one in passing, and its slot */
	uint64_t jumps, wakes, surveys, fallbacks;
	int64_t jumped_ns;	/* virtual time that was jumped over */
	int64_t fallback_ns;	/* real time in finished fallbacks */
	uint64_t unrest[WT_UNREST_COUNT];
};

void wt_advance_init(struct wt_advance *a, const struct wt_advance_config *config);

/* The experiment is over: no more jumps, the clock runs at the machine's rate. */
void wt_advance_close(struct wt_advance *a);

/* 'now_ns' is what the clock showed at 'mono_ns', when the survey was complete. */
struct wt_advance_action wt_advance_next(struct wt_advance *a, const struct wt_survey *survey, int64_t now_ns,
					 int64_t mono_ns);

/* One word for a reason, for logs and reports. */
const char *wt_unrest_name(enum wt_unrest unrest);

#endif
