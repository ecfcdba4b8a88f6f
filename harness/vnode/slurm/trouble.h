/* trouble.h - what --node says, where messages come and go.  One thread: the loop's. */
#ifndef WT_HARNESS_VNODE_SLURM_TROUBLE_H
#define WT_HARNESS_VNODE_SLURM_TROUBLE_H

#include "harness/vnode/slurm/node_process.h"

int wt_trouble_init(struct wt_daemon *daemon, struct wt_error *errp);
void wt_trouble_resume(struct wt_daemon *daemon);	/* after the journal was read */
void wt_trouble_registered(struct wt_daemon *daemon);	/* one more node has registered */
void wt_trouble_timer(struct wt_daemon *daemon);
bool wt_trouble_silent(const struct wt_daemon *daemon, uint32_t node);	/* it has no power */
/* prolog-fail, launch-fail */
bool wt_trouble_refuses(const struct wt_daemon *daemon, bool prolog, uint32_t job_id, uint32_t node);
bool wt_trouble_lost(struct wt_daemon *daemon, uint32_t node);		/* this message is lost; counted */
/* delays its answer to a message for 'count' more nodes */
void wt_trouble_late(struct wt_daemon *daemon, uint32_t node, uint32_t count);
void wt_trouble_unreachable(struct wt_daemon *daemon);			/* delays it as a connection that fails does */
/* the process that would have sent it is no more */
bool wt_trouble_void(const struct wt_daemon *daemon, const struct wt_outgoing_request *request);

#endif
