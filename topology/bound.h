/* bound.h - how many jobs of a record could be optimal at most, whatever nodes each had had.
 *
 * The schedule is given: each job starts and gives its nodes back, one after the other, when it did; only which nodes it
 * has is free, with knowledge of all that follows.  An upper bound, not the optimum: it asks of each moment by itself
 * whether the jobs that run could all lie optimally, and charges each job that could not for all the moments at which it
 * runs.  The proof is in doc/design-topology.md ("What no placement can beat"); test_bound compares with a search over all
 * placements of small trees.
 *
 * Pure. */
#ifndef WT_TOPOLOGY_BOUND_H
#define WT_TOPOLOGY_BOUND_H

#include <stddef.h>
#include <stdint.h>

#include "topology/replay.h"

struct wt_bound {
	uint64_t jobs;		/* without those of the whole machine */
	uint32_t levels;	/* without the root */
	/* jobs that touch the least number of a level's switches that their size allows: at most so many */
	uint64_t absolute[WT_TREE_LEVELS_MAX];
	uint64_t absolute_all;	/* on all levels at once */
	/* Moments whose jobs could not all be optimal on a level, and of all that were looked at. */
	uint64_t tight[WT_TREE_LEVELS_MAX], moments;
};

/* Jobs as for wt_replay (), capacity[node] too.  0; -1 with EINVAL (a job without nodes or units, an unknown node, times
 * that are no numbers), ENOMEM. */
int wt_bound(const struct wt_tree *t, const uint32_t *capacity, const struct wt_replay_job *jobs, size_t count,
	     struct wt_bound *bound, struct wt_error *errp);

/* Of jobs that hold units[0 .. count) below switches of sizes[0 .. switches), the largest first, job i on at most least[i]
 * of them, so many cannot be laid out at the same time, at least: with fewer left out there is no room. */
size_t wt_bound_excess(const uint64_t *sizes, uint32_t switches, const uint64_t *units, const uint32_t *least, size_t count);

#endif
