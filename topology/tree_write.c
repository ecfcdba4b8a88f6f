/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/switch_entries.h"
#include "topology/tree_private.h"

/* What a switch's line lists: child switches, or nodes.  NULL with ENOMEM. */
static char *children_format(const struct wt_tree *t, uint32_t level, uint32_t sw, struct wt_error *errp)
{
	struct wt_span span = wt_tree_children(t, level, sw);
	const char **names = calloc(span.count, sizeof(*names));
	char *text;

	if (!names) {
		wt_error_errno(errp, ENOMEM, "topology");
		return NULL;
	}
	for (uint32_t i = 0; i < span.count; i++)
		names[i] = level ? wt_tree_switch_name(t, level - 1, span.first + i) :
				   wt_tree_node_name(t, span.first + i);
	text = wt_hostlist_format(names, span.count, errp);
	free(names);
	return text;
}

static int switch_write(FILE *out, const struct wt_tree *t, uint32_t level, uint32_t sw, struct wt_error *errp)
{
	char *list;

	/* The file has a switch once, at its own level; what stands in for it on others is made when it is read. */
	if (wt_tree_is_stand_in(t, level, sw))
		return 0;
	list = children_format(t, level, sw, errp);
	if (!list)
		return -1;
	fprintf(out, "SwitchName=%s %s=%s", wt_tree_switch_name(t, level, sw), level ? "Switches" : "Nodes", list);
	if (wt_tree_link_speed(t, level, sw))
		fprintf(out, " LinkSpeed=%u", wt_tree_link_speed(t, level, sw));
	fputc('\n', out);
	free(list);
	return 0;
}

char *wt_tree_format(const struct wt_tree *t, struct wt_error *errp)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int rc = 0;

	if (!out) {
		wt_error_errno(errp, errno, "topology");
		return NULL;
	}
	for (uint32_t level = 0; level < t->level_count; level++)
		for (uint32_t sw = 0; rc == 0 && sw < t->levels[level].count; sw++)
			rc = switch_write(out, t, level, sw, errp);
	if (fclose(out) != 0 && rc == 0)
		rc = wt_error_errno(errp, errno, "topology");
	if (rc == 0)
		return text;
	free(text);
	return NULL;
}

/* The line of a switch in the coarser tree: its children, or all nodes below when it becomes a leaf. */
static int entry_make(const struct wt_tree *t, uint32_t level, uint32_t sw, uint32_t leaf_level, struct switch_entries *list,
		     struct wt_error *errp)
{
	struct wt_span nodes = wt_tree_switch_nodes(t, level, sw);
	struct wt_switch_entry *entry = switch_entries_add(list, errp);
	const char **names;

	if (!entry)
		return -1;
	entry->name = strdup(wt_tree_switch_name(t, level, sw));
	entry->link_speed = wt_tree_link_speed(t, level, sw);
	if (!entry->name)
		return wt_error_errno(errp, ENOMEM, "topology");
	if (level > leaf_level) {
		entry->switches = children_format(t, level, sw, errp);
		return entry->switches ? 0 : -1;
	}
	names = calloc(nodes.count, sizeof(*names));
	if (!names)
		return wt_error_errno(errp, ENOMEM, "topology");
	for (uint32_t i = 0; i < nodes.count; i++)
		names[i] = wt_tree_node_name(t, nodes.first + i);
	entry->nodes = wt_hostlist_format(names, nodes.count, errp);
	free(names);
	return entry->nodes ? 0 : -1;
}

struct wt_tree *wt_tree_coarsen(const struct wt_tree *t, uint32_t level, struct wt_error *errp)
{
	struct switch_entries list = { 0 };
	struct wt_tree *coarse = NULL;
	int rc = 0;

	if (level >= t->level_count) {
		wt_error_set(errp, EINVAL, "level %u: the tree has levels 0 to %u", level, t->level_count - 1);
		return NULL;
	}
	for (uint32_t l = level; l < t->level_count; l++)
		for (uint32_t sw = 0; rc == 0 && sw < t->levels[l].count; sw++)
			/* On the new lowest level a stand-in becomes a leaf of its own. */
			if (l == level || !wt_tree_is_stand_in(t, l, sw))
				rc = entry_make(t, l, sw, level, &list, errp);
	if (rc == 0)
		coarse = wt_tree_build(list.entries, list.count, errp);
	switch_entries_clear(&list);
	return coarse;
}
