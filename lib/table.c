/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/table.h"
#include "lib/terminal.h"

struct wt_table {
	char *align;
	int *widths;	/* [columns], of the widest cell so far */
	size_t columns;
	char **cells;
	size_t count, size;
};

struct wt_table *wt_table_create(const char *align)
{
	struct wt_table *table;

	if (!align || !*align || align[strspn(align, "lr")]) {
		errno = EINVAL;
		return NULL;
	}
	table = calloc(1, sizeof(*table));
	if (!table)
		return NULL;
	table->columns = strlen(align);
	table->align = strdup(align);
	table->widths = calloc(table->columns, sizeof(*table->widths));
	if (table->align && table->widths)
		return table;
	wt_table_destroy(table);
	return NULL;
}

void wt_table_destroy(struct wt_table *table)
{
	int saved_errno = errno;

	if (!table)
		return;
	for (size_t i = 0; i < table->count; i++)
		free(table->cells[i]);
	free(table->cells);
	free(table->align);
	free(table->widths);
	free(table);
	errno = saved_errno;
}

/* Characters of UTF-8, not bytes: names of cases and jobs are people's. */
static int width_of(const char *text)
{
	int width = 0;

	for (; *text; text++)
		width += (*text & 0xc0) != 0x80;
	return width;
}

int wt_table_cell(struct wt_table *table, const char *fmt, ...)
{
	char *text;
	va_list ap;
	int *width, rc;

	if (table->count == table->size) {
		size_t size = table->size ? 2 * table->size : 64;
		char **cells = reallocarray(table->cells, size, sizeof(*cells));

		if (!cells)
			return -1;
		table->cells = cells;
		table->size = size;
	}
	va_start(ap, fmt);
	rc = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (rc < 0)
		return -1;
	width = &table->widths[table->count % table->columns];
	if (width_of(text) > *width)
		*width = width_of(text);
	table->cells[table->count++] = text;
	return 0;
}

/* The last cell of its row that is not empty: blanks behind it would be waste. */
static size_t row_end(const struct wt_table *table, size_t first)
{
	size_t end = first + table->columns < table->count ? first + table->columns : table->count;

	while (end > first && !*table->cells[end - 1])
		end--;
	return end;
}

/* The cells of one row that stand in the columns from 'from' to before 'to'. */
static void cells_print(const struct wt_table *table, size_t first, size_t from, size_t to, FILE *out)
{
	size_t end = row_end(table, first);

	to = first + to < end ? to : end - first;
	for (size_t i = from; i < to; i++) {
		const char *text = table->cells[first + i];

		if (i > from)
			fputs("  ", out);
		if (table->align[i] == 'r')
			fprintf(out, "%*s%s", table->widths[i] - width_of(text), "", text);
		else
			/* No blanks behind the last cell. */
			fprintf(out, "%s%*s", text, i + 1 == to ? 0 : table->widths[i] - width_of(text), "");
	}
	putc('\n', out);
}

/* As many columns from 'from' on as fit into 'room'; at least one. */
static size_t columns_fit(const struct wt_table *table, size_t from, size_t room)
{
	size_t used = (size_t) table->widths[from], to = from + 1;

	while (to < table->columns && used + 2 + (size_t) table->widths[to] <= room) {
		used += 2 + (size_t) table->widths[to];
		to++;
	}
	return to;
}

static void row_print(const struct wt_table *table, size_t first, size_t room, FILE *out, const char *indent)
{
	size_t to, end = row_end(table, first) - first;

	if (!end) {
		putc('\n', out);
		return;
	}
	for (size_t from = 0; from < end; from = to) {
		to = columns_fit(table, from, from && room > 4 ? room - 4 : room);
		fprintf(out, "%s%s", indent, from ? "    " : "");
		cells_print(table, first, from, to, out);
	}
}

void wt_table_print(const struct wt_table *table, FILE *out, const char *indent)
{
	size_t columns = wt_terminal_columns(out), room = columns > strlen(indent) ? columns - strlen(indent) : columns;

	for (size_t first = 0; first < table->count; first += table->columns)
		row_print(table, first, columns ? room : SIZE_MAX, out, indent);
}
