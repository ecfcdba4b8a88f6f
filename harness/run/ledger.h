/* ledger.h - which jobs a run has submitted, and what is known of each: nothing is lost, nothing is submitted twice.
 *
 * Pure: no Slurm, no clock, no lock (the run holds one mutex around it).  Times are seconds since the epoch (double,
 * suffix _s).  A job is recognised by the run's tag (its comment) and its name; ids may be given again after a controller's
 * crash, names within a run are unique.
 *
 * The life of an entry: WAITING -> SENDING -> ACCEPTED -> (final state) or
 *   SENDING -> UNSURE    the reply did not come: the controller may have the job.  It is adopted when a view shows it, and
 *                        goes back to WAITING only when the controller has restarted since and does not know it.
 *   ACCEPTED -> LOST     the controller restarted and does not know the job any more, although it had not ended so long ago
 *                        that it could have been purged (MinJobAge): it is submitted once more, and that is recorded.
 *   ACCEPTED -> MISSING  not known, and no record says what became of it: the run fails and names it.
 *   SENDING -> REFUSED   the controller said no. */
#ifndef WT_HARNESS_RUN_LEDGER_H
#define WT_HARNESS_RUN_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/error.h"
#include "record/record.h"
#include "workload/workload.h"

enum wt_entry_phase {
	WT_ENTRY_WAITING, WT_ENTRY_SENDING, WT_ENTRY_UNSURE, WT_ENTRY_ACCEPTED, WT_ENTRY_LOST, WT_ENTRY_MISSING,
	WT_ENTRY_REFUSED,
};

struct wt_ledger;

struct wt_entry_state {		/* of one job of the workload */
	enum wt_entry_phase phase;
	bool ended;		/* final state, and no node is completing any more */
	const char *problem;	/* why it is UNSURE, REFUSED or MISSING, until the entry changes; NULL */
};

struct wt_ledger_state {
	double first_sent_s;	/* NAN before */
	double progress_s;	/* last time anything changed */
	uint64_t duplicates;	/* jobs of this run that slurmctld has twice: must stay 0 */
};

struct wt_ledger_view {		/* one job of this run as slurmctld shows it */
	uint32_t job_id;	/* 0: a task of an array that waits among others */
	uint32_t array_job_id;	/* of a task; else 0 */
	const char *name;
	enum wt_job_state state;
	bool completing;
	uint32_t exit_code, alloc_cpus, alloc_nodes, restarts;
	double start_s, end_s;	/* NAN where there is none */
	const char *node_list;	/* NULL or all allocated nodes; ignored while completing */
	const int32_t *node_pairs;	/* the same as index pairs ended by -1, or NULL */
	bool detailed;		/* slurmctld was asked for details, and */
	const char *node_cpus;	/* said this of the CPUs on each node (node_cpus.h); NULL: nothing */
	const char *partition, *account, *user, *qos;	/* foreign text, or NULL: not told */
	uint32_t alloc_gpus;	/* WT_GPUS_UNKNOWN; of a job that has, or had, nodes */
	const char *pending_reason;	/* NULL: not told; of a job that waits */
};

struct wt_ledger_counts {
	size_t submitted, pending, running, completing, ended, completed, refused, missing, unsure, resubmitted;
};

/* The workload must outlive the ledger.  NULL with errno ENOMEM. */
struct wt_ledger *wt_ledger_create(const struct wt_workload *workload);
void wt_ledger_destroy(struct wt_ledger *l);	/* NULL is ignored; errno is preserved */

/* When the controller was started, as heard before the first submission. */
void wt_ledger_boot_note(struct wt_ledger *l, int64_t boot_s);

void wt_ledger_sending(struct wt_ledger *l, size_t i, double now_s);
void wt_ledger_accepted(struct wt_ledger *l, size_t i, uint32_t job_id, double now_s);
/* The same of a task of an array, which has no id of its own yet. */
void wt_ledger_task_accepted(struct wt_ledger *l, size_t i, uint32_t array_job_id, double now_s);
/* The id for which others wait when they wait for this job, or for the array whose task it is; 0: none yet. */
uint32_t wt_ledger_waited_id(const struct wt_ledger *l, size_t i);
void wt_ledger_unsure(struct wt_ledger *l, size_t i, const char *problem, double now_s);
void wt_ledger_refused(struct wt_ledger *l, size_t i, const char *problem, double now_s);
void wt_ledger_unsent(struct wt_ledger *l, size_t i);	/* certainly not delivered: SENDING -> WAITING */

/* One complete list of the controller's jobs: begin, show each of this run's jobs, end.  'asked_s' is when the list was
 * asked for: a job accepted later need not be in it. */
void wt_ledger_view_begin(struct wt_ledger *l, double asked_s);
void wt_ledger_view_show(struct wt_ledger *l, const struct wt_ledger_view *view);
/* Only details tell how many CPUs this allocation has on each node, and they have not been asked for yet: not of one node,
 * nor of whole nodes. */
bool wt_ledger_wants_cpus(struct wt_ledger *l, const struct wt_ledger_view *view);
/* Entries that this view should have shown and did not: the caller finds out when the controller started. */
bool wt_ledger_view_suspicious(const struct wt_ledger *l);
void wt_ledger_view_end(struct wt_ledger *l, int64_t boot_s, uint32_t min_job_age_s, double now_s);

struct wt_entry_state wt_ledger_entry_look(const struct wt_ledger *l, size_t i);	/* the workload's job 'i' */
/* For what it waits in slurmctld's queue, in Slurm's words; NULL: it does not, or that is not known.  Until the next
 * change. */
const char *wt_ledger_waits_for(const struct wt_ledger *l, size_t i);
struct wt_ledger_state wt_ledger_look(const struct wt_ledger *l);

/* What is known of the jobs, in the workload's order.  It is the ledger's, which fills it; NULL once it was taken. */
struct wt_record *wt_ledger_record_look(const struct wt_ledger *l);

/* The entry of the job with this name, or -1. */
ssize_t wt_ledger_find(struct wt_ledger *l, const char *name);

/* The first entry that is to be submitted again, or -1. */
ssize_t wt_ledger_next_lost(const struct wt_ledger *l);

/* Every entry has ended, or never will (REFUSED, MISSING). */
bool wt_ledger_settled(const struct wt_ledger *l);
struct wt_ledger_counts wt_ledger_count(const struct wt_ledger *l);

/* The record with every job's fate as the controller told it, its jobs findable by id.  The caller owns it; the ledger can
 * then only be destroyed.  NULL with ENOMEM. */
struct wt_record *wt_ledger_take_record(struct wt_ledger *l, struct wt_error *errp);

#endif
