/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topology/policy.h"

struct wt_policy {
	struct wt_select *select;	/* one of the two */
	struct wt_stock *stock;
};

const char *const wt_policy_names[] = {
	"bestfit", "bestfit-touch", "bestfit-pack", "fine", "fine-2.4", "medium", "flat", "none", NULL
};

static const struct {
	const char *name;
	enum wt_tie tie;
} ties[] = {
	{ "bestfit", WT_TIE_AUTO }, { "bestfit-touch", WT_TIE_TOUCH }, { "bestfit-pack", WT_TIE_PACK },
};

static const struct {
	const char *name;
	enum wt_stock_model model;
	uint32_t leaf_level;	/* or the root's, when that is lower */
} stocks[] = {
	{ "fine", WT_STOCK_22_05, 0 }, { "fine-2.4", WT_STOCK_2_4, 0 }, { "medium", WT_STOCK_22_05, 1 },
	{ "flat", WT_STOCK_22_05, WT_TREE_LEVELS_MAX }, { "none", WT_STOCK_NONE, 0 },
};

void wt_policy_destroy(struct wt_policy *p)
{
	if (!p)
		return;
	wt_select_destroy(p->select);
	wt_stock_destroy(p->stock);
	free(p);
}

static int unknown(const char *name, struct wt_error *errp)
{
	char known[256] = "";

	for (size_t i = 0; wt_policy_names[i]; i++)
		snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s", i ? ", " : "",
			 wt_policy_names[i]);
	return wt_error_set(errp, EINVAL, "'%s' is not a policy; known: %s", name, known);
}

/* By name, first ours, then those that model Slurm: each name stands in one of the two tables only. */
static int policy_fill(struct wt_policy *p, const char *name, const struct wt_tree *t, const uint32_t *capacity,
		       double end_weight, struct wt_error *errp)
{
	uint32_t root = wt_tree_levels(t) - 1;

	for (size_t i = 0; i < sizeof(ties) / sizeof(ties[0]); i++) {
		const struct wt_select_options options = { .tie = ties[i].tie, .end_weight = end_weight };

		if (strcmp(name, ties[i].name))
			continue;
		p->select = wt_select_create(t, capacity, &options, errp);
		return p->select ? 0 : -1;
	}
	for (size_t i = 0; i < sizeof(stocks) / sizeof(stocks[0]); i++) {
		/* "flat" asks for a level above any root: on each tree that is its root's. */
		uint32_t level = stocks[i].leaf_level < root ? stocks[i].leaf_level : root;

		if (strcmp(name, stocks[i].name))
			continue;
		p->stock = wt_stock_create(t, stocks[i].model, level, errp);
		return p->stock ? 0 : -1;
	}
	return unknown(name, errp);
}

struct wt_policy *wt_policy_create(const char *name, const struct wt_tree *t, const uint32_t *capacity,
				   double end_weight, struct wt_error *errp)
{
	struct wt_policy *p = calloc(1, sizeof(*p));

	if (!p) {
		wt_error_errno(errp, ENOMEM, "policy");
		return NULL;
	}
	if (policy_fill(p, name, t, capacity, end_weight, errp) == 0)
		return p;
	wt_policy_destroy(p);
	return NULL;
}

int wt_policy_pick(struct wt_policy *p, const struct wt_room *room, const struct select_request *request,
		   uint32_t nodes_min, struct select_choice *choice)
{
	if (p->select)
		return wt_select_pick(p->select, room, request, choice);
	return wt_stock_pick(p->stock, room, request->units, nodes_min, choice);
}
