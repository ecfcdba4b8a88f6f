/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line is a JSON object; jobs are open between their "job" and their "end" line, and handed over one by one, so that a
 * log of any length needs the memory of the jobs that are open only. */
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "straggler/trace_log.h"

struct log_job {
	TAILQ_ENTRY(log_job) next;	/* in the order of appearance */
	char *name;
	struct wt_trace trace;
	bool told;		/* "task" lines tell the truth */
};

struct log_reader {
	const char *name;
	unsigned long line;
	void *by_name;		/* tsearch () tree of struct log_job */
	TAILQ_HEAD(, log_job) jobs;
	uint64_t tasks;		/* of all open jobs */
	wt_trace_log_fn fn;
	void *arg;
};

static int fail(const struct log_reader *r, struct wt_error *errp, const char *what, const char *which)
{
	return wt_error_set(errp, EINVAL, "%s:%lu: %s%s", r->name, r->line, what, which);
}

static int compare_jobs(const void *a, const void *b)
{
	return strcmp(((const struct log_job *) a)->name, ((const struct log_job *) b)->name);
}

static void job_close(struct log_reader *r, struct log_job *job)
{
	tdelete(job, &r->by_name, compare_jobs);
	TAILQ_REMOVE(&r->jobs, job, next);
	r->tasks -= job->trace.tasks;
	wt_trace_fini(&job->trace);
	free(job->name);
	free(job);
}

static int job_open(struct log_reader *r, const char *name, uint32_t tasks, double window_s, struct wt_error *errp)
{
	struct log_job *job = calloc(1, sizeof(*job));

	if (!job)
		return wt_error_set(errp, ENOMEM, "%s:%lu: no memory", r->name, r->line);
	job->name = strdup(name);
	if (!job->name || wt_trace_reset(&job->trace, tasks, window_s, errp) < 0 ||
	    !tsearch(job, &r->by_name, compare_jobs)) {
		wt_trace_fini(&job->trace);
		free(job->name);
		free(job);
		return wt_error_set(errp, ENOMEM, "%s:%lu: no memory for a job of %u tasks", r->name, r->line, tasks);
	}
	TAILQ_INSERT_TAIL(&r->jobs, job, next);
	r->tasks += tasks;
	return 0;
}

/* Not told: what the heartbeats say. */
/* A log of a real cluster knows no truth: ends and starts follow from heartbeats, and which task was slow from the mean of
 * those that ended. */
static void trace_infer(struct wt_trace *trace)
{
	double sum_s = 0, ended = 0;

	for (size_t i = 0; i < trace->count; i++) {
		const struct wt_heartbeat *hb = &trace->heartbeats[i];
		struct wt_trace_task *task = &trace->task[hb->task];

		task->start_s = fmin(task->start_s, hb->received_s - hb->elapsed_s);
		if (!hb->end || !isnan(task->duration_s))
			continue;
		task->duration_s = hb->elapsed_s;
		trace->first_finish_s = fmin(trace->first_finish_s, hb->received_s);
		sum_s += hb->elapsed_s;
		ended++;
	}
	if (ended > 0)
		wt_trace_judge(trace, sum_s / ended);
}

static int job_finish(struct log_reader *r, struct log_job *job, struct wt_error *errp)
{
	struct wt_trace *trace = &job->trace;
	int rc;

	wt_trace_sort(trace);
	if (isnan(trace->end_s) && trace->count)
		trace->end_s = trace->heartbeats[trace->count - 1].received_s;
	if (!job->told)
		trace_infer(trace);
	for (uint32_t i = 0; job->told && i < trace->tasks; i++)
		if (isfinite(trace->task[i].duration_s))
			trace->first_finish_s = fmin(trace->first_finish_s,
						     trace->task[i].start_s + trace->task[i].duration_s);
	rc = r->fn(job->name, trace, r->arg, errp);
	job_close(r, job);
	return rc;
}

static int get_number(const struct log_reader *r, json_t *object, const char *key, double *value, struct wt_error *errp)
{
	json_t *member = json_object_get(object, key);

	if (!json_is_number(member))
		return fail(r, errp, "a number is missing: ", key);
	*value = json_number_value(member);
	return 0;
}

/* Left as it is when there is no such member. */
static int get_optional(const struct log_reader *r, json_t *object, const char *key, double *value, struct wt_error *errp)
{
	return json_object_get(object, key) ? get_number(r, object, key, value, errp) : 0;
}

static int get_count(const struct log_reader *r, json_t *object, const char *key, uint32_t min, uint32_t max,
		     uint32_t *value, struct wt_error *errp)
{
	json_t *member = json_object_get(object, key);
	json_int_t number = json_integer_value(member);

	if (!json_is_integer(member) || number < min || number > max)
		return wt_error_set(errp, EINVAL, "%s:%lu: %s: wanted a whole number, %u to %u", r->name, r->line, key,
				    min, max);
	*value = number;
	return 0;
}

static int get_bool(const struct log_reader *r, json_t *object, const char *key, bool *value, bool *given,
		    struct wt_error *errp)
{
	json_t *member = json_object_get(object, key);

	*given = member;
	if (member && !json_is_boolean(member))
		return fail(r, errp, "wanted true or false: ", key);
	*value = json_is_true(member);
	return 0;
}

static struct log_job *find_job(const struct log_reader *r, const char *name)
{
	struct log_job key = { .name = (char *) name };
	struct log_job **found = tfind(&key, &r->by_name, compare_jobs);

	return found ? *found : NULL;
}

static int read_job(struct log_reader *r, json_t *object, const char *name, struct wt_error *errp)
{
	uint32_t tasks;
	double window_s;

	if (!wt_trace_log_name_ok(name))
		return fail(r, errp, "a job's name is 1 to 64 of A-Z a-z 0-9 _ . : + -", "");
	if (find_job(r, name))
		return fail(r, errp, "a second job line of job ", name);
	if (get_count(r, object, "tasks", 1, WT_TRACE_TASKS_MAX, &tasks, errp) < 0 ||
	    get_number(r, object, "window_s", &window_s, errp) < 0)
		return -1;
	if (!(window_s > 0))
		return fail(r, errp, "window_s: wanted more than 0", "");
	/* A line of 60 bytes could otherwise ask for gigabytes. */
	if (r->tasks + tasks > WT_TRACE_LOG_TASKS_MAX)
		return wt_error_set(errp, E2BIG, "%s:%lu: more than %d tasks in jobs without an end line", r->name,
				    r->line, WT_TRACE_LOG_TASKS_MAX);
	return job_open(r, name, tasks, window_s, errp);
}

static int get_beat(struct log_reader *r, json_t *object, const struct log_job *job, struct wt_heartbeat *hb,
		    struct wt_error *errp)
{
	bool given;

	*hb = (struct wt_heartbeat) { .sent_s = NAN };
	if (get_count(r, object, "task", 0, job->trace.tasks - 1, &hb->task, errp) < 0 ||
	    get_number(r, object, "received_s", &hb->received_s, errp) < 0 ||
	    get_optional(r, object, "sent_s", &hb->sent_s, errp) < 0 ||
	    get_number(r, object, "elapsed_s", &hb->elapsed_s, errp) < 0 ||
	    get_number(r, object, "progress", &hb->progress, errp) < 0)
		return -1;
	return get_bool(r, object, "end", &hb->end, &given, errp);
}

static int read_heartbeat(struct log_reader *r, json_t *object, struct log_job *job, struct wt_error *errp)
{
	struct wt_heartbeat hb;

	return get_beat(r, object, job, &hb, errp) < 0 ? -1 : wt_trace_add(&job->trace, &hb, errp);
}

static int read_copy(struct log_reader *r, json_t *object, struct log_job *job, struct wt_error *errp)
{
	struct wt_trace_copy copy;

	if (get_beat(r, object, job, &copy.hb, errp) < 0 ||
	    get_count(r, object, "attempt", 2, UINT32_MAX, &copy.attempt, errp) < 0)
		return -1;
	return wt_trace_add_copy(&job->trace, &copy, errp);
}

/* A word that is none stays unknown. */
static void get_word(json_t *object, const char *key, char word[WT_TRACE_WORD])
{
	const char *text = json_string_value(json_object_get(object, key));

	if (wt_trace_log_name_ok(text))
		snprintf(word, WT_TRACE_WORD, "%s", text);
}

static int read_attempt(struct log_reader *r, json_t *object, struct log_job *job, struct wt_error *errp)
{
	struct wt_trace_attempt attempt = { .task_id = -1 };
	uint32_t id;
	bool given;

	if (get_count(r, object, "task", 0, job->trace.tasks - 1, &attempt.task, errp) < 0 ||
	    get_count(r, object, "attempt", 1, UINT32_MAX, &attempt.attempt, errp) < 0 ||
	    get_bool(r, object, "flagged", &attempt.flagged, &given, errp) < 0 ||
	    get_bool(r, object, "won", &attempt.won, &given, errp) < 0)
		return -1;
	if (json_object_get(object, "task_id")) {
		if (get_count(r, object, "task_id", 0, UINT32_MAX, &id, errp) < 0)
			return -1;
		attempt.task_id = id;
	}
	get_word(object, "node", attempt.node);
	get_word(object, "state", attempt.state);
	return wt_trace_add_attempt(&job->trace, &attempt, errp);
}

static int read_task(struct log_reader *r, json_t *object, struct log_job *job, struct wt_error *errp)
{
	struct wt_trace_task task = { .start_s = NAN, .duration_s = NAN, .hang_s = NAN };
	uint32_t number;

	if (get_count(r, object, "task", 0, job->trace.tasks - 1, &number, errp) < 0 ||
	    get_optional(r, object, "start_s", &task.start_s, errp) < 0 ||
	    get_optional(r, object, "duration_s", &task.duration_s, errp) < 0 ||
	    get_optional(r, object, "hang_s", &task.hang_s, errp) < 0 ||
	    get_bool(r, object, "straggler", &task.straggler, &task.known, errp) < 0)
		return -1;
	/* A hung task has no end, whatever the line says. */
	if (!isnan(task.hang_s))
		task.duration_s = INFINITY;
	job->trace.task[number] = task;
	job->told = true;
	return 0;
}

static int read_of_job(struct log_reader *r, json_t *object, const char *type, struct wt_error *errp)
{
	const char *name = json_string_value(json_object_get(object, "job"));
	struct log_job *job;

	if (!name)
		return fail(r, errp, "a string is missing: job", "");
	if (!strcmp(type, "job"))
		return read_job(r, object, name, errp);
	job = find_job(r, name);
	if (!job)
		return fail(r, errp, "no job line came before this one of job ", name);
	if (!strcmp(type, "heartbeat"))
		return read_heartbeat(r, object, job, errp);
	if (!strcmp(type, "task"))
		return read_task(r, object, job, errp);
	if (!strcmp(type, "copy"))
		return read_copy(r, object, job, errp);
	if (!strcmp(type, "attempt"))
		return read_attempt(r, object, job, errp);
	if (strcmp(type, "end"))
		return fail(r, errp, "no such type: ", type);
	if (get_number(r, object, "time_s", &job->trace.end_s, errp) < 0)
		return -1;
	return job_finish(r, job, errp);
}

static int read_object(struct log_reader *r, json_t *object, struct wt_error *errp)
{
	const char *type = json_string_value(json_object_get(object, "type"));

	if (!type)
		return fail(r, errp, "not an object with a type", "");
	if (r->line > 1)
		return read_of_job(r, object, type, errp);
	if (strcmp(type, "windtunnel-heartbeats"))
		return fail(r, errp, "not a heartbeat log: its first line has the type windtunnel-heartbeats", "");
	if (json_integer_value(json_object_get(object, "version")) != 1)
		return fail(r, errp, "a heartbeat log of another version than 1", "");
	return 0;
}

static int read_line(struct log_reader *r, const char *text, size_t len, struct wt_error *errp)
{
	json_error_t error;
	json_t *object;
	int rc;

	object = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
	if (!object)
		return fail(r, errp, "not JSON: ", error.text);
	rc = read_object(r, object, errp);
	json_decref(object);
	return rc;
}

static int read_lines(struct log_reader *r, FILE *in, char *text, struct wt_error *errp)
{
	int rc = 0;

	for (r->line = 1; rc == 0 && fgets(text, WT_TRACE_LOG_LINE_MAX, in); r->line++) {
		size_t len = strlen(text);

		/* fgets (3) does not tell of a NUL byte: the line seems to end there. */
		if (!len || (text[len - 1] != '\n' && !feof(in)))
			return fail(r, errp, "a NUL byte, or a line of more than 65534 bytes", "");
		rc = read_line(r, text, len, errp);
	}
	if (rc == 0 && ferror(in))
		return wt_error_errno(errp, errno ? errno : EIO, "%s", r->name);
	if (rc == 0 && r->line == 1)
		return fail(r, errp, "not a heartbeat log: it is empty", "");
	return rc;
}

int wt_trace_log_read(FILE *in, const char *name, wt_trace_log_fn fn, void *arg, struct wt_error *errp)
{
	struct log_reader r = { .name = name, .fn = fn, .arg = arg };
	char *text = malloc(WT_TRACE_LOG_LINE_MAX);
	int rc, saved_errno;

	TAILQ_INIT(&r.jobs);
	rc = text ? read_lines(&r, in, text, errp) : wt_error_set(errp, ENOMEM, "%s: no memory", name);
	/* A log that is cut off, or still being written: its open jobs are handed over as they are. */
	while (rc == 0 && !TAILQ_EMPTY(&r.jobs))
		rc = job_finish(&r, TAILQ_FIRST(&r.jobs), errp);
	saved_errno = errno;
	while (!TAILQ_EMPTY(&r.jobs))
		job_close(&r, TAILQ_FIRST(&r.jobs));
	free(text);
	errno = saved_errno;
	return rc;
}
