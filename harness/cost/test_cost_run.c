/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cost/cost_run.h"

struct made {			/* a job */
	const char *nodes;
	double start_s, end_s, release_s;
};

/* A run of 'count' jobs on a partition of 'nodes' nodes, which began at 1000. */
static struct wt_record *record_make(uint32_t nodes, const struct made *jobs, size_t count)
{
	struct wt_record *record = wt_record_create(NULL, NULL);

	assert_non_null(record);
	record->begin_s = 1000;
	record->nodes = nodes;
	record->jobs = calloc(count + 1, sizeof(*record->jobs));
	record->job_count = count;
	for (size_t i = 0; i < count; i++) {
		wt_job_record_init(&record->jobs[i]);
		record->jobs[i].node_list = jobs[i].nodes ? strdup(jobs[i].nodes) : NULL;
		record->jobs[i].start_s = jobs[i].start_s;
		record->jobs[i].end_s = jobs[i].end_s;
		record->jobs[i].release_s = jobs[i].release_s;
	}
	return record;
}

static void log_make(struct wt_power_log *log, const char *rows)
{
	char text[1024];
	FILE *in;

	snprintf(text, sizeof(text), WT_POWER_HEADER "\n%s", rows);
	in = fmemopen(text, strlen(text), "r");
	assert_int_equal(wt_power_log_read(log, in, "p", NULL), 0);
	fclose(in);
}

static void add(struct cost_settings *settings, const char *text)
{
	assert_int_equal(cost_settings_add(settings, text, NULL), 0);
}

static void test_classes(void **state)
{
	static const struct made jobs[] = { { "n[0-1]", 1010, 1110, 1120 }, { "n5", 1010, 1600, NAN },
					    { NULL, NAN, NAN, NAN } };
	struct wt_record *record = record_make(6, jobs, 3);
	struct cost_settings settings = { 0 };
	struct wt_power_log log;
	struct cost_run run;
	struct cost_sums sums[2];

	(void) state;
	add(&settings, "price=3.6");
	add(&settings, "n[0-1,4]:price=36");
	log_make(&log, "1300.000000,stopping,n0,0,\n1310.000000,off,n0,0,\n");
	assert_int_equal(cost_run_make(&run, record, &settings, &log, NULL), 0);
	assert_true(run.window.from_us == 1000000000 && run.window.to_us == 1600000000);
	assert_int_equal(run.power.name_count, 4);	/* n0, n1, n5, n4 */
	assert_int_equal(run.others, 2);
	assert_int_equal(cost_run_bill(&run, &settings, sums, NULL), 0);
	assert_int_equal(sums[0].nodes, 3);
	assert_int_equal(sums[1].nodes, 3);
	assert_float_equal(sums[1].node_s[COST_BUSY], 2 * 110, 1e-6);
	assert_float_equal(sums[1].node_s[COST_OFF], 290, 1e-6);
	assert_float_equal(sums[0].node_s[COST_BUSY], 590, 1e-6);
	assert_float_equal(sums[1].cost, (310 + 600 + 600) * 0.01, 1e-6);
	assert_float_equal(sums[1].always_cost, 3 * 600 * 0.01, 1e-6);
	cost_figures_fill(record, &settings, sums);
	assert_float_equal(record->costs[WT_COST_PRICE], 15.1 + 3 * 600 * 0.001, 1e-6);
	assert_true(isnan(record->costs[WT_COST_ENERGY]));
	cost_run_clear(&run);
	cost_settings_clear(&settings);
	wt_record_destroy(record);
}

/* A foreign summary.json may tell of any number: it takes no longer. */
static void test_many_nodes_that_did_nothing(void **state)
{
	static const struct made jobs[] = { { "n0", 1000, 1100, NAN } };
	struct wt_record *record = record_make(UINT32_MAX, jobs, 1);
	struct cost_settings settings = { 0 };
	struct wt_power_log log = { 0 };
	struct cost_run run;
	struct cost_sums sums[1];

	(void) state;
	add(&settings, "price=36");
	assert_int_equal(cost_run_make(&run, record, &settings, &log, NULL), 0);
	assert_int_equal(cost_run_bill(&run, &settings, sums, NULL), 0);
	assert_true(sums[0].nodes == UINT32_MAX && sums[0].rentals == UINT32_MAX);
	assert_float_equal(sums[0].cost, UINT32_MAX, 1e-3);
	assert_float_equal(sums[0].node_s[COST_IDLE], (UINT32_MAX - 1.0) * 100, 1e-3);
	cost_run_clear(&run);
	cost_settings_clear(&settings);
	wt_record_destroy(record);
}

static void test_what_is_told(void **state)
{
	static const struct made jobs[] = { { "n0", 1000, 1100, 1100 } };
	struct wt_record *record = record_make(2, jobs, 1);
	struct cost_settings settings = { 0 };
	struct wt_power_log log = { 0 };
	struct cost_run run;
	struct cost_sums sums[1];
	json_t *json, *class;

	(void) state;
	assert_int_equal(cost_run_make(&run, record, &settings, &log, NULL), 0);
	assert_int_equal(cost_run_bill(&run, &settings, sums, NULL), 0);
	json = cost_json(&run, &settings, sums);
	assert_float_equal(json_number_value(json_object_get(json, "billed_time_s")), 100, 1e-9);
	class = json_array_get(json_object_get(json, "classes"), 0);
	assert_true(json_is_null(json_object_get(class, "node_list")));
	assert_true(json_is_null(json_object_get(class, "cost")));
	assert_int_equal(json_integer_value(json_object_get(class, "nodes")), 2);
	assert_float_equal(json_number_value(json_object_get(class, "billed_units")), 200, 1e-9);
	assert_true(json_is_true(json_object_get(json_object_get(class, "tariff"), "boot_paid")));
	json_decref(json);
	cost_run_clear(&run);
	wt_record_destroy(record);
}

static int made(struct wt_record *record, const char *setting, struct wt_error *errp)
{
	struct cost_settings settings = { 0 };
	struct wt_power_log log = { 0 };
	struct cost_run run;
	int rc;

	if (setting)
		add(&settings, setting);
	rc = cost_run_make(&run, record, &settings, &log, errp);
	cost_run_clear(&run);
	cost_settings_clear(&settings);
	wt_record_destroy(record);
	return rc;
}

static void test_what_cannot_be_billed(void **state)
{
	static const struct made none = { "n0", 1000, NAN, NAN }, odd = { "n[0-", 1000, 1100, NAN },
				 far = { "n0", 1000, 1e300, NAN },
				 again = { "n0", NAN, NAN, 1100 },
				 good = { "n0", 1000, 1100, NAN }, never = { "n0", 1e300, 1100, -1e300 };
	struct wt_error err;

	(void) state;
	assert_int_equal(made(record_make(1, NULL, 0), NULL, &err), -1);
	assert_non_null(strstr(err.text, "no job has ended"));
	assert_int_equal(made(record_make(1, &none, 1), NULL, &err), -1);
	assert_int_equal(made(record_make(1, &far, 1), NULL, &err), -1);
	assert_int_equal(made(record_make(1, &again, 1), NULL, &err), -1);
	assert_int_equal(made(record_make(1, &odd, 1), NULL, &err), -1);
	assert_non_null(strstr(err.text, "nodes of job"));
	assert_int_equal(made(record_make(1, &good, 1), "n1:price=1", &err), -1);
	assert_non_null(strstr(err.text, "no node n1"));
	assert_int_equal(made(record_make(2, &good, 1), "n1:price=1", &err), 0);
	assert_int_equal(made(record_make(0, &good, 1), NULL, NULL), 0);
	assert_int_equal(made(record_make(1, &never, 1), NULL, NULL), 0);
}

static void test_a_folder_without_power_csv(void **state)
{
	struct wt_error err = { .text = "" };
	struct wt_power_log log;

	(void) state;
	assert_int_equal(cost_power_read("/nonexistent", &log, &err), 0);
	assert_int_equal(log.count, 0);
	assert_string_equal(err.text, "");	/* summary.json tells it as the reason why costs are not known */
	wt_power_log_clear(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_many_nodes_that_did_nothing),
		cmocka_unit_test(test_what_is_told),
		cmocka_unit_test(test_what_cannot_be_billed),
		cmocka_unit_test(test_a_folder_without_power_csv),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
