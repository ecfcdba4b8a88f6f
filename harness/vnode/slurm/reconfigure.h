/* reconfigure.h - slurm.conf has changed: once for all nodes that are told so.  One thread: the loop's. */
#ifndef WT_HARNESS_VNODE_SLURM_RECONFIGURE_H
#define WT_HARNESS_VNODE_SLURM_RECONFIGURE_H

#include <stdbool.h>
#include <stdint.h>

struct wt_daemon;

struct wt_reconfigure {
	uint8_t *asked;		/* by node: since the last time it was done */
	bool armed;		/* WT_TIMER_RECONFIGURE */
};

void wt_reconfigure_want(struct wt_daemon *daemon, uint32_t node);	/* soon, at WT_TIMER_RECONFIGURE */
void wt_reconfigure_now(struct wt_daemon *daemon);

#endif
