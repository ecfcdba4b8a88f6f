/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat/chooser.h"

#include <stdlib.h>
#include <strings.h>

#include "plugins/select_bestfit/switches.h"

void switches_clear(struct switches *sw)
{
	bestfit_destroy(sw->bestfit);
	free(sw->slurm_of);
	free(sw->tree_of);
	memset(sw, 0, sizeof(*sw));
}

static struct wt_tree *tree_read(struct wt_error *errp)
{
	struct wt_switch_entry *entries;
	const switch_record_t *table;
	struct wt_tree *t;
	int count;

	table = choice_switches(&count);
	if (!count) {
		wt_error_set(errp, ENOENT,
			     "there are no switches (TopologyPlugin=topology/tree and a topology.conf are needed)");
		return NULL;
	}
	/* With these Slurm does not place every job by its tree, and best fit would do what the site did not ask for. */
	if (choice_dragonfly() || choice_topo_optional()) {
		wt_error_set(errp, ENOENT, "TopologyParam=%s: left to Slurm",
			     choice_dragonfly() ? "dragonfly" : "TopoOptional");
		return NULL;
	}
	entries = calloc((size_t) count, sizeof(*entries));
	if (!entries) {
		wt_error_errno(errp, ENOMEM, "switches");
		return NULL;
	}
	for (int i = 0; i < count; i++) {
		const switch_record_t *record = &table[i];

		entries[i].name = record->name;
		entries[i].link_speed = record->link_speed;
		/* topology/tree fills in the nodes of upper switches, too. */
		if (record->switches && *record->switches)
			entries[i].switches = record->switches;
		else
			entries[i].nodes = record->nodes;
	}
	t = wt_tree_build(entries, (size_t) count, errp);
	free(entries);
	return t;
}

static void indexes_fill(struct switches *sw, const struct wt_tree *t, uint32_t *cpus)
{
	for (uint32_t n = 0; n < wt_tree_nodes(t); n++)
		/* topology.conf may name nodes that slurm.conf does not have. */
		sw->slurm_of[n] = WT_TREE_NONE;
	for (uint32_t i = 0; i < sw->slurm_nodes; i++) {
		const node_record_t *node = node_record_table_ptr[i];
		uint32_t n = node ? wt_tree_node_find(t, node->name) : WT_TREE_NONE;

		sw->tree_of[i] = n;
		if (n != WT_TREE_NONE) {
			sw->slurm_of[n] = i;
			cpus[n] = node->cpus;
		}
	}
}

int switches_read(struct switches *sw, enum wt_tie tie, struct wt_error *errp)
{
	struct wt_tree *t = tree_read(errp);
	uint32_t *cpus;

	memset(sw, 0, sizeof(*sw));
	if (!t)
		return -1;
	sw->slurm_nodes = (uint32_t) node_record_count;
	sw->slurm_of = calloc(wt_tree_nodes(t), sizeof(*sw->slurm_of));
	sw->tree_of = calloc(sw->slurm_nodes + 1, sizeof(*sw->tree_of));
	cpus = calloc(wt_tree_nodes(t), sizeof(*cpus));
	if (!sw->slurm_of || !sw->tree_of || !cpus) {
		wt_tree_destroy(t);
		wt_error_errno(errp, ENOMEM, "switches");
	} else {
		indexes_fill(sw, t, cpus);
		sw->bestfit = bestfit_create(t, cpus, tie, errp);
	}
	free(cpus);
	if (sw->bestfit)
		return 0;
	switches_clear(sw);
	return -1;
}
