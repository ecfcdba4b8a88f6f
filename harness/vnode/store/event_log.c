/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/vnode/store/event_log.h"

#define FIRST_CAPACITY 65536

struct event_log {
	int fd;
	char *path;
	const char *header;	/* a literal */
	char *text;
	size_t len, capacity;
	size_t seen;		/* bytes of 'text' that event_log_new () has returned */
	uint64_t offset;	/* in the file, of the first byte of 'text' */
	uint64_t lost;		/* rows for which there was no memory */
};

static int header_write(struct event_log *events, struct wt_error *errp)
{
	off_t size = lseek(events->fd, 0, SEEK_END);
	size_t len = strlen(events->header), have = size > 0 ? (size_t) size : 0;

	if (size < 0)
		return wt_error_errno(errp, errno, "%s", events->path);
	/* A process that was killed may have written a part of it.  In a loop: a disk that becomes full takes a part without
	 * an error, and says why at the next call. */
	while (have < len) {
		ssize_t n = write(events->fd, events->header + have, len - have);

		if (n < 0 && errno != EINTR)
			return wt_error_errno(errp, errno, "%s", events->path);
		have += n > 0 ? (size_t) n : 0;
	}
	events->offset = have;
	return 0;
}

struct event_log *event_log_open(const char *path, const char *header, struct wt_error *errp)
{
	struct event_log *events = calloc(1, sizeof(*events));

	if (!events || !(events->path = strdup(path))) {
		free(events);
		wt_error_errno(errp, ENOMEM, "%s", path);
		return NULL;
	}
	events->header = header;
	/* A process that is started again goes on behind the rows of the one before. */
	events->fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
	if (events->fd < 0)
		wt_error_errno(errp, errno, "%s", path);
	if (events->fd < 0 || header_write(events, errp) < 0) {
		event_log_close(events, NULL);
		return NULL;
	}
	return events;
}

static void written(struct event_log *events, size_t done)
{
	events->len -= done;
	events->seen = events->seen > done ? events->seen - done : 0;
	events->offset += done;
}

bool event_log_waiting(const struct event_log *events)
{
	return events->len > 0 || events->lost > 0;
}

int event_log_flush(struct event_log *events, struct wt_error *errp)
{
	size_t done = 0;

	while (done < events->len) {
		ssize_t n = write(events->fd, events->text + done, events->len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int error = errno;

			/* What was written must not be written again when the disk has room. */
			memmove(events->text, events->text + done, events->len - done);
			written(events, done);
			return wt_error_errno(errp, error, "%s", events->path);
		}
		done += (size_t) n;
	}
	written(events, done);
	/* Told once, and only now: rows without memory are no reason to keep back those that there are. */
	if (events->lost) {
		wt_error_set(errp, ENOMEM, "%s: %" PRIu64 " rows lost: no memory", events->path, events->lost);
		events->lost = 0;
		return -1;
	}
	return 0;
}

int event_log_close(struct event_log *events, struct wt_error *errp)
{
	int rc = 0, saved_errno;

	if (!events)
		return 0;
	if (events->fd >= 0) {
		rc = event_log_flush(events, errp);
		/* The caller asks why rows could not be written, not what close () said of it. */
		saved_errno = errno;
		close(events->fd);
		errno = saved_errno;
	}
	saved_errno = errno;
	free(events->path);
	free(events->text);
	free(events);
	errno = saved_errno;
	return rc;
}

static int number_text(char *text, size_t size, bool known, uint32_t number)
{
	return known ? snprintf(text, size, ",%" PRIu32, number) : snprintf(text, size, ",");
}

static int value_text(char *text, size_t size, double value)
{
	if (isnan(value))
		return snprintf(text, size, ",\n");
	/* Numbers of nodes and statuses have no fraction; the seconds of a probe have one, to the microsecond. */
	if (value == floor(value))
		return snprintf(text, size, ",%.0f\n", value);
	return snprintf(text, size, ",%.6f\n", value);
}

static bool reserve(struct event_log *events, size_t need)
{
	size_t capacity = events->capacity ? events->capacity * 2 + need : FIRST_CAPACITY + need;
	char *text;

	if (events->len + need <= events->capacity)
		return true;
	text = realloc(events->text, capacity);
	if (!text)
		return false;
	events->text = text;
	events->capacity = capacity;
	return true;
}

void event_log_add(struct event_log *events, int64_t time_us, const char *event, uint32_t job_id, uint32_t array_job_id,
		   uint32_t array_task_id, const char *node, double value)
{
	/* 128 bytes hold a time, three numbers and such a value as events have: nodes, statuses, seconds. */
	size_t need = 128 + strlen(event) + (node ? strlen(node) : 0);
	char *at, *end;

	if (!reserve(events, need)) {
		events->lost++;
		return;
	}
	at = events->text + events->len;
	end = events->text + events->capacity;
	at += snprintf(at, (size_t) (end - at), "%" PRId64 ".%06d,%s", time_us / 1000000, (int) (time_us % 1000000), event);
	at += number_text(at, (size_t) (end - at), job_id, job_id);
	at += number_text(at, (size_t) (end - at), array_job_id, array_job_id);
	at += number_text(at, (size_t) (end - at), array_job_id && array_task_id != UINT32_MAX, array_task_id);
	at += snprintf(at, (size_t) (end - at), ",%s", node ? node : "");
	at += value_text(at, (size_t) (end - at), value);
	events->len = (size_t) (at - events->text);
}

void event_log_add_row(struct event_log *events, const char *row)
{
	size_t len = strlen(row);

	if (!reserve(events, len)) {
		events->lost++;
		return;
	}
	memcpy(events->text + events->len, row, len);
	events->len += len;
}

const char *event_log_new(struct event_log *events, size_t *len, uint64_t *offset)
{
	size_t seen = events->seen;

	*len = events->len - seen;
	*offset = events->offset + seen;
	events->seen = events->len;
	return *len ? events->text + seen : "";
}

long event_log_restore(struct event_log *events, uint64_t offset, const char *text, size_t len, struct wt_error *errp)
{
	uint64_t end = events->offset + events->len;
	size_t known;

	/* events.csv was shortened or replaced meanwhile: rows behind a gap would be rows of nothing. */
	if (offset > end)
		return wt_error_set(errp, EINVAL, "%s: rows are missing behind byte %" PRIu64, events->path, end);
	/* All of them stand in the file: they were flushed before the process died. */
	if (end - offset >= len)
		return 0;
	known = (size_t) (end - offset);
	if (!reserve(events, len - known))
		return wt_error_errno(errp, ENOMEM, "%s", events->path);
	memcpy(events->text + events->len, text + known, len - known);
	events->len += len - known;
	/* They came out of the journal, and need not go into it again. */
	events->seen = events->len;
	return (long) (len - known);
}
