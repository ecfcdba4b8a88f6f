/* stock.h - models of how Slurm itself chooses nodes, to compare with on the desk.
 *
 * Written from reading src/plugins/select/cons_tres/job_test.c of Slurm 22.05 (_eval_nodes, _eval_nodes_topo), and for
 * 2.4 from Georgiou and Hautreux 2012, section 4.2 ("it looks for the lowest level switch that satisfies the
 * request, then it identifies the associated leaves and does a best-fit selection among them").  They cover jobs
 * without required nodes, weights, GRES or --switches, and trees of even depth.  Nodes and switches are taken to stand
 * in slurm.conf and topology.conf in the order of the tree.
 *
 * Pure; no memory is allocated after wt_stock_create ().  One thread at a time for each object. */
#ifndef WT_TOPOLOGY_STOCK_H
#define WT_TOPOLOGY_STOCK_H

#include "topology/room.h"
#include "topology/select.h"

enum wt_stock_model {
	WT_STOCK_NONE,		/* topology/none: best fit among runs of consecutive nodes */
	WT_STOCK_22_05,		/* topology/tree: leaf after leaf, the closest of those that fit best */
	WT_STOCK_2_4,		/* topology/tree of 2012: the lowest switch that fits, then leaf after leaf by best fit */
};

struct wt_stock;	/* opaque */

/* Switches of 'leaf_level' play the leaves: 0 is that paper's fine, 1 its medium topology, the root's level one flat
 * switch.  The tree must outlive it.  NULL with EINVAL, ENOMEM. */
struct wt_stock *wt_stock_create(const struct wt_tree *t, enum wt_stock_model model, uint32_t leaf_level,
				 struct wt_error *errp);
void wt_stock_destroy(struct wt_stock *s);	/* NULL is ignored; errno is preserved */

/* A job of 'units' on at least 'nodes_min' nodes; one of whole nodes has nodes_min = units, one of CPUs normally 1.  0; -1
 * with EINVAL, ENOSPC. */
int wt_stock_pick(struct wt_stock *s, const struct wt_room *room, uint64_t units, uint32_t nodes_min,
		  struct select_choice *choice);

#endif
