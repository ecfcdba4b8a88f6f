/* ledger_private.h - the parts of the ledger share these. */
#ifndef WT_HARNESS_RUN_LEDGER_PRIVATE_H
#define WT_HARNESS_RUN_LEDGER_PRIVATE_H

#include "harness/run/ledger.h"

/* The job has nodes in this view. */
bool ledger_allocated(const struct wt_ledger_view *v);

/* Only details tell how many CPUs it has on each node, and they have not been asked for yet. */
bool ledger_allocation_wants_cpus(const struct wt_entry *e, const struct wt_job_record *r, const struct wt_ledger_view *v);

/* Keep its nodes; e->restarts is still that of the last view. */
void ledger_allocation_note(struct wt_entry *e, struct wt_job_record *r, const struct wt_ledger_view *v);

/* Keep whose it is, its GPUs and for what it waits. */
void ledger_facts_note(struct wt_entry *e, struct wt_job_record *r, const struct wt_ledger_view *v, double asked_s);

#endif
