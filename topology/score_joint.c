/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exact least number of switches on all levels together.
 *
 * For a switch, table[c0, c1, ...] is the most units that can be had below it from at most c0 leaves, c1 switches of level
 * 1, and so on.  A leaf's table is one number; a switch's is made of its children's, as in a knapsack: each child is left
 * out, or counts once on its level with any of its own entries.  Bounds from a placement that exists keep the tables
 * small. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "topology/room_private.h"
#include "topology/score.h"

struct joint {
	const struct wt_room *room;
	uint32_t size[WT_TREE_LEVELS_MAX];	/* entries of a dimension: bound + 1 */
	size_t stride[WT_TREE_LEVELS_MAX + 1];
	uint64_t steps;
};

static uint32_t digit(const struct joint *j, size_t index, uint32_t level)
{
	return (uint32_t) (index / j->stride[level] % j->size[level]);
}

/* Whether 'part' is at most 'whole' in each of 'levels' dimensions. */
static int within(const struct joint *j, size_t part, size_t whole, uint32_t levels)
{
	for (uint32_t l = 0; l < levels; l++)
		if (digit(j, part, l) > digit(j, whole, l))
			return 0;
	return 1;
}

/* Entries of the table of a switch of 'level' beyond which it says nothing new: with one dimension, its children. */
static size_t table_useful(const struct joint *j, uint32_t level, uint32_t sw)
{
	uint32_t children = wt_tree_children(j->room->tree, level, sw).count;

	return level == 1 && children + 1 < j->stride[1] ? children + 1 : j->stride[level];
}

/* Let a child, with its own table, into the table of a switch of 'level'.  The child's level runs downwards, so that it is
 * taken once at most. */
static void child_add(struct joint *j, uint32_t level, uint64_t *table, const uint64_t *child, size_t useful)
{
	size_t block = j->stride[level - 1];

	for (uint32_t c = j->size[level - 1] - 1; c > 0; c--) {
		for (size_t v = block; v-- > 0;) {
			const uint64_t *before = table + (c - 1) * block;
			uint64_t best = table[c * block + v];

			for (size_t w = 0; w <= v && w < useful; w++)
				if (before[v - w] + child[w] > best && (level <= 2 || within(j, w, v, level - 1)))
					best = before[v - w] + child[w];
			table[c * block + v] = best;
		}
	}
}

static uint64_t *table_make(struct joint *j, uint32_t level, uint32_t sw)
{
	struct wt_span span = wt_tree_children(j->room->tree, level, sw);
	uint64_t *table = calloc(j->stride[level], sizeof(*table));

	if (!table)
		return NULL;
	if (level == 0) {
		table[0] = j->room->units[0][sw];
		return table;
	}
	for (uint32_t c = span.first; c < span.first + span.count; c++) {
		uint64_t *child;

		/* A child without room is never worth its place: on a full machine most of the work is saved here. */
		if (!j->room->units[level - 1][c])
			continue;
		child = table_make(j, level - 1, c);
		if (!child) {
			free(table);
			return NULL;
		}
		child_add(j, level, table, child, table_useful(j, level - 1, c));
		free(child);
	}
	return table;
}

/* Every switch with room costs its parent's table, each entry with each entry of its own. */
static int sizes_set(struct joint *j, const uint32_t *bound)
{
	const struct wt_tree *t = j->room->tree;
	double steps = 0;

	j->stride[0] = 1;
	for (uint32_t l = 0; l + 1 < t->level_count; l++) {
		j->size[l] = (bound[l] < t->levels[l].count ? bound[l] : t->levels[l].count) + 1;
		j->stride[l + 1] = j->stride[l] * j->size[l];
		for (uint32_t sw = 0; sw < t->levels[l].count; sw++)
			steps += (double) j->stride[l + 1] * (double) table_useful(j, l, sw);
		if (steps > WT_SCORE_STEPS_MAX) {
			errno = EOVERFLOW;
			return -1;
		}
	}
	return 0;
}

/* The first vector in lexicographic order, highest level first, whose entry is large enough: as the root's table only
 * grows along each dimension, one level after the other can be settled with the lower ones at their bounds. */
static int vector_find(const struct joint *j, uint32_t levels, const uint64_t *table, uint64_t units, uint32_t *least)
{
	size_t index = j->stride[levels] - 1;

	if (table[index] < units) {
		errno = ENOENT;
		return -1;
	}
	for (uint32_t l = levels; l-- > 0;) {
		while (digit(j, index, l) > 0 && table[index - j->stride[l]] >= units)
			index -= j->stride[l];
		least[l] = digit(j, index, l);
	}
	return 0;
}

int wt_score_joint(const struct wt_room *room, uint64_t units, const uint32_t *bound, uint32_t *least)
{
	uint32_t root = room->tree->level_count - 1;
	struct joint j = { .room = room };
	uint64_t *table;
	int rc;

	if (sizes_set(&j, bound) < 0)
		return -1;
	table = table_make(&j, root, 0);
	if (!table) {
		errno = ENOMEM;
		return -1;
	}
	rc = vector_find(&j, root, table, units, least);
	free(table);
	return rc;
}
