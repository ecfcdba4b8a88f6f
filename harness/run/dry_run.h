/* dry_run.h - show what would be submitted.  Starts nothing; asks slurmctld only for the size of a cluster that exists. */
#ifndef WT_HARNESS_RUN_DRY_RUN_H
#define WT_HARNESS_RUN_DRY_RUN_H

#include "lib/error.h"
#include "harness/run/scenario.h"

/* Print the workload on stdout: a table, or JSON.  0; -1 with errno and *errp. */
int wt_dry_run(const struct wt_scenario *scenario, struct wt_error *errp);

#endif
