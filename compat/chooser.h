/* chooser.h - where Slurm chooses among the nodes that can take a job, and ours steps in.  For our select plugin.
 *
 * Up to 23.02 that is select/cons_tres; from 23.11 on the topology plugin, before which our topology_tree.so stands
 * (topology_entry.h). */
#ifndef WT_COMPAT_CHOOSER_H
#define WT_COMPAT_CHOOSER_H

#include <stdbool.h>

#include "compat/controller.h"

/* A question.  All that is pointed to is Slurm's; the choice is made by clearing bits of node_map. */
struct choice {
	job_record_t *job;
	bitstr_t *node_map, **avail_core;
	uint32_t min_nodes, max_nodes, req_nodes;
	avail_res_t **avail;
	uint16_t cr_type;
	bool prefer_alloc_nodes;
	void *stock;		/* what only Slurm's own choice is told */
};

typedef int (*chooser_f)(const struct choice *c);

/* Of slurmctld only, after Slurm's own plugins have been loaded: 'chooser' is asked from now on.  False: it never will be;
 * why has been logged. */
bool choice_attach(chooser_f chooser);
void choice_detach(void);

/* Slurm's own choice; may be asked again after it has said no, when what it has changed in c->avail was put back. */
int choice_stock(const struct choice *c);

/* The switches that Slurm has read; *count 0: none.  After choice_attach (). */
const switch_record_t *choice_switches(int *count);

/* The words of TopologyParam and SchedulerParameters for which Slurm leaves its tree, or its order of nodes. */
bool choice_dragonfly(void);
bool choice_topo_optional(void);
bool choice_serial_at_end(void);

#endif
