/* clusterdir.h - the folders of clusters: names, the base folder, which process holds a folder.
 *
 * A cluster's folder is locked (flock(2) on the folder itself) by "up" while it prepares it and then by the supervisor for
 * its life: a folder that can be locked belongs to no running cluster.  Unless noted: 0 or a pointer, or -1 or NULL with
 * errno and *errp set. */
#ifndef WT_HARNESS_CLUSTER_FOLDER_CLUSTERDIR_H
#define WT_HARNESS_CLUSTER_FOLDER_CLUSTERDIR_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"

/* Letters, digits, '.', '_' and '-', 1 to 64 of them, the first one no '.' or '-'.  EINVAL. */
int wt_clusterdir_name_check(const char *name, struct wt_error *errp);

/* The absolute path of the base folder (doc/formats.md); the caller frees it.  'create' makes it; else ENOENT when it is
 * not there.  EPERM: it belongs to another user or others may write into it; EINVAL: Slurm or munge could not live with its
 * path. */
char *wt_clusterdir_base(bool create, struct wt_error *errp);

/* The path of a cluster's folder, with or without it being there; the caller frees it.  EINVAL also when a socket in it
 * could not be bound, since its path would be too long. */
char *wt_clusterdir_path(const char *base, const char *name, struct wt_error *errp);

/* The folder that a host other than the cluster's own has of it: beside those of clusters, under a name that none of them
 * can have. */
char *wt_clusterdir_host_path(const char *base, const char *name, const char *host, struct wt_error *errp);

/* Make the folder, or find it there, and lock it.  *lock_fd is close-on-exec.  *existed tells whether a dead cluster
 * was in it.  EBUSY: a running cluster (or an "up" or "down" at work) holds it. */
int wt_clusterdir_claim(const char *path, bool *existed, int *lock_fd, struct wt_error *errp);

/* Lock an existing folder, as above; ENOENT. */
int wt_clusterdir_lock(const char *path, int *lock_fd, struct wt_error *errp);

/* Is the folder held by a running cluster (or an "up" or "down" at work)? */
bool wt_clusterdir_busy(const char *path);

/* Remove the folder and, if that was the last one, the base folder. */
int wt_clusterdir_remove(const char *path, struct wt_error *errp);

/* The names of all cluster folders, sorted; the caller frees each and the list.  No base folder: no names. */
int wt_clusterdir_list(char ***names, size_t *count, struct wt_error *errp);

#endif
