/* supply.h - what each node of slurmctld can give, kept up to date as jobs come and go.  For the plugin's adapter only.
 *
 * Copied from the tables of select/cons_tres for the nodes of each job that it adds or removes; read as a whole after
 * anything else.  A decision then costs as much as has changed since the last like it, not as the cluster has nodes.  What
 * stands here is a hint: a caller that acts on it asks select/cons_tres first.  Not locked: slurmctld's own write locks
 * of jobs and nodes are held wherever its tables change or a job is tested. */
#ifndef WT_PLUGINS_SELECT_BESTFIT_SUPPLY_H
#define WT_PLUGINS_SELECT_BESTFIT_SUPPLY_H

#include "plugins/select_bestfit/switches.h"
#include "compat/controller.h"

/* What a room counts.  Compared byte by byte: clear all of it first. */
struct supply_kind {
	uint64_t memory;	/* MiB for each node, or for each CPU; 0: all that a node has */
	uint32_t each;		/* as struct bestfit_want */
	uint32_t shape;		/* of the nodes: an index, below */
	uint16_t cpus_per_core;	/* that the job uses */
	bool empty;		/* as if nothing ran: TEST_ONLY */
	bool by_cpus, whole, reserved;	/* reserved: with no other job, whatever it leaves free */
	bool memory_counts, memory_per_cpu;
	bool memory_of_all;	/* without memory for all of a node's CPUs the node is of no use */
};

/* Nodes with the same hardware and weight. */
struct supply_shape {
	uint32_t cores, threads, cpus, sockets, cores_used;	/* cores_used: that jobs may use */
	uint64_t memory, weight;
	uint32_t sample;	/* one of them: Slurm's index */
};

void supply_clear(void);		/* forget everything: nodes, partitions or switches changed */
void supply_job_changed(const bitstr_t *nodes);	/* after Slurm's tables changed for a job on them */

/* Read what is missing, or was read with another tie or other 'configs', question_configs ().  false: there is no tree. */
bool supply_ready(enum wt_tie tie, uint64_t configs);
struct bestfit *supply_bestfit(void);
const struct switches *supply_switches(void);

/* The shape of all nodes of 'map'; -1: they differ, one is in no tree, or there are none. */
int supply_shape_find(const bitstr_t *map);
const struct supply_shape *supply_shape_at(int shape);

/* The room of the nodes of 'map', which all have kind->shape.  NULL: no memory.  Valid until the next call. */
const struct wt_room *supply_room(const struct supply_kind *kind, const bitstr_t *map);

#endif
