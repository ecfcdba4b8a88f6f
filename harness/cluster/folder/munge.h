/* munge.h - a private munged for one cluster (munged(8)).
 *
 * Unless noted: 0, or -1 with errno and *errp set. */
#ifndef WT_HARNESS_CLUSTER_FOLDER_MUNGE_H
#define WT_HARNESS_CLUSTER_FOLDER_MUNGE_H

#include <sys/types.h>

#include "harness/cluster/conf/clusterinfo.h"

#define WT_MUNGE_THREADS "10"	/* munged's default of 2 lets slurmctld and clients wait for each other */

/* Make the folder munge/ with a new random key. */
int wt_munge_prepare(const struct wt_clusterinfo *info, struct wt_error *errp);

/* munged's argument list, ending with NULL; free with wt_munge_argv_free ().  NULL: ENOMEM. */
char **wt_munge_argv(const struct wt_clusterinfo *info);
void wt_munge_argv_free(char **argv);

/* Have munged encode and decode a credential.  Does not wait for a socket that is not there yet.  EAGAIN: not ready. */
int wt_munge_check(const struct wt_clusterinfo *info, struct wt_error *errp);

/* Let more connections wait for munged (process 'pid') to accept them than the 256 that it asks for: as many as the kernel
 * allows (net.core.somaxconn).  All nodes of a cluster share it, where each real node has a munged of its own, and a client
 * that finds the queue full is refused.  EAGAIN: it does not listen yet. */
int wt_munge_widen(const struct wt_clusterinfo *info, pid_t pid, struct wt_error *errp);

#endif
