/* repeat.h - the same scenario several times, each in its own process (libslurm serves one cluster for each), and one
 * summary over all. */
#ifndef WT_HARNESS_RUN_REPEAT_H
#define WT_HARNESS_RUN_REPEAT_H

#include "harness/live/live_feed.h"
#include "harness/run/scenario.h"

/* Runs in DIR/1 to DIR/N with the seeds scenario->shared.seed and following; DIR/summary.json over those that have results.
 * 'dir' is absolute.  'live' (may be NULL) gets how they go.  The exit status: 0 all completed; 1; 130 interrupted. */
int wt_repeat(const struct wt_scenario *scenario, const char *dir, struct live_feed *live);

#endif
