/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "record/events.h"
#include "record/jobs_csv.h"
#include "lib/fs.h"
#include "lib/json.h"
#include "lib/outfile.h"
#include "harness/report/report.h"
#include "record/series.h"
#include "lib/str.h"
#include "harness/report/summary.h"
#include "record/swf.h"

static int file_write(const char *dir, const char *name, wt_outfile_fn fn, const void *arg, struct wt_error *errp)
{
	char *path = wt_str_format("%s/%s", dir, name);
	int rc = path ? wt_outfile_write(path, fn, arg, errp) : wt_error_errno(errp, ENOMEM, "%s", name);

	free(path);
	return rc;
}

struct events_source {
	const struct wt_record *record;
	const char *path;	/* of the nodes' events, or NULL */
	off_t offset;
	size_t *malformed;
};

static int events_write(FILE *out, const void *arg, struct wt_error *errp)
{
	const struct events_source *source = arg;
	FILE *in = NULL;
	ssize_t malformed = 0;
	int rc = 0;

	if (source->path) {
		in = fopen(source->path, "re");
		if (!in)
			return wt_error_errno(errp, errno, "%s: cannot open", source->path);
		if (fseeko(in, source->offset, SEEK_SET) < 0)
			rc = wt_error_errno(errp, errno, "%s: cannot go to byte %lld", source->path,
					    (long long) source->offset);
	}
	if (rc == 0)
		malformed = wt_events_merge(out, source->record, in, source->path, errp);
	if (in)
		fclose(in);
	if (rc < 0 || malformed < 0)
		return -1;
	*source->malformed = (size_t) malformed;
	return 0;
}

static int summary_write(const char *dir, const struct wt_record *record, const struct wt_metrics *metrics,
			 struct wt_error *errp)
{
	json_t *json = wt_summary_json(record, metrics);
	int rc = json ? file_write(dir, "summary.json", wt_json_write, json, errp) : wt_error_errno(errp, errno,
		"summary.json");

	json_decref(json);
	return rc;
}

int wt_report_write_tables(const char *dir, const struct wt_record *record, const char *node_events,
			   off_t node_events_offset, size_t *malformed, struct wt_str *lost, struct wt_error *errp)
{
	struct events_source events = {
		.record = record, .path = node_events, .offset = node_events_offset, .malformed = malformed,
	};
	/* What a run cannot do without comes first. */
	const struct { const char *name; wt_outfile_fn fn; const void *arg; } files[] = {
		{ "jobs.csv", wt_jobs_csv_write, record }, { "jobs.swf", wt_swf_write, record },
			{ "series.csv", wt_series_write, record },
		{ WT_EVENTS_FILE, events_write, &events },
	};
	struct wt_error error;
	int problem = 0;

	*malformed = 0;
	/* One file that cannot be written (a disk that fills up) keeps none of the others from being written: the
	 * first error is told, and all that are lost are named. */
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (file_write(dir, files[i].name, files[i].fn, files[i].arg, problem ? &error : errp) == 0)
			continue;
		if (lost)
			wt_str_printf(lost, "%s%s", problem ? ", " : "", files[i].name);
		problem = problem ? problem : errno;
	}
	errno = problem;
	return problem ? -1 : 0;
}

int wt_report_write(const char *dir, const struct wt_record *record, const char *node_events, off_t node_events_offset,
		    struct wt_metrics *metrics, struct wt_error *errp)
{
	size_t malformed;

	if (wt_report_write_tables(dir, record, node_events, node_events_offset, &malformed, NULL, errp) < 0 ||
	    wt_metrics_compute(metrics, record, errp) < 0)
		return -1;
	metrics->events_malformed = malformed;
	return summary_write(dir, record, metrics, errp);
}

typedef int (*read_fn)(struct wt_record *record, FILE *in, const char *name, struct wt_error *errp);

static int file_read(const char *dir, const char *name, read_fn fn, struct wt_record *record, struct wt_error *errp)
{
	char *path = wt_str_format("%s/%s", dir, name);
	FILE *in = path ? wt_fs_stream_regular(path, errp) : NULL;
	int rc = in ? fn(record, in, path, errp) : path ? -1 : wt_error_errno(errp, ENOMEM, "%s/%s", dir, name);

	if (in)
		fclose(in);
	free(path);
	return rc;
}

/* A copy of jobs.csv that ended between two lines reads well: summary.json tells how many jobs there were. */
static int jobs_whole(const char *dir, const struct wt_record *record, struct wt_error *errp)
{
	char *path = wt_str_format("%s/summary.json", dir);
	json_t *summary = path ? wt_json_load(path, errp) : NULL;
	json_int_t total = json_integer_value(json_object_get(summary, "jobs_total"));
	int rc = summary ? 0 : path ? -1 : wt_error_errno(errp, ENOMEM, "%s/summary.json", dir);

	if (rc == 0 && total > 0 && record->job_count < (size_t) total)
		rc = wt_error_set(errp, EINVAL, "%s/jobs.csv is not whole: it has %zu jobs, summary.json tells of %lld", dir,
				  record->job_count, (long long) total);
	json_decref(summary);
	free(path);
	return rc;
}

struct wt_record *wt_report_read(const char *dir, struct wt_error *errp)
{
	struct wt_record *record = wt_record_create(NULL, errp);

	if (!record)
		return NULL;
	if (file_read(dir, "summary.json", wt_summary_read, record, errp) == 0 &&
	    file_read(dir, "jobs.csv", wt_jobs_csv_read, record, errp) == 0 && jobs_whole(dir, record, errp) == 0 &&
	    file_read(dir, "series.csv", wt_series_read, record, errp) == 0) {
		if (wt_record_check(record, errp) == 0)
			return record;
		wt_error_prefix(errp, "%s", dir);
	}
	wt_record_destroy(record);
	return NULL;
}
