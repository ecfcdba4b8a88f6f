/* cost_run.h - what the nodes of a run did and cost: its record, its power.csv and the tariffs brought together.
 *
 * The run's time is from its first submission to the last end of a job, or the release of its last node.  A node is busy
 * from a job's start to the job's release (its end, where releases are not visible): of a job that was requeued, its last
 * life counts.
 * Nodes are those with rows in power.csv, those that jobs had, and as many more, on all the time, as the partition has.
 * Pure but for the files. */
#ifndef WT_HARNESS_COST_COST_RUN_H
#define WT_HARNESS_COST_COST_RUN_H

#include <jansson.h>

#include "harness/cost/bill.h"
#include "record/record.h"

/* Jobs' nodes in all: so many take some 300 MB; a run with more is not looked at. */
#define COST_NODES_MAX 6000000
#define COST_NAMES_MAX 1000000	/* of nodes: far more than Slurm has */

struct cost_run {
	struct wt_power_log power;	/* names: all nodes that are known by name */
	struct cost_span window;
	struct cost_span *busy;		/* by node, then by beginning */
	size_t busy_count;
	size_t *busy_first;		/* [power.name_count + 1]: a node's are those before the next node's */
	size_t *row_first;		/* the same of power.rows */
	uint32_t others;		/* nodes without a name */
};

/* Takes over 'power' (which may be empty), also after a failure.  0; -1 with EINVAL (no job has ended: there is no time to
 * look at; a node list that is none; a class has a node that the machine has not), E2BIG or ENOMEM.  cost_run_clear () in
 * any case. */
int cost_run_make(struct cost_run *run, const struct wt_record *record, const struct cost_settings *settings,
		  struct wt_power_log *power, struct wt_error *errp);
void cost_run_clear(struct cost_run *run);

/* Read DIR/power.csv; a folder without one has an empty log.  0, or -1; clear the log in any case. */
int cost_power_read(const char *dir, struct wt_power_log *log, struct wt_error *errp);

/* Node 'at' of those with names; what it points to is the run's. */
struct cost_node cost_run_node(const struct cost_run *run, uint32_t at);

/* Sums of each class of the settings (those that the run was made with), sums[class_count], or sums[1] without any.  0, or
 * -1 with ENOMEM. */
int cost_run_bill(const struct cost_run *run, const struct cost_settings *settings, struct cost_sums *sums,
		  struct wt_error *errp);

/* Fill record->costs with the sums over all classes. */
void cost_figures_fill(struct wt_record *record, const struct cost_settings *settings, const struct cost_sums *sums);

/* summary.json's object "costs".  New reference; NULL with ENOMEM. */
json_t *cost_json(const struct cost_run *run, const struct cost_settings *settings, const struct cost_sums *sums);

#endif
