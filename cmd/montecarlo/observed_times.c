/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/montecarlo/observed_times.h"
#include "harness/report/montecarlo.h"
#include "harness/report/report.h"
#include "lib/str.h"

static struct wt_record *run_read(const struct wt_run_set *runs, size_t run, struct wt_error *errp)
{
	unsigned long folder = runs->runs[run].number;
	char *path = folder ? wt_str_format("%s/%lu", runs->path, folder) : strdup(runs->path);
	struct wt_record *record = NULL;

	if (path)
		record = wt_report_read(path, errp);
	else
		wt_error_errno(errp, ENOMEM, "%s", runs->path);
	free(path);
	return record;
}

static int name_compare(const void *a, const void *b)
{
	return strcmp(((const struct wt_job_record *) a)->name, ((const struct wt_job_record *) b)->name);
}

static void times_take(double *times, const struct wt_record *names, const struct wt_record *record, size_t run, size_t runs)
{
	for (size_t i = 0; i < record->job_count; i++) {
		const struct wt_job_record *job = &record->jobs[i], *found;

		if (!job->name)
			continue;
		/* By name, not by place: runs of a trace may have lost different jobs. */
		found = bsearch(job, names->jobs, names->job_count, sizeof(*names->jobs), name_compare);
		if (found && isfinite(job->end_s - job->start_s))
			times[(size_t) (found - names->jobs) * runs + run] = job->end_s - job->start_s;
	}
}

static int names_sort(struct wt_record *record, const char *path, struct wt_error *errp)
{
	for (size_t i = 0; i < record->job_count; i++)
		if (!record->jobs[i].name)
			return wt_error_set(errp, EINVAL, "%s: a job without a name", path);
	qsort(record->jobs, record->job_count, sizeof(*record->jobs), name_compare);
	return 0;
}

static int times_fill(double *times, const struct wt_record *names, const struct wt_run_set *runs, struct wt_error *errp)
{
	for (size_t i = 0; i < names->job_count * runs->count; i++)
		times[i] = NAN;
	for (size_t run = 0; run < runs->count; run++) {
		/* One record at a time: a thousand runs of a large trace do not fit into memory together. */
		struct wt_record *record = run_read(runs, run, errp);

		if (!record)
			return -1;
		times_take(times, names, record, run, runs->count);
		wt_record_destroy(record);
	}
	return 0;
}

int observed_level(const struct wt_run_set *runs, double *level, size_t *jobs_used, struct wt_error *errp)
{
	struct wt_record *names = run_read(runs, 0, errp);
	double *times = NULL;
	int rc = names ? names_sort(names, runs->path, errp) : -1;

	if (rc == 0) {
		times = calloc(names->job_count * runs->count + 1, sizeof(*times));
		rc = times ? times_fill(times, names, runs, errp) : wt_error_errno(errp, ENOMEM, "%s", runs->path);
	}
	if (rc == 0)
		*level = montecarlo_level(times, names->job_count, runs->count, jobs_used);
	free(times);
	wt_record_destroy(names);
	return rc;
}
