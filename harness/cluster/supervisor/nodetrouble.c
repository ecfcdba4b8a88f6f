/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <slurm/slurm.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cluster/supervisor/nodetrouble.h"
#include "compat/lists.h"
#include "lib/str.h"

#define GROUPS_MAX 3	/* told in full */
#define GROUPS_SEEN 64	/* nodes with further reasons are only counted */
#define NAMES_MAX 120	/* characters: a list with many gaps is cut */

struct group {
	const struct wt_nodetrouble *first;
	compat_hostlist names;
	size_t count;
};

static const char *reason_of(const struct wt_nodetrouble *node)
{
	return node->reason ? node->reason : "";
}

static struct group *group_find(struct group *groups, size_t count, const struct wt_nodetrouble *node)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(reason_of(groups[i].first), reason_of(node)) && !strcmp(groups[i].first->word, node->word))
			return &groups[i];
	return NULL;
}

/* What helps, by a part of slurmctld's reason (Slurm 22.05 src/slurmctld/node_mgr.c, src/common/gres.c). */
static const char *advice(const char *reason)
{
	static const struct {
		const char *part, *text;
	} known[] = {
		{ "gres/gpu count", "a gpu needs devices (gres.conf); a resource of another name, such as fpga:2, does "
				    "not" },
		{ "gres/", "name a resource that needs no devices, such as fpga:2" },
		{ "Low ", "with --set SlurmdParameters=config_overrides slurmctld believes slurm.conf" },
		{ "Not responding", "SlurmdTimeout is too short for this cluster's start" },
		{ "Prolog error", "its Prolog fails: see nodes/, or --node prolog-fail" },
	};

	if (!*reason)
		return "slurm.conf says so: leave its State= out, and use scontrol when the cluster is up";
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strstr(reason, known[i].part))
			return known[i].text;
	return "ctld/slurmctld.log says more";
}

static void group_print(const struct group *g, struct wt_str *out)
{
	const char *reason = reason_of(g->first);
	char names[NAMES_MAX];

	if (slurm_hostlist_ranged_string(g->names, sizeof(names), names) < 0)	/* does not fit */
		strcpy(names + sizeof(names) - 4, "...");
	wt_str_printf(out, "%s", names);
	if (g->count > 1)
		wt_str_printf(out, " (%zu nodes)", g->count);
	wt_str_printf(out, " %s: %s; %s", g->first->word, *reason ? reason : "no reason given", advice(reason));
}

static int by_size(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return (x->first > y->first) - (x->first < y->first);
}

/* 'more': nodes that are in no group. */
static char *groups_print(const struct group *groups, size_t count, size_t more)
{
	struct wt_str out = { 0 };

	for (size_t i = 0; i < count; i++) {
		if (i >= GROUPS_MAX) {
			more += groups[i].count;
			continue;
		}
		wt_str_add(&out, i ? "; " : "");
		group_print(&groups[i], &out);
	}
	if (more)
		wt_str_printf(&out, "; and %zu more, for other reasons", more);
	return wt_str_take(&out);
}

char *wt_nodetrouble_text(const struct wt_nodetrouble *list, size_t count)
{
	struct group groups[GROUPS_SEEN];
	size_t group_count = 0, more = 0;
	char *text = NULL;

	for (size_t i = 0; i < count; i++) {
		struct group *g = group_find(groups, group_count, &list[i]);

		if (!g && group_count == GROUPS_SEEN) {
			more++;
			continue;
		}
		if (!g) {
			g = &groups[group_count++];
			*g = (struct group) { .first = &list[i], .names = slurm_hostlist_create(NULL) };
		}
		g->count++;
		slurm_hostlist_push_host(g->names, list[i].name);
	}
	if (group_count) {
		qsort(groups, group_count, sizeof(*groups), by_size);
		text = groups_print(groups, group_count, more);
	}
	for (size_t i = 0; i < group_count; i++)
		slurm_hostlist_destroy(groups[i].names);
	return text;
}
