/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "workload/json_trace.h"
#include "workload/trace_figures.h"
#include "workload/trace_write.h"

#define SWF                                                           \
	"; MaxProcs: 8\n"                                             \
	"3 100 7 50 4 -1 -1 4 60 -1 1 9 9 9 9 9 9 9\n"                \
	"1 0 -1 20.5 1 -1 -1 1 -1 -1 0 9 9 9 9 9 9 9\n"               \
	"\n"                                                          \
	"2 7200 0 0 5 -1 -1 5 60 -1 1 9 9 9 9 9 9 9\n"

typedef int (*read_fn)(struct wt_swf_trace *trace, FILE *in, const char *name, const bool *leave_out, struct wt_error *errp);

static void text_read(struct wt_swf_trace *trace, const char *text, read_fn fn)
{
	struct wt_error err = { "" };
	FILE *in = fmemopen((void *) text, strlen(text), "r");

	assert_non_null(in);
	if (fn(trace, in, "t", NULL, &err) < 0)
		fail_msg("%s", err.text);
	fclose(in);
}

static char *written(const struct wt_swf_trace *trace, int (*fn)(FILE *out, const void *trace, struct wt_error *errp))
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(fn(out, trace, NULL), 0);
	fclose(out);
	return text;
}

static void expect_same(const struct wt_swf_trace *a, const struct wt_swf_trace *b)
{
	assert_int_equal(a->job_count, b->job_count);
	assert_int_equal(a->max_procs, b->max_procs);
	for (size_t i = 0; i < a->job_count; i++) {
		assert_true(a->jobs[i].submit_s == b->jobs[i].submit_s);
		assert_true(a->jobs[i].run_time_s == b->jobs[i].run_time_s);
		assert_true(a->jobs[i].requested_time_s == b->jobs[i].requested_time_s);
		assert_int_equal(a->jobs[i].procs, b->jobs[i].procs);
	}
}

static void test_swf(void **state)
{
	struct wt_swf_trace trace, again;
	char *text;

	(void) state;
	text_read(&trace, SWF, wt_swf_trace_read);
	assert_true(trace.unsorted == 1 && trace.first_unsorted == 3);
	text = written(&trace, wt_trace_write_swf);
	assert_non_null(strstr(text, "\n1 0 -1 20.5 1 -1 -1 1 -1 -1 0 -1 -1 -1 -1 -1 -1 -1\n3 100 7 50 4 "));
	text_read(&again, text, wt_swf_trace_read);
	expect_same(&trace, &again);
	assert_true(again.jobs[1].wait_s == 7 && again.jobs[0].status == 0 && again.jobs[0].wait_s == -1);
	assert_int_equal(again.unsorted, 0);
	free(text);
	wt_swf_trace_clear(&trace);
	wt_swf_trace_clear(&again);
}

static void test_batsim(void **state)
{
	struct wt_swf_trace trace, again, third;
	char *text;

	(void) state;
	text_read(&trace, SWF, wt_swf_trace_read);
	text = written(&trace, wt_trace_write_batsim);
	text_read(&again, text, wt_batsim_read);
	expect_same(&trace, &again);
	assert_string_equal(again.jobs[2].id, "2");
	assert_string_equal(again.jobs[0].profile, "delay_20.5");
	free(text);
	/* ids need not be numbers; a job of 0 s counts as completed, so that it is not left out */
	text = written(&again, wt_trace_write_swf);
	text_read(&third, text, wt_swf_trace_read);
	expect_same(&trace, &third);
	assert_int_equal(third.jobs[1].number, 2);
	free(text);
	wt_swf_trace_clear(&trace);
	wt_swf_trace_clear(&again);
	wt_swf_trace_clear(&third);
}

#define JOB(id, profile) "{\"id\": " id ", \"subtime\": 0.1, \"res\": 1, \"profile\": " profile "}"

/* Run times that differ in the last digit only are two profiles; names with any characters; each profile once. */
static void test_batsim_names(void **state)
{
	static const char text[] = "{\"nb_res\": 2, \"jobs\": [" JOB("\"a\\\"\\\\\"", "\"\u00e4 b\"") ", "
		JOB("2", "\"c\"") ", "
		JOB("3", "\"c\"") "], \"profiles\": {\"\u00e4 b\": {\"type\": \"delay\", \"delay\": 0.3}, "
		"\"c\": {\"type\": \"delay\", \"delay\": 0.30000000000000004}}}";
	struct wt_swf_trace trace, again;
	char *back, *third;

	(void) state;
	text_read(&trace, text, wt_batsim_read);
	back = written(&trace, wt_trace_write_batsim);
	text_read(&again, back, wt_batsim_read);
	expect_same(&trace, &again);
	assert_string_equal(again.jobs[0].id, "a\"\\");
	assert_string_equal(again.jobs[0].profile, "\u00e4 b");
	third = written(&again, wt_trace_write_batsim);
	assert_string_equal(back, third);
	for (size_t i = 0; i < trace.job_count; i++) {
		free(trace.jobs[i].profile);
		trace.jobs[i].profile = NULL;
	}
	free(back);
	back = written(&trace, wt_trace_write_batsim);
	assert_non_null(strstr(back, "\"profiles\": {\n    \"delay_0.3\": {\"type\": \"delay\", \"delay\": 0.3},\n    "
				     "\"delay_0.30000000000000004\": {"));
	free(back);
	free(third);
	wt_swf_trace_clear(&trace);
	wt_swf_trace_clear(&again);
}

static void test_csv(void **state)
{
	struct wt_swf_trace trace;
	char *text;

	(void) state;
	text_read(&trace, SWF, wt_swf_trace_read);
	text = written(&trace, wt_trace_write_csv);
	assert_non_null(strstr(text, "\n1,trace,,0.000000,1,,0,COMPLETED_FAILED,,20.500000,,,,,,-1,\n"));
	assert_non_null(strstr(text, "\n3,trace,,100.000000,4,60.000000,1,COMPLETED_SUCCESSFULLY,107.000000,50.000000,"
				     "157.000000,7.000000,57.000000,1.140000,,-1,\n"));
	free(text);
	wt_swf_trace_clear(&trace);
}

static void test_lines(void **state)
{
	FILE *in = fmemopen((void *) SWF, strlen(SWF), "r"), *out;
	struct wt_swf_trace trace;
	char *text = NULL;
	size_t len;

	(void) state;
	text_read(&trace, SWF, wt_swf_trace_read);
	trace.job_count = 2;	/* the first two by submission: lines 2 and 3 */
	out = open_memstream(&text, &len);
	assert_int_equal(wt_trace_copy_lines(out, in, &trace, NULL), 0);
	fclose(out);
	fclose(in);
	assert_int_equal(len, strstr(SWF, "2 7200") - SWF);
	assert_memory_equal(text, SWF, len);
	free(text);
	trace.job_count = 3;
	wt_swf_trace_clear(&trace);
}

static void test_figures(void **state)
{
	struct wt_trace_figures f;
	struct wt_swf_trace trace;

	(void) state;
	text_read(&trace, SWF, wt_swf_trace_read);
	assert_int_equal(wt_trace_figures_make(&f, &trace, 0, NULL), 0);
	assert_true(f.jobs == 3 && f.machine_cpus == 8 && f.period_s == 7200 && f.cpu_s == 220.5);
	assert_true(f.load == 220.5 / (8 * 7200.0));
	assert_true(f.by_hour[0] == 2 && f.by_hour[2] == 1 && f.by_size[0] == 1 && f.by_size[2] == 1 && f.by_size[3] == 1);
	assert_true(f.serial == 1 && f.powers_of_two == 1 && f.over_limit == 0);
	assert_true(f.limit_s.count == 2 && f.limit_use.max == 50 / 60.0 && f.gap_s.count == 2 && f.gap_s.max == 7100);
	assert_int_equal(wt_trace_figures_make(&f, &trace, 4, NULL), 0);
	assert_true(f.load == 220.5 / (4 * 7200.0));
	trace.max_procs = 0;
	trace.job_count = 1;
	assert_int_equal(wt_trace_figures_make(&f, &trace, 0, NULL), 0);
	assert_true(f.machine_cpus == 1 && isnan(f.load));
	trace.job_count = 3;
	wt_swf_trace_clear(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_swf), cmocka_unit_test(test_batsim), cmocka_unit_test(test_batsim_names),
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_lines), cmocka_unit_test(test_figures),
	};

	return cmocka_run_group_tests_name("trace_write", tests, NULL, NULL);
}
