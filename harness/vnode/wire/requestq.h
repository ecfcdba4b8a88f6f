/* requestq.h - requests to the controller that wait for their turn, in order.
 *
 * Pure.  One thread at a time.  A zeroed struct is an empty queue. */
#ifndef WT_HARNESS_VNODE_WIRE_REQUESTQ_H
#define WT_HARNESS_VNODE_WIRE_REQUESTQ_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/vnode/wire/outgoing.h"

struct wt_requestq {
	struct wt_outgoing_request *ring;
	uint32_t first, count, capacity;
};

int wt_requestq_push(struct wt_requestq *q, const struct wt_outgoing_request *request);		/* 0, or -1 with ENOMEM */
int wt_requestq_push_front(struct wt_requestq *q, const struct wt_outgoing_request *request);
bool wt_requestq_pop(struct wt_requestq *q, struct wt_outgoing_request *request);		/* false: empty */
const struct wt_outgoing_request *wt_requestq_peek(const struct wt_requestq *q);			/* NULL: empty */
void wt_requestq_clear(struct wt_requestq *q);

#endif
