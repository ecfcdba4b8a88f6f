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

#include "workload/slice.h"

/* Area 2 x 100 + 4 x 50 + 1 x 10 + 8 x 0 = 410 CPU seconds within 100 s. */
static struct wt_swf_job jobs[] = {
	{ .number = 3, .line = 11, .submit_s = 1000, .run_time_s = 100, .requested_time_s = 300, .procs = 2 },
	{ .number = 4, .line = 12, .submit_s = 1040, .run_time_s = 50, .requested_time_s = 40, .procs = 4 },
	{ .number = 5, .line = 13, .submit_s = 1040, .run_time_s = 10, .requested_time_s = -1, .procs = 1 },
	{ .number = 9, .line = 14, .submit_s = 1100, .run_time_s = 0, .requested_time_s = 600, .procs = 8 },
};
static const struct wt_swf_trace trace = { .jobs = jobs, .job_count = 4, .entry_count = 6, .first_submit_s = 1000,
					   .left_out = { [WT_LEFT_NO_SIZE] = 2 }, .max_procs = 16, .max_nodes = 8 };

static struct wt_slice_options whole(void)
{
	struct wt_slice_options options;

	wt_slice_options_init(&options);
	options.machine_cpus = 8;
	return options;
}

static struct wt_workload *make(const struct wt_slice_options *options, struct wt_slice_info *info)
{
	struct wt_error err = { "" };
	struct wt_workload *w = wt_slice_create(&trace, options, info, &err);

	if (!w)
		fail_msg("%s", err.text);
	assert_int_equal(wt_workload_check(w, &err), 0);
	return w;
}

static void test_whole(void **state)
{
	struct wt_slice_options options = whole();
	struct wt_slice_info info;
	struct wt_workload *w = make(&options, &info);

	(void) state;
	assert_int_equal(w->job_count, 4);
	assert_true(w->lanes[0].open_loop);
	assert_true(fabs(w->ideal_s - 410.0 / 8) < 1e-9);
	assert_true(fabs(info.load - 410.0 / 8 / 100) < 1e-9 && info.period_s == 100);
	assert_string_equal(w->jobs[0].name, "swf.3");
	assert_true(w->jobs[0].delay_s == 0 && w->jobs[1].delay_s == 40 && w->jobs[2].delay_s == 0 &&
		    w->jobs[3].delay_s == 60);
	assert_true(w->jobs[0].time_limit_s == 300);
	assert_true(w->jobs[1].time_limit_s == 110);	/* asked for 40, ran 50 */
	assert_true(w->jobs[2].time_limit_s == 70);	/* did not say: 20, and the margin */
	assert_int_equal(info.limits_raised, 1);
	wt_workload_destroy(w);
}

static void test_cut(void **state)
{
	struct wt_slice_options options = whole();
	struct wt_slice_info info;
	struct wt_workload *w;

	(void) state;
	options.from_s = 1;		/* after the first job */
	options.duration_s = 99;
	w = make(&options, NULL);	/* the end is not part of it */
	assert_int_equal(w->job_count, 2);
	assert_true(w->jobs[0].delay_s == 0);
	wt_workload_destroy(w);
	options.from_s = 1040;
	options.from_absolute = true;
	w = make(&options, &info);
	assert_int_equal(w->job_count, 3);
	assert_true(info.left_out[WT_LEFT_OUTSIDE] == 1 && info.left_out[WT_LEFT_NO_SIZE] == 2);
	wt_workload_destroy(w);
	options = whole();
	options.first_job = 4;
	options.last_job = 9;
	w = make(&options, NULL);
	assert_int_equal(w->job_count, 3);
	assert_string_equal(w->jobs[0].name, "swf.4");
	wt_workload_destroy(w);
}

static void test_scaled(void **state)
{
	struct wt_slice_options options = whole();
	struct wt_slice_info info;
	struct wt_workload *w;

	(void) state;
	options.cpus_scale = 0;		/* 8 of 16 */
	options.shared.time_scale = 0.1;
	options.max_run_time_s = 60;
	w = make(&options, &info);
	assert_true(w->jobs[0].cpus == 1 && w->jobs[1].cpus == 2 && w->jobs[2].cpus == 1 && w->jobs[3].cpus == 4);
	assert_true(fabs(w->jobs[0].run_time_s - 6) < 1e-9 && info.cut == 1);
	assert_true(fabs(w->jobs[1].delay_s - 4) < 1e-9 && info.period_s == 10);
	wt_workload_destroy(w);
}

static void test_load(void **state)
{
	struct wt_slice_options options = whole();
	struct wt_slice_info info;
	struct wt_workload *w;

	(void) state;
	options.load = 0.8;
	w = make(&options, &info);
	assert_true(info.load == 0.8 && fabs(info.period_s - 410.0 / 8 / 0.8) < 1e-9);
	assert_true(fabs(w->jobs[1].delay_s + w->jobs[2].delay_s + w->jobs[3].delay_s - info.period_s) < 1e-9);
	assert_true(w->jobs[0].run_time_s == 100);
	wt_workload_destroy(w);
	options.duration_s = 205;	/* the period counts, not the last submission */
	w = make(&options, &info);
	assert_true(fabs(w->jobs[1].delay_s - 40 * (410.0 / 8 / 205 / 0.8)) < 1e-9);
	wt_workload_destroy(w);
}

static void test_large(void **state)
{
	struct wt_slice_options options = whole();
	struct wt_slice_info info;
	struct wt_workload *w;

	(void) state;
	options.machine_cpus = 3;
	options.leave_large = true;
	w = make(&options, &info);
	assert_true(w->job_count == 2 && info.left_out[WT_LEFT_LARGE] == 2);
	assert_string_equal(w->jobs[1].name, "swf.5");
	assert_string_equal(w->jobs[1].trace_id, "5");
	assert_true(w->jobs[1].delay_s == 40);
	wt_workload_destroy(w);
}

/* A trace of Batsim: its names are kept. */
static void test_named(void **state)
{
	struct wt_swf_job named = { .number = 1, .line = 1, .submit_s = 7, .run_time_s = 3, .procs = 1, .requested_time_s =
				    -1,
				    .id = (char *) "w0!a", .profile = (char *) "a profile with a long name" };
	struct wt_swf_trace one = { .jobs = &named, .job_count = 1, .entry_count = 1, .first_submit_s = 7, .max_procs = 1 };
	struct wt_slice_options options = whole();
	struct wt_workload *w;

	(void) state;
	options.name = "batsim";
	w = wt_slice_create(&one, &options, NULL, NULL);
	assert_non_null(w);
	assert_string_equal(w->jobs[0].name, "batsim.w0!a");
	assert_string_equal(w->jobs[0].class_name, "a profile with a long name");
	assert_string_equal(w->jobs[0].trace_id, "w0!a");
	wt_workload_destroy(w);
}

static void expect_refused(const struct wt_slice_options *options, const char *text)
{
	struct wt_error err = { "" };

	assert_null(wt_slice_create(&trace, options, NULL, &err));
	assert_int_equal(errno, EINVAL);
	assert_string_equal(err.text, text);
}

static void test_refused(void **state)
{
	struct wt_slice_options bad;
	struct wt_swf_trace headless = trace;
	struct wt_error err;

	(void) state;
	bad = whole(), bad.from_s = 2000;
	expect_refused(&bad, "no job in this slice: the trace has submissions from 0 to 100 s");
	bad.from_absolute = true;
	expect_refused(&bad, "no job in this slice: the trace has submissions from 1000 to 1100 s");
	bad = whole(), bad.machine_cpus = 7;
	expect_refused(&bad, "line 14: job 9 asks for 8 CPUs, the machine has 7: scale the processors, or leave out what is "
		       "too large");
	bad = whole(), bad.machine_cpus = 1, bad.leave_large = true, bad.first_job = 9;
	expect_refused(&bad, "no job of this slice fits the machine, which has 1 CPUs");
	bad = whole(), bad.last_job = 2, bad.first_job = 3;
	expect_refused(&bad, "jobs 3 to 2: the last is below the first");
	bad = whole(), bad.load = NAN;
	expect_refused(&bad, "an offered load of nan: give a number above 0, at most 100");
	bad = whole(), bad.load = 0.5, bad.first_job = 3, bad.last_job = 3;
	expect_refused(&bad, "no load can be made of jobs that came all at once, or need no time");
	bad = whole(), bad.cpus_scale = -1;
	expect_refused(&bad, "processors times -1: give a number above 0");
	bad = whole(), bad.duration_s = INFINITY;
	expect_refused(&bad, "the slice's duration, inf s: give 0 or more");
	bad = whole(), bad.machine_cpus = 0;
	expect_refused(&bad, "a machine without CPUs");
	headless.max_procs = 0;
	bad = whole(), bad.cpus_scale = 0;
	assert_null(wt_slice_create(&headless, &bad, NULL, &err));
	assert_string_equal(err.text, "the trace has no header MaxProcs: give the factor for its processors");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole), cmocka_unit_test(test_cut), cmocka_unit_test(test_scaled),
			cmocka_unit_test(test_load),
		cmocka_unit_test(test_large), cmocka_unit_test(test_named),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests_name("slice", tests, NULL, NULL);
}
