/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/field.h"
#include "lib/str.h"

#define SECONDS_MAX 1e10

static int column_find(struct field_reader *r, size_t column)
{
	size_t found = SIZE_MAX;

	for (size_t i = 0; i < r->row.count; i++) {
		if (strcmp(r->row.fields[i], r->columns[column]))
			continue;
		/* Which of the two is meant cannot be told; taking the first would be a guess. */
		if (found != SIZE_MAX)
			return wt_error_set(r->errp, EINVAL, "%s:%zu: two columns are named %s", r->name, r->row.line,
					    r->columns[column]);
		found = i;
	}
	if (found == SIZE_MAX && column < r->required)
		return wt_error_set(r->errp, EINVAL, "%s:%zu: there is no column %s", r->name, r->row.line,
				    r->columns[column]);
	r->index[column] = found;
	return 0;
}

static int header_read(struct field_reader *r)
{
	int rc;

	do {	/* empty lines before it, as editors leave them */
		rc = wt_csv_read(&r->row, r->in, r->name, r->errp);
	} while (rc > 0 && r->row.count == 1 && !*r->row.fields[0]);
	if (rc == 0)
		return wt_error_set(r->errp, EINVAL, "%s: is empty", r->name);
	if (rc < 0)
		return -1;
	r->width = r->row.count;
	/* As old Macs ended lines: all of them would be one long header, and the file as good as empty. */
	for (size_t i = 0; i < r->width; i++)
		if (strchr(r->row.fields[i], '\r'))
			return wt_error_set(r->errp, EINVAL, "%s:%zu: lines end in a carriage return alone, which is not "
					    "read", r->name, r->row.line);
	return 0;
}

int field_begin(struct field_reader *r, FILE *in, const char *name, struct wt_error *errp)
{
	*r = (struct field_reader){ .in = in, .name = name, .row = WT_CSV_ROW_INIT, .errp = errp };
	if (header_read(r) == 0)
		return 0;
	field_close(r);
	return -1;
}

bool field_has(const struct field_reader *r, const char *column)
{
	for (size_t i = 0; i < r->row.count; i++)
		if (!strcmp(r->row.fields[i], column))
			return true;
	return false;
}

int field_columns(struct field_reader *r, const char *const *columns, size_t required, size_t count)
{
	r->columns = columns;
	r->required = required;
	r->count = count;
	r->index = calloc(count, sizeof(*r->index));
	if (!r->index)
		return wt_error_errno(r->errp, ENOMEM, "%s", r->name);
	for (size_t i = 0; i < count; i++)
		if (column_find(r, i) < 0)
			return -1;
	return 0;
}

int field_open(struct field_reader *r, FILE *in, const char *name, const char *const *columns, size_t required, size_t count,
	       struct wt_error *errp)
{
	if (field_begin(r, in, name, errp) < 0)
		return -1;
	if (field_columns(r, columns, required, count) == 0)
		return 0;
	field_close(r);
	return -1;
}

void field_close(struct field_reader *r)
{
	int saved_errno = errno;

	wt_csv_row_free(&r->row);
	free(r->index);
	r->index = NULL;
	errno = saved_errno;
}

int field_next(struct field_reader *r)
{
	int rc = wt_csv_read(&r->row, r->in, r->name, r->errp);

	/* A row that was cut off, or a comma that was not quoted: its columns would be another's. */
	if (rc > 0 && r->row.count != r->width)
		return wt_error_set(r->errp, EINVAL, "%s:%zu: %zu fields where the header has %zu", r->name, r->row.line,
				    r->row.count, r->width);
	return rc;
}

const char *field_text(const struct field_reader *r, size_t column)
{
	return r->index[column] == SIZE_MAX ? "" : r->row.fields[r->index[column]];
}

static int field_fail(struct field_reader *r, size_t column, const char *what)
{
	return wt_error_set(r->errp, EINVAL, "%s:%zu: %s '%s' is not %s", r->name, r->row.line, r->columns[column],
			    field_text(r, column), what);
}

int field_number(struct field_reader *r, size_t column, double *value)
{
	const char *text = field_text(r, column);
	char *end;

	*value = NAN;
	if (!*text)
		return 0;
	/* strtod (3) alone would take hexadecimal numbers, infinities and blanks. */
	if (text[strspn(text, "+-.0123456789eE")])
		return field_fail(r, column, "a number");
	*value = strtod(text, &end);
	if (*end || !isfinite(*value))
		return field_fail(r, column, "a number");
	return 0;
}

int field_seconds(struct field_reader *r, size_t column, double *value)
{
	if (field_number(r, column, value) < 0)
		return -1;
	return r->strict && fabs(*value) > SECONDS_MAX ? field_fail(r, column, "a time: more than three hundred years") : 0;
}

int field_duration(struct field_reader *r, size_t column, double *value)
{
	if (field_seconds(r, column, value) < 0)
		return -1;
	return r->strict && *value < 0 ? field_fail(r, column, "0 s or more") : 0;
}

int field_u64(struct field_reader *r, size_t column, uint64_t max, uint64_t *value)
{
	if (wt_str_to_u64(field_text(r, column), 0, max, r->columns[column], value, NULL) < 0)
		return field_fail(r, column, "a whole number, or too large");
	return 0;
}

int field_u32(struct field_reader *r, size_t column, uint32_t *value)
{
	uint64_t wide;

	if (field_u64(r, column, UINT32_MAX, &wide) < 0)
		return -1;
	*value = (uint32_t) wide;
	return 0;
}
