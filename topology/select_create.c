/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "topology/select_private.h"

#define MIX_UNITS_MAX 8192	/* larger holes are not looked at: bounds what a new size of job costs */

void wt_select_destroy(struct wt_select *s)
{
	int saved_errno = errno;

	if (!s)
		return;
	for (uint32_t l = 0; l < WT_TREE_LEVELS_MAX; l++)
		free(s->capacity_sum[l]);
	wt_mix_destroy(s->mix);
	free(s->leaf_value);
	free(s->leaf_count);
	free(s->picks);
	free(s->sizes);
	free(s->parents);
	free(s->children);
	free(s->in_set);
	free(s->set);
	free(s->grand);
	free(s->table_value);
	free(s->table_sum);
	free(s->table_count);
	free(s);
	errno = saved_errno;
}

/* Running sums of the largest capacities of each level. */
static int capacities_sum(struct wt_select *s, const struct wt_room *full)
{
	const struct wt_tree *t = s->tree;

	for (uint32_t l = 0; l < t->level_count; l++) {
		uint64_t *sum = calloc(t->levels[l].count, sizeof(*sum));

		s->capacity_sum[l] = sum;
		if (!sum)
			return -1;
		for (uint32_t i = 0; i < t->levels[l].count; i++)
			sum[i] = full->units[l][i];
		sizes_sort(sum, t->levels[l].count);
		for (uint32_t i = 1; i < t->levels[l].count; i++)
			sum[i] += sum[i - 1];
	}
	return 0;
}

static int capacities_fill(struct wt_select *s, const uint32_t *capacity)
{
	const struct wt_tree *t = s->tree;
	struct wt_room *full = wt_room_create(t);
	uint32_t *ones = NULL;
	int rc = -1;

	if (full && !capacity) {
		ones = calloc(t->node_count, sizeof(*ones));
		for (uint32_t i = 0; ones && i < t->node_count; i++)
			ones[i] = 1;
		capacity = ones;
	}
	if (full && capacity) {
		wt_room_fill(full, capacity);
		/* The size of a mean leaf is the unit in which select_pack.c weighs: its weights then mean the same on
		 * every machine. */
		s->leaf_units = (double) wt_room_total(full) / t->levels[0].count;
		rc = capacities_sum(s, full);
	}
	free(ones);
	wt_room_destroy(full);
	if (rc == 0 && s->leaf_units <= 0) {
		errno = EINVAL;
		rc = -1;
	}
	return rc;
}

static int mix_create(struct wt_select *s)
{
	uint32_t root = s->tree->level_count - 1;
	uint64_t units = s->capacity_sum[root ? root - 1 : 0][0];

	if (s->options.tie == WT_TIE_TOUCH)
		return 0;
	s->mix = wt_mix_create(units < MIX_UNITS_MAX ? (uint32_t) units : MIX_UNITS_MAX);
	/* By the room of a leaf, from none to that of the largest. */
	s->leaf_value = calloc(s->capacity_sum[0][0] + 1, sizeof(*s->leaf_value));
	s->leaf_count = calloc(s->capacity_sum[0][0] + 1, sizeof(*s->leaf_count));
	return s->mix && s->leaf_value && s->leaf_count ? 0 : -1;
}

static int scratch_alloc(struct wt_select *s)
{
	const struct wt_tree *t = s->tree;
	size_t switches = 0, leaves = t->levels[0].count;

	for (uint32_t l = 0; l < t->level_count; l++)
		switches += t->levels[l].count;
	/* Room for every candidate's row of every switch size; SET_TABLE_MAX bounds it, and then sizes share bins. */
	s->table_max = t->level_count > 2 ? (t->levels[1].count + 1) * switches : 1;
	if (s->table_max > SET_TABLE_MAX)
		s->table_max = SET_TABLE_MAX;
	s->picks = calloc(t->node_count, sizeof(*s->picks));
	s->sizes = calloc(2 * leaves, sizeof(*s->sizes));
	s->parents = calloc(leaves, sizeof(*s->parents));
	s->children = calloc(leaves, sizeof(*s->children));
	s->in_set = calloc(leaves, sizeof(*s->in_set));
	s->set = calloc(leaves, sizeof(*s->set));
	s->grand = calloc(t->node_count, sizeof(*s->grand));
	s->table_value = calloc(switches, sizeof(*s->table_value));
	s->table_sum = calloc(s->table_max, sizeof(*s->table_sum));
	s->table_count = calloc(s->table_max, sizeof(*s->table_count));
	return s->picks && s->sizes && s->parents && s->children && s->in_set && s->set && s->grand &&
	       s->table_value && s->table_sum && s->table_count ? 0 : -1;
}

struct wt_select *wt_select_create(const struct wt_tree *t, const uint32_t *capacity,
				   const struct wt_select_options *options, struct wt_error *errp)
{
	struct wt_select *s = NULL;

	if (!t || !options || !isfinite(options->end_weight) || options->end_weight < 0) {
		wt_error_set(errp, EINVAL, "selector: no tree, or an end weight that is not 0 or more");
		return NULL;
	}
	s = calloc(1, sizeof(*s));
	if (!s)
		goto error;
	s->tree = t;
	s->options = *options;
	if (capacities_fill(s, capacity) < 0 || mix_create(s) < 0 || scratch_alloc(s) < 0)
		goto error;
	return s;
error:
	wt_select_destroy(s);
	if (errno == EINVAL)
		wt_error_set(errp, EINVAL, "selector: the nodes hold nothing");
	else
		wt_error_errno(errp, ENOMEM, "selector");
	return NULL;
}
