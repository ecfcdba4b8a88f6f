/* field.h - columns of a CSV file by name, and strict numbers, for the readers of this folder. */
#ifndef WT_RECORD_FIELD_H
#define WT_RECORD_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/csv.h"
#include "lib/error.h"

struct field_reader {
	FILE *in;
	const char *name;
	const char *const *columns;	/* the names wanted */
	size_t required, count;
	size_t *index;			/* [count]: where each is in a row; SIZE_MAX: nowhere */
	size_t width;			/* fields of every row */
	struct wt_csv_row row;
	bool strict;			/* field_seconds (), field_duration (): refuse what cannot be */
	struct wt_error *errp;
};

/* Read the header.  Of 'count' columns the first 'required' must be there; a text of the others is empty where they are not.
 *  0, or -1 with EINVAL (empty file, a column missing or twice), ENOMEM or the read error. */
int field_open(struct field_reader *r, FILE *in, const char *name, const char *const *columns, size_t required, size_t count,
	       struct wt_error *errp);
/* The same in two steps, for a file that says by its columns what it is: field_begin () reads the header, and until the
 * first field_next () field_has () tells whether it has a column.  Whoever began closes, also when field_columns ()
 * fails. */
int field_begin(struct field_reader *r, FILE *in, const char *name, struct wt_error *errp);
bool field_has(const struct field_reader *r, const char *column);
int field_columns(struct field_reader *r, const char *const *columns, size_t required, size_t count);
void field_close(struct field_reader *r);

/* 1: the next row is there; 0: end; -1. */
int field_next(struct field_reader *r);

const char *field_text(const struct field_reader *r, size_t column);
/* 0, or -1 with EINVAL and "NAME:LINE: COLUMN ...".  Numbers in decimal notation; an empty field is NAN; a whole
 * number may not be empty. */
int field_number(struct field_reader *r, size_t column, double *value);
/* The same of a time and of a duration; strict: at most 1e10 s from its zero, either way, and not negative. */
int field_seconds(struct field_reader *r, size_t column, double *value);
int field_duration(struct field_reader *r, size_t column, double *value);
int field_u64(struct field_reader *r, size_t column, uint64_t max, uint64_t *value);
int field_u32(struct field_reader *r, size_t column, uint32_t *value);

#endif
