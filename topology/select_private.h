/* select_private.h - the parts of the selector: touch (how many switches), set (several children), pack (small jobs). */
#ifndef WT_TOPOLOGY_SELECT_PRIVATE_H
#define WT_TOPOLOGY_SELECT_PRIVATE_H

#include "topology/room_private.h"
#include "topology/select.h"

#define SET_TABLE_MAX 262144	/* entries of the tables of a set step: more distinct sizes are rounded together */
#define SET_SWAPS_MAX 30000	/* tried in one set step: bounds the time in trees with thousands of children */

#define NEXT_CHILDREN_MAX 64	/* below a root with more of them the jobs behind this one are not looked at */

/* A switch as candidate. */
struct child {
	uint32_t sw;
	uint64_t units;
	double end_cost;
};

struct wt_select {
	const struct wt_tree *tree;
	struct wt_select_options options;
	struct wt_mix *mix;
	double leaf_units;				/* mean capacity of a leaf */
	/* [largest leaf + 1], of the call: select_leaves.c; NULL without a mix */
	double *leaf_value;
	uint32_t *leaf_count;				/* the same: leaves by their room */
	uint64_t *capacity_sum[WT_TREE_LEVELS_MAX];	/* of the largest 1, 2, ... switches */
	/* of the call */
	const struct wt_room *room;
	const struct select_request *request;
	int pack;
	uint32_t leaves_now;	/* PACK: the least number of leaves that the room holds the job on, wherever they are */
	/* two children have the job, on leaves_now leaves, or on more */
	enum { PACK_WHOLE, PACK_COMPACT, PACK_SCATTERED } halves;
	struct wt_pick *picks;
	size_t pick_count;
	/* scratch */
	uint64_t *sizes;		/* [most switches of a level, twice] */
	uint32_t *parents;		/* [leaves]: switches chosen on the level above */
	struct child *children;		/* [leaves] */
	uint8_t *in_set;
	uint32_t *set;			/* indices into children[] */
	uint64_t next_room[NEXT_CHILDREN_MAX];
	struct child *grand;		/* [nodes]: leaves or nodes to be taken one after the other */
	size_t table_max;		/* entries of the tables of select_set.c */
	uint64_t *table_value, *table_sum;
	uint32_t *table_count;
};

/* Both quick when sorted already, or when there are few. */
void children_sort(struct child *children, size_t count);	/* most units first, then least end_cost, then by number */
void sizes_sort(uint64_t *sizes, uint32_t count);	/* largest first */

/* select_touch.c: switches of 'below' that are under switch sw of 'level': their range, and the least number of them that
 * hold 'units' (fullest first); UINT32_MAX when all hold less. */
struct wt_span switches_below(const struct wt_tree *t, uint32_t level, uint32_t sw, uint32_t below);
uint32_t touch_least(struct wt_select *s, uint32_t level, uint32_t sw, uint32_t below, uint64_t units);
/* touch[0 .. level): touch_least () on each level below switch sw. */
void touch_all(struct wt_select *s, uint32_t level, uint32_t sw, uint64_t units, uint32_t *touch);
/* < 0 when a touches fewer than b, the highest of 'levels' levels first. */
int touch_compare(const uint32_t *a, const uint32_t *b, uint32_t levels);

/* select_set.c: s->children[0 .. count) are sorted; choose k of them that hold 'units' into s->set.  'tight': the least
 * room counts alone. */
void set_choose(struct wt_select *s, uint32_t level, uint32_t count, uint32_t k, uint64_t units, int tight);

/* select_leaves.c: what leaves are worth by their room, into s->leaf_value. */
void leaf_values_fill(struct wt_select *s);
/* s->leaves_now. */
uint32_t leaves_now_count(struct wt_select *s);
/* A leaf's worth.  A room may hold more than the capacities that the selection was made with: such a leaf counts as the
 * largest. */
double leaf_worth(const struct wt_select *s, uint64_t units);
/* Of sizes[0 .. count), which fall and hold 'units', those to be used get in[] 1; the last of them keeps what is too much.
 * Returns their number, and what they were worth: the least number of them, */
uint32_t leaf_set_choose(const struct wt_select *s, const uint64_t *sizes, uint32_t count, uint64_t units, uint8_t *in,
			 double *lost);
/* or the smallest. */
uint32_t leaf_scraps_choose(const struct wt_select *s, const uint64_t *sizes, uint32_t count, uint64_t units, uint8_t *in,
			    double *lost);

/* select_pack.c: the leaves of a switch for 'units' of the job, as above; chooses between the two. */
uint32_t pack_leaves(const struct wt_select *s, const uint64_t *sizes, uint32_t count, uint64_t units, uint8_t *in,
		     double *lost);
/* A child that holds the job alone (an index into s->children[0 .. count)), */
uint32_t pack_child(struct wt_select *s, uint32_t level, uint32_t count, uint64_t units);
/* or two, and the units of the first; the second gets the rest. */
void pack_pair(struct wt_select *s, uint32_t level, uint32_t count, uint64_t units, uint32_t *pair, uint64_t *share);

/* select_next.c: how many of the jobs behind this one, that could start now, too, would be on more than their least number
 * of the root's children after children[child] has given 'units'.  0 when not known. */
uint32_t next_lost(struct wt_select *s, uint32_t count, uint32_t child, uint64_t units);

/* select.c */
void choose_below(struct wt_select *s, uint32_t level, uint32_t sw, uint64_t units);

#endif
