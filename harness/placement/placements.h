/* placements.h - which nodes the jobs of a run had, and when: from a run folder, or from an SWF with node lists. */
#ifndef WT_HARNESS_PLACEMENT_PLACEMENTS_H
#define WT_HARNESS_PLACEMENT_PLACEMENTS_H

#include "topology/replay.h"
#include "topology/tree.h"

enum placement_unit { UNIT_AUTO, UNIT_NODES, UNIT_CPUS };

struct placements {
	struct wt_replay_job *jobs;	/* their nodes and release_s are malloc'd; among them nodes out of service */
	size_t count;
	size_t without_nodes;		/* jobs of the record that never ran */
	size_t assumed;			/* jobs on shared nodes of which the record does not say how many CPUs each gave */
	size_t forgotten;		/* jobs at whose start others may have run that the record does not have any more */
	size_t out_of_service;		/* nodes of a live cluster that are down or drained */
	uint32_t *capacity;		/* CPUs of each node, or NULL: the unit is whole nodes */
	double begin_s;			/* the run's own zero on the jobs' time line */
};

/* 'path' is a run folder (see windtunnel-run(5)), or a file in the Standard Workload Format whose lines have a 19th field,
 * the job's Slurm host list.  AUTO: whole nodes when every job had whole nodes, else CPUs.  placements_clear () even after
 * failure.  0, or -1 with text. */
int placements_load(struct placements *p, const char *path, const struct wt_tree *t, enum placement_unit unit,
		    struct wt_error *errp);
void placements_clear(struct placements *p);

/* "auto", "nodes", "cpus".  0, or -1 with EINVAL. */
int placements_unit_parse(const char *name, enum placement_unit *unit, struct wt_error *errp);

#endif
