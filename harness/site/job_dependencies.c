/* SPDX-License-Identifier: GPL-2.0-or-later */
/* site_jobs.h: a site's dependencies name its job ids; an array's stands for all its tasks. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/site/reasons.h"
#include "harness/site/site_jobs.h"
#include "lib/str.h"
#include "workload/dependency.h"

struct mapping {		/* of all jobs, in the order of their submission */
	json_t *ids;		/* of jobs before: true */
	json_t *arrays;		/* an array's id: the ids of its tasks before, with ':' between them */
	json_t *tasks;		/* the same, as a list; only where it has a throttle */
	const char *told;	/* the dependency that is being mapped */
	const char *task;	/* of the job that has it: "_3"; NULL: it is no task of an array */
	char id[256];		/* what the last question was answered with */
	size_t cut;		/* ids that are not there */
};

/* Is the id at 'text' one of "aftercorr:10:11"? */
static bool is_of_same_task(const struct mapping *m, const char *text)
{
	static const char kind[] = "aftercorr:";

	while (text > m->told && !strchr(",?", text[-1]))
		text--;
	return m->task && !strncmp(text, kind, sizeof(kind) - 1);
}

/* The task of that array with the number of the job's own. */
static const char *task_map(struct mapping *m)
{
	size_t len = strlen(m->id);

	if (len + strlen(m->task) < sizeof(m->id)) {
		strcpy(m->id + len, m->task);
		if (json_object_get(m->ids, m->id))
			return m->id;
	}
	m->cut++;
	return NULL;
}

static const char *id_map(const char *text, size_t len, void *arg)
{
	struct mapping *m = arg;
	const json_t *tasks;

	if (len >= sizeof(m->id))
		len = 0;
	memcpy(m->id, text, len);
	m->id[len] = '\0';
	for (char *p = m->id; *p; p++)
		*p = *p == '+' ? '.' : *p;
	if (json_object_get(m->ids, m->id))
		return m->id;
	tasks = json_object_get(m->arrays, m->id);
	if (tasks && is_of_same_task(m, text))
		return task_map(m);
	m->cut += !tasks;
	return tasks ? json_string_value(tasks) : NULL;
}

/* An array of many tasks makes a text that no job may have: it is known by then that it is too long. */
static int array_note(struct mapping *m, const char *id)
{
	const char *bar = strchr(id, '_'), *before;
	char *base, *all;
	int rc;

	if (!bar)
		return 0;
	base = strndup(id, (size_t) (bar - id));
	before = base ? json_string_value(json_object_get(m->arrays, base)) : NULL;
	if (before && strlen(before) > WT_ASK_TEXT_MAX) {
		free(base);
		return 0;
	}
	all = base ? wt_str_format("%s%s%s", before ? before : "", before ? ":" : "", id) : NULL;
	rc = all ? json_object_set_new(m->arrays, base, json_string(all)) : -1;
	free(base);
	free(all);
	return rc;
}

/* The job's dependency, as the file's ids have it; what remains of none is "". */
static int dependency_map(struct wt_site_jobs *jobs, struct mapping *m, struct wt_site_job *job, struct wt_error *errp)
{
	struct wt_job_ask *ask = job->job.ask;
	const char *told = ask->text[WT_ASK_DEPENDENCY];
	char *mapped;
	int rc;

	if (!told)
		return 0;
	m->cut = 0;
	m->told = told;
	m->task = strchr(job->job.id, '_');
	mapped = wt_dependency_map(told, id_map, m, NULL);
	if (!mapped && errno == ENOMEM)
		return wt_error_errno(errp, ENOMEM, "jobs");
	if (mapped && m->cut && wt_reason_count(jobs->unknown, "a job that it depends on", errp) < 0) {
		free(mapped);
		return -1;
	}
	if (!mapped || strlen(mapped) > WT_ASK_TEXT_MAX) {
		free(mapped);
		mapped = strdup("");
		if (mapped && wt_reason_count(jobs->unknown, WT_REASON_VALUE " --dependency", errp) < 0) {
			free(mapped);
			return -1;
		}
	}
	rc = mapped ? wt_job_ask_text_set(ask, WT_ASK_DEPENDENCY, *mapped ? mapped : NULL) : -1;
	/* What it waited for decides when it may begin, not when that was. */
	if (rc == 0 && *mapped)
		ask->number[WT_ASK_BEGIN_AFTER_S] = NAN;
	free(mapped);
	return rc < 0 ? wt_error_errno(errp, ENOMEM, "jobs") : 0;
}

/* The tasks before, of the array of 'job'; NULL: no memory. */
static json_t *tasks_before(struct mapping *m, const struct wt_site_job *job)
{
	const char *id = job->job.id, *bar = strchr(id, '_');
	char *base = strndup(id, (size_t) (bar - id));
	json_t *tasks = base ? json_object_get(m->tasks, base) : NULL;

	if (base && !tasks) {
		tasks = json_array();
		if (json_object_set_new(m->tasks, base, tasks) < 0)
			tasks = NULL;
	}
	free(base);
	return tasks;
}

/* Its dependency, and that on 'id'; what waits for any of several cannot wait for all of them and one more. */
static int dependency_add(struct wt_site_jobs *jobs, struct wt_site_job *job, const char *id, struct wt_error *errp)
{
	const char *has = job->job.ask->text[WT_ASK_DEPENDENCY];
	char *all;
	int rc;

	if (has && strchr(has, '?'))
		return wt_reason_count(jobs->unknown, "the throttle of its array (%), beside its dependency", errp);
	all = wt_str_format("%s%safterany:%s", has ? has : "", has ? "," : "", id);
	if (all && strlen(all) > WT_ASK_TEXT_MAX) {
		free(all);
		return wt_reason_count(jobs->unknown, "the throttle of its array (%), beside its dependency", errp);
	}
	rc = all ? wt_job_ask_text_set(job->job.ask, WT_ASK_DEPENDENCY, all) : -1;
	free(all);
	if (rc < 0)
		return wt_error_errno(errp, ENOMEM, "jobs");
	/* It could begin when its turn came: that is for the run to find. */
	job->job.ask->number[WT_ASK_BEGIN_AFTER_S] = NAN;
	return wt_reason_count(jobs->assumed, "the throttle of its array (%): it waits for the task that many before it",
			       errp);
}

static int throttle_map(struct wt_site_jobs *jobs, struct mapping *m, struct wt_site_job *job, struct wt_error *errp)
{
	json_t *tasks;
	int rc = 0;

	if (!job->throttle || !strchr(job->job.id, '_'))
		return 0;
	tasks = tasks_before(m, job);
	if (!tasks)
		return wt_error_errno(errp, ENOMEM, "jobs");
	if (json_array_size(tasks) >= job->throttle)
		rc = dependency_add(jobs, job, json_string_value(json_array_get(tasks, json_array_size(tasks) -
									       job->throttle)), errp);
	if (rc == 0 && json_array_append_new(tasks, json_string(job->job.id)) < 0)
		rc = wt_error_errno(errp, ENOMEM, "jobs");
	return rc;
}

int wt_site_jobs_dependencies(struct wt_site_jobs *jobs, struct wt_error *errp)
{
	struct mapping m = { .ids = json_object(), .arrays = json_object(), .tasks = json_object() };
	int rc = m.ids && m.arrays && m.tasks ? 0 : wt_error_errno(errp, ENOMEM, "jobs");

	for (size_t i = 0; i < jobs->count && rc == 0; i++) {
		rc = dependency_map(jobs, &m, &jobs->list[i], errp);
		if (rc == 0)
			rc = throttle_map(jobs, &m, &jobs->list[i], errp);
		if (rc == 0 && (json_object_set_new(m.ids, jobs->list[i].job.id, json_true()) < 0 ||
				array_note(&m, jobs->list[i].job.id) < 0))
			rc = wt_error_errno(errp, ENOMEM, "jobs");
	}
	json_decref(m.ids);
	json_decref(m.arrays);
	json_decref(m.tasks);
	return rc;
}
