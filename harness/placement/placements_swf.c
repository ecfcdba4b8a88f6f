/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Placements from the Standard Workload Format (https://www.cs.huji.ac.il/labs/parallel/workload/swf.html): 18 numbers a
 * line, and, which is ours, a 19th field with the job's Slurm host list. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/placement/placements_reader.h"
#include "lib/fs.h"

enum { JOB, SUBMIT, WAIT, RUN, CPUS, FIELDS = 18 };

struct swf {
	double max_nodes, max_procs;
	unsigned int line;
	const char *path;
};

/* "; MaxNodes: 128" */
static void header_read(struct swf *swf, const char *line)
{
	double value;

	if (sscanf(line, " ; MaxNodes : %lf", &value) == 1)
		swf->max_nodes = value;
	if (sscanf(line, " ; MaxProcs : %lf", &value) == 1)
		swf->max_procs = value;
}

static int job_read(struct raw *raw, struct swf *swf, char *line, struct wt_error *errp)
{
	double field[FIELDS];
	char *at = line, *end;
	struct raw_job *j;

	for (int i = 0; i < FIELDS; i++) {
		field[i] = strtod(at, &end);
		if (end == at || !isfinite(field[i]))
			return wt_error_set(errp, EINVAL, "%s:%u: field %d is not a number", swf->path, swf->line, i + 1);
		at = end;
	}
	at += strspn(at, " \t");
	at[strcspn(at, " \t\r\n")] = '\0';
	/* -1 is the format's word for "not known", and most traces have no 19th field. */
	if (!*at || field[WAIT] < 0 || field[RUN] < 0 || field[CPUS] < 1) {
		raw->without_nodes++;
		return 0;
	}
	j = raw_add(raw, at, NULL, field[SUBMIT] + field[WAIT], field[SUBMIT] + field[WAIT] + field[RUN], errp);
	if (!j)
		return wt_error_prefix(errp, "%s:%u", swf->path, swf->line);
	j->job.units = (uint64_t) field[CPUS];
	return 0;
}

int raw_read_swf(struct raw *raw, const char *path, struct wt_error *errp)
{
	struct swf swf = { .path = path };
	FILE *in = fopen(path, "r");
	char *line = NULL;
	size_t size = 0;
	int rc = 0;

	if (!in)
		return wt_error_errno(errp, errno, "%s", path);
	while (rc == 0 && wt_fs_line(in, &line, &size, LINE_BYTES_MAX) > 0) {
		/* Editors of Windows put a byte order mark before UTF-8. */
		char *text = swf.line++ == 0 && !strncmp(line, "\xef\xbb\xbf", 3) ? line + 3 : line;
		const char *first = text + strspn(text, " \t\r\n");

		if (*first == ';')
			header_read(&swf, text);
		else if (*first)
			rc = job_read(raw, &swf, text, errp);
	}
	if (rc == 0 && errno)
		rc = wt_error_errno(errp, errno, "%s:%u", path, swf.line + 1);
	free(line);
	fclose(in);
	if (swf.max_nodes >= 1 && swf.max_procs >= swf.max_nodes)
		raw->cpus_per_node = (uint32_t) (swf.max_procs / swf.max_nodes);
	return rc;
}
