/* summary.h - summary.json and the summary on the terminal.  Pure. */
#ifndef WT_HARNESS_REPORT_SUMMARY_H
#define WT_HARNESS_REPORT_SUMMARY_H

#include <stdio.h>

#include <jansson.h>

#include "lib/error.h"
#include "harness/report/metrics.h"
#include "record/record.h"

/* Keys: nodes, cpus, backend, clock, workload, seed (a string when above 2^53), time_scale, begin_s, jobs_total,
 * jobs_submitted, jobs_completed, jobs_missing, jobs_by_state {STATE: count}, missing [names], probes_failed,
 * events_malformed, bounded_slowdown_threshold_s, every figure under its key (null when not measured) and kinds {figure's
 * key: kind}.  New reference; NULL with ENOMEM. */
json_t *wt_summary_json(const struct wt_record *record, const struct wt_metrics *metrics);

/* Indented, keys in this order, a newline at the end; for wt_outfile_write: 'arg' is a json_t *. */
int wt_json_write(FILE *out, const void *json, struct wt_error *errp);

/* An aligned table for the terminal.  0, or -1 with ENOMEM. */
int wt_summary_print(FILE *out, const struct wt_record *record, const struct wt_metrics *metrics);

/* Take from a summary.json's text what jobs.csv and series.csv do not hold (cluster, clock, seed, begin_s, ideal_s, wall_s
 * ...). 'name' is for messages.  0, or -1 with EINVAL or ENOMEM. */
int wt_summary_read(struct wt_record *record, FILE *in, const char *name, struct wt_error *errp);

#endif
