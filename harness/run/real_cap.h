/* real_cap.h - how much of a real cluster a workload needs, and has used.  Pure. */
#ifndef WT_HARNESS_RUN_REAL_CAP_H
#define WT_HARNESS_RUN_REAL_CAP_H

#include <stddef.h>
#include <stdint.h>

#include "harness/run/real_options.h"
#include "lib/error.h"
#include "record/record.h"
#include "workload/workload.h"

struct real_need {
	size_t jobs;
	double node_hours; /* by the jobs' run times; a job that asks for CPUs counts as a part of nodes */
	double node_hours_limit; /* by their time limits, at which Slurm ends them: it cannot be more */
};

/* 'cpus_per_node' is at least 1. */
void real_need_make(struct real_need *need, const struct wt_workload *w, uint32_t cpus_per_node);

/* 0, or -1 with EINVAL: it is more than the caps allow. */
int real_cap_check(const struct real_need *need, const struct run_real *caps, struct wt_error *errp);

/* What jobs [0 .. count) have used until 'now_s', in node hours. */
double real_used_hours(const struct wt_job_record *jobs, size_t count, uint32_t cpus_per_node, double now_s);

#endif
