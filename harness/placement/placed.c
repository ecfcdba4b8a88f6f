/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "harness/placement/placed.h"
#include "harness/placement/placements.h"
#include "lib/fs.h"
#include "lib/str.h"

#define TREE_BYTES_MAX (64u << 20)

/* NULL with ENOENT: none. */
static struct wt_tree *tree_of_folder(const char *dir, struct wt_error *errp)
{
	char *path = wt_str_format("%s/topology.conf", dir), *text = NULL;
	struct wt_tree *tree = NULL;
	size_t len;

	if (!path)
		wt_error_errno(errp, ENOMEM, "%s", dir);
	else if (wt_fs_read_regular(path, TREE_BYTES_MAX, &text, &len, errp) == 0)
		tree = wt_tree_parse(text, len, errp);
	free(text);
	free(path);
	return tree;
}

static void shares_fill(struct wt_record *record, const struct wt_score_tally *tally)
{
	double jobs = (double) tally->jobs;

	if (!tally->jobs)
		return;
	record->placed[WT_PLACED_FEWEST] = (double) tally->absolute_all / jobs;
	record->placed[WT_PLACED_FREE] = (double) tally->relative_all / jobs;
	record->placed[WT_PLACED_LEAVES] = (double) tally->absolute[0] / jobs;
	if (tally->levels > 1)
		record->placed[WT_PLACED_LEVEL1] = (double) tally->absolute[1] / jobs;
}

static int tree_compute(struct wt_record *record, const char *dir, const struct wt_tree *tree, struct wt_error *errp)
{
	struct wt_replay_result result;
	struct placements p = { 0 };
	int rc = placements_load(&p, dir, tree, UNIT_AUTO, errp);

	if (rc == 0)
		rc = wt_replay(tree, p.capacity, p.jobs, p.count, INFINITY, &result, NULL, errp);
	if (rc == 0)
		shares_fill(record, &result.tally);
	placements_clear(&p);
	return rc;
}

int placed_compute(struct wt_record *record, const char *dir, struct wt_error *errp)
{
	struct wt_tree *tree = tree_of_folder(dir, errp);
	uint64_t nodes = 0;
	int rc = 0;

	if (!tree)
		return errno == ENOENT ? 0 : -1;
	for (size_t i = 0; i < record->job_count; i++)
		nodes += record->jobs[i].alloc_nodes;
	if (nodes > PLACED_NODES_MAX)
		rc = wt_error_set(errp, E2BIG,
				  "its jobs had %llu nodes together: windtunnel topology score looks at more than "
				  "%d",
				  (unsigned long long) nodes, PLACED_NODES_MAX);
	/* Below one switch every placement is as good as any other. */
	else if (wt_tree_levels(tree) > 1)
		rc = tree_compute(record, dir, tree, errp) < 0 ? -1 : 1;
	wt_tree_destroy(tree);
	return rc;
}
