/* send.h - requests to the controller: order, retries, and what becomes of the answers.  One thread: the loop's. */
#ifndef WT_HARNESS_VNODE_SLURM_SEND_H
#define WT_HARNESS_VNODE_SLURM_SEND_H

#include "harness/vnode/slurm/codec.h"
#include "harness/vnode/slurm/node_process.h"

int wt_send_init(struct wt_daemon *daemon, struct wt_error *errp);
int wt_send_targets(struct wt_daemon *daemon, struct wt_error *errp);
void wt_send_queue(struct wt_daemon *daemon, const struct wt_outgoing_request *request);
/* The return code in an answer, or -1 when it is no answer.  *step_id: of a new step. */
int wt_send_answer(const uint8_t *frame, size_t len, uint32_t *step_id);
/* Something may be waiting to be sent, and could be. */
bool wt_send_waits(const struct wt_daemon *daemon);
void wt_send_retry(struct wt_daemon *daemon, int64_t now_us);

/* A launch on this node has failed: what slurmd tells of it, one message after the other, a Prolog's end first if that is
 * waited for. 'status' is Slurm's code; ESLURMD_PROLOG_FAILED drains the node. */
void wt_send_launch_fail(struct wt_daemon *daemon, uint32_t node, uint32_t job_id, uint32_t requeue_id, uint32_t status,
			 bool prolog_awaited);

/* pack.c: their contents */
int wt_pack_request(struct wt_daemon *daemon, const struct wt_outgoing_request *request, struct wt_bytes *bytes,
		    bool *answered);

#endif
