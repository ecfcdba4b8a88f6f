/* trace.h - the heartbeats of one job, in the order in which they were received, and what became of its tasks.
 *
 * Made by the model of Lambert et al. 2022 (wt_trace_generate ()) or read from a log (trace_log.h); input of trial.h.
 * Pure but for memory; randomness is an argument.  A trace is a plain value: one writer, or many readers.
 * Times are seconds on one time line, that of the receiver; see straggler.h for the three times of a heartbeat.
 * Unless noted: 0 on success; -1 with errno set, text in *errp (may be NULL). */
#ifndef WT_STRAGGLER_TRACE_H
#define WT_STRAGGLER_TRACE_H

#include <gsl/gsl_rng.h>

#include "straggler/straggler.h"

struct wt_trace_task {
	double start_s;		/* NAN: unknown */
	double duration_s;	/* INFINITY: it hung; NAN: unknown */
	double hang_s;		/* when it hung; NAN: it did not */
	bool known;		/* it is known whether it is a straggler */
	bool straggler;
};

#define WT_TRACE_WORD 65		/* bytes, with the end, of a node's name and a state */

struct wt_trace_attempt {	/* what became of a start of a task: 1 is the original, 2 and up are copies */
	uint32_t task, attempt;
	int64_t task_id;	/* Slurm's number of the task in its array; -1: not known */
	char node[WT_TRACE_WORD], state[WT_TRACE_WORD];	/* "": not known */
	bool flagged;		/* its task was found slow */
	bool won;		/* its task ended by it; only where there was a copy */
};

struct wt_trace_copy {		/* a heartbeat of a copy, which detectors do not see */
	uint32_t attempt;
	struct wt_heartbeat hb;
};

struct wt_trace {
	uint32_t tasks;
	double window_s;
	struct wt_trace_task *task;	/* 'tasks' of them */
	size_t count, room;		/* of heartbeats */
	struct wt_heartbeat *heartbeats;	/* by received_s */
	double first_finish_s;		/* when the first task really ended; NAN: none did */
	double end_s;			/* when it is over: the last end was received; with hung tasks, hang_wait_s later */
	size_t copy_count, attempt_count;	/* only of a log that was recorded */
	struct wt_trace_copy *copies;	/* in the log's order */
	struct wt_trace_attempt *attempts;
};

enum wt_trace_starts { WT_STARTS_UNIFORM, WT_STARTS_SKEWED };
enum wt_trace_latency { WT_LATENCY_NONE, WT_LATENCY_PARETO };

/* [P] is the paper, see straggler.h; its section III has the model.  What it does not have is 0 by default. */
struct wt_trace_model {
	uint32_t tasks;
	double duration_s;	/* d_avg: task durations are uniform in duration_s (1 +- spread) */
	double spread;		/* f, 0 to below 1 */
	enum wt_trace_starts starts;	/* all at 0, or a random permutation of the job's own durations */
	enum wt_trace_latency latency;	/* of a heartbeat; PARETO: Lomax of scale 1 s and shape 5, redrawn above 2 s */
	double window_s;	/* hw */
	double noise;		/* 0 to below 1; speed in each window is multiplied by uniform (1 - noise, 1 + noise) */
	double offset_s;	/* a node's wall clock is off by uniform (-offset_s, offset_s) */
	double loss;		/* share of the heartbeats between start and end that get lost */
	double hang_share;	/* share of the tasks that fall silent at a uniform point of their duration, for ever */
	double hang_wait_s;	/* how long the job goes on when only hung tasks are left */
	double slow_share;	/* share of the tasks that take uniform (slow_min, slow_max) times as long */
	double slow_min, slow_max;
};

#define WT_TRACE_TASKS_MAX 1000000
#define WT_TRACE_HEARTBEATS_MAX 100000	/* of one task: duration / window */

/* The paper's defaults: 50 tasks of 20 s +- 25 % that start together, no latency, 6 s window. */
struct wt_trace_model wt_trace_model_defaults(void);

/* EINVAL: *errp names the field. */
int wt_trace_model_check(const struct wt_trace_model *model, struct wt_error *errp);

/* Draw a job into *trace, which is either all zero or an earlier trace, whose memory is then used again.  The same state
 * of 'rng' gives the same job.  EINVAL, ENOMEM. */
int wt_trace_generate(struct wt_trace *trace, const struct wt_trace_model *model, gsl_rng *rng, struct wt_error *errp);

/* Building blocks for readers: room for 'tasks' tasks, all unknown, and no heartbeat; one more heartbeat; their order. */
int wt_trace_reset(struct wt_trace *trace, uint32_t tasks, double window_s, struct wt_error *errp);
int wt_trace_add(struct wt_trace *trace, const struct wt_heartbeat *hb, struct wt_error *errp);
void wt_trace_sort(struct wt_trace *trace);
int wt_trace_add_copy(struct wt_trace *trace, const struct wt_trace_copy *copy, struct wt_error *errp);
int wt_trace_add_attempt(struct wt_trace *trace, const struct wt_trace_attempt *attempt, struct wt_error *errp);

/* Fill 'known' and 'straggler' from the durations: at least 1.2 times their mean ([P] II.A).  A task that hung is one, and
 * so is one of unknown duration that had lasted that long at end_s; else nothing is known of it. */
void wt_trace_judge(struct wt_trace *trace, double mean_s);

void wt_trace_fini(struct wt_trace *trace);	/* free its memory; errno is preserved */

#endif
