/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "record/record.h"

void wt_job_record_init(struct wt_job_record *job)
{
	*job = (struct wt_job_record){
		.state = WT_JOB_UNKNOWN,
		.alloc_gpus = WT_GPUS_UNKNOWN,
		.run_time_s = NAN,
		.time_limit_s = NAN,
		.submit_s = NAN,
		.submit_latency_s = NAN,
		.ran_s = NAN,
		.start_s = NAN,
		.end_s = NAN,
		.release_s = NAN,
		.probe_latency_s = NAN,
	};
}

static int job_copy(struct wt_job_record *record, const struct wt_job *job)
{
	wt_job_record_init(record);
	record->name = strdup(job->name);
	record->class_name = strdup(job->class_name);
	record->trace_id = job->trace_id ? strdup(job->trace_id) : NULL;
	record->cpus = job->cpus;
	record->nodes = job->nodes;
	record->run_time_s = job->run_time_s;
	record->time_limit_s = job->time_limit_s;
	return record->name && record->class_name && (record->trace_id || !job->trace_id) ? 0 : -1;
}

static int workload_copy(struct wt_record *record, const struct wt_workload *w)
{
	record->workload = strdup(w->name);
	record->jobs = calloc(w->job_count ? w->job_count : 1, sizeof(*record->jobs));
	if (!record->workload || !record->jobs)
		return -1;
	record->seed = w->seed;
	record->ideal_s = w->ideal_s;
	record->time_scale = w->time_scale;
	for (size_t i = 0; i < w->job_count; i++) {
		record->job_count++;	/* also when the copy fails: what it has is freed */
		if (job_copy(&record->jobs[i], &w->jobs[i]) < 0)
			return -1;
	}
	return 0;
}

struct wt_record *wt_record_create(const struct wt_workload *workload, struct wt_error *errp)
{
	struct wt_record *record = calloc(1, sizeof(*record));

	if (!record)
		goto no_memory;
	record->ideal_s = record->begin_s = record->cancel_s = record->wall_s = record->controller_cpu_s = NAN;
	for (size_t i = 0; i < WT_PLACED_COUNT; i++)
		record->placed[i] = NAN;
	for (size_t i = 0; i < WT_COST_COUNT; i++)
		record->costs[i] = NAN;
	/* NAN stands for "not measured" everywhere; a scale that is not told is 1. */
	record->time_scale = 1;
	if (workload && workload_copy(record, workload) < 0)
		goto no_memory;
	return record;
no_memory:
	wt_record_destroy(record);
	wt_error_errno(errp, ENOMEM, "record of a run");
	return NULL;
}

static void job_keep(void *job)
{
	(void) job;	/* jobs belong to the array */
}

void wt_job_record_clear(struct wt_job_record *job)
{
	char *const texts[] = {
		job->name, job->class_name, job->trace_id, job->node_list, job->node_intervals, job->node_cpus,
			job->partition, job->account,
		job->user, job->qos, job->pending_reason, job->pending_times,
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		free(texts[i]);
	wt_job_record_init(job);
}

void wt_record_destroy(struct wt_record *record)
{
	int saved_errno = errno;

	if (!record)
		return;
	/* The tree first: it points into the array. */
	tdestroy(record->by_id, job_keep);
	for (size_t i = 0; i < record->job_count; i++)
		wt_job_record_clear(&record->jobs[i]);
	free(record->jobs);
	free(record->samples);
	free(record->backend);
	free(record->clock);
	free(record->slurm_version);
	free(record->workload);
	free(record);
	errno = saved_errno;
}

static int id_compare(const void *a, const void *b)
{
	uint32_t x = ((const struct wt_job_record *) a)->job_id, y = ((const struct wt_job_record *) b)->job_id;

	return (x > y) - (x < y);
}

int wt_record_set_job_id(struct wt_record *record, struct wt_job_record *job, uint32_t job_id, struct wt_error *errp)
{
	struct wt_job_record *const *found;

	if (!job_id || job->job_id)
		return wt_error_set(errp, EINVAL, "job %s: cannot have id %u besides %u", job->name, job_id, job->job_id);
	job->job_id = job_id;
	/* The number is set first, for the tree is ordered by it; it is taken back if another job has it. */
	found = tsearch(job, &record->by_id, id_compare);
	if (found && *found == job)
		return 0;
	job->job_id = 0;
	if (!found)
		return wt_error_errno(errp, ENOMEM, "job %s", job->name);
	return wt_error_set(errp, EEXIST, "jobs %s and %s both have id %u", (*found)->name, job->name, job_id);
}

struct wt_job_record *wt_record_find(const struct wt_record *record, uint32_t job_id)
{
	struct wt_job_record key = { .job_id = job_id };
	struct wt_job_record *const *found = tfind(&key, &record->by_id, id_compare);

	return found ? *found : NULL;
}

int wt_record_add_sample(struct wt_record *record, const struct wt_sample *sample, struct wt_error *errp)
{
	if (record->sample_count == record->sample_capacity) {
		size_t capacity = record->sample_capacity ? 2 * record->sample_capacity : 256;
		struct wt_sample *samples = reallocarray(record->samples, capacity, sizeof(*samples));

		if (!samples)
			return wt_error_errno(errp, ENOMEM, "samples of a run");
		record->samples = samples;
		record->sample_capacity = capacity;
	}
	record->samples[record->sample_count++] = *sample;
	return 0;
}

double wt_job_sent_s(const struct wt_job_record *job)
{
	return isnan(job->submit_latency_s) ? job->submit_s : job->submit_s - job->submit_latency_s;
}

double wt_job_completing_node_s(const struct wt_job_record *job)
{
	if (!job->released_nodes)
		return NAN;
	return job->release_sum_s - job->released_nodes * (job->end_s - job->start_s);
}
