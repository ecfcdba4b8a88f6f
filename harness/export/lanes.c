/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>

#include "harness/export/lanes.h"

/* Slices of one track of Perfetto must nest or follow each other: what overlaps needs a lane more.  Two heaps (busy
 * lanes by end, idle ones by number) give each slice the lowest free lane in log n. */
struct lane_end {
	int64_t key;		/* end of what is in it, or the lane itself */
	uint32_t lane;
};

static int heap_push(struct lane_heap *heap, struct lane_end item)
{
	size_t at = heap->count;

	if (heap->count == heap->capacity) {
		size_t capacity = heap->capacity ? 2 * heap->capacity : 4;
		struct lane_end *more = reallocarray(heap->items, capacity, sizeof(*more));

		if (!more)
			return -1;
		heap->items = more;
		heap->capacity = capacity;
	}
	for (; at && heap->items[(at - 1) / 2].key > item.key; at = (at - 1) / 2)
		heap->items[at] = heap->items[(at - 1) / 2];
	heap->items[at] = item;
	heap->count++;
	return 0;
}

static struct lane_end heap_pop(struct lane_heap *heap)
{
	struct lane_end least = heap->items[0], last = heap->items[--heap->count];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < heap->count) {
		if (child + 1 < heap->count && heap->items[child + 1].key < heap->items[child].key)
			child++;
		if (heap->items[child].key >= last.key)
			break;
		heap->items[at] = heap->items[child];
		at = child;
	}
	heap->items[at] = last;
	return least;
}

uint32_t lane_take(struct lanes *lanes, int64_t start_us, int64_t end_us)
{
	uint32_t lane;

	while (lanes->busy.count && lanes->busy.items[0].key <= start_us) {
		lane = heap_pop(&lanes->busy).lane;
		if (heap_push(&lanes->idle, (struct lane_end){ lane, lane }) < 0)
			return LANE_NONE;
	}
	lane = lanes->idle.count ? heap_pop(&lanes->idle).lane : lanes->count++;
	/* A slice of no length still takes its lane for its moment: another one there would lie on top of it. */
	if (end_us <= start_us)
		end_us = start_us + 1;
	return heap_push(&lanes->busy, (struct lane_end){ end_us, lane }) < 0 ? LANE_NONE : lane;
}

void lanes_clear(struct lanes *lanes)
{
	free(lanes->busy.items);
	free(lanes->idle.items);
	*lanes = (struct lanes){ 0 };
}
