/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One row is parsed at a time, into fixed places; the reader collects bytes as they come and cuts them at newlines, so
 * that a file that is still being written is read up to its last whole row. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "record/events_private.h"
#include "lib/str.h"

/* Decimal notation only: strtod alone would take hexadecimal, infinities and blanks. */
static int number_parse(const char *text, double *value)
{
	char *end;

	if (!*text || text[strspn(text, "+-.0123456789eE")])
		return -1;
	*value = strtod(text, &end);
	return *end || !isfinite(*value) ? -1 : 0;
}

static int id_parse(const char *text, uint32_t *id)
{
	uint64_t value;

	*id = WT_EVENT_NO_ID;
	if (!*text)
		return 0;
	if (wt_str_to_u64(text, 0, WT_EVENT_NO_ID - 1, "id", &value, NULL) < 0)
		return -1;
	*id = (uint32_t) value;
	return 0;
}

static int node_parse(const char *text, char *node, size_t size)
{
	size_t len = strlen(text);

	if (len >= size)
		return -1;
	for (size_t i = 0; i < len; i++)
		if (text[i] <= ' ' || text[i] > '~' || text[i] == '"')
			return -1;
	memcpy(node, text, len + 1);
	return 0;
}

static int columns_parse(struct wt_event *event, char *const *c, struct wt_error *errp)
{
	if (number_parse(c[0], &event->time_s) < 0 || event->time_s < 0)
		return wt_error_set(errp, EINVAL, "time_s '%s' is not a time", c[0]);
	if (wt_event_kind_parse(c[1], &event->kind) < 0)
		return wt_error_set(errp, EINVAL, "event '%s' is unknown", c[1]);
	if (!*c[2] || id_parse(c[2], &event->job_id) < 0)
		return wt_error_set(errp, EINVAL, "job_id '%s' is not an id", c[2]);
	if (id_parse(c[3], &event->array_job_id) < 0)
		return wt_error_set(errp, EINVAL, "array_job_id '%s' is not an id", c[3]);
	if (id_parse(c[4], &event->array_task_id) < 0)
		return wt_error_set(errp, EINVAL, "array_task_id '%s' is not an id", c[4]);
	if (node_parse(c[5], event->node, sizeof(event->node)) < 0)
		return wt_error_set(errp, EINVAL, "node '%s' is not a node's name", c[5]);
	event->value = NAN;
	if (*c[6] && number_parse(c[6], &event->value) < 0)
		return wt_error_set(errp, EINVAL, "value '%s' is not a number", c[6]);
	return 0;
}

int wt_event_parse(struct wt_event *event, const char *line, size_t len, struct wt_error *errp)
{
	char text[WT_EVENT_LINE_MAX + 1];
	char *columns[WT_EVENT_COLUMNS], *at = text;
	size_t count = 0;

	if (len > WT_EVENT_LINE_MAX)
		return wt_error_set(errp, EINVAL, "longer than %d bytes", WT_EVENT_LINE_MAX);
	if (memchr(line, '\0', len))
		return wt_error_set(errp, EINVAL, "a NUL byte");
	memcpy(text, line, len);
	text[len] = '\0';
	while (at && count < WT_EVENT_COLUMNS) {
		columns[count++] = strsep(&at, ",");
	}
	if (count < WT_EVENT_COLUMNS || at)
		return wt_error_set(errp, EINVAL, "not %d columns", (int) WT_EVENT_COLUMNS);
	return columns_parse(event, columns, errp);
}

static void id_write(FILE *out, uint32_t id)
{
	putc(',', out);
	if (id != WT_EVENT_NO_ID)
		fprintf(out, "%" PRIu32, id);
}

void wt_event_write(FILE *out, const struct wt_event *event)
{
	fprintf(out, "%.6f,%s", event->time_s, wt_event_kind_name(event->kind));
	id_write(out, event->job_id);
	id_write(out, event->array_job_id);
	id_write(out, event->array_task_id);
	fprintf(out, ",%s,", event->node);
	if (isfinite(event->value))
		fprintf(out, "%.9g", event->value);
	putc('\n', out);
}

struct wt_event_reader {
	char *name;
	char *buf;
	size_t pos, len, size;	/* buf[pos .. len - 1] is not read yet */
	size_t line;		/* 1-based number of the line at pos */
	bool skipping;		/* inside a line whose beginning was too long and is gone */
};

struct wt_event_reader *wt_event_reader_create(const char *name)
{
	struct wt_event_reader *reader = calloc(1, sizeof(*reader));

	if (!reader)
		return NULL;
	reader->line = 1;
	reader->name = strdup(name);
	if (!reader->name) {
		wt_event_reader_destroy(reader);
		return NULL;
	}
	return reader;
}

void wt_event_reader_destroy(struct wt_event_reader *reader)
{
	int saved_errno = errno;

	if (!reader)
		return;
	free(reader->buf);
	free(reader->name);
	free(reader);
	errno = saved_errno;
}

int wt_event_reader_feed(struct wt_event_reader *reader, const char *bytes, size_t len, struct wt_error *errp)
{
	if (!len)
		return 0;
	/* Only now: rows that were handed out may point into it until the next bytes come. */
	if (reader->pos) {
		reader->len -= reader->pos;
		memmove(reader->buf, reader->buf + reader->pos, reader->len);
		reader->pos = 0;
	}
	if (len > reader->size - reader->len) {
		size_t size = 2 * (reader->len + len);
		char *buf = realloc(reader->buf, size);

		if (!buf)
			return wt_error_errno(errp, ENOMEM, "%s", reader->name);
		reader->buf = buf;
		reader->size = size;
	}
	memcpy(reader->buf + reader->len, bytes, len);
	reader->len += len;
	return 0;
}

/* Cut the next line off.  0: its newline has not come yet. */
static int line_cut(struct wt_event_reader *reader, const char **line, size_t *len)
{
	size_t left = reader->len - reader->pos;
	const char *start = left ? reader->buf + reader->pos : NULL;
	const char *end = left ? memchr(start, '\n', left) : NULL;

	if (!end) {
		if (left > WT_EVENT_LINE_MAX) {
			/* What came of the line is dropped, so that a file without newlines does not fill the memory; its
			 * end is noticed later. */
			reader->skipping = true;
			reader->pos = reader->len;
		}
		return 0;
	}
	*line = start;
	*len = (size_t) (end - start);
	reader->pos += *len + 1;
	reader->line++;
	return 1;
}

int event_reader_next_line(struct wt_event_reader *reader, struct wt_event *event, const char **line, size_t *len,
			   struct wt_error *errp)
{
	static const char header[] = WT_EVENTS_HEADER;

	while (line_cut(reader, line, len)) {
		bool skipped = reader->skipping;

		reader->skipping = false;
		if (!skipped && *len == sizeof(header) - 1 && !memcmp(*line, header, *len))
			continue;
		if (skipped)
			wt_error_set(errp, EINVAL, "longer than %d bytes", WT_EVENT_LINE_MAX);
		else if (wt_event_parse(event, *line, *len, errp) == 0)
			return 1;
		return wt_error_prefix(errp, "%s:%zu", reader->name, reader->line - 1);
	}
	return 0;
}

int wt_event_reader_next(struct wt_event_reader *reader, struct wt_event *event, struct wt_error *errp)
{
	const char *line;
	size_t len;

	return event_reader_next_line(reader, event, &line, &len, errp);
}

size_t wt_event_reader_pending(const struct wt_event_reader *reader)
{
	return reader->len - reader->pos;
}
