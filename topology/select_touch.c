/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>

#include "topology/select_private.h"

#define FEW 48	/* sorted by insertion */

static int child_after(const struct child *a, const struct child *b)
{
	if (a->units != b->units)
		return a->units < b->units;
	if (a->end_cost != b->end_cost)
		return a->end_cost > b->end_cost;
	return a->sw > b->sw;
}

static int child_order(const void *a, const void *b)
{
	return child_after(a, b) ? 1 : -1;	/* no two have the same number */
}

void children_sort(struct child *children, size_t count)
{
	size_t sorted = 1;

	/* Most lists come sorted, or nearly, since little changes from one job to the next. */
	while (sorted < count && !child_after(&children[sorted - 1], &children[sorted]))
		sorted++;
	if (sorted < count && count > FEW) {
		qsort(children, count, sizeof(*children), child_order);
		return;
	}
	for (; sorted < count; sorted++) {
		struct child c = children[sorted];
		size_t i = sorted;

		for (; i > 0 && child_after(&children[i - 1], &c); i--)
			children[i] = children[i - 1];
		children[i] = c;
	}
}

static int size_order(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

	return (x < y) - (x > y);
}

void sizes_sort(uint64_t *sizes, uint32_t count)
{
	uint32_t sorted = 1;

	while (sorted < count && sizes[sorted - 1] >= sizes[sorted])
		sorted++;
	if (sorted < count && count > FEW) {
		qsort(sizes, count, sizeof(*sizes), size_order);
		return;
	}
	for (; sorted < count; sorted++) {
		uint64_t size = sizes[sorted];
		uint32_t i = sorted;

		for (; i > 0 && sizes[i - 1] < size; i--)
			sizes[i] = sizes[i - 1];
		sizes[i] = size;
	}
}

struct wt_span switches_below(const struct wt_tree *t, uint32_t level, uint32_t sw, uint32_t below)
{
	uint32_t first = sw, last = sw + 1;

	for (uint32_t l = level; l > below; l--) {
		first = t->levels[l].first_child[first];
		last = t->levels[l].first_child[last];
	}
	return (struct wt_span) { first, last - first };
}

uint32_t wt_select_least(const struct wt_select *s, uint32_t level, uint64_t units)
{
	const uint64_t *sum = s->capacity_sum[level];
	uint32_t low = 0, high = s->tree->levels[level].count;

	/* The first place at which the running sum of the largest switches reaches the units. */
	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (sum[mid] >= units)
			high = mid;
		else
			low = mid + 1;
	}
	return low < s->tree->levels[level].count ? low + 1 : 0;
}

uint32_t touch_least(struct wt_select *s, uint32_t level, uint32_t sw, uint32_t below, uint64_t units)
{
	struct wt_span span = switches_below(s->tree, level, sw, below);
	const uint64_t *from = s->room->units[below] + span.first;
	uint64_t held = 0;
	uint32_t i;

	/* A copy, since the room is the caller's, and is in the order of the switches. */
	for (i = 0; i < span.count; i++)
		s->sizes[i] = from[i];
	sizes_sort(s->sizes, span.count);
	for (i = 0; i < span.count && held < units; i++)
		held += s->sizes[i];
	return held < units ? UINT32_MAX : i;
}

void touch_all(struct wt_select *s, uint32_t level, uint32_t sw, uint64_t units, uint32_t *touch)
{
	for (uint32_t below = 0; below < level; below++)
		touch[below] = touch_least(s, level, sw, below, units);
}

/* The highest level counts first: there the links are the fewest and the most shared. */
int touch_compare(const uint32_t *a, const uint32_t *b, uint32_t levels)
{
	while (levels-- > 0)
		if (a[levels] != b[levels])
			return a[levels] < b[levels] ? -1 : 1;
	return 0;
}
