/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "harness/run/jobdesc.h"
#include "harness/run/real_cap.h"

#define HOUR_S 3600

/* By the run times, which is what is used if all goes well, and by the limits, which is what it may cost. */
void real_need_make(struct real_need *need, const struct wt_workload *w, uint32_t cpus_per_node)
{
	memset(need, 0, sizeof(*need));
	need->jobs = w->job_count;
	for (size_t i = 0; i < w->job_count; i++) {
		const struct wt_job *job = &w->jobs[i];
		double nodes = job->nodes ? job->nodes : (double) job->cpus / cpus_per_node;

		need->node_hours += nodes * job->run_time_s / HOUR_S;
		need->node_hours_limit += nodes * wt_jobdesc_limit_min(job) * 60 / HOUR_S;
	}
}

int real_cap_check(const struct real_need *need, const struct run_real *caps, struct wt_error *errp)
{
	if (caps->max_jobs && need->jobs > caps->max_jobs)
		return wt_error_set(errp, EINVAL, "--max-jobs %llu: the workload has %zu jobs",
				    (unsigned long long) caps->max_jobs, need->jobs);
	if (caps->max_node_hours > 0 && need->node_hours > caps->max_node_hours)
		return wt_error_set(errp, EINVAL,
				    "--max-node-hours %g: the workload needs %.4g (a smaller --time-scale or --max-nodes "
				    "needs less)",
				    caps->max_node_hours, need->node_hours);
	return 0;
}

double real_used_hours(const struct wt_job_record *jobs, size_t count, uint32_t cpus_per_node, double now_s)
{
	double used_s = 0;

	for (size_t i = 0; i < count; i++) {
		const struct wt_job_record *job = &jobs[i];
		double nodes = job->nodes ? job->alloc_nodes : (double) job->alloc_cpus / cpus_per_node;
		double end_s = wt_job_state_final(job->state) && !isnan(job->end_s) ? job->end_s : now_s;

		if (isnan(job->start_s) || job->start_s <= 0 || !(end_s > job->start_s))
			continue;
		if (job->state == WT_JOB_RUNNING || wt_job_state_final(job->state))
			used_s += nodes * (end_s - job->start_s);
	}
	return used_s / HOUR_S;
}
