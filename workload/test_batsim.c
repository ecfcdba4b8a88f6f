/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "workload/json_trace.h"

#define PROFILES "\"profiles\": {\"d\": {\"type\": \"delay\", \"delay\": 12.5}, \"c\": {\"type\": \"parallel\"}}"
#define FILE_OF(jobs) "{\"nb_res\": 4, \"jobs\": [" jobs "], " PROFILES "}"

static const bool *leave_out;	/* of the next read */

static int read_text(struct wt_swf_trace *trace, const char *text, struct wt_error *err)
{
	FILE *in = fmemopen((void *) text, strlen(text), "r");
	int rc;

	assert_non_null(in);
	rc = wt_batsim_read(trace, in, "w.json", leave_out, err);
	fclose(in);
	return rc;
}

static void test_good(void **state)
{
	struct wt_swf_trace t;

	(void) state;
	assert_int_equal(read_text(&t, FILE_OF("{\"id\": \"w0!7\", \"subtime\": 10, \"res\": 4, \"profile\": \"d\"},"
		"{\"id\": 8, \"subtime\": 0.5, \"walltime\": 60, \"res\": 1, \"profile\": \"d\"},"
		"{\"id\": 9, \"subtime\": 10, \"walltime\": -1, \"res\": 2, \"profile\": \"d\"}"), NULL), 0);
	assert_true(t.job_count == 3 && t.max_procs == 4 && t.entry_count == 3 && t.first_submit_s == 0.5);
	assert_string_equal(t.jobs[0].id, "8");
	assert_string_equal(t.jobs[1].id, "w0!7");
	assert_string_equal(t.jobs[1].profile, "d");
	assert_true(t.jobs[0].number == 2 && t.jobs[0].submit_s == 0.5 && t.jobs[0].requested_time_s == 60 &&
		    t.jobs[0].procs == 1);
	assert_true(t.jobs[1].number == 1 && t.jobs[1].run_time_s == 12.5 && t.jobs[1].requested_time_s == -1);
	assert_true(t.jobs[2].number == 3 && t.jobs[2].requested_time_s == -1);
	wt_swf_trace_clear(&t);
}

/* The line is that in which the job begins, whatever stands in strings and before. */
static void test_lines(void **state)
{
	static const char head[] = "{\"x\": {\"jobs\": [\n{},\n{}]}, \"y\": [\"jobs\"\n], "
		"\"z\": \"jobs\", \"\\\"[{\": \"}]\\\\\",\n"
		"\"nb_res\": 4, " PROFILES ",\n\"jobs\"\n: [\n\n{\"id\": \"[\\\"\", "
		"\"subtime\": 0, \"res\": 1, \"profile\": \"d\",\n"
		"\"more\": [{\"jobs\": [1,\n2]}, 3]}\n,";
	static const char *const bad[] = { "7", "{\"id\":\n\n1}", "[\n]", "\"\"", "null" };
	static const char good[] = "{\"id\": 2, \"subtime\": 0, \"res\": 1, \"profile\": \"d\"},";
	char text[2048];
	struct wt_swf_trace t;
	struct wt_error err;

	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "%s%s\n\n%s\n]}", head, good, bad[i]);
		assert_int_equal(read_text(&t, text, &err), -1);
		assert_string_equal(err.text, "w.json:14: job 3: subtime is missing or not a number");
	}
	snprintf(text, sizeof(text), "%s\n7, %s 8]}", head, good);
	assert_int_equal(read_text(&t, text, &err), -1);
	assert_string_equal(err.text, "w.json:13: job 2: subtime is missing or not a number");
	snprintf(text, sizeof(text), "%s%s\n\n8]", head, good);
	assert_int_equal(read_text(&t, text, &err), -1);
	assert_non_null(strstr(err.text, "w.json:14: "));
}

/* A bomb: text that becomes fifty times as much memory.  The limit is per reading, and what other readings had is given
 * back. */
static void test_memory(void **state)
{
	static const char head[] = "{\"nb_res\": 4, " PROFILES ", \"jobs\": [";
	size_t count = 100000, len = sizeof(head) - 1;
	char *text = malloc(len + 3 * count + 4);
	struct wt_swf_trace t;
	struct wt_error err;
	FILE *in;

	(void) state;
	memcpy(text, head, len);
	for (size_t i = 0; i < count; i++, len += 3)
		memcpy(text + len, "[],", 3);
	memcpy(text + len - 1, "]}", 3);
	for (int i = 0; i < 3; i++) {
		in = fmemopen(text, strlen(text), "r");
		assert_non_null(in);
		assert_int_equal(wt_batsim_read_within(&t, in, "w.json", NULL, (size_t) 2 << 20, &err), -1);
		assert_int_equal(errno, EFBIG);
		assert_string_equal(
			err.text,
			"w.json: to read it takes more than 2 MiB of memory: cut it into smaller files, or make an SWF "
			"file of it");
		fclose(in);
	}
	free(text);
	for (int i = 0; i < 3; i++) {
		static const char good[] = FILE_OF("{\"id\": 1, \"subtime\": 0, \"res\": 1, \"profile\": \"d\"}");

		in = fmemopen((void *) good, strlen(good), "r");
		assert_int_equal(wt_batsim_read_within(&t, in, "w.json", NULL, 65536, NULL), 0);
		wt_swf_trace_clear(&t);
		fclose(in);
	}
}

static void expect_refused(const char *text, const char *message)
{
	struct wt_swf_trace t;
	struct wt_error err = { "" };

	assert_int_equal(read_text(&t, text, &err), -1);
	assert_int_equal(errno, EINVAL);
	if (strncmp(err.text, message, strlen(message)))
		fail_msg("'%s' does not begin with '%s'", err.text, message);
	assert_null(t.jobs);
	assert_int_equal(read_text(&t, text, NULL), -1);
}

static void test_refused(void **state)
{
	(void) state;
	expect_refused("{\"nb_res\": 4,\n", "w.json:");
	expect_refused("[]", "w.json: nb_res is missing");
	expect_refused("{\"nb_res\": 0}", "w.json: nb_res is missing or not a whole number from 1 on");
	expect_refused("{\"nb_res\": 4, \"jobs\": [], " PROFILES "}", "w.json: jobs must be an array that is not empty");
	expect_refused("{\"nb_res\": 4, \"jobs\": [{}]}", "w.json: jobs must be an array");
	expect_refused(FILE_OF("{\"subtime\": \"1\"}"), "w.json:1: job 1: subtime is missing or not a number");
	expect_refused(FILE_OF("{\"subtime\": 1}"), "w.json:1: job 1: res is missing");
	expect_refused(FILE_OF("{\"subtime\": -1, \"res\": 1, \"profile\": \"d\"}"), "w.json:1: job 1: subtime is -1 s");
	expect_refused(FILE_OF("{\"subtime\": 1, \"res\": 1, \"profile\": \"x\"}"),
		       "w.json:1: job 1: profile x is not among the profiles");
	expect_refused(FILE_OF("{\"subtime\": 1, \"res\": 1, \"profile\": \"c\"}"),
		       "w.json:1: job 1: profile c is of type parallel; only delays, and sequences of them, can be run");
	expect_refused(FILE_OF("{\"id\": 1, \"subtime\": 1, \"res\": 1, \"profile\": \"d\"},"
			       "{\"id\": \"1\", \"subtime\": 1, \"res\": 1, \"profile\": \"d\"}"),
			       "w.json:1: job 2: id 1 stands twice");
	expect_refused(FILE_OF("{\"id\": \"a\\nb\", \"subtime\": 1, \"res\": 1, \"profile\": \"d\"}"),
		       "w.json:1: job 1: id has a control character");
	expect_refused(FILE_OF("{\"id\": \"\", \"subtime\": 1, \"res\": 1, \"profile\": \"d\"}"),
		       "w.json:1: job 1: id has 0 bytes");
	expect_refused(FILE_OF("{\"id\": [], \"subtime\": 1, \"res\": 1, \"profile\": \"d\"}"),
		       "w.json:1: job 1: id is neither");
	expect_refused(FILE_OF("{\"subtime\": 1, \"res\": 1, \"profile\": \"d\", \"walltime\": null}"),
		       "w.json:1: job 1: walltime is missing");
	expect_refused(FILE_OF("{\"subtime\": 1, \"res\": 1, \"profile\": \"d\", \"walltime\": -3}"),
		       "w.json:1: job 1: walltime is -3 s");
	expect_refused(FILE_OF("7"), "w.json:1: job 1: subtime is missing");
}

#define JOB(id, profile) "{\"id\": \"" id "\", \"subtime\": 1, \"res\": 1, \"profile\": \"" profile "\"}"
#define OF_PROFILES(jobs, profiles) "{\"nb_res\": 4, \"jobs\": [" jobs "], \"profiles\": {" profiles "}}"

/* As version 5 has them, https://batsim.readthedocs.io/en/main/input-workload.html */
static void test_version_5(void **state)
{
	struct wt_swf_trace t;

	(void) state;
	assert_int_equal(read_text(&t, OF_PROFILES(JOB("a", "wait") "," JOB("b", "all") "," JOB("c", "old"),
		"\"wait\": {\"type\": \"DelayProfile\", \"delay\": 20.25},"
		"\"twice\": {\"type\": \"SequentialCompositionProfile\", \"repeat\": 2, \"seq\": [\"wait\", \"short\"]},"
		"\"all\": {\"type\": \"SequentialCompositionProfile\", \"seq\": [\"twice\", \"short\", \"twice\"]},"
		"\"short\": {\"type\": \"delay\", \"delay\": 1}, \"old\": {\"type\": \"composed\", \"seq\": [\"short\"]}"),
		NULL), 0);
	assert_true(t.jobs[0].run_time_s == 20.25 && t.jobs[1].run_time_s == 4 * 21.25 + 1 && t.jobs[2].run_time_s == 1);
	assert_string_equal(t.jobs[1].profile, "all");
	wt_swf_trace_clear(&t);
	expect_refused(OF_PROFILES(JOB("a", "p"), "\"p\": {\"type\": \"composed\", \"seq\": [\"q\"]},"
				   "\"q\": {\"type\": \"composed\", \"seq\": [\"p\"]}"),
				   "w.json:1: job 1: profile p is a sequence of itself");
	expect_refused(OF_PROFILES(JOB("a", "p"), "\"p\": {\"type\": \"composed\", \"seq\": []}"),
		       "w.json:1: job 1: profile p: seq must be an array that is not empty");
	expect_refused(OF_PROFILES(JOB("a", "p"), "\"p\": {\"type\": \"DelayProfile\"}"),
		       "w.json:1: job 1: delay is missing");
	expect_refused(OF_PROFILES(JOB("a", "p"), "\"p\": {\"type\": \"composed\", \"seq\": [\"d\"]},"
				   "\"d\": {\"type\": \"ParallelTaskProfile\"}"),
		       "w.json:1: job 1: profile d is of type ParallelTaskProfile; only delays");
}

static void test_left_out(void **state)
{
	bool chosen[WT_LEFT_COUNT] = { [WT_LEFT_BAD] = true };
	struct wt_swf_trace t;

	(void) state;
	leave_out = chosen;
	assert_int_equal(read_text(&t, FILE_OF(JOB("a", "d") ", 7, " JOB("a", "d") "," JOB("b", "none")), NULL), 0);
	assert_true(t.job_count == 1 && t.entry_count == 4 && t.left_out[WT_LEFT_BAD] == 3);
	assert_string_equal(t.first_bad, "w.json:1: job 2: subtime is missing or not a number");
	wt_swf_trace_clear(&t);
	expect_refused(FILE_OF(JOB("a", "d") "," JOB("b", "c")), "w.json:1: job 2: profile c is of type parallel");
	chosen[WT_LEFT_PROFILE] = true;
	assert_int_equal(read_text(&t, FILE_OF(JOB("a", "d") "," JOB("b", "c")), NULL), 0);
	assert_true(t.job_count == 1 && t.left_out[WT_LEFT_PROFILE] == 1 && t.left_out[WT_LEFT_BAD] == 0);
	wt_swf_trace_clear(&t);
	expect_refused(FILE_OF(JOB("b", "c")), "w.json: no job that can be run among its 1");
	expect_refused(FILE_OF("7"), "w.json: no job that can be run among its 1; the first that cannot be read: "
		       "w.json:1: job 1: subtime is missing");
	leave_out = NULL;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory), cmocka_unit_test(test_good), cmocka_unit_test(test_lines),
		cmocka_unit_test(test_refused),
			cmocka_unit_test(test_version_5), cmocka_unit_test(test_left_out),
	};

	return cmocka_run_group_tests_name("batsim", tests, NULL, NULL);
}
