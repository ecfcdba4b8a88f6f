/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run's jobs as a trace. */
#include "config.h"

#include "lib/test_cmocka.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "record/record_trace.h"
#include "record/test_run.h"

/* The job that was cancelled while it waited is left out, and counted. */
static void test_what_ran(void **state)
{
	static const double submit_s[] = { 0, 1, 2 }, run_time_s[] = { 20, 10, 1 }, wait_s[] = { 1, 21, 31 };
	static const uint32_t procs[] = { 8, 16, 4 };
	static const int status[] = { 1, 1, 0 };
	struct wt_record *record = fixture_record();
	struct wt_swf_trace trace;

	(void) state;
	assert_int_equal(wt_record_trace(&trace, record, "run", NULL), 0);
	assert_int_equal(trace.entry_count, 4);
	assert_int_equal(trace.job_count, 3);
	assert_int_equal(trace.left_out[WT_LEFT_NOT_RUN], 1);
	assert_int_equal(trace.max_procs, 16);
	assert_int_equal(trace.max_nodes, 4);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(trace.jobs[i].number, i + 1);
		assert_float_equal(trace.jobs[i].submit_s, submit_s[i], 1e-9);
		assert_float_equal(trace.jobs[i].run_time_s, run_time_s[i], 1e-9);
		assert_float_equal(trace.jobs[i].wait_s, wait_s[i], 1e-9);
		assert_float_equal(trace.jobs[i].requested_time_s, 40, 0);
		assert_int_equal(trace.jobs[i].procs, procs[i]);
		assert_int_equal(trace.jobs[i].status, status[i]);
	}
	wt_swf_trace_clear(&trace);
	wt_record_destroy(record);
}

/* A record is in the order of the workload, not of submission: a trace of it is sorted, and that is no flaw of a file. */
static void test_order(void **state)
{
	struct wt_record *record = fixture_record();
	struct wt_swf_trace trace;

	(void) state;
	record->jobs[0].submit_s = 1010;
	record->jobs[0].submit_latency_s = 0;
	record->jobs[0].start_s = 1009.5;	/* by another clock */
	record->jobs[0].end_s = record->jobs[0].release_s = 1030;
	assert_int_equal(wt_record_trace(&trace, record, "run", NULL), 0);
	assert_int_equal(trace.jobs[0].number, 2);
	assert_int_equal(trace.jobs[2].number, 1);
	assert_float_equal(trace.jobs[2].submit_s, 10, 1e-9);
	assert_float_equal(trace.jobs[2].wait_s, -1, 0);	/* not known: it began before it was sent */
	assert_int_equal(trace.unsorted, 0);
	wt_swf_trace_clear(&trace);
	wt_record_destroy(record);
}

static void expect_refused(struct wt_record *record, const char *message)
{
	struct wt_swf_trace trace;
	struct wt_error err;

	assert_int_equal(wt_record_trace(&trace, record, "j.csv", &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(err.text, message);
	assert_int_equal(trace.job_count, 0);
}

static void test_times(void **state)
{
	struct wt_record *record = fixture_record();
	struct wt_job_record *job = &record->jobs[1];
	struct wt_swf_trace trace;
	double start_s = job->start_s;

	(void) state;
	job->line = 7;
	job->start_s = job->end_s + 5.25;
	expect_refused(record, "j.csv:7: job w.B.1: ends 5.250000 s before it starts");
	job->line = 0;
	expect_refused(record, "j.csv: job w.B.1: ends 5.250000 s before it starts");
	job->start_s = start_s;
	job->time_limit_s = 1e11;
	expect_refused(record, "j.csv: job w.B.1: a time of more than three hundred years");
	job->time_limit_s = 60;
	job->submit_s = record->begin_s - 3;
	job->submit_latency_s = 0;
	expect_refused(record, "j.csv: job w.B.1: is submitted 3 s before the first one");
	job->submit_s = record->begin_s;
	/* a record that tells how long a job ran, but not when; and one that tells no size */
	job->start_s = job->end_s = job->release_s = NAN;
	job->ran_s = 20.5;
	record->jobs[0].cpus = record->jobs[0].alloc_cpus = 0;
	assert_int_equal(wt_record_trace(&trace, record, "j.csv", NULL), 0);
	assert_int_equal(trace.left_out[WT_LEFT_NO_SIZE], 1);
	assert_int_equal(trace.job_count, 2);
	assert_float_equal(trace.jobs[0].run_time_s, 20.5, 0);
	assert_float_equal(trace.jobs[0].wait_s, -1, 0);
	wt_swf_trace_clear(&trace);
	wt_record_destroy(record);
}

/* A run that was ended early: a job that still runs has no run time; and when none has one, there is no trace. */
static void test_not_ended(void **state)
{
	struct wt_record *record = fixture_record();
	struct wt_swf_trace trace;
	struct wt_error err;

	(void) state;
	record->jobs[1].end_s = NAN;
	record->jobs[0].cpus = 0;	/* as the job was given, when what it asked for is not known */
	assert_int_equal(wt_record_trace(&trace, record, "run", NULL), 0);
	assert_int_equal(trace.job_count, 2);
	assert_int_equal(trace.left_out[WT_LEFT_NO_RUN_TIME], 1);
	assert_int_equal(trace.jobs[0].procs, 8);
	wt_swf_trace_clear(&trace);
	record->jobs[0].end_s = record->jobs[2].end_s = NAN;
	assert_int_equal(wt_record_trace(&trace, record, "run", &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(err.text, "run: none of its 4 jobs ran");
	assert_int_equal(trace.job_count, 0);
	wt_record_destroy(record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_ran),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_not_ended),
	};

	return cmocka_run_group_tests_name("record_trace", tests, NULL, NULL);
}
