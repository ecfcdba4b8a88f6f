/* forward.h - messages that go on to nodes of other processes, and the answers that come back; and what the slurmstepds of a
 * step tell those above them there.
 *
 * A message whose list has nodes of other processes goes on to each of these processes once: to the first of its nodes,
 * with the others as the list that this one has to forward to, and with the same credential and contents.  Whoever asked is
 * answered when all have answered, or cannot.  One thread: the loop's. */
#ifndef WT_HARNESS_VNODE_SLURM_FORWARD_H
#define WT_HARNESS_VNODE_SLURM_FORWARD_H

#include "harness/vnode/slurm/codec.h"
#include "harness/vnode/wire/outgoing.h"
#include "harness/vnode/wire/requestq.h"

struct wt_daemon;
struct wt_call;
struct wt_answer;
struct wt_forward;	/* opaque: one message */

struct wt_forwards {
	struct wt_outgoing *outgoing;
	struct wt_requestq queue;	/* what waits for a connection */
	struct wt_forward *all;		/* those that wait for answers */
	uint64_t last_id;
};

int wt_forward_init(struct wt_daemon *daemon, struct wt_error *errp);
void wt_forward_fini(struct wt_forwards *forwards);

/* Send the call on to its foreign nodes.  Returns the number under which the server will be answered, or 0: nobody waits for
 * an answer, or there is no memory for it.  'own' and 'others' (may be NULL) are taken in any case. */
uint64_t wt_forward_begin(struct wt_daemon *daemon, const struct wt_call *call, uint32_t node, struct wt_answer *own,
			  compat_list others);

/* One entry of the answers: 'answer' is taken.  'name' is copied. */
void wt_forward_entry(compat_list list, const char *name, const struct wt_answer *answer);

/* Tell the slurmstepd on request->target. */
void wt_forward_queue(struct wt_daemon *daemon, const struct wt_outgoing_request *request);

bool wt_forward_busy(const struct wt_forwards *forwards);	/* something has still to leave */

#endif
