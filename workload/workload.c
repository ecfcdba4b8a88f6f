/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workload/workload.h"

struct wt_workload *wt_workload_create(const char *name, size_t job_count, struct wt_error *errp)
{
	struct wt_workload *w = calloc(1, sizeof(*w));

	if (!w) {
		wt_error_errno(errp, ENOMEM, "workload %s", name);
		return NULL;
	}
	w->time_scale = 1;
	w->job_count = job_count;
	w->lane_count = 1;
	w->name = strdup(name);
	/* One more than there are: calloc (0) may return NULL, which would be taken for no memory. */
	w->jobs = calloc(job_count + 1, sizeof(*w->jobs));
	w->lanes = calloc(1, sizeof(*w->lanes));
	if (!w->name || !w->jobs || !w->lanes) {
		wt_workload_destroy(w);
		wt_error_errno(errp, ENOMEM, "workload %s", name);
		return NULL;
	}
	for (size_t i = 0; i < job_count; i++)
		w->jobs[i].number = (uint32_t) i;
	w->lanes[0] = (struct wt_lane) { .name = "main", .count = job_count };
	return w;
}

int wt_job_set_name(struct wt_job *job, const char *prefix, uint64_t number, struct wt_error *errp)
{
	free(job->name);
	if (asprintf(&job->name, "%s.%llu", prefix, (unsigned long long) number) < 0) {
		job->name = NULL;
		return wt_error_errno(errp, ENOMEM, "job %s.%llu", prefix, (unsigned long long) number);
	}
	free(job->class_name);
	job->class_name = strdup(prefix);
	return job->class_name ? 0 : wt_error_errno(errp, ENOMEM, "job %s", job->name);
}

size_t wt_job_array_name_len(const struct wt_job *job)
{
	const char *dot = strrchr(job->name, '.');

	return dot ? (size_t) (dot - job->name) : strlen(job->name);
}

void wt_workload_destroy(struct wt_workload *w)
{
	int saved_errno = errno;

	if (!w)
		return;
	for (size_t i = 0; w->jobs && i < w->job_count; i++) {
		free(w->jobs[i].name);
		free(w->jobs[i].class_name);
		free(w->jobs[i].trace_id);
		free(w->jobs[i].near);
		wt_job_ask_destroy(w->jobs[i].ask);
	}
	free(w->jobs);
	free(w->lanes);
	free(w->name);
	wt_world_clear(&w->world);
	free(w);
	errno = saved_errno;
}

static int seconds_valid(double value)
{
	return isfinite(value) && value >= 0;
}

static int job_check(const struct wt_job *job, size_t number, struct wt_error *errp)
{
	const char *name = job->name ? job->name : "(no name)";

	if (!job->name || !*job->name || !job->class_name || job->number != number)
		return wt_error_set(errp, EINVAL, "job %zu (%s): no name or class, or number %u", number, name, job->number);
	if (!job->cpus)
		return wt_error_set(errp, EINVAL, "job %s: asks for no CPU", name);
	if (!seconds_valid(job->run_time_s) || !seconds_valid(job->delay_s) ||
	    (!seconds_valid(job->time_limit_s) && !(job->ask && isnan(job->time_limit_s))))
		return wt_error_set(errp, EINVAL, "job %s: run time %g s, time limit %g s, delay %g s", name,
				    job->run_time_s, job->time_limit_s, job->delay_s);
	return 0;
}

/* A task stands behind the one before, with the same array's name, and asks for the same. */
static bool task_follows(const struct wt_job *before, const struct wt_job *task)
{
	size_t len = wt_job_array_name_len(task);

	return before->array_tasks == task->array_tasks && before->array_task + 1 == task->array_task &&
	       len == wt_job_array_name_len(before) && !strncmp(task->name, before->name, len) && task->delay_s == 0 &&
	       task->waits_for == before->waits_for && task->cpus == before->cpus && task->nodes == before->nodes &&
	       task->time_limit_s == before->time_limit_s;
}

static int array_check(const struct wt_workload *w, size_t i, struct wt_error *errp)
{
	const struct wt_job *job = &w->jobs[i];
	bool right = job->array_task < job->array_tasks && !job->ask &&
		     (job->array_task ? i > 0 && task_follows(job - 1, job) : true) &&
		     (job->array_task + 1 == job->array_tasks || i + 1 < w->job_count);

	if (right && job->array_task + 1 < job->array_tasks)
		right = task_follows(job, job + 1);
	if (!right || job->waits_for > job->number - job->array_task)
		return wt_error_set(errp, EINVAL, "job %s: task %u of %u, waits for %u: not a whole array", job->name,
				    job->array_task, job->array_tasks, job->waits_for);
	return seconds_valid(job->away_s) ? 0 : wt_error_set(errp, EINVAL, "job %s: %g s longer elsewhere", job->name,
							    job->away_s);
}

static int lanes_check(const struct wt_workload *w, struct wt_error *errp)
{
	size_t next = 0;

	for (size_t i = 0; i < w->lane_count; i++) {
		const struct wt_lane *lane = &w->lanes[i];

		if (lane->first != next || lane->count > w->job_count - next)
			return wt_error_set(errp, EINVAL,
					    "lane %s: jobs %zu and %zu more of %zu do not follow the lane before",
					    lane->name, lane->first, lane->count, w->job_count);
		if (i && lane->stage < w->lanes[i - 1].stage)
			return wt_error_set(errp, EINVAL, "lane %s: stage %u behind stage %u", lane->name, lane->stage,
					    w->lanes[i - 1].stage);
		next += lane->count;
	}
	if (next != w->job_count)
		return wt_error_set(errp, EINVAL, "%zu jobs, but the lanes hold %zu", w->job_count, next);
	return 0;
}

static int name_compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void name_keep(void *name)
{
	(void) name;	/* names belong to the jobs */
}

/* A tree, not a loop in a loop: a trace has a million names.  Submission and dependencies find jobs by name. */
static int names_check(const struct wt_workload *w, struct wt_error *errp)
{
	void *tree = NULL;
	int rc = 0;

	for (size_t i = 0; i < w->job_count && rc == 0; i++) {
		char *const *found = tsearch(w->jobs[i].name, &tree, name_compare);

		if (!found)
			rc = wt_error_errno(errp, ENOMEM, "workload %s", w->name);
		else if (*found != w->jobs[i].name)
			rc = wt_error_set(errp, EINVAL, "two jobs are named %s", w->jobs[i].name);
	}
	tdestroy(tree, name_keep);
	return rc;
}

int wt_workload_check(const struct wt_workload *w, struct wt_error *errp)
{
	if (!w->name || !seconds_valid(w->ideal_s) || !(isfinite(w->time_scale) && w->time_scale > 0))
		return wt_error_set(errp, EINVAL, "workload %s: ideal time %g s, time scale %g", w->name ? w->name :
				    "(no name)",
				    w->ideal_s, w->time_scale);
	for (size_t i = 0; i < w->job_count; i++)
		if (job_check(&w->jobs[i], i, errp) < 0 || (w->jobs[i].array_tasks && array_check(w, i, errp) < 0))
			return -1;
	if (lanes_check(w, errp) < 0)
		return -1;
	return names_check(w, errp);
}
