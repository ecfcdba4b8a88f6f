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

#include <dirent.h>
#include <unistd.h>

#include "record/test_run.h"
#include "lib/fs.h"
#include "harness/report/report.h"

static char folder[] = "/tmp/wt-report.XXXXXX";

static int folder_make(void **state)
{
	(void) state;
	return mkdtemp(folder) ? chdir(folder) : -1;
}

static int folder_remove(void **state)
{
	(void) state;
	return chdir("/") == 0 ? wt_fs_remove_tree(folder, NULL) : -1;
}

static void file_make(const char *name, const char *text)
{
	assert_int_equal(wt_fs_write(name, text, strlen(text), 0644, NULL), 0);
}

/* The files alone give every figure again. */
static void test_figures_can_be_recomputed(void **state)
{
	struct wt_record *record = fixture_record(), *back;
	struct wt_metrics m, again;
	struct wt_error err = { "" };

	(void) state;
	file_make("nodes.csv", fixture_events);
	assert_int_equal(wt_report_write(".", record, "nodes.csv", 0, &m, &err), 0);
	back = wt_report_read(".", &err);
	if (!back)
		fail_msg("%s", err.text);
	assert_int_equal(wt_metrics_compute(&again, back, NULL), 0);
	for (size_t i = 0; i < WT_FIG_COUNT; i++) {
		double x = m.figures[i].value, y = again.figures[i].value;

		if (!(isnan(x) ? isnan(y) : fabs(x - y) < 2e-5))
			fail_msg("%s was %.9g, is %.9g", wt_figure_infos[i].key, x, y);
		assert_int_equal(m.figures[i].kind, again.figures[i].kind);
	}
	assert_memory_equal(m.by_state, again.by_state, sizeof(m.by_state));
	assert_int_equal(m.probes_failed, again.probes_failed);
	wt_record_destroy(record);
	wt_record_destroy(back);
}

static void test_events_from_an_offset(void **state)
{
	static const char before[] = "900.000000,start,50,,,n0,1\n";
	struct wt_record *record = fixture_record();
	struct wt_metrics m;
	char *text = NULL;

	(void) state;
	file_make("two-runs.csv", "900.000000,start,50,,,n0,1\n1001.000000,start,101,,,n0,2\n");
	assert_int_equal(wt_report_write(".", record, "two-runs.csv", sizeof(before) - 1, &m, NULL), 0);
	assert_int_equal(wt_fs_read("events.csv", 1 << 20, &text, NULL, NULL), 0);
	assert_null(strstr(text, ",50,"));
	assert_non_null(strstr(text, "1001.000000,start,101,,,n0,2\n"));
	free(text);
	assert_int_equal(wt_report_write(".", record, NULL, 0, &m, NULL), 0);
	assert_int_equal(wt_fs_read("events.csv", 1 << 20, &text, NULL, NULL), 0);
	assert_null(strstr(text, "start"));
	free(text);
	wt_record_destroy(record);
}

static void test_failures_are_loud(void **state)
{
	struct wt_record *record = fixture_record();
	struct wt_metrics m;
	struct wt_error err;
	char *text = NULL;

	(void) state;
	assert_int_equal(wt_report_write("nowhere", record, NULL, 0, &m, &err), -1);
	assert_int_equal(errno, ENOENT);
	assert_string_equal(err.text, "nowhere/jobs.csv: cannot create a file beside it: No such file or directory");
	assert_int_equal(wt_report_write(".", record, "absent.csv", 0, &m, &err), -1);
	assert_string_equal(err.text, "./events.csv: absent.csv: cannot open: No such file or directory");
	file_make("bad.csv", "what is this\n");
	assert_int_equal(wt_report_write(".", record, "bad.csv", 0, &m, &err), 0);
	assert_int_equal(m.events_malformed, 1);
	assert_string_equal(err.text, "bad.csv:1: not 7 columns");
	assert_int_equal(wt_fs_read("summary.json", 1 << 20, &text, NULL, NULL), 0);
	assert_non_null(strstr(text, "\"events_malformed\": 1,"));
	free(text);
	wt_record_destroy(record);
}

static void test_reading_a_damaged_folder(void **state)
{
	struct wt_record *record = fixture_record();
	struct wt_metrics m;
	struct wt_error err;
	char *text = NULL, *end;

	(void) state;
	assert_null(wt_report_read("nowhere", &err));
	assert_int_equal(errno, ENOENT);
	assert_string_equal(err.text, "nowhere/summary.json: cannot open: No such file or directory");
	assert_int_equal(wt_report_write(".", record, NULL, 0, &m, NULL), 0);
	assert_int_equal(wt_fs_read("jobs.csv", 1 << 20, &text, NULL, NULL), 0);
	end = strstr(text, "\n103,");
	assert_non_null(end);
	end[6] = '\0';
	file_make("jobs.csv", text);
	free(text);
	assert_null(wt_report_read(".", &err));
	assert_int_equal(errno, EINVAL);
	assert_string_equal(err.text, "./jobs.csv:4: 2 fields where the header has 40");
	/* cut between two lines */
	assert_int_equal(wt_report_write(".", record, NULL, 0, &m, NULL), 0);
	assert_int_equal(wt_fs_read("jobs.csv", 1 << 20, &text, NULL, NULL), 0);
	strstr(text, "\n103,")[1] = '\0';
	file_make("jobs.csv", text);
	free(text);
	assert_null(wt_report_read(".", &err));
	assert_non_null(strstr(err.text, "./jobs.csv is not whole: it has 2 jobs, summary.json tells of "));
	/* well formed, but impossible */
	record->jobs[0].end_s = 999.5;
	assert_int_equal(wt_report_write(".", record, NULL, 0, &m, NULL), 0);
	assert_null(wt_report_read(".", &err));
	assert_string_equal(err.text, ".: jobs.csv:2: job w.A.1: ends 1.500000 s before it starts");
	wt_record_destroy(record);
}

static void test_no_jobs(void **state)
{
	struct wt_record *record = fixture_record(), *empty = wt_record_create(NULL, NULL), *back;
	struct wt_metrics m;

	(void) state;
	empty->nodes = empty->cpus = 1;
	empty->begin_s = 1;
	empty->backend = strdup("virtual");
	empty->clock = strdup("real");
	empty->workload = strdup("nothing");
	assert_int_equal(wt_report_write(".", empty, NULL, 0, &m, NULL), 0);
	back = wt_report_read(".", NULL);
	assert_non_null(back);
	assert_int_equal(back->job_count, 0);
	wt_record_destroy(back);
	wt_record_destroy(empty);
	wt_record_destroy(record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figures_can_be_recomputed),
		cmocka_unit_test(test_events_from_an_offset),
		cmocka_unit_test(test_failures_are_loud),
		cmocka_unit_test(test_reading_a_damaged_folder),
		cmocka_unit_test(test_no_jobs),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
