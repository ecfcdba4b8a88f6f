/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fs.h"
#include "lib/str.h"
#include "record/power_log.h"

#define LINE_MAX_BYTES 1024
#define NAME_MAX_BYTES 255

struct named {			/* of the tree by_name */
	const char *name;	/* first: what names are compared by; the log's */
	uint32_t number;
};

static int named_compare(const void *a, const void *b)
{
	return strcmp(((const struct named *) a)->name, ((const struct named *) b)->name);
}

uint32_t wt_power_log_node(const struct wt_power_log *log, const char *name)
{
	const struct named key = { name, 0 };
	struct named *const *found = tfind(&key, &log->by_name, named_compare);

	return found ? (*found)->number : WT_POWER_NODE_NONE;
}

static int name_add(struct wt_power_log *log, const char *name)
{
	struct named *named = malloc(sizeof(*named));
	char **more, *copy = strdup(name);

	if (!named || !copy)
		goto no_memory;
	if ((log->name_count & (log->name_count - 1)) == 0) {	/* it grows at 0, 1, 2, 4, ... */
		more = reallocarray(log->names, log->name_count ? 2 * (size_t) log->name_count : 1, sizeof(*more));
		if (!more)
			goto no_memory;
		log->names = more;
	}
	*named = (struct named) { copy, log->name_count };
	if (!tsearch(named, &log->by_name, named_compare))
		goto no_memory;
	log->names[log->name_count++] = copy;
	return 0;
no_memory:
	free(copy);
	free(named);
	errno = ENOMEM;
	return -1;
}

uint32_t wt_power_log_node_add(struct wt_power_log *log, const char *name)
{
	uint32_t node = wt_power_log_node(log, name);

	if (node != WT_POWER_NODE_NONE)
		return node;
	if (log->name_count == WT_POWER_NODE_NONE || name_add(log, name) < 0)
		return WT_POWER_NODE_NONE;
	return log->name_count - 1;
}

static bool name_is_one(const char *name)
{
	size_t len = strlen(name);

	if (!len || len > NAME_MAX_BYTES)
		return false;
	for (; *name; name++)
		if (*name <= ' ' || *name > '~' || *name == '"')
			return false;
	return true;
}

/* "1732500000.123456": whole numbers throughout, as a double would round. */
static bool time_read(const char *text, int64_t *time_us)
{
	const char *dot = strchr(text, '.');
	uint64_t seconds, micros;
	char whole[24];

	if (!dot || dot == text || (size_t) (dot - text) >= sizeof(whole) || strlen(dot + 1) != 6)
		return false;
	memcpy(whole, text, (size_t) (dot - text));
	whole[dot - text] = '\0';
	if (wt_str_to_u64(whole, 0, INT64_MAX / 1000000 - 1, "time", &seconds, NULL) < 0 ||
	    wt_str_to_u64(dot + 1, 0, 999999, "time", &micros, NULL) < 0)
		return false;
	*time_us = (int64_t) (seconds * 1000000 + micros);
	return true;
}

static bool number_read(const char *text, uint32_t *number)
{
	uint64_t wide = 0;

	if (*text && wt_str_to_u64(text, 0, UINT32_MAX, "number", &wide, NULL) < 0)
		return false;
	*number = (uint32_t) wide;
	return true;
}

/* 1; 0: what the line says makes no sense; -1: no memory. */
static int row_read(struct wt_power_log *log, char *line, struct wt_power_row *row)
{
	char *fields[WT_POWER_COLUMNS], *at = line;
	size_t count = 0;

	while (at && count < WT_POWER_COLUMNS)
		fields[count++] = strsep(&at, ",");
	if (count < WT_POWER_COLUMNS || at || !time_read(fields[0], &row->time_us) ||
	    wt_power_event_parse(fields[1], &row->event) < 0 || !name_is_one(fields[2]) || !*fields[3] ||
	    !number_read(fields[3], &row->boot) || !number_read(fields[4], &row->job_id))
		return 0;
	row->node = wt_power_log_node_add(log, fields[2]);
	return row->node == WT_POWER_NODE_NONE ? -1 : 1;
}

static int row_add(struct wt_power_log *log, const struct wt_power_row *row)
{
	size_t capacity = log->capacity ? 2 * log->capacity : 64;
	struct wt_power_row *more;

	if (log->count == log->capacity) {
		more = reallocarray(log->rows, capacity, sizeof(*more));
		if (!more)
			return -1;
		log->rows = more;
		log->capacity = capacity;
	}
	log->rows[log->count++] = *row;
	return 0;
}

struct reading {
	struct wt_power_log *log;
	const char *name;
	size_t line;
	struct wt_error *errp;
};

static int line_take(struct reading *r, char *line, size_t len)
{
	struct wt_power_row row;
	int rc;

	/* A line without its end is still being written. */
	if (line[len - 1] != '\n')
		return 0;
	line[len - 1] = '\0';
	rc = strlen(line) == len - 1 ? row_read(r->log, line, &row) : 0;
	if (rc == 0 && !r->log->malformed++)
		wt_error_set(r->errp, EINVAL, "%s:%zu: this is no line of " WT_POWER_FILE, r->name, r->line);
	if (rc < 0 || (rc > 0 && row_add(r->log, &row) < 0))
		return wt_error_errno(r->errp, ENOMEM, "%s", r->name);
	return 0;
}

static int lines_read(struct reading *r, FILE *in)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int rc = 0;

	while (rc == 0 && (len = wt_fs_line(in, &line, &size, LINE_MAX_BYTES)) > 0) {
		if (r->line++)
			rc = line_take(r, line, (size_t) len);
		else if (strcmp(line, WT_POWER_HEADER "\n"))
			rc = wt_error_set(r->errp, EINVAL, "%s:1: the header is not " WT_POWER_HEADER, r->name);
	}
	if (rc == 0 && errno)
		rc = wt_error_errno(r->errp, errno, "%s:%zu", r->name, r->line + 1);
	if (rc == 0 && !r->line)
		rc = wt_error_set(r->errp, EINVAL, "%s: is empty", r->name);
	free(line);
	return rc;
}

/* The standing of a row in the file is kept by its place in memory: qsort (3) alone would lose it. */
static int row_compare(const void *a, const void *b)
{
	const struct wt_power_row *const *x = a, *const *y = b;

	if ((*x)->node != (*y)->node)
		return (*x)->node < (*y)->node ? -1 : 1;
	if ((*x)->time_us != (*y)->time_us)
		return (*x)->time_us < (*y)->time_us ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

static int time_compare(const void *a, const void *b)
{
	const struct wt_power_row *const *x = a, *const *y = b;

	if ((*x)->time_us != (*y)->time_us)
		return (*x)->time_us < (*y)->time_us ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

/* Pointers to the rows in an order, which the caller frees. */
static const struct wt_power_row **rows_order(const struct wt_power_log *log, int (*compare)(const void *, const void *))
{
	const struct wt_power_row **order = calloc(log->count + 1, sizeof(*order));

	for (size_t i = 0; order && i < log->count; i++)
		order[i] = &log->rows[i];
	if (order)
		qsort(order, log->count, sizeof(*order), compare);
	return order;
}

static int rows_sort(struct wt_power_log *log)
{
	const struct wt_power_row **order = rows_order(log, row_compare);
	struct wt_power_row *sorted = calloc(log->count + 1, sizeof(*sorted));

	for (size_t i = 0; order && sorted && i < log->count; i++)
		sorted[i] = *order[i];
	free(order);
	if (!order || !sorted) {
		free(sorted);
		return -1;
	}
	free(log->rows);
	log->rows = sorted;
	log->capacity = log->count + 1;
	return 0;
}

int wt_power_log_read(struct wt_power_log *log, FILE *in, const char *name, struct wt_error *errp)
{
	struct reading r = { .log = log, .name = name, .errp = errp };

	*log = (struct wt_power_log) { 0 };
	if (lines_read(&r, in) < 0)
		return -1;
	return rows_sort(log) == 0 ? 0 : wt_error_errno(errp, ENOMEM, "%s", name);
}

void wt_power_log_clear(struct wt_power_log *log)
{
	int saved_errno = errno;

	tdestroy(log->by_name, free);
	for (uint32_t i = 0; i < log->name_count; i++)
		free(log->names[i]);
	free(log->names);
	free(log->rows);
	*log = (struct wt_power_log) { 0 };
	errno = saved_errno;
}

enum wt_machine wt_machine_after(enum wt_machine before, enum wt_power_event event)
{
	switch (event) {
	case WT_POWER_EVENT_BOOTING:
		return WT_MACHINE_BOOTING;
	case WT_POWER_EVENT_UP:
		return WT_MACHINE_ON;
	case WT_POWER_EVENT_STOPPING:
		return WT_MACHINE_STOPPING;
	case WT_POWER_EVENT_STOCK_OUT:
	case WT_POWER_EVENT_FAILED:
	case WT_POWER_EVENT_OFF:
		return WT_MACHINE_OFF;
	case WT_POWER_EVENT_ASKED_ON:
	case WT_POWER_EVENT_REGISTERED:
	case WT_POWER_EVENT_ASKED_OFF:
	case WT_POWER_EVENT_TAKEN:
	case WT_POWER_EVENT_NOTICE:
		break;
	}
	return before;
}

/* Of the rows from 'first' to 'end', all of one node: the first that is to be kept. */
static size_t life_begin(const struct wt_power_log *log, size_t first, size_t end, int64_t begin_us)
{
	size_t keep = first;

	for (size_t i = first; i < end && log->rows[i].time_us <= begin_us; i++)
		if (wt_machine_after(WT_MACHINE_ON, log->rows[i].event) == WT_MACHINE_OFF)
			keep = i;
	return keep;
}

void wt_power_log_cut(struct wt_power_log *log, int64_t begin_us, int64_t end_us)
{
	size_t kept = 0;

	for (size_t first = 0, end; first < log->count; first = end) {
		for (end = first + 1; end < log->count && log->rows[end].node == log->rows[first].node; end++)
			;
		for (size_t i = life_begin(log, first, end, begin_us); i < end; i++)
			if (log->rows[i].time_us <= end_us)
				log->rows[kept++] = log->rows[i];
	}
	log->count = kept;
}

int wt_power_log_write(FILE *out, const void *arg, struct wt_error *errp)
{
	const struct wt_power_log *log = arg;
	const struct wt_power_row **order = rows_order(log, time_compare);

	if (!order)
		return wt_error_errno(errp, ENOMEM, WT_POWER_FILE);
	fputs(WT_POWER_HEADER "\n", out);
	for (size_t i = 0; i < log->count; i++) {
		const struct wt_power_row *row = order[i];

		fprintf(out, "%" PRId64 ".%06d,%s,%s,%" PRIu32 ",", row->time_us / 1000000, (int) (row->time_us % 1000000),
			wt_power_event_name(row->event), log->names[row->node], row->boot);
		if (row->job_id)
			fprintf(out, "%" PRIu32, row->job_id);
		putc('\n', out);
	}
	free(order);
	return 0;
}
