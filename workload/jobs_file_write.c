/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs as lines of JSON. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lib/json.h"
#include "workload/jobs_file.h"

static int line_print(FILE *out, const json_t *object)
{
	char *text = wt_json_dump(object, JSON_COMPACT);

	if (!text)
		return -1;
	fprintf(out, "%s\n", text);
	free(text);
	return 0;
}

static int head_print(FILE *out, const struct wt_swf_trace *t)
{
	json_t *head = json_pack("{s:i}", WT_JOBS_FORMAT, 1);
	int rc;

	if (head && t->max_procs)
		json_object_set_new(head, "cpus", json_integer(t->max_procs));
	if (head && t->max_nodes)
		json_object_set_new(head, "nodes", json_integer(t->max_nodes));
	rc = head ? line_print(out, head) : -1;
	json_decref(head);
	return rc;
}

static json_t *number_json(double value)
{
	return value == floor(value) ? json_integer((json_int_t) value) : json_real(value);
}

static int job_tell(json_t *object, const struct wt_swf_job *job)
{
	char number[32];
	int rc = 0;

	snprintf(number, sizeof(number), "%llu", (unsigned long long) job->number);
	rc |= json_object_set_new(object, "id", json_string(job->id ? job->id : number));
	rc |= json_object_set_new(object, "submit_s", number_json(job->submit_s));
	rc |= json_object_set_new(object, "run_time_s", number_json(job->run_time_s));
	if (job->expected_s > 0)
		rc |= json_object_set_new(object, "expected_s", number_json(job->expected_s));
	if (job->requested_time_s > 0)
		rc |= json_object_set_new(object, "time_limit_s", number_json(job->requested_time_s));
	if (job->data_bytes > 0)
		rc |= json_object_set_new(object, "data_bytes", number_json(job->data_bytes));
	if (job->ask && job->profile)
		rc |= json_object_set_new(object, "class", json_string(job->profile));
	if (job->wait_s >= 0)
		rc |= json_object_set_new(object, "recorded_wait_s", number_json(job->wait_s));
	if (job->ask)
		rc |= wt_job_ask_tell(job->ask, object);
	else
		rc |= json_object_set_new(object, "tasks", json_integer(job->procs));
	return rc;
}

int wt_jobs_file_write(FILE *out, const void *arg, struct wt_error *errp)
{
	const struct wt_swf_trace *t = arg;
	int rc = head_print(out, t);

	for (size_t i = 0; rc == 0 && i < t->world.count; i++) {
		json_t *object = wt_world_tell(&t->world.events[i]);

		rc = object ? line_print(out, object) : -1;
		json_decref(object);
	}
	for (size_t i = 0; rc == 0 && i < t->job_count; i++) {
		json_t *object = json_object();

		rc = object && job_tell(object, &t->jobs[i]) == 0 ? line_print(out, object) : -1;
		json_decref(object);
	}
	return rc == 0 ? 0 : wt_error_errno(errp, ENOMEM, "workload");
}
