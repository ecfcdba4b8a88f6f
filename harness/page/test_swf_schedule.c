/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "harness/page/swf_schedule.h"

#define REST " -1 -1 -1 "	/* CPU time, memory, processors asked for */

static int schedule_read(struct wt_record **record, const char *text, struct wt_str *notes, struct wt_error *errp)
{
	FILE *in = fmemopen((char *) text, strlen(text), "r");
	int rc;

	*record = wt_record_create(NULL, NULL);
	errno = 0;
	rc = swf_schedule_read(*record, in, "s.swf", notes, errp);
	fclose(in);
	return rc;
}

static void test_schedule(void **state)
{
	static const char text[] = "; MaxProcs: 64\n; MaxNodes: 16\n"
		"9 1000 5 20 8" REST "60 -1 1 3 0 2 1 -1 -1 -1\n"
		"10 1010 0 7 4" REST "-1 -1 0 -1 -1 -1 -1 -1 -1 -1\n"
		"11 1020 -1 7 4" REST "60 -1 5 -1 -1 -1 -1 -1 -1 -1\n";
	struct wt_str notes = { 0 };
	struct wt_record *record;
	const struct wt_job_record *job;

	(void) state;
	assert_int_equal(schedule_read(&record, text, &notes, NULL), 0);
	assert_true(record->job_count == 3 && record->cpus == 64 && record->nodes == 16 && record->begin_s == 0);
	job = &record->jobs[0];
	assert_true(job->submit_s == 0 && job->start_s == 5 && job->end_s == 25 && job->time_limit_s == 60);
	assert_true(job->state == WT_JOB_COMPLETED && job->cpus == 8 && job->alloc_cpus == 8);
	assert_string_equal(job->name, "9");
	assert_string_equal(job->user, "3");
	assert_string_equal(job->account, "0");
	assert_string_equal(job->partition, "1");
	assert_string_equal(job->class_name, "executable 2");
	job = &record->jobs[1];
	assert_true(job->state == WT_JOB_FAILED && job->submit_s == 10 && isnan(job->time_limit_s) && !job->user);
	job = &record->jobs[2];
	assert_true(job->state == WT_JOB_CANCELLED && isnan(job->start_s) && !job->alloc_cpus);
	assert_string_equal(notes.text, "s.swf: 1 jobs have no wait (field 3), and so no start\n");
	wt_str_clear(&notes);
	wt_record_destroy(record);
}

static void test_what_is_missing_is_said(void **state)
{
	static const char text[] = "1 0 -1 20 8" REST "60 -1 -1 -1 -1 -1 -1 -1 -1 -1\n"
		"2 0 1 x\n"
		"3 0 -1 -1 8" REST "60 -1 1 -1 -1 -1 -1 -1 -1 -1\n";
	struct wt_str notes = { 0 };
	struct wt_record *record;

	(void) state;
	assert_int_equal(schedule_read(&record, text, &notes, NULL), 0);
	assert_int_equal(record->job_count, 1);
	assert_int_equal(record->jobs[0].state, WT_JOB_COMPLETED);
	assert_non_null(strstr(notes.text, "the first line that cannot be read: s.swf:2: field 4 ('x') is not a number"));
	assert_non_null(strstr(notes.text, "s.swf: 1 entries are left out: without a run time"));
	assert_non_null(strstr(notes.text, "does not tell how 1 jobs ended (field 11)"));
	assert_non_null(strstr(notes.text, "s.swf tells no waits (field 3): it is a workload, and no schedule"));
	assert_non_null(strstr(notes.text, "s.swf does not tell the number of processors (MaxProcs)"));
	wt_str_clear(&notes);
	wt_record_destroy(record);
}

static void test_no_schedule(void **state)
{
	static const char *const texts[] = { " ", "; MaxProcs: 64\n", "1 2 3\n", "1 nan 0 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n" };

	(void) state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct wt_str notes = { 0 };
		struct wt_record *record;
		struct wt_error err;

		assert_int_equal(schedule_read(&record, texts[i], &notes, &err), -1);
		assert_int_equal(errno, EINVAL);
		assert_non_null(strstr(err.text, "s.swf"));
		wt_str_clear(&notes);
		wt_record_destroy(record);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_schedule),
		cmocka_unit_test(test_what_is_missing_is_said),
		cmocka_unit_test(test_no_schedule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
