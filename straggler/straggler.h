/* straggler.h - find the slow tasks of a job from their heartbeats, while they run.
 *
 * For every scheduler that hears from its tasks.  Pure: no clock, no randomness, no threads, no I/O; needs libc and libm
 * only.  A detector belongs to one job of like tasks and is not locked: one thread at a time.
 *
 * Times are seconds (double, suffix _s).  Two time lines occur and are never mixed:
 *   - the receiver's: received_s, now_s.  Any origin, but monotonic (CLOCK_MONOTONIC, a simulator's time).
 *   - the task's own: elapsed_s, since that attempt of the task started, by a monotonic clock of its node.
 * The wall clock of the node (sent_s) serves WT_STRAGGLER_RATE only, which is how [P] has it.
 *
 * Cost with n tasks: a heartbeat O(log n); a detection O(1 + f log n), f the tasks that are flagged, silent, or slow but
 * for their margin.  WT_STRAGGLER_RATE's estimates grow with time, each at its own pace, so its detection is O(n).
 *
 * Sources: [P] Lambert et al., "Stragglers' Detection in Big Data Analytic Systems: The Impact of Heartbeat Arrival",
 * CCGrid 2022; doc/straggler.md has the readings that reproduce it and the derivation of R1, R2 and FRESH.
 *
 * Unless noted: 0 or a pointer on success; -1 or NULL with errno set, text in *errp (may be NULL). */
#ifndef WT_STRAGGLER_STRAGGLER_H
#define WT_STRAGGLER_STRAGGLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

/* a: elapsed_s, PS: progress, both of the task's last heartbeat; D, sd: mean and standard deviation of the expected
 * durations (ETD; of an ended task its duration) of the k tasks with progress; n: the job's tasks; t: now. */
enum wt_straggler_method {
	/* [P] II.B.1: PS <= mean PS - score_gap */
	WT_STRAGGLER_SCORE,
	/* [P] II.B.2: ETD = (t - start) / PS >= slow_ratio D */
	WT_STRAGGLER_RATE,
	/* ETD = a / PS >= slow_ratio D */
	WT_STRAGGLER_R1,
	/* ETD = a / PS >= slow_ratio (D + 3 sd / sqrt (k) sqrt (1 - k / n)), k >= 3; needs no first end (R2n) */
	WT_STRAGGLER_R2,
	/* R4: as R2 with ETD = a + (1 - PS) / r, r half the rate since the start and half that of the last two intervals;
	 * less a margin for uneven speed, z sigma sqrt (window R (1 + R / a)), R = (1 - PS) / r, sigma the relative
	 * standard deviation of the interval rates, pooled over all tasks; plus what silence adds (silence_s). */
	WT_STRAGGLER_FRESH,
	WT_STRAGGLER_METHODS	/* their number */
};

struct wt_straggler_options {
	enum wt_straggler_method method;
	uint32_t tasks;		/* n: of the job, started or not; 1 to WT_STRAGGLER_TASKS_MAX */
	double window_s;	/* between two heartbeats of a task; 6 s as Hadoop's [P] */
	double slow_ratio;	/* 1.2 [P] */
	double score_gap;	/* 0.2 [P]; SCORE */
	double z;		/* >= 0; 1 when a copy is dear, 0.5 when it is cheap; FRESH */
	double silence_s;	/* FRESH: a task not heard of for longer than this gets (silence - window_s) on top of its
				 * ETD, and one without progress is flagged after max (silence_s, window_s + 0.2 D).
				 * At least 3 windows, else lost heartbeats look like hangs; 20 s.  INFINITY: no such
				 * rule. */
	bool wait_end;		/* flag nothing before a task has ended or wt_straggler_open () was called ([P] III.C, the
				 * "speculative lag"); SCORE, RATE, R1: true; R2, FRESH: false, the term in n replaces it */
};

#define WT_STRAGGLER_TASKS_MAX	(1u << 24)
#define WT_STRAGGLER_ELAPSED_MAX_S	1e9	/* 31 years: larger values are refused */
#define WT_STRAGGLER_TIME_MAX_S	1e12	/* received_s and sent_s, before or after 0: further off is refused */
#define WT_STRAGGLER_PROGRESS_MIN	1e-6	/* less counts as no progress yet: no expected duration follows from it */

struct wt_heartbeat {
	uint32_t task;		/* 0 to tasks - 1 */
	bool end;		/* the task has ended: elapsed_s is its duration, progress is taken as 1 */
	double received_s;	/* by the receiver's clock */
	double sent_s;		/* by the node's wall clock; NAN: unknown (RATE then takes received_s) */
	double elapsed_s;	/* by the node's monotonic clock; 0 for the heartbeat that announces the start */
	double progress;	/* share of the task's work that is done, 0 to 1 */
};

enum wt_straggler_state {
	WT_STRAGGLER_UNKNOWN,	/* no heartbeat yet */
	WT_STRAGGLER_STARTED,	/* heard of, but no progress */
	WT_STRAGGLER_RUNNING,	/* with progress */
	WT_STRAGGLER_ENDED
};

struct wt_straggler_view {	/* what is known of a task */
	enum wt_straggler_state state;
	bool flagged;
	double progress, elapsed_s;
	double silence_s;	/* since its last heartbeat was received; NAN: unknown or ended */
	double duration_s;	/* expected (ETD with what silence adds), or when ended the real one; NAN: not known yet */
	double margin_s;	/* taken off before duration_s is compared with the limit; 0 but for FRESH */
};

struct wt_straggler;	/* opaque */

/* The defaults above for 'method' and 'tasks' tasks. */
struct wt_straggler_options wt_straggler_defaults(enum wt_straggler_method method, uint32_t tasks);

/* "score", "rate", "r1", "r2", "fresh"; NULL for a value outside the enum. */
const char *wt_straggler_method_name(enum wt_straggler_method method);

/* EINVAL: *errp names the option; ENOMEM.  Free with wt_straggler_destroy ().  About 200 bytes a task. */
struct wt_straggler *wt_straggler_create(const struct wt_straggler_options *options, struct wt_error *errp);
void wt_straggler_destroy(struct wt_straggler *s);	/* NULL is ignored; errno is preserved */

/* Take a heartbeat.  1: taken.  0: it tells nothing new (the task has ended, or a later one came first: they may
 * overtake each other on the way).  -1 and EINVAL: refused, nothing changed (no such task, a value that is not finite or
 * out of range, progress that shrinks); *errp says which. */
int wt_straggler_heartbeat(struct wt_straggler *s, const struct wt_heartbeat *hb, struct wt_error *errp);

/* The task starts anew (requeued): forget its heartbeats and its flag.  EINVAL: no such task. */
int wt_straggler_forget(struct wt_straggler *s, uint32_t task, struct wt_error *errp);

/* With wait_end: from now on tasks may be flagged, though no end was received yet. */
void wt_straggler_open(struct wt_straggler *s);

/* The tasks newly flagged at 'now_s', in ascending order, *count of them; the array belongs to 's' and holds until the
 * next call.  NULL if there are none.  A task is flagged once (but see wt_straggler_forget ()); one that has ended,
 * never.  Call it once a second or so, with now_s never smaller than a received_s already given. */
const uint32_t *wt_straggler_detect(struct wt_straggler *s, double now_s, size_t *count);

/* What is known of 'task' at 'now_s'.  EINVAL: no such task. */
int wt_straggler_view(const struct wt_straggler *s, uint32_t task, double now_s, struct wt_straggler_view *view,
		      struct wt_error *errp);

/* What a task is compared with at 'now_s': the largest progress (SCORE), or else the smallest expected duration in
 * seconds, that is flagged.  NAN while too few tasks have progress. */
double wt_straggler_limit(const struct wt_straggler *s, double now_s);

/* Every invariant, and every incremental sum against one made anew: for tests.  EPROTO: *errp says which is broken. */
int wt_straggler_check(const struct wt_straggler *s, struct wt_error *errp);

#endif
