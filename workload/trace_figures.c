/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "workload/trace_figures.h"

#define HOUR_S 3600.0
#define DAY_S  86400.0

static size_t size_bin(uint32_t cpus)
{
	size_t bin = 0;

	while (bin < WT_TRACE_SIZES - 1 && (uint64_t) 1 << bin < cpus)
		bin++;
	return bin;
}

static void job_count(struct wt_trace_figures *f, const struct wt_swf_job *job)
{
	f->cpu_s += job->procs * job->run_time_s;
	f->by_hour[(size_t) (fmod(job->submit_s, DAY_S) / HOUR_S)]++;
	f->by_size[size_bin(job->procs)]++;
	f->serial += job->procs == 1;
	f->powers_of_two += job->procs > 1 && !(job->procs & (job->procs - 1));
	f->over_limit += job->requested_time_s > 0 && job->run_time_s > job->requested_time_s;
}

enum { GAP, CPUS, RUN_TIME, LIMIT, LIMIT_USE, COLUMNS };

static void columns_fill(double *const *columns, const struct wt_swf_trace *t)
{
	for (size_t i = 0; i < t->job_count; i++) {
		const struct wt_swf_job *job = &t->jobs[i];
		double limit_s = job->requested_time_s > 0 ? job->requested_time_s : NAN;

		/* NAN is "not known": wt_stats_compute () leaves it out of the count. */
		columns[GAP][i] = i ? job->submit_s - t->jobs[i - 1].submit_s : NAN;
		columns[CPUS][i] = job->procs;
		columns[RUN_TIME][i] = job->run_time_s;
		columns[LIMIT][i] = limit_s;
		columns[LIMIT_USE][i] = job->run_time_s / limit_s;
	}
}

static uint32_t machine_of(const struct wt_swf_trace *t, uint32_t machine_cpus)
{
	if (machine_cpus || t->max_procs)
		return machine_cpus ? machine_cpus : t->max_procs;
	for (size_t i = 0; i < t->job_count; i++)
		machine_cpus = t->jobs[i].procs > machine_cpus ? t->jobs[i].procs : machine_cpus;
	return machine_cpus;
}

int wt_trace_figures_make(struct wt_trace_figures *f, const struct wt_swf_trace *t, uint32_t machine_cpus,
			  struct wt_error *errp)
{
	struct wt_stats *const stats[COLUMNS] = { &f->gap_s, &f->cpus, &f->run_time_s, &f->limit_s, &f->limit_use };
	double *columns[COLUMNS], *values = calloc(t->job_count + 1, sizeof(*values) * COLUMNS);

	if (!values)
		return wt_error_errno(errp, ENOMEM, "trace");
	memset(f, 0, sizeof(*f));
	for (size_t c = 0; c < COLUMNS; c++)
		columns[c] = values + c * t->job_count;
	columns_fill(columns, t);
	for (size_t c = 0; c < COLUMNS; c++)
		wt_stats_compute(stats[c], columns[c], t->job_count);
	free(values);
	for (size_t i = 0; i < t->job_count; i++)
		job_count(f, &t->jobs[i]);
	f->jobs = t->job_count;
	f->machine_cpus = machine_of(t, machine_cpus);
	f->period_s = t->job_count ? t->jobs[t->job_count - 1].submit_s - t->jobs[0].submit_s : NAN;
	f->load = f->period_s > 0 && f->machine_cpus ? f->cpu_s / (f->machine_cpus * f->period_s) : NAN;
	return 0;
}
