/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

/* The summary on the terminal. */
#include <errno.h>
#include <math.h>

#include "lib/str.h"
#include "harness/report/summary.h"
#include "lib/table.h"

#define NO_FIGURE WT_FIG_COUNT
#define NAMES_MAX 10

static const enum wt_figure_id scalars[] = {
	WT_FIG_MAKESPAN, WT_FIG_IDEAL, WT_FIG_EFFICIENCY, WT_FIG_UTILIZATION, WT_FIG_SUBMIT_RATE, WT_FIG_START_RATE,
	WT_FIG_END_RATE,
	WT_FIG_COMPLETING_NODE, WT_FIG_CONTROLLER_CPU, WT_FIG_CONTROLLER_CPU_PER_JOB, WT_FIG_CONTROLLER_RSS_MAX,
	WT_FIG_PENDING_MAX, WT_FIG_PLACED_FEWEST, WT_FIG_PLACED_FREE, WT_FIG_PLACED_LEAVES, WT_FIG_PLACED_LEVEL1,
	WT_FIG_NODES_BUSY, WT_FIG_NODES_IDLE, WT_FIG_NODES_BOOTING, WT_FIG_NODES_STOPPING, WT_FIG_NODES_OFF, WT_FIG_BOOTS,
	WT_FIG_BOOTS_LOST, WT_FIG_BILLED_UNITS, WT_FIG_NODES_BILLED, WT_FIG_COST, WT_FIG_COST_ALWAYS_ON, WT_FIG_ENERGY,
	WT_FIG_ENERGY_ALWAYS_ON, WT_FIG_WALL,
};

struct distribution {
	const char *label;
	enum wt_figure_id mean, median, p95, max;
};

static const struct distribution distributions[] = {
	{ "wait", WT_FIG_WAIT_MEAN, WT_FIG_WAIT_MEDIAN, NO_FIGURE, WT_FIG_WAIT_MAX },
	{ "turnaround", WT_FIG_TURNAROUND_MEAN, WT_FIG_TURNAROUND_MEDIAN, NO_FIGURE, WT_FIG_TURNAROUND_MAX },
	{ "bounded slowdown", WT_FIG_SLOWDOWN_MEAN, WT_FIG_SLOWDOWN_MEDIAN, NO_FIGURE, WT_FIG_SLOWDOWN_MAX },
	{ "completing time", WT_FIG_COMPLETING_MEAN, NO_FIGURE, NO_FIGURE, WT_FIG_COMPLETING_MAX },
	{ "submission latency", WT_FIG_SUBMIT_LATENCY_MEAN, WT_FIG_SUBMIT_LATENCY_MEDIAN, WT_FIG_SUBMIT_LATENCY_P95,
	  WT_FIG_SUBMIT_LATENCY_MAX },
	{ "probe latency", WT_FIG_PROBE_MEAN, WT_FIG_PROBE_MEDIAN, WT_FIG_PROBE_P95, WT_FIG_PROBE_MAX },
};

static int value_cell(struct wt_table *table, const struct wt_metrics *m, enum wt_figure_id id)
{
	if (id == NO_FIGURE)
		return wt_table_cell(table, "%s", "");
	if (isnan(m->figures[id].value))
		return wt_table_cell(table, "-");
	return wt_table_cell(table, "%.2f", m->figures[id].value * wt_figure_infos[id].scale);
}

/* A row below its own in seconds, where one of its times is long. */
static int duration_cell(struct wt_table *table, const struct wt_metrics *m, enum wt_figure_id id)
{
	char text[WT_DURATION_SIZE] = "";

	if (id != NO_FIGURE)
		wt_str_duration(text, m->figures[id].value);
	return wt_table_cell(table, "%s", text);
}

static int unit_cell(struct wt_table *table, const struct wt_metrics *m, enum wt_figure_id id)
{
	char text[WT_DURATION_SIZE];

	if (!wt_figure_long(id, m->figures[id].value))
		return wt_table_cell(table, "%s", wt_figure_infos[id].unit);
	wt_str_duration(text, m->figures[id].value);
	return wt_table_cell(table, "s = %s", text);
}

static int scalars_print(FILE *out, const struct wt_metrics *m)
{
	struct wt_table *table = wt_table_create("lrll");
	int rc = table ? 0 : -1;

	for (size_t i = 0; rc == 0 && i < sizeof(scalars) / sizeof(scalars[0]); i++) {
		const struct wt_figure_info *info = &wt_figure_infos[scalars[i]];

		if (isnan(m->figures[scalars[i]].value) && wt_figure_of_some_runs(scalars[i]))
			continue;
		if (wt_table_cell(table, "%s", info->label) < 0 || value_cell(table, m, scalars[i]) < 0 ||
		    unit_cell(table, m, scalars[i]) < 0 ||
		    wt_table_cell(table, "%s", wt_kind_name(m->figures[scalars[i]].kind)) < 0)
			rc = -1;
	}
	if (rc == 0)
		wt_table_print(table, out, "  ");
	wt_table_destroy(table);
	return rc;
}

static int distribution_row(struct wt_table *table, const struct wt_metrics *m, const struct distribution *d)
{
	return wt_table_cell(table, "%s", d->label) < 0 || value_cell(table, m, d->mean) < 0 ||
	       value_cell(table, m, d->median) < 0 || value_cell(table, m, d->p95) < 0 || value_cell(table, m, d->max) < 0 ||
	       wt_table_cell(table, "%s", wt_figure_infos[d->mean].unit) < 0 ||
	       wt_table_cell(table, "%s", wt_kind_name(m->figures[d->mean].kind)) < 0 ? -1 : 0;
}

static int distribution_durations(struct wt_table *table, const struct wt_metrics *m, const struct distribution *d)
{
	if (!wt_figure_long(d->max, m->figures[d->max].value))
		return 0;
	return wt_table_cell(table, "%s", "") < 0 || duration_cell(table, m, d->mean) < 0 || duration_cell(table, m,
		d->median) < 0 ||
	       duration_cell(table, m, d->p95) < 0 || duration_cell(table, m, d->max) < 0 || wt_table_cell(table, "%s",
	       "") < 0 ||
	       wt_table_cell(table, "%s", "") < 0 ? -1 : 0;
}

static int distributions_print(FILE *out, const struct wt_metrics *m)
{
	static const char *const heads[] = { "", "mean", "median", "95 %", "maximum", "", "" };
	struct wt_table *table = wt_table_create("lrrrrll");
	int rc = table ? 0 : -1;

	for (size_t i = 0; rc == 0 && i < sizeof(heads) / sizeof(heads[0]); i++)
		rc = wt_table_cell(table, "%s", heads[i]);
	for (size_t i = 0; rc == 0 && i < sizeof(distributions) / sizeof(distributions[0]); i++)
		rc = distribution_row(table, m, &distributions[i]) < 0 ? -1 : distribution_durations(table, m,
		&distributions[i]);
	if (rc == 0)
		wt_table_print(table, out, "  ");
	wt_table_destroy(table);
	return rc;
}

static void jobs_print(FILE *out, const struct wt_record *record, const struct wt_metrics *m)
{
	fprintf(out, "  %zu of %zu jobs submitted, %zu COMPLETED", m->jobs_submitted, m->jobs_total, m->jobs_completed);
	for (size_t i = 0; i < WT_JOB_STATE_COUNT; i++)
		if (i != WT_JOB_COMPLETED && m->by_state[i])
			fprintf(out, ", %zu %s", m->by_state[i], wt_job_state_name((enum wt_job_state) i));
	if (m->probes_failed)
		fprintf(out, "; %zu probes failed", m->probes_failed);
	fputs("\n", out);
	if (!m->jobs_missing)
		return;
	fprintf(out, "  missing:");
	for (size_t i = 0, shown = 0; i < record->job_count && shown < NAMES_MAX; i++)
		if (!wt_job_state_final(record->jobs[i].state)) {
			fprintf(out, " %s", record->jobs[i].name);
			shown++;
		}
	if (m->jobs_missing > NAMES_MAX)
		fprintf(out, " and %zu more, see summary.json", m->jobs_missing - NAMES_MAX);
	fputs("\n", out);
}

int wt_summary_print(FILE *out, const struct wt_record *record, const struct wt_metrics *metrics)
{
	fprintf(out, "%s on %u %s nodes (%u CPUs), seed %llu, time scale %g, %s clock%s%s\n",
		record->workload ? record->workload : "workload", record->nodes, record->backend ? record->backend :
		"unknown",
		record->cpus, (unsigned long long) record->seed, record->time_scale, record->clock ? record->clock :
		"unknown", record->slurm_version ? ", Slurm " : "", record->slurm_version ? record->slurm_version : "");
	jobs_print(out, record, metrics);
	fputs("\n", out);
	if (scalars_print(out, metrics) < 0)
		return -1;
	fputs("\n", out);
	return distributions_print(out, metrics);
}
