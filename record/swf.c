/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "record/record.h"
#include "record/swf.h"

/* Queue and partition 1, and for each class its number. */
struct swf_output {
	FILE *out;
	const struct wt_record *record;
	const struct wt_job_record **jobs;	/* submitted, in order */
	size_t job_count;
	const char **classes;	/* in order of appearance; found by 'by_class', a tree of pointers into it */
	void *by_class;
	size_t class_count;
};

static int sent_compare(const void *a, const void *b)
{
	const struct wt_job_record *x = *(const struct wt_job_record *const *) a;
	const struct wt_job_record *y = *(const struct wt_job_record *const *) b;
	double x_s = wt_job_sent_s(x), y_s = wt_job_sent_s(y);

	if (x_s != y_s)
		return x_s < y_s ? -1 : 1;
	return (x->job_id > y->job_id) - (x->job_id < y->job_id);
}

static int class_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *) a, *(const char *const *) b);
}

static void class_keep(void *class)
{
	(void) class;	/* classes belong to the array */
}

/* 0 with ENOMEM. */
static size_t class_number(struct swf_output *swf, const char *class_name)
{
	/* The next free place is filled before it is known whether the class is new: the tree keeps that pointer, or
	 * finds an earlier one. */
	const char **new = &swf->classes[swf->class_count], *const **found;

	*new = class_name;
	found = tsearch(new, &swf->by_class, class_compare);
	if (!found)
		return 0;
	if (*found == new)
		swf->class_count++;
	return (size_t) (*found - swf->classes) + 1;
}

static int jobs_collect(struct swf_output *swf)
{
	const struct wt_record *record = swf->record;

	swf->jobs = calloc(record->job_count + 1, sizeof(*swf->jobs));
	swf->classes = calloc(record->job_count + 1, sizeof(*swf->classes));
	if (!swf->jobs || !swf->classes)
		return -1;
	for (size_t i = 0; i < record->job_count; i++)
		if (record->jobs[i].job_id)
			swf->jobs[swf->job_count++] = &record->jobs[i];
	qsort(swf->jobs, swf->job_count, sizeof(*swf->jobs), sent_compare);
	for (size_t i = 0; i < swf->job_count; i++)
		if (!class_number(swf, swf->jobs[i]->class_name))
			return -1;
	return 0;
}

/* As date (1) prints it: "Sun Jul 28 09:04:05 UTC 2002". */
static void date_write(FILE *out, const char *key, double time_s)
{
	char text[64];
	time_t seconds = (time_t) time_s;
	struct tm tm;

	if (isfinite(time_s) && gmtime_r(&seconds, &tm) && strftime(text, sizeof(text), "%a %b %e %H:%M:%S UTC %Y", &tm))
		fprintf(out, "; %s: %s\n", key, text);
}

static double last_end_s(const struct swf_output *swf)
{
	double last_s = NAN;

	for (size_t i = 0; i < swf->job_count; i++)
		last_s = fmax(last_s, swf->jobs[i]->end_s);
	return last_s;
}

static void machine_write(const struct swf_output *swf)
{
	const struct wt_record *record = swf->record;

	fprintf(swf->out, "; Version: 2.2\n; Computer: %u nodes, %s (Windtunnel)\n; Installation: Windtunnel %s\n",
		record->nodes, record->backend ? record->backend : "unknown", PACKAGE_VERSION);
	fprintf(swf->out, "; MaxJobs: %zu\n; MaxRecords: %zu\n; Preemption: No\n", swf->job_count, swf->job_count);
	if (isfinite(record->begin_s))
		fprintf(swf->out, "; UnixStartTime: %.0f\n", floor(record->begin_s));
	fputs("; TimeZone: 0\n; TimeZoneString: UTC\n", swf->out);
	date_write(swf->out, "StartTime", record->begin_s);
	date_write(swf->out, "EndTime", last_end_s(swf));
	fprintf(swf->out, "; MaxNodes: %u\n; MaxProcs: %u\n", record->nodes, record->cpus);
}

static void notes_write(const struct swf_output *swf)
{
	const struct wt_record *record = swf->record;

	fprintf(swf->out, "; Note: workload %s, seed %llu, time scale %g, %s clock\n",
		record->workload ? record->workload : "unknown", (unsigned long long) record->seed, record->time_scale,
		record->clock ? record->clock : "unknown");
	fprintf(swf->out, "; Note: executable numbers are classes:");
	for (size_t i = 0; i < swf->class_count; i++)
		fprintf(swf->out, " %zu=%s", i + 1, swf->classes[i]);
	fputs("\n", swf->out);
	if (swf->job_count < record->job_count)
		fprintf(swf->out, "; Note: %zu jobs whose submission failed are left out\n", record->job_count -
			swf->job_count);
	fputs("; MaxQueues: 1\n; Queue: 1 default\n; MaxPartitions: 1\n; Partition: 1 default\n", swf->out);
}

int wt_swf_status(enum wt_job_state state)
{
	switch (state) {
	case WT_JOB_COMPLETED:
		return 1;
	case WT_JOB_CANCELLED:
		return 5;
	case WT_JOB_FAILED:
	case WT_JOB_TIMEOUT:
	case WT_JOB_NODE_FAIL:
	case WT_JOB_OTHER:
		return 0;
	default:
		return -1;
	}
}

static void seconds_write(FILE *out, double value)
{
	if (isfinite(value))
		fprintf(out, " %.2f", value > 0 ? value : 0.0);
	else
		fputs(" -1", out);
}

static void job_write(struct swf_output *swf, size_t i)
{
	const struct wt_job_record *job = swf->jobs[i];
	double sent_s = wt_job_sent_s(job);

	fprintf(swf->out, "%zu", i + 1);
	seconds_write(swf->out, sent_s - swf->record->begin_s);
	seconds_write(swf->out, job->start_s - sent_s);
	seconds_write(swf->out, job->end_s - job->start_s);
	/* Processors that were given; average CPU time and memory, which are not known here, are -1. */
	if (job->alloc_cpus)
		fprintf(swf->out, " %u -1 -1", job->alloc_cpus);
	else
		fputs(" -1 -1 -1", swf->out);
	fprintf(swf->out, " %u", job->cpus);
	seconds_write(swf->out, job->time_limit_s);
	fprintf(swf->out, " -1 %d -1 -1 %zu 1 1 -1 -1\n", wt_swf_status(job->state), class_number(swf, job->class_name));
}

int wt_swf_write(FILE *out, const void *arg, struct wt_error *errp)
{
	struct swf_output swf = { .out = out, .record = arg };
	int rc = 0;

	if (jobs_collect(&swf) < 0) {
		rc = wt_error_errno(errp, ENOMEM, "jobs.swf");
	} else {
		machine_write(&swf);
		notes_write(&swf);
		for (size_t i = 0; i < swf.job_count; i++)
			job_write(&swf, i);
	}
	tdestroy(swf.by_class, class_keep);
	free(swf.jobs);
	free(swf.classes);
	return rc;
}
