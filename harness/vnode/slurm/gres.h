/* gres.h - generic resources in registrations.  One thread: the loop's. */
#ifndef WT_HARNESS_VNODE_SLURM_GRES_H
#define WT_HARNESS_VNODE_SLURM_GRES_H

#include "harness/vnode/slurm/node_process.h"

int wt_gres_load(struct wt_daemon *daemon, struct wt_error *errp);	/* again after a reconfiguration */
void wt_gres_free(struct wt_daemon *daemon);

#endif
