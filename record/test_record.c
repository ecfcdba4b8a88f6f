/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>
#include <stdio.h>

#include "record/test_run.h"
#include "esp/esp.h"

static void test_from_a_workload(void **state)
{
	struct wt_esp_options options;
	struct wt_workload *w;
	struct wt_record *record;

	(void) state;
	wt_esp_options_init(&options);
	options.nodes = 4;
	options.cpus = 64;
	w = wt_esp_create(&options, NULL);
	assert_non_null(w);
	record = wt_record_create(w, NULL);
	assert_non_null(record);
	assert_int_equal(record->job_count, 230);
	assert_string_equal(record->workload, "light-esp");
	assert_float_equal(record->ideal_s, 935.2093, 1e-3);
	assert_string_equal(record->jobs[229].name, "light-esp.Z.2");
	assert_string_equal(record->jobs[229].class_name, "Z");
	assert_int_equal(record->jobs[229].cpus, 64);
	assert_float_equal(record->jobs[229].run_time_s, 20, 0);
	assert_true(isnan(record->jobs[0].submit_s) && isnan(record->jobs[0].start_s) && isnan(record->jobs[0].release_s));
	assert_int_equal(record->jobs[0].state, WT_JOB_UNKNOWN);
	wt_workload_destroy(w);
	wt_record_destroy(record);
}

static void test_good(void **state)
{
	struct wt_record *record = fixture_record();
	struct wt_error err = { "" };

	(void) state;
	assert_int_equal(wt_record_check(record, &err), 0);
	assert_int_equal(wt_record_accounted(record, &err), 0);
	assert_string_equal(err.text, "");
	wt_record_destroy(record);
}

static void test_ids(void **state)
{
	struct wt_record *record = fixture_submitted();
	struct wt_error err;

	(void) state;
	assert_ptr_equal(wt_record_find(record, 103), &record->jobs[2]);
	assert_null(wt_record_find(record, 999));
	assert_null(wt_record_find(record, 0));
	assert_int_equal(wt_record_set_job_id(record, &record->jobs[0], 105, &err), -1);
	assert_string_equal(err.text, "job w.A.1: cannot have id 105 besides 101");
	record->jobs[3].job_id = 0;
	assert_int_equal(wt_record_set_job_id(record, &record->jobs[3], 0, &err), -1);
	assert_int_equal(errno, EINVAL);
	wt_record_destroy(record);
	record = wt_record_create(NULL, NULL);
	record->jobs = calloc(2, sizeof(*record->jobs));
	record->job_count = 2;
	record->jobs[0].name = strdup("one");
	record->jobs[1].name = strdup("two");
	assert_int_equal(wt_record_set_job_id(record, &record->jobs[0], 5, &err), 0);
	assert_int_equal(wt_record_set_job_id(record, &record->jobs[1], 5, &err), -1);
	assert_int_equal(errno, EEXIST);
	assert_string_equal(err.text, "jobs one and two both have id 5");
	assert_int_equal(record->jobs[1].job_id, 0);
	wt_record_destroy(record);
}

static void test_missing_jobs_are_named(void **state)
{
	struct wt_record *record = fixture_record();
	struct wt_error err;

	(void) state;
	record->jobs[1].state = WT_JOB_RUNNING;
	record->jobs[3].state = WT_JOB_UNKNOWN;
	assert_int_equal(wt_record_accounted(record, &err), -1);
	assert_int_equal(errno, ECHILD);
	assert_string_equal(err.text, "2 of 4 jobs are not accounted for: w.B.1 (RUNNING) w.C.1 (UNKNOWN)");
	assert_int_equal(wt_record_accounted(record, NULL), -1);
	wt_record_destroy(record);
}

static void test_failed_submission_is_missing(void **state)
{
	struct wt_record *record = wt_record_create(NULL, NULL);
	struct wt_error err;

	(void) state;
	record->jobs = calloc(40, sizeof(*record->jobs));
	record->job_count = 40;
	for (size_t i = 0; i < 40; i++)
		record->jobs[i].name = strdup("j");
	assert_int_equal(wt_record_accounted(record, &err), -1);
	assert_non_null(strstr(err.text, "40 of 40 jobs are not accounted for: j (not submitted) j"));
	assert_string_equal(err.text + strlen(err.text) - 4, " ...");
	wt_record_destroy(record);
}

static void expect_broken(struct wt_record *record, const char *text)
{
	struct wt_error err;

	assert_int_equal(wt_record_check(record, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(err.text, text);
	wt_record_destroy(record);
}

static void test_broken_records(void **state)
{
	struct wt_record *r;

	(void) state;
	(r = fixture_record())->jobs[0].start_s = 998.5;
	expect_broken(r, "job w.A.1: starts 1.500000 s before it is submitted");
	(r = fixture_record())->jobs[1].end_s = 1020.75;
	expect_broken(r, "job w.B.1: ends 1.250000 s before it starts");
	(r = fixture_record())->jobs[1].release_s = 1030.5;
	expect_broken(r, "job w.B.1: its nodes are released 1.500000 s before it ends");
	/* no slack between times that are no whole seconds */
	r = fixture_record();
	r->jobs[1].end_s = 1032.5;
	r->jobs[1].release_s = 1032.49;
	expect_broken(r, "job w.B.1: its nodes are released 0.010000 s before it ends");
	(r = fixture_record())->jobs[2].alloc_nodes = 5;
	expect_broken(r, "job w.B.2: had 5 nodes and 4 CPUs of 4 and 16");
	(r = fixture_record())->nodes = 0;
	expect_broken(r, "0 nodes with 16 CPUs");
	(r = fixture_record())->begin_s = NAN;
	expect_broken(r, "begins at nan s, time scale 1");
	(r = fixture_record())->samples[1].time_s = 999;
	expect_broken(r, "sample 1 is older than the one before");
	(r = fixture_record())->jobs[2].state = (enum wt_job_state) 99;
	expect_broken(r, "job w.B.2: state 99");
	r = fixture_record();
	free(r->clock);
	r->clock = NULL;
	expect_broken(r, "backend, clock or workload is not set");
}

/* Times of slurmctld are whole seconds: a start "before" its submission is no error there. */
static void test_whole_seconds_are_allowed(void **state)
{
	struct wt_record *record = fixture_record();

	(void) state;
	record->jobs[0].submit_latency_s = 0.05;	/* sent at 1000.45 */
	record->jobs[0].start_s = 1000;
	assert_int_equal(wt_record_check(record, NULL), 0);
	record->jobs[0].start_s = 1000.4;
	assert_int_equal(wt_record_check(record, NULL), -1);
	wt_record_destroy(record);
}

static void test_state_names(void **state)
{
	enum wt_job_state s;

	(void) state;
	for (int i = 0; i < WT_JOB_STATE_COUNT; i++) {
		assert_int_equal(wt_job_state_parse(wt_job_state_name((enum wt_job_state) i), &s), 0);
		assert_int_equal(s, i);
	}
	assert_int_equal(wt_job_state_parse("completed", &s), -1);
	assert_false(wt_job_state_final(WT_JOB_COMPLETING));
	assert_true(wt_job_state_final(WT_JOB_COMPLETED));
	assert_true(wt_job_state_final(WT_JOB_OTHER));
}

static void test_null_and_empty(void **state)
{
	struct wt_record *record = wt_record_create(NULL, NULL);

	(void) state;
	assert_int_equal(record->job_count, 0);
	assert_int_equal(wt_record_accounted(record, NULL), 0);
	assert_null(wt_record_find(record, 1));
	wt_record_destroy(record);
	errno = ENOENT;
	wt_record_destroy(NULL);
	assert_int_equal(errno, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_from_a_workload),
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_missing_jobs_are_named),
		cmocka_unit_test(test_failed_submission_is_missing),
		cmocka_unit_test(test_broken_records),
		cmocka_unit_test(test_whole_seconds_are_allowed),
		cmocka_unit_test(test_state_names),
		cmocka_unit_test(test_null_and_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
