/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>

#include "harness/report/run_advice.h"

#define JOBS 6
static const char conf[] = "ClusterName=x\nEpilog=/bin/true\nSchedulerParameters=defer,bf_max_job_test=100,bf_interval=10\n";

/* Six jobs on 66 to 71 of 128 nodes, whose nodes came back so many times nodes x 2 ms behind their ends. */
static struct wt_record *record_make(double times)
{
	struct wt_record *record = wt_record_create(NULL, NULL);

	assert_non_null(record);
	record->nodes = 128;
	record->cpus = 128;
	record->begin_s = 1000;
	record->clock = strdup("virtual");
	record->jobs = calloc(JOBS, sizeof(*record->jobs));
	record->job_count = JOBS;
	for (uint32_t i = 0; i < JOBS; i++) {
		struct wt_job_record *job = &record->jobs[i];

		wt_job_record_init(job);
		job->alloc_nodes = i + 66;
		job->submit_s = 1000;
		job->submit_latency_s = 0;
		job->start_s = 1001;
		job->end_s = 1002;
		job->release_s = 1002 + times * 0.002 * job->alloc_nodes;
		job->released_nodes = job->alloc_nodes;
		job->release_sum_s = job->alloc_nodes * (job->release_s - job->start_s);
		assert_int_equal(wt_record_set_job_id(record, job, i + 1, NULL), 0);
	}
	return record;
}

static size_t hints_of(const struct wt_record *record, const char *text, struct run_hint hints[RUN_HINTS_MAX])
{
	struct wt_metrics m;

	assert_int_equal(wt_metrics_compute(&m, record, NULL), 0);
	return run_advice_make(hints, record, &m, text);
}

static void samples_add(struct wt_record *record, size_t count, uint64_t depth, uint64_t queue, uint64_t cycle_us)
{
	for (size_t i = 0; i < count; i++) {
		struct wt_sample sample = { .time_s = 1000 + (double) i,
					    .backfill_cycles = i,
					    .backfill_depth = depth,
					    .backfill_queue = queue,
					    .backfill_cycle_sum_us = i * cycle_us };

		assert_int_equal(wt_record_add_sample(record, &sample, NULL), 0);
	}
}

static void test_epilog_msg_time(void **state)
{
	struct wt_record *record = record_make(1);
	struct run_hint hints[RUN_HINTS_MAX];

	(void) state;
	assert_int_equal(hints_of(record, conf, hints), 1);
	assert_string_equal(hints[0].setting, "EpilogMsgTime");
	assert_float_equal(hints[0].value, 2000, 0);
	assert_int_equal(hints[0].kind, WT_KIND_VIRTUAL);
	assert_non_null(strstr(hints[0].text, "6 jobs on more than 64 nodes were completing for 1.00 times"));
	/* no Epilog, nothing known of slurm.conf, or another value: it is not what they waited for */
	assert_int_equal(hints_of(record, "ClusterName=x\n", hints), 0);
	assert_int_equal(hints_of(record, "", hints), 0);
	assert_int_equal(hints_of(record, "Epilog=/bin/true\nEpilogMsgTime=200\n", hints), 0);
	assert_int_equal(hints_of(record, "Epilog=/bin/true\nEpilogMsgTime=2100\n", hints), 1);
	record->jobs[0].alloc_nodes = record->jobs[1].alloc_nodes = 64; /* these nodes do not take turns: too few do */
	assert_int_equal(hints_of(record, conf, hints), 0);
	record->jobs[0].alloc_nodes = 66;
	record->jobs[1].alloc_nodes = 67;
	record->job_count = 4; /* too few */
	assert_int_equal(hints_of(record, conf, hints), 0);
	record->job_count = JOBS;
	wt_record_destroy(record);
	record = record_make(3); /* something else took three times as long */
	assert_int_equal(hints_of(record, conf, hints), 0);
	wt_record_destroy(record);
}

static void test_backfill_depth(void **state)
{
	struct wt_record *record = record_make(3);
	struct run_hint hints[RUN_HINTS_MAX];

	(void) state;
	samples_add(record, 6, 100, 700, 500000);
	assert_int_equal(hints_of(record, conf, hints), 1);
	assert_string_equal(hints[0].setting, "bf_max_job_test");
	assert_float_equal(hints[0].value, 100, 0);
	assert_int_equal(hints[0].kind, WT_KIND_MODELLED);
	assert_non_null(strstr(hints[0].text, "At 6 of 6 looks"));
	assert_non_null(strstr(hints[0].text, "up to 700 jobs waiting; a cycle took 0.500 s on average, of 10 s"));
	/* with the default, 500, nothing was cut */
	assert_int_equal(hints_of(record, "ClusterName=x\n", hints), 0);
	wt_record_destroy(record);
}

static void test_backfill_time(void **state)
{
	struct wt_record *record = record_make(3);
	struct run_hint hints[RUN_HINTS_MAX];

	(void) state;
	samples_add(record, 6, 50, 50, 6000000);
	assert_int_equal(hints_of(record, conf, hints), 1);
	assert_string_equal(hints[0].setting, "bf_interval");
	assert_non_null(strstr(hints[0].text, "took 6.00 s on average: it was at work for 38 % of the time"));
	record->samples[3].backfill_cycles = WT_COUNT_UNKNOWN; /* slurmctld did not answer: two spans are gone */
	assert_int_equal(hints_of(record, conf, hints), 0);
	wt_record_destroy(record);
}

static void test_values_of_slurm_conf(void **state)
{
	char *value = run_conf_value("# Epilog=no\nepilog=/a b\nEpilog=/c # d\nEpilogMsgTime=5\n", "Epilog");

	(void) state;
	assert_string_equal(value, "/c");
	free(value);
	assert_null(run_conf_value("EpilogMsgTime=5\n", "Epilog"));
	assert_float_equal(run_conf_scheduler_number(conf, "bf_interval", 30), 10, 0);
	assert_float_equal(run_conf_scheduler_number(conf, "bf_window", 30), 30, 0);
	assert_float_equal(run_conf_scheduler_number("SchedulerParameters=bf_interval=x\n", "bf_interval", 30), 30, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_epilog_msg_time),
		cmocka_unit_test(test_backfill_depth),
		cmocka_unit_test(test_backfill_time),
		cmocka_unit_test(test_values_of_slurm_conf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
