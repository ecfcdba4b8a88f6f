/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>

#include "harness/run/jobdesc.h"
#include "harness/run/real_fit.h"

static int job_check(const struct real_bounds *b, const struct wt_job *job, const char *partition, struct wt_error *errp)
{
	/* As few nodes as it can have. */
	uint32_t nodes = job->nodes ? job->nodes : b->node_cpus ? (job->cpus + b->node_cpus - 1) / b->node_cpus : 0;
	uint32_t limit_min = isnan(job->time_limit_s) ? 0 : wt_jobdesc_limit_min(job);

	if (nodes > b->nodes || (!job->nodes && job->cpus > b->cpus))
		return wt_error_set(errp, EINVAL,
				    "job %s needs %u nodes and %u CPUs, and of partition %s %u nodes with %u CPUs are "
				    "neither down, drained nor reserved: --max-nodes makes the workload for fewer",
				    job->name, nodes, job->cpus, partition, b->nodes, b->cpus);
	if (b->max_nodes && nodes > b->max_nodes)
		return wt_error_set(errp, EINVAL,
				    "job %s needs %u nodes, and a job of partition %s gets at most %u (MaxNodes)",
				    job->name, nodes, partition, b->max_nodes);
	if (b->max_min && limit_min > b->max_min)
		return wt_error_set(errp, EINVAL,
				    "job %s has a time limit of %u min, and a job of partition %s gets at most %u (MaxTime)",
				    job->name, limit_min, partition, b->max_min);
	return 0;
}

int real_fit_check(const struct real_bounds *bounds, const struct wt_workload *w, const char *partition,
		   struct wt_error *errp)
{
	if (bounds->closed)
		return wt_error_set(errp, EINVAL, "partition %s takes or begins no jobs: its State is not UP", partition);
	for (size_t i = 0; i < w->job_count; i++)
		if (!w->jobs[i].ask && job_check(bounds, &w->jobs[i], partition, errp) < 0)
			return -1;
	return 0;
}
