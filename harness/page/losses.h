/* losses.h - why the CPUs that no job had were idle.  Pure.
 *
 * From the first submission to the last end (the makespan) each idle CPU second has one cause, found from jobs.csv alone:
 *   completing  the node of a job that has ended was not released yet.  A job's completing node seconds (jobs.csv) are
 * spread evenly from
 *               its end to its last release; never more than what is idle.
 * and of the rest:
 *   start       the cluster was not yet as busy as it was on average;
 *   drain       the next job to start needs 90 % of the CPUs or more, waits, and does not fit yet: the cluster is emptied
 * for it;
 *   tail        the last job has started, and none waits;
 *   no job      none waits;
 *   fitted      one waits that asks for no more CPUs than are idle.  By their count only: whether their nodes, a limit, a
 * reservation or a
 *               priority stood in its way is not known;
 *   not fitted  all that wait ask for more.
 * The CPU seconds of all causes add up to the idle ones, and those with the busy ones to CPUs x makespan, unless jobs had
 * more CPUs than there are. */
#ifndef WT_HARNESS_PAGE_LOSSES_H
#define WT_HARNESS_PAGE_LOSSES_H

#include <stdbool.h>

#include "harness/page/sweep.h"

enum loss_cause { LOSS_START, LOSS_DRAIN, LOSS_TAIL, LOSS_COMPLETING, LOSS_NO_JOB, LOSS_FITTED, LOSS_NOT_FITTED,
		  LOSS_CAUSE_COUNT };
const char *loss_cause_name(enum loss_cause cause);	/* "start", ... */

struct loss_moment {		/* without interruption */
	double from_s, to_s;
	double cpu_s;		/* 0: there is none */
	uint32_t job;		/* LOSS_DRAIN: for which, as index into run->jobs */
};

struct losses {
	double makespan_s;	/* 0: no job has run; then all is 0 */
	double capacity_cpu_s, busy_cpu_s, idle_cpu_s;
	double cpu_s[LOSS_CAUSE_COUNT];
	struct loss_moment largest[LOSS_CAUSE_COUNT];
	/* CPU seconds that jobs had beyond the machine's CPUs, as where their times overlap by rounding */
	double over_cpu_s;
	double most_cpus, most_s;	/* jobs had the most of them from when on; 0: never more than the machine has */
	size_t larger_jobs;	/* that had more than the machine has by themselves */
};

/* 0, or -1 with ENOMEM. */
int losses_compute(struct losses *losses, const struct page_run *run, const struct sweep *sweep, struct wt_error *errp);

enum loss_cause losses_first(const struct losses *losses);	/* the cause that costs most */
/* The record contradicts itself: jobs had more CPUs than the machine is said to have, for more than what times that were
 * rounded explain.  Then busy and idle time do not add up to CPUs x makespan. */
bool losses_overfull(const struct losses *losses);
double losses_points(const struct losses *losses, double cpu_s);	/* CPU seconds in percent of CPUs x makespan */

#endif
