/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>
#include <stdio.h>

#include "record/batsim_jobs.h"

#define HEADER \
	"job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state," \
	"starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources\n"

/* 'record' is made here; the caller destroys it. */
static int batsim_read(struct wt_record **record, const char *text, struct wt_error *errp)
{
	FILE *in = fmemopen((char *) text, strlen(text), "r");
	int rc;

	*record = wt_record_create(NULL, NULL);
	errno = 0;
	rc = wt_batsim_jobs_read(*record, in, "b.csv", errp);
	fclose(in);
	return rc;
}

static void test_jobs(void **state)
{
	static const char text[] = HEADER
		"w0!1,w0,delay1,100,4,60,1,COMPLETED_SUCCESSFULLY,110,20,130,10,30,1.5,0-3\n"
		"w0!2,w0,delay2,105.5,2,-1,0,COMPLETED_KILLED,130,5,135,24.5,29.5,5.9,0-1\n"
		"w0!3,w0,,106,1,60,0,REJECTED,-1,-1,-1,-1,-1,-1,\n"
		"w0!4,w0,x,107,1,60,0,COMPLETED_WALLTIME_REACHED,131,60,191,24,84,1.4,2\n";
	struct wt_record *record;
	struct wt_job_record *job;

	(void) state;
	assert_int_equal(batsim_read(&record, text, NULL), 0);
	assert_int_equal(record->job_count, 4);
	assert_string_equal(record->workload, "w0");
	job = &record->jobs[0];
	assert_string_equal(job->name, "w0!1");
	assert_string_equal(job->trace_id, "w0!1");
	assert_string_equal(job->class_name, "delay1");
	assert_string_equal(job->node_intervals, "0-3");
	assert_float_equal(job->submit_s, 0, 0);
	assert_float_equal(job->start_s, 10, 0);
	assert_float_equal(job->end_s, 30, 0);
	assert_true(job->cpus == 4 && job->alloc_cpus == 4 && job->job_id == 1 && job->state == WT_JOB_COMPLETED);
	job = &record->jobs[1];
	assert_true(job->state == WT_JOB_CANCELLED && isnan(job->time_limit_s));
	job = &record->jobs[2];
	assert_true(isnan(job->start_s) && isnan(job->end_s) && !job->alloc_cpus && !job->node_intervals);
	assert_int_equal(job->state, WT_JOB_OTHER);
	assert_int_equal(record->jobs[3].state, WT_JOB_TIMEOUT);
	wt_record_destroy(record);
}

static void expect_refused(const char *text, size_t rows, const char *message)
{
	struct wt_record *record;
	struct wt_error err;

	assert_int_equal(batsim_read(&record, text, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(err.text, message);
	assert_int_equal(record->job_count, rows);
	wt_record_destroy(record);
}

#define ROW(id, submitted, started, finished) \
	id ",w,p," submitted ",4,60,1,COMPLETED_SUCCESSFULLY," started ",20," finished ",1,1,1,0\n"

static void test_foreign_bytes(void **state)
{
	(void) state;
	expect_refused(" ", 0, "b.csv:1: there is no column job_id");
	expect_refused("job_id,submission_time,starting_time\n1,2,3\n", 0, "b.csv:1: there is no column finish_time");
	expect_refused(HEADER ROW("1", "0", "1", "21") "2,w\n", 1, "b.csv:3: 2 fields where the header has 15");
	expect_refused(HEADER ROW("1", "0", "1", "21") ROW("2", "0", "many", "21"), 1,
		       "b.csv:3: starting_time 'many' is not a number");
	expect_refused(HEADER ROW("1", "0", "1", "21") ROW("2", "0", "1e300", "21"), 1,
		       "b.csv:3: starting_time is more than three hundred years");
	expect_refused(HEADER ROW("", "0", "1", "21"), 0, "b.csv:2: a job without an id");
	expect_refused(HEADER ROW("1", "-3", "1", "21"), 0, "b.csv:2: submission_time is negative (-3 s)");
	expect_refused(HEADER ROW("1", "0", "-0.5", "21"), 0, "b.csv:2: starting_time is negative (-0.5 s)");
	expect_refused(HEADER "1,w,p,0,x,60,1,,1,20,21,1,1,1,0\n", 0,
		       "b.csv:2: requested_number_of_resources 'x' is not a whole number, or too large");
	expect_refused(HEADER "1,w,p,0,-4,60,1,,1,20,21,1,1,1,0\n", 0,
		       "b.csv:2: requested_number_of_resources '-4' is not a whole number, or too large");
}

static void test_not_known(void **state)
{
	struct wt_record *record;

	(void) state;
	assert_int_equal(batsim_read(&record, "job_id,submission_time,starting_time,finish_time\n"
				     "7,-1,nan,9\n8,,5,nan\n", NULL), 0);
	assert_int_equal(record->job_count, 2);
	assert_true(isnan(record->jobs[0].submit_s) && isnan(record->jobs[0].end_s));
	assert_true(isnan(record->jobs[1].submit_s) && isnan(record->jobs[1].end_s) && record->jobs[1].start_s == 5);
	assert_int_equal(record->jobs[0].state, WT_JOB_OTHER);
	wt_record_destroy(record);
	assert_int_equal(batsim_read(&record, HEADER "1,w,p,3,4,60,1,COMPLETED_SUCCESSFULLY,,20.5,,,,,\n", NULL), 0);
	assert_true(isnan(record->jobs[0].start_s) && record->jobs[0].ran_s == 20.5 && record->jobs[0].line == 2);
	wt_record_destroy(record);
	assert_int_equal(batsim_read(&record, HEADER, NULL), 0);
	assert_int_equal(record->job_count, 0);
	wt_record_destroy(record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jobs),
		cmocka_unit_test(test_foreign_bytes),
		cmocka_unit_test(test_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
