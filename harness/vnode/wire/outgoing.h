/* outgoing.h - send requests to the controller, or to many clients; many at once but a bounded number.
 *
 * Each request is one connection from its node's own address.  The caller hands out the next request when there is room
 * (pull), packs it at the last moment (a credential has a short life) and hears its end.  While the controller refuses
 * connections only one request at a time tries.  One thread: the loop's. */
#ifndef WT_HARNESS_VNODE_WIRE_OUTGOING_H
#define WT_HARNESS_VNODE_WIRE_OUTGOING_H

#include <ev.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

struct wt_outgoing;	/* opaque */

enum wt_outcome {
	WT_OUTCOME_ANSWERED,	/* the answer's frame; or, when none is expected, the controller has read and closed */
	WT_OUTCOME_REFUSED,	/* no connection: nothing was sent */
	WT_OUTCOME_FAILED,	/* broken or timed out: it may or may not have arrived */
};

struct wt_outgoing_request {	/* the caller's */
	uint8_t kind, probe;
	uint16_t wait_status;
	uint32_t node, job_id, uid, step_id;
	uint64_t job;
	int64_t time_us;
	uint64_t step;			/* of steps only, from here on: wt_step_ref */
	uint32_t rank, step_het_comp, first, last, status;
	uint32_t target;		/* a node, of a request to one */
};

struct wt_outgoing_calls {
	bool (*next)(void *arg, struct wt_outgoing_request *request);	/* false: nothing waits */
	/* The frame to send, from malloc (); -1: it cannot be packed now, which counts as WT_OUTCOME_REFUSED. */
	int (*pack)(void *arg, const struct wt_outgoing_request *request, uint8_t **data, size_t *len, bool *answered);
	void (*done)(void *arg, const struct wt_outgoing_request *request, enum wt_outcome outcome,
		     const uint8_t *frame, size_t len);
	in_addr_t (*source)(void *arg, const struct wt_outgoing_request *request);
	/* Where each request goes, when that is not the controllers; then a refusal does not hold up the others.  false: its
	 * receiver is not known any more, which counts as WT_OUTCOME_REFUSED.  NULL: to the controllers. */
	bool (*target)(void *arg, const struct wt_outgoing_request *request, struct sockaddr_in *target);
	void *arg;
};

struct wt_outgoing_conf {
	uint32_t max_in_flight;
	double timeout_s;		/* of a whole request */
	double refused_pause_s;		/* before the next try after a refusal */
};

/* NULL, ENOMEM.  'calls' is copied. */
struct wt_outgoing *wt_outgoing_create(struct ev_loop *loop, const struct wt_outgoing_conf *conf,
				       const struct wt_outgoing_calls *calls);
void wt_outgoing_destroy(struct wt_outgoing *outgoing);		/* NULL is ignored; requests in flight are dropped unheard */

/* Where to send from now on: the controllers, in their order; the next one is tried when one refuses. */
void wt_outgoing_targets(struct wt_outgoing *outgoing, const struct sockaddr_in *targets, uint32_t count);
#define WT_OUTGOING_MAX_TARGETS 8

/* wt_outgoing_kick () would ask for a request. */
bool wt_outgoing_ready(const struct wt_outgoing *outgoing);

void wt_outgoing_kick(struct wt_outgoing *outgoing);		/* something may be waiting */
uint32_t wt_outgoing_in_flight(const struct wt_outgoing *outgoing);

#endif
