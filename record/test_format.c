/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words that the run, the nodes and their scripts share: events.csv, the job's environment. */
#include "config.h"

#include "lib/test_cmocka.h"

#include <string.h>

#include "record/event_format.h"
#include "record/job_env.h"

static void test_events(void **state)
{
	static const char *const names[] = { "submit", "start", "probe", "end", "cancel", "release", "requeue" };

	(void) state;
	assert_int_equal(sizeof(names) / sizeof(names[0]), WT_EVENT_KIND_COUNT);
	for (int i = 0; i < WT_EVENT_KIND_COUNT; i++) {
		enum wt_event_kind kind = WT_EVENT_KIND_COUNT;

		assert_string_equal(wt_event_kind_name((enum wt_event_kind) i), names[i]);
		assert_int_equal(wt_event_kind_parse(names[i], &kind), 0);
		assert_int_equal(kind, i);
	}
}

static void test_probes(void **state)
{
	static const char *const names[] = { "none", "ping", "job", "step" };

	(void) state;
	assert_int_equal(sizeof(names) / sizeof(names[0]), WT_PROBE_COUNT);
	for (int i = 0; i < WT_PROBE_COUNT; i++) {
		enum wt_probe probe = WT_PROBE_COUNT;

		assert_string_equal(wt_probe_name((enum wt_probe) i), names[i]);
		assert_int_equal(wt_probe_parse(names[i], &probe), 0);
		assert_int_equal(probe, i);
	}
}

static void test_unknown(void **state)
{
	static const char *const bad[] = { "", "star", "started", "Start", " start", "steps" };
	enum wt_event_kind kind = WT_EVENT_END;
	enum wt_probe probe = WT_PROBE_JOB;

	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(wt_event_kind_parse(bad[i], &kind), -1);
		assert_int_equal(wt_probe_parse(bad[i], &probe), -1);
	}
	assert_int_equal(kind, WT_EVENT_END);
	assert_int_equal(probe, WT_PROBE_JOB);
}

/* A row of a script has the header's columns, in the header's order. */
static void test_row(void **state)
{
	static const char header[] = WT_EVENTS_HEADER;
	size_t commas = 0;

	(void) state;
	assert_string_equal(WT_EVENT_ROW_SH("time_s", "event", "job_id", "array_job_id", "array_task_id", "node", "value"),
			    header);
	for (const char *at = strchr(header, ','); at; at = strchr(at + 1, ','))
		commas++;
	assert_int_equal(commas + 1, WT_EVENT_COLUMNS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_probes),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_row),
	};

	return cmocka_run_group_tests_name("format", tests, NULL, NULL);
}
