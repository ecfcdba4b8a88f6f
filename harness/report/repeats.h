/* repeats.h - one summary over repeated runs: mean, standard deviation, 95 % interval (Student's t).  Pure. */
#ifndef WT_HARNESS_REPORT_REPEATS_H
#define WT_HARNESS_REPORT_REPEATS_H

#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

#include "lib/error.h"
#include "harness/report/metrics.h"
#include "lib/stats.h"

struct wt_repeats {
	size_t run_count;
	size_t jobs_submitted, jobs_completed, jobs_missing;	/* sums over the runs */
	struct wt_stats stats[WT_FIG_COUNT];	/* over the runs that have the figure */
	enum wt_kind kinds[WT_FIG_COUNT];
};

/* 0, or -1 with EINVAL (no run; a figure has different kinds in different runs) or ENOMEM. */
int wt_repeats_compute(struct wt_repeats *repeats, const struct wt_metrics *runs, size_t count, struct wt_error *errp);

/* The summary.json over all runs; 'first' is any run's record (nodes, backend, clock, workload).  Figures hold the mean
 * under their usual key, and "spread" an object {mean, sd, ci95, min, max, count} for each.  New reference; NULL with
 * ENOMEM. */
json_t *wt_repeats_json(const struct wt_repeats *repeats, const struct wt_record *first);

/* A table for the terminal.  0, or -1 with ENOMEM. */
int wt_repeats_print(FILE *out, const struct wt_repeats *repeats);

#endif
