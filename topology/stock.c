/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Slurm itself chooses, modelled on counts of nodes and units, for three of its ways (stock.h): consecutive nodes
 * without a tree, the leaves of 22.05 by distance, those of 2.4 below one common switch.  Each pick is O(leaves taken *
 * leaves). */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "topology/room_private.h"
#include "topology/stock.h"

struct run {	/* of consecutive nodes with room */
	uint32_t first, nodes;
	uint64_t units;
};

struct wt_stock {
	const struct wt_tree *tree;
	enum wt_stock_model model;
	uint32_t leaf_level;
	uint32_t *free_nodes[WT_TREE_LEVELS_MAX];	/* nodes with room below each switch; a used leaf has none left */
	uint32_t *distance;				/* of each leaf: sum of hops to the leaves in use */
	struct run *runs;
	uint8_t *taken;					/* [nodes] */
	struct wt_pick *picks;
	size_t pick_count;
	/* of the call */
	const struct wt_room *room;
	int64_t rest, rest_nodes;	/* still wanted */
};

void wt_stock_destroy(struct wt_stock *s)
{
	int saved_errno = errno;

	if (!s)
		return;
	for (uint32_t l = 0; l < WT_TREE_LEVELS_MAX; l++)
		free(s->free_nodes[l]);
	free(s->distance);
	free(s->runs);
	free(s->taken);
	free(s->picks);
	free(s);
	errno = saved_errno;
}

struct wt_stock *wt_stock_create(const struct wt_tree *t, enum wt_stock_model model, uint32_t leaf_level,
				 struct wt_error *errp)
{
	struct wt_stock *s;
	int failed = 0;

	if (!t || leaf_level >= t->level_count) {
		wt_error_set(errp, EINVAL, "stock model: the tree has no level %u", leaf_level);
		return NULL;
	}
	s = calloc(1, sizeof(*s));
	if (!s)
		goto error;
	s->tree = t;
	s->model = model;
	s->leaf_level = leaf_level;
	for (uint32_t l = leaf_level; l < t->level_count; l++) {
		s->free_nodes[l] = calloc(t->levels[l].count, sizeof(*s->free_nodes[l]));
		failed |= !s->free_nodes[l];
	}
	s->distance = calloc(t->levels[leaf_level].count, sizeof(*s->distance));
	s->runs = calloc(t->node_count, sizeof(*s->runs));
	s->taken = calloc(t->node_count, sizeof(*s->taken));
	s->picks = calloc(t->node_count, sizeof(*s->picks));
	if (!failed && s->distance && s->runs && s->taken && s->picks)
		return s;
error:
	wt_stock_destroy(s);
	wt_error_errno(errp, ENOMEM, "stock model");
	return NULL;
}

static int satisfied(const struct wt_stock *s)
{
	return s->rest <= 0 && s->rest_nodes <= 0;
}

/* Use a node, but leave one unit for each further node that is wanted. */
static void node_take(struct wt_stock *s, uint32_t node)
{
	int64_t units = s->room->node[node];
	int64_t kept = s->rest_nodes > 1 ? s->rest_nodes - 1 : 0;

	if (units > s->rest - kept)
		units = s->rest - kept > 1 ? s->rest - kept : 1;
	s->picks[s->pick_count++] = (struct wt_pick) { node, (uint32_t) units };
	s->taken[node] = 1;
	s->rest -= units;
	s->rest_nodes--;
}

static void nodes_take(struct wt_stock *s, uint32_t first, uint32_t count)
{
	for (uint32_t node = first; node < first + count && !satisfied(s); node++)
		if (s->room->node[node] && !s->taken[node])
			node_take(s, node);
}

/* --- topology/none */

static uint32_t runs_find(struct wt_stock *s)
{
	uint32_t count = 0;

	for (uint32_t node = 0; node < s->tree->node_count; node++) {
		if (!s->room->node[node])
			continue;
		if (!node || !s->room->node[node - 1])
			s->runs[count++] = (struct run) { .first = node };
		s->runs[count - 1].nodes++;
		s->runs[count - 1].units += s->room->node[node];
	}
	return count;
}

static int run_suffices(const struct wt_stock *s, const struct run *run)
{
	return (int64_t) run->units >= s->rest && (int64_t) run->nodes >= s->rest_nodes;
}

/* The tightest run that suffices, or the largest of those that do not. */
static struct run *run_best(struct wt_stock *s, uint32_t count)
{
	struct run *best = NULL;

	for (struct run *run = s->runs; run < s->runs + count; run++) {
		int suffices = run_suffices(s, run);

		if (!run->nodes)
			continue;
		if (!best || (suffices && (!run_suffices(s, best) || run->units < best->units)) ||
		    (!suffices && run->units > best->units))
			best = run;
	}
	return best;
}

/* The tightest single node of a run that suffices, if one more node is enough. */
static int node_alone(struct wt_stock *s, const struct run *run)
{
	uint32_t best = WT_TREE_NONE;

	if (s->rest_nodes > 1)
		return 0;
	for (uint32_t node = run->first; node < run->first + run->nodes; node++)
		if ((int64_t) s->room->node[node] >= s->rest &&
		    (best == WT_TREE_NONE || s->room->node[node] < s->room->node[best]))
			best = node;
	if (best != WT_TREE_NONE)
		node_take(s, best);
	return best != WT_TREE_NONE;
}

static void none_pick(struct wt_stock *s)
{
	uint32_t count = runs_find(s);

	while (!satisfied(s)) {
		struct run *run = run_best(s, count);

		if (!node_alone(s, run))
			nodes_take(s, run->first, run->nodes);
		/* Taken, as a whole or by its one tight node: it is not looked at again. */
		run->nodes = 0;
	}
}

/* --- topology/tree */

static void free_nodes_count(struct wt_stock *s)
{
	const struct wt_tree *t = s->tree;

	for (uint32_t l = s->leaf_level; l < t->level_count; l++) {
		for (uint32_t i = 0; i < t->levels[l].count; i++) {
			uint32_t count = 0;

			for (uint32_t n = t->levels[l].first_node[i]; n < t->levels[l].first_node[i + 1]; n++)
				count += s->room->node[n] > 0;
			s->free_nodes[l][i] = count;
		}
	}
}

static int order(uint32_t more, uint32_t less)
{
	return (more > less) - (more < less);
}

/* 22.05's comparison of two leaves, > 0 when a is better: a leaf that holds the rest alone, the tightest of these; while
 * neither does, the same question for their parents; at last, the one with more free nodes. */
static int leaves_compare(const struct wt_stock *s, uint32_t a, uint32_t b)
{
	const struct wt_tree *t = s->tree;
	uint32_t l = s->leaf_level;

	for (;; l++) {
		int fits_a = s->free_nodes[l][a] >= s->rest_nodes, fits_b = s->free_nodes[l][b] >= s->rest_nodes;

		if (fits_a && fits_b && s->free_nodes[l][a] != s->free_nodes[l][b])
			return order(s->free_nodes[l][b], s->free_nodes[l][a]);
		if (fits_a != fits_b)
			return fits_a - fits_b;
		if (fits_a || l + 1 == t->level_count || t->levels[l].parent[a] == t->levels[l].parent[b])
			return order(s->free_nodes[l][a], s->free_nodes[l][b]);
		a = t->levels[l].parent[a];
		b = t->levels[l].parent[b];
	}
}

static uint32_t leaf_best_22_05(const struct wt_stock *s)
{
	uint32_t best = WT_TREE_NONE;

	for (uint32_t i = 0; i < s->tree->levels[s->leaf_level].count; i++) {
		int better;

		if (!s->free_nodes[s->leaf_level][i])
			continue;
		better = best == WT_TREE_NONE ? 1 : leaves_compare(s, i, best);
		if (best == WT_TREE_NONE || (s->distance[i] < s->distance[best] && better >= 0) ||
		    (s->distance[i] == s->distance[best] && better > 0))
			best = i;
	}
	return best;
}

/* Every leaf is 2 hops further for each level that it must climb to meet the one now in use. */
static void distances_add(struct wt_stock *s, uint32_t used)
{
	const struct wt_tree *t = s->tree;

	for (uint32_t i = 0; i < t->levels[s->leaf_level].count; i++) {
		uint32_t a = i, b = used;

		for (uint32_t l = s->leaf_level; a != b; l++) {
			a = t->levels[l].parent[a];
			b = t->levels[l].parent[b];
			s->distance[i] += 2;
		}
	}
}

static void leaf_take(struct wt_stock *s, uint32_t leaf)
{
	struct wt_span nodes = wt_tree_switch_nodes(s->tree, s->leaf_level, leaf);

	nodes_take(s, nodes.first, nodes.count);
	/* Used up, also when some of its nodes are left: each leaf is chosen once. */
	s->free_nodes[s->leaf_level][leaf] = 0;
}

static void tree_pick_22_05(struct wt_stock *s)
{
	memset(s->distance, 0, s->tree->levels[s->leaf_level].count * sizeof(*s->distance));
	while (!satisfied(s)) {
		uint32_t leaf = leaf_best_22_05(s);

		distances_add(s, leaf);
		leaf_take(s, leaf);
	}
}

static uint64_t units_below(const struct wt_stock *s, uint32_t level, uint32_t sw)
{
	return s->free_nodes[level][sw] ? s->room->units[level][sw] : 0;
}

static int switch_suffices(const struct wt_stock *s, uint32_t level, uint32_t sw)
{
	return s->free_nodes[level][sw] >= s->rest_nodes && (int64_t) units_below(s, level, sw) >= s->rest;
}

static void tree_pick_2_4(struct wt_stock *s)
{
	const struct wt_tree *t = s->tree;
	uint32_t level = s->leaf_level, top = WT_TREE_NONE, *leaves = s->free_nodes[s->leaf_level];
	struct wt_span nodes;

	for (; top == WT_TREE_NONE && level < t->level_count; level++)
		for (uint32_t i = 0; i < t->levels[level].count; i++)
			if (switch_suffices(s, level, i) &&
			    (top == WT_TREE_NONE || s->free_nodes[level][i] < s->free_nodes[level][top]))
				top = i;
	/* The loop has counted on once more after it found the switch. */
	nodes = wt_tree_switch_nodes(t, level - 1, top);
	for (uint32_t i = 0; i < t->levels[s->leaf_level].count; i++) {
		uint32_t first = t->levels[s->leaf_level].first_node[i];

		if (first < nodes.first || first >= nodes.first + nodes.count)
			leaves[i] = 0;
	}
	while (!satisfied(s)) {
		uint32_t best = WT_TREE_NONE;

		for (uint32_t i = 0; i < t->levels[s->leaf_level].count; i++) {
			int fits = switch_suffices(s, s->leaf_level, i);
			uint64_t units = units_below(s, s->leaf_level, i);

			if (!leaves[i])
				continue;
			if (best == WT_TREE_NONE || (fits && !switch_suffices(s, s->leaf_level, best)) ||
			    (fits && units < units_below(s, s->leaf_level, best)) ||
			    (!fits && units > units_below(s, s->leaf_level, best)))
				best = i;
		}
		leaf_take(s, best);
	}
}

int wt_stock_pick(struct wt_stock *s, const struct wt_room *room, uint64_t units, uint32_t nodes_min,
		  struct select_choice *choice)
{
	uint32_t free_nodes = 0;

	if (!units || nodes_min > units || room->tree != s->tree) {
		errno = EINVAL;
		return -1;
	}
	for (uint32_t node = 0; node < s->tree->node_count; node++)
		free_nodes += room->node[node] > 0;
	if (units > wt_room_total(room) || nodes_min > free_nodes) {
		errno = ENOSPC;
		return -1;
	}
	s->room = room;
	s->rest = (int64_t) units;
	s->rest_nodes = nodes_min;
	s->pick_count = 0;
	memset(s->taken, 0, s->tree->node_count);
	free_nodes_count(s);
	if (s->model == WT_STOCK_NONE)
		none_pick(s);
	else if (s->model == WT_STOCK_22_05)
		tree_pick_22_05(s);
	else
		tree_pick_2_4(s);
	choice->picks = s->picks;
	choice->count = s->pick_count;
	return 0;
}
