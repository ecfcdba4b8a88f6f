/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Placements from a run folder: which job had which nodes from jobs.csv, when each node was released from events.csv. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/placement/placements_reader.h"
#include "record/events.h"
#include "record/jobs_csv.h"
#include "lib/fs.h"
#include "lib/str.h"
#include "harness/report/summary.h"

#define CLOCK_SLACK_S 1e-3	/* a release may carry the time of its job's start */

static int jobs_read(struct raw *raw, const struct wt_record *record, size_t *place, struct wt_error *errp)
{
	for (size_t i = 0; i < record->job_count; i++) {
		const struct wt_job_record *from = &record->jobs[i];
		double end_s = isfinite(from->release_s) ? from->release_s : from->end_s;
		struct raw_job *j;

		place[i] = SIZE_MAX;
		if (!from->node_list || !from->node_list[0] || !isfinite(from->start_s)) {
			raw->without_nodes++;
			continue;
		}
		j = raw_add(raw, from->node_list, from->node_cpus, from->start_s, isfinite(end_s) ? end_s : INFINITY, errp);
		if (!j)
			return wt_error_prefix(errp, "jobs.csv: job %u", from->job_id);
		j->job_id = from->job_id;
		j->whole = from->nodes > 0;
		/* A job of whole nodes has all of their CPUs, however many it asked for. */
		j->job.units = from->nodes ? from->alloc_cpus : from->cpus;
		if (!j->job.units)
			j->job.units = from->cpus;
		place[i] = raw->count - 1;
	}
	return 0;
}

/* Set when the node of this event was released; an earlier run of a requeued job does not count. */
static void release_apply(struct raw *raw, const struct wt_record *record, const size_t *place,
			  const struct wt_event *event)
{
	const struct wt_job_record *of = wt_record_find(record, event->job_id);
	uint32_t node = wt_tree_node_find(raw->tree, event->node), *found;
	struct wt_replay_job *j;

	if (!of || place[of - record->jobs] == SIZE_MAX || node == WT_TREE_NONE)
		return;
	j = &raw->jobs[place[of - record->jobs]].job;
	/* Sorted by raw_add (). */
	found = bsearch(&node, j->nodes, j->node_count, sizeof(node), wt_tree_node_order);
	if (found && event->time_s >= j->start_s - CLOCK_SLACK_S)
		((double *) j->release_s)[found - j->nodes] = event->time_s;
}

static int events_read(struct raw *raw, const struct wt_record *record, const size_t *place, FILE *in, const char *path,
		       struct wt_error *errp)
{
	struct wt_event_reader *reader = wt_event_reader_create(path);
	struct wt_event event;
	char bytes[65536];
	size_t len;
	int rc = reader ? 0 : wt_error_errno(errp, ENOMEM, "%s", path);

	while (rc == 0 && (len = fread(bytes, 1, sizeof(bytes), in)) > 0) {
		rc = wt_event_reader_feed(reader, bytes, len, errp);
		while (rc == 0 && (rc = wt_event_reader_next(reader, &event, errp)) > 0) {
			rc = 0;
			if (event.kind == WT_EVENT_RELEASE)
				release_apply(raw, record, place, &event);
		}
	}
	if (rc == 0 && ferror(in))
		rc = wt_error_errno(errp, errno, "%s", path);
	wt_event_reader_destroy(reader);
	return rc;
}

/* A run on a real cluster has no events of its nodes: the ends from jobs.csv stand. */
static int releases_read(struct raw *raw, const struct wt_record *record, const size_t *place, const char *dir,
			 struct wt_error *errp)
{
	char *path = wt_str_format("%s/" WT_EVENTS_FILE, dir);
	FILE *in = path ? wt_fs_stream_regular(path, errp) : NULL;
	int rc = 0;

	if (!path)
		return wt_error_errno(errp, ENOMEM, "%s", dir);
	if (in)
		rc = events_read(raw, record, place, in, path, errp);
	else if (errno != ENOENT)
		rc = -1;
	if (in)
		fclose(in);
	free(path);
	return rc;
}

typedef int (*record_read)(struct wt_record *record, FILE *in, const char *name, struct wt_error *errp);

static int file_read(const char *dir, const char *name, record_read read, struct wt_record *record, struct wt_error *errp)
{
	char *path = wt_str_format("%s/%s", dir, name);
	FILE *in = path ? wt_fs_stream_regular(path, errp) : NULL;
	int rc = in ? read(record, in, path, errp) : path ? -1 : wt_error_errno(errp, ENOMEM, "%s/%s", dir, name);

	if (in)
		fclose(in);
	free(path);
	return rc;
}

/* Not wt_report_read (): placements do not need the series, which other versions wrote with other columns. */
int raw_read_folder(struct raw *raw, const char *dir, struct wt_error *errp)
{
	struct wt_record *record = wt_record_create(NULL, errp);
	size_t *place;
	int rc;

	if (!record)
		return -1;
	if (file_read(dir, "summary.json", wt_summary_read, record, errp) < 0 ||
	    file_read(dir, "jobs.csv", wt_jobs_csv_read, record, errp) < 0) {
		wt_record_destroy(record);
		return -1;
	}
	raw->begin_s = record->begin_s;
	raw->cpus_per_node = record->nodes ? record->cpus / record->nodes : 0;
	place = calloc(record->job_count + 1, sizeof(*place));
	rc = place ? jobs_read(raw, record, place, errp) : wt_error_errno(errp, ENOMEM, "%s", dir);
	if (rc == 0)
		rc = releases_read(raw, record, place, dir, errp);
	if (rc == 0)
		rc = raw_read_order(raw, dir, errp);	/* after 'place' has served */
	free(place);
	wt_record_destroy(record);
	return rc;
}
