/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "harness/cluster/folder/hosts_json.h"
#include "harness/run/host_events.h"
#include "lib/csv.h"
#include "lib/outfile.h"
#include "lib/str.h"

enum { COLUMN_TIME = 1, COLUMNS = 6 };	/* of WT_HOST_EVENTS_HEADER */

struct host_events {
	FILE *in;
	const char *name;
	double begin_s;
	size_t rows;		/* that were taken */
};

static void row_put(struct wt_csv *csv, const struct wt_csv_row *row)
{
	for (size_t i = 0; i < row->count; i++)
		wt_csv_text(csv, row->fields[i]);
	wt_csv_end(csv);
}

/* 'out' NULL: they are only counted.  A row that is being written is not there yet. */
static int rows_take(struct host_events *e, FILE *out, struct wt_error *errp)
{
	struct wt_csv_row row = WT_CSV_ROW_INIT;
	struct wt_csv csv = { .out = out };
	int rc;

	e->rows = 0;
	rewind(e->in);
	while ((rc = wt_csv_read(&row, e->in, e->name, errp)) > 0) {
		if (row.count != COLUMNS || (row.line > 1 && strtod(row.fields[COLUMN_TIME], NULL) < e->begin_s))
			continue;
		e->rows += row.line > 1;
		if (out)
			row_put(&csv, &row);
	}
	wt_csv_row_free(&row);
	return rc;
}

static int events_print(FILE *out, const void *arg, struct wt_error *errp)
{
	return rows_take((struct host_events *) arg, out, errp);
}

int host_events_write(const char *cluster_dir, double begin_s, const char *run_dir, struct wt_error *errp)
{
	char *from = wt_str_format("%s/" WT_HOST_EVENTS_FILE, cluster_dir);
	char *to = wt_str_format("%s/" WT_HOST_EVENTS_FILE, run_dir);
	struct host_events e = { .name = from, .begin_s = begin_s };
	int rc = -1;

	if (!from || !to) {
		wt_error_errno(errp, ENOMEM, WT_HOST_EVENTS_FILE);
	} else if (!(e.in = fopen(from, "re"))) {
		rc = errno == ENOENT ? 0 : wt_error_errno(errp, errno, "%s", from);
	} else {
		rc = rows_take(&e, NULL, errp);
		if (rc == 0 && e.rows)
			rc = wt_outfile_write(to, events_print, &e, errp);
		fclose(e.in);
	}
	free(from);
	free(to);
	return rc;
}
