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

#include "workload/workload.h"

/* Three jobs in two lanes of two stages; each test breaks one thing. */
static struct wt_workload *workload_make(void)
{
	struct wt_workload *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->name = strdup("w");
	w->time_scale = 1;
	w->job_count = 3;
	w->lane_count = 2;
	w->jobs = calloc(3, sizeof(*w->jobs));
	w->lanes = calloc(2, sizeof(*w->lanes));
	for (uint32_t i = 0; i < 3; i++) {
		w->jobs[i] = (struct wt_job) { .number = i, .cpus = 1, .run_time_s = 1, .time_limit_s = 2 };
		assert_true(asprintf(&w->jobs[i].name, "w.%u", i) > 0);
		w->jobs[i].class_name = strdup("w");
	}
	w->lanes[0] = (struct wt_lane) { .name = "main", .first = 0, .count = 2 };
	w->lanes[1] = (struct wt_lane) { .name = "Z", .stage = 1, .first = 2, .count = 1 };
	return w;
}

static void expect_broken(struct wt_workload *w, const char *text)
{
	struct wt_error err;

	assert_int_equal(wt_workload_check(w, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(err.text, text);
	wt_workload_destroy(w);
}

static void test_good(void **state)
{
	struct wt_workload *w = workload_make();

	(void) state;
	assert_int_equal(wt_workload_check(w, NULL), 0);
	wt_workload_destroy(w);
}

/* Lanes of one stage go on beside each other, as a reservation beside the queue. */
static void test_lanes_beside_each_other(void **state)
{
	struct wt_workload *w = workload_make();

	(void) state;
	w->lanes[0].stage = w->lanes[1].stage;
	assert_int_equal(wt_workload_check(w, NULL), 0);
	wt_workload_destroy(w);
}

static void test_bad_jobs(void **state)
{
	struct wt_workload *w = workload_make();

	(void) state;
	w->jobs[1].cpus = 0;
	expect_broken(w, "job w.1: asks for no CPU");
	w = workload_make();
	w->jobs[1].delay_s = -1;
	expect_broken(w, "job w.1: run time 1 s, time limit 2 s, delay -1 s");
	w = workload_make();
	w->jobs[2].run_time_s = NAN;
	expect_broken(w, "job w.2: run time nan s, time limit 2 s, delay 0 s");
	w = workload_make();
	w->jobs[2].number = 7;
	expect_broken(w, "job 2 (w.2): no name or class, or number 7");
	w = workload_make();
	w->jobs[2].name[2] = '0';
	expect_broken(w, "two jobs are named w.0");
	w = workload_make();
	free(w->jobs[0].name);
	w->jobs[0].name = NULL;
	expect_broken(w, "job 0 ((no name)): no name or class, or number 0");
}

static void test_bad_lanes(void **state)
{
	struct wt_workload *w = workload_make();

	(void) state;
	w->lanes[1].count = 2;
	expect_broken(w, "lane Z: jobs 2 and 2 more of 3 do not follow the lane before");
	w = workload_make();
	w->lanes[1].first = 1;
	expect_broken(w, "lane Z: jobs 1 and 1 more of 3 do not follow the lane before");
	w = workload_make();
	w->lane_count = 1;
	expect_broken(w, "3 jobs, but the lanes hold 2");
	w = workload_make();
	w->lanes[0].stage = 2;
	expect_broken(w, "lane Z: stage 1 behind stage 2");
}

static void test_bad_head(void **state)
{
	struct wt_workload *w = workload_make();

	(void) state;
	w->time_scale = 0;
	expect_broken(w, "workload w: ideal time 0 s, time scale 0");
	w = workload_make();
	w->ideal_s = INFINITY;
	expect_broken(w, "workload w: ideal time inf s, time scale 1");
}

static void test_empty_and_null(void **state)
{
	struct wt_workload empty = { .name = (char *) "none", .time_scale = 1 };

	(void) state;
	assert_int_equal(wt_workload_check(&empty, NULL), 0);
	errno = ENOENT;
	wt_workload_destroy(NULL);
	assert_int_equal(errno, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good), cmocka_unit_test(test_lanes_beside_each_other),
		cmocka_unit_test(test_bad_jobs),
		cmocka_unit_test(test_bad_lanes),
		cmocka_unit_test(test_bad_head),
		cmocka_unit_test(test_empty_and_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
