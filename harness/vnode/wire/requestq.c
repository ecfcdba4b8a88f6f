/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "harness/vnode/wire/requestq.h"

static int grow(struct wt_requestq *q)
{
	uint32_t capacity = q->capacity ? q->capacity * 2 : 64;
	struct wt_outgoing_request *ring;

	if (q->count < q->capacity)
		return 0;
	ring = malloc(capacity * sizeof(*ring));
	if (!ring)
		return -1;
	for (uint32_t i = 0; i < q->count; i++)
		ring[i] = q->ring[(q->first + i) % q->capacity];
	free(q->ring);
	q->ring = ring;
	q->first = 0;
	q->capacity = capacity;
	return 0;
}

int wt_requestq_push(struct wt_requestq *q, const struct wt_outgoing_request *request)
{
	if (grow(q) < 0)
		return -1;
	q->ring[(q->first + q->count++) % q->capacity] = *request;
	return 0;
}

int wt_requestq_push_front(struct wt_requestq *q, const struct wt_outgoing_request *request)
{
	if (grow(q) < 0)
		return -1;
	q->first = (q->first + q->capacity - 1) % q->capacity;
	q->ring[q->first] = *request;
	q->count++;
	return 0;
}

bool wt_requestq_pop(struct wt_requestq *q, struct wt_outgoing_request *request)
{
	if (!q->count)
		return false;
	*request = q->ring[q->first];
	q->first = (q->first + 1) % q->capacity;
	q->count--;
	if (!q->count)
		wt_requestq_clear(q);	/* a burst of one message for each node does not keep its memory */
	return true;
}

const struct wt_outgoing_request *wt_requestq_peek(const struct wt_requestq *q)
{
	return q->count ? &q->ring[q->first] : NULL;
}

void wt_requestq_clear(struct wt_requestq *q)
{
	free(q->ring);
	memset(q, 0, sizeof(*q));
}
