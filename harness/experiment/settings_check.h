/* settings_check.h - keys of slurm.conf and words of SchedulerParameters in an experiment's file that no Slurm knows.
 * slurmctld would refuse the key when the first cluster is started, and pass over the word, so that nothing is measured.
 * Pure; any number of threads. */
#ifndef WT_HARNESS_EXPERIMENT_SETTINGS_CHECK_H
#define WT_HARNESS_EXPERIMENT_SETTINGS_CHECK_H

#include "harness/experiment/experiment.h"

/* In all variants and values of the grid.  0, or -1 with EINVAL and "PATH:LINE: what is wrong" of the first.  A word that is
 * not near to a known one passes: plugins and newer releases have their own. */
int settings_check(const struct experiment *e, struct wt_error *errp);

#endif
