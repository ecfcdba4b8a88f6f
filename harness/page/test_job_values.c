/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One value of each job; a job that does not have it counts for nothing. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/page/job_values.h"

static struct page_job jobs[] = {
	{ .sent_s = 0, .start_s = 30, .end_s = 50, .size = PAGE_SIZE_HALF },
	{ .sent_s = 10, .start_s = 10, .end_s = 12, .size = PAGE_SIZE_LARGE },
	{ .sent_s = 20, .start_s = 19, .end_s = 39, .size = PAGE_SIZE_HALF },	/* slurmctld's start is a whole second */
	{ .sent_s = 25, .start_s = NAN, .end_s = 30, .size = PAGE_SIZE_HALF },	/* cancelled while it waited */
	{ .sent_s = 26, .start_s = 40, .end_s = NAN, .size = PAGE_SIZE_HALF },	/* runs */
	{ .sent_s = NAN, .start_s = NAN, .end_s = NAN, .size = PAGE_SIZE_UNKNOWN },	/* never submitted */
};
static const struct page_run run = {
	.jobs = jobs, .job_count = sizeof(jobs) / sizeof(jobs[0]), .metrics = { .slowdown_threshold_s = 10 }
};

static void has(job_value value, int size, const double *wanted, size_t wanted_count)
{
	double values[sizeof(jobs) / sizeof(jobs[0])];
	size_t count = 0;

	job_values_add(&run, value, size, values, &count);
	job_values_sort(values, count);
	assert_int_equal(count, wanted_count);
	for (size_t i = 0; i < count; i++)
		assert_true(fabs(values[i] - wanted[i]) < 1e-9);
}

static void of_jobs_that_have_them(void **state)
{
	static const double sent[] = { 0, 10, 20, 25, 26 }, waits[] = { 0, 0, 14, 30 }, turnarounds[] = { 2, 20, 50 },
			    slowdowns[] = { 1, 1, 2.5 };

	(void) state;
	has(job_sent_s, JOB_SIZES_ALL, sent, 5);
	has(job_wait_s, JOB_SIZES_ALL, waits, 4);
	has(job_turnaround_s, JOB_SIZES_ALL, turnarounds, 3);
	has(job_slowdown, JOB_SIZES_ALL, slowdowns, 3);
}

static void of_one_size(void **state)
{
	static const double waits[] = { 0, 14, 30 };

	(void) state;
	has(job_wait_s, PAGE_SIZE_HALF, waits, 3);
	has(job_wait_s, PAGE_SIZE_WHOLE, NULL, 0);
}

static void curves_end_at_all(void **state)
{
	static const double values[] = { 1, 2, 2, 4 };
	struct chart_curve curve = { .label = "jobs" };
	double many[5000];

	(void) state;
	job_values_curve(&curve, values, 4);
	assert_int_equal(curve.count, 5);
	assert_true(curve.y[0] == 0 && curve.y[1] == 25 && curve.y[4] == 100 && curve.x[4] == 4);
	chart_curve_clear(&curve);
	job_values_curve(&curve, NULL, 0);
	assert_int_equal(curve.count, 0);
	for (size_t i = 0; i < 5000; i++)
		many[i] = (double) i;
	job_values_curve(&curve, many, 5000);
	assert_true(curve.count < 1000 && curve.y[curve.count - 1] == 100 && curve.x[curve.count - 1] == 4999);
	chart_curve_clear(&curve);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_jobs_that_have_them),
		cmocka_unit_test(of_one_size),
		cmocka_unit_test(curves_end_at_all),
	};

	return cmocka_run_group_tests_name("job_values", tests, NULL, NULL);
}
