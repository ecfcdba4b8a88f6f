/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/batsim_jobs_private.h"
#include "record/field.h"
#include "record/jobs_csv.h"
#include "record/node_cpus.h"

enum {
	JOB_ID, PROFILE, SUBMISSION_TIME, REQUESTED_TIME, STARTING_TIME, FINISH_TIME, ALLOCATED_RESOURCES, NODE_LIST, CPUS,
		NAME,
	STATE, EXIT_CODE, REQUESTED_NODES, REQUESTED_RUN_TIME, ALLOCATED_NODES, ALLOCATED_CPUS, SUBMIT_LATENCY, RELEASE_TIME,
	RELEASED_NODES, COMPLETING_NODE, PROBE_LATENCY, JOBS_REQUIRED, NODE_CPUS = JOBS_REQUIRED, TRACE_JOB_ID,
	PARTITION, ACCOUNT, USER, QOS, ALLOCATED_GPUS, PENDING_REASON, PENDING_TIMES,
	/* nothing is taken from these, which follow from the others: they are looked at */
	RESOURCES, SUCCESS, EXECUTION_TIME, WAITING_TIME, TURNAROUND_TIME, JOBS_COLUMNS
};

static const char *const columns[JOBS_COLUMNS] = {
	"job_id", "profile", "submission_time", "requested_time", "starting_time", "finish_time", "allocated_resources",
	"node_list", "cpus", "name", "state", "exit_code", "requested_nodes", "requested_run_time_s", "allocated_nodes",
	"allocated_cpus", "submit_latency_s", "release_time_s", "released_nodes", "completing_node_s", "probe_latency_s",
	"node_cpus",
	"trace_job_id", "partition", "account", "user", "qos", "allocated_gpus", "pending_reason", "pending_times",
	"requested_number_of_resources", "success", "execution_time", "waiting_time", "turnaround_time",
};

static int whole_numbers_read(struct field_reader *r, struct wt_job_record *job)
{
	return field_u32(r, CPUS, &job->cpus) < 0 || field_u32(r, EXIT_CODE, &job->exit_code) < 0 ||
	       field_u32(r, REQUESTED_NODES, &job->nodes) < 0 || field_u32(r, ALLOCATED_NODES, &job->alloc_nodes) < 0 ||
	       field_u32(r, ALLOCATED_CPUS, &job->alloc_cpus) < 0 || field_u32(r, RELEASED_NODES, &job->released_nodes) < 0 ?
	       -1 : 0;
}

/* Relative to the first submission, as written. */
static int seconds_read(struct field_reader *r, struct wt_job_record *job, double *completing_node_s)
{
	/* Of two that different clocks told the later may be the smaller one. */
	return field_seconds(r, SUBMISSION_TIME, &job->submit_s) < 0 ||
	       field_duration(r, REQUESTED_TIME, &job->time_limit_s) < 0 ||
	       field_seconds(r, STARTING_TIME, &job->start_s) < 0 || field_seconds(r, FINISH_TIME, &job->end_s) < 0 ||
	       field_duration(r, REQUESTED_RUN_TIME, &job->run_time_s) < 0 ||
	       field_seconds(r, SUBMIT_LATENCY, &job->submit_latency_s) < 0 ||
	       field_seconds(r, RELEASE_TIME, &job->release_s) < 0 ||
	       field_number(r, COMPLETING_NODE, completing_node_s) < 0 ||
	       field_seconds(r, PROBE_LATENCY, &job->probe_latency_s) < 0 ? -1 : 0;
}

static int others_look(struct field_reader *r)
{
	uint32_t whole;
	double seconds;

	for (int column = RESOURCES; column <= SUCCESS; column++)
		if (*field_text(r, (size_t) column) && field_u32(r, (size_t) column, &whole) < 0)
			return -1;
	for (int column = EXECUTION_TIME; column <= TURNAROUND_TIME; column++)
		if (field_seconds(r, (size_t) column, &seconds) < 0)
			return -1;
	return 0;
}

static void times_restore(struct wt_job_record *job, double begin_s, double completing_node_s)
{
	if (!isnan(job->submit_latency_s))
		job->submit_s += job->submit_latency_s;
	if (!isnan(completing_node_s))
		job->release_sum_s = completing_node_s + job->released_nodes * (job->end_s - job->start_s);
	job->submit_s += begin_s;
	job->start_s += begin_s;
	job->end_s += begin_s;
	job->release_s += begin_s;
}

static int text_copy(struct field_reader *r, unsigned int column, char **to)
{
	const char *text = field_text(r, column);

	if (!*text)
		return 0;
	*to = strdup(text);
	return *to ? 0 : wt_error_errno(r->errp, ENOMEM, "%s", r->name);
}

static int words_read(struct field_reader *r, struct wt_job_record *job)
{
	if (wt_job_state_parse(field_text(r, STATE), &job->state) < 0)
		return wt_error_set(r->errp, EINVAL, "%s:%zu: state '%s' is unknown", r->name, r->row.line,
				    field_text(r, STATE));
	job->class_name = strdup(field_text(r, PROFILE));
	if (!job->class_name)
		return wt_error_errno(r->errp, ENOMEM, "%s", r->name);
	if (text_copy(r, NAME, &job->name) < 0 || text_copy(r, TRACE_JOB_ID, &job->trace_id) < 0 || text_copy(r, NODE_LIST,
		&job->node_list) < 0 ||
	    text_copy(r, ALLOCATED_RESOURCES, &job->node_intervals) < 0)
		return -1;
	if (!job->name)
		return wt_error_set(r->errp, EINVAL, "%s:%zu: a job without a name", r->name, r->row.line);
	return 0;
}

/* After the number of nodes. */
static int node_cpus_read(struct field_reader *r, struct wt_job_record *job)
{
	if (text_copy(r, NODE_CPUS, &job->node_cpus) < 0)
		return -1;
	if (job->node_cpus && wt_node_cpus_parse(job->node_cpus, NULL, job->alloc_nodes, r->errp) < 0)
		return wt_error_prefix(r->errp, "%s:%zu: node_cpus '%.40s'", r->name, r->row.line, job->node_cpus);
	return 0;
}

static int facts_read(struct field_reader *r, struct wt_job_record *job)
{
	if (*field_text(r, ALLOCATED_GPUS) && field_u32(r, ALLOCATED_GPUS, &job->alloc_gpus) < 0)
		return -1;
	return text_copy(r, PARTITION, &job->partition) < 0 || text_copy(r, ACCOUNT, &job->account) < 0 ||
	       text_copy(r, USER, &job->user) < 0 || text_copy(r, QOS, &job->qos) < 0 ||
	       text_copy(r, PENDING_REASON, &job->pending_reason) < 0 || text_copy(r, PENDING_TIMES,
										   &job->pending_times) < 0 ? -1 : 0;
}

/* All of it, or none. */
static int row_read(struct wt_record *record, struct field_reader *r)
{
	struct wt_job_record *job = &record->jobs[record->job_count];
	double completing_node_s;

	wt_job_record_init(job);
	job->line = r->row.line;
	if (words_read(r, job) < 0 || whole_numbers_read(r, job) < 0 || seconds_read(r, job, &completing_node_s) < 0 ||
	    node_cpus_read(r, job) < 0 || facts_read(r, job) < 0 || (r->strict && others_look(r) < 0)) {
		wt_job_record_clear(job);
		return -1;
	}
	times_restore(job, record->begin_s, completing_node_s);
	record->job_count++;
	return 0;
}

static int jobs_reserve(struct wt_record *record, size_t *capacity)
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

/* The index holds pointers, and the array moved while it grew: ids are set when all rows are there. */
static int ids_set(struct wt_record *record, const uint32_t *ids, const char *name, struct wt_error *errp)
{
	for (size_t i = 0; i < record->job_count; i++) {
		const struct wt_job_record *same = ids[i] ? wt_record_find(record, ids[i]) : NULL;

		if (same)
			return wt_error_set(errp, EEXIST, "%s:%zu: job_id %u stands in line %zu, too", name,
					    record->jobs[i].line, ids[i], same->line);
		if (ids[i] && wt_record_set_job_id(record, &record->jobs[i], ids[i], errp) < 0)
			return wt_error_prefix(errp, "%s:%zu", name, record->jobs[i].line);
	}
	return 0;
}

/* Of what was read before a damaged row: no index, wt_record_find () knows none of them. */
static void ids_keep(struct wt_record *record, const uint32_t *ids)
{
	for (size_t i = 0; i < record->job_count; i++)
		record->jobs[i].job_id = ids[i];
}

static int rows_read(struct wt_record *record, struct field_reader *r)
{
	size_t capacity = 0, id_capacity = 0;
	uint32_t *ids = NULL;
	int rc;

	while ((rc = field_next(r)) > 0) {
		if (jobs_reserve(record, &capacity) < 0) {
			rc = wt_error_errno(r->errp, ENOMEM, "%s", r->name);
			break;
		}
		if (id_capacity < capacity) {
			uint32_t *more = reallocarray(ids, capacity, sizeof(*ids));

			if (!more) {
				rc = wt_error_errno(r->errp, ENOMEM, "%s", r->name);
				break;
			}
			ids = more;
			id_capacity = capacity;
		}
		rc = field_u32(r, JOB_ID, &ids[record->job_count]);
		if (rc == 0)
			rc = row_read(record, r);
		if (rc < 0)
			break;
	}
	if (rc == 0)
		rc = ids_set(record, ids, r->name, r->errp);
	else
		ids_keep(record, ids);
	free(ids);
	return rc;
}

static int jobs_read(struct wt_record *record, struct field_reader *r)
{
	return field_columns(r, columns, JOBS_REQUIRED, JOBS_COLUMNS) < 0 ? -1 : rows_read(record, r);
}

int wt_jobs_csv_read(struct wt_record *record, FILE *in, const char *name, struct wt_error *errp)
{
	struct field_reader r;
	int rc;

	if (field_begin(&r, in, name, errp) < 0)
		return -1;
	rc = jobs_read(record, &r);
	field_close(&r);
	return rc;
}

int wt_jobs_csv_read_any(struct wt_record *record, FILE *in, const char *name, bool strict, bool *ours,
			 struct wt_error *errp)
{
	struct field_reader r;
	int rc;

	record->begin_s = 0;
	*ours = true;
	if (field_begin(&r, in, name, errp) < 0)
		return -1;
	r.strict = strict;
	*ours = field_has(&r, columns[NODE_LIST]) && field_has(&r, columns[CPUS]) && field_has(&r, columns[STATE]);
	rc = *ours ? jobs_read(record, &r) : batsim_jobs_take(record, &r);
	field_close(&r);
	return rc;
}
