/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "wt_batsim.h"

#define SECONDS_MAX 1e10

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

static int delay_get(const json_t *profiles, const json_t *job, const char *where, double *delay_s, struct wt_error *errp)
{
	const char *name = json_string_value(json_object_get(job, "profile")), *type;
	const json_t *profile = name ? json_object_get(profiles, name) : NULL;

	if (!name || !profile)
		return wt_error_set(errp, EINVAL, "%s: profile %s is not among the profiles", where, name ? name : "(none)");
	type = json_string_value(json_object_get(profile, "type"));
	if (!type || strcmp(type, "delay"))
		return wt_error_set(errp, EINVAL, "%s: profile %s is of type %s; only delays can be run", where, name,
				    type ? type : "(none)");
	if (number_get(profile, "delay", where, delay_s, errp) < 0)
		return -1;
	if (!(*delay_s >= 0 && *delay_s <= SECONDS_MAX))
		return wt_error_set(errp, EINVAL, "%s: profile %s has a delay of %g s", where, name, *delay_s);
	return 0;
}

static int job_get(struct wt_swf_job *job, const json_t *profiles, const json_t *object, size_t place, const char *name,
		   struct wt_error *errp)
{
	const json_t *walltime = json_object_get(object, "walltime");
	char where[256];

	snprintf(where, sizeof(where), "%s: job %zu", name, place);
	*job = (struct wt_swf_job) { .number = place, .line = place, .requested_time_s = -1 };
	if (number_get(object, "subtime", where, &job->submit_s, errp) < 0 || count_get(object, "res", where, &job->procs, errp) < 0 ||
	    delay_get(profiles, object, where, &job->run_time_s, errp) < 0)
		return -1;
	if (!(job->submit_s >= 0 && job->submit_s <= SECONDS_MAX))
		return wt_error_set(errp, EINVAL, "%s: subtime is %g s", where, job->submit_s);
	if (walltime && (number_get(object, "walltime", where, &job->requested_time_s, errp) < 0))
		return -1;
	if (job->requested_time_s > SECONDS_MAX)
		return wt_error_set(errp, EINVAL, "%s: walltime is %g s", where, job->requested_time_s);
	return 0;
}

static int submit_compare(const void *a, const void *b)
{
	const struct wt_swf_job *x = a, *y = b;

	if (x->submit_s != y->submit_s)
		return x->submit_s < y->submit_s ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static int workload_get(struct wt_swf_trace *trace, const json_t *root, const char *name, struct wt_error *errp)
{
	const json_t *jobs = json_object_get(root, "jobs"), *profiles = json_object_get(root, "profiles");

	if (count_get(root, "nb_res", name, &trace->max_procs, errp) < 0)
		return -1;
	if (!json_array_size(jobs) || !json_is_object(profiles))
		return wt_error_set(errp, EINVAL, "%s: jobs must be an array that is not empty, and profiles an object", name);
	trace->jobs = calloc(json_array_size(jobs), sizeof(*trace->jobs));
	if (!trace->jobs)
		return wt_error_errno(errp, ENOMEM, "%s", name);
	for (size_t i = 0; i < json_array_size(jobs); i++)
		if (job_get(&trace->jobs[trace->job_count++], profiles, json_array_get(jobs, i), i + 1, name, errp) < 0)
			return -1;
	qsort(trace->jobs, trace->job_count, sizeof(*trace->jobs), submit_compare);
	return 0;
}

int wt_batsim_read(struct wt_swf_trace *trace, FILE *in, const char *name, struct wt_error *errp)
{
	json_error_t error;
	json_t *root = json_loadf(in, JSON_REJECT_DUPLICATES, &error);
	int rc;

	memset(trace, 0, sizeof(*trace));
	if (!root && ferror(in))
		return wt_error_errno(errp, errno ? errno : EIO, "%s", name);
	if (!root)
		return wt_error_set(errp, EINVAL, "%s:%d: %s", name, error.line, error.text);
	rc = workload_get(trace, root, name, errp);
	json_decref(root);
	if (rc < 0)
		wt_swf_trace_clear(trace);
	return rc;
}
