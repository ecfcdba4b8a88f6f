/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "workload/dependency.h"
#include "workload/jobs_file.h"
#include "workload/slice.h"

static int text_read(struct wt_swf_trace *trace, const char *text, const bool *leave_out, struct wt_error *err)
{
	FILE *in = fmemopen((void *) text, strlen(text), "r");
	int rc;

	assert_non_null(in);
	rc = wt_jobs_file_read(trace, in, "f", leave_out, err);
	fclose(in);
	return rc;
}

static void test_fields(void **state)
{
	struct wt_swf_trace t;
	struct wt_error err;
	const struct wt_job_ask *ask;

	(void) state;
	assert_int_equal(text_read(&t, "{\"windtunnel_jobs\":1,\"cpus\":64,\"nodes\":4}\n\n# why\n"
		"{\"id\":7,\"submit_s\":3.5,\"run_time_s\":20,\"time_limit_s\":60,\"recorded_wait_s\":4,\"user\":1001,"
		"\"expected_s\":25,\"nodes\":2,\"tasks_per_node\":4,\"cpus_per_task\":2,\"partition\":\"a,b\","
		"\"nice\":-5,\"contiguous\":true,\"end\":\"failed\",\"exit_code\":3,\"note\":\"any\"}\n"
		"{\"id\":\"x_1\",\"submit_s\":1,\"run_time_s\":1}", NULL, &err), 0);
	assert_int_equal(t.job_count, 2);
	assert_int_equal(t.max_procs, 64);
	assert_string_equal(t.jobs[0].id, "x_1");
	assert_int_equal(t.jobs[0].number, 2);	/* its place among the jobs: the first line is none */
	assert_int_equal(t.jobs[0].procs, 1);
	assert_int_equal(t.jobs[1].number, 7);
	assert_int_equal(t.jobs[1].procs, 16);
	assert_true(t.jobs[1].wait_s == 4 && t.jobs[1].expected_s == 25 && t.jobs[0].expected_s == 0);
	ask = t.jobs[1].ask;
	assert_string_equal(ask->text[WT_ASK_USER], "1001");
	assert_string_equal(ask->text[WT_ASK_PARTITION], "a,b");
	assert_true(ask->number[WT_ASK_NICE] == -5 && ask->number[WT_ASK_CONTIGUOUS] == 1);
	assert_true(isnan(ask->number[WT_ASK_PRIORITY]));
	assert_int_equal(ask->end, WT_END_FAILED);
	wt_swf_trace_clear(&t);
}

#define HEAD "{\"id\":1,\"submit_s\":0,\"run_time_s\":1"

struct bad_text {
	const char *text, *says;
};

static void bad_try(const struct bad_text *bad, size_t count)
{
	struct wt_swf_trace t;
	struct wt_error err;

	for (size_t i = 0; i < count; i++) {
		assert_int_equal(text_read(&t, bad[i].text, NULL, &err), -1);
		if (!strstr(err.text, bad[i].says))
			fail_msg("%s: %s", bad[i].text, err.text);
		assert_null(t.jobs);
	}
}

static void test_bad(void **state)
{
	static const struct bad_text bad[] = {
		{ "{\"id\":1,\"submit_s\":0}", "f:1: run_time_s is missing" },
		{ "{\"id\":1,\"run_time_s\":0}", "a job has id and submit_s" },
		{ HEAD ",\"taks\":4}", "'taks' is not a key" },
		{ HEAD ",\"tasks\":0}", "tasks is not a whole number from 1" },
		{ HEAD ",\"tasks\":1.5}", "tasks is not a whole number" },
		{ HEAD ",\"expected_s\":0}", "expected_s is not a number from 0.001" },
		{ HEAD ",\"user\":\"\"}", "user is not a text" },
		{ HEAD ",\"user\":\"a\\nb\"}", "user has control characters" },
		{ HEAD ",\"end\":\"ok\"}", "end is none of" },
		{ HEAD ",\"exit_code\":1}", "exit_code and signal are for end" },
		{ HEAD ",\"contiguous\":1}", "neither true nor false" },
		{ HEAD ",\"sharing\":\"no\"}", "sharing is none of" },
		{ HEAD ",\"tasks\":100000000,\"cpus_per_task\":60000}", "more than 4294967295 CPUs" },
		{ HEAD ",\"memory_per_node_mib\":1,\"memory_per_cpu_mib\":1}", "give one of them" },
		{ HEAD ",\"dependency\":\"when:1\"}", "dependency 'when:1'" },
		{ HEAD ",\"dependency\":\"afterok:1\"}", "not submitted before it" },
		{ HEAD "}\n" HEAD "}", "f:2: job 1 stands in an earlier line" },
		{ "{\"id\":1,\"submit_s\":0,\"end\":\"time_limit\"}", "needs time_limit_s" },
		{ "{\"id\":\"a b\",\"submit_s\":0,\"run_time_s\":1}", "id is neither" },
		{ HEAD ",\"run_time_s\":2}", "duplicate" },
		{ "[]", "f:1: not an object" },
		{ "{\"windtunnel_jobs\":2}", "another version" },
	};

	(void) state;
	bad_try(bad, sizeof(bad) / sizeof(bad[0]));
}

/* What was taken once, or swallowed a job. */
static void test_bad_too(void **state)
{
	static const struct bad_text bad[] = {
		{ "{\"windtunnel_jobs\":1,\"id\":1}\n" HEAD "}", "f:1: 'id' is not a key of the first line" },
		{ HEAD "}\n{\"windtunnel_jobs\":1}", "f:2: windtunnel_jobs may only stand in the first line" },
		{ HEAD ",\"windtunnel_jobs\":1}", "f:1: '" },
		{ "{\"windtunnel_jobs\":1}\n{\"windtunnel_jobs\":1}", "f:2: windtunnel_jobs may only" },
		{ HEAD ",\"\\u009b2J\":1}", "f:1: '??2J' is not a key" },
		{ HEAD ",\"name\":\"a\\u0080\"}", "name has control characters" },
		{ HEAD ",\"name\":\"a\\u009f\"}", "name has control characters" },
		{ HEAD ",\"account\":\"\\u202a\"}", "account has control characters" },
		{ HEAD ",\"account\":\"\\u202e\"}", "account has control characters" },
		{ HEAD ",\"name\":\"\\u2066\"}", "name has control characters" },
		{ HEAD ",\"name\":\"\\u2069\"}", "name has control characters" },
		{ HEAD ",\"group\":\"users\"}", "f:1: group without user" },
		{ HEAD ",\"requeue\":false,\"requeue_after_s\":5}", "requeue_after_s with requeue false" },
		{ HEAD ",\"end\":\"node_failure\",\"requeue_after_s\":5}", "is not requeued" },
		{ HEAD ",\"end\":\"node_failure\",\"requeue\":true}", "is not requeued" },
		{ HEAD "}\n{\"id\":2,\"submit_s\":1,\"run_time_s\":1,\"dependency\":\"after:1+99999999999999999999\"}",
		  "from 1 to 35791394" },
		{ "\n# nothing\n", "no job among its 2 lines" },
	};

	(void) state;
	bad_try(bad, sizeof(bad) / sizeof(bad[0]));
}

/* What is close to a bad text, and none. */
static void test_boundary(void **state)
{
	struct wt_swf_trace t;
	struct wt_error err;

	(void) state;
	assert_int_equal(text_read(&t, "# why\n\n{\"windtunnel_jobs\":1}\n"
		"{\"id\":1,\"submit_s\":-0.0,\"run_time_s\":-0.0,\"begin_after_s\":-0.0,\"nice\":-0,\"name\":\"a\\u00a0"
		"\\u2029\\u202f\\u2065\\u206a\",\"requeue\":true,\"requeue_after_s\":5}\n"
		"{\"id\":2,\"submit_s\":0,\"run_time_s\":1,\"requeue_after_s\":5,\"user\":0,\"group\":0}\n", NULL, &err), 0);
	assert_int_equal(t.job_count, 2);
	assert_false(signbit(t.jobs[0].run_time_s) || signbit(t.jobs[0].submit_s));
	assert_false(signbit(t.jobs[0].ask->number[WT_ASK_BEGIN_AFTER_S]) || signbit(t.jobs[0].ask->number[WT_ASK_NICE]));
	assert_string_equal(t.jobs[0].ask->text[WT_ASK_NAME], "a\u00a0\u2029\u202f\u2065\u206a");
	wt_swf_trace_clear(&t);
}

static void test_left_out(void **state)
{
	const bool some[WT_LEFT_COUNT] = { [WT_LEFT_BAD] = true };
	struct wt_swf_trace t;
	struct wt_error err;

	(void) state;
	assert_int_equal(text_read(&t, "{\n" HEAD "}\n{\"id\":2,\"submit_s\":0,\"run_time_s\":1,\"tasks\":0}\n"
		"{\"id\":3,\"submit_s\":1,\"run_time_s\":1,\"dependency\":\"afterok:2\"}\n"
		"{\"id\":4,\"submit_s\":2,\"run_time_s\":1,\"dependency\":\"afterok:1\"}\n", some, &err), 0);
	assert_int_equal(t.job_count, 2);	/* 3 depends on one that is left out */
	assert_int_equal(t.left_out[WT_LEFT_BAD], 3);
	assert_int_equal(t.entry_count, 5);
	assert_string_equal(t.jobs[1].id, "4");
	wt_swf_trace_clear(&t);
}

static struct wt_workload *workload_of(const struct wt_swf_trace *t, double time_scale, uint64_t first_job,
				       struct wt_slice_info *info)
{
	struct wt_slice_options o;
	struct wt_workload *w;
	struct wt_error err;

	wt_slice_options_init(&o);
	o.machine_cpus = 64;
	o.shared.time_scale = time_scale;
	o.first_job = first_job;
	o.name = "jobs";
	w = wt_slice_create(t, &o, info, &err);
	if (!w)
		fail_msg("%s", err.text);
	assert_int_equal(wt_workload_check(w, &err), 0);
	return w;
}

static void test_slice(void **state)
{
	struct wt_slice_info info;
	struct wt_swf_trace t;
	struct wt_workload *w;
	struct wt_error err;

	(void) state;
	assert_int_equal(text_read(&t, HEAD "}\n"
		"{\"id\":2,\"submit_s\":1,\"end\":\"time_limit\",\"time_limit_s\":120}\n"
		"{\"id\":3,\"submit_s\":2,\"run_time_s\":60,\"time_limit_s\":60,\"begin_after_s\":10,"
		"\"dependency\":\"afterok:1,afterany:2:1\"}\n"
		"{\"id\":4,\"submit_s\":3,\"run_time_s\":60,\"time_limit_s\":60,\"end\":\"node_failure\"}\n"
		"{\"id\":5,\"submit_s\":3,\"run_time_s\":60,\"dependency\":\"after:1+5\"}\n", NULL, &err), 0);
	w = workload_of(&t, 0.5, 2, &info);
	assert_int_equal(w->job_count, 4);
	assert_int_equal(info.left_out[WT_LEFT_OUTSIDE], 1);
	assert_int_equal(info.dependencies_cut, 3);
	assert_true(w->jobs[0].time_limit_s == 60 && w->jobs[0].run_time_s == 60);
	assert_string_equal(w->jobs[1].ask->text[WT_ASK_DEPENDENCY], "afterany:2");
	assert_true(w->jobs[1].ask->number[WT_ASK_BEGIN_AFTER_S] == 5);
	assert_true(w->jobs[1].time_limit_s > 60);	/* it completed, and must here, too */
	assert_true(w->jobs[2].time_limit_s > 60);	/* its node ends it */
	assert_null(w->jobs[3].ask->text[WT_ASK_DEPENDENCY]);
	assert_true(isnan(w->jobs[3].time_limit_s));
	wt_workload_destroy(w);
	w = workload_of(&t, 0.5, 0, &info);
	assert_string_equal(w->jobs[4].ask->text[WT_ASK_DEPENDENCY], "after:1+3");	/* 2.5 minutes, rounded */
	assert_int_equal(info.minutes_rounded, 1);
	wt_workload_destroy(w);
	wt_swf_trace_clear(&t);
}

static const char *id_short(const char *id, size_t len, void *arg)
{
	(void) arg;
	return len == 2 && !memcmp(id, "no", 2) ? NULL : "9";
}

static void test_dependency(void **state)
{
	static const struct { const char *in, *out; } cases[] = {
		{ "afterok:12:13", "afterok:9:9" }, { "after:1+5:2", "after:9+5:9" }, { "singleton", "singleton" },
		{ "afterany:no", "" }, { "afterany:no,afterok:1", "afterok:9" },
		{ "afterok:1?afterany:no:2", "afterok:9?afterany:9" },
		{ "afterok", NULL }, { "afterok:", NULL }, { "", NULL }, { "afterok:1,", NULL },
		{ "afterok:1,after:2?after:3", NULL },
		{ "expand:1", NULL }, { "afterok:1+5", NULL }, { "singleton:1", NULL },
		{ "afterok:1 ,after:2", "afterok:9,after:9" },
		{ "after:1+35791394", "after:9+35791394" }, { "after:1+35791395", NULL },
		{ "after:1+99999999999999999999", NULL }, { "after:1+0", NULL }, { "after:1+", NULL },
	};
	struct wt_error err;

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *out = wt_dependency_map(cases[i].in, id_short, NULL, &err);

		if (!cases[i].out)
			assert_null(out);
		else
			assert_string_equal(out, cases[i].out);
		free(out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields), cmocka_unit_test(test_bad), cmocka_unit_test(test_bad_too),
		cmocka_unit_test(test_boundary), cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_slice), cmocka_unit_test(test_dependency),
	};

	return cmocka_run_group_tests_name("jobs_file", tests, NULL, NULL);
}
