/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the lines of a file to the arrays of a tree.  Nothing here recurses: a hostile file cannot exhaust the stack. */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/tree_private.h"

struct builder {
	const struct wt_switch_entry *entries;
	size_t count;
	struct name_index names;	/* of switches */
	uint32_t *first_child;		/* [count + 1], into children[] */
	uint32_t *children;		/* switch numbers in the order of the lines */
	uint32_t child_count;
	uint32_t *parent;		/* WT_TREE_NONE: none */
	uint32_t *height;		/* the switch's level */
	struct wt_tree *t;
	struct wt_error *errp;
};

/* "line 12: switch 's3': text" */
__attribute__((format(printf, 3, 4)))
static int entry_fail(struct builder *b, uint32_t sw, const char *fmt, ...)
{
	const struct wt_switch_entry *entry = &b->entries[sw];
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (entry->line)
		return wt_error_set(b->errp, EINVAL, "line %u: switch '%s': %s", entry->line, entry->name, text);
	return wt_error_set(b->errp, EINVAL, "switch '%s': %s", entry->name, text);
}

static int entry_check(struct builder *b, uint32_t sw)
{
	const struct wt_switch_entry *entry = &b->entries[sw];
	uint32_t other;

	if (!entry->name || !*entry->name)
		return wt_error_set(b->errp, EINVAL, "switch %u has no name", sw);
	for (const char *c = entry->name; *c; c++)
		if (!hostlist_name_char(*c))
			return entry_fail(b, sw, "SwitchName= takes one plain name; Slurm does not expand a list there");
	if (strlen(entry->name) > WT_HOSTLIST_NAME_MAX)
		return entry_fail(b, sw, "the name has more than %d characters", WT_HOSTLIST_NAME_MAX);
	if (!entry->nodes == !entry->switches)
		return entry_fail(b, sw, "needs either Nodes= or Switches=, %s", entry->nodes ? "not both" : "has none");
	other = name_index_add(&b->names, entry->name, sw);
	if (other != NAME_INDEX_NONE)
		return entry_fail(b, sw, "is defined twice, first on line %u", b->entries[other].line);
	return 0;
}

static int child_add(struct builder *b, uint32_t sw, const char *name)
{
	uint32_t child = name_index_find(&b->names, name);

	if (child == NAME_INDEX_NONE)
		return entry_fail(b, sw, "its child switch '%s' is not defined", name);
	if (child == sw)
		return entry_fail(b, sw, "is its own child");
	/* Before the next question, for a better message. */
	if (b->parent[child] == sw)
		return entry_fail(b, sw, "names its child switch '%s' twice", name);
	if (b->parent[child] != WT_TREE_NONE)
		return entry_fail(b, sw, "its child switch '%s' already has a parent, '%s'", name,
				 b->entries[b->parent[child]].name);
	b->parent[child] = sw;
	b->children[b->child_count++] = child;
	return 0;
}

static int children_link(struct builder *b, uint32_t sw)
{
	const char *text = b->entries[sw].switches;
	struct wt_hostlist *hl;
	int rc = 0;

	b->first_child[sw] = b->child_count;
	if (!text)
		return 0;
	hl = wt_hostlist_parse(text, strlen(text), b->count, b->errp);
	if (!hl && errno == E2BIG)
		return entry_fail(b, sw, "has more child switches than there are switches");
	if (!hl)
		return wt_error_prefix(b->errp, "line %u: switch '%s'", b->entries[sw].line, b->entries[sw].name);
	for (size_t i = 0; rc == 0 && i < wt_hostlist_count(hl); i++)
		rc = child_add(b, sw, wt_hostlist_name(hl, i));
	wt_hostlist_destroy(hl);
	return rc;
}

static int root_find(struct builder *b, uint32_t *root)
{
	*root = WT_TREE_NONE;
	for (uint32_t sw = 0; sw < b->count; sw++) {
		if (b->parent[sw] != WT_TREE_NONE)
			continue;
		if (*root != WT_TREE_NONE)
			return entry_fail(b, sw, "has no parent, and neither has '%s': one switch must connect all",
					 b->entries[*root].name);
		*root = sw;
	}
	if (*root == WT_TREE_NONE)
		return entry_fail(b, 0, "there is no root: the switches form a loop");
	return 0;
}

/* The level of each switch, children before parents: a switch waits until all of its children are known, and what
 * never gets its turn hangs in a loop. */
static int heights_find(struct builder *b)
{
	uint32_t *waiting = calloc(b->count, sizeof(*waiting));
	uint32_t *queue = calloc(b->count, sizeof(*queue));
	uint32_t done = 0, queued = 0;

	for (uint32_t sw = 0; waiting && queue && sw < b->count; sw++) {
		waiting[sw] = b->first_child[sw + 1] - b->first_child[sw];
		if (!waiting[sw])
			queue[queued++] = sw;
	}
	for (; queue && waiting && done < queued; done++) {
		uint32_t sw = queue[done], parent = b->parent[sw];

		if (parent == WT_TREE_NONE)
			continue;
		if (b->height[parent] < b->height[sw] + 1)
			b->height[parent] = b->height[sw] + 1;
		if (!--waiting[parent])
			queue[queued++] = parent;
	}
	free(queue);
	if (!queue || !waiting) {
		free(waiting);
		return wt_error_errno(b->errp, ENOMEM, "topology");
	}
	for (uint32_t sw = 0; queued < b->count && sw < b->count; sw++) {
		if (!waiting[sw])
			continue;
		free(waiting);
		return entry_fail(b, sw, "is part of a loop, or above one");
	}
	free(waiting);
	return 0;
}

static int level_alloc(struct builder *b, uint32_t level, uint32_t count)
{
	struct tree_level *lv = &b->t->levels[level];

	lv->count = count;
	lv->first_child = calloc(count + 1, sizeof(*lv->first_child));
	lv->first_node = calloc(count + 1, sizeof(*lv->first_node));
	lv->parent = calloc(count, sizeof(*lv->parent));
	lv->real = calloc(count, sizeof(*lv->real));
	if (!lv->first_child || !lv->first_node || !lv->parent || !lv->real)
		return wt_error_errno(b->errp, ENOMEM, "topology");
	return 0;
}

/* Number the switches of 'level' below those of the level above; a switch that belongs further down stands in for
 * itself. */
static int level_fill(struct builder *b, uint32_t level)
{
	struct tree_level *up = &b->t->levels[level + 1], *lv = &b->t->levels[level];
	uint32_t count = 0;

	for (uint32_t i = 0; i < up->count; i++) {
		uint32_t sw = up->real[i];

		count += b->height[sw] == level + 1 ? b->first_child[sw + 1] - b->first_child[sw] : 1;
	}
	if (level_alloc(b, level, count) < 0)
		return -1;
	count = 0;
	for (uint32_t i = 0; i < up->count; i++) {
		uint32_t sw = up->real[i];
		const uint32_t *from = b->height[sw] == level + 1 ? &b->children[b->first_child[sw]] : &up->real[i];
		uint32_t n = b->height[sw] == level + 1 ? b->first_child[sw + 1] - b->first_child[sw] : 1;

		up->first_child[i] = count;
		for (uint32_t c = 0; c < n; c++) {
			lv->real[count] = from[c];
			lv->parent[count++] = i;
		}
	}
	up->first_child[up->count] = count;
	return 0;
}

static int levels_fill(struct builder *b, uint32_t root)
{
	struct wt_tree *t = b->t;

	if (b->height[root] >= WT_TREE_LEVELS_MAX)
		return entry_fail(b, root, "has %u levels of switches below it; Slurm takes no more than %d levels",
				 b->height[root], WT_TREE_LEVELS_MAX);
	t->level_count = b->height[root] + 1;
	if (level_alloc(b, t->level_count - 1, 1) < 0)
		return -1;
	t->levels[t->level_count - 1].real[0] = root;
	for (uint32_t level = t->level_count - 1; level-- > 0;)
		if (level_fill(b, level) < 0)
			return -1;
	return 0;
}

static int leaf_fill(struct builder *b, uint32_t leaf)
{
	struct tree_level *lv = &b->t->levels[0];
	uint32_t sw = lv->real[leaf];
	const char *text = b->entries[sw].nodes;
	struct wt_hostlist *all = b->t->node_names, *hl;
	int rc = 0;

	lv->first_node[leaf] = lv->first_child[leaf] = (uint32_t) all->count;
	/* What is left of the limit: it is that of all leaves together. */
	hl = wt_hostlist_parse(text, strlen(text), WT_TREE_NODES_MAX - all->count, b->errp);
	if (!hl)
		return b->entries[sw].line ? wt_error_prefix(b->errp, "line %u: switch '%s'", b->entries[sw].line,
							   b->entries[sw].name) : -1;
	for (size_t i = 0; rc == 0 && i < hl->count; i++)
		rc = hostlist_append(all, wt_hostlist_name(hl, i), strlen(wt_hostlist_name(hl, i)), b->errp);
	wt_hostlist_destroy(hl);
	return rc;
}

static int nodes_fill(struct builder *b)
{
	struct wt_tree *t = b->t;
	struct tree_level *leaves = &t->levels[0];

	t->node_names = calloc(1, sizeof(*t->node_names));
	if (!t->node_names)
		return wt_error_errno(b->errp, ENOMEM, "topology");
	for (uint32_t i = 0; i < leaves->count; i++)
		if (leaf_fill(b, i) < 0)
			return -1;
	t->node_count = (uint32_t) t->node_names->count;
	leaves->first_node[leaves->count] = leaves->first_child[leaves->count] = t->node_count;
	for (uint32_t l = 1; l < t->level_count; l++)
		for (uint32_t i = 0; i <= t->levels[l].count; i++)
			/* Nodes are numbered leaf after leaf, so the nodes below any switch are neighbours, too. */
			t->levels[l].first_node[i] = t->levels[l - 1].first_node[t->levels[l].first_child[i]];
	return 0;
}

static int nodes_index(struct builder *b)
{
	struct wt_tree *t = b->t;
	const struct tree_level *leaves = &t->levels[0];

	t->leaf = calloc(t->node_count, sizeof(*t->leaf));
	if (!t->leaf || name_index_init(&t->node_index, t->node_count) < 0)
		return wt_error_errno(b->errp, ENOMEM, "topology");
	for (uint32_t i = 0; i < leaves->count; i++) {
		for (uint32_t node = leaves->first_node[i]; node < leaves->first_node[i + 1]; node++) {
			const char *name = wt_hostlist_name(t->node_names, node);
			uint32_t other = name_index_add(&t->node_index, name, node);

			t->leaf[node] = i;
			if (other != NAME_INDEX_NONE)
				return entry_fail(b, leaves->real[i], "node '%s' is already on switch '%s'", name,
						 b->entries[leaves->real[t->leaf[other]]].name);
		}
	}
	return 0;
}

static int switches_copy(struct builder *b)
{
	struct wt_tree *t = b->t;

	t->switches = calloc(b->count, sizeof(*t->switches));
	if (!t->switches)
		return wt_error_errno(b->errp, ENOMEM, "topology");
	t->switch_count = (uint32_t) b->count;
	for (uint32_t sw = 0; sw < b->count; sw++) {
		t->switches[sw].link_speed = b->entries[sw].link_speed;
		t->switches[sw].level = b->height[sw];
		t->switches[sw].name = strdup(b->entries[sw].name);
		if (!t->switches[sw].name)
			return wt_error_errno(b->errp, ENOMEM, "topology");
	}
	return 0;
}

static int tree_make(struct builder *b)
{
	uint32_t root;

	for (uint32_t sw = 0; sw < b->count; sw++)
		if (entry_check(b, sw) < 0)
			return -1;
	for (uint32_t sw = 0; sw < b->count; sw++)
		if (children_link(b, sw) < 0)
			return -1;
	b->first_child[b->count] = b->child_count;
	if (root_find(b, &root) < 0 || heights_find(b) < 0 || levels_fill(b, root) < 0 || nodes_fill(b) < 0 ||
	    nodes_index(b) < 0)
		return -1;
	return switches_copy(b);
}

static int builder_init(struct builder *b)
{
	size_t n = b->count;

	b->first_child = calloc(n + 1, sizeof(*b->first_child));
	b->children = calloc(n, sizeof(*b->children));
	b->parent = malloc(n * sizeof(*b->parent));
	b->height = calloc(n, sizeof(*b->height));
	b->t = calloc(1, sizeof(*b->t));
	if (!b->first_child || !b->children || !b->parent || !b->height || !b->t || name_index_init(&b->names, n) < 0)
		return wt_error_errno(b->errp, ENOMEM, "topology");
	memset(b->parent, 0xff, n * sizeof(*b->parent));	/* WT_TREE_NONE */
	return 0;
}

struct wt_tree *wt_tree_build(const struct wt_switch_entry *entries, size_t count, struct wt_error *errp)
{
	struct builder b = { .entries = entries, .count = count, .errp = errp };
	int rc;

	if (!entries || !count || count > WT_TREE_NODES_MAX) {
		wt_error_set(errp, EINVAL, count ? "too many switches" : "no switch is defined");
		return NULL;
	}
	rc = builder_init(&b) < 0 || tree_make(&b) < 0;
	free(b.first_child);
	free(b.children);
	free(b.parent);
	free(b.height);
	name_index_clear(&b.names);
	if (rc) {
		wt_tree_destroy(b.t);
		return NULL;
	}
	return b.t;
}
