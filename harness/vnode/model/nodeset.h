/* nodeset.h - a set of node numbers as sorted ranges, with ranks.
 *
 * Pure.  Node numbers follow the order of a sorted Slurm host list, so a node's rank in a set is its index in that host
 * list. A zeroed struct is an empty set.  One writer, or many readers. */
#ifndef WT_HARNESS_VNODE_MODEL_NODESET_H
#define WT_HARNESS_VNODE_MODEL_NODESET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WT_NODE_NONE UINT32_MAX

struct wt_node_range {
	uint32_t first, count, rank;	/* rank of the first one */
};

struct wt_nodeset {
	struct wt_node_range *ranges;
	uint32_t range_count, count;
};

/* Make *set from 'count' numbers in any order (which it sorts in place); duplicates count once.  0, or -1 with ENOMEM. */
int wt_nodeset_fill(struct wt_nodeset *set, uint32_t *numbers, size_t count);
void wt_nodeset_clear(struct wt_nodeset *set);	/* NULL is ignored */

bool wt_nodeset_rank(const struct wt_nodeset *set, uint32_t node, uint32_t *rank);	/* false: not a member */

#endif
