/* observed_times.h - how long each job of observed runs ran, run by run, and how much that varies. */
#ifndef WT_CMD_MONTECARLO_OBSERVED_TIMES_H
#define WT_CMD_MONTECARLO_OBSERVED_TIMES_H

#include <stddef.h>

#include "harness/report/run_set.h"
#include "lib/error.h"

/* Equation 4.3 over the jobs of the runs' jobs.csv, which are known by their names.  0 (*level NAN: one run, or no job that
 * ended in two), or -1. */
int observed_level(const struct wt_run_set *runs, double *level, size_t *jobs_used, struct wt_error *errp);

#endif
