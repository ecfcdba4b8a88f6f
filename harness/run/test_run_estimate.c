/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>

#include "esp/esp.h"
#include "harness/run/run_estimate.h"
#include "workload/regular.h"

static struct wt_workload *spaced(uint32_t jobs, double run_time_s, double interval_s)
{
	struct wt_regular_options o;
	struct wt_workload *w;

	wt_regular_spaced(&o);
	o.jobs = jobs;
	o.run_time_s = run_time_s;
	o.interval_s = interval_s;
	o.machine_cpus = 4;
	w = wt_regular_create(&o, NULL);
	assert_non_null(w);
	return w;
}

static void test_time(void **state)
{
	struct wt_workload *w = spaced(11, 5, 10);
	struct wt_estimate e;

	(void) state;
	wt_estimate_make(&e, w, 4, 4, false, false);
	assert_float_equal(e.clock_s, 105, 1e-9);	/* the last one is submitted after 100 s */
	assert_float_equal(wt_estimate_wall_s(&e), 105, 1e-9);
	wt_workload_destroy(w);
	w = spaced(40, 10, 0);
	wt_estimate_make(&e, w, 4, 4, false, false);
	assert_float_equal(e.clock_s, 100, 1e-9);	/* four at once */
	wt_workload_destroy(w);
	w = spaced(101, 80, 10);
	wt_estimate_make(&e, w, 4, 4, false, false);
	assert_float_equal(e.clock_s, 2020, 1e-9);	/* twice as much as the machine can do meanwhile */
	wt_workload_destroy(w);
}

/* A stage begins when all lanes of the one before have ended; lanes of one stage go side by side. */
static void test_stages(void **state)
{
	struct wt_job jobs[] = { { .run_time_s = 5, .cpus = 1, .delay_s = 10 },
				 { .run_time_s = 5, .cpus = 1, .delay_s = 30 },
				 { .run_time_s = 5, .cpus = 1, .delay_s = 100 } };
	struct wt_lane lanes[] = { { .stage = 0, .first = 0, .count = 1 }, { .stage = 0, .first = 1, .count = 1 },
				   { .stage = 1, .first = 2, .count = 1 }, { .stage = 7 } };
	struct wt_workload w = { .jobs = jobs, .job_count = 3, .lanes = lanes, .lane_count = 3 };
	struct wt_estimate e;

	(void) state;
	wt_estimate_make(&e, &w, 4, 4, false, false);
	assert_float_equal(e.clock_s, 30 + 100 + 5, 1e-9);
	w.lane_count = 2;
	wt_estimate_make(&e, &w, 4, 4, false, false);
	assert_float_equal(e.clock_s, 30 + 5, 1e-9);
}

static void test_sparse_and_dense(void **state)
{
	struct wt_workload *w = spaced(10, 100, 100000);
	struct wt_estimate e, exact;
	double wall_s;

	(void) state;
	wt_estimate_make(&e, w, 4, 4, true, false);
	assert_true(wt_estimate_sparse(&e));
	wall_s = wt_estimate_wall_s(&e);
	assert_true(wall_s > 100 && wall_s < 200);
	wt_estimate_make(&exact, w, 4, 4, true, true);
	assert_true(wt_estimate_wall_s(&exact) > 2 * wall_s);
	wt_workload_destroy(w);
	w = spaced(100000, 1, 0.25);
	wt_estimate_make(&e, w, 4, 4, true, false);
	assert_false(wt_estimate_sparse(&e));
	assert_true(wt_estimate_wall_s(&e) > 900);
	wt_workload_destroy(w);
}

/* The measurements that the constants are made of. */
static void test_light_esp(void **state)
{
	const struct { uint32_t nodes; double wall_s; } measured[] = { { 64, 4.07 }, { 1024, 28.6 }, { 4096, 107.2 } };

	(void) state;
	for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++) {
		struct wt_esp_options o;
		struct wt_workload *w;
		struct wt_estimate e;
		double wall_s;

		wt_esp_options_init(&o);
		o.variant = WT_ESP_LIGHT;
		o.nodes = measured[i].nodes;
		o.cpus = 16 * o.nodes;
		w = wt_esp_create(&o, NULL);
		assert_non_null(w);
		wt_estimate_make(&e, w, o.nodes, o.cpus, true, false);
		wall_s = wt_estimate_wall_s(&e);
		if (!(wall_s > measured[i].wall_s * 0.8 && wall_s < measured[i].wall_s * 1.25))
			fail_msg("%u nodes: %g s, measured were %g", o.nodes, wall_s, measured[i].wall_s);
		assert_true(e.clock_s >= 935 && e.clock_s < 1072);
		wt_workload_destroy(w);
	}
}

static void test_look(void **state)
{
	struct wt_workload *w = spaced(40, 10, 0);
	struct wt_estimate_state s = { .work_all = 400 };
	struct wt_estimate e;
	double share, left_s, before = 0;

	(void) state;
	wt_estimate_make(&e, w, 4, 4, false, false);
	wt_estimate_look(&e, &s, &share, &left_s);
	assert_true(share == 0 && isnan(left_s));
	s.clock_s = s.wall_s = 50;
	s.work_done = 200;
	wt_estimate_look(&e, &s, &share, &left_s);
	assert_float_equal(share, 0.5, 1e-9);
	assert_float_equal(left_s, 50, 1e-9);
	s.work_done = 100;	/* half as fast as planned */
	wt_estimate_look(&e, &s, &share, &left_s);
	assert_float_equal(left_s, 150, 1e-9);
	assert_float_equal(share, 0.25, 1e-9);
	s.work_done = 1;	/* hardly at all */
	wt_estimate_look(&e, &s, &share, &left_s);
	assert_float_equal(share, 50.0 / (50 * s.work_all), 1e-9);
	s.work_done = 100;
	/* In virtual time: from this machine's speed. */
	wt_estimate_make(&e, w, 4, 4, true, false);
	for (int i = 1; i <= 10; i++) {
		s = (struct wt_estimate_state) { .clock_s = 10 * i, .wall_s = 3 * i, .work_done = 40 * i, .work_all = 400,
						 .jobs_done_s = e.jobs_wall_s * i / 10 };
		wt_estimate_look(&e, &s, &share, &left_s);
		assert_true(share > before && fabs(left_s - 3 * (10 - i)) < 1e-6);
		before = share;
	}
	assert_float_equal(share, 1, 1e-9);
	wt_workload_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time), cmocka_unit_test(test_stages),
		cmocka_unit_test(test_sparse_and_dense), cmocka_unit_test(test_light_esp),
		cmocka_unit_test(test_look),
	};

	return cmocka_run_group_tests_name("estimate", tests, NULL, NULL);
}
