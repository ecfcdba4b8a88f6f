/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "workload/jobs_file.h"
#include "workload/slice.h"

#define JOBS "{\"id\":1,\"submit_s\":100,\"run_time_s\":5}\n{\"id\":2,\"submit_s\":200,\"run_time_s\":5}\n"

static int text_read(struct wt_swf_trace *trace, const char *text, struct wt_error *err)
{
	FILE *in = fmemopen((void *) text, strlen(text), "r");
	int rc;

	assert_non_null(in);
	rc = wt_jobs_file_read(trace, in, "f", NULL, err);
	fclose(in);
	return rc;
}

static const char good[] = JOBS
	"{\"event\":\"resume\",\"at_s\":160,\"nodes\":\"n[0-1]\"}\n"
	"{\"event\":\"down\",\"at_s\":150,\"nodes\":\"n[0-1]\",\"reason\":\"it burns\"}\n"
	"{\"event\":\"reserve\",\"at_s\":50,\"start_after_s\":100,\"duration_s\":30,\"name\":\"m\",\"nodes\":\"ALL\","
	"\"flags\":\"MAINT,ignore_jobs\",\"users\":\"root\"}\n"
	"{\"event\":\"unreserve\",\"at_s\":170,\"name\":\"m\",\"note\":\"early\"}\n"
	"{\"event\":\"reserve\",\"at_s\":180,\"start_after_s\":5,\"duration_s\":60,\"name\":\"m\",\"count\":3,"
	"\"partition\":\"p\",\"accounts\":\"a,b\"}\n"
	"{\"event\":\"drain\",\"at_s\":210,\"nodes\":\"n7\"}\n";

static void same(const struct wt_world_event *a, const struct wt_world_event *b)
{
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->count, b->count);
	assert_true(fabs(a->at_s - b->at_s) < 1e-9 && fabs(a->start_after_s - b->start_after_s) < 1e-9 &&
		    fabs(a->duration_s - b->duration_s) < 1e-9);
	for (size_t i = 0; i < WT_WORLD_TEXTS; i++) {
		assert_int_equal(!a->text[i], !b->text[i]);
		if (a->text[i])
			assert_string_equal(a->text[i], b->text[i]);
	}
}

static void test_read_write(void **state)
{
	struct wt_swf_trace t, again;
	struct wt_error err;
	char *text = NULL;
	size_t size = 0;
	FILE *out;

	(void) state;
	assert_int_equal(text_read(&t, good, &err), 0);
	assert_int_equal(t.job_count, 2);
	assert_int_equal(t.entry_count, 2);	/* events are no jobs */
	assert_int_equal(t.world.count, 6);
	assert_int_equal(t.world.events[0].kind, WT_WORLD_RESERVE);
	assert_int_equal(t.world.events[1].kind, WT_WORLD_DOWN);
	assert_string_equal(t.world.events[1].text[WT_WORLD_REASON], "it burns");
	assert_true(fabs(wt_world_end_s(&t.world) - 245) < 1e-9);
	out = open_memstream(&text, &size);
	assert_int_equal(wt_jobs_file_write(out, &t, &err), 0);
	fclose(out);
	assert_int_equal(text_read(&again, text, &err), 0);
	assert_int_equal(again.world.count, 6);
	for (size_t i = 0; i < 6; i++)
		same(&again.world.events[i], &t.world.events[i]);
	wt_swf_trace_clear(&again);
	wt_swf_trace_clear(&t);
	free(text);
}

static const struct { const char *line, *says; } mistakes[] = {
	{ "{\"event\":\"fire\",\"at_s\":1}", "f:3: event is none of" },
	{ "{\"event\":\"down\",\"nodes\":\"n0\"}", "has at_s" },
	{ "{\"event\":\"down\",\"at_s\":1}", "needs nodes" },
	{ "{\"event\":\"down\",\"at_s\":-1,\"nodes\":\"n0\"}", "at_s is not a number" },
	{ "{\"event\":\"resume\",\"at_s\":1,\"nodes\":\"n0\",\"reason\":\"x\"}", "has no reason" },
	{ "{\"event\":\"down\",\"at_s\":1,\"nodes\":\"n0 n1\"}", "blanks" },
	{ "{\"event\":\"down\",\"at_s\":1,\"nodes\":\"n0\\n\"}", "control characters" },
	{ "{\"event\":\"down\",\"at_s\":1,\"nodes\":\"n0\",\"duration_s\":5}", "neither start_after_s" },
	{ "{\"event\":\"down\",\"at_s\":1,\"nodes\":\"n0\",\"node\":5}", "'node' is not a key of an event" },
	{ "{\"event\":\"reserve\",\"at_s\":1,\"nodes\":\"n0\",\"name\":\"m\",\"users\":\"u\"}", "needs duration_s" },
	{ "{\"event\":\"reserve\",\"at_s\":1,\"nodes\":\"n0\",\"name\":\"m\",\"duration_s\":60,\"flags\":\"main\"}",
	  "flags are of" },
	{ "{\"event\":\"reserve\",\"at_s\":1,\"name\":\"m\",\"duration_s\":60,\"users\":\"u\"}",
	  "nodes or a count" },
	{ "{\"event\":\"reserve\",\"at_s\":1,\"name\":\"m\",\"duration_s\":60,\"users\":\"u\",\"count\":0}",
	  "count is not a whole number from 1 to 65536" },
	{ "{\"event\":\"reserve\",\"at_s\":1,\"name\":\"m\",\"duration_s\":60,\"count\":1}", "users or accounts" },
	{ "{\"event\":\"reserve\",\"at_s\":1,\"name\":\"m\",\"duration_s\":-60,\"count\":1}",
	  "duration_s is not a number" },
	{ "{\"event\":\"drain\",\"at_s\":1,\"nodes\":\"n0\",\"count\":2}", "has no count" },
	{ "{\"event\":\"unreserve\",\"at_s\":1,\"name\":\"m\"}", "f:3: there is no reservation m at that time" },
	{ "{\"event\":\"reserve\",\"at_s\":1,\"name\":\"m\",\"duration_s\":60,\"count\":1,\"users\":\"u\"}\n"
	  "{\"event\":\"reserve\",\"at_s\":60,\"name\":\"m\",\"duration_s\":60,\"count\":1,\"users\":\"u\"}",
	  "f:4: reservation m is there already, from line 3" },
	{ "{\"event\":\"reserve\",\"at_s\":1,\"name\":\"m\",\"duration_s\":60,\"count\":1,\"users\":\"u\"}\n"
	  "{\"event\":\"unreserve\",\"at_s\":61,\"name\":\"m\"}", "f:4: there is no reservation m at that time" },
};

static void test_bad(void **state)
{
	struct wt_swf_trace t;
	struct wt_error err;
	char text[1024];

	(void) state;
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		snprintf(text, sizeof(text), JOBS "%s\n", mistakes[i].line);
		assert_int_equal(text_read(&t, text, &err), -1);
		if (!strstr(err.text, mistakes[i].says))
			fail_msg("%s: %s", mistakes[i].line, err.text);
		assert_null(t.world.events);
	}
}

/* What was made before the first submission holds at once, and ends when it would have. */
static void test_slice(void **state)
{
	struct wt_slice_options options;
	struct wt_workload *w;
	struct wt_swf_trace t;
	struct wt_error err;
	const struct wt_world_event *e;

	(void) state;
	assert_int_equal(text_read(&t, good, &err), 0);
	wt_slice_options_init(&options);
	options.machine_cpus = 8;
	options.shared.time_scale = 2;
	options.duration_s = 150;
	w = wt_slice_create(&t, &options, NULL, &err);
	assert_non_null(w);
	assert_int_equal(w->world.count, 6);
	e = w->world.events;
	assert_int_equal(e[0].kind, WT_WORLD_RESERVE);
	assert_true(fabs(e[0].at_s) < 1e-9 && fabs(e[0].start_after_s - 100) < 1e-9 && fabs(e[0].duration_s - 60) < 1e-9);
	assert_true(fabs(e[1].at_s - 100) < 1e-9 && fabs(e[2].at_s - 120) < 1e-9);
	wt_workload_destroy(w);
	options.first_job = 2;	/* the second submission, at 200, is the zero: the first reservation and its end are over */
	w = wt_slice_create(&t, &options, NULL, &err);
	assert_non_null(w);
	assert_int_equal(w->world.count, 4);
	e = w->world.events;
	assert_int_equal(e[0].kind, WT_WORLD_DOWN);
	assert_int_equal(e[1].kind, WT_WORLD_RESUME);
	assert_true(fabs(e[1].at_s) < 1e-9 && fabs(e[2].at_s) < 1e-9);
	assert_true(e[2].count == 3 && fabs(e[2].start_after_s) < 1e-9 && fabs(e[2].duration_s - 90) < 1e-9);
	assert_true(fabs(e[3].at_s - 20) < 1e-9);
	wt_workload_destroy(w);
	options.first_job = 0;
	options.duration_s = 105;	/* up to 205 */
	w = wt_slice_create(&t, &options, NULL, &err);
	assert_non_null(w);
	assert_int_equal(w->world.count, 5);
	wt_workload_destroy(w);
	wt_swf_trace_clear(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read_write), cmocka_unit_test(test_bad), cmocka_unit_test(test_slice),
	};

	return cmocka_run_group_tests_name("world", tests, NULL, NULL);
}
