/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The model of Lambert et al. 2022 ([P] in straggler.h), and what its detectors do with it. */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>

#include "straggler/trace.h"

static gsl_rng *rng;

static int setup(void **state)
{
	(void) state;
	rng = gsl_rng_alloc(gsl_rng_mt19937);
	if (!rng)
		return -1;
	gsl_rng_set(rng, 1);
	return 0;
}

static int teardown(void **state)
{
	(void) state;
	gsl_rng_free(rng);
	return 0;
}

static void draw(struct wt_trace *trace, const struct wt_trace_model *model)
{
	struct wt_error err = { "" };

	if (wt_trace_generate(trace, model, rng, &err) < 0)
		fail_msg("%s", err.text);
}

/* [P] II.A: heartbeat j at j * hw, the last at the end; the end counts ceil (d / hw). */
static void test_like_tasks_beat_as_the_paper_has_it(void **state)
{
	struct wt_trace_model model = wt_trace_model_defaults();
	struct wt_trace trace = { 0 };

	(void) state;
	model.tasks = 2;
	model.spread = 0;
	draw(&trace, &model);
	assert_int_equal(trace.count, 2 * 5);	/* 0, 6, 12, 18, 20 */
	assert_float_equal(trace.heartbeats[5].received_s, 12, 0);
	assert_float_equal(trace.heartbeats[5].progress, 0.6, 1e-12);
	assert_true(trace.heartbeats[9].end);
	assert_float_equal(trace.heartbeats[9].elapsed_s, 20, 1e-12);
	assert_float_equal(trace.first_finish_s, 20, 1e-12);
	assert_false(trace.task[0].straggler);
	model.duration_s = 18;			/* a multiple of the window: no two heartbeats at the end */
	draw(&trace, &model);
	assert_int_equal(trace.count, 2 * 4);
	wt_trace_fini(&trace);
}

static void test_tenth_of_the_tasks_are_stragglers_at_a_quarter_spread(void **state)
{
	struct wt_trace_model model = wt_trace_model_defaults();
	struct wt_trace trace = { 0 };
	int stragglers = 0;

	(void) state;
	model.tasks = 20000;			/* [P] III.A.1: the expected share is 10 % */
	draw(&trace, &model);
	for (uint32_t i = 0; i < trace.tasks; i++) {
		assert_true(trace.task[i].duration_s >= 15 && trace.task[i].duration_s <= 25);
		stragglers += trace.task[i].straggler;
	}
	assert_true(stragglers > 1800 && stragglers < 2200);
	wt_trace_fini(&trace);
}

static void test_skewed_starts_permute_the_durations(void **state)
{
	struct wt_trace_model model = wt_trace_model_defaults();
	struct wt_trace trace = { 0 };
	double starts = 0, durations = 0;
	int same = 0;

	(void) state;
	model.starts = WT_STARTS_SKEWED;
	draw(&trace, &model);
	for (uint32_t i = 0; i < trace.tasks; i++) {
		starts += trace.task[i].start_s * trace.task[i].start_s;
		durations += trace.task[i].duration_s * trace.task[i].duration_s;
		same += trace.task[i].start_s == trace.task[i].duration_s;
	}
	assert_float_equal(starts, durations, 1e-6);
	assert_true(same < 10);
	wt_trace_fini(&trace);
}

/* Lomax of scale 1 and shape 5, cut at 2: median 2^(1/5) - 1 = .149, 90 % at 10^(1/5) - 1 = .585. */
static void test_latency_is_a_cut_lomax(void **state)
{
	struct wt_trace_model model = wt_trace_model_defaults();
	struct wt_trace trace = { 0 };
	size_t below_median = 0, below_decile = 0;

	(void) state;
	model.tasks = 5000;
	model.latency = WT_LATENCY_PARETO;
	draw(&trace, &model);
	for (size_t i = 0; i < trace.count; i++) {
		double latency_s = trace.heartbeats[i].received_s - trace.heartbeats[i].sent_s;

		assert_true(latency_s >= 0 && latency_s <= 2 + 1e-9);
		assert_true(i == 0 || trace.heartbeats[i - 1].received_s <= trace.heartbeats[i].received_s);
		below_median += latency_s < 0.1487;
		below_decile += latency_s < 0.5849;
	}
	assert_float_equal((double) below_median / trace.count, 0.5, 0.01);
	assert_float_equal((double) below_decile / trace.count, 0.9, 0.01);
	wt_trace_fini(&trace);
}

static void test_noise_keeps_the_work_and_moves_the_end(void **state)
{
	struct wt_trace_model model = wt_trace_model_defaults();
	struct wt_trace trace = { 0 };
	double sum_s = 0;

	(void) state;
	model.tasks = 2000;
	model.spread = 0;
	model.noise = 0.2;
	draw(&trace, &model);
	for (size_t i = 0; i < trace.count; i++)
		assert_true(trace.heartbeats[i].progress <= 1 && trace.heartbeats[i].end ==
			    (trace.heartbeats[i].progress == 1));
	for (uint32_t i = 0; i < trace.tasks; i++) {
		assert_true(trace.task[i].duration_s > 20 / 1.2 && trace.task[i].duration_s < 20 / 0.8);
		sum_s += trace.task[i].duration_s;
	}
	assert_float_equal(sum_s / trace.tasks, 20, 0.3);
	wt_trace_fini(&trace);
}

static void test_losses_spare_start_and_end(void **state)
{
	struct wt_trace_model model = wt_trace_model_defaults();
	struct wt_trace trace = { 0 };

	(void) state;
	model.loss = 1;
	draw(&trace, &model);
	assert_int_equal(trace.count, 2 * model.tasks);
	for (size_t i = 0; i < trace.count; i++)
		assert_true(trace.heartbeats[i].end || trace.heartbeats[i].elapsed_s == 0);
	wt_trace_fini(&trace);
}

static void test_hung_tasks_fall_silent_for_ever(void **state)
{
	struct wt_trace_model model = wt_trace_model_defaults();
	struct wt_trace trace = { 0 };
	uint32_t hung = 0;

	(void) state;
	model.hang_share = 0.1;
	model.offset_s = 3;
	draw(&trace, &model);
	for (uint32_t i = 0; i < trace.tasks; i++) {
		if (isnan(trace.task[i].hang_s))
			continue;
		hung++;
		assert_true(trace.task[i].straggler && isinf(trace.task[i].duration_s));
	}
	assert_int_equal(hung, 5);
	for (size_t i = 0; i < trace.count; i++) {
		const struct wt_heartbeat *hb = &trace.heartbeats[i];
		const struct wt_trace_task *task = &trace.task[hb->task];

		assert_true(isnan(task->hang_s) || (!hb->end && hb->received_s <= task->hang_s));
		assert_true(fabs(hb->sent_s - hb->received_s) <= 3);
	}
	assert_float_equal(trace.end_s, trace.heartbeats[trace.count - 1].received_s + model.hang_wait_s, 1e-12);
	wt_trace_fini(&trace);
}

static void test_slow_tasks_are_as_many_as_asked_for(void **state)
{
	struct wt_trace_model model = wt_trace_model_defaults();
	struct wt_trace trace = { 0 };

	(void) state;
	model.spread = 0.1;
	model.slow_share = 0.1;
	for (int run = 0; run < 20; run++) {
		int slow = 0;

		draw(&trace, &model);
		for (uint32_t i = 0; i < trace.tasks; i++) {
			slow += trace.task[i].duration_s >= 30 && trace.task[i].duration_s <= 60;
			assert_int_equal(trace.task[i].straggler, trace.task[i].duration_s >= 30);
		}
		assert_int_equal(slow, 5);
	}
	wt_trace_fini(&trace);
}

static void test_same_seed_same_job(void **state)
{
	struct wt_trace_model model = wt_trace_model_defaults();
	struct wt_trace a = { 0 }, b = { 0 };

	(void) state;
	model.starts = WT_STARTS_SKEWED;
	model.latency = WT_LATENCY_PARETO;
	gsl_rng_set(rng, 42);
	draw(&a, &model);
	gsl_rng_set(rng, 42);
	draw(&b, &model);
	assert_int_equal(a.count, b.count);
	assert_memory_equal(a.task, b.task, a.tasks * sizeof(*a.task));
	for (size_t i = 0; i < a.count; i++) {
		assert_int_equal(a.heartbeats[i].task, b.heartbeats[i].task);
		assert_true(a.heartbeats[i].received_s == b.heartbeats[i].received_s);
	}
	wt_trace_fini(&a);
	wt_trace_fini(&b);
}

static void test_bad_models_are_refused(void **state)
{
	const struct wt_trace_model good = wt_trace_model_defaults();
	struct wt_trace_model m;
	struct wt_error err;

	(void) state;
	assert_int_equal(wt_trace_model_check(&good, &err), 0);
	m = good, m.tasks = 0, assert_int_equal(wt_trace_model_check(&m, &err), -1);
	m = good, m.tasks = WT_TRACE_TASKS_MAX + 1, assert_int_equal(wt_trace_model_check(&m, &err), -1);
	m = good, m.duration_s = NAN, assert_int_equal(wt_trace_model_check(&m, &err), -1);
	m = good, m.spread = 1, assert_int_equal(wt_trace_model_check(&m, &err), -1);
	m = good, m.window_s = -1, assert_int_equal(wt_trace_model_check(&m, &err), -1);
	m = good, m.noise = 1, assert_int_equal(wt_trace_model_check(&m, &err), -1);
	m = good, m.loss = 1.1, assert_int_equal(wt_trace_model_check(&m, &err), -1);
	m = good, m.hang_share = -0.1, assert_int_equal(wt_trace_model_check(&m, &err), -1);
	m = good, m.slow_min = 4, assert_int_equal(wt_trace_model_check(&m, &err), -1);
	m = good, m.offset_s = INFINITY, assert_int_equal(wt_trace_model_check(&m, &err), -1);
	errno = 0;
	m = good, m.duration_s = 1e6, m.window_s = 1, assert_int_equal(wt_trace_model_check(&m, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, "heartbeats"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_like_tasks_beat_as_the_paper_has_it, setup, teardown),
		cmocka_unit_test_setup_teardown(test_tenth_of_the_tasks_are_stragglers_at_a_quarter_spread, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_skewed_starts_permute_the_durations, setup, teardown),
		cmocka_unit_test_setup_teardown(test_latency_is_a_cut_lomax, setup, teardown),
		cmocka_unit_test_setup_teardown(test_noise_keeps_the_work_and_moves_the_end, setup, teardown),
		cmocka_unit_test_setup_teardown(test_losses_spare_start_and_end, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hung_tasks_fall_silent_for_ever, setup, teardown),
		cmocka_unit_test_setup_teardown(test_slow_tasks_are_as_many_as_asked_for, setup, teardown),
		cmocka_unit_test_setup_teardown(test_same_seed_same_job, setup, teardown),
		cmocka_unit_test(test_bad_models_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
