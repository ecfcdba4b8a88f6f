/* bench_schedule.h - a schedule of any size, made up: for measurements and tests of the page.
 *
 * Jobs arrive in a Poisson process, sizes are powers of two (some less one) up to half the machine, a few take all of it,
 * run times are log-normal; each starts as soon as it fits, in order of arrival, where the next 64 waiting jobs may pass a
 * job that does not fit; nodes are the first free ones, in each 100th job some of them elsewhere.  The same seed makes the
 * same schedule. */
#ifndef WT_HARNESS_PAGE_BENCH_SCHEDULE_H
#define WT_HARNESS_PAGE_BENCH_SCHEDULE_H

#include <stdbool.h>

#include "harness/page/gantt_data.h"

struct bench_shape {
	uint32_t jobs, nodes, cpus_per_node;
	uint64_t seed;
	double load; /* offered, of the machine: 0.9 */
	bool shared; /* jobs of a few CPUs, several to a node */
	bool scattered; /* no two nodes of a job beside each other, where there is a choice */
};

struct bench_schedule {
	struct gantt_input input;
	struct gantt_job *jobs;
	struct number_list ranges; /* first, count, first, count, ...: struct gantt_range */
	char *names; /* of 16 bytes each */
};

/* 0, or -1 with ENOMEM. */
int bench_schedule_make(struct bench_schedule *schedule, const struct bench_shape *shape, struct wt_error *errp);
void bench_schedule_clear(struct bench_schedule *schedule);

#endif
