/* run_set.h - the figures of runs that belong together, read from their summary.json: one run folder, or a folder with run
 * folders 1, 2, ... (as --repeat makes it).  Pure but for the files. */
#ifndef WT_HARNESS_REPORT_RUN_SET_H
#define WT_HARNESS_REPORT_RUN_SET_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "lib/error.h"
#include "harness/report/metrics.h"

struct wt_run_figures {
	unsigned long number;		/* of its folder; 0 of a folder that is the run itself */
	uint64_t seed;
	double values[WT_FIG_COUNT];	/* NAN: not measured */
};

struct wt_run_set {
	char *path;			/* as it was given */
	char *workload, *backend, *clock;	/* of all runs */
	char *slurm;			/* slurmctld's version; NULL: neither scenario.json nor summary.json says it */
	json_t *identity;		/* of their workload: identity.h */
	uint32_t nodes, cpus;
	double time_scale;
	enum wt_kind kinds[WT_FIG_COUNT];
	size_t count, skipped;		/* skipped: runs that failed, were interrupted, or have no summary */
	struct wt_run_figures *runs;	/* by number */
};

/* 0, or -1 with ENOENT (no run that ended well), EINVAL (a summary that is none; runs of one folder that differ in workload,
 * (or its options, or its trace), machine, release of Slurm, clock or the kind of a figure),
 * ENOMEM or the read error.  wt_run_set_clear also
 * after a failure. */
int wt_run_set_read(struct wt_run_set *set, const char *path, struct wt_error *errp);
void wt_run_set_clear(struct wt_run_set *set);

/* One figure of all runs into values[set->count], ordered by seed. */
void wt_run_set_figure(const struct wt_run_set *set, enum wt_figure_id figure, double *values);

#endif
