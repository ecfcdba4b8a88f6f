/* run_estimate.h - how long a run takes, before it and while it goes on.
 *
 * A run in real time takes what its workload takes.  In virtual time a sparse workload costs wall time for each virtual
 * second in which little happens, a dense one for each job and each node of a job.  What they cost is a measurement
 * (doc/results-clock.md, "Speed", the tables of "Hasty looks": idle clusters, and Light-ESP on 64 to 16,384 nodes, on 2 CPUs
 * at real-time priority): an estimate, and several times too low for a busy machine.  (A sparse run of 95,204 virtual s took
 * 127 s at a load average of 11, not 16; what the progress line foretold from its second line on was right within a
 * quarter.)  Pure; plain values. */
#ifndef WT_HARNESS_RUN_RUN_ESTIMATE_H
#define WT_HARNESS_RUN_RUN_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

#include "workload/workload.h"

struct wt_estimate {
	bool virtual_clock;
	double clock_s;		/* by the run's own clock, at least: until all is submitted, has run, and fits the machine */
	double second_wall_s;	/* of wall time, in virtual time: for each virtual second */
	double job_wall_s, node_wall_s;	/* for each job, and for each node of it */
	double jobs_wall_s;	/* for all of them */
	uint32_t cpus, node_cpus;	/* of the machine, and of each of its nodes */
};

/* 'exact': charge none. */
void wt_estimate_make(struct wt_estimate *e, const struct wt_workload *w, uint32_t nodes, uint32_t cpus, bool virtual_clock,
		      bool exact);

double wt_estimate_wall_s(const struct wt_estimate *e);	/* of the whole run, without the cluster's start */
bool wt_estimate_sparse(const struct wt_estimate *e);	/* in virtual time: the seconds cost more than the jobs */

/* What one job costs in virtual time. */
double wt_estimate_job_s(const struct wt_estimate *e, uint32_t cpus);

struct wt_estimate_state {	/* of a run under way */
	double clock_s, wall_s;	/* since its first submission */
	double work_done, work_all;	/* CPU seconds of jobs */
	double jobs_done_s;	/* wt_estimate_job_s of those that have ended */
};

/* The share of the run that is over, 0 to 1, and how long it will still take by the machine's clock (NAN while it is too
 * early to say). */
void wt_estimate_look(const struct wt_estimate *e, const struct wt_estimate_state *state, double *share, double *left_s);

#endif
