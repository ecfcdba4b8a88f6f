/* reconfigure.h - slurm.conf has changed: once for all nodes that are told so.  One thread: the loop's. */
#ifndef WT_HARNESS_VNODE_SLURM_RECONFIGURE_H
#define WT_HARNESS_VNODE_SLURM_RECONFIGURE_H

#include "harness/vnode/slurm/node_process.h"

void wt_reconfigure_want(struct wt_daemon *daemon, uint32_t node);	/* soon, at WT_TIMER_RECONFIGURE */
void wt_reconfigure_now(struct wt_daemon *daemon);

#endif
