/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/live/live_json.h"
#include "harness/live/live_stream.h"
#include "lib/test_cmocka.h"

static struct live_state now;

static struct live_view *view_make(void)
{
	struct live_view *view = live_view_create();

	assert_non_null(view);
	live_state_init(&now);
	now.cpus = 100;
	now.phase = LIVE_RUNNING;
	strcpy(now.title, "w");
	return view;
}

static void sample_add(double time_s, double cpu_s)
{
	live_state_sample_add(&now, &(struct wt_sample){ .time_s = time_s, .cpus_allocated = 50,
							 .controller_cpu_s = cpu_s });
}

/* All that the stream has now; the caller frees it. */
static char *read_all(struct live_stream *s, size_t max)
{
	char *text = calloc(1, 1 << 20);
	size_t len = 0;
	ssize_t n;

	while ((n = live_stream_read(s, text + len, max)) > 0)
		len += (size_t) n;
	return text;
}

/* The object behind "event: NAME\ndata: ". */
static json_t *event_json(const char *text, const char *name)
{
	char head[64];
	json_t *json;

	snprintf(head, sizeof(head), "event: %s\ndata: ", name);
	assert_true(!strncmp(text, head, strlen(head)));
	json = json_loads(text + strlen(head), JSON_DISABLE_EOF_CHECK, NULL);
	assert_non_null(json);
	return json;
}

static void delta_rebuilds(void **state)
{
	json_t *before = json_pack("{s:i, s:s, s:n, s:[i]}", "a", 1, "b", "x", "c", "d", 1);
	json_t *after = json_pack("{s:i, s:s, s:i, s:[i]}", "a", 1, "b", "y", "e", 5, "d", 2);
	json_t *delta = live_json_delta(before, after), *empty = live_json_delta(after, after);

	(void) state;
	assert_int_equal(json_object_size(empty), 0);
	assert_null(json_object_get(delta, "a"));
	assert_true(json_is_null(json_object_get(delta, "c")));
	json_object_update(before, delta);
	json_object_del(before, "c");
	assert_true(json_equal(before, after));
	json_decref(before);
	json_decref(after);
	json_decref(delta);
	json_decref(empty);
}

static void snapshot_then_deltas(void **state)
{
	struct live_view *view = view_make();
	struct live_stream s = { .view = view };
	char buf[8], *text;
	json_t *json;

	(void) state;
	assert_int_equal(live_stream_read(&s, buf, sizeof(buf)), LIVE_STREAM_WAIT);	/* nothing yet */
	sample_add(1, 0.5);
	assert_int_equal(live_view_update(view, &now), 0);
	text = read_all(&s, 7);
	json = event_json(text, "snapshot");
	assert_int_equal(json_array_size(json_object_get(json, "points")), 1);
	assert_true(json_is_null(json_array_get(json_array_get(json_object_get(json, "points"), 0), 5)));
	json_decref(json);
	free(text);
	now.running = 3;
	sample_add(3, 1.5);
	assert_int_equal(live_view_update(view, &now), 0);
	text = read_all(&s, 1000);
	json = event_json(text, "delta");
	assert_int_equal(json_integer_value(json_object_get(json_object_get(json, "set"), "running")), 3);
	assert_null(json_object_get(json_object_get(json, "set"), "title"));
	json_t *point = json_array_get(json_object_get(json, "points"), 0);
	assert_true(json_number_value(json_array_get(point, 1)) == 0.5);
	assert_true(json_number_value(json_array_get(point, 5)) == 0.5);
	json_decref(json);
	free(text);
	live_stream_clear(&s);
	live_view_destroy(view);
}

/* A reader that has not read while two came gets a snapshot; what it was in the middle of comes to its end first. */
static void slow_reader(void **state)
{
	struct live_view *view = view_make();
	struct live_stream s = { .view = view };
	char buf[10], *text;
	json_t *json;

	(void) state;
	live_view_update(view, &now);
	assert_int_equal(live_stream_read(&s, buf, sizeof(buf)), 10);
	for (int i = 0; i < 5; i++) {
		now.ended = (uint64_t) i;
		live_view_update(view, &now);
	}
	text = read_all(&s, 1000);
	assert_non_null(strstr(text, "\n\nevent: snapshot\n"));
	assert_null(strstr(text, "event: delta"));
	json = event_json(strstr(text, "\n\nevent: snapshot") + 2, "snapshot");
	assert_int_equal(json_integer_value(json_object_get(json_object_get(json, "set"), "ended")), 4);
	json_decref(json);
	free(text);
	live_stream_clear(&s);
	live_view_destroy(view);
}

static void end_is_told(void **state)
{
	struct live_view *view = view_make();
	struct live_stream s = { .view = view };
	char buf[10], *text;

	(void) state;
	live_view_update(view, &now);
	free(read_all(&s, 1000));
	assert_int_equal(live_stream_read(&s, buf, sizeof(buf)), LIVE_STREAM_WAIT);
	live_view_ping(view);
	text = read_all(&s, 1000);
	assert_string_equal(text, "event: delta\ndata: {}\n\n");
	free(text);
	now.phase = LIVE_ENDED;
	live_view_update(view, &now);
	text = read_all(&s, 1000);
	assert_non_null(strstr(text, "\n\nevent: end\ndata: {}\n\n"));
	free(text);
	assert_int_equal(live_stream_read(&s, buf, sizeof(buf)), LIVE_STREAM_END);
	live_view_destroy(view);
}

static void points_bounded(void **state)
{
	struct live_view *view = view_make();
	char *text;
	json_t *json;

	(void) state;
	for (int i = 0; i < 100 * LIVE_POINTS; i++) {
		sample_add(i, i);
		if (i % 100 == 99)
			live_view_update(view, &now);
	}
	text = live_view_json(view);
	json = json_loads(text, 0, NULL);
	assert_in_range(json_array_size(json_object_get(json, "points")), LIVE_POINTS / 2, LIVE_POINTS);
	/* CPU seconds in each second, over whatever span is between two of them */
	assert_true(json_number_value(json_array_get(json_array_get(json_object_get(json, "points"), 300), 5)) == 1);
	json_decref(json);
	free(text);
	live_view_destroy(view);
}

/* The next run of --repeat: its page begins anew, for readers that were there as well. */
static void another_run(void **state)
{
	struct live_view *view = view_make();
	struct live_stream s = { .view = view };
	char *text;
	json_t *json;

	(void) state;
	now.run_number = 1;
	sample_add(1, 1);
	live_view_update(view, &now);
	free(read_all(&s, 1000));
	live_state_init(&now);
	now.run_number = 2;
	live_view_update(view, &now);
	text = read_all(&s, 1000);
	json = event_json(text, "delta");
	assert_true(json_is_true(json_object_get(json, "again")));
	json_decref(json);
	free(text);
	text = live_view_json(view);
	assert_non_null(strstr(text, "\"points\":[]"));
	free(text);
	live_stream_clear(&s);
	live_view_destroy(view);
}

/* No byte of a name ends a line, or the JSON text. */
static void hostile_names(void **state)
{
	struct live_view *view = view_make();
	struct live_job job = { .id = 7, .state = WT_JOB_RUNNING, .wait_s = NAN, .run_s = NAN };
	struct live_stream s = { .view = view };
	char *text;
	json_t *json;

	(void) state;
	strcpy(job.name, "</script>\n\ndata: {}\r\nevent: end\n\n\xff\"\\");
	strcpy(now.failure, "\n\nevent: x\n");
	live_state_job_add(&now, &job);
	live_view_update(view, &now);
	text = read_all(&s, 1000);
	assert_null(strchr(text, '\r'));
	assert_ptr_equal(strstr(text, "\n\n") + 2, text + strlen(text));
	json = event_json(text, "snapshot");
	assert_string_equal(json_string_value(json_object_get(json_array_get(json_object_get(json, "jobs"), 0), "name")),
			    "</script>\n\ndata: {}\r\nevent: end\n\n\xef\xbf\xbd\"\\");
	json_decref(json);
	free(text);
	live_stream_clear(&s);
	live_view_destroy(view);
}

/* Of more jobs at once than are kept the last ones are told. */
static void many_jobs(void **state)
{
	struct live_view *view = view_make();
	json_t *json, *jobs;
	char *text;

	(void) state;
	for (uint32_t i = 1; i <= LIVE_JOBS + 5; i++)
		live_state_job_add(&now, &(struct live_job) { .id = i, .state = WT_JOB_RUNNING, .wait_s = NAN,
							      .run_s = NAN });
	live_view_update(view, &now);
	text = live_view_json(view);
	json = json_loads(text, 0, NULL);
	jobs = json_object_get(json, "jobs");
	assert_int_equal(json_array_size(jobs), LIVE_JOBS);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(jobs, 0), "id")), 6);
	json_decref(json);
	free(text);
	live_view_destroy(view);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(delta_rebuilds), cmocka_unit_test(snapshot_then_deltas), cmocka_unit_test(slow_reader),
		cmocka_unit_test(end_is_told), cmocka_unit_test(points_bounded), cmocka_unit_test(another_run),
		cmocka_unit_test(hostile_names), cmocka_unit_test(many_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
