/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>

#include "straggler/trial.h"

/* Three tasks that start at 0: 10 s, 10 s and 20 s; heartbeats each 5 s that arrive at once. */
static void trace_make(struct wt_trace *trace)
{
	static const double durations_s[] = { 10, 10, 20 };

	assert_int_equal(wt_trace_reset(trace, 3, 5, NULL), 0);
	for (uint32_t i = 0; i < 3; i++) {
		trace->task[i].start_s = 0;
		trace->task[i].duration_s = durations_s[i];
		for (double t = 0; t <= durations_s[i]; t += 5) {
			struct wt_heartbeat hb = { i, t == durations_s[i], t, t, t, t / durations_s[i] };

			assert_int_equal(wt_trace_add(trace, &hb, NULL), 0);
		}
	}
	wt_trace_sort(trace);
	wt_trace_judge(trace, 40 / 3.0);
	trace->first_finish_s = 10;
	trace->end_s = 20;
}

static void test_detection_opens_one_tick_after_the_first_end(void **state)
{
	struct wt_trial_options options = wt_trial_defaults(WT_STRAGGLER_R1);
	struct wt_trial_result result = { 0 };
	struct wt_trace trace = { 0 };

	(void) state;
	trace_make(&trace);
	assert_int_equal(wt_trial_run(&trace, &options, &result, NULL), 0);
	assert_true(isnan(result.flagged_s[0]) && isnan(result.flagged_s[1]));
	assert_float_equal(result.flagged_s[2], 11, 0);	/* 20 >= 1.2 * 40 / 3 */
	options.lag = WT_LAG_NONE;
	assert_int_equal(wt_trial_run(&trace, &options, &result, NULL), 0);
	assert_float_equal(result.flagged_s[2], 5, 0);	/* the heartbeat of this very tick counts */
	options.lag = WT_LAG_TIME;
	options.lag_s = 7.5;
	assert_int_equal(wt_trial_run(&trace, &options, &result, NULL), 0);
	assert_float_equal(result.flagged_s[2], 8, 0);
	options.tick_s = 3;
	assert_int_equal(wt_trial_run(&trace, &options, &result, NULL), 0);
	assert_float_equal(result.flagged_s[2], 9, 0);
	options.tick_s = 0;
	assert_int_equal(wt_trial_run(&trace, &options, &result, NULL), -1);
	wt_trial_result_fini(&result);
	wt_trace_fini(&trace);
}

static void test_tally_counts_rates_delay_and_life(void **state)
{
	struct wt_trial_options options = wt_trial_defaults(WT_STRAGGLER_R1);
	struct wt_trial_result result = { 0 };
	struct wt_tally tally = { 0 };
	struct wt_trace trace = { 0 };

	(void) state;
	trace_make(&trace);
	assert_int_equal(wt_trial_run(&trace, &options, &result, NULL), 0);
	assert_int_equal(wt_tally_add(&tally, &trace, &result, NULL), 0);
	result.flagged_s[0] = 3;		/* a second run: one of two wrongly, the straggler missed */
	result.flagged_s[2] = NAN;
	trace.task[1].known = false;
	assert_int_equal(wt_tally_add(&tally, &trace, &result, NULL), 0);
	assert_int_equal(tally.runs, 2);
	assert_int_equal(tally.stragglers, 2);
	assert_int_equal(tally.unknown, 1);
	assert_float_equal(wt_series_quantiles(&tally.false_positives).mean, 0.5, 1e-12);
	assert_float_equal(wt_series_quantiles(&tally.false_negatives).mean, 0.5, 1e-12);
	assert_float_equal(wt_series_quantiles(&tally.delays_s).median, 11, 0);
	assert_float_equal(wt_series_quantiles(&tally.life_left).median, 9 / 20.0, 1e-12);
	wt_tally_fini(&tally);
	wt_trial_result_fini(&result);
	wt_trace_fini(&trace);
}

/* How much of a task's life was left cannot be said when its start or its end is not known (a log that began later, a task
 * that never ended); how long it took to find it depends on the start alone. */
static void test_tally_of_what_is_not_known(void **state)
{
	struct wt_trial_options options = wt_trial_defaults(WT_STRAGGLER_R1);
	struct wt_trial_result result = { 0 };
	struct wt_tally tally = { 0 };
	struct wt_trace trace = { 0 };

	(void) state;
	trace_make(&trace);
	assert_int_equal(wt_trial_run(&trace, &options, &result, NULL), 0);
	trace.task[2].start_s = NAN;
	assert_int_equal(wt_tally_add(&tally, &trace, &result, NULL), 0);
	assert_int_equal(tally.delays_s.count, 0);
	assert_int_equal(tally.life_left.count, 0);
	trace.task[2].start_s = 0;
	trace.task[2].duration_s = INFINITY;
	assert_int_equal(wt_tally_add(&tally, &trace, &result, NULL), 0);
	assert_int_equal(tally.delays_s.count, 1);
	assert_int_equal(tally.life_left.count, 0);
	wt_tally_fini(&tally);
	wt_trial_result_fini(&result);
	wt_trace_fini(&trace);
}

static void test_refused_heartbeats_are_counted(void **state)
{
	struct wt_trial_options options = wt_trial_defaults(WT_STRAGGLER_FRESH);
	struct wt_trial_result result = { 0 };
	struct wt_trace trace = { 0 };

	(void) state;
	trace_make(&trace);
	trace.heartbeats[4].progress = 7;
	assert_int_equal(wt_trial_run(&trace, &options, &result, NULL), 0);
	assert_int_equal(result.refused, 1);
	wt_trial_result_fini(&result);
	wt_trace_fini(&trace);
}

static void test_endless_jobs_are_refused(void **state)
{
	struct wt_trial_options options = wt_trial_defaults(WT_STRAGGLER_FRESH);
	struct wt_trial_result result = { 0 };
	struct wt_trace trace = { 0 };
	struct wt_error err = { "" };

	(void) state;
	trace_make(&trace);
	trace.end_s = 1e300;
	assert_int_equal(wt_trial_run(&trace, &options, &result, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, "detections"));
	for (size_t i = 0; i < trace.count; i++)
		trace.heartbeats[i].received_s = 1e300;
	assert_int_equal(wt_trial_run(&trace, &options, &result, &err), -1);
	wt_trial_result_fini(&result);
	wt_trace_fini(&trace);
}

static void test_quantiles_interpolate(void **state)
{
	double values[] = { 5, 1, 4, 2, 3 };
	struct wt_series series = { 5, 5, values };
	struct wt_quantiles q = wt_series_quantiles(&series);

	(void) state;
	assert_float_equal(q.mean, 3, 1e-12);
	assert_float_equal(q.sd, sqrt(2.5), 1e-12);
	assert_float_equal(q.decile1, 1.4, 1e-12);
	assert_float_equal(q.quartile1, 2, 1e-12);
	assert_float_equal(q.median, 3, 1e-12);
	assert_float_equal(q.decile9, 4.6, 1e-12);
	series.count = 1;
	assert_true(isnan(wt_series_quantiles(&series).sd));
	series.count = 0;
	assert_true(isnan(wt_series_quantiles(&series).median));
}

/* Golden: what these seeds gave when doc/results-straggler.md was written.  Counts of flags, so that the last bit of a
 * libm does not matter. */
static void golden(enum wt_straggler_method method, enum wt_trace_starts starts, enum wt_trace_latency latency,
		   double noise, double false_positives, double false_negatives)
{
	struct wt_trial_options options = wt_trial_defaults(method);
	struct wt_study study = { .model = wt_trace_model_defaults(), .runs = 40, .seed = 6, .detectors = 1,
				  .options = &options };
	struct wt_tally tally = { 0 };

	study.model.starts = starts;
	study.model.latency = latency;
	study.model.noise = noise;
	assert_int_equal(wt_study_run(&study, &tally, NULL), 0);
	assert_int_equal(tally.runs, 40);
	assert_float_equal(wt_series_quantiles(&tally.false_positives).mean, false_positives, 1e-6);
	assert_float_equal(wt_series_quantiles(&tally.false_negatives).mean, false_negatives, 1e-6);
	wt_tally_fini(&tally);
}

static void test_golden_seeds(void **state)
{
	(void) state;
	golden(WT_STRAGGLER_SCORE, WT_STARTS_UNIFORM, WT_LATENCY_PARETO, 0, 0.066796, 0.000000);
	golden(WT_STRAGGLER_SCORE, WT_STARTS_SKEWED, WT_LATENCY_NONE, 0, 0.388377, 0.328024);
	golden(WT_STRAGGLER_RATE, WT_STARTS_SKEWED, WT_LATENCY_PARETO, 0, 0.543620, 0.000000);
	golden(WT_STRAGGLER_RATE, WT_STARTS_UNIFORM, WT_LATENCY_NONE, 0, 0.243213, 0.000000);
	golden(WT_STRAGGLER_FRESH, WT_STARTS_SKEWED, WT_LATENCY_PARETO, 0, 0, 0);
	golden(WT_STRAGGLER_FRESH, WT_STARTS_SKEWED, WT_LATENCY_PARETO, 0.2, 0.026642, 0.186600);
}

static int stop_at_third(const struct wt_trace *trace, size_t run, void *arg, struct wt_error *errp)
{
	assert_int_equal(trace->tasks, 50);
	*(size_t *) arg = run;
	return run == 2 ? wt_error_set(errp, ECANCELED, "enough") : 0;
}

static void test_study_refuses_and_stops(void **state)
{
	struct wt_trial_options options = wt_trial_defaults(WT_STRAGGLER_SCORE);
	size_t last = 0;
	struct wt_study study = { .model = wt_trace_model_defaults(), .runs = 40, .seed = 0, .detectors = 1,
				  .options = &options, .watch = stop_at_third, .arg = &last };
	struct wt_tally tally = { 0 };
	struct wt_error err;

	(void) state;
	assert_int_equal(wt_study_run(&study, &tally, &err), -1);
	assert_non_null(strstr(err.text, "seed"));
	study.seed = 1;
	assert_int_equal(wt_study_run(&study, &tally, &err), -1);
	assert_int_equal(last, 2);
	assert_int_equal(tally.runs, 2);
	assert_string_equal(err.text, "enough");
	wt_tally_fini(&tally);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_detection_opens_one_tick_after_the_first_end),
		cmocka_unit_test(test_tally_counts_rates_delay_and_life),
		cmocka_unit_test(test_tally_of_what_is_not_known),
		cmocka_unit_test(test_refused_heartbeats_are_counted),
		cmocka_unit_test(test_endless_jobs_are_refused),
		cmocka_unit_test(test_quantiles_interpolate),
		cmocka_unit_test(test_golden_seeds),
		cmocka_unit_test(test_study_refuses_and_stops),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
