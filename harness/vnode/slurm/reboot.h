/* reboot.h - scontrol reboot, and when each node's system began.  One thread: the loop's. */
#ifndef WT_HARNESS_VNODE_SLURM_REBOOT_H
#define WT_HARNESS_VNODE_SLURM_REBOOT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"

struct wt_daemon;
struct wt_call;
struct wt_answer;

struct wt_boots {
	int64_t *booted_us;	/* by node: when it last returned from a failure, a reboot or being off; 0: never */
	int64_t *until_us;	/* by node: when its reboot will be over; 0: it does not reboot */
	bool rebooted;		/* at least one has rebooted, or does */
};

int wt_boots_init(struct wt_boots *boots, uint32_t node_count, struct wt_error *errp);	/* 0, or -1 with ENOMEM */
void wt_boots_fini(struct wt_boots *boots);

void wt_reboot_request(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer);
void wt_reboot_done(struct wt_daemon *daemon, uint32_t node);	/* its timer has fired */
void wt_reboot_end(struct wt_daemon *daemon, uint32_t node);	/* its power goes */
void wt_reboot_resume(struct wt_daemon *daemon, uint32_t node);	/* of a process that went on with its journal */

#endif
