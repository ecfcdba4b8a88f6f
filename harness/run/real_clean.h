/* real_clean.h - end jobs that a run has left in a cluster that goes on: those with its tag as their comment, of this user,
 * and no others. */
#ifndef WT_HARNESS_RUN_REAL_CLEAN_H
#define WT_HARNESS_RUN_REAL_CLEAN_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"

/* Cancel them; with 'any_user', for a cluster that is emulated, also those that run as other users.
 * *left: how many had not ended, or still had nodes.
 * 0, or -1 with errno: slurmctld does not tell its jobs. */
int real_jobs_kill(const char *tag, bool any_user, size_t *left, struct wt_error *errp);

/* What the run in folder 'dir' has left, or the runs in DIR/1 to DIR/N, in the cluster that SLURM_CONF names: cancels, and
 * waits until they have ended.  *count: how many there were.  0; or -1 with errno: EINVAL, the folder is no run on that
 * cluster, or one on an emulated one; EBUSY, the run goes on; EINTR; others when slurmctld does not answer, for a
 * minute, or jobs do not end. */
int real_clean(const char *dir, size_t *count, struct wt_error *errp);

#endif
