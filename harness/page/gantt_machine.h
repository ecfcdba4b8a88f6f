/* gantt_machine.h - names of the nodes and the tree of switches, from a run folder's slurm.conf and topology.conf.
 *
 * jobs.csv numbers nodes as slurmctld does: in the order of slurm.conf, or with a topology in that of the tree's leaves.
 * Which of the two it was is seen from the jobs, whose nodes are there by number and by name; where neither fits, nodes
 * have no names on the page.  Not locked: one thread at a time. */
#ifndef WT_HARNESS_PAGE_GANTT_MACHINE_H
#define WT_HARNESS_PAGE_GANTT_MACHINE_H

#include "harness/page/gantt_data.h"
#include "harness/page/page.h"
#include "topology/tree.h"

struct gantt_machine {
	const char **names; /* [node_count] by number; NULL: not known */
	uint32_t *order; /* [node_count] numbers from the left to the right of the tree; NULL: no tree */
	size_t level_count;
	struct gantt_level levels[WT_TREE_LEVELS_MAX];
	struct wt_str text; /* private: of slurm.conf's names, each terminated */
	struct wt_tree *tree;
};

/* What is missing or cannot be read is left out.  0, or -1 with ENOMEM; gantt_machine_clear () in any case. */
int gantt_machine_read(struct gantt_machine *machine, const struct page_run *run, uint32_t node_count,
		       struct wt_error *errp);
void gantt_machine_clear(struct gantt_machine *machine);

#endif
