/* steptree.h - how the slurmstepds of a step pass on that they have ended: a tree of ranks.
 *
 * Pure.  The tree is complete, of width 7, numbered in preorder: the children of a rank are the ranks right behind it.  A
 * step of fewer nodes than the width has no tree: every rank is a root and tells the controller by itself. Source: Slurm
 * 22.05 src/common/reverse_tree.c, reverse_tree_info (). */
#ifndef WT_HARNESS_VNODE_MODEL_STEPTREE_H
#define WT_HARNESS_VNODE_MODEL_STEPTREE_H

#include <stdint.h>

#define WT_STEPTREE_WIDTH 7u	/* REVERSE_TREE_WIDTH */
#define WT_STEPTREE_NO_PARENT UINT32_MAX

struct wt_steptree {
	uint32_t parent;	/* WT_STEPTREE_NO_PARENT: a root */
	uint32_t children;	/* all below: the ranks rank + 1 ... rank + children */
	uint32_t depth, max_depth;
};

void wt_steptree_place(uint32_t rank, uint32_t count, struct wt_steptree *place);	/* rank < count */

#endif
