/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Free units by node, and their sums for each switch: a node's change costs one addition a level, a whole fill
 * O(nodes). */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "topology/room_private.h"

struct wt_room *wt_room_create(const struct wt_tree *t)
{
	struct wt_room *room = calloc(1, sizeof(*room));
	int failed;

	if (!room)
		return NULL;
	room->tree = t;
	room->node = calloc(t->node_count, sizeof(*room->node));
	failed = !room->node;
	for (uint32_t l = 0; l < t->level_count; l++) {
		room->units[l] = calloc(t->levels[l].count, sizeof(*room->units[l]));
		failed |= !room->units[l];
	}
	if (!failed)
		return room;
	wt_room_destroy(room);
	errno = ENOMEM;
	return NULL;
}

void wt_room_destroy(struct wt_room *room)
{
	int saved_errno = errno;

	if (!room)
		return;
	for (uint32_t l = 0; l < WT_TREE_LEVELS_MAX; l++)
		free(room->units[l]);
	free(room->node);
	free(room);
	errno = saved_errno;
}

void wt_room_fill(struct wt_room *room, const uint32_t *units)
{
	const struct wt_tree *t = room->tree;

	memcpy(room->node, units, t->node_count * sizeof(*units));
	for (uint32_t i = 0; i < t->levels[0].count; i++) {
		uint64_t sum = 0;

		for (uint32_t node = t->levels[0].first_node[i]; node < t->levels[0].first_node[i + 1]; node++)
			sum += units[node];
		room->units[0][i] = sum;
	}
	for (uint32_t l = 1; l < t->level_count; l++) {
		for (uint32_t i = 0; i < t->levels[l].count; i++) {
			uint64_t sum = 0;

			for (uint32_t c = t->levels[l].first_child[i]; c < t->levels[l].first_child[i + 1]; c++)
				sum += room->units[l - 1][c];
			room->units[l][i] = sum;
		}
	}
}

void wt_room_copy(struct wt_room *to, const struct wt_room *from)
{
	const struct wt_tree *t = from->tree;

	memcpy(to->node, from->node, t->node_count * sizeof(*to->node));
	for (uint32_t l = 0; l < t->level_count; l++)
		memcpy(to->units[l], from->units[l], t->levels[l].count * sizeof(*to->units[l]));
}

void wt_room_set(struct wt_room *room, uint32_t node, uint32_t units)
{
	const struct wt_tree *t = room->tree;
	uint32_t sw = t->leaf[node];

	for (uint32_t l = 0; l < t->level_count; l++) {
		room->units[l][sw] += units;
		room->units[l][sw] -= room->node[node];
		sw = t->levels[l].parent[sw];
	}
	room->node[node] = units;
}

uint32_t wt_room_node(const struct wt_room *room, uint32_t node)
{
	return room->node[node];
}

uint64_t wt_room_units(const struct wt_room *room, uint32_t level, uint32_t sw)
{
	return room->units[level][sw];
}

uint64_t wt_room_total(const struct wt_room *room)
{
	return room->units[room->tree->level_count - 1][0];
}

const struct wt_tree *wt_room_tree(const struct wt_room *room)
{
	return room->tree;
}
