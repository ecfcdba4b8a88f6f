/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/site/reasons.h"
#include "harness/site/site_jobs.h"
#include "lib/csv.h"
#include "lib/str.h"
#include "workload/jobs_file.h"

#define NAME_MAX_BYTES 200	/* of a job's name: what is longer ends in "..." */

int wt_site_jobs_init(struct wt_site_jobs *jobs, struct wt_error *errp)
{
	jobs->array_max = WT_SITE_ARRAY_MAX;
	jobs->left_out = json_object();
	jobs->unknown = json_object();
	jobs->assumed = json_object();
	return jobs->left_out && jobs->unknown && jobs->assumed ? 0 : wt_error_errno(errp, ENOMEM, "jobs");
}

static void job_clear(struct wt_site_job *job)
{
	wt_swf_job_clear(&job->job);
	free(job->nodes);
	free(job->partition);
	memset(job, 0, sizeof(*job));
}

void wt_site_jobs_clear(struct wt_site_jobs *jobs)
{
	int saved_errno = errno;

	for (size_t i = 0; i < jobs->count; i++)
		job_clear(&jobs->list[i]);
	free(jobs->list);
	json_decref(jobs->left_out);
	json_decref(jobs->unknown);
	json_decref(jobs->assumed);
	memset(jobs, 0, sizeof(*jobs));
	errno = saved_errno;
}

static int room_make(struct wt_site_jobs *jobs, struct wt_error *errp)
{
	size_t capacity = jobs->capacity ? jobs->capacity * 2 : 1024;
	struct wt_site_job *list;

	if (jobs->count < jobs->capacity)
		return 0;
	if (jobs->count >= WT_JOBS_MAX)
		return wt_error_set(errp, EFBIG, "more than %d jobs: take a shorter period", WT_JOBS_MAX);
	list = reallocarray(jobs->list, capacity, sizeof(*list));
	if (!list)
		return wt_error_errno(errp, ENOMEM, "jobs");
	jobs->list = list;
	jobs->capacity = capacity;
	return 0;
}

struct wt_site_job *wt_site_jobs_add(struct wt_site_jobs *jobs, const char *id, struct wt_error *errp)
{
	struct wt_site_job *job;

	if (room_make(jobs, errp) < 0)
		return NULL;
	job = &jobs->list[jobs->count];
	*job = (struct wt_site_job) {
		.job = { .number = jobs->count, .submit_s = -1, .run_time_s = -1, .requested_time_s = -1, .wait_s = -1,
			 .status = -1, .user = -1, .group = -1, .executable = -1, .queue = -1 },
		.eligible_s = NAN, .start_s = NAN, .end_s = NAN, .state = "UNKNOWN",
	};
	job->job.id = strdup(id);
	job->job.ask = wt_job_ask_create();
	jobs->count++;
	if (job->job.id && job->job.ask)
		return job;
	wt_site_jobs_drop_last(jobs);
	wt_error_errno(errp, ENOMEM, "jobs");
	return NULL;
}

void wt_site_jobs_drop_last(struct wt_site_jobs *jobs)
{
	job_clear(&jobs->list[--jobs->count]);
}

int wt_site_jobs_begin(struct wt_site_jobs *jobs, struct wt_site_counts *counts, struct wt_error *errp)
{
	json_t *unknown = json_object(), *assumed = json_object();

	if (!unknown || !assumed) {
		json_decref(unknown);
		json_decref(assumed);
		return wt_error_errno(errp, ENOMEM, "jobs");
	}
	*counts = (struct wt_site_counts) { .unknown = jobs->unknown, .assumed = jobs->assumed };
	jobs->unknown = unknown;
	jobs->assumed = assumed;
	return 0;
}

int wt_site_jobs_end(struct wt_site_jobs *jobs, struct wt_site_counts *counts, bool kept, struct wt_error *errp)
{
	int rc = 0;

	if (kept)
		rc = wt_reasons_add(counts->unknown, jobs->unknown, errp) < 0 ||
		     wt_reasons_add(counts->assumed, jobs->assumed, errp) < 0 ? -1 : 0;
	json_decref(jobs->unknown);
	json_decref(jobs->assumed);
	jobs->unknown = counts->unknown;
	jobs->assumed = counts->assumed;
	return rc;
}

int wt_site_jobs_bad(struct wt_site_jobs *jobs, const struct wt_error *bad, struct wt_error *errp)
{
	if (!jobs->skip_bad)
		return wt_error_set(errp, EINVAL, "%s (--skip-bad leaves out, and counts, what cannot be read)", bad->text);
	if (!*jobs->first_bad)
		snprintf(jobs->first_bad, sizeof(jobs->first_bad), "%s", bad->text);
	return wt_reason_count(jobs->left_out, "records that cannot be read", errp);
}

static int take(struct wt_site_jobs *jobs, struct wt_site_job *job, const char *key, json_t *value, struct wt_error *errp)
{
	int rc = value ? wt_job_ask_take(job->job.ask, key, value, errp) : wt_error_errno(errp, ENOMEM, "jobs");
	char *why;

	json_decref(value);
	if (rc >= 0 || errno == ENOMEM)
		return rc < 0 ? -1 : 0;
	why = wt_str_format(WT_REASON_VALUE " %s", key);
	rc = why ? wt_reason_count(jobs->unknown, why, errp) : wt_error_errno(errp, ENOMEM, "jobs");
	free(why);
	return rc;
}

/* A name may be anything: what cannot stand in a line becomes '?'. */
static char *text_rename(const struct wt_site_jobs *jobs, const char *key, const char *text)
{
	static const struct { const char *key; enum wt_alias_kind kind; } kinds[] = {
		{ "name", WT_ALIAS_JOB }, { "account", WT_ALIAS_ACCOUNT }, { "wckey", WT_ALIAS_WCKEY },
	};

	for (size_t i = 0; jobs->aliases && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(key, kinds[i].key))
			return wt_alias(jobs->aliases, kinds[i].kind, text);
	return !strcmp(key, "name") ? wt_str_make_line(text, NAME_MAX_BYTES) : strdup(text);
}

int wt_site_job_text(struct wt_site_jobs *jobs, struct wt_site_job *job, const char *key, const char *text,
		     struct wt_error *errp)
{
	char *renamed;
	json_t *value;

	if (!text || !*text)
		return 0;
	renamed = text_rename(jobs, key, text);
	if (renamed)
		wt_str_make_utf8(renamed);
	value = renamed ? json_string(renamed) : NULL;
	free(renamed);
	return take(jobs, job, key, value, errp);
}

int wt_site_job_number(struct wt_site_jobs *jobs, struct wt_site_job *job, const char *key, double number,
		       struct wt_error *errp)
{
	json_t *value = !isfinite(number) ? json_null() : number == floor(number) && fabs(number) < 1e15 ?
			json_integer((json_int_t) number) : json_real(number);

	return take(jobs, job, key, value, errp);
}

int wt_site_job_user(struct wt_site_jobs *jobs, struct wt_site_job *job, const char *user, const char *group,
		     struct wt_error *errp)
{
	char *user_alias, *group_alias;
	int rc = -1;

	if (!*user)
		return 0;
	user_alias = wt_alias(jobs->aliases, WT_ALIAS_USER, user);
	group_alias = group && *group ? wt_alias(jobs->aliases, WT_ALIAS_GROUP, group) : NULL;
	if (!user_alias || (group && *group && !group_alias))
		wt_error_errno(errp, ENOMEM, "jobs");
	else
		rc = wt_people_user(jobs->people, user_alias, group_alias, errp);
	if (rc == 0)
		rc = take(jobs, job, "user", json_string(user_alias), errp);
	else if (rc == 1 && !strcmp(user_alias, "root"))
		rc = wt_reason_count(jobs->assumed, "root's jobs are the caller's", errp);
	else if (rc == 1)
		rc = wt_reason_count(jobs->unknown, "a user whose name passwd(5) cannot have", errp);
	free(user_alias);
	free(group_alias);
	return rc < 0 ? -1 : 0;
}

int wt_site_job_check(struct wt_site_job *job, struct wt_error *errp)
{
	struct wt_job_ask *ask = job->job.ask;
	double cancel_s = ask->number[WT_ASK_CANCEL_AFTER_S];

	if (wt_job_ask_check(ask, errp) < 0)
		return -1;
	/* As a reader of windtunnel-jobs(5) plans jobs that do not end by themselves. */
	if (job->job.run_time_s < 0 && job->job.requested_time_s > 0)
		job->job.run_time_s = fmin(job->job.requested_time_s, isnan(cancel_s) ? INFINITY : cancel_s);
	else if (job->job.run_time_s < 0 && !isnan(cancel_s))
		job->job.run_time_s = cancel_s;
	if (job->job.run_time_s < 0 || (ask->end == WT_END_TIME_LIMIT && !(job->job.requested_time_s > 0)))
		return wt_error_set(errp, EINVAL, "how long it ran is not known");
	job->job.procs = wt_job_ask_cpus(ask);
	return 0;
}

static void seconds_or_empty(struct wt_csv *csv, double value)
{
	if (isnan(value))
		wt_csv_empty(csv);
	else
		wt_csv_seconds(csv, value);
}

static void count_or_empty(struct wt_csv *csv, uint32_t value)
{
	if (value)
		wt_csv_uint(csv, value);
	else
		wt_csv_empty(csv);
}

int wt_site_jobs_recorded(FILE *out, const void *arg, struct wt_error *errp)
{
	static const char *const columns[] = {
		"id", "name", "submit_s", "eligible_s", "start_s", "end_s", "state", "nodes", "node_count", "cpus",
		"partition", "account", "user", "qos", "requeues",
	};
	const struct wt_site_jobs *jobs = arg;
	struct wt_csv csv = { .out = out };

	(void) errp;
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		wt_csv_text(&csv, columns[i]);
	wt_csv_end(&csv);
	for (size_t i = 0; i < jobs->count; i++) {
		const struct wt_site_job *j = &jobs->list[i];
		char *const *text = j->job.ask->text;

		wt_csv_text(&csv, j->job.id);
		wt_csv_text(&csv, text[WT_ASK_NAME]);
		wt_csv_seconds(&csv, j->job.submit_s);
		seconds_or_empty(&csv, j->eligible_s);
		seconds_or_empty(&csv, j->start_s);
		seconds_or_empty(&csv, j->end_s);
		wt_csv_text(&csv, j->state);
		wt_csv_text(&csv, j->nodes);
		count_or_empty(&csv, j->node_count);
		count_or_empty(&csv, j->cpus);
		wt_csv_text(&csv, j->partition ? j->partition : text[WT_ASK_PARTITION]);
		wt_csv_text(&csv, text[WT_ASK_ACCOUNT]);
		wt_csv_text(&csv, text[WT_ASK_USER]);
		wt_csv_text(&csv, text[WT_ASK_QOS]);
		wt_csv_uint(&csv, j->requeues);
		wt_csv_end(&csv);
	}
	return 0;
}
