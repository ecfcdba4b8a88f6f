/* run_metrics.h - the figures of runs, and histograms over their jobs, as OpenMetrics text.
 *
 * Each metric has the label "run": the path as it was given, with the run's id behind it where that would not tell two runs
 * apart.  Figures of summary.json are gauges in base units (seconds, bytes, ratios) with their kind as a label; what is not
 * known is not there.  All samples have the time of the run's last event, by the run's clock, where summary.json tells when
 * the run began. */
#ifndef WT_HARNESS_EXPORT_RUN_METRICS_H
#define WT_HARNESS_EXPORT_RUN_METRICS_H

#include "harness/page/page.h"

/* For wt_outfile_write: 'input' is a struct page_input *.  0 (look at ferror), or -1 with ENOMEM. */
int run_metrics_write(FILE *out, const void *input, struct wt_error *errp);

#endif
