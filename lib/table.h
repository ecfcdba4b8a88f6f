/* table.h - a table of text for people: columns as wide as their widest cell.  One thread at a time. */
#ifndef WT_LIB_TABLE_H
#define WT_LIB_TABLE_H

#include <stddef.h>
#include <stdio.h>

struct wt_table;	/* opaque */

/* 'align' has one letter for each column: 'l' (left) or 'r' (right).  NULL with errno ENOMEM or EINVAL (no column, other
 * letter). */
struct wt_table *wt_table_create(const char *align);
void wt_table_destroy(struct wt_table *table);	/* NULL is ignored; errno is preserved */

/* Add the next cell, row by row; a cell holds one line of plain text.  0, or -1 with ENOMEM. */
int wt_table_cell(struct wt_table *table, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Print all rows (a last row that is not full ends early), columns two spaces apart, no blanks at a line's end, each line
 * behind 'indent'.  On a terminal that is narrower (terminal.h) a row goes on below itself, four blanks further in, at the
 * same column in every row. */
void wt_table_print(const struct wt_table *table, FILE *out, const char *indent);

#endif
