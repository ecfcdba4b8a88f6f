/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "straggler/trial.h"

#define TICKS_MAX 1e8	/* of one trial */
#define TICK_MAX 1e15	/* beyond, a double does not tell one tick from the next */

struct wt_trial_options wt_trial_defaults(enum wt_straggler_method method)
{
	return (struct wt_trial_options) {
		.detector = wt_straggler_defaults(method, 1),
		.tick_s = 1,
		.lag = WT_LAG_METHOD,
	};
}

static struct wt_straggler *detector_create(const struct wt_trace *trace, const struct wt_trial_options *options,
					    struct wt_error *errp)
{
	struct wt_straggler_options detector = options->detector;

	detector.tasks = trace->tasks;
	detector.window_s = trace->window_s;
	detector.wait_end = true;	/* trial_is_open () decides */
	return wt_straggler_create(&detector, errp);
}

/* The paper's text leaves open when the first check happens; its figures fit one tick after the one that first sees a
 * finished task (doc/straggler.md). */
static bool trial_is_open(const struct wt_trace *trace, const struct wt_trial_options *options, double now_s)
{
	switch (options->lag) {
	case WT_LAG_NONE:
		return true;
	case WT_LAG_TIME:
		return now_s >= options->lag_s;
	default:
		return (options->lag == WT_LAG_METHOD && !options->detector.wait_end) ||
		       trace->first_finish_s <= now_s - options->tick_s;
	}
}

/* Foreign logs may claim any time. */
static int ticks_check(const struct wt_trace *trace, double tick_s, struct wt_error *errp)
{
	double begin_s = trace->count ? trace->heartbeats[0].received_s : 0;

	if (!(tick_s > 0) || !isfinite(tick_s))
		return wt_error_set(errp, EINVAL, "detection every %g s: wanted more than 0", tick_s);
	if (fabs(begin_s) / tick_s > TICK_MAX || (trace->end_s - begin_s) / tick_s > TICKS_MAX)
		return wt_error_set(errp, EINVAL, "the job lasts from %g s to %g s: more than %g detections, or too late",
				    begin_s, trace->end_s, TICKS_MAX);
	return 0;
}

static void trial_loop(struct wt_straggler *s, const struct wt_trace *trace, const struct wt_trial_options *options,
		       struct wt_trial_result *result)
{
	double begin_s = trace->count ? trace->heartbeats[0].received_s : 0;
	size_t next = 0, found;

	/* Counted in ticks, not by adding tick_s: the times do not drift. */
	for (double tick = ceil(begin_s / options->tick_s);; tick++) {
		double now_s = tick * options->tick_s;
		const uint32_t *tasks = NULL;

		for (; next < trace->count && trace->heartbeats[next].received_s <= now_s; next++)
			/* In the order in which they were received, as a scheduler would have heard them. */
			result->refused += wt_straggler_heartbeat(s, &trace->heartbeats[next], NULL) < 0;
		found = 0;
		if (trial_is_open(trace, options, now_s)) {
			wt_straggler_open(s);
			tasks = wt_straggler_detect(s, now_s, &found);
		}
		for (size_t i = 0; i < found; i++)
			result->flagged_s[tasks[i]] = now_s;
		if (!(now_s < trace->end_s))
			return;
	}
}

int wt_trial_run(const struct wt_trace *trace, const struct wt_trial_options *options, struct wt_trial_result *result,
		 struct wt_error *errp)
{
	struct wt_straggler *s;

	if (ticks_check(trace, options->tick_s, errp) < 0)
		return -1;
	if (result->room < trace->tasks) {
		double *flagged_s = reallocarray(result->flagged_s, trace->tasks, sizeof(*flagged_s));

		if (!flagged_s)
			return wt_error_set(errp, ENOMEM, "no memory for %u tasks", trace->tasks);
		result->flagged_s = flagged_s;
		result->room = trace->tasks;
	}
	for (uint32_t i = 0; i < trace->tasks; i++)
		result->flagged_s[i] = NAN;
	result->refused = 0;
	s = detector_create(trace, options, errp);
	if (!s)
		return -1;
	trial_loop(s, trace, options, result);
	wt_straggler_destroy(s);
	return 0;
}

void wt_trial_result_fini(struct wt_trial_result *result)
{
	int saved_errno = errno;

	free(result->flagged_s);
	*result = (struct wt_trial_result) { 0 };
	errno = saved_errno;
}

static int study_job(const struct wt_study *study, const struct wt_trace *trace, size_t run,
		     struct wt_trial_result *result, struct wt_tally *tallies, struct wt_error *errp)
{
	if (study->watch && study->watch(trace, run, study->arg, errp) != 0)
		return -1;
	for (size_t i = 0; i < study->detectors; i++)
		if (wt_trial_run(trace, &study->options[i], result, errp) < 0 ||
		    wt_tally_add(&tallies[i], trace, result, errp) < 0)
			return -1;
	return 0;
}

int wt_study_run(const struct wt_study *study, struct wt_tally *tallies, struct wt_error *errp)
{
	struct wt_trial_result result = { 0 };
	struct wt_trace trace = { 0 };
	gsl_rng *rng;
	int rc = 0;

	if (!study->seed)	/* the generator would take another one instead */
		return wt_error_set(errp, EINVAL, "seed 0: wanted 1 or more");
	rng = gsl_rng_alloc(gsl_rng_mt19937);
	if (!rng)
		return wt_error_set(errp, ENOMEM, "no memory for the random numbers");
	gsl_rng_set(rng, study->seed);
	for (size_t run = 0; run < study->runs && rc == 0; run++) {
		rc = wt_trace_generate(&trace, &study->model, rng, errp);
		if (rc == 0)
			rc = study_job(study, &trace, run, &result, tallies, errp);
	}
	wt_trial_result_fini(&result);
	wt_trace_fini(&trace);
	gsl_rng_free(rng);
	return rc;
}
