/* report.h - a run folder's results, written and read back as a whole. */
#ifndef WT_HARNESS_REPORT_REPORT_H
#define WT_HARNESS_REPORT_REPORT_H

#include <sys/types.h>

#include "lib/error.h"
#include "harness/report/metrics.h"
#include "record/record.h"
#include "lib/str.h"

/* Write jobs.csv, jobs.swf, series.csv, events.csv and, last, summary.json into the existing folder 'dir', each whole or not
 * at all.  'node_events' is the nodes' events.csv, read from byte 'node_events_offset' (where the run began) on, or NULL: a
 * cluster whose nodes' side is not visible.  *metrics is filled as well; lines of 'node_events' that cannot be read are left
 * out and counted there, the first with its place in *errp.  Written also when jobs are missing: see wt_record_accounted.
 * 0, or -1. */
int wt_report_write(const char *dir, const struct wt_record *record, const char *node_events, off_t node_events_offset,
		    struct wt_metrics *metrics, struct wt_error *errp);

/* All of these but summary.json.  A file that cannot be written does not cost those behind it: *lost, if not NULL, gets the
 * names of those that were not ("series.csv, events.csv"), *errp the first reason.  *malformed is as above.  0, or -1. */
int wt_report_write_tables(const char *dir, const struct wt_record *record, const char *node_events,
			   off_t node_events_offset, size_t *malformed, struct wt_str *lost, struct wt_error *errp);

/* The record of a run folder: summary.json, jobs.csv and series.csv; wt_metrics_compute gives its figures again, to the
 * microsecond.  wt_record_destroy frees.  NULL with EINVAL ("FILE:LINE: ...", or jobs.csv has not the jobs that summary.json
 * tells of), ENOMEM or what open () said. */
struct wt_record *wt_report_read(const char *dir, struct wt_error *errp);

#endif
