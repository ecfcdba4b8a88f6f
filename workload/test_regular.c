/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "workload/regular.h"

static struct wt_workload *make(const struct wt_regular_options *options)
{
	struct wt_error err = { "" };
	struct wt_workload *w = wt_regular_create(options, &err);

	if (!w)
		fail_msg("%s", err.text);
	assert_int_equal(wt_workload_check(w, &err), 0);
	return w;
}

static void expect_refused(const struct wt_regular_options *options, const char *text)
{
	struct wt_error err = { "" };

	assert_null(wt_regular_create(options, &err));
	assert_int_equal(errno, EINVAL);
	assert_string_equal(err.text, text);
	assert_null(wt_regular_create(options, NULL));
}

static void test_burst(void **state)
{
	struct wt_regular_options options;
	struct wt_workload *w;

	(void) state;
	wt_regular_burst(&options);
	options.machine_cpus = 16;
	w = make(&options);
	assert_string_equal(w->name, "burst");
	assert_int_equal(w->job_count, 200);
	assert_true(w->ideal_s == 200 * 170.0 / 16);
	assert_true(w->lane_count == 1 && w->lanes[0].open_loop);
	for (size_t i = 0; i < w->job_count; i++) {
		assert_int_equal(w->jobs[i].cpus, 1);
		assert_int_equal(w->jobs[i].nodes, 0);
		assert_true(w->jobs[i].run_time_s == 170 && w->jobs[i].time_limit_s == 340 && w->jobs[i].delay_s == 0);
	}
	assert_string_equal(w->jobs[199].name, "burst.200");
	assert_string_equal(w->jobs[199].class_name, "burst");
	wt_workload_destroy(w);
}

/* Jobs that end at once measure submission alone. */
static void test_jobs_of_no_length(void **state)
{
	struct wt_regular_options options;
	struct wt_workload *w;

	(void) state;
	wt_regular_burst(&options);
	options.machine_cpus = 16;
	options.run_time_s = 0;
	w = make(&options);
	assert_true(w->ideal_s == 0 && w->jobs[199].run_time_s == 0 && w->jobs[199].time_limit_s == 0);
	wt_workload_destroy(w);
}

static void test_spaced_scaled(void **state)
{
	struct wt_regular_options options;
	struct wt_workload *w;

	(void) state;
	wt_regular_spaced(&options);
	options.machine_cpus = 16;
	options.cpus_min = options.cpus_max = 4;
	options.jobs = 3;
	options.shared.time_scale = 0.5;
	options.shared.limit_factor = 1;
	w = make(&options);
	assert_true(w->ideal_s == 3 * 4 * 85.0 / 16 && w->time_scale == 0.5);
	assert_true(w->jobs[0].delay_s == 0 && w->jobs[1].delay_s == 5 && w->jobs[2].delay_s == 5);
	assert_true(w->jobs[2].run_time_s == 85 && w->jobs[2].time_limit_s == 85);
	wt_workload_destroy(w);
}

/* Of 10,000 jobs each of the eight sizes is some 1,250, with a deviation of 33. */
static void test_sizes_drawn(void **state)
{
	struct wt_regular_options options;
	struct wt_workload *w, *again, *other;
	size_t counts[9] = { 0 }, differences = 0;
	double cpus = 0;

	(void) state;
	wt_regular_burst(&options);
	options.machine_cpus = 64;
	options.jobs = 10000;
	options.cpus_max = 8;
	w = make(&options);
	again = make(&options);
	options.shared.seed = 2;
	options.run_time_s = 5;
	other = make(&options);
	for (size_t i = 0; i < w->job_count; i++) {
		assert_true(w->jobs[i].cpus >= 1 && w->jobs[i].cpus <= 8);
		assert_int_equal(again->jobs[i].cpus, w->jobs[i].cpus);
		counts[w->jobs[i].cpus]++;
		differences += other->jobs[i].cpus != w->jobs[i].cpus;
		cpus += w->jobs[i].cpus;
	}
	for (size_t n = 1; n <= 8; n++)
		assert_in_range(counts[n], 1250 - 4 * 33, 1250 + 4 * 33);
	assert_in_range(differences, 8000, 9500);
	assert_true(w->ideal_s == cpus * 170 / 64 && w->seed == 1 && other->seed == 2);
	wt_workload_destroy(w);
	wt_workload_destroy(again);
	wt_workload_destroy(other);
}

/* The first sizes of seed 1, so that no other version of the program draws others. */
static void test_sizes_stay(void **state)
{
	static const uint32_t first[] = { 4, 5, 4, 4, 1, 8, 7, 8, 1, 5, 2, 5, 8, 8, 5, 8 };
	struct wt_regular_options options;
	struct wt_workload *w;

	(void) state;
	wt_regular_spaced(&options);
	options.machine_cpus = 64;
	options.cpus_max = 8;
	w = make(&options);
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		assert_int_equal(w->jobs[i].cpus, first[i]);
	wt_workload_destroy(w);
}

static void test_refused(void **state)
{
	struct wt_regular_options good, bad;

	(void) state;
	wt_regular_burst(&good);
	good.machine_cpus = 16;
	bad = good, bad.jobs = 0;
	expect_refused(&bad, "0 jobs: give 1 to 1000000");
	bad = good, bad.jobs = 1000001;
	expect_refused(&bad, "1000001 jobs: give 1 to 1000000");
	bad = good, bad.cpus_min = bad.cpus_max = 17;
	expect_refused(&bad, "jobs of 17 CPUs on a machine of 16");
	bad = good, bad.cpus_min = 0;
	expect_refused(&bad, "jobs of 0 CPUs on a machine of 16");
	bad = good, bad.cpus_max = 17;
	expect_refused(&bad, "jobs of 17 CPUs on a machine of 16");
	bad = good, bad.cpus_min = 8, bad.cpus_max = 4;
	expect_refused(&bad, "jobs of 8 to 4 CPUs");
	bad = good, bad.run_time_s = -1;
	expect_refused(&bad, "a run time of -1 s: give 0 or more");
	bad = good, bad.interval_s = INFINITY;
	expect_refused(&bad, "an interval of inf s: give 0 or more");
	bad = good, bad.shared.time_scale = 0;
	expect_refused(&bad, "time scale 0: give a number above 0, at most 1000");
	bad = good, bad.shared.limit_factor = NAN;
	expect_refused(&bad, "time limits of nan times the run time: give a factor from 1 to 1000");
	bad = good, bad.name = NULL;
	expect_refused(&bad, "a workload needs a name");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_burst), cmocka_unit_test(test_jobs_of_no_length),
		cmocka_unit_test(test_spaced_scaled), cmocka_unit_test(test_sizes_drawn),
		cmocka_unit_test(test_sizes_stay), cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests_name("regular", tests, NULL, NULL);
}
