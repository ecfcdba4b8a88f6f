/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel straggler record: real heartbeats, for "replay". */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/straggler/controller_question.h"
#include "cmd/straggler/failure.h"
#include "cmd/straggler/straggler_verb.h"
#include "lib/clock.h"
#include "lib/options.h"
#include "lib/str.h"
#include "straggler/trace_log.h"

struct record_arguments {
	const char *conf, *log;
	uint64_t job_id, seconds;
};

struct recording {
	FILE *out;
	uint64_t next, lost, count;
	uint32_t *arrays;	/* those that the log knows */
	size_t array_count;
	double window_s;
	size_t forgotten;	/* arrays that slurmctld knew no more at the end */
	bool away;	/* slurmctld was, for a while */
};

static volatile sig_atomic_t interrupted;

static const struct argp_option options[] = {
	{ "conf", 'c', "FILE", 0, "The straggler.conf (default: beside the slurm.conf of SLURM_CONF, or in /etc/slurm)", 0 },
	{ "job", 'j', "JOBID", 0, "Of this array only", 0 },
	{ "time", 't', "SECONDS", 0, "End after so long (default: when interrupted)", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct record_arguments *input = state->input;
	struct wt_error err = { "" };

	switch (key) {
	case 'c':
		input->conf = arg;
		return 0;
	case 'j':
	case 't':
		if (wt_str_to_u64(arg, 1, UINT32_MAX, key == 'j' ? "--job" : "--time",
				  key == 'j' ? &input->job_id : &input->seconds, &err) < 0)
			argp_error(state, "%s", err.text);
		return 0;
	case ARGP_KEY_ARG:
		if (input->log)
			argp_error(state, "one LOG only");
		input->log = arg;
		return 0;
	case ARGP_KEY_END:
		if (!input->log)
			argp_error(state, "the LOG to write is missing");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void stop(int sig)
{
	(void) sig;
	interrupted = 1;
}

/* A second signal ends the command at once: an answer may take its time. */
static void stop_at(int sig)
{
	struct sigaction action = { .sa_handler = stop, .sa_flags = SA_RESETHAND };

	sigemptyset(&action.sa_mask);
	sigaction(sig, &action, NULL);
}

/* An array's line comes before its heartbeats. */
static int array_know(struct recording *r, uint32_t array, uint32_t tasks, struct wt_error *errp)
{
	char name[16];
	uint32_t *more;

	for (size_t i = 0; i < r->array_count; i++) {
		if (r->arrays[i] == array)
			return 0;
	}
	more = realloc(r->arrays, (r->array_count + 1) * sizeof(*more));
	if (!more)
		return wt_error_errno(errp, ENOMEM, "arrays");
	r->arrays = more;
	r->arrays[r->array_count++] = array;
	snprintf(name, sizeof(name), "%" PRIu32, array);
	wt_trace_log_job(r->out, name, tasks, r->window_s);
	return 0;
}

static uint32_t number_of(const json_t *object, const char *key)
{
	return (uint32_t) json_integer_value(json_object_get(object, key));
}

static int line_take(struct recording *r, const json_t *line, struct wt_error *errp)
{
	uint32_t array = number_of(line, "array"), attempt = number_of(line, "attempt");
	struct wt_heartbeat hb = {
		.task = (uint32_t) json_integer_value(json_object_get(line, "task")), .sent_s = NAN,
		.end = json_is_true(json_object_get(line, "end")), .received_s = json_number_value(json_object_get(line,
		"received_s")),
		.elapsed_s = json_number_value(json_object_get(line, "elapsed_s")),
		.progress = json_number_value(json_object_get(line, "progress")),
	};
	char name[16];

	if (json_object_get(line, "next")) {
		r->next = (uint64_t) json_integer_value(json_object_get(line, "next"));
		r->lost += (uint64_t) json_integer_value(json_object_get(line, "lost"));
		return 0;
	}
	if (array_know(r, array, (uint32_t) json_integer_value(json_object_get(line, "tasks")), errp) < 0)
		return -1;
	snprintf(name, sizeof(name), "%" PRIu32, array);
	if (attempt > 1)
		wt_trace_log_copy(r->out, name, &(struct wt_trace_copy) { attempt, hb });
	else
		wt_trace_log_heartbeat(r->out, name, &hb);
	r->count++;
	return 0;
}

static int lines_take(struct recording *r, const char *text, size_t len, struct wt_error *errp)
{
	for (const char *at = text, *stop = text + len; at < stop; ) {
		const char *end = memchr(at, '\n', (size_t) (stop - at));
		json_error_t error;
		json_t *line = json_loadb(at, (size_t) ((end ? end : stop) - at), 0, &error);
		int rc;

		if (!line)
			return wt_error_set(errp, EPROTO, "the answer is no JSON: %s", error.text);
		rc = line_take(r, line, errp);
		json_decref(line);
		if (rc < 0)
			return -1;
		at = end ? end + 1 : stop;
	}
	return 0;
}

/* What has arrived since the last time.  A slurmctld that is away is waited for, once it has answered. */
static int beats_take(struct controller_question *q, struct recording *r, const struct record_arguments *input,
		      const char *name, bool wait, struct wt_error *errp)
{
	const char *text;
	size_t len;

	if (question_put(q, WT_STATUS_BEATS, (uint32_t) input->job_id, r->next, &text, &len, errp) < 0) {
		if (!wait || !question_later(q, name, errp))
			return -1;
		r->away = true;
		return 0;
	}
	question_answered(q, name);
	return lines_take(r, text, len, errp);
}

static int record(struct controller_question *q, struct recording *r, const struct record_arguments *input, const char *name,
		  struct wt_error *errp)
{
	int64_t end_us = wt_clock_now_us(wt_clock_real()) + (int64_t) input->seconds * 1000000;
	bool last = false, first = true;

	/* The last look comes after the signal or the time: what arrived in the second before it is in the log, too. */
	for (; !last; first = false) {
		last = interrupted || (input->seconds && wt_clock_now_us(wt_clock_real()) >= end_us);
		/* A slurmctld that has never answered may not exist; and after a signal the user waits for the end. */
		if (beats_take(q, r, input, name, !first && !last, errp) < 0)
			return -1;
		if (fflush(r->out) || ferror(r->out))
			return wt_error_errno(errp, errno, "%s", input->log);
		if (!last)
			wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + 1000000);
	}
	return 0;
}

static void word_copy(char word[WT_TRACE_WORD], const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	snprintf(word, WT_TRACE_WORD, "%s", text ? text : "");
}

/* Of a task that was found slow, or had copies. */
static void attempts_write(FILE *out, const char *name, uint32_t number, const json_t *task)
{
	const json_t *attempts = json_object_get(task, "attempts"), *a;
	bool flagged = json_is_true(json_object_get(task, "flagged"));
	size_t i;

	json_array_foreach((json_t *) attempts, i, a) {
		struct wt_trace_attempt attempt = {
			.task = number, .attempt = number_of(a, "attempt"), .task_id = number_of(task, "task"),
			.flagged = flagged,
			.won = number_of(task, "winner") && number_of(task, "winner") == number_of(a, "job_id"),
		};

		if (!flagged && json_array_size(attempts) < 2 && !number_of(task, "copies"))
			continue;
		word_copy(attempt.node, a, "node");
		word_copy(attempt.state, a, "state");
		wt_trace_log_attempt(out, name, &attempt);
	}
}

/* What became of the tasks, of the arrays that slurmctld still knows. */
static int outcomes_take(struct controller_question *q, struct recording *r, struct wt_error *errp)
{
	for (size_t i = 0; i < r->array_count; i++) {
		json_t *value = question_json(q, WT_STATUS_JOBS, r->arrays[i], errp), *task;
		json_t *array = json_array_get(json_object_get(value, "arrays"), 0);
		char name[16];
		size_t t;

		if (!value)
			return -1;
		snprintf(name, sizeof(name), "%" PRIu32, r->arrays[i]);
		json_array_foreach(json_object_get(array, "task"), t, task)
			attempts_write(r->out, name, (uint32_t) t, task);
		r->forgotten += !array;
		json_decref(value);
	}
	return 0;
}

int straggler_record(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options, .parser = parse, .args_doc = "LOG",
		.doc = "Write the heartbeats that slurmctld's plugin receives into LOG, which 'windtunnel straggler "
		       "replay' reads.",
	};
	struct record_arguments input = { NULL, NULL, 0, 0 };
	struct recording r = { 0 };
	struct controller_question q;
	struct wt_error err;
	int rc;

	wt_options_parse(&argp, argc, argv, 0, &input);
	if (question_open(&q, input.conf, &err) < 0)
		return straggler_failed(argv[0], &err);
	r.window_s = q.conf.spec.window_s;
	r.out = fopen(input.log, "we");
	if (!r.out) {
		wt_error_errno(&err, errno, "%s", input.log);
		return straggler_failed(argv[0], &err);
	}
	stop_at(SIGINT);
	stop_at(SIGTERM);
	wt_trace_log_begin(r.out);
	rc = record(&q, &r, &input, argv[0], &err);
	if (rc == 0)
		rc = outcomes_take(&q, &r, &err);
	if (fclose(r.out) && rc == 0)
		rc = wt_error_errno(&err, errno, "%s", input.log);
	question_close(&q);
	free(r.arrays);
	fprintf(stderr, "%s: %" PRIu64 " heartbeats of %zu arrays\n", argv[0], r.count, r.array_count);
	if (r.lost)
		fprintf(stderr, "%s: %" PRIu64 " earlier ones were not kept\n", argv[0], r.lost);
	if (r.forgotten)
		fprintf(stderr, "%s: of %zu arrays slurmctld has forgotten who won\n", argv[0], r.forgotten);
	if (r.away)
		fprintf(stderr, "%s: those of the time in which slurmctld did not answer may be missing\n", argv[0]);
	return rc < 0 ? straggler_failed(argv[0], &err) : 0;
}
