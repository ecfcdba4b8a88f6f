/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/csv.h"

static void field_begin(struct wt_csv *csv)
{
	if (csv->column++)
		putc(',', csv->out);
}

void wt_csv_text(struct wt_csv *csv, const char *text)
{
	field_begin(csv);
	if (!text)
		return;
	if (!text[strcspn(text, ",\"\r\n")]) {
		fputs(text, csv->out);
		return;
	}
	putc('"', csv->out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', csv->out);
		putc(*text, csv->out);
	}
	putc('"', csv->out);
}

void wt_csv_uint(struct wt_csv *csv, uint64_t value)
{
	field_begin(csv);
	fprintf(csv->out, "%" PRIu64, value);
}

void wt_csv_seconds(struct wt_csv *csv, double value)
{
	field_begin(csv);
	if (isfinite(value))	/* "nan" is no number to most readers: the field is empty */
		fprintf(csv->out, "%.6f", value);
}

void wt_csv_empty(struct wt_csv *csv)
{
	field_begin(csv);
}

void wt_csv_end(struct wt_csv *csv)
{
	putc('\n', csv->out);
	csv->column = 0;
}

enum place { FIELD_START, PLAIN, QUOTED, QUOTE_SEEN };

/* One row while it is read: the text grows, so fields are kept as offsets until its end. */
struct row_parser {
	struct wt_csv_row *row;
	const char *name;
	struct wt_error *errp;
	size_t used;
	enum place place;
};

static int row_fail(struct row_parser *p, int errnum, const char *what)
{
	return wt_error_set(p->errp, errnum, "%s:%zu: %s", p->name, p->row->line, what);
}

static int text_append(struct row_parser *p, char c)
{
	struct wt_csv_row *row = p->row;

	/* One quote that is never closed would otherwise read the whole file into one field. */
	if (p->used == WT_CSV_ROW_MAX)
		return row_fail(p, EINVAL, "the row is longer than 16 MiB");
	if (p->used == row->text_size) {
		size_t size = row->text_size ? 2 * row->text_size : 256;
		char *text = realloc(row->text, size);

		if (!text)
			return row_fail(p, ENOMEM, "out of memory");
		row->text = text;
		row->text_size = size;
	}
	row->text[p->used++] = c;
	return 0;
}

static int field_end(struct row_parser *p)
{
	if (text_append(p, '\0') < 0)
		return -1;
	p->row->count++;
	p->place = FIELD_START;
	return 0;
}

static int quoted_char(struct row_parser *p, int c)
{
	if (c == '"') {
		p->place = QUOTE_SEEN;
		return 0;
	}
	if (c == '\n')
		p->row->next_line++;
	return text_append(p, (char) c);
}

/* Outside quotes.  1: the row is complete. */
static int plain_char(struct row_parser *p, int c, FILE *in)
{
	/* RFC 4180 ends rows with both; one alone is part of its field. */
	if (c == '\r') {
		int next = getc(in);

		if (next == '\n')
			c = next;
		else if (next != EOF)
			ungetc(next, in);
	}
	if (c == '\n') {
		p->row->next_line++;
		return field_end(p) < 0 ? -1 : 1;
	}
	if (c == ',')
		return field_end(p);
	if (p->place == QUOTE_SEEN)
		return row_fail(p, EINVAL, "text behind a closing quote");
	if (c == '"' && p->place == PLAIN)
		return row_fail(p, EINVAL, "a quote inside an unquoted field");
	p->place = PLAIN;
	return text_append(p, (char) c);
}

/* Programs of Windows put U+FEFF before UTF-8: it is no part of the first field, which may have quotes behind it. */
static void bom_drop(struct row_parser *p)
{
	if (p->row->line == 1 && !p->row->count && p->used == 3 && !memcmp(p->row->text, "\xef\xbb\xbf", 3)) {
		p->used = 0;
		p->place = FIELD_START;
	}
}

static int row_char(struct row_parser *p, int c, FILE *in)
{
	int rc;

	if (c == '\0')
		return row_fail(p, EINVAL, "a NUL byte");
	if (p->place == QUOTED)
		return quoted_char(p, c);
	if (c == '"' && p->place == QUOTE_SEEN) {
		p->place = QUOTED;
		return text_append(p, '"');
	}
	if (c == '"' && p->place == FIELD_START) {
		p->place = QUOTED;
		return 0;
	}
	rc = plain_char(p, c, in);
	if (rc == 0 && p->place == PLAIN)
		bom_drop(p);
	return rc;
}

static int row_eof(struct row_parser *p, FILE *in)
{
	if (ferror(in))
		return wt_error_errno(p->errp, errno ? errno : EIO, "%s: cannot read", p->name);
	if (p->place == QUOTED)
		return row_fail(p, EINVAL, "the file ends inside quotes");
	/* Behind the last newline there is no row; without one at its end the last row counts all the same. */
	if (!p->used && p->place == FIELD_START)
		return 0;
	return field_end(p) < 0 ? -1 : 1;
}

static int fields_point(struct row_parser *p)
{
	struct wt_csv_row *row = p->row;
	char *at = row->text;

	if (row->count > row->fields_size) {
		char **fields = reallocarray(row->fields, row->count, sizeof(*fields));

		if (!fields)
			return row_fail(p, ENOMEM, "out of memory");
		row->fields = fields;
		row->fields_size = row->count;
	}
	for (size_t i = 0; i < row->count; i++) {
		row->fields[i] = at;
		at += strlen(at) + 1;
	}
	return 1;
}

int wt_csv_read(struct wt_csv_row *row, FILE *in, const char *name, struct wt_error *errp)
{
	struct row_parser parser = { .row = row, .name = name, .errp = errp, .place = FIELD_START };
	int rc = 0;

	row->count = 0;
	row->line = row->next_line;
	while (rc == 0) {
		int c = getc(in);

		if (c == EOF) {
			rc = row_eof(&parser, in);
			break;
		}
		rc = row_char(&parser, c, in);
	}
	return rc > 0 ? fields_point(&parser) : rc;
}

void wt_csv_row_free(struct wt_csv_row *row)
{
	free(row->fields);
	free(row->text);
	*row = (struct wt_csv_row) WT_CSV_ROW_INIT;
}
