/* regular.h - workloads of jobs at equal distances, with equal run times: "burst" and "spaced".
 *
 * Source of the defaults: Larue 2020 (Batkube), section 4.1.2: "burst [...] 200 delays with duration 170s and requesting 1
 * cpu are submitted at the origin", "spaced [...] every 10s"; 4.1.3: 16 nodes with one CPU each.
 * Sizes drawn from a range: Georgiou and Hautreux 2012, section 4.1: bursts of jobs of 1 to 8 cores.  Pure; plain values. */
#ifndef WT_WORKLOAD_REGULAR_H
#define WT_WORKLOAD_REGULAR_H

#include <stdint.h>

#include "lib/error.h"
#include "workload/workload.h"
#include "workload/workload_options.h"

#define WT_REGULAR_NODES 16u	/* of one CPU: the paper's platform */

struct wt_regular_options {
	struct workload_options shared;
	const char *name;	/* of the workload, and of its jobs' class: at most 15 bytes */
	uint32_t jobs;		/* how many */
	/* CPUs of each: drawn, each number from cpus_min to cpus_max as likely as any other, by the seed alone */
	uint32_t cpus_min, cpus_max;
	double run_time_s, interval_s;	/* unscaled; interval 0: all at once */
	uint32_t machine_cpus;	/* of the partition */
};

/* Batkube's: one CPU; seed 1, time scale 1, limit factor 2, machine_cpus 0 */
void wt_regular_burst(struct wt_regular_options *options);
void wt_regular_spaced(struct wt_regular_options *options);

/* One lane, in an open loop: job i is submitted at i x interval, however long replies take.  Jobs are named NAME.N, N from
 * 1. Caller frees with wt_workload_destroy.  NULL with EINVAL (what is wrong with which option; a job that is larger than
 * the machine) or ENOMEM. */
struct wt_workload *wt_regular_create(const struct wt_regular_options *options, struct wt_error *errp);

#endif
