/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>
#include <stdio.h>

#include "record/test_run.h"

static void expect_row(const char *line, const struct wt_event *wanted)
{
	struct wt_event event;
	struct wt_error err = { "" };

	if (wt_event_parse(&event, line, strlen(line), &err) < 0)
		fail_msg("%s: %s", line, err.text);
	assert_float_equal(event.time_s, wanted->time_s, 1e-6);
	assert_int_equal(event.kind, wanted->kind);
	assert_int_equal(event.job_id, wanted->job_id);
	assert_int_equal(event.array_job_id, wanted->array_job_id);
	assert_int_equal(event.array_task_id, wanted->array_task_id);
	assert_string_equal(event.node, wanted->node);
	if (isnan(wanted->value))
		assert_true(isnan(event.value));
	else
		assert_float_equal(event.value, wanted->value, 1e-9);
}

static void test_good_rows(void **state)
{
	static const struct wt_event full = { 1700000000.123456, WT_EVENT_END, 12, 10, 2, "n17", 143 };
	static const struct wt_event bare = { 0, WT_EVENT_RELEASE, 1, WT_EVENT_NO_ID, WT_EVENT_NO_ID, "", NAN };
	static const struct wt_event probe = { 5.5, WT_EVENT_PROBE, UINT32_MAX - 1, WT_EVENT_NO_ID, WT_EVENT_NO_ID,
					       "r1-n[2].x", -1 };

	(void) state;
	expect_row("1700000000.123456,end,12,10,2,n17,143", &full);
	expect_row("0,release,1,,,,", &bare);
	expect_row("5.5,probe,4294967294,,,r1-n[2].x,-1", &probe);
	expect_row("5.5,probe,4294967294,,,r1-n[2].x,-1.0e0", &probe);
}

static void expect_bad(const char *line, size_t len, const char *text)
{
	struct wt_event event;
	struct wt_error err;

	errno = 0;
	assert_int_equal(wt_event_parse(&event, line, len, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(err.text, text);
}

#define EXPECT_BAD(line, text) expect_bad(line, sizeof(line) - 1, text)

static void test_bad_rows(void **state)
{
	char line[WT_EVENT_LINE_MAX + 2];

	(void) state;
	EXPECT_BAD("", "not 7 columns");
	EXPECT_BAD("1,end,1,,,n1", "not 7 columns");
	EXPECT_BAD("1,end,1,,,n1,0,", "not 7 columns");
	EXPECT_BAD("-1,end,1,,,n1,0", "time_s '-1' is not a time");
	EXPECT_BAD(",end,1,,,n1,0", "time_s '' is not a time");
	EXPECT_BAD("nan,end,1,,,n1,0", "time_s 'nan' is not a time");
	EXPECT_BAD("0x10,end,1,,,n1,0", "time_s '0x10' is not a time");
	EXPECT_BAD(" 1,end,1,,,n1,0", "time_s ' 1' is not a time");
	EXPECT_BAD("1e999,end,1,,,n1,0", "time_s '1e999' is not a time");
	EXPECT_BAD("1-2,end,1,,,n1,0", "time_s '1-2' is not a time");
	EXPECT_BAD("1,END,1,,,n1,0", "event 'END' is unknown");
	EXPECT_BAD("1,,1,,,n1,0", "event '' is unknown");
	EXPECT_BAD("1,end,,,,n1,0", "job_id '' is not an id");
	EXPECT_BAD("1,end,4294967295,,,n1,0", "job_id '4294967295' is not an id");
	EXPECT_BAD("1,end,-1,,,n1,0", "job_id '-1' is not an id");
	EXPECT_BAD("1,end,1,x,,n1,0", "array_job_id 'x' is not an id");
	EXPECT_BAD("1,end,1,,99999999999999999999,n1,0", "array_task_id '99999999999999999999' is not an id");
	EXPECT_BAD("1,end,1,,,n 1,0", "node 'n 1' is not a node's name");
	EXPECT_BAD("1,end,1,,,n\x80,0", "node 'n\x80' is not a node's name");
	EXPECT_BAD("1,end,1,,,n1,0\r", "value '0?' is not a number");
	EXPECT_BAD("1,end,1,,,n1,inf", "value 'inf' is not a number");
	EXPECT_BAD("1,end,1,,,n\0,0", "a NUL byte");
	memset(line, 'n', sizeof(line));
	memcpy(line, "1,end,1,,,", 10);
	expect_bad(line, WT_EVENT_LINE_MAX + 1, "longer than 512 bytes");
	line[WT_EVENT_LINE_MAX - 2] = ',';
	line[WT_EVENT_LINE_MAX - 1] = '0';
	/* 500 bytes of node */
	assert_int_equal(wt_event_parse(&(struct wt_event) { 0 }, line, WT_EVENT_LINE_MAX, NULL), -1);
}

/* What the reader says of a text that arrives in pieces of 'step' bytes: kinds as letters, '!' for a malformed line. */
static void expect_read(const char *text, size_t len, size_t step, const char *wanted, size_t pending)
{
	struct wt_event_reader *reader = wt_event_reader_create("e.csv");
	struct wt_event event;
	char got[64] = "";
	size_t count = 0;
	int rc;

	assert_non_null(reader);
	for (size_t at = 0; at < len; at += step) {
		assert_int_equal(wt_event_reader_feed(reader, text + at, len - at < step ? len - at : step, NULL), 0);
		while ((rc = wt_event_reader_next(reader, &event, NULL)) != 0) {
			assert_true(count < sizeof(got) - 1);
			got[count++] = rc > 0 ? *wt_event_kind_name(event.kind) : '!';
		}
	}
	assert_string_equal(got, wanted);
	assert_int_equal(wt_event_reader_pending(reader), pending);
	wt_event_reader_destroy(reader);
}

static void test_reader_in_pieces(void **state)
{
	static const char text[] = WT_EVENTS_HEADER "\n1,start,1,,,n0,1\nnonsense\n\n2,end,1,,,n0,0\n" WT_EVENTS_HEADER
		"\n3,release,1,,,n0,\n4,rel";

	(void) state;
	for (size_t step = 1; step < sizeof(text); step++)
		expect_read(text, sizeof(text) - 1, step, "s!!er", 5);
	expect_read("", 0, 1, "", 0);
	expect_read("1,end,1,,,n0,0", 14, 3, "", 14);
	expect_read("\n", 1, 1, "!", 0);
}

static void test_reader_names_file_and_line(void **state)
{
	static const char text[] = WT_EVENTS_HEADER "\n1,start,1,,,n0,1\n1,stop,1,,,n0,1\n";
	struct wt_event_reader *reader = wt_event_reader_create("nodes/events.csv");
	struct wt_event event;
	struct wt_error err;

	(void) state;
	assert_int_equal(wt_event_reader_feed(reader, text, sizeof(text) - 1, NULL), 0);
	assert_int_equal(wt_event_reader_next(reader, &event, &err), 1);
	assert_int_equal(wt_event_reader_next(reader, &event, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(err.text, "nodes/events.csv:3: event 'stop' is unknown");
	assert_int_equal(wt_event_reader_next(reader, &event, &err), 0);
	wt_event_reader_destroy(reader);
	errno = ENOENT;
	wt_event_reader_destroy(NULL);
	assert_int_equal(errno, ENOENT);
}

/* A line without end must not fill the memory, and what follows must be read. */
static void test_reader_bounds_a_line(void **state)
{
	char *text = malloc(100000);
	static const char rest[] = "\n7,end,1,,,n0,0\n";

	(void) state;
	memset(text, 'x', 100000);
	memcpy(text + 100000 - (sizeof(rest) - 1), rest, sizeof(rest) - 1);
	expect_read(text, 100000, 1000, "!e", 0);
	expect_read(text, 100000, 100000, "!e", 0);
	/* cut so that the tail of the long line would be a good line of its own */
	memcpy(text + 50000, "1,end,1,,,n0,0", 14);
	expect_read(text, 100000, 50000, "!e", 0);
	free(text);
}

static void test_written_rows_can_be_read(void **state)
{
	static const struct wt_event events[] = {
		{ 1700000000.123456, WT_EVENT_SUBMIT, 12, WT_EVENT_NO_ID, WT_EVENT_NO_ID, "", 0.001234 },
		{ 1.5, WT_EVENT_REQUEUE, 1, 5, 0, "n0", NAN },
	};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void) state;
	for (size_t i = 0; i < 2; i++)
		wt_event_write(out, &events[i]);
	fclose(out);
	assert_string_equal(text, "1700000000.123456,submit,12,,,,0.001234\n1.500000,requeue,1,5,0,n0,\n");
	*strchr(text, '\n') = '\0';
	expect_row(text, &events[0]);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_rows),
		cmocka_unit_test(test_bad_rows),
		cmocka_unit_test(test_reader_in_pieces),
		cmocka_unit_test(test_reader_names_file_and_line),
		cmocka_unit_test(test_reader_bounds_a_line),
		cmocka_unit_test(test_written_rows_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
