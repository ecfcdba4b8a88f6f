/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <string.h>

#include "lib/csv.h"
#include "record/jobs_csv.h"

/* Batsim's words for how a job ended (its JobState). */
static const char *batsim_state(const struct wt_job_record *job)
{
	if (!job->job_id)
		return "REJECTED";
	switch (job->state) {
	case WT_JOB_COMPLETED:
		return "COMPLETED_SUCCESSFULLY";
	case WT_JOB_FAILED:
	case WT_JOB_NODE_FAIL:
	case WT_JOB_OTHER:
		return "COMPLETED_FAILED";
	case WT_JOB_TIMEOUT:
		return "COMPLETED_WALLTIME_REACHED";
	case WT_JOB_CANCELLED:
		return "COMPLETED_KILLED";
	case WT_JOB_RUNNING:
	case WT_JOB_COMPLETING:
		return "RUNNING";
	case WT_JOB_PENDING:
	case WT_JOB_UNKNOWN:
		break;
	}
	return "SUBMITTED";
}

/* Batsim counts whole resources: a job of CPUs wanted at least as many nodes as hold them. */
static uint32_t nodes_requested(const struct wt_record *record, const struct wt_job_record *job)
{
	uint32_t node_cpus = record->nodes ? record->cpus / record->nodes : 0;

	if (job->nodes || !node_cpus)
		return job->nodes;
	return job->cpus / node_cpus + (job->cpus % node_cpus != 0);
}

static void batsim_columns(struct wt_csv *csv, const struct wt_record *record, const struct wt_job_record *job)
{
	double sent_s = wt_job_sent_s(job), execution_s = job->end_s - job->start_s;

	wt_csv_uint(csv, job->job_id);
	wt_csv_text(csv, record->workload);
	wt_csv_text(csv, job->class_name);
	wt_csv_seconds(csv, sent_s - record->begin_s);
	wt_csv_uint(csv, nodes_requested(record, job));
	wt_csv_seconds(csv, job->time_limit_s);
	wt_csv_uint(csv, job->state == WT_JOB_COMPLETED);
	wt_csv_text(csv, batsim_state(job));
	wt_csv_seconds(csv, job->start_s - record->begin_s);
	wt_csv_seconds(csv, execution_s);
	wt_csv_seconds(csv, job->end_s - record->begin_s);
	wt_csv_seconds(csv, job->start_s - sent_s);
	wt_csv_seconds(csv, job->end_s - sent_s);
	wt_csv_seconds(csv, (job->end_s - sent_s) / execution_s);
	wt_csv_text(csv, job->node_intervals);
	wt_csv_text(csv, "-1");
	wt_csv_empty(csv);
}

static void facts_columns(struct wt_csv *csv, const struct wt_job_record *job)
{
	wt_csv_text(csv, job->partition);
	wt_csv_text(csv, job->account);
	wt_csv_text(csv, job->user);
	wt_csv_text(csv, job->qos);
	if (job->alloc_gpus == WT_GPUS_UNKNOWN)
		wt_csv_empty(csv);
	else
		wt_csv_uint(csv, job->alloc_gpus);
	wt_csv_text(csv, job->pending_reason);
	wt_csv_text(csv, job->pending_times);
}

static void own_columns(struct wt_csv *csv, const struct wt_record *record, const struct wt_job_record *job)
{
	wt_csv_text(csv, job->node_list);
	wt_csv_uint(csv, job->cpus);
	wt_csv_text(csv, job->name);
	wt_csv_text(csv, wt_job_state_name(job->state));
	wt_csv_uint(csv, job->exit_code);
	wt_csv_uint(csv, job->nodes);
	wt_csv_seconds(csv, job->run_time_s);
	wt_csv_uint(csv, job->alloc_nodes);
	wt_csv_uint(csv, job->alloc_cpus);
	wt_csv_seconds(csv, job->submit_latency_s);
	wt_csv_seconds(csv, job->release_s - record->begin_s);
	wt_csv_uint(csv, job->released_nodes);
	wt_csv_seconds(csv, wt_job_completing_node_s(job));
	wt_csv_seconds(csv, job->probe_latency_s);
	wt_csv_text(csv, job->trace_id);
	wt_csv_text(csv, job->node_cpus);
	facts_columns(csv, job);
}

int wt_jobs_csv_write(FILE *out, const void *arg, struct wt_error *errp)
{
	const struct wt_record *record = arg;
	struct wt_csv csv = { .out = out };

	(void) errp;
	fputs(WT_JOBS_CSV_HEADER "\n", out);
	for (size_t i = 0; i < record->job_count; i++) {
		batsim_columns(&csv, record, &record->jobs[i]);
		own_columns(&csv, record, &record->jobs[i]);
		wt_csv_end(&csv);
	}
	return 0;
}
