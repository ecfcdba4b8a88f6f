/* trial.h - run a detector over traces, and count what it found.
 *
 * Pure but for memory.  Plain values; one thread at a time.
 * Unless noted: 0 on success; -1 with errno set, text in *errp (may be NULL). */
#ifndef WT_STRAGGLER_TRIAL_H
#define WT_STRAGGLER_TRIAL_H

#include "straggler/straggler.h"
#include "straggler/trace.h"

enum wt_trial_lag {
	WT_LAG_METHOD,		/* as the detector has it: wait for the first end, or not */
	WT_LAG_NONE,
	WT_LAG_FINISH,		/* until a task has ended */
	WT_LAG_TIME,		/* until lag_s after time 0 */
};

struct wt_trial_options {
	struct wt_straggler_options detector;	/* 'tasks' and 'window_s' are taken from the trace */
	double tick_s;		/* between two detections; 1 s [P]; detections happen at whole multiples of it */
	enum wt_trial_lag lag;
	double lag_s;
};

struct wt_trial_options wt_trial_defaults(enum wt_straggler_method method);

struct wt_trial_result {	/* all zero at first; may be used again; free with wt_trial_result_fini () */
	double *flagged_s;	/* of each of the trace's tasks: when it was flagged, or NAN */
	size_t room;
	size_t refused;		/* heartbeats that the detector refused */
};

/* One detector over one job.  As in Lambert et al. 2022: heartbeats received at a tick's own time count, what is flagged
 * once stays flagged, and detection opens when a task really ends, not when that is heard of.  EINVAL, ENOMEM. */
int wt_trial_run(const struct wt_trace *trace, const struct wt_trial_options *options, struct wt_trial_result *result,
		 struct wt_error *errp);
void wt_trial_result_fini(struct wt_trial_result *result);

/* A study: 'runs' jobs drawn from 'model', each seen by every detector.  The same seed gives the same jobs whatever the
 * detectors are.  'watch' (may be NULL) sees each job; what it returns other than 0 ends the study. */
typedef int (*wt_study_watch_fn)(const struct wt_trace *trace, size_t run, void *arg, struct wt_error *errp);

struct wt_study {
	struct wt_trace_model model;
	size_t runs;
	uint32_t seed;			/* 1 or more; of GSL's mt19937, one stream for all runs */
	size_t detectors;
	const struct wt_trial_options *options;	/* 'detectors' of them */
	wt_study_watch_fn watch;
	void *arg;
};

struct wt_tally;

/* Adds to tallies[detector]; the caller makes them all zero and frees them, also after an error. */
int wt_study_run(const struct wt_study *study, struct wt_tally *tallies, struct wt_error *errp);

struct wt_series {		/* growing list of numbers */
	size_t count, room;
	double *values;
};

struct wt_quantiles {		/* all NAN where there is no value */
	size_t count;
	double mean, sd, min, decile1, quartile1, median, quartile3, decile9, max;
};

/* What a detector did in many jobs. */
struct wt_tally {
	size_t runs, tasks, stragglers, unknown;	/* tasks of unknown duration count nowhere else */
	size_t hung, hung_missed;		/* among the stragglers */
	size_t heartbeats, refused;
	struct wt_series false_positives;	/* of each run: share of the tasks that are not stragglers, but flagged */
	/* of each run that has stragglers: share of them never flagged ([P] III.D) */
	struct wt_series false_negatives;
	struct wt_series delays_s;		/* of each straggler flagged: since it started, or since it hung */
	/* of each straggler flagged that did not hang: share of its duration to come */
	struct wt_series life_left;
};

int wt_tally_add(struct wt_tally *tally, const struct wt_trace *trace, const struct wt_trial_result *result,
		 struct wt_error *errp);
void wt_tally_fini(struct wt_tally *tally);	/* free its memory; errno is preserved */

/* Sorts the series.  Quantiles interpolate linearly (GSL's, R's type 7). */
struct wt_quantiles wt_series_quantiles(struct wt_series *series);

#endif
