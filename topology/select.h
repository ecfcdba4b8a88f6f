/* select.h - choose nodes for a job so that it touches few switches on every level.
 *
 * The algorithm (doc/design-topology.md; for any depth) goes down from the root.  On each level it takes
 * the least number k of switches, below those taken before, that hold the job.  k = 1: the one in which the job touches
 * fewest switches further down, then the tightest.  k > 1: the k with most room, improved by swaps while fewer
 * switches further down are touched or less room is broken into.  Of the leaves the fullest are taken whole, and the rest
 * of the job goes into the tightest that holds it.  The number of the root's children is always the least that the
 * room allows; lower levels are exact in the great majority of cases (test_select compares with the exact minimum).
 *
 * Pure; no memory is allocated after wt_select_create ().  Not locked: one thread at a time for each object. */
#ifndef WT_TOPOLOGY_SELECT_H
#define WT_TOPOLOGY_SELECT_H

#include <stddef.h>
#include <stdint.h>

#include "topology/mix.h"
#include "topology/room.h"

/* What decides between choices that touch equally many of the root's children. */
enum wt_tie {
	WT_TIE_TOUCH, /* fewest switches on the levels below, then the tightest fit: each job as compact as can be */
	WT_TIE_PACK, /* for many small jobs: leaves that are worth least to the sizes asked for lately (the mix), unless the
		      * job loses its own least number of leaves by it; tight switches, and leftovers that usual sizes
		      * fill */
	WT_TIE_AUTO, /* PACK while at least half of the jobs lately asked for are no larger than a quarter of the
		      * largest switch below the root, TOUCH otherwise */
};

struct wt_select_options {
	enum wt_tie tie;
	/* TOUCH: how much it counts that a job outlasts all that runs below a switch: 1 minute of outlasting weighs as much
	 * as this part of opening a whole switch.  0: planned ends are ignored.  (PACK gains nothing from them.) */
	double end_weight;
};

struct select_request {
	uint64_t units;		/* at least 1 */
	/* Planned end of the last job on each node (0: none), or NULL: not known.  All three on one time line. */
	const double *node_end_s;
	double start_s, end_s;	/* of this job, planned; read only with node_end_s */
	/* Sizes of the jobs that wait behind this one, in their order; 0 of them: not known.  PACK spares room for those
	 * that could start now, too, and looks at the first WT_SELECT_NEXT_MAX. */
	const uint64_t *next_units;
	size_t next_count;
	int imagined;		/* not 0: a question about the future, whose size is not noted in the mix */
};
#define WT_SELECT_NEXT_MAX 8

struct wt_pick {
	uint32_t node;
	uint32_t units;		/* of it; the last node may be used in part */
};

struct select_choice {
	const struct wt_pick *picks;	/* belongs to the selector: valid until its next use */
	size_t count;
};

struct wt_select;	/* opaque */

/* For a tree and what its nodes hold when nothing runs, capacity[node] (NULL: 1 each).  The tree must outlive it.  NULL
 * with errno EINVAL, ENOMEM. */
struct wt_select *wt_select_create(const struct wt_tree *t, const uint32_t *capacity,
				   const struct wt_select_options *options, struct wt_error *errp);
void wt_select_destroy(struct wt_select *s);	/* NULL is ignored; errno is preserved */

/* Choose from 'room' (of the same tree).  0; -1 with ENOSPC when it holds less, EINVAL for a request of nothing.  For PACK
 * and AUTO the size is noted in the selector's mix, unless the request is imagined: the same such request of the same room
 * is answered in the same way until another size is noted. */
int wt_select_pick(struct wt_select *s, const struct wt_room *room, const struct select_request *request,
		   struct select_choice *choice);

/* A job of this size was asked for elsewhere. */
void wt_select_note(struct wt_select *s, uint64_t units);

/* The least number of switches of 'level' that hold 'units' when nothing runs; 0: not even all of them. */
uint32_t wt_select_least(const struct wt_select *s, uint32_t level, uint64_t units);

#endif
