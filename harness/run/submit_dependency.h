/* submit_dependency.h - a job's dependencies with the ids that slurmctld has given. */
#ifndef WT_HARNESS_RUN_SUBMIT_DEPENDENCY_H
#define WT_HARNESS_RUN_SUBMIT_DEPENDENCY_H

#include "harness/run/ledger.h"
#include "lib/error.h"
#include "workload/workload.h"

enum wt_depends {
	WT_DEPENDS_READY,	/* *text is malloc'ed, or NULL: on nothing */
	WT_DEPENDS_WAITS,	/* slurmctld has not answered yet for one that it depends on */
	WT_DEPENDS_LOST,	/* one that it depends on was refused, or is missing: *errp says which */
};

/* Under the ledger's lock. */
enum wt_depends wt_submit_dependency(struct wt_ledger *ledger, const struct wt_job *job, char **text, struct wt_error *errp);

/* The same for job->waits_for. */
enum wt_depends wt_submit_waits(struct wt_ledger *ledger, const struct wt_workload *workload, const struct wt_job *job,
				char **text, struct wt_error *errp);

#endif
