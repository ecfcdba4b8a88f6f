/* simulate.h - a workload on a machine of switches, with a policy for the nodes: the placement figures without a
 * controller.
 *
 * The simplest reading of Slurm's scheduling: jobs start in the order of submission; when the first cannot, later ones
 * may if by their limits they do not delay it (EASY backfill); decisions cost nothing.  When a job ends its nodes are free
 * at once, or one after the other (Slurm's EpilogMsgTime); jobs are looked at when one is submitted and when the last node
 * of one is free, as slurmctld does.  Pure; times are seconds on any time line. */
#ifndef WT_TOPOLOGY_SIMULATE_H
#define WT_TOPOLOGY_SIMULATE_H

#include <stddef.h>
#include <stdint.h>

#include "topology/policy.h"
#include "topology/score.h"

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

/* What the caller wants to know on the way. */
struct wt_sim_watch {
	void *arg;
	/* A job (its place in the array) starts on these nodes; the first is free at first_s, each of the others
	 * release_step_s after the one before.  0, or -1 with errno, which ends the simulation. */
	int (*started)(void *arg, size_t job, const struct wt_pick *picks, size_t count, double first_s);
};

struct wt_sim_machine {
	const struct wt_tree *tree;
	const uint32_t *capacity;	/* of each node, or NULL: 1 each */
	double release_step_s;		/* between the releases of two nodes of a job; 0: all at its end */
	/* While jobs wait, the queue is looked at no more often than this (slurmctld: batch_sched_delay, 3 s when it does
	 * not do so at each job's end), and by backfill no more often than that (bf_interval).  0: with each event. */
	double cycle_period_s, backfill_period_s;
	/* How long a job is held back, from the first time, while it would touch more than the least switches of a level;
	 * the leaves first.  0: it starts. */
	double wait_s[WT_TREE_LEVELS_MAX];
	/* The same, but only while the room would allow fewer if the nodes that complete were free already. */
	double completing_wait_s[WT_TREE_LEVELS_MAX];
	const struct wt_sim_watch *watch;	/* or NULL */
};

/* Run 'jobs', which stand in the order of submission.  0; -1 with EINVAL (a job larger than the machine, or out of order),
 * ENOMEM. */
int wt_simulate(const struct wt_sim_machine *machine, struct wt_policy *policy, struct wt_sim_job *jobs, size_t count,
		struct wt_sim_result *result, struct wt_error *errp);

#endif
