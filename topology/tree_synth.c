/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/hostlist_private.h"
#include "topology/switch_entries.h"

#define CYCLE_MAX 16	/* counts taken in turn on one level */

struct cycle {
	uint32_t counts[CYCLE_MAX];
	uint32_t count;
};

struct synth {
	struct cycle arity[WT_TREE_LEVELS_MAX];
	uint32_t levels;
	uint32_t speeds[WT_TREE_LEVELS_MAX];
	const char *prefix;
	struct switch_entries list;
	struct wt_error *errp;
};

/* A number from 'min' up, and the character behind it in *end. */
static int number_read(const char *text, uint32_t min, uint32_t *value, const char **end)
{
	unsigned long long v;
	char *stop;

	errno = 0;
	v = strtoull(text, &stop, 10);
	if (!isdigit((unsigned char) *text) || errno || v > WT_TREE_NODES_MAX || v < min)
		return -1;
	*value = (uint32_t) v;
	*end = stop;
	return 0;
}

static int arity_read(struct synth *s, const char *text)
{
	const char *at = text;

	do {
		struct cycle *c = &s->arity[s->levels];

		if (s->levels++ == WT_TREE_LEVELS_MAX)
			return wt_error_set(s->errp, EINVAL, "arity '%s': more than %d levels", text,
					    WT_TREE_LEVELS_MAX);
		do {
			if (c->count == CYCLE_MAX || number_read(at, 1, &c->counts[c->count++], &at) < 0)
				return wt_error_set(s->errp, EINVAL, "arity '%s': numbers from 1 to %d expected, "
						    "like 18,18,16 or 18/12,18,16", text, WT_TREE_NODES_MAX);
		} while (*at == '/' && at++);
	} while (*at == ',' && at++);
	if (*at)
		return wt_error_set(s->errp, EINVAL, "arity '%s': '%s' is not understood", text, at);
	return 0;
}

static int speeds_read(struct synth *s, const char *text)
{
	const char *at = text;
	uint32_t speed = 0;

	for (uint32_t l = 0; l < WT_TREE_LEVELS_MAX; l++) {
		/* Too few numbers: the last one counts for all levels above. */
		if (at && number_read(at, 0, &speed, &at) < 0)
			return wt_error_set(s->errp, EINVAL, "link speeds '%s': numbers expected, like 4,2,1", text);
		if (at && *at && *at != ',')
			return wt_error_set(s->errp, EINVAL, "link speeds '%s': '%s' is not understood", text, at);
		at = at && *at ? at + 1 : NULL;
		s->speeds[l] = speed;
	}
	return 0;
}

/* How many nodes a full tree has: the last count names the root's children exactly. */
static int full_count(struct synth *s, uint32_t *nodes)
{
	uint64_t members = s->arity[s->levels - 1].counts[0];

	if (s->arity[s->levels - 1].count > 1)
		return wt_error_set(s->errp, EINVAL, "arity: there is one root, so its count cannot vary");
	for (uint32_t l = s->levels - 1; l-- > 0;) {
		const struct cycle *c = &s->arity[l];
		uint64_t sum = 0, turns = members / c->count;

		for (uint32_t i = 0; i < c->count; i++)
			sum += c->counts[i] * (turns + (i < members % c->count));
		members = sum;
		if (members > WT_TREE_NODES_MAX)
			return wt_error_set(s->errp, E2BIG, "arity: more than %d nodes", WT_TREE_NODES_MAX);
	}
	*nodes = (uint32_t) members;
	return 0;
}

static void switch_name(const struct synth *s, uint32_t level, uint32_t i, char *name, size_t size)
{
	if (level == s->levels - 1)
		snprintf(name, size, "root");
	else if (level == 0)
		snprintf(name, size, "leaf%u", i);
	else
		snprintf(name, size, "s%u_%u", level, i);
}

/* Switch i of 'level' over members [first, last] of the level below. */
static int switch_make(struct synth *s, uint32_t level, uint32_t i, uint32_t first, uint32_t last)
{
	struct wt_switch_entry *entry = switch_entries_add(&s->list, s->errp);
	char name[64], below[64], *list = NULL;

	if (!entry)
		return -1;
	switch_name(s, level, i, name, sizeof(name));
	if (level)
		switch_name(s, level - 1, 0, below, sizeof(below));
	if (asprintf(&list, "%.*s[%u-%u]", level ? (int) strlen(below) - 1 : 200, level ? below : s->prefix, first,
		     last) < 0)
		list = NULL;
	*(level ? &entry->switches : &entry->nodes) = list;
	entry->name = strdup(name);
	entry->link_speed = s->speeds[level];
	if (!entry->name || !list)
		return wt_error_errno(s->errp, ENOMEM, "topology");
	return 0;
}

/* Hand out 'members' of the level below to switches in turn; returns their number in *members. */
static int level_make(struct synth *s, uint32_t level, uint32_t *members)
{
	const struct cycle *c = &s->arity[level];
	uint32_t first = 0, i;

	for (i = 0; first < *members; i++) {
		uint32_t size = level == s->levels - 1 ? *members : c->counts[i % c->count];
		uint32_t last = *members - first > size ? first + size - 1 : *members - 1;

		if (switch_make(s, level, i, first, last) < 0)
			return -1;
		first = last + 1;
	}
	*members = i;
	return 0;
}

static int prefix_check(const char *prefix, struct wt_error *errp)
{
	if (strlen(prefix) > 200)
		return wt_error_set(errp, EINVAL, "node prefix: more than 200 characters");
	for (const char *c = prefix; *c; c++)
		if (!hostlist_name_char(*c))
			return wt_error_set(errp, EINVAL, "node prefix '%s': character '%c' cannot be in a name",
					    prefix, *c);
	return 0;
}

struct wt_tree *wt_tree_fat(const struct wt_tree_shape *shape, struct wt_error *errp)
{
	struct synth s = { .prefix = shape->prefix ? shape->prefix : "n", .errp = errp };
	struct wt_tree *t = NULL;
	uint32_t full = 0, members;
	int rc;

	if (prefix_check(s.prefix, errp) < 0 || arity_read(&s, shape->arity ? shape->arity : "") < 0 ||
	    (shape->link_speed && speeds_read(&s, shape->link_speed) < 0) || full_count(&s, &full) < 0)
		return NULL;
	if (shape->nodes > full) {
		wt_error_set(errp, EINVAL, "%u nodes: a tree of arity %s has room for %u", shape->nodes, shape->arity,
			     full);
		return NULL;
	}
	members = shape->nodes ? shape->nodes : full;
	rc = 0;
	for (uint32_t level = 0; rc == 0 && level < s.levels; level++)
		rc = level_make(&s, level, &members);
	if (rc == 0)
		t = wt_tree_build(s.list.entries, s.list.count, errp);
	switch_entries_clear(&s.list);
	return t;
}

struct wt_tree *wt_tree_curie(struct wt_error *errp)
{
	const struct wt_tree_shape curie = { .arity = "18,18,16", .nodes = 5040 };

	return wt_tree_fat(&curie, errp);
}
