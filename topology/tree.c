/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "topology/tree_private.h"

void wt_tree_destroy(struct wt_tree *t)
{
	int saved_errno = errno;

	if (!t)
		return;
	for (uint32_t l = 0; l < WT_TREE_LEVELS_MAX; l++) {
		free(t->levels[l].first_child);
		free(t->levels[l].first_node);
		free(t->levels[l].parent);
		free(t->levels[l].real);
	}
	for (uint32_t i = 0; t->switches && i < t->switch_count; i++)
		free(t->switches[i].name);
	free(t->switches);
	wt_hostlist_destroy(t->node_names);
	name_index_clear(&t->node_index);
	free(t->leaf);
	free(t);
	errno = saved_errno;
}

uint32_t wt_tree_levels(const struct wt_tree *t)
{
	return t->level_count;
}

uint32_t wt_tree_nodes(const struct wt_tree *t)
{
	return t->node_count;
}

uint32_t wt_tree_switches(const struct wt_tree *t, uint32_t level)
{
	return t->levels[level].count;
}

const char *wt_tree_node_name(const struct wt_tree *t, uint32_t node)
{
	return wt_hostlist_name(t->node_names, node);
}

uint32_t wt_tree_node_find(const struct wt_tree *t, const char *name)
{
	return name_index_find(&t->node_index, name);
}

const char *wt_tree_switch_name(const struct wt_tree *t, uint32_t level, uint32_t sw)
{
	return t->switches[t->levels[level].real[sw]].name;
}

uint32_t wt_tree_link_speed(const struct wt_tree *t, uint32_t level, uint32_t sw)
{
	return t->switches[t->levels[level].real[sw]].link_speed;
}

uint32_t wt_tree_parent(const struct wt_tree *t, uint32_t level, uint32_t sw)
{
	return level + 1 < t->level_count ? t->levels[level].parent[sw] : WT_TREE_NONE;
}

uint32_t wt_tree_leaf(const struct wt_tree *t, uint32_t node)
{
	return t->leaf[node];
}

static struct wt_span span(const uint32_t *first, uint32_t i)
{
	return (struct wt_span) { first[i], first[i + 1] - first[i] };
}

struct wt_span wt_tree_switch_nodes(const struct wt_tree *t, uint32_t level, uint32_t sw)
{
	return span(t->levels[level].first_node, sw);
}

struct wt_span wt_tree_children(const struct wt_tree *t, uint32_t level, uint32_t sw)
{
	return span(t->levels[level].first_child, sw);
}

/* In a tree of uneven depth a switch stands in for itself on each level between its own and its parent's: so all leaves
 * are on level 0, and no algorithm has to know of depths. */
int wt_tree_is_stand_in(const struct wt_tree *t, uint32_t level, uint32_t sw)
{
	return t->switches[t->levels[level].real[sw]].level != level;
}

int wt_tree_node_order(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

	return (x > y) - (x < y);
}
