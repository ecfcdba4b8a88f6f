/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/site/reasons.h"
#include "harness/site/swf_jobs.h"
#include "lib/str.h"
#include "workload/left_out.h"

#define BLANKS " \t\r"

/* One line of a map: its three words. */
static int map_line(json_t *map, char *line, struct wt_error *errp)
{
	static const char *const kinds[] = { "user", "group", "queue" };
	char *word[3] = { NULL }, *rest = line, *key;
	uint64_t number;
	size_t count = 0;
	int rc = -1;

	for (char *w; count < 3 && (w = strsep(&rest, BLANKS));)
		if (*w)
			word[count++] = w;
	if (count < 3 || (rest && rest[strspn(rest, BLANKS)]))
		return wt_error_set(errp, EINVAL, "not 'user|group|queue NUMBER NAME'");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		rc = strcmp(word[0], kinds[i]) ? rc : 0;
	if (rc < 0 || wt_str_to_u64(word[1], 0, INT64_MAX, "NUMBER", &number, NULL) < 0)
		return wt_error_set(errp, EINVAL, "not 'user|group|queue NUMBER NAME'");
	key = wt_str_format("%s %llu", word[0], (unsigned long long) number);
	if (key && json_object_get(map, key))
		rc = wt_error_set(errp, EINVAL, "%s stands in an earlier line, too", key);
	else if (!key || !json_object_set_new(map, key, json_string(word[2])))
		rc = key ? 0 : wt_error_errno(errp, ENOMEM, "map");
	else
		rc = wt_error_set(errp, EINVAL, "the name is no UTF-8");
	free(key);
	return rc;
}

json_t *wt_swf_map(const char *where, const char *text, struct wt_error *errp)
{
	json_t *map = json_object();
	char *copy = strdup(text), *rest = copy, *line;
	unsigned int number = 0;
	int rc = map && copy ? 0 : wt_error_errno(errp, ENOMEM, "%s", where);

	while (rc == 0 && (line = strsep(&rest, "\n"))) {
		number++;
		line += strspn(line, BLANKS);
		if (*line && *line != '#' && map_line(map, line, errp) < 0)
			rc = wt_error_prefix(errp, "%s:%u", where, number);
	}
	free(copy);
	if (rc == 0)
		return map;
	json_decref(map);
	return NULL;
}

/* What a number is called; NULL: it has no name. */
static const char *name_of(json_t *map, const char *kind, int64_t number)
{
	char key[64];

	snprintf(key, sizeof(key), "%s %lld", kind, (long long) number);
	return json_string_value(json_object_get(map, key));
}

static void end_take(struct wt_site_job *job, const struct wt_swf_job *from)
{
	job->job.run_time_s = from->run_time_s;
	job->state = "COMPLETED";
	if (from->status == 0) {
		job->job.ask->end = WT_END_FAILED;
		job->state = "FAILED";
	} else if (from->status == 5) {
		job->job.ask->end = WT_END_CANCELLED;
		job->state = "CANCELLED";
	} else if (from->status != 1) {
		job->state = "UNKNOWN";
	}
	if (from->wait_s < 0)
		return;
	job->job.wait_s = from->wait_s;
	job->start_s = from->submit_s + from->wait_s;
	job->end_s = job->start_s + from->run_time_s;
}

static int job_fill(struct wt_site_jobs *jobs, struct wt_site_job *job, const struct wt_swf_job *from, json_t *map,
		    struct wt_error *errp)
{
	const char *user = name_of(map, "user", from->user);
	char number[32];

	job->line = from->line;
	job->job.submit_s = from->submit_s;
	job->job.requested_time_s = from->requested_time_s;
	job->cpus = from->procs;
	end_take(job, from);
	snprintf(number, sizeof(number), "user%lld", (long long) from->user);
	if (from->user >= 0 && wt_site_job_user(jobs, job, user ? user : number, NULL, errp) < 0)
		return -1;
	if (wt_site_job_text(jobs, job, "account", name_of(map, "group", from->group), errp) < 0 ||
	    wt_site_job_text(jobs, job, "partition", name_of(map, "queue", from->queue), errp) < 0 ||
	    wt_site_job_number(jobs, job, "tasks", from->procs, errp) < 0)
		return -1;
	return wt_site_job_check(job, errp);
}

static int job_take(struct wt_site_jobs *jobs, const struct wt_swf_job *from, json_t *map, struct wt_error *errp)
{
	struct wt_site_job *job;
	struct wt_error why = { "" };
	char id[32];

	snprintf(id, sizeof(id), "%llu", (unsigned long long) from->number);
	job = wt_site_jobs_add(jobs, id, errp);
	if (!job)
		return -1;
	if (job_fill(jobs, job, from, map, &why) == 0)
		return 0;
	if (errno != EINVAL)
		return wt_error_set(errp, errno, "%s", why.text);
	wt_site_jobs_drop_last(jobs);
	return wt_reason_count(jobs->left_out, why.text, errp);
}

/* What the reader of traces has left out, in its own words. */
static int left_out_add(struct wt_site_jobs *jobs, const struct wt_swf_trace *trace, struct wt_error *errp)
{
	for (int i = 0; i < WT_LEFT_COUNT; i++) {
		const char *why = wt_left_out_text((enum wt_left_out) i);

		if (trace->left_out[i] && json_object_set_new(jobs->left_out, why,
							      json_integer((json_int_t) trace->left_out[i])) < 0)
			return wt_error_errno(errp, ENOMEM, "jobs");
	}
	snprintf(jobs->first_bad, sizeof(jobs->first_bad), "%s", trace->first_bad);
	return 0;
}

int wt_site_jobs_swf(struct wt_site_jobs *jobs, FILE *in, const char *name, json_t *map, struct wt_error *errp)
{
	const bool leave_out[WT_LEFT_COUNT] = { [WT_LEFT_BAD] = jobs->skip_bad };
	struct wt_swf_trace trace;
	int rc = wt_swf_trace_read(&trace, in, name, leave_out, errp);

	if (rc < 0)
		return -1;
	jobs->read += trace.entry_count;
	for (size_t i = 0; i < trace.job_count && rc == 0; i++)
		rc = job_take(jobs, &trace.jobs[i], map, errp);
	if (rc == 0)
		rc = left_out_add(jobs, &trace, errp);
	wt_swf_trace_clear(&trace);
	return rc;
}
