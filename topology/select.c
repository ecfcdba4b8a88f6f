/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the root down to the leaves, on each level the least number of switches that hold the job; of several such sets,
 * the one that select_touch.c or select_pack.c prefers.  Sorting dominates: O(s log s) for the s switches below those
 * chosen. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "topology/select_private.h"

static void pick_add(struct wt_select *s, uint32_t node, uint64_t units)
{
	s->picks[s->pick_count++] = (struct wt_pick) { node, (uint32_t) units };
}

/* Take the sorted s->grand[0 .. count): the fullest first, each whole, and the rest of the job from the tightest that holds
 * it, the first one of several.  Returns the place of that one; *units is the rest. */
static uint32_t fullest_first(struct wt_select *s, uint32_t count, uint64_t *units, uint32_t *whole)
{
	uint32_t i, last;

	for (i = 0; s->grand[i].units < *units; i++)
		*units -= s->grand[i].units;
	for (last = i; last + 1 < count && s->grand[last + 1].units >= *units; last++)
		;
	/* The first of equals, so that the choice does not depend on how the sort left them. */
	while (last > i && s->grand[last - 1].units == s->grand[last].units)
		last--;
	*whole = i;
	return last;
}

static void nodes_take(struct wt_select *s, struct wt_span nodes, uint64_t units)
{
	uint32_t count = 0, whole, last;

	for (uint32_t node = nodes.first; node < nodes.first + nodes.count; node++)
		if (s->room->node[node])
			s->grand[count++] = (struct child) { .sw = node, .units = s->room->node[node] };
	children_sort(s->grand, count);
	last = fullest_first(s, count, &units, &whole);
	for (uint32_t i = 0; i < whole; i++)
		pick_add(s, s->grand[i].sw, s->grand[i].units);
	pick_add(s, s->grand[last].sw, units);
}

/* The same by select_pack.c: those taken are moved to the head. */
static uint32_t packed_first(struct wt_select *s, uint32_t count, uint64_t *units)
{
	uint32_t taken, at = 0;
	double lost;

	for (uint32_t i = 0; i < count; i++)
		s->sizes[i] = s->grand[i].units;
	taken = pack_leaves(s, s->sizes, count, *units, s->in_set, &lost);
	for (uint32_t i = 0; at < taken; i++)
		if (s->in_set[i])
			s->grand[at++] = s->grand[i];
	for (uint32_t i = 0; i + 1 < taken; i++)
		*units -= s->grand[i].units;
	return taken - 1;
}

/* The leaves below the chosen switches of level 1; of equally full ones, those below the switch with least room come
 * first, so that what stays free stays together. */
static void leaves_take(struct wt_select *s, uint32_t parent_count, uint64_t units)
{
	const struct wt_tree *t = s->tree;
	uint32_t count = 0, whole, last;

	for (uint32_t p = 0; p < parent_count; p++) {
		struct wt_span span = wt_tree_children(t, 1, s->parents[p]);

		for (uint32_t leaf = span.first; leaf < span.first + span.count; leaf++)
			if (s->room->units[0][leaf])
				s->grand[count++] = (struct child) {
					.sw = leaf, .units = s->room->units[0][leaf],
					.end_cost = (double) s->room->units[1][s->parents[p]],
				};
	}
	children_sort(s->grand, count);
	if (s->pack && parent_count == 1)
		last = whole = packed_first(s, count, &units);
	else
		last = fullest_first(s, count, &units, &whole);
	for (uint32_t i = 0; i < whole; i++) {
		struct wt_span nodes = wt_tree_switch_nodes(t, 0, s->grand[i].sw);

		for (uint32_t node = nodes.first; node < nodes.first + nodes.count; node++)
			if (s->room->node[node])
				pick_add(s, node, s->room->node[node]);
	}
	nodes_take(s, wt_tree_switch_nodes(t, 0, s->grand[last].sw), units);	/* overwrites s->grand */
}

/* How long this job outlasts all that runs below a switch, in the unit of the squares that it is added to. */
static double end_cost(const struct wt_select *s, uint32_t level, uint32_t sw)
{
	const struct select_request *r = s->request;
	struct wt_span nodes = wt_tree_switch_nodes(s->tree, level, sw);
	double latest_s = r->start_s, whole = (double) s->capacity_sum[level][0];

	if (!r->node_end_s || s->options.end_weight <= 0 || s->pack)
		return 0;
	for (uint32_t node = nodes.first; node < nodes.first + nodes.count; node++)
		if (r->node_end_s[node] > latest_s)
			latest_s = r->node_end_s[node];
	return r->end_s > latest_s ? s->options.end_weight * (r->end_s - latest_s) / 60 * whole * whole : 0;
}

/* Children of the chosen switches that have room, sorted; *k: the least number of them that holds the job. */
static uint32_t children_collect(struct wt_select *s, uint32_t level, uint32_t parent_count, uint64_t units, uint32_t *k)
{
	const uint64_t *room = s->room->units[level - 1];
	uint64_t held = 0;
	uint32_t count = 0;

	for (uint32_t p = 0; p < parent_count; p++) {
		struct wt_span span = wt_tree_children(s->tree, level, s->parents[p]);

		for (uint32_t c = span.first; c < span.first + span.count; c++)
			if (room[c])
				s->children[count++] = (struct child) { .sw = c, .units = room[c] };
	}
	children_sort(s->children, count);
	for (*k = 0; held < units; (*k)++)
		held += s->children[*k].units;
	for (uint32_t i = 0; i < count; i++)
		s->children[i].end_cost = end_cost(s, level - 1, s->children[i].sw);
	return count;
}

static uint32_t touch_child(struct wt_select *s, uint32_t level, uint32_t count, uint64_t units)
{
	uint32_t best_touch[WT_TREE_LEVELS_MAX], touch[WT_TREE_LEVELS_MAX], best = UINT32_MAX;
	double best_cost = 0;

	for (uint32_t i = 0; i < count && s->children[i].units >= units; i++) {
		double room = (double) s->children[i].units, left = room - (double) units;
		double cost = room * room - left * left + s->children[i].end_cost;
		int order = -1;

		touch_all(s, level - 1, s->children[i].sw, units, touch);
		if (best != UINT32_MAX)
			order = touch_compare(touch, best_touch, level - 1);
		if (order < 0 || (order == 0 && cost < best_cost)) {
			best = i;
			best_cost = cost;
			memcpy(best_touch, touch, sizeof(touch));
		}
	}
	return best;
}

static void pair_take(struct wt_select *s, uint32_t level, uint32_t count, uint64_t units)
{
	uint32_t pair[2];
	uint64_t share;

	pack_pair(s, level, count, units, pair, &share);
	pair[0] = s->children[pair[0]].sw;
	pair[1] = s->children[pair[1]].sw;
	choose_below(s, level - 1, pair[0], share);	/* overwrites s->children */
	choose_below(s, level - 1, pair[1], units - share);
}

/* From a switch down to the leaves: on each level the least number of switches below those chosen before. */
void choose_below(struct wt_select *s, uint32_t level, uint32_t sw, uint64_t units)
{
	uint32_t chosen = 1, k, count;

	s->parents[0] = sw;
	for (; level > 1; level--) {
		int lost;

		count = children_collect(s, level, chosen, units, &k);
		/* A small job that would fit in one child if more of it were free has lost anyway. */
		lost = s->pack && k > 1 && wt_select_least(s, level - 1, units) == 1;
		if (k == 1) {
			s->set[0] = s->pack ? pack_child(s, level, count, units) : touch_child(s, level, count, units);
		} else if (lost && k == 2 && chosen == 1) {
			pair_take(s, level, count, units);
			return;
		} else {
			set_choose(s, level, count, k, units, lost);
		}
		for (chosen = 0; chosen < k; chosen++)
			s->parents[chosen] = s->children[s->set[chosen]].sw;
	}
	if (level == 1)
		leaves_take(s, chosen, units);
	else
		nodes_take(s, wt_tree_switch_nodes(s->tree, 0, sw), units);
}

static int pack_wanted(const struct wt_select *s)
{
	uint32_t root = s->tree->level_count - 1;

	if (s->options.tie != WT_TIE_AUTO)
		return s->options.tie == WT_TIE_PACK;
	return root > 0 && wt_mix_mostly_below(s->mix, s->capacity_sum[root - 1][0] / 4);
}

void wt_select_note(struct wt_select *s, uint64_t units)
{
	if (s->mix)
		wt_mix_note(s->mix, units);
}

int wt_select_pick(struct wt_select *s, const struct wt_room *room, const struct select_request *request,
		   struct select_choice *choice)
{
	if (!request->units || room->tree != s->tree) {
		errno = EINVAL;
		return -1;
	}
	if (!request->imagined)
		wt_select_note(s, request->units);
	if (request->units > wt_room_total(room)) {
		errno = ENOSPC;
		return -1;
	}
	/* The scratch memory and these belong to one call: a selector is for one thread. */
	s->room = room;
	s->request = request;
	s->pack = s->mix && pack_wanted(s);
	s->pick_count = 0;
	s->halves = PACK_WHOLE;
	if (s->pack) {
		leaf_values_fill(s);
		s->leaves_now = leaves_now_count(s);
	}
	choose_below(s, s->tree->level_count - 1, 0, request->units);
	choice->picks = s->picks;
	choice->count = s->pick_count;
	return 0;
}
