/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/nodegroups.h"

void wt_nodegroups_clear(struct wt_nodegroups *groups)
{
	free(groups->nodes);
	free(groups->groups);
	memset(groups, 0, sizeof(*groups));
}

/* The group of this node, a new one if it is the first of its process; NULL: no memory. */
static struct wt_nodegroup *group_of(struct wt_nodegroups *groups, const uint32_t *firsts, uint32_t node,
				     const in_addr_t *addresses)
{
	struct wt_nodegroup *longer;

	/* A search through all: there are as many as hosts, and nodes of one host come one after the other. */
	for (uint32_t i = groups->count; i > 0; i--)
		if (addresses[firsts[i - 1]] == addresses[node])
			return &groups->groups[i - 1];
	longer = realloc(groups->groups, (groups->count + 1) * sizeof(*longer));
	if (!longer)
		return NULL;
	groups->groups = longer;
	longer[groups->count] = (struct wt_nodegroup) { 0 };
	return &longer[groups->count++];
}

/* How many nodes each group has; firsts: of each group the number of its first node. */
static int groups_count(struct wt_nodegroups *groups, uint32_t *firsts, const uint32_t *nodes, uint32_t count,
			const in_addr_t *addresses)
{
	for (uint32_t i = 0; i < count; i++) {
		struct wt_nodegroup *group = group_of(groups, firsts, nodes[i], addresses);

		if (!group)
			return -1;
		if (!group->count++)
			firsts[group - groups->groups] = nodes[i];
	}
	return 0;
}

int wt_nodegroups_make(struct wt_nodegroups *groups, const uint32_t *nodes, uint32_t count, const in_addr_t *addresses)
{
	uint32_t *firsts = malloc(((size_t) count + 1) * sizeof(*firsts)), at = 0;
	int rc = -1;

	memset(groups, 0, sizeof(*groups));
	groups->nodes = malloc(((size_t) count + 1) * sizeof(*groups->nodes));
	if (firsts && groups->nodes)
		rc = groups_count(groups, firsts, nodes, count, addresses);
	for (uint32_t i = 0; rc == 0 && i < groups->count; i++) {
		groups->groups[i].first = at;
		at += groups->groups[i].count;
		groups->groups[i].count = 0;
	}
	for (uint32_t i = 0; rc == 0 && i < count; i++) {
		struct wt_nodegroup *group = group_of(groups, firsts, nodes[i], addresses);

		groups->nodes[group->first + group->count++] = nodes[i];
	}
	free(firsts);
	if (rc < 0) {
		wt_nodegroups_clear(groups);
		errno = ENOMEM;
	}
	return rc;
}
