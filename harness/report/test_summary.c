/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>
#include <stdio.h>

#include "record/test_run.h"
#include "harness/report/repeats.h"
#include "harness/report/summary.h"

static struct wt_metrics metrics_of(const struct wt_record *record)
{
	struct wt_metrics m;

	assert_int_equal(wt_metrics_compute(&m, record, NULL), 0);
	return m;
}

static double number(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_number(value))
		fail_msg("%s is not a number", key);
	return json_number_value(value);
}

static void test_json_has_what_other_tools_rely_on(void **state)
{
	struct wt_record *record = fixture_record();
	struct wt_metrics m = metrics_of(record);
	json_t *json = wt_summary_json(record, &m);
	const json_t *kinds, *states;

	(void) state;
	assert_non_null(json);
	assert_float_equal(number(json, "nodes"), 4, 0);
	assert_float_equal(number(json, "jobs_submitted"), 4, 0);
	assert_float_equal(number(json, "jobs_completed"), 2, 0);
	assert_float_equal(number(json, "ideal_s"), 17, 0);
	assert_float_equal(number(json, "makespan_s"), 34, 0);
	assert_float_equal(number(json, "utilization"), 324 / 544.0, 1e-9);
	assert_float_equal(number(json, "wait_mean_s"), 53 / 3.0, 1e-9);
	assert_float_equal(number(json, "wall_s"), 40, 0);
	assert_float_equal(number(json, "controller_cpu_s"), 2, 0);
	assert_float_equal(number(json, "seed"), 7, 0);
	assert_string_equal(json_string_value(json_object_get(json, "backend")), "virtual");
	assert_string_equal(json_string_value(json_object_get(json, "clock")), "real");
	kinds = json_object_get(json, "kinds");
	assert_int_equal(json_object_size(kinds), WT_FIG_COUNT);
	assert_string_equal(json_string_value(json_object_get(kinds, "makespan_s")), "real");
	assert_string_equal(json_string_value(json_object_get(kinds, "ideal_s")), "modelled");
	states = json_object_get(json, "jobs_by_state");
	assert_int_equal(json_object_size(states), 3);
	assert_float_equal(number(states, "CANCELLED"), 1, 0);
	assert_int_equal(json_array_size(json_object_get(json, "missing")), 0);
	json_decref(json);
	wt_record_destroy(record);
}

static void test_json_unknown_is_null_and_missing_are_named(void **state)
{
	struct wt_record *record = fixture_submitted();
	struct wt_metrics m;
	json_t *json;

	(void) state;
	record->wall_s = NAN;
	record->seed = UINT64_MAX;
	m = metrics_of(record);
	json = wt_summary_json(record, &m);
	assert_true(json_is_null(json_object_get(json, "makespan_s")));
	assert_true(json_is_null(json_object_get(json, "wall_s")));
	assert_string_equal(json_string_value(json_object_get(json, "seed")), "18446744073709551615");
	assert_float_equal(number(json, "jobs_missing"), 4, 0);
	assert_string_equal(json_string_value(json_array_get(json_object_get(json, "missing"), 3)), "w.C.1");
	json_decref(json);
	wt_record_destroy(record);
}

static int head_read(struct wt_record *record, const char *text, struct wt_error *errp)
{
	FILE *in = fmemopen((void *) text, strlen(text), "r");
	int rc;

	assert_non_null(in);
	rc = wt_summary_read(record, in, "s.json", errp);
	fclose(in);
	return rc;
}

static void test_json_read_back(void **state)
{
	struct wt_record *record = fixture_record(), *back = wt_record_create(NULL, NULL);
	struct wt_metrics m;
	json_t *json;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void) state;
	record->begin_s = 1700000000.123456;
	record->wall_s = NAN;
	record->seed = UINT64_MAX;
	m = metrics_of(record);
	json = wt_summary_json(record, &m);
	assert_int_equal(wt_json_write(out, json, NULL), 0);
	fclose(out);
	assert_int_equal(text[strlen(text) - 1], '\n');
	assert_int_equal(head_read(back, text, NULL), 0);
	assert_float_equal(back->begin_s, record->begin_s, 1e-7);
	assert_true(isnan(back->wall_s));
	assert_int_equal(back->seed, UINT64_MAX);
	assert_int_equal(back->cpus, 16);
	assert_string_equal(back->workload, "w");
	free(text);
	json_decref(json);
	wt_record_destroy(record);
	wt_record_destroy(back);
}

static void test_json_foreign_bytes(void **state)
{
	static const char *const bad[] = {
		"{", "[]", "{}", "{\"workload\": 3}", "nonsense", "{\"nodes\": 1, \"nodes\": 2}",
		"{\"workload\": \"w\", \"backend\": \"v\", \"clock\": \"real\", \"nodes\": -1}",
		"{\"workload\": \"w\", \"backend\": \"v\", \"clock\": \"real\", \"nodes\": 1, \"cpus\": 1, \"seed\": 1.5}",
		"{\"workload\": \"w\", \"backend\": \"v\", \"clock\": \"real\", \"nodes\": 1, \"cpus\": 1, \"seed\": \"x\"}",
	};

	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct wt_record *record = wt_record_create(NULL, NULL);
		struct wt_error err = { "" };

		assert_int_equal(head_read(record, bad[i], &err), -1);
		assert_int_equal(errno, EINVAL);
		assert_true(strlen(err.text) > 0);
		wt_record_destroy(record);
	}
}

static void test_print(void **state)
{
	struct wt_record *record = fixture_record();
	struct wt_metrics m = metrics_of(record);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void) state;
	record->slurm_version = strdup("24.11.5");
	assert_int_equal(wt_summary_print(out, record, &m), 0);
	fclose(out);
	assert_memory_equal(text, "w on 4 virtual nodes (16 CPUs), seed 7, time scale 1, real clock, Slurm 24.11.5\n"
			    "  4 of 4 jobs submitted, 2 COMPLETED, 1 FAILED, 1 CANCELLED; 1 probes failed\n\n", 157);
	assert_non_null(strstr(text, "\n  makespan                       34.00  s       real\n"));
	assert_non_null(strstr(text, "\n  utilisation                    59.56  %       real\n"));
	assert_non_null(strstr(text, "\n                        mean  median    95 %  maximum\n"));
	assert_non_null(strstr(text, "\n  wait                 17.67   21.00            31.00  s   real\n"));
	assert_non_null(strstr(text, "\n  completing time       0.67                     1.00  s   real\n"));
	assert_non_null(strstr(text, "\n  probe latency        30.00   30.00   39.00    40.00  ms  real\n"));
	free(text);
	wt_record_destroy(record);
}

/* People read long times better as hours, minutes and seconds. */
static void test_print_long_times(void **state)
{
	struct wt_record *record = fixture_record();
	struct wt_metrics m = metrics_of(record), runs[2];
	struct wt_repeats repeats;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void) state;
	m.figures[WT_FIG_MAKESPAN].value = 100000;
	m.figures[WT_FIG_WAIT_MAX].value = 3661;
	assert_int_equal(wt_summary_print(out, record, &m), 0);
	runs[0] = runs[1] = m;
	runs[1].figures[WT_FIG_MAKESPAN].value = 100120;
	assert_int_equal(wt_repeats_compute(&repeats, runs, 2, NULL), 0);
	assert_int_equal(wt_repeats_print(out, &repeats), 0);
	fclose(out);
	assert_non_null(strstr(text, " 100000.00  s = 1-03:46:40  real\n"));
	assert_non_null(strstr(text, "  3661.00  s   real\n                      00:00:18  00:00:21          01:01:01\n"));
	assert_non_null(strstr(text, " 1-03:47:40   00:12:42   00:01:25  1-03:46:40  1-03:48:40\n"));
	free(text);
	wt_record_destroy(record);
}

/* A run that is stopped early may lack thousands. */
static void test_print_names_ten_of_the_missing(void **state)
{
	static struct wt_job jobs[12];
	struct wt_workload w = { .name = (char *) "w", .time_scale = 1, .job_count = 12, .jobs = jobs };
	static char names[12][8];
	struct wt_record *record;
	struct wt_metrics m;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void) state;
	for (size_t i = 0; i < 12; i++) {
		snprintf(names[i], sizeof(names[i]), "j%zu", i);
		jobs[i].name = names[i];
		jobs[i].class_name = names[i];
	}
	record = wt_record_create(&w, NULL);
	assert_non_null(record);
	m = metrics_of(record);
	assert_int_equal(wt_summary_print(out, record, &m), 0);
	fclose(out);
	assert_non_null(strstr(text, "\n  missing: j0 j1 j2 j3 j4 j5 j6 j7 j8 j9 and 2 more, see summary.json\n"));
	free(text);
	wt_record_destroy(record);
}

static void test_print_names_the_missing(void **state)
{
	struct wt_record *record = fixture_submitted();
	struct wt_metrics m = metrics_of(record);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void) state;
	assert_int_equal(wt_summary_print(out, record, &m), 0);
	fclose(out);
	assert_non_null(strstr(text, "\n  missing: w.A.1 w.B.1 w.B.2 w.C.1\n"));
	assert_non_null(strstr(text, "\n  makespan                           -  s       real\n"));
	free(text);
	wt_record_destroy(record);
}

/* Three runs whose makespans are 30, 34 and 38 s: mean 34, deviation 4, 95 % interval 4.302653 x 4 / sqrt (3). */
static void repeats_make(struct wt_metrics *runs, struct wt_record *record)
{
	for (size_t i = 0; i < 3; i++) {
		runs[i] = metrics_of(record);
		runs[i].figures[WT_FIG_MAKESPAN].value = 30 + 4.0 * (double) i;
	}
	runs[0].figures[WT_FIG_PROBE_MEAN].value = NAN;
}

static void test_repeats(void **state)
{
	struct wt_record *record = fixture_record();
	struct wt_metrics runs[3];
	struct wt_repeats repeats;
	const struct wt_stats *s = &repeats.stats[WT_FIG_MAKESPAN];
	json_t *json;

	(void) state;
	repeats_make(runs, record);
	assert_int_equal(wt_repeats_compute(&repeats, runs, 3, NULL), 0);
	assert_int_equal(repeats.run_count, 3);
	assert_int_equal(repeats.jobs_completed, 6);
	assert_float_equal(s->mean, 34, 1e-9);
	assert_float_equal(s->sd, 4, 1e-9);
	assert_float_equal(s->ci95, 4.302653 * 4 / sqrt(3), 1e-5);
	assert_int_equal(repeats.stats[WT_FIG_PROBE_MEAN].count, 2);
	json = wt_repeats_json(&repeats, record);
	assert_non_null(json);
	assert_float_equal(number(json, "runs"), 3, 0);
	assert_float_equal(number(json, "makespan_s"), 34, 1e-9);
	assert_float_equal(number(json, "nodes"), 4, 0);
	assert_float_equal(number(json_object_get(json_object_get(json, "spread"), "makespan_s"), "sd"), 4, 1e-9);
	assert_string_equal(json_string_value(json_object_get(json_object_get(json, "kinds"), "makespan_s")), "real");
	json_decref(json);
	wt_record_destroy(record);
}

static void test_repeats_of_one_run(void **state)
{
	struct wt_record *record = fixture_record();
	struct wt_metrics run = metrics_of(record);
	struct wt_repeats repeats;
	json_t *json;

	(void) state;
	assert_int_equal(wt_repeats_compute(&repeats, &run, 1, NULL), 0);
	assert_float_equal(repeats.stats[WT_FIG_MAKESPAN].mean, 34, 0);
	assert_true(isnan(repeats.stats[WT_FIG_MAKESPAN].ci95));
	json = wt_repeats_json(&repeats, record);
	assert_true(json_is_null(json_object_get(json_object_get(json_object_get(json, "spread"), "makespan_s"), "sd")));
	json_decref(json);
	wt_record_destroy(record);
}

static void test_repeats_refused(void **state)
{
	struct wt_record *record = fixture_record();
	struct wt_metrics runs[3];
	struct wt_repeats repeats;
	struct wt_error err;

	(void) state;
	repeats_make(runs, record);
	assert_int_equal(wt_repeats_compute(&repeats, runs, 0, &err), -1);
	assert_string_equal(err.text, "no run to summarise");
	runs[2].figures[WT_FIG_WAIT_MAX].kind = WT_KIND_VIRTUAL;
	assert_int_equal(wt_repeats_compute(&repeats, runs, 3, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(err.text, "wait_max_s is real in run 1 but virtual in run 3: they cannot be put together");
	wt_record_destroy(record);
}

static void test_repeats_print(void **state)
{
	struct wt_record *record = fixture_record();
	struct wt_metrics runs[3];
	struct wt_repeats repeats;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void) state;
	repeats_make(runs, record);
	assert_int_equal(wt_repeats_compute(&repeats, runs, 3, NULL), 0);
	assert_int_equal(wt_repeats_print(out, &repeats), 0);
	fclose(out);
	assert_memory_equal(text, "3 runs: 12 jobs submitted, 6 COMPLETED, 0 missing\n\n", 51);
	assert_non_null(strstr(text, "makespan "));
	assert_non_null(strstr(text, " 34.00 "));
	assert_non_null(strstr(text, " 9.94 "));
	free(text);
	wt_record_destroy(record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_json_has_what_other_tools_rely_on),
		cmocka_unit_test(test_json_unknown_is_null_and_missing_are_named),
		cmocka_unit_test(test_json_read_back),
		cmocka_unit_test(test_json_foreign_bytes),
		cmocka_unit_test(test_print), cmocka_unit_test(test_print_long_times),
		cmocka_unit_test(test_print_names_the_missing), cmocka_unit_test(test_print_names_ten_of_the_missing),
		cmocka_unit_test(test_repeats),
		cmocka_unit_test(test_repeats_of_one_run),
		cmocka_unit_test(test_repeats_refused),
		cmocka_unit_test(test_repeats_print),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
