/* fenced.h - a slurmctld that reads somebody else's state speaks to its own cluster only and runs no programs: it gets
 * libwtfence.so (harness/fence), when the environment of "cluster up" has WT_FENCED_ENV. */
#ifndef WT_HARNESS_CLUSTER_FOLDER_FENCED_H
#define WT_HARNESS_CLUSTER_FOLDER_FENCED_H

#include "harness/cluster/conf/clusterinfo.h"
#include "lib/error.h"

#define WT_FENCED_ENV "WINDTUNNEL_FENCED"
#define WT_FENCE_LIBRARY "libwtfence.so"

/* Once, before wt_fence_take ().  0 also when no fence is asked for; -1 with *errp: the library is not there. */
int wt_fence_wish(const struct wt_clusterinfo *info, struct wt_error *errp);

/* In the process that becomes slurmctld.  0, or -1 with errno: it must not start. */
int wt_fence_take(void);

#endif
