/* placement.h - how well a run's jobs were placed in its tree of switches, and how scattered the free room was.
 *
 * The figures are those of "windtunnel topology score" on the same folder: the same readers (harness/placement) and the same
 * replay (topology/replay.h), by topology.conf in the folder.
 *
 * Fragmentation, by our own definition: at a moment, how many leaf switches have free room, beside the least number of leaf
 * switches that could hold as much of it, on an idle machine.  They are equal where the free room is in one piece; each
 * switch more is one that a job which takes all of it would touch in vain.  A node is free when it was released, so a
 * completing one is not; the unit is the score's: nodes, or CPUs where nodes are shared.  Taken at PLACEMENT_MOMENTS moments
 * at equal distances.  Not locked: one thread at a time. */
#ifndef WT_HARNESS_PAGE_PLACEMENT_H
#define WT_HARNESS_PAGE_PLACEMENT_H

#include "harness/page/page.h"
#include "topology/replay.h"

#define PLACEMENT_MOMENTS   600
/* Of all jobs together, each node of each job counted: it takes 12 bytes of memory, or 16 where CPUs are counted, so that
 * all stay below 1 GiB; of more nothing is there. */
#define PLACEMENT_NODES_MAX 60000000

struct placement {
	bool there; /* all below; else the folder has no tree, or 'why.text' says what is in the way */
	struct wt_error why;
	bool cpus; /* the unit; else whole nodes */
	size_t without_nodes, assumed; /* see placements.h */
	struct wt_replay_result result;
	double *times; /* [time_count], rising: leaf switches that a job touched over the least that it could */
	size_t time_count;
	double period_s; /* of the moments: from 0 to there */
	uint32_t scattered[PLACEMENT_MOMENTS], least[PLACEMENT_MOMENTS]; /* leaf switches */
};

/* Of a run without a tree: nothing is there, and that is no failure.  0, or -1 with ENOMEM; placement_clear () in any case.
 */
int placement_read(struct placement *p, const struct page_run *run, struct wt_error *errp);
void placement_clear(struct placement *p);

/* Switches of that level that a job touches on average; the least by its size, and by what was free. */
double placement_touched(const struct placement *p, uint32_t level);
double placement_absolute(const struct placement *p, uint32_t level);
double placement_relative(const struct placement *p, uint32_t level);

#endif
