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

#include "workload/swf_trace.h"

#define TAIL " -1 -1 1 -1 -1\n"	/* the last fields, which are not used */
#define GOOD "1 0 30 10 4 9.5 -1 8 60 -1 1 1 1" TAIL

static const bool *leave_out;	/* of the next read */

static int read_text(struct wt_swf_trace *trace, const char *text, size_t len, struct wt_error *err)
{
	FILE *in = fmemopen((void *) text, len, "r");
	int rc;

	assert_non_null(in);
	rc = wt_swf_trace_read(trace, in, "t.swf", leave_out, err);
	fclose(in);
	return rc;
}

static void expect_refused(const char *text, const char *message)
{
	struct wt_swf_trace trace;
	struct wt_error err = { "" };

	assert_int_equal(read_text(&trace, text, strlen(text), &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(err.text, message);
	assert_null(trace.jobs);
	assert_int_equal(read_text(&trace, text, strlen(text), NULL), -1);
}

static void read_good(struct wt_swf_trace *trace, const char *text)
{
	struct wt_error err = { "" };

	if (read_text(trace, text, strlen(text), &err) < 0)
		fail_msg("%s", err.text);
}

static void test_good(void **state)
{
	struct wt_swf_trace t;

	(void) state;
	read_good(&t, "; Version: 2.2\n;MaxProcs: 240\n  ; MaxNodes : 120 \n;MaxJobs: 9\n; Note: x\n\n"
		  "7 90 0 1e1 -1 -1 -1 3 -1 -1 0 1 1" TAIL GOOD "8 90 1 2 1 2 -1 -1 7 -1 1 1 1 -1 -1 1 -1 -1 n[1-2]\r\n");
	assert_int_equal(t.max_procs, 240);
	assert_int_equal(t.max_nodes, 120);
	assert_int_equal(t.header_jobs, 9);
	assert_int_equal(t.job_count, 3);
	assert_true(t.jobs[0].number == 1 && t.jobs[0].line == 8 && t.jobs[0].procs == 4);	/* by submission */
	assert_true(t.jobs[0].run_time_s == 10 && t.jobs[0].requested_time_s == 60);
	assert_true(t.jobs[1].number == 7 && t.jobs[1].procs == 3 && t.jobs[1].requested_time_s == -1);
	assert_true(t.jobs[2].number == 8 && t.jobs[2].submit_s == 90);
	wt_swf_trace_clear(&t);
	assert_null(t.jobs);
}

static void test_skipped(void **state)
{
	struct wt_swf_trace t;

	(void) state;
	read_good(&t, GOOD "2 5 30 -1 4 9 -1 8 60 -1 -1 1 1" TAIL	/* run time not known */
		  "6 5 30 -1 4 9 -1 8 60 -1 5 1 1" TAIL			/* cancelled */
		  "3 5 30 9 -1 9 -1 -1 60 -1 1 1 1" TAIL		/* nor processors */
		  "4 5 30 0 4 9 -1 8 60 -1 5 1 1" TAIL			/* cancelled before its start */
		  "5 5 30 0 4 9 -1 8 60 -1 1 1 1" TAIL			/* completed in no time */
		  "5 5 30 3 4 9 -1 8 60 -1 3 1 1" TAIL);		/* a part of it */
	assert_int_equal(t.job_count, 2);
	assert_true(t.entry_count == 7 && t.first_submit_s == 0);
	assert_true(t.left_out[WT_LEFT_NO_RUN_TIME] == 1 && t.left_out[WT_LEFT_NO_SIZE] == 1);
	assert_true(t.left_out[WT_LEFT_NOT_RUN] == 2 && t.left_out[WT_LEFT_PART] == 1);
	assert_true(t.jobs[1].number == 5 && t.jobs[1].run_time_s == 0);
	wt_swf_trace_clear(&t);
}

static void test_refused(void **state)
{
	(void) state;
	expect_refused(GOOD "\n2 5 30 -1 4\n", "t.swf:3: 5 fields, not 18 as in the Standard Workload Format");
	expect_refused("1 0 30 1O 4 9.5 -1 8 60 -1 1 1 1" TAIL, "t.swf:1: field 4 ('1O') is not a number");
	expect_refused("1 0 30 nan 4 9.5 -1 8 60 -1 1 1 1" TAIL, "t.swf:1: field 4 ('nan') is not a number");
	expect_refused("1 0 30 0x10 4 9.5 -1 8 60 -1 1 1 1" TAIL, "t.swf:1: field 4 ('0x10') is not a number");
	expect_refused("1 0 30 1e999 4 9.5 -1 8 60 -1 1 1 1" TAIL, "t.swf:1: field 4 ('1e999') is not a number");
	expect_refused("1.5 0 30 1 4 9.5 -1 8 60 -1 1 1 1" TAIL, "t.swf:1: job number 1.5 is not a whole number");
	expect_refused("1 -1 30 1 4 9.5 -1 8 60 -1 1 1 1" TAIL, "t.swf:1: submit time -1 s is not from 0 to 1e+10");
	expect_refused("1 0 30 2e10 4 9.5 -1 8 60 -1 1 1 1" TAIL,
		       "t.swf:1: run time 2e+10 s or requested time 60 s is above 1e+10");
	expect_refused("1 0 1e308 1 4 9.5 -1 8 60 -1 1 1 1" TAIL, "t.swf:1: wait time 1e+308 s is above 1e+10");
	expect_refused("1 0 30 1 5e9 9.5 -1 8 60 -1 1 1 1" TAIL, "t.swf:1: more than 4294967295 processors");
	expect_refused(GOOD "; x\n" GOOD, "t.swf:3: job 1 stands in line 1, too");
	expect_refused("; MaxProcs: 3\n", "t.swf: no job that ran among its 1 lines");
	expect_refused("job_id,workload_name\n", "t.swf:1: field 1 ('job_id,workload_name') is not a number");
}

static void test_bad_left_out(void **state)
{
	static const char text[] = "1 0 30 1O 4 9.5 -1 8 60 -1 1 1 1" TAIL "2 1700000000 30 10 4 9.5 -1 8 60 -1 1 1 1" TAIL
		"2 1700000009 30 10 4 9.5 -1 8 60 -1 1 1 1" TAIL "7\n";
	const bool bad[WT_LEFT_COUNT] = { [WT_LEFT_BAD] = true }, large[WT_LEFT_COUNT] = { [WT_LEFT_LARGE] = true };
	struct wt_swf_trace t;

	(void) state;
	leave_out = bad;
	read_good(&t, text);
	assert_true(t.job_count == 1 && t.jobs[0].line == 2 && t.entry_count == 4 && t.left_out[WT_LEFT_BAD] == 3);
	assert_true(t.first_submit_s == 1700000000);
	assert_string_equal(t.first_bad, "t.swf:1: field 4 ('1O') is not a number");
	wt_swf_trace_clear(&t);
	expect_refused("7\n8\n", "t.swf: no job that ran among its 2 lines; the first that cannot be read: t.swf:1: "
		       "1 fields, not 18 as in the Standard Workload Format");
	leave_out = large;
	expect_refused(text, "t.swf:1: field 4 ('1O') is not a number");
	leave_out = NULL;
}

/* As editors of Windows leave it before UTF-8; the first line may be a job's. */
static void test_byte_order_mark(void **state)
{
	struct wt_swf_trace t;

	(void) state;
	read_good(&t, "\xef\xbb\xbf" "; MaxProcs: 240\n" GOOD);
	assert_int_equal(t.max_procs, 240);
	wt_swf_trace_clear(&t);
	read_good(&t, "\xef\xbb\xbf" GOOD);
	assert_true(t.job_count == 1 && t.jobs[0].number == 1 && t.jobs[0].line == 1);
	wt_swf_trace_clear(&t);
	expect_refused("; MaxProcs: 240\n\xef\xbb\xbf" GOOD, "t.swf:2: field 1 ('\xef\xbb\xbf" "1') is not a number");
}

static void test_long_line(void **state)
{
	char *text = malloc(WT_SWF_LINE_MAX + 100);
	struct wt_swf_trace t;
	struct wt_error err;
	int len = sprintf(text, "1 0 30 10 4 9.5 -1 8 60 -1 1 1 1 -1 -1 1 -1 -1");

	(void) state;
	memset(text + len, ' ', WT_SWF_LINE_MAX + 99 - len);
	text[WT_SWF_LINE_MAX] = '\n';
	text[WT_SWF_LINE_MAX + 1] = '\0';
	read_good(&t, text);
	wt_swf_trace_clear(&t);
	text[WT_SWF_LINE_MAX] = ' ';
	text[WT_SWF_LINE_MAX + 1] = '\n';
	assert_int_equal(read_text(&t, text, WT_SWF_LINE_MAX + 2, &err), -1);
	assert_string_equal(err.text, "t.swf:1: longer than 65536 bytes");
	free(text);
}

/* As a disk that was full, or a crash, leaves them in the middle of a file. */
static void test_no_text_left_out(void **state)
{
	static const char hole[] = GOOD "2 5\0\0 30\n" "3 9 30 10 4 9.5 -1 8 60 -1 1 1 1" TAIL "\0";
	const bool bad[WT_LEFT_COUNT] = { [WT_LEFT_BAD] = true };
	size_t len = WT_SWF_LINE_MAX + 1000;
	char *text = malloc(len + sizeof(GOOD) + 1);
	struct wt_swf_trace t;
	struct wt_error err;

	(void) state;
	leave_out = bad;
	assert_int_equal(read_text(&t, hole, sizeof(hole) - 1, &err), 0);
	assert_true(t.job_count == 2 && t.jobs[1].line == 3 && t.entry_count == 4 && t.left_out[WT_LEFT_BAD] == 2);
	assert_string_equal(t.first_bad, "t.swf:2: a NUL byte: not a text file");
	wt_swf_trace_clear(&t);
	memset(text, '9', len);
	sprintf(text + len, "\n%s", GOOD);
	assert_int_equal(read_text(&t, text, strlen(text), &err), 0);
	assert_true(t.job_count == 1 && t.jobs[0].line == 2 && t.entry_count == 2 && t.left_out[WT_LEFT_BAD] == 1);
	assert_string_equal(t.first_bad, "t.swf:1: longer than 65536 bytes");
	wt_swf_trace_clear(&t);
	leave_out = NULL;
	free(text);
}

static void test_nul_and_unended(void **state)
{
	struct wt_swf_trace t;
	struct wt_error err;

	(void) state;
	assert_int_equal(read_text(&t, "1 0\0 30\n", 8, &err), -1);
	assert_string_equal(err.text, "t.swf:1: a NUL byte: not a text file");
	read_good(&t, "1 0 30 10 4 9.5 -1 8 60 -1 1 1 1 -1 -1 1 -1 -1");	/* the last line without its end */
	assert_int_equal(t.job_count, 1);
	wt_swf_trace_clear(&t);
	wt_swf_trace_clear(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good), cmocka_unit_test(test_skipped), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_nul_and_unended), cmocka_unit_test(test_bad_left_out),
		cmocka_unit_test(test_byte_order_mark), cmocka_unit_test(test_long_line),
		cmocka_unit_test(test_no_text_left_out),
	};

	return cmocka_run_group_tests_name("swf_trace", tests, NULL, NULL);
}
