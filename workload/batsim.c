/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "workload/batsim.h"

#define SECONDS_MAX 1e10
#define SEQUENCE_DEPTH_MAX 100
#define NO_RUN ENOTSUP	/* the errno of a profile that cannot be run, in this file */

struct batsim_reader {
	struct wt_swf_trace *trace;
	const char *name;
	const struct wt_json_lines *lines;
	const bool *leave_out;	/* or NULL */
	const json_t *profiles;
	json_t *delays;		/* those of profiles already looked at; null: one that is being looked at */
	json_t *ids;		/* seen so far */
};

static int number_get(const json_t *object, const char *key, const char *where, double *value, struct wt_error *errp)
{
	const json_t *number = json_object_get(object, key);

	if (!json_is_number(number))
		return wt_error_set(errp, EINVAL, "%s: %s is missing or not a number", where, key);
	*value = json_number_value(number);
	return 0;
}

static int count_get(const json_t *object, const char *key, const char *where, uint32_t *value, struct wt_error *errp)
{
	const json_t *number = json_object_get(object, key);
	json_int_t count = json_integer_value(number);

	if (!json_is_integer(number) || count < 1 || count > UINT32_MAX)
		return wt_error_set(errp, EINVAL, "%s: %s is missing or not a whole number from 1 on", where, key);
	*value = (uint32_t) count;
	return 0;
}

/* Of an id or a profile: it becomes part of the name of Slurm's job. */
static int name_check(const char *text, const char *what, const char *where, struct wt_error *errp)
{
	size_t len = strlen(text);

	if (!len || len > WT_BATSIM_NAME_MAX)
		return wt_error_set(errp, EINVAL, "%s: %s has %zu bytes, not 1 to %d", where, what, len, WT_BATSIM_NAME_MAX);
	for (size_t i = 0; i < len; i++)
		if ((unsigned char) text[i] < ' ' || text[i] == 127)
			return wt_error_set(errp, EINVAL, "%s: %s has a control character", where, what);
	return 0;
}

/* ---- profiles ---- */

static int delay_get(struct batsim_reader *r, const char *name, const char *where, unsigned int depth, double *delay_s,
		     struct wt_error *errp);

/* A repeat of a sequence of sequences multiplies: what comes out of it is checked in delay_compute (), against
 * SECONDS_MAX. */
static int sequence_sum(struct batsim_reader *r, const json_t *profile, const char *name, const char *where,
			unsigned int depth, double *delay_s, struct wt_error *errp)
{
	const json_t *seq = json_object_get(profile, "seq");
	uint32_t repeat = 1;
	double part_s;

	if (!json_array_size(seq))
		return wt_error_set(errp, EINVAL, "%s: profile %s: seq must be an array that is not empty", where, name);
	if (json_object_get(profile, "repeat") && count_get(profile, "repeat", where, &repeat, errp) < 0)
		return -1;
	*delay_s = 0;
	for (size_t i = 0; i < json_array_size(seq); i++) {
		if (delay_get(r, json_string_value(json_array_get(seq, i)), where, depth + 1, &part_s, errp) < 0)
			return -1;
		*delay_s += part_s;
	}
	*delay_s *= repeat;
	return 0;
}

static int delay_compute(struct batsim_reader *r, const json_t *profile, const char *name, const char *where,
			 unsigned int depth, double *delay_s, struct wt_error *errp)
{
	const char *type = json_string_value(json_object_get(profile, "type"));
	int rc;

	if (type && (!strcmp(type, "delay") || !strcmp(type, "DelayProfile")))
		rc = number_get(profile, "delay", where, delay_s, errp);
	else if (type && (!strcmp(type, "composed") || !strcmp(type, "SequentialCompositionProfile")))
		rc = sequence_sum(r, profile, name, where, depth, delay_s, errp);
	else
		rc = wt_error_set(errp, NO_RUN,
				  "%s: profile %s is of type %s; only delays, and sequences of them, can be run", where,
				  name,
				  type ? type : "(none)");
	if (rc == 0 && !(*delay_s >= 0 && *delay_s <= SECONDS_MAX))
		rc = wt_error_set(errp, EINVAL, "%s: profile %s has a delay of %g s", where, name, *delay_s);
	return rc;
}

/* Each profile is looked at once, however many sequences name it. */
static int delay_get(struct batsim_reader *r, const char *name, const char *where, unsigned int depth, double *delay_s,
		     struct wt_error *errp)
{
	const json_t *profile = name ? json_object_get(r->profiles, name) : NULL, *known = name ? json_object_get(r->delays,
		name) : NULL;

	if (!profile)
		return wt_error_set(errp, EINVAL, "%s: profile %s is not among the profiles", where, name ? name : "(none)");
	if (json_is_real(known)) {
		*delay_s = json_real_value(known);
		return 0;
	}
	/* null stands for a profile whose sum is being made: to meet it again is a circle. */
	if (known || depth > SEQUENCE_DEPTH_MAX)
		return wt_error_set(errp, EINVAL, "%s: profile %s is a sequence of itself, or of more than %d levels", where,
				    name,
				    SEQUENCE_DEPTH_MAX);
	if (json_object_set_new(r->delays, name, json_null()) < 0)
		return wt_error_errno(errp, ENOMEM, "%s", where);
	if (delay_compute(r, profile, name, where, depth, delay_s, errp) < 0) {
		int saved_errno = errno;

		/* Not left as null: the next job with this profile would be told of a circle that there is none of. */
		json_object_del(r->delays, name);
		errno = saved_errno;
		return -1;
	}
	return json_object_set_new(r->delays, name, json_real(*delay_s)) < 0 ? wt_error_errno(errp, ENOMEM, "%s", where) : 0;
}

/* ---- jobs ---- */

/* Unique: a job's name is made of it. */
static int id_get(struct batsim_reader *r, struct wt_swf_job *job, const json_t *object, const char *where,
		  struct wt_error *errp)
{
	const json_t *id = json_object_get(object, "id");
	int rc;

	if (id && !json_is_string(id) && !json_is_integer(id))
		return wt_error_set(errp, EINVAL, "%s: id is neither a string nor a whole number", where);
	if (json_is_string(id))
		job->id = strdup(json_string_value(id));
	else if (asprintf(&job->id, "%lld", id ? (long long) json_integer_value(id) : (long long) job->number) < 0)
		job->id = NULL;
	if (!job->id)
		return wt_error_errno(errp, ENOMEM, "%s", where);
	rc = name_check(job->id, "id", where, errp);
	if (rc == 0 && json_object_get(r->ids, job->id))
		rc = wt_error_set(errp, EINVAL, "%s: id %s stands twice", where, job->id);
	if (rc == 0 && json_object_set_new(r->ids, job->id, json_true()) < 0)
		rc = wt_error_errno(errp, ENOMEM, "%s", where);
	return rc;
}

static int profile_get(struct batsim_reader *r, struct wt_swf_job *job, const json_t *object, const char *where,
		       struct wt_error *errp)
{
	const char *name = json_string_value(json_object_get(object, "profile"));

	if (delay_get(r, name, where, 0, &job->run_time_s, errp) < 0 || name_check(name, "its profile's name", where,
										   errp) < 0)
		return -1;
	job->profile = strdup(name);
	return job->profile ? 0 : wt_error_errno(errp, ENOMEM, "%s", where);
}

static int times_get(struct wt_swf_job *job, const json_t *object, const char *where, struct wt_error *errp)
{
	if (number_get(object, "subtime", where, &job->submit_s, errp) < 0)
		return -1;
	if (!(job->submit_s >= 0 && job->submit_s <= SECONDS_MAX))
		return wt_error_set(errp, EINVAL, "%s: subtime is %g s", where, job->submit_s);
	if (json_object_get(object, "walltime") && number_get(object, "walltime", where, &job->requested_time_s, errp) < 0)
		return -1;
	/* -1 is Batsim's own word for "none" */
	if (job->requested_time_s > SECONDS_MAX || (job->requested_time_s < 0 && job->requested_time_s != -1))
		return wt_error_set(errp, EINVAL, "%s: walltime is %g s", where, job->requested_time_s);
	return 0;
}

static int job_get(struct batsim_reader *r, struct wt_swf_job *job, const json_t *object, size_t place,
		   struct wt_error *errp)
{
	char where[256];

	snprintf(where, sizeof(where), "%s:%zu: job %zu", r->name, wt_json_lines_of(r->lines, place - 1), place);
	*job = (struct wt_swf_job) { .number = place, .line = place, .requested_time_s = -1,
				     .wait_s = -1, .status = -1 };
	if (times_get(job, object, where, errp) < 0 || count_get(object, "res", where, &job->procs, errp) < 0)
		return -1;
	r->trace->first_submit_s = fmin(r->trace->first_submit_s, job->submit_s);
	return id_get(r, job, object, where, errp) < 0 ? -1 : profile_get(r, job, object, where, errp);
}

/* 0 when the job that was refused as *bad says may be left out, else -1. */
static int bad_take(struct batsim_reader *r, const struct wt_error *bad, int errnum, struct wt_error *errp)
{
	enum wt_left_out why = errnum == NO_RUN ? WT_LEFT_PROFILE : WT_LEFT_BAD;
	struct wt_swf_trace *t = r->trace;

	if ((errnum != EINVAL && errnum != NO_RUN) || !r->leave_out || !r->leave_out[why])
		return wt_error_set(errp, errnum == NO_RUN ? EINVAL : errnum, "%s", bad->text);
	if (!t->left_out[why]++ && why == WT_LEFT_BAD)
		snprintf(t->first_bad, sizeof(t->first_bad), "%s", bad->text);
	return 0;
}

static int jobs_get(struct batsim_reader *r, const json_t *jobs, struct wt_error *errp)
{
	struct wt_swf_trace *t = r->trace;
	struct wt_error bad = { "" };

	for (size_t i = 0; i < json_array_size(jobs); i++) {
		struct wt_swf_job *job = &t->jobs[t->job_count];

		t->entry_count++;
		if (job_get(r, job, json_array_get(jobs, i), i + 1, &bad) == 0) {
			t->job_count++;
			continue;
		}
		free(job->id);
		free(job->profile);
		if (bad_take(r, &bad, errno, errp) < 0)
			return -1;
	}
	if (!t->job_count)
		return wt_error_set(errp, EINVAL, "%s: no job that can be run among its %zu%s%s", r->name, t->entry_count,
				    *t->first_bad ? "; the first that cannot be read: " : "", t->first_bad);
	wt_swf_trace_sort(t);
	return 0;
}

static int workload_get(struct batsim_reader *r, const json_t *root, struct wt_error *errp)
{
	const json_t *jobs = json_object_get(root, "jobs");

	r->profiles = json_object_get(root, "profiles");
	if (count_get(root, "nb_res", r->name, &r->trace->max_procs, errp) < 0)
		return -1;
	if (!json_array_size(jobs) || !json_is_object(r->profiles))
		return wt_error_set(errp, EINVAL, "%s: jobs must be an array that is not empty, and profiles an object",
				    r->name);
	r->trace->jobs = calloc(json_array_size(jobs), sizeof(*r->trace->jobs));
	if (!r->trace->jobs || !r->delays || !r->ids)
		return wt_error_errno(errp, ENOMEM, "%s", r->name);
	return jobs_get(r, jobs, errp);
}

int wt_batsim_take(struct wt_swf_trace *trace, const json_t *root, const struct wt_json_lines *lines, const char *name,
		   const bool *leave_out, struct wt_error *errp)
{
	struct batsim_reader r = {
		.trace = trace, .name = name, .lines = lines, .leave_out = leave_out, .delays = json_object(),
		.ids = json_object(),
	};
	int rc;

	memset(trace, 0, sizeof(*trace));
	trace->first_submit_s = INFINITY;
	trace->line_is_place = true;
	rc = workload_get(&r, root, errp);
	json_decref(r.delays);
	json_decref(r.ids);
	if (rc < 0)
		wt_swf_trace_clear(trace);
	return rc;
}
