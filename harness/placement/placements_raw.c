/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job as its source has it: the host list and what each node gave, in the tree's order. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/placement/placements_reader.h"
#include "topology/hostlist.h"
#include "record/node_cpus.h"

struct place {
	uint32_t node, units;	/* the node first, for wt_tree_node_order () */
};

/* What the host list and the text of CPUs say, in the tree's order. */
static int places_read(const struct raw *raw, const struct wt_hostlist *hl, const uint32_t *units, struct place *places,
		       struct wt_error *errp)
{
	size_t count = wt_hostlist_count(hl);

	for (size_t i = 0; i < count; i++) {
		places[i].node = wt_tree_node_find(raw->tree, wt_hostlist_name(hl, i));
		places[i].units = units ? units[i] : 0;
		if (places[i].node == WT_TREE_NONE)
			return wt_error_set(errp, EINVAL, "node '%s' is not in the topology", wt_hostlist_name(hl, i));
	}
	qsort(places, count, sizeof(*places), wt_tree_node_order);
	return 0;
}

/* 'units' [of hl], or NULL. */
static int nodes_fill(const struct raw *raw, struct raw_job *j, const struct wt_hostlist *hl, const uint32_t *units,
		      double end_s, struct wt_error *errp)
{
	size_t count = wt_hostlist_count(hl);
	uint32_t *nodes = calloc(count, sizeof(*nodes)), *gave = units ? calloc(count, sizeof(*gave)) : NULL;
	double *release_s = calloc(count, sizeof(*release_s));
	struct place *places = calloc(count, sizeof(*places));
	int rc;

	j->job.nodes = nodes;
	j->job.release_s = release_s;
	j->job.node_units = gave;
	if (!nodes || !release_s || !places || (units && !gave))
		rc = wt_error_errno(errp, ENOMEM, "placements");
	else
		rc = places_read(raw, hl, units, places, errp);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		nodes[i] = places[i].node;
		release_s[i] = end_s;
		if (gave)
			gave[i] = places[i].units;
	}
	j->job.node_count = (uint32_t) count;
	free(places);
	return rc;
}

static int hostlist_fill(const struct raw *raw, struct raw_job *j, const struct wt_hostlist *hl, const char *node_cpus,
			 double end_s, struct wt_error *errp)
{
	size_t count = wt_hostlist_count(hl);
	uint32_t *units;
	int rc;

	if (!node_cpus)
		return nodes_fill(raw, j, hl, NULL, end_s, errp);
	units = calloc(count, sizeof(*units));
	if (!units)
		return wt_error_errno(errp, ENOMEM, "placements");
	rc = wt_node_cpus_parse(node_cpus, units, count, errp);
	if (rc == 0)
		rc = nodes_fill(raw, j, hl, units, end_s, errp);
	free(units);
	return rc;
}

struct raw_job *raw_add(struct raw *raw, const char *node_list, const char *node_cpus, double start_s, double end_s,
			struct wt_error *errp)
{
	struct wt_hostlist *hl;
	struct raw_job *j;
	int rc;

	if (raw->count == raw->cap) {
		size_t cap = raw->cap ? 2 * raw->cap : 256;
		struct raw_job *jobs = realloc(raw->jobs, cap * sizeof(*jobs));

		if (!jobs) {
			wt_error_errno(errp, ENOMEM, "placements");
			return NULL;
		}
		raw->jobs = jobs;
		raw->cap = cap;
	}
	hl = wt_hostlist_parse(node_list, strlen(node_list), wt_tree_nodes(raw->tree), errp);
	if (!hl)
		return NULL;
	/* Counted at once, so that what a failure leaves is freed with the others. */
	j = &raw->jobs[raw->count++];
	memset(j, 0, sizeof(*j));
	j->job.start_s = start_s;
	rc = hostlist_fill(raw, j, hl, node_cpus, end_s, errp);
	wt_hostlist_destroy(hl);
	return rc < 0 ? NULL : j;
}
