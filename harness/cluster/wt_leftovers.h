/* wt_leftovers.h - every process that a cluster may still have, found without its supervisor. */
#ifndef WT_LEFTOVERS_H
#define WT_LEFTOVERS_H

#include "wt_clusterinfo.h"
#include "wt_proc.h"

/* - What carries the cluster's uuid in its environment: all daemons.
 * - With real nodes the tasks of jobs: the environment that slurmd gives them has SLURM_CONF and SLURMD_NODENAME (a shell of
 *   "salloc" or "cluster exec" has no SLURMD_NODENAME: it is the user's, not the cluster's).
 * - With real nodes slurmstepd, which overwrites its environment with its title: by its name and its open log.
 * - All children of these, and theirs.
 * *list is to be freed by the caller.  0, or -1 with errno and *errp set. */
int wt_leftovers_find(const struct wt_clusterinfo *info, struct wt_proc **list, size_t *count, struct wt_error *errp);

#endif
