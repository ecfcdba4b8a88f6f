/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

/* The text of all rows in one block, and for each row its time and place: sorting moves 32 bytes a row. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/events_private.h"

struct event_row {
	double time_s;
	size_t order;
	size_t at, len;
};

struct rows {
	struct event_row *rows;
	size_t count, size;
	char *text;
	size_t text_len, text_size;
	ssize_t malformed;
};

static int rows_reserve(struct rows *r, size_t len)
{
	if (r->count == r->size) {
		size_t size = r->size ? 2 * r->size : 1024;
		struct event_row *rows = reallocarray(r->rows, size, sizeof(*rows));

		if (!rows)
			return -1;
		r->rows = rows;
		r->size = size;
	}
	if (len > r->text_size - r->text_len) {
		size_t size = 2 * (r->text_len + len) + 65536;
		char *text = realloc(r->text, size);

		if (!text)
			return -1;
		r->text = text;
		r->text_size = size;
	}
	return 0;
}

static int row_add(struct rows *r, double time_s, const char *line, size_t len)
{
	if (rows_reserve(r, len) < 0)
		return -1;
	r->rows[r->count] = (struct event_row) { .time_s = time_s, .order = r->count, .at = r->text_len, .len = len };
	memcpy(r->text + r->text_len, line, len);
	r->text_len += len;
	r->count++;
	return 0;
}

static int submission_add(struct rows *r, const struct wt_job_record *job)
{
	struct wt_event event = {
		.time_s = job->submit_s, .kind = WT_EVENT_SUBMIT, .job_id = job->job_id,
		.array_job_id = WT_EVENT_NO_ID, .array_task_id = WT_EVENT_NO_ID, .value = job->submit_latency_s,
	};
	char line[WT_EVENT_LINE_MAX];
	FILE *out = fmemopen(line, sizeof(line), "w");
	long len;

	if (!out)
		return -1;
	wt_event_write(out, &event);
	len = ftell(out) - 1;	/* without the newline */
	if (fclose(out) || len < 0)
		return -1;
	return row_add(r, event.time_s, line, (size_t) len);
}

static int lines_take(struct rows *r, struct wt_event_reader *reader, struct wt_error *errp)
{
	struct wt_event event;
	const char *line;
	size_t len;
	int rc;

	while ((rc = event_reader_next_line(reader, &event, &line, &len, r->malformed ? NULL : errp)) != 0) {
		if (rc < 0)
			r->malformed++;
		else if (row_add(r, event.time_s, line, len) < 0)
			return wt_error_errno(errp, ENOMEM, "events");
	}
	return 0;
}

static int file_add(struct rows *r, FILE *in, const char *name, struct wt_error *errp)
{
	struct wt_event_reader *reader = wt_event_reader_create(name);
	char chunk[65536];
	size_t got;
	int rc = reader ? 0 : wt_error_errno(errp, ENOMEM, "%s", name);

	errno = 0;
	while (rc == 0 && (got = fread(chunk, 1, sizeof(chunk), in)) > 0) {
		rc = wt_event_reader_feed(reader, chunk, got, errp);
		if (rc == 0)
			rc = lines_take(r, reader, errp);
	}
	if (rc == 0 && ferror(in))
		rc = wt_error_errno(errp, errno ? errno : EIO, "%s: cannot read", name);
	wt_event_reader_destroy(reader);
	return rc;
}

/* qsort (3) keeps no order among equals: the place in which they came decides. */
static int row_compare(const void *a, const void *b)
{
	const struct event_row *x = a, *y = b;

	if (x->time_s != y->time_s)
		return x->time_s < y->time_s ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static void rows_write(const struct rows *r, FILE *out)
{
	fputs(WT_EVENTS_HEADER "\n", out);
	for (size_t i = 0; i < r->count; i++) {
		fwrite(r->text + r->rows[i].at, 1, r->rows[i].len, out);
		putc('\n', out);
	}
}

ssize_t wt_events_merge(FILE *out, const struct wt_record *record, FILE *node_events, const char *name,
			struct wt_error *errp)
{
	struct rows r = { 0 };
	int rc = 0;

	/* A submission without a time is no event: "nan" would be a row that no reader takes, and sort nowhere. */
	for (size_t i = 0; i < record->job_count && rc == 0; i++)
		if (record->jobs[i].job_id && isfinite(record->jobs[i].submit_s) && submission_add(&r, &record->jobs[i]) < 0)
			rc = wt_error_errno(errp, ENOMEM, "events");
	if (rc == 0 && node_events)
		rc = file_add(&r, node_events, name, errp);
	if (rc == 0) {
		if (r.count)
			qsort(r.rows, r.count, sizeof(*r.rows), row_compare);
		rows_write(&r, out);
		if (ferror(out))
			rc = wt_error_errno(errp, errno ? errno : EIO, "events");
	}
	free(r.rows);
	free(r.text);
	return rc < 0 ? -1 : r.malformed;
}
