/* csv.h - comma-separated values as in RFC 4180, lines ended by \n.
 *
 * Writing: a row is a sequence of fields and one wt_csv_end; errors stick to the stream (ferror), as with stdio.
 * Reading: one row from a stream; quoted fields may hold commas, quotes and newlines.  A stream or row: one thread at a
 * time. */
#ifndef WT_LIB_CSV_H
#define WT_LIB_CSV_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/error.h"

struct wt_csv {		/* plain value; { .out = stream } */
	FILE *out;
	unsigned int column;	/* fields written in this row */
};

void wt_csv_text(struct wt_csv *csv, const char *text);		/* quoted only where RFC 4180 asks for it; NULL: empty */
void wt_csv_uint(struct wt_csv *csv, uint64_t value);
void wt_csv_seconds(struct wt_csv *csv, double value);		/* six decimals; NAN and infinity: empty */
void wt_csv_empty(struct wt_csv *csv);
void wt_csv_end(struct wt_csv *csv);

#define WT_CSV_ROW_MAX (16u << 20)	/* bytes; a longer row is refused */

struct wt_csv_row {
	char **fields;		/* [count], each terminated by a NUL; valid until the next read */
	size_t count;
	size_t line;		/* 1-based line on which the row began */
	/* private */
	char *text;
	size_t text_size, fields_size, next_line;
};

#define WT_CSV_ROW_INIT { NULL, 0, 0, NULL, 0, 0, 1 }

/* Read the next row of foreign bytes.  'name' is for messages ("NAME:LINE: ...").  1; 0 at the end of the file; -1 with
 * EINVAL (open quote at the end, text behind a closing quote, a NUL byte, a row above WT_CSV_ROW_MAX), ENOMEM, or the read
 * error. \r\n ends a row as \n does; a byte order mark of UTF-8 before the first row is skipped. */
int wt_csv_read(struct wt_csv_row *row, FILE *in, const char *name, struct wt_error *errp);
void wt_csv_row_free(struct wt_csv_row *row);	/* leaves it as WT_CSV_ROW_INIT does */

#endif
