/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>
#include <stdio.h>

#include "record/test_run.h"

/* Events into records, and the merged file. */

static void test_apply_fills_times(void **state)
{
	struct wt_record *record = fixture_record();
	const struct wt_job_record *job = &record->jobs[0];

	(void) state;
	assert_float_equal(job->start_s, 1001, 0);
	assert_float_equal(job->end_s, 1021, 0);
	assert_float_equal(job->release_s, 1022, 0);
	assert_int_equal(job->released_nodes, 2);
	assert_float_equal(job->probe_latency_s, 0.02, 1e-12);
	assert_float_equal(wt_job_completing_node_s(job), 1.5, 1e-9);
	assert_float_equal(wt_job_completing_node_s(&record->jobs[1]), 4, 1e-9);
	assert_float_equal(wt_job_completing_node_s(&record->jobs[2]), 0, 1e-9);
	assert_true(isnan(wt_job_completing_node_s(&record->jobs[3])));
	assert_int_equal(record->jobs[2].exit_code, 1);
	assert_float_equal(wt_job_sent_s(job), 1000, 0);
	wt_record_destroy(record);
}

static void test_unknown_job_is_not_ours(void **state)
{
	struct wt_record *record = fixture_submitted();
	struct wt_event event = { .time_s = 1, .kind = WT_EVENT_START, .job_id = 999, .value = 1 };

	(void) state;
	assert_int_equal(wt_record_apply(record, &event), 0);
	wt_record_destroy(record);
}

static void requeue_apply(const enum wt_event_kind *kinds, size_t count)
{
	struct wt_record *record = fixture_record();
	struct wt_event event = { .job_id = 101, .time_s = 1050, .value = 2 };

	for (size_t i = 0; i < count; i++) {
		event.kind = kinds[i];
		assert_int_equal(wt_record_apply(record, &event), 1);
	}
	assert_float_equal(record->jobs[0].start_s, 1050, 0);
	assert_true(isnan(record->jobs[0].end_s) && isnan(record->jobs[0].release_s) &&
		    isnan(record->jobs[0].probe_latency_s));
	assert_int_equal(record->jobs[0].released_nodes, 0);
	assert_float_equal(record->jobs[0].release_sum_s, 0, 0);
	wt_record_destroy(record);
}

static void test_requeue_begins_anew(void **state)
{
	static const enum wt_event_kind before[] = { WT_EVENT_REQUEUE, WT_EVENT_START };
	static const enum wt_event_kind behind[] = { WT_EVENT_START, WT_EVENT_REQUEUE };

	(void) state;
	requeue_apply(before, 2);
	requeue_apply(behind, 2);
	requeue_apply(behind, 1);
}

/* The node process was killed and told no end: slurmctld's whole seconds stay, but not those of an earlier life. */
static void test_controllers_end_stays(void **state)
{
	struct wt_record *record = fixture_submitted();
	struct wt_job_record *job = &record->jobs[0];
	struct wt_event event = { .time_s = 1010.25, .kind = WT_EVENT_START, .job_id = 101, .value = 1 };

	(void) state;
	job->end_s = 1030;
	job->exit_code = 3;
	assert_int_equal(wt_record_apply(record, &event), 1);
	assert_float_equal(job->end_s, 1030, 0);
	assert_int_equal(job->exit_code, 3);
	job->end_s = 1010;
	assert_int_equal(wt_record_apply(record, &event), 1);
	assert_float_equal(job->end_s, 1010.25, 0);
	job->end_s = 1009;
	assert_int_equal(wt_record_apply(record, &event), 1);
	assert_true(isnan(job->end_s));
	assert_int_equal(job->exit_code, 0);
	wt_record_destroy(record);
}

static void test_release_without_start(void **state)
{
	struct wt_record *record = fixture_submitted();
	struct wt_event event = { .time_s = 1010, .kind = WT_EVENT_RELEASE, .job_id = 104, .value = NAN };

	(void) state;
	assert_int_equal(wt_record_apply(record, &event), 1);
	assert_float_equal(record->jobs[3].release_s, 1010, 0);
	assert_int_equal(record->jobs[3].released_nodes, 0);
	wt_record_destroy(record);
}

static void test_submit_event(void **state)
{
	struct wt_record *record = fixture_submitted();
	struct wt_event event = { .time_s = 1005, .kind = WT_EVENT_SUBMIT, .job_id = 104, .value = 2 };

	(void) state;
	assert_int_equal(wt_record_apply(record, &event), 1);
	assert_float_equal(wt_job_sent_s(&record->jobs[3]), 1003, 0);
	wt_record_destroy(record);
}

static char *merge(const struct wt_record *record, const char *events, int *rc, struct wt_error *errp)
{
	FILE *in = events ? fmemopen((void *) events, strlen(events), "r") : NULL;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	*rc = (int) wt_events_merge(out, record, in, "events.csv", errp);
	fclose(out);
	if (in)
		fclose(in);
	return text;
}

static void test_merge_golden(void **state)
{
	static const char golden[] =
		WT_EVENTS_HEADER "\n"
		"1000.500000,submit,101,,,,0.5\n"
		"1001.000000,start,101,,,n0,2\n"
		"1001.020000,probe,101,,,n0,0.02\n"
		"1001.250000,submit,102,,,,0.25\n"
		"1002.250000,submit,103,,,,0.25\n"
		"1003.000000,submit,104,,,,0.5\n"
		"1021.000000,end,101,,,n0,0\n"
		"1021.500000,release,101,,,n0,\n"
		"1022.000000,release,101,,,n1,\n"
		"1022.000000,start,102,,,n0,4\n"
		"1022.040000,probe,102,,,n0,0.04\n"
		"1032.000000,end,102,,,n0,0\n"
		"1033.000000,release,102,,,n0,\n"
		"1033.000000,release,102,,,n1,\n"
		"1033.000000,release,102,,,n2,\n"
		"1033.000000,release,102,,,n3,\n"
		"1033.000000,start,103,,,n2,1\n"
		"1033.010000,probe,103,,,n2,-1\n"
		"1034.000000,end,103,,,n2,1\n"
		"1034.000000,release,103,,,n2,\n";
	struct wt_record *record = fixture_record();
	int rc;
	char *text = merge(record, fixture_events, &rc, NULL);

	(void) state;
	assert_int_equal(rc, 0);
	assert_string_equal(text, golden);
	free(text);
	wt_record_destroy(record);
}

static void test_merge_edges(void **state)
{
	struct wt_record *empty = wt_record_create(NULL, NULL), *record = fixture_submitted();
	struct wt_error err;
	int rc;
	char *text = merge(empty, NULL, &rc, NULL);

	(void) state;
	assert_int_equal(rc, 0);
	assert_string_equal(text, WT_EVENTS_HEADER "\n");
	free(text);
	text = merge(empty, "5,end,1,,,n0,0\n4,start,1,,,n0,1\n6,rele", &rc, NULL);
	assert_int_equal(rc, 0);
	assert_string_equal(text, WT_EVENTS_HEADER "\n4,start,1,,,n0,1\n5,end,1,,,n0,0\n");
	free(text);
	text = merge(empty, "5,end,1,,,n0,0\n4,sta5,start,1,,,n0,1\nx\n4,start,1,,,n0,1\n", &rc, &err);
	assert_int_equal(rc, 2);
	assert_string_equal(err.text, "events.csv:2: not 7 columns");
	assert_string_equal(text, WT_EVENTS_HEADER "\n4,start,1,,,n0,1\n5,end,1,,,n0,0\n");
	free(text);
	record->jobs[0].job_id = 0;	/* as after a failed submission */
	text = merge(record, NULL, &rc, NULL);
	assert_null(strstr(text, ",101,"));
	free(text);
	record->jobs[1].submit_s = NAN;	/* as read from a jobs.csv that does not tell it */
	text = merge(record, NULL, &rc, NULL);
	assert_int_equal(rc, 0);
	assert_null(strstr(text, "nan"));
	assert_null(strstr(text, ",102,"));
	free(text);
	wt_record_destroy(empty);
	record->jobs[0].job_id = 101;
	wt_record_destroy(record);
}

/* Many rows, backwards: order, count and the stability of equal times. */
static void test_merge_many(void **state)
{
	enum { N = 20000 };
	static const char first[] = "0,release,1,,,n19999,\n1,release,1,,,n19997,\n1,release,1,,,n19998,\n2,";
	struct wt_record *record = wt_record_create(NULL, NULL);
	char *events = NULL, *text, *at;
	size_t size;
	FILE *out = open_memstream(&events, &size);
	int rc;

	(void) state;
	for (int i = 0; i < N; i++)
		fprintf(out, "%d,release,1,,,n%d,\n", (N - i) / 2, i);
	fclose(out);
	text = merge(record, events, &rc, NULL);
	assert_int_equal(rc, 0);
	assert_int_equal(strlen(text), strlen(events) + strlen(WT_EVENTS_HEADER) + 1);
	at = strchr(text, '\n') + 1;
	assert_memory_equal(at, first, sizeof(first) - 1);
	free(text);
	free(events);
	wt_record_destroy(record);
}

static void test_merge_reports_a_full_disk(void **state)
{
	struct wt_record *record = fixture_record();
	FILE *full = fopen("/dev/full", "w");
	struct wt_error err;

	(void) state;
	assert_non_null(full);
	setvbuf(full, NULL, _IONBF, 0);
	assert_int_equal(wt_events_merge(full, record, NULL, "x", &err), -1);
	assert_int_equal(errno, ENOSPC);
	fclose(full);
	wt_record_destroy(record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_apply_fills_times),
		cmocka_unit_test(test_unknown_job_is_not_ours),
		cmocka_unit_test(test_requeue_begins_anew),
		cmocka_unit_test(test_controllers_end_stays),
		cmocka_unit_test(test_release_without_start),
		cmocka_unit_test(test_submit_event),
		cmocka_unit_test(test_merge_golden),
		cmocka_unit_test(test_merge_edges),
		cmocka_unit_test(test_merge_many),
		cmocka_unit_test(test_merge_reports_a_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
