/* wt_simulate.h - a workload on a machine of switches, with a policy for the nodes: the placement figures without a
 * controller.
 *
 * The simplest reading of Slurm's scheduling: jobs start in the order of submission; when the first cannot, later ones
 * may if by their limits they do not delay it (EASY backfill); decisions cost nothing and nodes are free at once when
 * a job ends.  Pure; times are seconds on any time line. */
#ifndef WT_SIMULATE_H
#define WT_SIMULATE_H

#include <stddef.h>
#include <stdint.h>

#include "wt_policy.h"
#include "wt_score.h"

struct wt_sim_job {
	double submit_s, run_time_s, time_limit_s;
	uint64_t units;
	uint32_t nodes_min;	/* = units for whole nodes */
	/* results */
	double start_s;
	struct wt_verdict verdict;
};

struct wt_sim_result {
	double makespan_s;	/* first submission to last end */
	double utilization;	/* of all units over the makespan */
	double wait_mean_s;
	struct wt_score_tally tally;
};

/* Run 'jobs', which stand in the order of submission.  Nodes hold capacity[node] (NULL: 1 each).  0; -1 with EINVAL (a
 * job larger than the machine, or out of order), ENOMEM. */
int wt_simulate(const struct wt_tree *t, const uint32_t *capacity, struct wt_policy *policy, struct wt_sim_job *jobs,
		size_t count, struct wt_sim_result *result, struct wt_error *errp);

#endif
