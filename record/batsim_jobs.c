/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "record/batsim_jobs.h"
#include "record/batsim_jobs_private.h"
#include "record/field.h"

enum { ID, SUBMITTED, STARTED, FINISHED, REQUIRED, RESOURCES = REQUIRED, LIMIT, SUCCESS, FINAL_STATE, ALLOCATED, WORKLOAD,
       JOB_PROFILE, EXECUTION, COLUMNS };

static const char *const columns[COLUMNS] = {
	"job_id", "submission_time", "starting_time", "finish_time", "requested_number_of_resources", "requested_time",
	"success", "final_state", "allocated_resources", "workload_name", "profile", "execution_time",
};

static enum wt_job_state state_of(const struct field_reader *r)
{
	static const struct {
		const char *word;
		enum wt_job_state state;
	} states[] = {
		{ "COMPLETED_SUCCESSFULLY", WT_JOB_COMPLETED }, { "COMPLETED_FAILED", WT_JOB_FAILED },
		{ "COMPLETED_WALLTIME_REACHED", WT_JOB_TIMEOUT }, { "COMPLETED_KILLED", WT_JOB_CANCELLED },
	};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (!strcmp(field_text(r, FINAL_STATE), states[i].word))
			return states[i].state;
	/* A word that is not known is another state; only without a word does 'success' tell. */
	if (*field_text(r, FINAL_STATE) || !*field_text(r, SUCCESS))
		return WT_JOB_OTHER;
	return strcmp(field_text(r, SUCCESS), "1") ? WT_JOB_FAILED : WT_JOB_COMPLETED;
}

/* Not known: NAN.  Batsim's -1: it has not happened; of what it computes with that -1 others, which 'negative' takes. */
static int time_read(struct field_reader *r, size_t column, bool negative, double *value)
{
	const char *text = field_text(r, column);

	*value = NAN;
	if (!*text || !strcasecmp(text, "nan"))
		return 0;
	if (field_number(r, column, value) < 0)
		return -1;
	if (*value > 1e10)
		return wt_error_set(r->errp, EINVAL, "%s:%zu: %s is more than three hundred years", r->name, r->row.line,
				    r->columns[column]);
	if (*value < 0 && *value != -1 && !negative)
		return wt_error_set(r->errp, EINVAL, "%s:%zu: %s is negative (%g s)", r->name, r->row.line,
				    r->columns[column], *value);
	if (*value < 0)
		*value = NAN;
	return 0;
}

static int numbers_read(struct field_reader *r, struct wt_job_record *job)
{
	if (time_read(r, SUBMITTED, false, &job->submit_s) < 0 || time_read(r, STARTED, false, &job->start_s) < 0 ||
	    time_read(r, FINISHED, true, &job->end_s) < 0 || time_read(r, LIMIT, true, &job->time_limit_s) < 0 ||
	    time_read(r, EXECUTION, true, &job->ran_s) < 0)
		return -1;
	if (*field_text(r, RESOURCES) && field_u32(r, RESOURCES, &job->cpus) < 0)
		return -1;
	if (isnan(job->start_s))
		job->end_s = NAN;
	job->run_time_s = job->end_s - job->start_s;
	if (isfinite(job->start_s))
		job->alloc_cpus = job->cpus;
	return 0;
}

static int row_fill(struct wt_record *record, struct field_reader *r, struct wt_job_record *job)
{
	const char *nodes = field_text(r, ALLOCATED);

	/* Batsim's ids are texts; numbers of our own tell that the jobs were submitted. */
	job->job_id = (uint32_t) record->job_count + 1;
	job->submit_latency_s = NAN;
	job->line = r->row.line;
	job->state = state_of(r);
	job->name = strdup(field_text(r, ID));
	job->trace_id = strdup(field_text(r, ID));
	job->class_name = strdup(field_text(r, JOB_PROFILE));
	if (*nodes)
		job->node_intervals = strdup(nodes);
	if (!job->name || !job->trace_id || !job->class_name || (*nodes && !job->node_intervals))
		return wt_error_errno(r->errp, ENOMEM, "%s", r->name);
	if (!*job->name)
		return wt_error_set(r->errp, EINVAL, "%s:%zu: a job without an id", r->name, r->row.line);
	if (!record->workload && *field_text(r, WORKLOAD))
		record->workload = strdup(field_text(r, WORKLOAD));
	return numbers_read(r, job);
}

/* All of it, or none. */
static int row_take(struct wt_record *record, struct field_reader *r)
{
	struct wt_job_record *job = &record->jobs[record->job_count];

	wt_job_record_init(job);
	if (row_fill(record, r, job) < 0) {
		wt_job_record_clear(job);
		return -1;
	}
	record->job_count++;
	return 0;
}

static int room_make(struct wt_record *record, size_t *capacity)
{
	struct wt_job_record *jobs;

	if (record->job_count < *capacity)
		return 0;
	jobs = reallocarray(record->jobs, *capacity ? 2 * *capacity : 256, sizeof(*jobs));
	if (!jobs)
		return -1;
	*capacity = *capacity ? 2 * *capacity : 256;
	record->jobs = jobs;
	return 0;
}

/* All times are told from the simulation's begin. */
static void times_shift(struct wt_record *record)
{
	double first_s = INFINITY;

	for (size_t i = 0; i < record->job_count; i++)
		if (record->jobs[i].submit_s < first_s)
			first_s = record->jobs[i].submit_s;
	for (size_t i = 0; i < record->job_count && isfinite(first_s); i++) {
		record->jobs[i].submit_s -= first_s;
		record->jobs[i].start_s -= first_s;
		record->jobs[i].end_s -= first_s;
	}
}

int batsim_jobs_take(struct wt_record *record, struct field_reader *r)
{
	size_t capacity = 0;
	int rc;

	record->begin_s = 0;
	if (field_columns(r, columns, REQUIRED, COLUMNS) < 0)
		return -1;
	while ((rc = field_next(r)) > 0) {
		rc = room_make(record, &capacity) < 0 ? wt_error_errno(r->errp, ENOMEM, "%s", r->name) : row_take(record, r);
		if (rc < 0)
			break;
	}
	times_shift(record);
	return rc;
}

int wt_batsim_jobs_read(struct wt_record *record, FILE *in, const char *name, struct wt_error *errp)
{
	struct field_reader r;
	int rc;

	if (field_begin(&r, in, name, errp) < 0)
		return -1;
	rc = batsim_jobs_take(record, &r);
	field_close(&r);
	return rc;
}
