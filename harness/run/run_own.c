/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A real cluster's job submit plugin may give jobs another comment or name, by which a run knows its own: then it ends with
 * its first job, and finds what it has submitted by the ids that slurmctld told. */
#include "config.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <slurm/slurm.h>

#include "compat/job_id.h"
#include "harness/run/job_tag.h"
#include "harness/run/run_private.h"

/* slurmctld tells whole seconds, by its own host's clock. */
#define CLOCKS_APART_S 60

static int id_compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Sorted; the caller frees.  NULL: none, or no memory. */
static uint32_t *ids_take(struct wt_run *run, size_t *count)
{
	uint32_t *ids = calloc(run->workload->job_count + 1, sizeof(*ids));

	*count = 0;
	pthread_mutex_lock(&run->lock);
	for (size_t i = 0; ids && i < run->workload->job_count; i++) {
		ids[*count] = wt_ledger_waited_id(run->ledger, i);
		*count += ids[*count] != 0;
	}
	pthread_mutex_unlock(&run->lock);
	if (ids)
		qsort(ids, *count, sizeof(*ids), id_compare);
	return ids;
}

static bool is_own(const struct wt_run *run, const slurm_job_info_t *job, const uint32_t *ids, size_t count)
{
	uint32_t id = job->array_job_id ? job->array_job_id : job->job_id;

	/* A slurmctld that has lost its state gives the same ids again. */
	return job->user_id == getuid() && (double) job->submit_time >= run->begin_s - CLOCKS_APART_S &&
	       bsearch(&id, ids, count, sizeof(*ids), id_compare);
}

size_t wt_run_own_cancel(struct wt_run *run)
{
	job_info_msg_t *jobs = NULL;
	size_t count, left = 0;
	uint32_t *ids = ids_take(run, &count);

	if (ids && count && slurm_load_jobs(0, &jobs, SHOW_ALL | SHOW_LOCAL) == 0) {
		for (uint32_t i = 0; i < jobs->record_count; i++) {
			const slurm_job_info_t *job = &jobs->job_array[i];
			bool ended = (job->job_state & JOB_STATE_BASE) >= JOB_COMPLETE;

			if (!is_own(run, job, ids, count))
				continue;
			left += !ended || job->job_state & JOB_COMPLETING;
			if (!ended)
				slurm_kill_job(COMPAT_JOB(job->job_id), SIGKILL, 0);
		}
		slurm_free_job_info_msg(jobs);
	} else {
		left = count;
	}
	free(ids);
	return left;
}

static bool is_known(const struct wt_run *run, const slurm_job_info_t *job, const struct wt_job *submitted)
{
	const char *name = job->comment && job->name ? wt_run_job_name(job->comment, job->name, run->tag) : NULL;

	return name && (submitted->array_tasks || !strcmp(name, submitted->name));
}

void wt_run_own_look(struct wt_run *run)
{
	job_info_msg_t *jobs = NULL;
	uint32_t id;

	if (!run->target.real.looked || run->own_looked)
		return;
	pthread_mutex_lock(&run->lock);
	id = wt_ledger_waited_id(run->ledger, 0);
	pthread_mutex_unlock(&run->lock);
	if (!id || slurm_load_job(&jobs, COMPAT_JOB(id), SHOW_ALL | SHOW_LOCAL))
		return;
	run->own_looked = true;
	for (uint32_t i = 0; i < jobs->record_count; i++)
		run->own_strange |= jobs->job_array[i].user_id == getuid() &&
				    !is_known(run, &jobs->job_array[i], &run->workload->jobs[0]);
	slurm_free_job_info_msg(jobs);
	if (run->own_strange)
		wt_run_fail(run, "slurmctld gave job %u another comment or name than it was submitted with, by a job submit "
			    "plugin, say; by these a run knows its jobs: it cancels what it has submitted", id);
}
