/* switches.h - slurmctld's switches and nodes as our tree.  For the plugin's adapter only. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_SWITCHES_H
#define WT_PLUGINS_SELECT_BESTFIT_SWITCHES_H

#include "plugins/select_bestfit/bestfit.h"

struct switches {
	struct bestfit *bestfit;	/* NULL: no tree */
	uint32_t *slurm_of;		/* tree's node -> Slurm's index; WT_TREE_NONE: not a node of the cluster */
	uint32_t *tree_of;		/* Slurm's index -> tree's node; WT_TREE_NONE: below no switch */
	uint32_t slurm_nodes;		/* length of tree_of */
};

/* From the controller's tables, under its locks.  0; -1 with errno and *errp: there is no tree that we can use (ENOENT:
 * Slurm itself uses none), *sw is empty. */
int switches_read(struct switches *sw, enum wt_tie tie, struct wt_error *errp);
void switches_clear(struct switches *sw);

#endif
