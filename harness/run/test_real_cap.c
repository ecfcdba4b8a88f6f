/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "harness/run/real_cap.h"

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static void test_need(void **state)
{
	struct wt_job jobs[] = { { .nodes = 4, .cpus = 64, .run_time_s = 1800, .time_limit_s = 3600 },
				 { .cpus = 8, .run_time_s = 3600, .time_limit_s = 7200 } };
	struct wt_workload w = { .jobs = jobs, .job_count = 2 }, none = { .job_count = 0 };
	struct real_need need;

	(void) state;
	real_need_make(&need, &w, 16);
	assert_int_equal(need.jobs, 2);
	assert_true(near(need.node_hours, 2 + 0.5));
	assert_true(near(need.node_hours_limit, 4 + 1));
	real_need_make(&need, &none, 16);
	assert_true(need.jobs == 0 && near(need.node_hours, 0));
}

static void test_caps(void **state)
{
	struct real_need need = { .jobs = 10, .node_hours = 2.5 };
	struct run_real caps = { .max_jobs = 10, .max_node_hours = 2.5 };
	struct wt_error error;

	(void) state;
	assert_int_equal(real_cap_check(&need, &caps, &error), 0);
	caps.max_jobs = 9;
	assert_int_equal(real_cap_check(&need, &caps, &error), -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(error.text, "--max-jobs 9: the workload has 10 jobs");
	caps.max_jobs = 0;
	caps.max_node_hours = 2.4;
	assert_int_equal(real_cap_check(&need, &caps, &error), -1);
	assert_non_null(strstr(error.text, "--max-node-hours 2.4: the workload needs 2.5"));
	caps.max_node_hours = 0;
	assert_int_equal(real_cap_check(&need, &caps, NULL), 0);
}

static void test_used(void **state)
{
	struct wt_job_record jobs[] = {
		{ .state = WT_JOB_COMPLETED, .nodes = 2, .alloc_nodes = 2, .start_s = 1000, .end_s = 4600 },
		{ .state = WT_JOB_RUNNING, .cpus = 8, .alloc_cpus = 8, .start_s = 4600, .end_s = NAN },
		{ .state = WT_JOB_PENDING, .nodes = 9, .start_s = NAN, .end_s = NAN },
		{ .state = WT_JOB_CANCELLED, .nodes = 9, .start_s = NAN, .end_s = 4600 },
		{ .state = WT_JOB_RUNNING, .nodes = 1, .alloc_nodes = 1, .start_s = 9000, .end_s = NAN }, /* another clock */
	};

	(void) state;
	assert_true(near(real_used_hours(jobs, 5, 16, 8200), 2 + 0.5));
	assert_true(near(real_used_hours(jobs, 0, 16, 8200), 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_need), cmocka_unit_test(test_caps),
					    cmocka_unit_test(test_used) };

	return cmocka_run_group_tests_name("real_cap", tests, NULL, NULL);
}
