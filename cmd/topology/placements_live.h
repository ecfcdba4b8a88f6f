/* placements_live.h - placements, as placements.h has them, of a cluster that runs. */
#ifndef WT_CMD_TOPOLOGY_PLACEMENTS_LIVE_H
#define WT_CMD_TOPOLOGY_PLACEMENTS_LIVE_H

#include "harness/placement/placements.h"

/* As placements_load (), of the cluster that SLURM_CONF names, and that cluster's tree (free with wt_tree_destroy ()). After
 * wt_controller_init (). */
int placements_live(struct placements *p, const struct wt_tree *t, enum placement_unit unit, struct wt_error *errp);
struct wt_tree *placements_live_tree(struct wt_error *errp);

#endif
