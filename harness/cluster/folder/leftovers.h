/* leftovers.h - every process that a cluster may still have, found without its supervisor. */
#ifndef WT_HARNESS_CLUSTER_FOLDER_LEFTOVERS_H
#define WT_HARNESS_CLUSTER_FOLDER_LEFTOVERS_H

#include "harness/cluster/conf/clusterinfo.h"
#include "lib/proc.h"

/* A new secret in DIR/key (0600), which every daemon gets as WT_CLUSTER_KEY_ENV: the uuid, which stands in cluster.json,
 * proves nothing.  0, or -1 with errno and *errp set. */
int wt_leftovers_key_make(const struct wt_clusterinfo *info, struct wt_error *errp);

/* The secret, which the caller frees; NULL with errno: there is none. */
char *wt_leftovers_key(const struct wt_clusterinfo *info);

/* - What carries the cluster's key in its environment: all daemons.
 * - With real nodes slurmstepd, which overwrites its environment with its title: by its name, its owner and its open log.
 * - What is in the session of one: tasks of jobs, though their parents have ended.
 * - All children of these, and theirs.
 * What a process says of itself, as by SLURM_CONF and SLURMD_NODENAME in its environment, proves nothing: anybody can write
 * that into the environment of any program that he starts, one with more rights than he among them.
 * *list is to be freed by the caller.  0, or -1 with errno and *errp set. */
int wt_leftovers_find(const struct wt_clusterinfo *info, struct wt_proc **list, size_t *count, struct wt_error *errp);

/* Kill the slurmstepds of a real node of this number, and their tasks, as the loss of its power would.  What is just being
 * started may be missed. */
void wt_leftovers_node_end(const struct wt_clusterinfo *info, uint32_t node);

/* Of the caller's children, which orphans become where it is a subreaper, kill those that name a real node ("n7") for which
 * is_off () is true in SLURMD_NODENAME, and all that descend from these: tasks that have left the session of their
 * slurmstepd and lost their parent, prologs and epilogs of a slurmd that is gone.  Daemons carry the cluster's key and are
 * none of them. */
void wt_leftovers_orphans_end(bool (*is_off)(void *arg, uint32_t node), void *arg);

#endif
