/* ledger_private.h - the parts of the ledger share these: its entries as only they see them. */
#ifndef WT_HARNESS_RUN_LEDGER_PRIVATE_H
#define WT_HARNESS_RUN_LEDGER_PRIVATE_H

#include "harness/run/ledger.h"
#include "harness/run/pending.h"
#include "topology/name_index.h"

struct wt_entry {
	enum wt_entry_phase phase;
	bool ended;		/* final state, and no node is completing any more */
	bool begun;		/* seen with an allocation */
	bool cpus_asked;	/* a view with details has shown this allocation */
	unsigned int resubmissions;
	unsigned int absent;	/* views in a row that did not show it, while it is open */
	size_t open_place;	/* in the ledger's open, from 1; 0: it is not open */
	double sent_s, seen_s;	/* last attempt; last view that showed it (or its acceptance) */
	int64_t boot_at_send_s;	/* the controller's start as known when it was sent; 0: not known */
	uint32_t array_job_id;	/* of a task: its array's; its own id is known (else 0) when slurmctld has given it one */
	uint32_t restarts;	/* requeued so often (Slurm's count) */
	char *problem;		/* why it is UNSURE, REFUSED or MISSING; NULL */
	struct wt_pending pending;	/* of the latest submission */
};

struct wt_ledger {
	struct name_index index;	/* name -> record */
	size_t count;
	/* Kept with each change, as a look at each entry of a year's jobs takes longer than all else between two views. */
	struct wt_ledger_counts counts;
	size_t lost, settled;	/* entries that are to be submitted again; that have ended, or never will */
	size_t *open;		/* entries that slurmctld should know and that have not ended, in no order */
	size_t open_count;
	struct wt_entry *entries;	/* one for each job of the workload, in its order */
	struct wt_record *record;
	struct wt_job_record *records;	/* record->jobs: the same order; the ledger fills them */
	struct wt_ledger_state state;
	int64_t boot_s;		/* the controller's start as last heard; 0: not yet */
	double asked_s;		/* of the view being read */
};

/* The job has nodes in this view. */
bool ledger_allocated(const struct wt_ledger_view *v);

/* Only details tell how many CPUs it has on each node, and they have not been asked for yet. */
bool ledger_allocation_wants_cpus(const struct wt_entry *e, const struct wt_job_record *r, const struct wt_ledger_view *v);

/* Keep its nodes; e->restarts is still that of the last view. */
void ledger_allocation_note(struct wt_entry *e, struct wt_job_record *r, const struct wt_ledger_view *v);

/* Keep whose it is, its GPUs and for what it waits. */
void ledger_facts_note(struct wt_entry *e, struct wt_job_record *r, const struct wt_ledger_view *v, double asked_s);

#endif
