/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A binary heap with the largest key at the top, and for each item its place: a change or a removal costs O(log n), and
 * all items with keys of at least a bound are visited in O(their number). */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "straggler/heap.h"

int wt_heap_init(struct wt_heap *heap, uint32_t capacity)
{
	*heap = (struct wt_heap) {
		.capacity = capacity,
		.items = calloc(capacity, sizeof(*heap->items)),
		.places = calloc(capacity, sizeof(*heap->places)),
		.keys = calloc(capacity, sizeof(*heap->keys)),
	};
	if (!heap->items || !heap->places || !heap->keys) {
		wt_heap_fini(heap);
		errno = ENOMEM;
		return -1;
	}
	for (uint32_t i = 0; i < capacity; i++)
		heap->places[i] = WT_HEAP_ABSENT;
	return 0;
}

void wt_heap_fini(struct wt_heap *heap)
{
	free(heap->items);
	free(heap->places);
	free(heap->keys);
	*heap = (struct wt_heap) { 0 };
}

static double key_at(const struct wt_heap *heap, uint32_t place)
{
	return heap->keys[heap->items[place]];
}

static void put(struct wt_heap *heap, uint32_t place, uint32_t item)
{
	heap->items[place] = item;
	heap->places[item] = place;
}

static void sift_up(struct wt_heap *heap, uint32_t place)
{
	uint32_t item = heap->items[place];

	while (place > 0 && key_at(heap, (place - 1) / 2) < heap->keys[item]) {
		put(heap, place, heap->items[(place - 1) / 2]);
		place = (place - 1) / 2;
	}
	put(heap, place, item);
}

static void sift_down(struct wt_heap *heap, uint32_t place)
{
	uint32_t item = heap->items[place];

	for (;;) {
		uint32_t child = 2 * place + 1;

		if (child >= heap->count)
			break;
		if (child + 1 < heap->count && key_at(heap, child) < key_at(heap, child + 1))
			child++;
		if (key_at(heap, child) <= heap->keys[item])
			break;
		put(heap, place, heap->items[child]);
		place = child;
	}
	put(heap, place, item);
}

void wt_heap_set(struct wt_heap *heap, uint32_t item, double key)
{
	if (heap->places[item] == WT_HEAP_ABSENT)
		put(heap, heap->count++, item);
	heap->keys[item] = key;
	/* One of the two does nothing: the key has grown or shrunk. */
	sift_up(heap, heap->places[item]);
	sift_down(heap, heap->places[item]);
}

void wt_heap_remove(struct wt_heap *heap, uint32_t item)
{
	uint32_t place = heap->places[item], last;

	if (place == WT_HEAP_ABSENT)
		return;
	heap->places[item] = WT_HEAP_ABSENT;
	last = heap->items[--heap->count];
	if (last == item)
		return;
	put(heap, place, last);
	sift_up(heap, place);
	sift_down(heap, heap->places[last]);
}

static void visit_below(const struct wt_heap *heap, uint32_t place, double bound,
			void (*visit)(uint32_t item, void *arg), void *arg)
{
	/* All below it are smaller, too; the depth of the calls is that of the heap, at most 25. */
	if (place >= heap->count || key_at(heap, place) < bound)
		return;
	visit(heap->items[place], arg);
	visit_below(heap, 2 * place + 1, bound, visit, arg);
	visit_below(heap, 2 * place + 2, bound, visit, arg);
}

void wt_heap_visit(const struct wt_heap *heap, double bound, void (*visit)(uint32_t item, void *arg), void *arg)
{
	visit_below(heap, 0, bound, visit, arg);
}

bool wt_heap_ok(const struct wt_heap *heap)
{
	uint32_t present = 0;

	for (uint32_t i = 0; i < heap->capacity; i++) {
		uint32_t place = heap->places[i];

		if (place == WT_HEAP_ABSENT)
			continue;
		present++;
		if (place >= heap->count || heap->items[place] != i || isnan(heap->keys[i]))
			return false;
		if (place > 0 && key_at(heap, (place - 1) / 2) < heap->keys[i])
			return false;
	}
	return present == heap->count;
}
