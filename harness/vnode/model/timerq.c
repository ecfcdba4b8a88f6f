/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A binary heap of slot numbers; a slot knows its place in the heap and how often it has been used. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "harness/vnode/model/timerq.h"

struct slot {
	struct wt_timer timer;
	uint64_t sequence;	/* order of arming, for equal deadlines */
	uint32_t generation;	/* odd while armed */
	uint32_t place;		/* in the heap while armed, else the next free slot */
};

struct wt_timerq {
	struct slot *slots;
	uint32_t *heap;
	uint32_t count, used, capacity;
	uint32_t free_head;	/* slot number + 1; 0: none */
	uint64_t sequence;
};

struct wt_timerq *wt_timerq_create(void)
{
	return calloc(1, sizeof(struct wt_timerq));
}

void wt_timerq_destroy(struct wt_timerq *q)
{
	int saved_errno = errno;

	if (q) {
		free(q->slots);
		free(q->heap);
		free(q);
	}
	errno = saved_errno;
}

static bool earlier(const struct wt_timerq *q, uint32_t x, uint32_t y)
{
	const struct slot *sx = &q->slots[x], *sy = &q->slots[y];

	/* Of equal deadlines the one that was armed first: a heap alone would make the order depend on its history. */
	if (sx->timer.deadline_us != sy->timer.deadline_us)
		return sx->timer.deadline_us < sy->timer.deadline_us;
	return sx->sequence < sy->sequence;
}

static void put(struct wt_timerq *q, uint32_t place, uint32_t slot)
{
	q->heap[place] = slot;
	q->slots[slot].place = place;
}

static void sift_up(struct wt_timerq *q, uint32_t place)
{
	uint32_t slot = q->heap[place];

	while (place) {
		uint32_t parent = (place - 1) / 2;

		if (!earlier(q, slot, q->heap[parent]))
			break;
		put(q, place, q->heap[parent]);
		place = parent;
	}
	put(q, place, slot);
}

static void sift_down(struct wt_timerq *q, uint32_t place)
{
	uint32_t slot = q->heap[place];

	for (;;) {
		uint32_t child = 2 * place + 1;

		if (child >= q->count)
			break;
		if (child + 1 < q->count && earlier(q, q->heap[child + 1], q->heap[child]))
			child++;
		if (!earlier(q, q->heap[child], slot))
			break;
		put(q, place, q->heap[child]);
		place = child;
	}
	put(q, place, slot);
}

static int grow(struct wt_timerq *q)
{
	uint32_t capacity = q->capacity ? q->capacity * 2 : 64;
	struct slot *slots;
	uint32_t *heap;

	if (q->capacity > UINT32_MAX / 4) {
		errno = ENOMEM;
		return -1;
	}
	slots = realloc(q->slots, capacity * sizeof(*slots));
	if (!slots)
		return -1;
	/* Kept at once: if the second realloc () fails the first has moved the slots already. */
	q->slots = slots;
	heap = realloc(q->heap, capacity * sizeof(*heap));
	if (!heap)
		return -1;
	q->heap = heap;
	q->capacity = capacity;
	return 0;
}

wt_timer_id wt_timerq_arm(struct wt_timerq *q, const struct wt_timer *timer)
{
	uint32_t slot;
	struct slot *s;

	if (q->free_head) {
		slot = q->free_head - 1;
		q->free_head = q->slots[slot].place;
	} else {
		if (q->used == q->capacity && grow(q) < 0)
			return 0;
		slot = q->used++;
		q->slots[slot].generation = 0;
	}
	s = &q->slots[slot];
	s->timer = *timer;
	s->sequence = q->sequence++;
	s->generation++;
	q->heap[q->count] = slot;
	s->place = q->count++;
	sift_up(q, s->place);
	return (uint64_t) s->generation << 32 | slot;
}

static void release(struct wt_timerq *q, uint32_t slot)
{
	uint32_t place = q->slots[slot].place, last = q->heap[--q->count];

	/* The last one takes its place, from which it may have to go up as well as down. */
	if (place < q->count) {
		put(q, place, last);
		sift_up(q, place);
		sift_down(q, q->slots[last].place);
	}
	q->slots[slot].generation++;
	q->slots[slot].place = q->free_head;
	q->free_head = slot + 1;
}

bool wt_timerq_cancel(struct wt_timerq *q, wt_timer_id id)
{
	uint32_t slot = (uint32_t) id, generation = (uint32_t) (id >> 32);

	if (slot >= q->used || !(generation & 1) || q->slots[slot].generation != generation)
		return false;
	release(q, slot);
	return true;
}

bool wt_timerq_pop(struct wt_timerq *q, int64_t now_us, struct wt_timer *timer)
{
	uint32_t slot;

	if (!q->count)
		return false;
	slot = q->heap[0];
	if (q->slots[slot].timer.deadline_us > now_us)
		return false;
	*timer = q->slots[slot].timer;
	release(q, slot);
	return true;
}

bool wt_timerq_next(const struct wt_timerq *q, int64_t *deadline_us)
{
	if (!q->count)
		return false;
	*deadline_us = q->slots[q->heap[0]].timer.deadline_us;
	return true;
}

size_t wt_timerq_count(const struct wt_timerq *q)
{
	return q->count;
}
