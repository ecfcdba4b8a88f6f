/* run.h - one run: a cluster, a workload, its recording, and the run folder. */
#ifndef WT_HARNESS_RUN_RUN_H
#define WT_HARNESS_RUN_RUN_H

#include "lib/error.h"
#include "harness/live/live_feed.h"
#include "harness/run/scenario.h"

/* Run 'scenario' with 'seed' in folder 'dir' (absolute, empty).  One run for each process: libslurm serves one cluster.
 * Prints progress on stderr, and on success or failure the summary on stdout ('json': as JSON).
 * 'live' (may be NULL) gets how it goes.
 * The exit status: 0 every job COMPLETED; 1 a failure, 2 an option that does not fit, both told on stderr as
 * "windtunnel esp: text"; 130 interrupted. */
int wt_run(const struct wt_scenario *scenario, uint64_t seed, const char *dir, struct live_feed *live);

#endif
