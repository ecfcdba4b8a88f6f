/* real_fit.h - would each job of a workload be begun in a real cluster's partition as it is now?  Pure. */
#ifndef WT_HARNESS_RUN_REAL_FIT_H
#define WT_HARNESS_RUN_REAL_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"
#include "workload/workload.h"

struct real_bounds {
	bool closed; /* the partition's State is not UP */
	uint32_t nodes, cpus; /* that are not down, drained or reserved for others */
	uint32_t node_cpus; /* of the largest node */
	uint32_t max_nodes, max_min; /* of a job (MaxNodes, MaxTime); 0: no such limit, or one that may not hold */
};

/* 0, or -1 with EINVAL: one would wait for ever, or until somebody changes the cluster. */
int real_fit_check(const struct real_bounds *bounds, const struct wt_workload *w, const char *partition,
		   struct wt_error *errp);

#endif
