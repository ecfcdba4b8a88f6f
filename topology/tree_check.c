/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "topology/tree_private.h"

/* first[0 .. count] runs from 0 to 'total' and leaves no entry without a member. */
static int spans_check(const uint32_t *first, uint32_t count, uint32_t total)
{
	if (first[0] != 0 || first[count] != total)
		return -1;
	for (uint32_t i = 0; i < count; i++)
		/* Spans are written by their beginnings alone: where one ends the next begins. */
		if (first[i] >= first[i + 1])
			return -1;
	return 0;
}

static int level_check(const struct wt_tree *t, uint32_t level)
{
	const struct tree_level *lv = &t->levels[level];

	if (spans_check(lv->first_node, lv->count, t->node_count) < 0 ||
	    spans_check(lv->first_child, lv->count, level ? t->levels[level - 1].count : t->node_count) < 0)
		return -1;
	for (uint32_t i = 0; i < lv->count; i++) {
		if (lv->real[i] >= t->switch_count || t->switches[lv->real[i]].level > level)
			return -1;
		if (lv->first_node[i] != (level ? t->levels[level - 1].first_node[lv->first_child[i]] : lv->first_child[i]))
			return -1;
		for (uint32_t c = lv->first_child[i]; c < lv->first_child[i + 1]; c++)
			if ((level ? t->levels[level - 1].parent[c] : t->leaf[c]) != i)
				return -1;
	}
	return 0;
}

int wt_tree_check(const struct wt_tree *t, struct wt_error *errp)
{
	uint32_t real = 0;

	if (!t || !t->level_count || t->level_count > WT_TREE_LEVELS_MAX || !t->node_count ||
	    t->levels[t->level_count - 1].count != 1 || t->node_names->count != t->node_count)
		return wt_error_set(errp, EINVAL, "the tree has no single root, or no nodes");
	for (uint32_t level = 0; level < t->level_count; level++) {
		if (level_check(t, level) < 0)
			return wt_error_set(errp, EINVAL, "the numbering of level %u is broken", level);
		for (uint32_t i = 0; i < t->levels[level].count; i++)
			real += !wt_tree_is_stand_in(t, level, i);
	}
	if (real != t->switch_count)
		return wt_error_set(errp, EINVAL, "%u of %u switches have a number", real, t->switch_count);
	for (uint32_t node = 0; node < t->node_count; node++)
		if (wt_tree_node_find(t, wt_tree_node_name(t, node)) != node)
			return wt_error_set(errp, EINVAL, "node %u is not found by its name", node);
	return 0;
}

int wt_tree_check_nodes(const struct wt_tree *t, const char *const *names, size_t count, struct wt_error *errp)
{
	size_t missing = 0;
	const char *first = NULL;

	for (size_t i = 0; i < count; i++) {
		if (wt_tree_node_find(t, names[i]) != WT_TREE_NONE)
			continue;
		first = first ? first : names[i];
		missing++;
	}
	if (missing)
		return wt_error_set(errp, EINVAL, "node '%s' (and %zu more) is below no switch", first, missing - 1);
	return 0;
}
