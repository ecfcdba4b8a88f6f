/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/power_log.h"

#define HEADER WT_POWER_HEADER "\n"

static int text_read(struct wt_power_log *log, const char *text, struct wt_error *errp)
{
	FILE *in = *text ? fmemopen((void *) text, strlen(text), "r") : fopen("/dev/null", "r");
	int rc;

	assert_non_null(in);
	rc = wt_power_log_read(log, in, "p.csv", errp);
	fclose(in);
	return rc;
}

static char *written(const struct wt_power_log *log)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(wt_power_log_write(out, log, NULL), 0);
	fclose(out);
	return text;
}

static void writes(const struct wt_power_log *log, const char *wanted)
{
	char *text = written(log);

	assert_string_equal(text, wanted);
	free(text);
}

static void test_what_is_read_is_written(void **state)
{
	static const char text[] = HEADER
		"1000.000001,off,n1,0,\n1000.000001,asked-on,n0,0,4294967295\n1000.000001,booting,n0,1,7\n"
		"1060.500000,up,n0,1,7\n";
	struct wt_power_log log;
	struct wt_error err;

	(void) state;
	assert_int_equal(text_read(&log, text, &err), 0);
	assert_true(log.count == 4 && log.name_count == 2 && log.malformed == 0);
	assert_int_equal(wt_power_log_node(&log, "n0"), 1);
	assert_int_equal(wt_power_log_node(&log, "n2"), WT_POWER_NODE_NONE);
	assert_int_equal(log.rows[0].event, WT_POWER_EVENT_OFF);	/* by node, as they first occur */
	assert_int_equal(log.rows[1].job_id, UINT32_MAX);
	assert_int_equal(log.rows[3].time_us, 1060500000);
	writes(&log, HEADER "1000.000001,off,n1,0,\n1000.000001,asked-on,n0,0,4294967295\n1000.000001,booting,n0,1,7\n"
	       "1060.500000,up,n0,1,7\n");
	assert_int_equal(wt_power_log_node_add(&log, "n2"), 2);
	assert_int_equal(wt_power_log_node_add(&log, "n0"), 1);
	assert_int_equal(log.name_count, 3);
	wt_power_log_clear(&log);
	assert_int_equal(wt_power_log_node(&log, "n0"), WT_POWER_NODE_NONE);
}

static void test_no_power_csv(void **state)
{
	static const char *const texts[] = { "", "\n", "time_s,event\n", HEADER "x", WT_POWER_HEADER,
					     WT_POWER_HEADER ",more\n" };
	struct wt_power_log log;
	struct wt_error err;

	(void) state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		int rc = text_read(&log, texts[i], &err);

		assert_int_equal(rc, i == 3 ? 0 : -1);	/* the beginning of a line that is still being written */
		assert_int_equal(log.count, 0);
		wt_power_log_clear(&log);
	}
}

static void test_lines_that_make_no_sense_are_counted(void **state)
{
	static const char *const lines[] = {
		"", "1000.000000,up,n0,1", "1000.000000,up,n0,1,,", "1000,up,n0,1,", "1000.5,up,n0,1,", "-1.000000,up,n0,1,",
		"1e3.000000,up,n0,1,", "1000.000000,UP,n0,1,", "1000.000000,up,,1,", "1000.000000,up,n 0,1,",
		"1000.000000,up,n0,,", "1000.000000,up,n0,-1,", "1000.000000,up,n0,4294967296,", "1000.000000,up,n0,1,x",
		"99999999999999999999.000000,up,n0,1,", "1000.00000x,up,n0,1,",
		"\"1000.000000\",up,n0,1,", ".000000,up,n0,1,",
	};

	(void) state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct wt_power_log log;
		struct wt_error err;
		char text[256];

		snprintf(text, sizeof(text), HEADER "%s\n1.000000,up,n9,1,\n", lines[i]);
		assert_int_equal(text_read(&log, text, &err), 0);
		if (log.malformed != 1 || log.count != 1)
			fail_msg("'%s' was taken", lines[i]);
		assert_string_equal(err.text, "p.csv:2: this is no line of power.csv");
		wt_power_log_clear(&log);
		assert_int_equal(text_read(&log, text, NULL), 0);
		wt_power_log_clear(&log);
	}
}

static void test_a_line_without_end(void **state)
{
	char text[4096] = HEADER;
	struct wt_power_log log;
	struct wt_error err;

	(void) state;
	memset(text + strlen(HEADER), 'x', 2000);
	assert_int_equal(text_read(&log, text, &err), -1);
	assert_int_equal(errno, EFBIG);
	wt_power_log_clear(&log);
}

/* Rows of one moment stand as they stood; time goes forward for each node. */
static void test_order(void **state)
{
	struct wt_power_log log;
	struct wt_error err;

	(void) state;
	assert_int_equal(text_read(&log, HEADER "5.000000,off,n0,1,\n5.000000,booting,n0,2,\n3.000000,up,n0,1,\n", &err), 0);
	assert_int_equal(log.rows[0].event, WT_POWER_EVENT_UP);
	assert_int_equal(log.rows[1].event, WT_POWER_EVENT_OFF);
	assert_int_equal(log.rows[2].event, WT_POWER_EVENT_BOOTING);
	wt_power_log_clear(&log);
}

#define PAST "1.000000,off,n0,0,\n2.000000,booting,n0,1,\n3.000000,up,n0,1,\n4.000000,off,n0,1,\n5.000000,booting,n0,2,\n"

static void cut_is(const char *rows, int64_t begin_s, int64_t end_s, const char *wanted)
{
	struct wt_power_log log;
	struct wt_error err;
	char text[1024], left[1024];

	snprintf(text, sizeof(text), HEADER "%s", rows);
	snprintf(left, sizeof(left), HEADER "%s", wanted);
	assert_int_equal(text_read(&log, text, &err), 0);
	wt_power_log_cut(&log, begin_s * 1000000, end_s * 1000000);
	writes(&log, left);
	wt_power_log_clear(&log);
}

static void test_what_a_run_needs_to_know(void **state)
{
	(void) state;
	cut_is(PAST, 0, 9, PAST);
	cut_is(PAST, 3, 9, PAST);	/* on since 2: its life before is what tells that */
	cut_is(PAST, 4, 9, "4.000000,off,n0,1,\n5.000000,booting,n0,2,\n");
	cut_is(PAST, 9, 9, "4.000000,off,n0,1,\n5.000000,booting,n0,2,\n");
	cut_is(PAST, 3, 4, "1.000000,off,n0,0,\n2.000000,booting,n0,1,\n3.000000,up,n0,1,\n4.000000,off,n0,1,\n");
	cut_is(PAST, 0, 0, "");
	cut_is("7.000000,stopping,n1,0,\n", 3, 9, "7.000000,stopping,n1,0,\n");
	cut_is("", 3, 9, "");
}

static void test_machines(void **state)
{
	static const enum wt_machine after_on[WT_POWER_EVENTS] = {
		[WT_POWER_EVENT_ASKED_ON] = WT_MACHINE_ON, [WT_POWER_EVENT_STOCK_OUT] = WT_MACHINE_OFF,
		[WT_POWER_EVENT_BOOTING] = WT_MACHINE_BOOTING, [WT_POWER_EVENT_FAILED] = WT_MACHINE_OFF,
		[WT_POWER_EVENT_UP] = WT_MACHINE_ON, [WT_POWER_EVENT_REGISTERED] = WT_MACHINE_ON,
		[WT_POWER_EVENT_ASKED_OFF] = WT_MACHINE_ON, [WT_POWER_EVENT_STOPPING] = WT_MACHINE_STOPPING,
		[WT_POWER_EVENT_OFF] = WT_MACHINE_OFF, [WT_POWER_EVENT_TAKEN] = WT_MACHINE_ON,
		[WT_POWER_EVENT_NOTICE] = WT_MACHINE_ON,
	};

	(void) state;
	for (int e = 0; e < WT_POWER_EVENTS; e++)
		assert_int_equal(wt_machine_after(WT_MACHINE_ON, (enum wt_power_event) e), after_on[e]);
	assert_int_equal(wt_machine_after(WT_MACHINE_OFF, WT_POWER_EVENT_ASKED_ON), WT_MACHINE_OFF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_read_is_written),
		cmocka_unit_test(test_no_power_csv),
		cmocka_unit_test(test_lines_that_make_no_sense_are_counted),
		cmocka_unit_test(test_a_line_without_end),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_what_a_run_needs_to_know),
		cmocka_unit_test(test_machines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
