/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

/* What must hold for a record, and the names of states. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "record/record.h"
#include "lib/str.h"

static const char *const state_names[WT_JOB_STATE_COUNT] = {
	[WT_JOB_UNKNOWN] = "UNKNOWN",
	[WT_JOB_PENDING] = "PENDING",
	[WT_JOB_RUNNING] = "RUNNING",
	[WT_JOB_COMPLETING] = "COMPLETING",
	[WT_JOB_COMPLETED] = "COMPLETED",
	[WT_JOB_FAILED] = "FAILED",
	[WT_JOB_TIMEOUT] = "TIMEOUT",
	[WT_JOB_CANCELLED] = "CANCELLED",
	[WT_JOB_NODE_FAIL] = "NODE_FAIL",
	[WT_JOB_OTHER] = "OTHER",
};

bool wt_job_state_final(enum wt_job_state state)
{
	return state >= WT_JOB_COMPLETED;
}

const char *wt_job_state_name(enum wt_job_state state)
{
	return state_names[state];
}

int wt_job_state_parse(const char *name, enum wt_job_state *state)
{
	for (size_t i = 0; i < WT_JOB_STATE_COUNT; i++)
		if (!strcmp(name, state_names[i])) {
			*state = (enum wt_job_state) i;
			return 0;
		}
	errno = EINVAL;
	return -1;
}

int wt_record_accounted(const struct wt_record *record, struct wt_error *errp)
{
	struct wt_str names = { 0 };
	size_t missing = 0;

	for (size_t i = 0; i < record->job_count; i++) {
		const struct wt_job_record *job = &record->jobs[i];

		if (wt_job_state_final(job->state))
			continue;
		/* Enough to look for: the message goes to a terminal. */
		if (missing++ < 32)
			wt_str_printf(&names, " %s (%s)", job->name,
				      job->job_id ? state_names[job->state] : "not submitted");
	}
	if (missing)
		wt_error_set(errp, ECHILD, "%zu of %zu jobs are not accounted for:%s%s", missing, record->job_count,
			     names.text ? names.text : "", missing > 32 ? " ..." : "");
	wt_str_clear(&names);
	if (!missing)
		return 0;
	errno = ECHILD;
	return -1;
}

/* slurmctld's times, which stand in where the nodes told none, are cut to whole seconds. */
static int time_cut(double time_s)
{
	return fabs(time_s - round(time_s)) < 2e-6;
}

/* NAN means unknown and breaks no order. */
static int in_order(double earlier, double later)
{
	return !(later < earlier - (time_cut(earlier) || time_cut(later) ? 1 : 2e-6));
}

int wt_job_times_check(const struct wt_job_record *job, struct wt_error *errp)
{
	if (!in_order(wt_job_sent_s(job), job->start_s))
		return wt_error_set(errp, EINVAL, "job %s: starts %f s before it is submitted", job->name,
				    wt_job_sent_s(job) - job->start_s);
	if (!in_order(job->start_s, job->end_s))
		return wt_error_set(errp, EINVAL, "job %s: ends %f s before it starts", job->name,
				    job->start_s - job->end_s);
	if (!in_order(job->end_s, job->release_s))
		return wt_error_set(errp, EINVAL, "job %s: its nodes are released %f s before it ends", job->name,
				    job->end_s - job->release_s);
	return 0;
}

static int job_check(const struct wt_record *record, const struct wt_job_record *job, struct wt_error *errp)
{
	if (!job->name || !*job->name)
		return wt_error_set(errp, EINVAL, "job %zu has no name", (size_t) (job - record->jobs));
	if ((unsigned int) job->state >= WT_JOB_STATE_COUNT)
		return wt_error_set(errp, EINVAL, "job %s: state %d", job->name, (int) job->state);
	if (job->job_id && wt_record_find(record, job->job_id) != job)
		return wt_error_set(errp, EINVAL, "job %s: its id %u is not its own", job->name, job->job_id);
	if (job->alloc_nodes > record->nodes || job->alloc_cpus > record->cpus)
		return wt_error_set(errp, EINVAL, "job %s: had %u nodes and %u CPUs of %u and %u", job->name,
				    job->alloc_nodes, job->alloc_cpus, record->nodes, record->cpus);
	return wt_job_times_check(job, errp);
}

int wt_record_check(const struct wt_record *record, struct wt_error *errp)
{
	if (!record->nodes || record->cpus < record->nodes)
		return wt_error_set(errp, EINVAL, "%u nodes with %u CPUs", record->nodes, record->cpus);
	if (!record->backend || !record->clock || !record->workload)
		return wt_error_set(errp, EINVAL, "backend, clock or workload is not set");
	if (!isfinite(record->begin_s) || !(record->time_scale > 0))
		return wt_error_set(errp, EINVAL, "begins at %g s, time scale %g", record->begin_s, record->time_scale);
	for (size_t i = 0; i < record->job_count; i++)
		if (job_check(record, &record->jobs[i], errp) < 0)
			return record->jobs[i].line ? wt_error_prefix(errp, "jobs.csv:%zu", record->jobs[i].line) : -1;
	for (size_t i = 1; i < record->sample_count; i++)
		if (!(record->samples[i].time_s >= record->samples[i - 1].time_s))
			return wt_error_set(errp, EINVAL, "sample %zu is older than the one before", i);
	return 0;
}
