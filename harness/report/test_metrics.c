/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>
#include <stdio.h>

#include "record/test_run.h"
#include "harness/report/metrics.h"

/* Every wanted value was computed by hand from the table in test_run.h. */

static double figure(const struct wt_metrics *m, enum wt_figure_id id)
{
	return m->figures[id].value;
}

/* Of fixture_record (), by hand. */
static const struct golden_figure {
	enum wt_figure_id id;
	double value;
} golden[] = {
	{ WT_FIG_IDEAL, 17 }, { WT_FIG_MAKESPAN, 34 }, { WT_FIG_EFFICIENCY, 0.5 },
	{ WT_FIG_UTILIZATION, (8 * 20 + 16 * 10 + 4 * 1) / (16 * 34.0) },
	{ WT_FIG_WAIT_MEAN, (1 + 21 + 31) / 3.0 }, { WT_FIG_WAIT_MEDIAN, 21 }, { WT_FIG_WAIT_MAX, 31 },
	{ WT_FIG_TURNAROUND_MEAN, 28 }, { WT_FIG_TURNAROUND_MEDIAN, 31 }, { WT_FIG_TURNAROUND_MAX, 32 },
	/* 21 / 20, then bounded by the threshold of 10 s: 31 / 10, 32 / 10 */
	{ WT_FIG_SLOWDOWN_MEAN, 2.45 }, { WT_FIG_SLOWDOWN_MEDIAN, 3.1 }, { WT_FIG_SLOWDOWN_MAX, 3.2 },
	{ WT_FIG_SUBMIT_RATE, 4 / 3.0 }, { WT_FIG_START_RATE, 3 / 33.0 },
	{ WT_FIG_END_RATE, NAN },	/* they were not all cancelled together */
	{ WT_FIG_SUBMIT_LATENCY_MEAN, 0.375 }, { WT_FIG_SUBMIT_LATENCY_MEDIAN, 0.375 },
	{ WT_FIG_SUBMIT_LATENCY_P95, 0.5 }, { WT_FIG_SUBMIT_LATENCY_MAX, 0.5 },
	{ WT_FIG_COMPLETING_MEAN, 2 / 3.0 }, { WT_FIG_COMPLETING_MAX, 1 }, { WT_FIG_COMPLETING_NODE, 5.5 },
	{ WT_FIG_PROBE_MEAN, 0.03 }, { WT_FIG_PROBE_MEDIAN, 0.03 }, { WT_FIG_PROBE_P95, 0.039 },
	{ WT_FIG_PROBE_MAX, 0.04 },
	{ WT_FIG_CONTROLLER_CPU, 2 }, { WT_FIG_CONTROLLER_CPU_PER_JOB, 0.5 },
	{ WT_FIG_CONTROLLER_RSS_MAX, 2048 }, { WT_FIG_PENDING_MAX, 3 }, { WT_FIG_WALL, 40 },
	{ WT_FIG_PLACED_FEWEST, NAN }, { WT_FIG_PLACED_FREE, NAN }, { WT_FIG_PLACED_LEAVES, NAN },	/* no tree */
	{ WT_FIG_PLACED_LEVEL1, 0.5 },
	{ WT_FIG_NODES_BUSY, 36 }, { WT_FIG_NODES_IDLE, NAN }, { WT_FIG_NODES_BOOTING, NAN }, { WT_FIG_NODES_STOPPING, NAN },
	{ WT_FIG_NODES_OFF, NAN }, { WT_FIG_BOOTS, NAN }, { WT_FIG_BOOTS_LOST, NAN }, { WT_FIG_BILLED_UNITS, NAN },
	{ WT_FIG_NODES_BILLED, NAN }, { WT_FIG_COST, NAN }, { WT_FIG_COST_ALWAYS_ON, NAN }, { WT_FIG_ENERGY, NAN },
	{ WT_FIG_ENERGY_ALWAYS_ON, 0.5 },	/* the first and the last: figures follow the order of enum wt_cost */
};

static void test_golden(void **state)
{
	struct wt_record *record = fixture_record();
	struct wt_metrics m;

	(void) state;
	assert_int_equal(sizeof(golden) / sizeof(golden[0]), WT_FIG_COUNT);
	record->placed[WT_PLACED_LEVEL1] = 0.5;
	record->costs[WT_COST_NODES_BUSY] = 36;
	record->costs[WT_COST_ENERGY_ALWAYS] = 0.5;
	assert_int_equal(wt_metrics_compute(&m, record, NULL), 0);
	for (size_t i = 0; i < WT_FIG_COUNT; i++) {
		double got = figure(&m, golden[i].id);

		if (isnan(got) != isnan(golden[i].value) || fabs(got - golden[i].value) >= 1e-9)
			fail_msg("%s is %.12g, wanted %.12g", wt_figure_infos[golden[i].id].key, got, golden[i].value);
	}
	assert_int_equal(m.jobs_total, 4);
	assert_int_equal(m.jobs_submitted, 4);
	assert_int_equal(m.jobs_completed, 2);
	assert_int_equal(m.jobs_missing, 0);
	assert_int_equal(m.by_state[WT_JOB_FAILED], 1);
	assert_int_equal(m.by_state[WT_JOB_CANCELLED], 1);
	assert_int_equal(m.probes_failed, 1);
	assert_float_equal(m.slowdown_threshold_s, 10, 0);
	wt_record_destroy(record);
}

static void test_threshold_scales(void **state)
{
	struct wt_record *record = fixture_record();
	struct wt_metrics m;

	(void) state;
	record->time_scale = 0.1;
	assert_int_equal(wt_metrics_compute(&m, record, NULL), 0);
	/* threshold 1 s: 21 / 20, 31 / 10, 32 / 1 */
	assert_float_equal(figure(&m, WT_FIG_SLOWDOWN_MEAN), (1.05 + 3.1 + 32) / 3, 1e-9);
	wt_record_destroy(record);
}

static void test_slowdown_is_at_least_1(void **state)
{
	struct wt_record *record = fixture_record();
	struct wt_metrics m;

	(void) state;
	record->job_count = 3;
	for (size_t i = 0; i < 3; i++) {
		record->jobs[i].start_s = wt_job_sent_s(&record->jobs[i]);
		record->jobs[i].end_s = record->jobs[i].start_s + 1;
	}
	assert_int_equal(wt_metrics_compute(&m, record, NULL), 0);
	assert_float_equal(figure(&m, WT_FIG_SLOWDOWN_MEAN), 1, 0);
	assert_float_equal(figure(&m, WT_FIG_SLOWDOWN_MAX), 1, 0);
	assert_float_equal(figure(&m, WT_FIG_WAIT_MAX), 0, 0);
	record->job_count = 4;
	wt_record_destroy(record);
}

/* slurmctld cuts to whole seconds: a start of 1000 for a job sent at 1000.4 is no negative wait. */
static void test_wait_is_never_negative(void **state)
{
	struct wt_record *record = fixture_record();
	struct wt_metrics m;

	(void) state;
	record->jobs[0].start_s = 999.5;
	assert_int_equal(wt_metrics_compute(&m, record, NULL), 0);
	assert_float_equal(figure(&m, WT_FIG_WAIT_MEAN), (0 + 21 + 31) / 3.0, 1e-9);
	wt_record_destroy(record);
}

static void test_no_jobs(void **state)
{
	struct wt_record *record = wt_record_create(NULL, NULL);
	struct wt_metrics m;

	(void) state;
	record->begin_s = 5;
	record->cpus = record->nodes = 1;
	record->controller_cpu_s = 1;
	assert_int_equal(wt_metrics_compute(&m, record, NULL), 0);
	assert_int_equal(m.jobs_total, 0);
	for (size_t i = 0; i < WT_FIG_COUNT; i++)
		if (i != WT_FIG_CONTROLLER_CPU)
			assert_true(isnan(figure(&m, (enum wt_figure_id) i)));
	wt_record_destroy(record);
}

static void test_nothing_ran(void **state)
{
	struct wt_record *record = fixture_submitted();
	struct wt_metrics m;

	(void) state;
	assert_int_equal(wt_metrics_compute(&m, record, NULL), 0);
	assert_int_equal(m.jobs_missing, 4);
	assert_int_equal(m.by_state[WT_JOB_UNKNOWN], 4);
	assert_true(isnan(figure(&m, WT_FIG_MAKESPAN)) && isnan(figure(&m, WT_FIG_UTILIZATION)));
	assert_true(isnan(figure(&m, WT_FIG_WAIT_MEAN)) && isnan(figure(&m, WT_FIG_COMPLETING_NODE)));
	assert_float_equal(figure(&m, WT_FIG_SUBMIT_RATE), 4 / 3.0, 1e-9);
	wt_record_destroy(record);
}

static void test_failed_submission_counts_nowhere(void **state)
{
	struct wt_record *record = fixture_record();
	struct wt_metrics m;

	(void) state;
	record->jobs[2].job_id = 0;
	record->jobs[2].state = WT_JOB_UNKNOWN;
	assert_int_equal(wt_metrics_compute(&m, record, NULL), 0);
	assert_int_equal(m.jobs_submitted, 3);
	assert_int_equal(m.jobs_missing, 1);
	assert_float_equal(figure(&m, WT_FIG_WAIT_MAX), 21, 0);
	assert_float_equal(figure(&m, WT_FIG_MAKESPAN), 32, 0);
	record->jobs[2].job_id = 103;
	wt_record_destroy(record);
}

static void test_nodes_side_not_visible(void **state)
{
	struct wt_record *record = fixture_record();
	struct wt_metrics m;

	(void) state;
	for (size_t i = 0; i < 4; i++) {
		record->jobs[i].release_s = record->jobs[i].probe_latency_s = NAN;
		record->jobs[i].released_nodes = 0;
	}
	assert_int_equal(wt_metrics_compute(&m, record, NULL), 0);
	assert_true(isnan(figure(&m, WT_FIG_COMPLETING_MEAN)) && isnan(figure(&m, WT_FIG_COMPLETING_NODE)));
	assert_true(isnan(figure(&m, WT_FIG_PROBE_MEAN)));
	assert_float_equal(figure(&m, WT_FIG_MAKESPAN), 34, 0);
	wt_record_destroy(record);
}

/* Two jobs that were cancelled from 1010 s on: the nodes of one were released at 1022 s, the other has an end only. */
static void test_termination(void **state)
{
	struct wt_record *record = fixture_record();
	struct wt_metrics m;

	(void) state;
	record->cancel_s = 1010;
	record->jobs[0].state = WT_JOB_CANCELLED;
	record->jobs[3].end_s = 1015;
	assert_int_equal(wt_metrics_compute(&m, record, NULL), 0);
	assert_float_equal(figure(&m, WT_FIG_END_RATE), 2 / 12.0, 1e-9);
	record->jobs[3].end_s = 1030;
	assert_int_equal(wt_metrics_compute(&m, record, NULL), 0);
	assert_float_equal(figure(&m, WT_FIG_END_RATE), 2 / 20.0, 1e-9);
	record->cancel_s = 1030;	/* no time went by */
	assert_int_equal(wt_metrics_compute(&m, record, NULL), 0);
	assert_true(isnan(figure(&m, WT_FIG_END_RATE)));
	wt_record_destroy(record);
}

static void test_kinds(void **state)
{
	struct wt_record *record = fixture_record();
	struct wt_metrics m;

	(void) state;
	assert_int_equal(wt_metrics_compute(&m, record, NULL), 0);
	assert_int_equal(m.figures[WT_FIG_MAKESPAN].kind, WT_KIND_REAL);
	assert_int_equal(m.figures[WT_FIG_IDEAL].kind, WT_KIND_MODELLED);
	strcpy(record->clock, "virt");
	assert_int_equal(wt_metrics_compute(&m, record, NULL), 0);
	assert_int_equal(m.figures[WT_FIG_MAKESPAN].kind, WT_KIND_VIRTUAL);
	assert_int_equal(m.figures[WT_FIG_PROBE_MEAN].kind, WT_KIND_MODELLED);
	assert_int_equal(m.figures[WT_FIG_SUBMIT_RATE].kind, WT_KIND_MODELLED);
	assert_int_equal(wt_figure_kind(WT_FIG_END_RATE, "virtual"), WT_KIND_MODELLED);
	assert_int_equal(wt_figure_kind(WT_FIG_END_RATE, "real"), WT_KIND_REAL);
	assert_int_equal(m.figures[WT_FIG_CONTROLLER_CPU].kind, WT_KIND_REAL);
	assert_int_equal(m.figures[WT_FIG_WALL].kind, WT_KIND_REAL);
	assert_string_equal(wt_kind_name(WT_KIND_MODELLED), "modelled");
	wt_record_destroy(record);
}

static void test_every_figure_has_a_name(void **state)
{
	(void) state;
	for (size_t i = 0; i < WT_FIG_COUNT; i++) {
		assert_non_null(wt_figure_infos[i].key);
		assert_true(wt_figure_infos[i].scale > 0);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(wt_figure_infos[i].key, wt_figure_infos[j].key);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_threshold_scales),
		cmocka_unit_test(test_slowdown_is_at_least_1),
		cmocka_unit_test(test_wait_is_never_negative),
		cmocka_unit_test(test_no_jobs),
		cmocka_unit_test(test_nothing_ran),
		cmocka_unit_test(test_failed_submission_counts_nowhere),
		cmocka_unit_test(test_nodes_side_not_visible),
		cmocka_unit_test(test_termination),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_every_figure_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
