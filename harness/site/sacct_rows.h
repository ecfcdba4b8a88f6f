/* sacct_rows.h - read what "sacct -p --delimiter=..." has printed.
 *
 * Foreign bytes: a header with names of fields, then records.  With -p (a delimiter behind each field, the last one, too) a
 * field may have newlines; without (-P) it may not.  The delimiter is the byte 0x1f if the header has one, else '|'.
 * Pure but for the stream; one thread at a time. */
#ifndef WT_HARNESS_SITE_SACCT_ROWS_H
#define WT_HARNESS_SITE_SACCT_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/error.h"

enum wt_sacct_field {
	WT_SACCT_JOB_ID, WT_SACCT_JOB_ID_RAW, WT_SACCT_NAME, WT_SACCT_USER, WT_SACCT_GROUP, WT_SACCT_ACCOUNT,
	WT_SACCT_QOS, WT_SACCT_PARTITION, WT_SACCT_SUBMIT, WT_SACCT_ELIGIBLE, WT_SACCT_START, WT_SACCT_END,
	WT_SACCT_ELAPSED_RAW, WT_SACCT_SUSPENDED, WT_SACCT_STATE, WT_SACCT_EXIT_CODE, WT_SACCT_TIME_LIMIT_RAW,
	WT_SACCT_REQ_CPUS, WT_SACCT_ALLOC_CPUS, WT_SACCT_REQ_NODES, WT_SACCT_ALLOC_NODES, WT_SACCT_REQ_MEM,
	WT_SACCT_REQ_TRES, WT_SACCT_CONSTRAINTS, WT_SACCT_RESERVATION, WT_SACCT_WCKEY, WT_SACCT_NODE_LIST,
	WT_SACCT_SUBMIT_LINE, WT_SACCT_LICENSES, WT_SACCT_ALLOC_TRES,
	WT_SACCT_FIELDS
};

#define WT_SACCT_RECORD_MAX ((size_t) 1 << 20)	/* bytes of a record, or of a line */
#define WT_SACCT_COLUMNS_MAX 256

struct wt_sacct_rows {
	size_t line;		/* 1-based: where the last record began */
	/* private */
	FILE *in;
	const char *name;
	char delimiter;
	bool ended;		/* a delimiter stands behind the last field, too */
	size_t columns, column_of[WT_SACCT_FIELDS];
	bool newlines[WT_SACCT_COLUMNS_MAX];	/* a column whose text may have some */
	char *fields[WT_SACCT_COLUMNS_MAX];	/* of the last record */
	char *text;		/* the record */
	size_t len, size;
	char *ahead;		/* lines that are to be read once more */
	size_t ahead_len, ahead_at, next_line;
	bool lost;		/* the last line was no record */
};

/* Read the header.  0, or -1 with EINVAL (no header of sacct; a field that is needed is missing), ENOMEM, or the read
 * error. wt_sacct_rows_clear () frees, in any case. */
int wt_sacct_rows_open(struct wt_sacct_rows *rows, FILE *in, const char *name, struct wt_error *errp);

/* The next record: 1; 0: there is none; -1 with EINVAL: a line that is no record, after which reading may go on with the
 * next line, or with another errno. */
int wt_sacct_rows_next(struct wt_sacct_rows *rows, struct wt_error *errp);

/* A field of the last record; "": it is empty, or sacct was not asked for it. */
const char *wt_sacct_get(const struct wt_sacct_rows *rows, enum wt_sacct_field field);
bool wt_sacct_has(const struct wt_sacct_rows *rows, enum wt_sacct_field field);

void wt_sacct_rows_clear(struct wt_sacct_rows *rows);	/* errno is preserved */

#endif
