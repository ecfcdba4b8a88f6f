/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/metrics.h"
#include "lib/stats.h"

const char *wt_kind_name(enum wt_kind kind)
{
	static const char *const names[] = {
		[WT_KIND_REAL] = "real", [WT_KIND_VIRTUAL] = "virtual", [WT_KIND_MODELLED] = "modelled",
		[WT_KIND_TOLD] = "told",
	};

	return names[kind];
}

/* The usual bound of the bounded slowdown: without it the shortest jobs would outweigh all others. */
#define SLOWDOWN_THRESHOLD_S 10


static void figure_set(struct wt_metrics *m, enum wt_figure_id id, double value)
{
	m->figures[id].value = value;
}

typedef double (*job_value_fn)(const struct wt_job_record *job, const struct wt_metrics *m);

static double job_wait_s(const struct wt_job_record *job, const struct wt_metrics *m)
{
	double wait_s = job->start_s - wt_job_sent_s(job);

	(void) m;
	/* slurmctld tells the start in whole seconds, cut off: it may lie before the moment of sending. */
	return wait_s < 0 ? 0 : wait_s;
}

static double job_turnaround_s(const struct wt_job_record *job, const struct wt_metrics *m)
{
	return job_wait_s(job, m) + (job->end_s - job->start_s);
}

static double job_slowdown(const struct wt_job_record *job, const struct wt_metrics *m)
{
	double run_s = job->end_s - job->start_s;
	double bounded_s = run_s > m->slowdown_threshold_s ? run_s : m->slowdown_threshold_s;
	double slowdown = job_turnaround_s(job, m) / bounded_s;

	return slowdown < 1 ? 1 : slowdown;
}

static double job_submit_latency_s(const struct wt_job_record *job, const struct wt_metrics *m)
{
	(void) m;
	return job->submit_latency_s;
}

static double job_probe_latency_s(const struct wt_job_record *job, const struct wt_metrics *m)
{
	(void) m;
	/* A probe that failed has a negative latency: it is counted apart, and is no short one. */
	return job->probe_latency_s < 0 ? NAN : job->probe_latency_s;
}

static double job_completing_s(const struct wt_job_record *job, const struct wt_metrics *m)
{
	(void) m;
	return job->release_s - job->end_s;
}

static double job_completing_node_s(const struct wt_job_record *job, const struct wt_metrics *m)
{
	(void) m;
	return wt_job_completing_node_s(job);
}

static double job_start_s(const struct wt_job_record *job, const struct wt_metrics *m)
{
	(void) m;
	return job->start_s;
}

static double job_end_s(const struct wt_job_record *job, const struct wt_metrics *m)
{
	(void) m;
	return job->end_s;
}

/* Statistics over the jobs that were submitted. */
static struct wt_stats over_jobs(const struct wt_record *record, const struct wt_metrics *m, double *scratch,
				 job_value_fn fn)
{
	struct wt_stats stats;
	size_t count = 0;

	for (size_t i = 0; i < record->job_count; i++)
		if (record->jobs[i].job_id)
			scratch[count++] = fn(&record->jobs[i], m);
	wt_stats_compute(&stats, scratch, count);
	return stats;
}

static void jobs_count(struct wt_metrics *m, const struct wt_record *record)
{
	m->jobs_total = record->job_count;
	for (size_t i = 0; i < record->job_count; i++) {
		const struct wt_job_record *job = &record->jobs[i];

		m->by_state[job->state]++;
		m->jobs_submitted += job->job_id != 0;
		m->jobs_missing += !wt_job_state_final(job->state);
		m->probes_failed += job->probe_latency_s < 0;
	}
	m->jobs_completed = m->by_state[WT_JOB_COMPLETED];
}

static double cpu_seconds(const struct wt_record *record)
{
	double sum = 0;

	for (size_t i = 0; i < record->job_count; i++) {
		const struct wt_job_record *job = &record->jobs[i];
		double run_s = job->end_s - job->start_s;

		if (!isnan(run_s))
			/* With whole nodes a job has more CPUs than it asked for: what it held is what others could
			 * not have. */
			sum += run_s * (job->alloc_cpus ? job->alloc_cpus : job->cpus);
	}
	return sum;
}

static void waits_compute(struct wt_metrics *m, const struct wt_record *record, double *scratch)
{
	struct wt_stats s = over_jobs(record, m, scratch, job_wait_s);

	figure_set(m, WT_FIG_WAIT_MEAN, s.mean);
	figure_set(m, WT_FIG_WAIT_MEDIAN, s.median);
	figure_set(m, WT_FIG_WAIT_MAX, s.max);
	s = over_jobs(record, m, scratch, job_turnaround_s);
	figure_set(m, WT_FIG_TURNAROUND_MEAN, s.mean);
	figure_set(m, WT_FIG_TURNAROUND_MEDIAN, s.median);
	figure_set(m, WT_FIG_TURNAROUND_MAX, s.max);
	s = over_jobs(record, m, scratch, job_slowdown);
	figure_set(m, WT_FIG_SLOWDOWN_MEAN, s.mean);
	figure_set(m, WT_FIG_SLOWDOWN_MEDIAN, s.median);
	figure_set(m, WT_FIG_SLOWDOWN_MAX, s.max);
}

static void latencies_compute(struct wt_metrics *m, const struct wt_record *record, double *scratch)
{
	struct wt_stats s = over_jobs(record, m, scratch, job_submit_latency_s);

	figure_set(m, WT_FIG_SUBMIT_LATENCY_MEAN, s.mean);
	figure_set(m, WT_FIG_SUBMIT_LATENCY_MEDIAN, s.median);
	figure_set(m, WT_FIG_SUBMIT_LATENCY_P95, s.p95);
	figure_set(m, WT_FIG_SUBMIT_LATENCY_MAX, s.max);
	s = over_jobs(record, m, scratch, job_probe_latency_s);
	figure_set(m, WT_FIG_PROBE_MEAN, s.mean);
	figure_set(m, WT_FIG_PROBE_MEDIAN, s.median);
	figure_set(m, WT_FIG_PROBE_P95, s.p95);
	figure_set(m, WT_FIG_PROBE_MAX, s.max);
	s = over_jobs(record, m, scratch, job_completing_s);
	figure_set(m, WT_FIG_COMPLETING_MEAN, s.mean);
	figure_set(m, WT_FIG_COMPLETING_MAX, s.max);
	s = over_jobs(record, m, scratch, job_completing_node_s);
	figure_set(m, WT_FIG_COMPLETING_NODE, s.count ? s.sum : NAN);
}

static void spans_compute(struct wt_metrics *m, const struct wt_record *record, double *scratch)
{
	struct wt_stats starts = over_jobs(record, m, scratch, job_start_s);
	struct wt_stats ends = over_jobs(record, m, scratch, job_end_s);
	double last_submit_s = NAN, makespan_s = ends.max - record->begin_s;

	for (size_t i = 0; i < record->job_count; i++)
		if (record->jobs[i].job_id)
			last_submit_s = fmax(last_submit_s, record->jobs[i].submit_s);
	figure_set(m, WT_FIG_MAKESPAN, makespan_s);
	figure_set(m, WT_FIG_EFFICIENCY, record->ideal_s / makespan_s);
	figure_set(m, WT_FIG_UTILIZATION, cpu_seconds(record) / (record->cpus * makespan_s));
	figure_set(m, WT_FIG_SUBMIT_RATE, (double) m->jobs_submitted / (last_submit_s - record->begin_s));
	figure_set(m, WT_FIG_START_RATE, (double) starts.count / (starts.max - record->begin_s));
}

/* Of jobs that were cancelled together. */
static void ends_compute(struct wt_metrics *m, const struct wt_record *record)
{
	double last_s = NAN;
	size_t count = 0;

	for (size_t i = 0; i < record->job_count; i++) {
		const struct wt_job_record *job = &record->jobs[i];

		if (job->state != WT_JOB_CANCELLED)
			continue;
		/* A job's nodes are free only when the last Epilog has ended. */
		last_s = fmax(last_s, isnan(job->release_s) ? job->end_s : job->release_s);
		count++;
	}
	figure_set(m, WT_FIG_END_RATE, last_s > record->cancel_s ? (double) count / (last_s - record->cancel_s) : NAN);
}

static void samples_compute(struct wt_metrics *m, const struct wt_record *record)
{
	double rss_kib = NAN, pending = NAN;

	for (size_t i = 0; i < record->sample_count; i++) {
		if (record->samples[i].controller_rss_kib)
			rss_kib = fmax(rss_kib, (double) record->samples[i].controller_rss_kib);
		pending = fmax(pending, record->samples[i].jobs_pending);
	}
	figure_set(m, WT_FIG_CONTROLLER_RSS_MAX, rss_kib);
	figure_set(m, WT_FIG_PENDING_MAX, pending);
}

/* What tells how fast the controller is: in virtual time it is what the clock's charge makes of it. */
static bool figure_is_speed(enum wt_figure_id id)
{
	switch (id) {
	case WT_FIG_SUBMIT_RATE:
	case WT_FIG_START_RATE:
	case WT_FIG_END_RATE:
	case WT_FIG_SUBMIT_LATENCY_MEAN:
	case WT_FIG_SUBMIT_LATENCY_MEDIAN:
	case WT_FIG_SUBMIT_LATENCY_P95:
	case WT_FIG_SUBMIT_LATENCY_MAX:
	case WT_FIG_PROBE_MEAN:
	case WT_FIG_PROBE_MEDIAN:
	case WT_FIG_PROBE_P95:
	case WT_FIG_PROBE_MAX:
		return true;
	default:
		return false;
	}
}

enum wt_kind wt_figure_kind(enum wt_figure_id id, const char *clock)
{
	if (id >= WT_FIG_NODES_BUSY && id <= WT_FIG_ENERGY_ALWAYS_ON)
		return WT_KIND_MODELLED;
	switch (id) {
	case WT_FIG_IDEAL:
		return WT_KIND_MODELLED;
	case WT_FIG_CONTROLLER_CPU:
	case WT_FIG_CONTROLLER_CPU_PER_JOB:
	case WT_FIG_CONTROLLER_RSS_MAX:
	case WT_FIG_WALL:
		return WT_KIND_REAL;
	default:
		if (!clock || !strcmp(clock, "real"))
			return WT_KIND_REAL;
		return figure_is_speed(id) ? WT_KIND_MODELLED : WT_KIND_VIRTUAL;
	}
}

/* A division by nothing (no job, no time) is "not measured". */
static void infinities_clear(struct wt_metrics *m)
{
	for (size_t i = 0; i < WT_FIG_COUNT; i++)
		if (!isfinite(m->figures[i].value))
			m->figures[i].value = NAN;
}

int wt_metrics_compute(struct wt_metrics *metrics, const struct wt_record *record, struct wt_error *errp)
{
	double *scratch = calloc(record->job_count + 1, sizeof(*scratch));

	if (!scratch)
		return wt_error_errno(errp, ENOMEM, "figures of a run");
	*metrics = (struct wt_metrics) { .slowdown_threshold_s = SLOWDOWN_THRESHOLD_S * record->time_scale };
	for (size_t i = 0; i < WT_FIG_COUNT; i++)
		metrics->figures[i].kind = wt_figure_kind((enum wt_figure_id) i, record->clock);
	jobs_count(metrics, record);
	figure_set(metrics, WT_FIG_IDEAL, record->ideal_s);
	figure_set(metrics, WT_FIG_WALL, record->wall_s);
	figure_set(metrics, WT_FIG_CONTROLLER_CPU, record->controller_cpu_s);
	figure_set(metrics, WT_FIG_CONTROLLER_CPU_PER_JOB, record->controller_cpu_s / (double) metrics->jobs_submitted);
	spans_compute(metrics, record, scratch);
	ends_compute(metrics, record);
	for (int i = 0; i < WT_PLACED_COUNT; i++)
		figure_set(metrics, (enum wt_figure_id) (WT_FIG_PLACED_FEWEST + i), record->placed[i]);
	for (int i = 0; i < WT_COST_COUNT; i++)
		figure_set(metrics, (enum wt_figure_id) (WT_FIG_NODES_BUSY + i), record->costs[i]);
	waits_compute(metrics, record, scratch);
	latencies_compute(metrics, record, scratch);
	samples_compute(metrics, record);
	infinities_clear(metrics);
	free(scratch);
	return 0;
}
