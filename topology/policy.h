/* policy.h - the ways to choose nodes that can be compared on the desk, by name.
 *
 *   bestfit            ours, the tie chosen by the sizes of the jobs (select.h)
 *   bestfit-touch      ours, each job as compact as can be
 *   bestfit-pack       ours, for many small jobs
 *   fine, fine-2.4     Slurm 22.05 and 2.4 with the whole tree (stock.h)
 *   medium             Slurm 22.05 that knows the switches of level 1 and above
 *   flat               Slurm with one switch over all nodes
 *   none               Slurm with topology/none
 *
 * Pure.  One thread at a time for each object. */
#ifndef WT_TOPOLOGY_POLICY_H
#define WT_TOPOLOGY_POLICY_H

#include "topology/select.h"
#include "topology/stock.h"

extern const char *const wt_policy_names[];	/* ends with NULL */

struct wt_policy;	/* opaque */

/* capacity[node] as in wt_select_create ().  NULL with EINVAL (not a name: the text lists them), ENOMEM. */
struct wt_policy *wt_policy_create(const char *name, const struct wt_tree *t, const uint32_t *capacity,
				   double end_weight, struct wt_error *errp);
void wt_policy_destroy(struct wt_policy *p);	/* NULL is ignored; errno is preserved */

/* As wt_select_pick () and wt_stock_pick (); best fit ignores nodes_min.  The choice is valid until the next call. */
int wt_policy_pick(struct wt_policy *p, const struct wt_room *room, const struct select_request *request,
		   uint32_t nodes_min, struct select_choice *choice);

#endif
