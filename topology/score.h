/* score.h - how well a job was placed: the switches it touches on each level, against the least possible.
 *
 * Georgiou and Hautreux (README.md), section 4.2, and doc/design-topology.md.  A job is optimal on a level
 *   absolutely  when it touches the least number of that level's switches that its size allows on an idle machine,
 *   relatively  when it touches the least number that the room at its start allowed.
 * On all levels together it is absolutely optimal when it is so on each; relatively when the room at its start allowed
 * nothing better: level for level from the one below the root down, no fewer switches given those above.  (One placement
 * need not be able to reach every single level's own minimum: few intermediate switches may cost leaves.)
 *
 * The unit is the room's: nodes, or CPUs where nodes are shared.  The root says nothing about a placement and is left
 * out, and so are jobs of the whole machine.
 *
 * Pure.  One thread at a time for each object. */
#ifndef WT_TOPOLOGY_SCORE_H
#define WT_TOPOLOGY_SCORE_H

#include <stddef.h>
#include <stdint.h>

#include "topology/room.h"

struct wt_score;	/* opaque */

/* What one job is worth: entries [0 .. levels - 1), the leaves first. */
struct wt_verdict {
	uint32_t touched[WT_TREE_LEVELS_MAX];
	uint32_t absolute[WT_TREE_LEVELS_MAX];	/* least numbers */
	uint32_t relative[WT_TREE_LEVELS_MAX];
	int whole_machine;	/* to be left out: all other fields are 0 */
	int relative_all;	/* 1: nothing better on all levels together */
	int guessed;		/* relative_all was too costly to prove: our own selector found nothing better */
};

struct wt_score_tally {
	uint64_t jobs;		/* without those of the whole machine */
	uint32_t levels;	/* without the root */
	uint64_t absolute[WT_TREE_LEVELS_MAX], relative[WT_TREE_LEVELS_MAX];
	uint64_t absolute_all, relative_all, guessed;
	/* sums over the jobs: switches that they touch, and the least numbers that they could have */
	uint64_t touched_sum[WT_TREE_LEVELS_MAX], absolute_sum[WT_TREE_LEVELS_MAX], relative_sum[WT_TREE_LEVELS_MAX];
};

/* For a tree whose idle nodes hold capacity[node] (NULL: 1 each).  NULL with EINVAL, ENOMEM. */
struct wt_score *wt_score_create(const struct wt_tree *t, const uint32_t *capacity, struct wt_error *errp);
void wt_score_destroy(struct wt_score *s);	/* NULL is ignored; errno is preserved */

/* A job of 'units' that got nodes[0 .. count) when 'room' was free: the nodes' own room must still be in it.  0; -1 with
 * EINVAL (no units, no nodes, no such node, or more units than were free), ENOMEM. */
int wt_score_job(struct wt_score *s, const struct wt_room *room, const uint32_t *nodes, size_t count, uint64_t units,
		 struct wt_verdict *verdict, struct wt_error *errp);

/* The least number of switches of a level that hold 'units' of the room, which has as many. */
uint32_t wt_score_least(struct wt_score *s, const struct wt_room *room, uint32_t level, uint64_t units);

void wt_score_add(struct wt_score_tally *tally, const struct wt_tree *t, const struct wt_verdict *verdict);

/* The least numbers for 'units' on all levels together (see above), exactly, none above bound[level].  least[0 ..
 * levels - 1).  0; -1 with ENOENT (nothing within the bounds), EOVERFLOW (more than WT_SCORE_STEPS_MAX steps), ENOMEM. */
#define WT_SCORE_STEPS_MAX 200000000
int wt_score_joint(const struct wt_room *room, uint64_t units, const uint32_t *bound, uint32_t *least);

#endif
