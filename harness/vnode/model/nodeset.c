/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/nodeset.h"

static int number_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

	return x < y ? -1 : x > y;
}

static size_t numbers_sort(uint32_t *numbers, size_t count, size_t *unique)
{
	size_t ranges = 0;
	bool sorted = true;

	/* slurmctld's lists are sorted: the usual case needs no qsort () of thousands of numbers. */
	for (size_t i = 1; i < count && sorted; i++)
		sorted = numbers[i - 1] < numbers[i];
	if (!sorted)
		qsort(numbers, count, sizeof(*numbers), number_compare);
	*unique = 0;
	for (size_t i = 0; i < count; i++) {
		if (i && numbers[i] == numbers[*unique - 1])
			continue;
		if (!*unique || numbers[i] != numbers[*unique - 1] + 1)
			ranges++;
		numbers[(*unique)++] = numbers[i];
	}
	return ranges;
}

int wt_nodeset_fill(struct wt_nodeset *set, uint32_t *numbers, size_t count)
{
	size_t unique, ranges = numbers_sort(numbers, count, &unique), at = 0;
	struct wt_node_range *array = NULL;

	if (ranges) {
		array = malloc(ranges * sizeof(*array));
		if (!array)
			return -1;
	}
	for (size_t i = 0; i < unique; i++) {
		if (!i || numbers[i] != numbers[i - 1] + 1)
			array[at++] = (struct wt_node_range) { .first = numbers[i], .rank = (uint32_t) i };
		array[at - 1].count++;
	}
	*set = (struct wt_nodeset) { .ranges = array, .range_count = (uint32_t) ranges, .count = (uint32_t) unique };
	return 0;
}

void wt_nodeset_clear(struct wt_nodeset *set)
{
	if (!set)
		return;
	free(set->ranges);
	memset(set, 0, sizeof(*set));
}

bool wt_nodeset_rank(const struct wt_nodeset *set, uint32_t node, uint32_t *rank)
{
	uint32_t low = 0, high = set->range_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct wt_node_range *range = &set->ranges[middle];

		if (node < range->first) {
			high = middle;
		} else if (node - range->first >= range->count) {
			low = middle + 1;
		} else {
			*rank = range->rank + (node - range->first);
			return true;
		}
	}
	return false;
}
