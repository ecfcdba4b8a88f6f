/* extrafiles.h - files of a site that Slurm looks for beside slurm.conf: job_submit.lua, cli_filter.lua, helpers.conf ... */
#ifndef WT_HARNESS_CLUSTER_EXTRAFILES_H
#define WT_HARNESS_CLUSTER_EXTRAFILES_H

#include "lib/error.h"

/* May it lie in a cluster's folder?  EINVAL: its name is neither NAME.conf nor NAME.lua, or windtunnel writes that file
 * itself, or it is no regular file; ENOENT and the like: it cannot be read. */
int wt_extrafile_check(const char *path, struct wt_error *errp);

/* Copy it into the cluster's folder 'dir', where there is none of that name yet.  Only regular files are read.  Whoever
 * may not read it may not read the copy. */
int wt_extrafile_copy(const char *path, const char *dir, struct wt_error *errp);

#endif
