/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/export/run_metrics.h"
#include "harness/page/job_values.h"
#include "lib/openmetrics.h"

#define LATEST_S 1e11	/* a time since the epoch behind this one (the year 5138) is damage */

struct run_metrics {
	const struct page_input *input;
	char **names;		/* [run_count], of the label "run" */
	struct wt_openmetrics om;
};

typedef void (*run_write)(struct wt_openmetrics *om, const struct page_run *run, const char *name);

/* A family's samples must stand together (OpenMetrics): so families are the outer loop, and runs the inner one. */
static void each_run(struct run_metrics *m, run_write write)
{
	for (size_t i = 0; i < m->input->run_count; i++) {
		const struct page_run *run = &m->input->runs[i];
		double end_s = run->record->begin_s + run->period_s;

		m->om.time_s = run->record->begin_s > 0 && end_s < LATEST_S ? end_s : NAN;
		write(&m->om, run, m->names[i]);
	}
}

/* ---- what was run ------------------------------------------------------------------------------------------------- */

static void identity_write(struct wt_openmetrics *om, const struct page_run *run, const char *name)
{
	const struct wt_record *record = run->record;
	char seed[24];
	const struct wt_metric_label labels[] = {
		{ "run", name }, { "name", run->name }, { "workload", record->workload }, { "clock", record->clock },
		{ "backend", record->backend }, { "scheduler", run->scheduler }, { "select", run->select },
		{ "seed", run->summary ? seed : NULL }, { NULL, NULL },
	};

	snprintf(seed, sizeof(seed), "%" PRIu64, record->seed);
	wt_metric_info(om, labels);
}

static void nodes_write(struct wt_openmetrics *om, const struct page_run *run, const char *name)
{
	const struct wt_metric_label labels[] = { { "run", name }, { NULL, NULL } };

	if (run->record->nodes)
		wt_metric_count(om, labels, run->record->nodes);
}

static void cpus_write(struct wt_openmetrics *om, const struct page_run *run, const char *name)
{
	const struct wt_metric_label labels[] = { { "run", name }, { NULL, NULL } };

	if (run->record->cpus)
		wt_metric_count(om, labels, run->record->cpus);
}

static void interrupted_write(struct wt_openmetrics *om, const struct page_run *run, const char *name)
{
	const struct wt_metric_label labels[] = { { "run", name }, { NULL, NULL } };

	wt_metric_count(om, labels, run->interrupted);
}

static void states_write(struct wt_openmetrics *om, const struct page_run *run, const char *name)
{
	uint64_t counts[WT_JOB_STATE_COUNT] = { 0 };

	for (size_t i = 0; i < run->job_count; i++)
		counts[run->jobs[i].record->state]++;
	for (int state = 0; state < WT_JOB_STATE_COUNT; state++) {
		const struct wt_metric_label labels[] = {
			{ "run", name }, { "state", wt_job_state_name((enum wt_job_state) state) }, { NULL, NULL },
		};

		wt_metric_count(om, labels, counts[state]);
	}
}

static void identity_families(struct run_metrics *m)
{
	wt_metric_family(&m->om, "windtunnel_run", WT_METRIC_INFO, NULL, "What was run.");
	each_run(m, identity_write);
	wt_metric_family(&m->om, "windtunnel_nodes", WT_METRIC_GAUGE, NULL, "Nodes of the cluster.");
	each_run(m, nodes_write);
	wt_metric_family(&m->om, "windtunnel_cpus", WT_METRIC_GAUGE, NULL, "CPUs of the cluster.");
	each_run(m, cpus_write);
	wt_metric_family(&m->om, "windtunnel_interrupted", WT_METRIC_GAUGE, NULL, "1: the run did not end by itself.");
	each_run(m, interrupted_write);
	wt_metric_family(&m->om, "windtunnel_jobs", WT_METRIC_GAUGE, NULL, "Jobs in jobs.csv by their last state.");
	each_run(m, states_write);
}

/* ---- figures ------------------------------------------------------------------------------------------------------ */

static bool key_ends(const char *key, const char *end, char name[WT_METRIC_NAME_SIZE], const char *instead)
{
	size_t len = strlen(key), end_len = strlen(end);

	if (len <= end_len || strcmp(key + len - end_len, end) != 0)
		return false;
	snprintf(name, WT_METRIC_NAME_SIZE, "windtunnel_%.*s%s", (int) (len - end_len), key, instead);
	return true;
}

/* Base units: the name in 'name', the factor to it in *scale, and the unit, or NULL. OpenMetrics wants base units,
 * and the unit as the end of the name. */
static const char *figure_unit(const struct wt_figure_info *info, char name[WT_METRIC_NAME_SIZE], double *scale)
{
	*scale = 1;
	if (key_ends(info->key, "_per_s", name, "_per_second"))
		return "per_second";
	if (key_ends(info->key, "_s", name, "_seconds"))
		return "seconds";
	if (key_ends(info->key, "_kib", name, "_bytes")) {
		*scale = 1024;
		return "bytes";
	}
	if (key_ends(info->key, "_kwh", name, "_joules")) {
		*scale = 3.6e6;
		return "joules";
	}
	snprintf(name, WT_METRIC_NAME_SIZE, "windtunnel_%s%s", info->key, strcmp(info->unit, "%") ? "" : "_ratio");
	return strcmp(info->unit, "%") ? NULL : "ratio";
}

static void figure_families(struct run_metrics *m)
{
	for (int f = 0; f < WT_FIG_COUNT; f++) {
		char name[WT_METRIC_NAME_SIZE], help[128];
		double scale;
		const char *unit = figure_unit(&wt_figure_infos[f], name, &scale);

		snprintf(help, sizeof(help), "Figure of the run: %s.", wt_figure_infos[f].label);
		wt_metric_family(&m->om, name, WT_METRIC_GAUGE, unit, help);
		for (size_t i = 0; i < m->input->run_count; i++) {
			const struct page_run *run = &m->input->runs[i];
			const struct wt_figure *figure = &run->metrics.figures[f];
			const struct wt_metric_label labels[] = {
				{ "run", m->names[i] }, { "kind", wt_kind_name(figure->kind) }, { NULL, NULL },
			};
			double end_s = run->record->begin_s + run->period_s;

			m->om.time_s = run->record->begin_s > 0 && end_s < LATEST_S ? end_s : NAN;
			wt_metric_value(&m->om, labels, figure->value * scale);
		}
	}
}

/* ---- distributions ------------------------------------------------------------------------------------------------ */

#define BUCKETS_MAX 20

struct histogram {
	const double *bounds;
	size_t bucket_count;
	uint64_t counts[BUCKETS_MAX];	/* at most the bound */
	uint64_t count;
	double sum;
};

static const double long_bounds[] = { 0.1, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 28800, 43200, 86400,
				      259200, 604800 };
static const double short_bounds[] = { 0.0001, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10 };

static void histogram_add(struct histogram *histogram, double value)
{
	if (!isfinite(value) || value < 0)
		return;
	for (size_t b = histogram->bucket_count; b-- > 0 && value <= histogram->bounds[b];)
		histogram->counts[b]++;
	histogram->count++;
	histogram->sum += value;
}

static void histogram_write(struct wt_openmetrics *om, const struct wt_metric_label *labels,
			    const struct histogram *histogram)
{
	if (histogram->count)
		wt_metric_histogram(om, labels, histogram->bounds, histogram->counts, histogram->bucket_count,
				    histogram->count, histogram->sum);
}

/* By size, so that the sum over them is that of all jobs. */
static void values_write(struct wt_openmetrics *om, const struct page_run *run, const char *name, job_value value)
{
	for (int size = 0; size <= PAGE_SIZE_UNKNOWN; size++) {
		struct histogram histogram = { .bounds = long_bounds,
					       .bucket_count = sizeof(long_bounds) / sizeof(long_bounds[0]) };
		const struct wt_metric_label labels[] = {
			{ "run", name }, { "size", page_size_name((enum page_size) size) }, { NULL, NULL },
		};

		for (size_t i = 0; i < run->job_count; i++)
			if (run->jobs[i].size == (enum page_size) size)
				histogram_add(&histogram, value(run, &run->jobs[i]));
		histogram_write(om, labels, &histogram);
	}
}

static void waits_write(struct wt_openmetrics *om, const struct page_run *run, const char *name)
{
	values_write(om, run, name, job_wait_s);
}

static void turnarounds_write(struct wt_openmetrics *om, const struct page_run *run, const char *name)
{
	values_write(om, run, name, job_turnaround_s);
}

static void latencies_write(struct wt_openmetrics *om, const struct page_run *run, const char *name)
{
	const struct wt_metric_label labels[] = { { "run", name }, { NULL, NULL } };
	struct histogram histogram = { .bounds = short_bounds,
				       .bucket_count = sizeof(short_bounds) / sizeof(short_bounds[0]) };

	for (size_t i = 0; i < run->job_count; i++)
		histogram_add(&histogram, run->jobs[i].record->submit_latency_s);
	histogram_write(om, labels, &histogram);
}

static void distribution_families(struct run_metrics *m)
{
	wt_metric_family(&m->om, "windtunnel_job_wait_seconds", WT_METRIC_HISTOGRAM, "seconds",
			 "From sending a job's submission to its start, by the job's size.");
	each_run(m, waits_write);
	wt_metric_family(&m->om, "windtunnel_job_turnaround_seconds", WT_METRIC_HISTOGRAM, "seconds",
			 "From sending a job's submission to its end, by the job's size.");
	each_run(m, turnarounds_write);
	wt_metric_family(&m->om, "windtunnel_submission_latency_seconds", WT_METRIC_HISTOGRAM, "seconds",
			 "From sending a job's submission to slurmctld's reply.");
	each_run(m, latencies_write);
}

/* ---- slurmctld's messages ----------------------------------------------------------------------------------------- */

/* Foreign: the name of a message as slurmctld writes it, that did not occur before. */
static bool message_valid(const json_t *costs, size_t index, const char *type)
{
	if (!type || !*type || strspn(type, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") != strlen(type) || strlen(type) > 64)
		return false;
	for (size_t i = 0; i < index; i++) {
		const char *before = json_string_value(json_object_get(json_array_get(costs, i), "type"));

		if (before && !strcmp(before, type))
			return false;
	}
	return true;
}

#define MESSAGES_MAX 512	/* Slurm has fewer */

static void messages_write(struct wt_openmetrics *om, const struct page_run *run, const char *name, const char *key,
			   double scale)
{
	const json_t *costs = json_object_get(run->summary, "rpc_costs");

	for (size_t i = 0; i < json_array_size(costs) && i < MESSAGES_MAX; i++) {
		const json_t *cost = json_array_get(costs, i), *value = json_object_get(cost, key);
		const char *type = json_string_value(json_object_get(cost, "type"));
		const struct wt_metric_label labels[] = { { "run", name }, { "type", type }, { NULL, NULL } };

		if (json_is_number(value) && json_number_value(value) >= 0 && message_valid(costs, i, type))
			wt_metric_value(om, labels, json_number_value(value) * scale);
	}
}

static void message_counts_write(struct wt_openmetrics *om, const struct page_run *run, const char *name)
{
	messages_write(om, run, name, "count", 1);
}

static void message_times_write(struct wt_openmetrics *om, const struct page_run *run, const char *name)
{
	messages_write(om, run, name, "total_us", 1e-6);
}

/* ---- all ---------------------------------------------------------------------------------------------------------- */

static bool name_taken(char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* What the label "run" says, as it will be written: two paths may look the same then. */
static int names_make(struct run_metrics *m)
{
	m->names = calloc(m->input->run_count + 1, sizeof(*m->names));
	for (size_t i = 0; m->names && i < m->input->run_count; i++) {
		const struct page_run *run = &m->input->runs[i];
		char *name = wt_str_make_line(run->path, strlen(run->path) + 3);

		if (name && name_taken(m->names, i, name)) {
			char *longer = wt_str_format("%s (%s)", name, run->id);

			free(name);
			name = longer;
		}
		if (!name)
			return -1;
		m->names[i] = name;
	}
	return m->names ? 0 : -1;
}

int run_metrics_write(FILE *out, const void *arg, struct wt_error *errp)
{
	struct run_metrics m = { .input = arg, .om = { .out = out, .time_s = NAN } };
	int rc;

	if (names_make(&m) == 0) {
		identity_families(&m);
		figure_families(&m);
		distribution_families(&m);
		wt_metric_family(&m.om, "windtunnel_slurmctld_messages", WT_METRIC_COUNTER, NULL,
				 "Messages that slurmctld answered (sdiag).");
		each_run(&m, message_counts_write);
		wt_metric_family(&m.om, "windtunnel_slurmctld_message_seconds", WT_METRIC_COUNTER, "seconds",
				 "Time that slurmctld took to answer them (sdiag).");
		each_run(&m, message_times_write);
		rc = wt_openmetrics_end(&m.om, errp);
	} else {
		rc = wt_error_errno(errp, ENOMEM, "metrics");
	}
	for (size_t i = 0; m.names && i < m.input->run_count; i++)
		free(m.names[i]);
	free(m.names);
	return rc;
}
