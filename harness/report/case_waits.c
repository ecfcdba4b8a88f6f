/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/report/case_waits.h"
#include "lib/fs.h"
#include "lib/str.h"
#include "record/jobs_csv.h"

/* NULL with *errp. */
static struct wt_record *jobs_read(const struct wt_case *c, unsigned long number, struct wt_error *errp)
{
	char *path = number ? wt_str_format("%s/%lu/jobs.csv", c->path, number) : wt_str_format("%s/jobs.csv", c->path);
	FILE *in = path ? wt_fs_stream_regular(path, errp) : NULL;
	struct wt_record *record = in ? wt_record_create(NULL, errp) : NULL;

	if (record) {
		record->begin_s = 0;
		if (wt_jobs_csv_read(record, in, path, errp) < 0) {
			wt_record_destroy(record);
			record = NULL;
		}
	}
	if (!path)
		wt_error_errno(errp, ENOMEM, "%s", c->path);
	if (in) {
		int saved_errno = errno;

		fclose(in);
		errno = saved_errno;
	}
	free(path);
	return record;
}

/* Its number; -1: there is no run of this seed. */
static long run_of_seed(const struct wt_run_set *set, uint64_t seed)
{
	for (size_t i = 0; i < set->count; i++)
		if (set->runs[i].seed == seed)
			return (long) set->runs[i].number;
	return -1;
}

static int unread_note(struct class_waits *waits, const struct wt_error *error)
{
	if (errno == ENOMEM)
		return -1;
	if (!waits->unread++)
		waits->why = *error;
	return 0;
}

/* Run 'number' of a case beside the run of its base that is in *first, and is read when it is needed first. */
static int pair_read(struct wt_case *c, unsigned long number, const struct wt_case *base, unsigned long base_number,
		     struct wt_record **first)
{
	struct wt_error error = { "" };
	struct wt_record *here;
	int rc;

	if (!*first)
		*first = jobs_read(base, base_number, &error);
	here = *first ? jobs_read(c, number, &error) : NULL;
	if (!here)
		return unread_note(&c->waits, &error);
	rc = wt_class_waits_add(&c->waits, *first, here);
	wt_record_destroy(here);
	return rc;
}

/* One run of a base, beside those of the same seed in all cases that are compared with it. */
static int base_run_read(struct wt_cases *cases, size_t base, const struct wt_run_figures *run)
{
	struct wt_record *first = NULL;
	int rc = 0;

	for (size_t c = 0; c < cases->count && rc == 0; c++) {
		struct wt_case *one = &cases->items[c];
		long number = one->compared && one->base == base ? run_of_seed(&one->set, run->seed) : -1;

		if (number >= 0)
			rc = pair_read(one, (unsigned long) number, &cases->items[base], run->number, &first);
	}
	wt_record_destroy(first);
	return rc;
}

int wt_case_waits_read(struct wt_cases *cases, struct wt_error *errp)
{
	int rc = 0;

	for (size_t b = 0; b < cases->count && rc == 0; b++)
		for (size_t r = 0; r < cases->items[b].set.count && rc == 0; r++)
			rc = base_run_read(cases, b, &cases->items[b].set.runs[r]);
	for (size_t c = 0; c < cases->count && rc == 0; c++)
		rc = wt_class_waits_finish(&cases->items[c].waits);
	return rc < 0 ? wt_error_errno(errp, ENOMEM, "waits") : 0;
}
