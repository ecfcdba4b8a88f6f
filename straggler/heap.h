/* heap.h - a binary max-heap of numbered items, each at most once, whose keys may change.
 *
 * Items are numbers below the capacity; keys are doubles, never NAN.  Not locked. */
#ifndef WT_STRAGGLER_HEAP_H
#define WT_STRAGGLER_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct wt_heap {
	uint32_t capacity, count;
	uint32_t *items;	/* in heap order */
	uint32_t *places;	/* of each item in 'items', or WT_HEAP_ABSENT */
	double *keys;		/* by item */
};

#define WT_HEAP_ABSENT UINT32_MAX

int wt_heap_init(struct wt_heap *heap, uint32_t capacity);	/* -1 and ENOMEM; then nothing is to be freed */
void wt_heap_fini(struct wt_heap *heap);

void wt_heap_set(struct wt_heap *heap, uint32_t item, double key);	/* insert, or change the key; O(log n) */
void wt_heap_remove(struct wt_heap *heap, uint32_t item);		/* absent items are ignored; O(log n) */

/* Call visit for every item with key >= bound, in no order; O(1 + their number).  visit must not change the heap. */
void wt_heap_visit(const struct wt_heap *heap, double bound, void (*visit)(uint32_t item, void *arg), void *arg);

bool wt_heap_ok(const struct wt_heap *heap);	/* every invariant */

#endif
