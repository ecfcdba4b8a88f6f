/* send.h - requests to the controller: order, retries, and what becomes of the answers.  One thread: the loop's. */
#ifndef WT_HARNESS_VNODE_SLURM_SEND_H
#define WT_HARNESS_VNODE_SLURM_SEND_H

#include "harness/vnode/slurm/codec.h"
#include "harness/vnode/wire/outgoing.h"
#include "harness/vnode/wire/requestq.h"

struct wt_daemon;

enum wt_request_kind {	/* what is sent to the controller */
	WT_SEND_REGISTRATION, WT_SEND_PROBE, WT_SEND_BATCH_COMPLETE, WT_SEND_EPILOG_COMPLETE, WT_SEND_LAUNCH_FAIL,
	WT_SEND_PROLOG_COMPLETE, WT_SEND_STEP_COMPLETE, WT_SEND_NOTIFY, WT_SEND_KILL_JOB,
	WT_SEND_FAULT,		/* a registration with a status: the node wants to be drained */
	WT_SEND_SCRIPT_ASK, WT_SEND_SCRIPT_LOOK,	/* of a step that a script asks for: script_step.h */
	WT_SEND_STEP_STARTED, WT_SEND_STEP_EXIT,	/* to srun */
	WT_SEND_FORWARD, WT_SEND_STEP_TELL,	/* to nodes of other processes: forward.h */
};

enum { WT_QUEUE_JOB, WT_QUEUE_EPILOG, WT_QUEUES };	/* in the order in which they are served; registrations come last */

struct wt_send {
	struct wt_outgoing *outgoing;	/* to the controllers */
	struct wt_requestq queues[WT_QUEUES], retries[WT_QUEUES];	/* retries: time_us is when */
	bool may;			/* with time.in_order: one message has its turn */
};

int wt_send_init(struct wt_daemon *daemon, struct wt_error *errp);
void wt_send_fini(struct wt_send *send);
int wt_send_targets(struct wt_send *send, struct wt_error *errp);
void wt_send_queue(struct wt_send *send, const struct wt_outgoing_request *request);
void wt_send_turn(struct wt_send *send);	/* at most one message leaves */
/* The return code in an answer, or -1 when it is no answer.  *step_id: of a new step. */
int wt_send_answer(const uint8_t *frame, size_t len, uint32_t *step_id);
/* Something may be waiting to be sent, and could be. */
bool wt_send_waits(const struct wt_daemon *daemon);
void wt_send_retry(struct wt_send *send, int64_t now_us);

/* A launch on this node has failed: what slurmd tells of it, one message after the other, a Prolog's end first if that is
 * waited for. 'status' is Slurm's code; ESLURMD_PROLOG_FAILED drains the node. */
void wt_send_launch_fail(struct wt_daemon *daemon, uint32_t node, uint32_t job_id, uint32_t requeue_id, uint32_t status,
			 bool prolog_awaited);

/* pack.c: their contents */
int wt_pack_request(struct wt_daemon *daemon, const struct wt_outgoing_request *request, struct wt_bytes *bytes,
		    bool *answered);

#endif
