/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "lib/str.h"
#include "workload/dependency.h"
#include "workload/jobs_file.h"

#define BLANKS " \t\r\n"
#define SECONDS_MAX 1e10
#define EXPECTED_MIN_S 0.001
#define BYTES_MAX 1e18
#define KEY_TOLD 64	/* bytes of a key that there is not */

/* One pass reads the lines in the file's order, then the jobs are sorted by submission, and only then can it be said
 * whether what a job depends on is submitted before it. */
struct jobs_reader {
	struct wt_swf_trace *trace;
	const char *name;
	const bool *leave_out;	/* or NULL */
	json_t *ids;		/* those of jobs that stand before */
	size_t line, capacity;
	bool headed;		/* the first object was the file's own */
};

/* ---- one job ---- */

static int id_take(struct wt_swf_job *job, const json_t *value, struct wt_error *errp)
{
	const char *text = json_string_value(value);
	char number[32];

	if (json_is_integer(value) && json_integer_value(value) >= 0) {
		snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(value));
		text = number;
	}
	if (!text || !*text || strlen(text) > WT_JOBS_ID_MAX ||
	    strspn(text, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-") != strlen(text))
		return wt_error_set(errp, EINVAL, "id is neither a whole number nor a text of 1 to %d letters, digits, "
				    "'.', '_', '-'", WT_JOBS_ID_MAX);
	job->id = strdup(text);
	if (!job->id)
		return wt_error_errno(errp, ENOMEM, "job");
	/* An id that is no number keeps the place as its number, for --first-job and --last-job. */
	wt_str_to_u64(text, 0, UINT64_MAX, "id", &job->number, NULL);
	return 1;
}

static int seconds_take(const char *key, const json_t *value, double min, double *seconds, struct wt_error *errp)
{
	double number = json_number_value(value);

	if (!json_is_number(value) || !(number >= min && number <= SECONDS_MAX))
		return wt_error_set(errp, EINVAL, "%s is not a number from %g to %g", key, min, SECONDS_MAX);
	*seconds = number > 0 ? number : 0;	/* not -0 */
	return 1;
}

static int bytes_take(struct wt_swf_job *job, const json_t *value, struct wt_error *errp)
{
	double number = json_number_value(value);

	if (!json_is_number(value) || !(number >= 0 && number <= BYTES_MAX))
		return wt_error_set(errp, EINVAL, "data_bytes is not a number from 0 to %g", BYTES_MAX);
	job->data_bytes = number;
	return 1;
}

static int class_take(struct wt_swf_job *job, const json_t *value, struct wt_error *errp)
{
	const char *text = json_string_value(value);

	if (!text || !*text || strlen(text) > WT_JOBS_ID_MAX || wt_str_has_controls(text))
		return wt_error_set(errp, EINVAL, "class is not a text of 1 to %d bytes without control characters",
				    WT_JOBS_ID_MAX);
	job->profile = strdup(text);
	return job->profile ? 1 : wt_error_errno(errp, ENOMEM, "job");
}

/* 1: taken; 0: not one of these; -1. */
static int frame_take(struct wt_swf_job *job, const char *key, const json_t *value, struct wt_error *errp)
{
	if (!strcmp(key, "id"))
		return job->id ? 0 : id_take(job, value, errp);
	if (!strcmp(key, "submit_s"))
		return seconds_take(key, value, 0, &job->submit_s, errp);
	if (!strcmp(key, "run_time_s"))
		return seconds_take(key, value, 0, &job->run_time_s, errp);
	if (!strcmp(key, "time_limit_s"))
		return seconds_take(key, value, 1, &job->requested_time_s, errp);
	if (!strcmp(key, "expected_s"))
		return seconds_take(key, value, EXPECTED_MIN_S, &job->expected_s, errp);
	if (!strcmp(key, "data_bytes"))
		return bytes_take(job, value, errp);
	if (!strcmp(key, "class"))
		return job->profile ? 0 : class_take(job, value, errp);
	if (!strcmp(key, "recorded_wait_s"))
		return seconds_take(key, value, 0, &job->wait_s, errp);
	return !strcmp(key, "note");
}

static int key_refuse(const char *key, const char *of, struct wt_error *errp)
{
	char *line = wt_str_make_line(key, KEY_TOLD);

	wt_error_set(errp, EINVAL, "'%s' is not a key of %s: windtunnel-jobs(5) has them all", line ? line : "", of);
	free(line);
	errno = EINVAL;
	return -1;
}

static int fields_take(struct wt_swf_job *job, json_t *object, struct wt_error *errp)
{
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value) {
		int rc = frame_take(job, key, value, errp);

		if (rc == 0)
			rc = wt_job_ask_take(job->ask, key, value, errp);
		if (rc == 0)
			return strcmp(key, WT_JOBS_FORMAT) ? key_refuse(key, "a job", errp) :
			       wt_error_set(errp, EINVAL, WT_JOBS_FORMAT " may only stand in the first line of a file");
		if (rc < 0)
			return -1;
	}
	return 0;
}

/* Of a job that does not end by itself: what it is planned with. */
static void run_time_plan(struct wt_swf_job *job)
{
	double cancel_s = job->ask->number[WT_ASK_CANCEL_AFTER_S];

	if (job->run_time_s >= 0)
		return;
	if (job->requested_time_s > 0)
		job->run_time_s = fmin(job->requested_time_s, isnan(cancel_s) ? INFINITY : cancel_s);
	else if (!isnan(cancel_s))
		job->run_time_s = cancel_s;
}

static const char *id_same(const char *id, size_t len, void *arg)
{
	(void) arg;
	(void) len;
	return id;	/* as it stands: only the syntax is looked at */
}

static int job_finish(struct wt_swf_job *job, struct wt_error *errp)
{
	const char *dependency = job->ask->text[WT_ASK_DEPENDENCY];
	char *looked_at;

	if (!job->id || job->submit_s < 0)
		return wt_error_set(errp, EINVAL, "a job has id and submit_s");
	if (wt_job_ask_check(job->ask, errp) < 0)
		return -1;
	if (job->ask->end == WT_END_TIME_LIMIT && !(job->requested_time_s > 0))
		return wt_error_set(errp, EINVAL, "end \"time_limit\" needs time_limit_s");
	if (job->ask->end == WT_END_TIME_LIMIT ||
	    (job->ask->end == WT_END_CANCELLED && !isnan(job->ask->number[WT_ASK_CANCEL_AFTER_S])))
		run_time_plan(job);
	if (job->run_time_s < 0)
		return wt_error_set(errp, EINVAL, "run_time_s is missing");
	job->procs = wt_job_ask_cpus(job->ask);
	if (!dependency)
		return 0;
	/* The line that is wrong is named while it is known; whether the ids exist is looked at when all jobs are
	 * read. */
	looked_at = wt_dependency_map(dependency, id_same, NULL, errp);
	free(looked_at);
	return looked_at ? 0 : -1;
}

static int job_make(struct wt_swf_job *job, json_t *object, struct wt_error *errp)
{
	job->ask = wt_job_ask_create();
	if (!job->ask)
		return wt_error_errno(errp, ENOMEM, "job");
	return fields_take(job, object, errp) < 0 ? -1 : job_finish(job, errp);
}

/* ---- lines ---- */

static int room_make(struct jobs_reader *r, struct wt_error *errp)
{
	struct wt_swf_trace *t = r->trace;
	size_t capacity = r->capacity ? r->capacity * 2 : 1024;
	struct wt_swf_job *jobs;

	if (t->job_count < r->capacity)
		return 0;
	if (t->job_count >= WT_JOBS_MAX)
		return wt_error_set(errp, EFBIG, "%s: more than %d jobs: cut it into smaller files", r->name, WT_JOBS_MAX);
	jobs = reallocarray(t->jobs, capacity, sizeof(*jobs));
	if (!jobs)
		return wt_error_errno(errp, ENOMEM, "%s", r->name);
	t->jobs = jobs;
	r->capacity = capacity;
	return 0;
}

static int job_keep(struct jobs_reader *r, const struct wt_swf_job *job, struct wt_error *errp)
{
	if (json_object_get(r->ids, job->id))
		return wt_error_set(errp, EINVAL, "job %s stands in an earlier line, too", job->id);
	if (room_make(r, errp) < 0)
		return -1;
	if (json_object_set_new(r->ids, job->id, json_true()) < 0)
		return wt_error_errno(errp, ENOMEM, "%s", r->name);
	r->trace->jobs[r->trace->job_count++] = *job;
	return 0;
}

/* An event is no job, and so none of the entries that are counted: it is right, or ends the command. */
static int event_line(struct jobs_reader *r, json_t *object, struct wt_error *errp)
{
	return wt_world_take(&r->trace->world, object, r->line, errp) < 0 ?
	       wt_error_prefix(errp, "%s:%zu", r->name, r->line) : 0;
}

static int job_line(struct jobs_reader *r, json_t *object, struct wt_error *errp)
{
	struct wt_swf_job job = {
		.number = r->trace->entry_count, .line = r->line, .submit_s = -1, .run_time_s = -1,
		.requested_time_s = -1, .wait_s = -1, .status = -1, .user = -1, .group = -1, .executable = -1, .queue = -1,
	};
	int rc = job_make(&job, object, errp);

	if (job.submit_s >= 0)
		r->trace->first_submit_s = fmin(r->trace->first_submit_s, job.submit_s);
	if (rc == 0)
		rc = job_keep(r, &job, errp);
	if (rc < 0)
		wt_swf_job_clear(&job);
	return rc;
}

static int head_count(json_t *object, const char *key, uint32_t *count, struct wt_error *errp)
{
	const json_t *value = json_object_get(object, key);

	if (value && (!json_is_integer(value) || json_integer_value(value) < 1 || json_integer_value(value) > UINT32_MAX))
		return wt_error_set(errp, EINVAL, "%s of the first line is not a whole number above 0", key);
	if (value)
		*count = (uint32_t) json_integer_value(value);
	return 0;
}

/* A job with the format's key would be swallowed: what else the first line may say is known. */
static int head_keys(json_t *object, struct wt_error *errp)
{
	const char *key;
	json_t *value;

	json_object_foreach(object, key, value)
		if (strcmp(key, WT_JOBS_FORMAT) && strcmp(key, "cpus") && strcmp(key, "nodes"))
			return key_refuse(key, "the first line, which has " WT_JOBS_FORMAT, errp);
	return 0;
}

static int head_line(struct jobs_reader *r, json_t *object, struct wt_error *errp)
{
	r->headed = true;
	if (json_integer_value(json_object_get(object, WT_JOBS_FORMAT)) != 1)
		return wt_error_set(errp, ENOTSUP, "%s:%zu: another version of the format than 1", r->name, r->line);
	if (head_keys(object, errp) == 0 && head_count(object, "cpus", &r->trace->max_procs, errp) == 0 &&
	    head_count(object, "nodes", &r->trace->max_nodes, errp) == 0)
		return 0;
	return wt_error_prefix(errp, "%s:%zu", r->name, r->line);
}

/* A bad line, told in *errp: 0 when it may be left out, else -1. */
static int line_leave(struct jobs_reader *r, size_t line, const struct wt_error *bad, struct wt_error *errp)
{
	struct wt_swf_trace *t = r->trace;
	bool may = r->leave_out && r->leave_out[WT_LEFT_BAD];
	struct wt_error text;

	wt_error_set(&text, EINVAL, "%s:%zu: %s", r->name, line, bad->text);
	if (!may)
		return wt_error_set(errp, EINVAL, "%s", text.text);
	if (!t->left_out[WT_LEFT_BAD]++)
		snprintf(t->first_bad, sizeof(t->first_bad), "%s", text.text);
	return 0;
}

static int object_take(struct jobs_reader *r, json_t *object, struct wt_error *errp)
{
	struct wt_error bad;

	/* Only the first object can be the file's own: a later one would change a machine that jobs were already
	 * checked against. */
	if (json_object_get(object, WT_JOBS_FORMAT) && !r->headed && !r->trace->entry_count && !r->trace->world.count)
		return head_line(r, object, errp);
	if (json_object_get(object, "event"))
		return event_line(r, object, errp);
	r->trace->entry_count++;
	if (job_line(r, object, &bad) == 0)
		return 0;
	return errno == EINVAL ? line_leave(r, r->line, &bad, errp) : wt_error_set(errp, errno, "%s", bad.text);
}

static int line_take(struct jobs_reader *r, const char *line, size_t len, struct wt_error *errp)
{
	size_t blanks = strspn(line, BLANKS);
	json_error_t error;
	struct wt_error bad;
	json_t *object;
	int rc;

	if (blanks == len || line[blanks] == '#')
		return 0;
	object = json_loadb(line, len, JSON_REJECT_DUPLICATES, &error);
	if (json_is_object(object)) {
		rc = object_take(r, object, errp);
		json_decref(object);
		return rc;
	}
	r->trace->entry_count++;
	wt_error_set(&bad, EINVAL, "%s", object ? "not an object: a line is {...}" : error.text);
	json_decref(object);
	return line_leave(r, r->line, &bad, errp);
}

/* The next line: 1; 0: there is none; -1.  What is too long is read to its end, and told as bad. */
static int line_next(struct jobs_reader *r, FILE *in, struct wt_str *line, bool *too_long, struct wt_error *errp)
{
	char buf[4096];
	size_t used = 0;
	int c;

	line->len = 0;
	*too_long = false;
	r->line++;
	while ((c = getc_unlocked(in)) != EOF && c != '\n') {
		*too_long |= line->len + used >= WT_JOBS_LINE_MAX;
		if (*too_long)
			continue;
		buf[used++] = (char) c;
		if (used == sizeof(buf)) {
			wt_str_add_bytes(line, buf, used);
			used = 0;
		}
	}
	wt_str_add_bytes(line, buf, used);
	if (line->failed)
		return wt_error_errno(errp, ENOMEM, "%s", r->name);
	if (ferror(in))
		return wt_error_errno(errp, errno ? errno : EIO, "%s", r->name);
	if (c == EOF && !line->len && !*too_long)
		r->line--;
	return c != EOF || line->len || *too_long;
}

static int lines_read(struct jobs_reader *r, FILE *in, struct wt_error *errp)
{
	struct wt_error bad;
	struct wt_str line = { 0 };
	bool too_long;
	int rc;

	wt_error_set(&bad, EINVAL, "longer than %zu bytes", WT_JOBS_LINE_MAX);
	while ((rc = line_next(r, in, &line, &too_long, errp)) > 0) {
		r->trace->entry_count += too_long;
		rc = too_long ? line_leave(r, r->line, &bad, errp) : line_take(r, line.len ? line.text : "", line.len, errp);
		if (rc < 0)
			break;
	}
	wt_str_clear(&line);
	return rc;
}

/* ---- dependencies among all ---- */

/* 0: all that it depends on are submitted before. */
static int dependency_check(const struct wt_swf_job *job, json_t *ids, struct wt_error *errp)
{
	size_t missing = 0;
	char *within;

	if (!job->ask->text[WT_ASK_DEPENDENCY])
		return 0;
	within = wt_dependency_within(job->ask->text[WT_ASK_DEPENDENCY], ids, &missing, errp);
	if (!within)
		return -1;
	free(within);
	return missing ? wt_error_set(errp, EINVAL, "job %s depends on one that is not submitted before it: %.200s", job->id,
				      job->ask->text[WT_ASK_DEPENDENCY]) : 0;
}

static int dependencies_check(struct jobs_reader *r, struct wt_error *errp)
{
	struct wt_swf_trace *t = r->trace;
	struct wt_error bad;
	size_t kept = 0;

	json_object_clear(r->ids);
	for (size_t i = 0; i < t->job_count; i++) {
		struct wt_swf_job job = t->jobs[i];

		if (dependency_check(&job, r->ids, &bad) == 0) {
			if (json_object_set_new(r->ids, job.id, json_true()) < 0)
				return wt_error_errno(errp, ENOMEM, "%s", r->name);
			/* Each text has one owner: the place that a job has left is cleared, so that a failure frees
			 * nothing twice. */
			memset(&t->jobs[i], 0, sizeof(t->jobs[i]));
			t->jobs[kept++] = job;
			continue;
		}
		if (errno != EINVAL)
			return wt_error_set(errp, errno, "%s", bad.text);
		if (line_leave(r, job.line, &bad, errp) < 0)
			return -1;
		wt_swf_job_clear(&job);
		memset(&t->jobs[i], 0, sizeof(t->jobs[i]));
	}
	t->job_count = kept;
	return kept ? 0 : wt_error_set(errp, EINVAL, "%s: no job among its %zu lines that can be run%s%s", r->name, r->line,
				       *t->first_bad ? "; the first that cannot be read: " : "", t->first_bad);
}

int wt_jobs_file_read(struct wt_swf_trace *trace, FILE *in, const char *name, const bool *leave_out, struct wt_error *errp)
{
	struct jobs_reader r = { .trace = trace, .name = name, .leave_out = leave_out, .ids = json_object() };
	int rc;

	memset(trace, 0, sizeof(*trace));
	trace->first_submit_s = INFINITY;
	trace->has_asks = true;
	rc = r.ids ? lines_read(&r, in, errp) : wt_error_errno(errp, ENOMEM, "%s", name);
	if (rc == 0) {
		wt_swf_trace_sort(trace);
		wt_world_sort(&trace->world);
		rc = wt_world_check(&trace->world, name, errp) < 0 ? -1 : dependencies_check(&r, errp);
	}
	json_decref(r.ids);
	if (rc < 0)
		wt_swf_trace_clear(trace);
	return rc;
}
