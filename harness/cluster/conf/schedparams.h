/* schedparams.h - the words of slurm.conf's SchedulerParameters.
 *
 * slurmctld takes any word and passes over those that it does not know, so that a typing error measures nothing.  Pure. */
#ifndef WT_HARNESS_CLUSTER_CONF_SCHEDPARAMS_H
#define WT_HARNESS_CLUSTER_CONF_SCHEDPARAMS_H

#include <stddef.h>

/* Every word of slurm.conf(5), Slurm 22.05, section SchedulerParameters, and older spellings that slurmctld's source still
 * takes; sorted without regard to case. */
extern const char *const wt_schedparams_words[];
extern const size_t wt_schedparams_count;

/* One line for each word of 'value' ("bf_interval=30,defer") that is not known, with the known one that is nearest; NULL
 * when all are known (or without memory).  The caller frees it. */
char *wt_schedparams_unknown(const char *value);

#endif
