/* node_faults.h - the node settings carried out: nodes without power, messages that are lost or late, launches that fail.
 *
 * What is set, and which nodes it hits, is said by node_settings.h.  One thread: the loop's. */
#ifndef WT_HARNESS_VNODE_SLURM_NODE_FAULTS_H
#define WT_HARNESS_VNODE_SLURM_NODE_FAULTS_H

#include "harness/vnode/model/node_settings.h"
#include "harness/vnode/slurm/rpc.h"
#include "harness/vnode/wire/outgoing.h"

struct wt_node_faults {
	struct wt_faults *faults;
	uint32_t *drawn;	/* by node: random numbers, so far */
};

int wt_fault_init(struct wt_daemon *daemon, struct wt_error *errp);
void wt_fault_fini(struct wt_node_faults *faults);
void wt_fault_resume(struct wt_daemon *daemon);		/* after the journal was read */
void wt_fault_registered(struct wt_daemon *daemon);	/* one more node has registered */
void wt_fault_timer(struct wt_daemon *daemon);
bool wt_fault_silent(const struct wt_daemon *daemon, uint32_t node);	/* it has no power */
/* prolog-fail, launch-fail */
bool wt_fault_refuses(const struct wt_node_faults *faults, bool prolog, uint32_t job_id, uint32_t node);
bool wt_fault_lost(struct wt_daemon *daemon, uint32_t node);		/* this message is lost; counted */
/* delays its answer to a message for 'count' more nodes */
void wt_fault_late(struct wt_daemon *daemon, uint32_t node, uint32_t count);
void wt_fault_unreachable(struct wt_serving *serving);			/* delays it as a connection that fails does */
/* the process that would have sent it is no more */
bool wt_fault_void(const struct wt_daemon *daemon, const struct wt_outgoing_request *request);

#endif
