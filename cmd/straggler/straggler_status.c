/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel straggler status, nodes: what slurmctld's plugin knows. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/straggler/controller_question.h"
#include "cmd/straggler/failure.h"
#include "cmd/straggler/straggler_verb.h"
#include "lib/clock.h"
#include "lib/options.h"
#include "lib/str.h"
#include "lib/table.h"

struct status_arguments {
	const char *conf;
	bool json, jobs;
	uint64_t job_id, watch_s;
};

static const struct argp_option options[] = {
	{ "conf", 'c', "FILE", 0, "The straggler.conf (default: beside the slurm.conf of SLURM_CONF, or in /etc/slurm)", 0 },
	{ "json", 'j', NULL, 0, "All that is known, as JSON", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 }
};

static const struct argp_option status_options[] = {
	{ "conf", 'c', "FILE", 0, "The straggler.conf (default: beside the slurm.conf of SLURM_CONF, or in /etc/slurm)", 0 },
	{ "json", 'j', NULL, 0, "All that is known, as JSON", 0 },
	{ "watch", 'w', "SECONDS", 0, "Again and again, until interrupted", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct status_arguments *input = state->input;
	struct wt_error err;

	switch (key) {
	case 'c':
		input->conf = arg;
		return 0;
	case 'j':
		input->json = true;
		return 0;
	case 'w':
		if (wt_str_to_u64(arg, 1, 86400, "--watch", &input->watch_s, &err) < 0)
			argp_error(state, "%s", err.text);
		return 0;
	case ARGP_KEY_ARG:
		if (!input->jobs || input->job_id)
			argp_error(state, "'%s' is too much", arg);
		if (wt_str_to_u64(arg, 1, UINT32_MAX, "JOBID", &input->job_id, &err) < 0)
			argp_error(state, "%s", err.text);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static long long whole(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static void number_cell(struct wt_table *table, const json_t *object, const char *key, const char *unit)
{
	const json_t *value = json_object_get(object, key);

	if (json_is_number(value))
		wt_table_cell(table, "%.*f%s", !strcmp(key, "progress") ? 2 : 0, json_number_value(value), unit);
	else
		wt_table_cell(table, "-");
}

static void heads(struct wt_table *table, const char *const *names)
{
	for (; *names; names++)
		wt_table_cell(table, "%s", *names);
}

static void arrays_print(const json_t *arrays)
{
	static const char *const names[] = { "ARRAY", "TASKS", "RUNNING", "ENDED", "FLAGGED", "COPIES", "LIMIT", NULL };
	struct wt_table *table = wt_table_create("rrrrrrr");
	const json_t *array;
	size_t i;

	heads(table, names);
	json_array_foreach((json_t *) arrays, i, array) {
		wt_table_cell(table, "%lld", whole(array, "array_job_id"));
		wt_table_cell(table, "%lld", whole(array, "tasks"));
		wt_table_cell(table, "%lld", whole(array, "running"));
		wt_table_cell(table, "%lld", whole(array, "ended"));
		wt_table_cell(table, "%lld", whole(array, "flagged"));
		wt_table_cell(table, "%lld", whole(array, "copies"));
		number_cell(table, array, "limit_s", " s");
	}
	wt_table_print(table, stdout, "");
	wt_table_destroy(table);
}

static void remark_cell(struct wt_table *table, const json_t *task, const json_t *attempt)
{
	long long id = whole(attempt, "job_id");
	bool original = whole(attempt, "attempt") == 1;
	const char *remarks[] = {
		original && json_is_true(json_object_get(task, "flagged")) ? "slow" : NULL,
		whole(task, "winner") == id ? "won" : NULL,
		whole(task, "may_publish") != id ? NULL : json_is_true(json_object_get(task, "published")) ? "published" :
		"publishes",
		original ? json_string_value(json_object_get(task, "no_copy")) : NULL,
	};
	char text[160] = "";

	for (size_t i = 0; i < sizeof(remarks) / sizeof(remarks[0]); i++) {
		size_t used = strlen(text);

		if (remarks[i])
			snprintf(text + used, sizeof(text) - used, "%s%s", used ? ", " : "", remarks[i]);
	}
	wt_table_cell(table, "%s", text);
}

static void tasks_print(const json_t *array)
{
	static const char *const names[] = { "TASK", "ATTEMPT", "JOB", "NODE", "STATE", "PROGRESS", "HEARD", "ENDS-IN",
					     "REMARK", NULL };
	struct wt_table *table = wt_table_create("rrrllrrrl");
	const json_t *task, *attempt;
	size_t i, k;

	heads(table, names);
	json_array_foreach(json_object_get(array, "task"), i, task) {
		json_array_foreach(json_object_get(task, "attempts"), k, attempt) {
			wt_table_cell(table, "%lld", whole(task, "task"));
			wt_table_cell(table, "%lld", whole(attempt, "attempt"));
			wt_table_cell(table, "%lld", whole(attempt, "job_id"));
			wt_table_cell(table, "%s", json_string_value(json_object_get(attempt, "node")));
			wt_table_cell(table, "%s", json_string_value(json_object_get(attempt, "state")));
			number_cell(table, attempt, "progress", "");
			number_cell(table, attempt, "silence_s", " s ago");
			number_cell(table, whole(attempt, "attempt") == 1 ? task : NULL, "ends_in_s", " s");
			remark_cell(table, task, attempt);
		}
	}
	wt_table_print(table, stdout, "");
	wt_table_destroy(table);
}

static void counters_print(const json_t *counters)
{
	static const char *const refused[] = { "foreign", "unknown", "stale", "range", "backwards", "flood", "garbage",
					       "replayed", "expired",
					       "bad_credential", "refused_busy", "bad_mac", "no_session", "other_version",
					       "munge_failed" };
	bool any = false;

	printf("\n%lld heartbeats taken in %lld reports; %lld copies: %lld won, %lld not needed, %lld failed\nrefused:",
	       whole(counters, "accepted"), whole(counters, "messages"), whole(counters, "copies"),
	       whole(counters, "copies_won"),
	       whole(counters, "copies_lost"), whole(counters, "copies_failed"));
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		if (whole(counters, refused[i]))
			printf(" %s %lld", refused[i], whole(counters, refused[i]));
		any = any || whole(counters, refused[i]);
	}
	printf("%s\n", any ? "" : " none");
}

static void nodes_print(const json_t *nodes)
{
	static const char *const names[] = { "NODE", "TASKS", "SLOW", "SHARE", NULL };
	struct wt_table *table = wt_table_create("lrrr");
	const json_t *node;
	size_t i;

	heads(table, names);
	json_array_foreach((json_t *) nodes, i, node) {
		long long tasks = whole(node, "tasks"), slow = whole(node, "flagged");

		wt_table_cell(table, "%s", json_string_value(json_object_get(node, "node")));
		wt_table_cell(table, "%lld", tasks);
		wt_table_cell(table, "%lld", slow);
		wt_table_cell(table, "%.0f %%", tasks ? 100. * (double) slow / (double) tasks : 0);
	}
	wt_table_print(table, stdout, "");
	wt_table_destroy(table);
}

static int show(struct controller_question *q, const struct status_arguments *input, struct wt_error *errp)
{
	json_t *value = question_json(q, input->jobs ? WT_STATUS_JOBS : WT_STATUS_NODES, (uint32_t) input->job_id, errp);
	const json_t *arrays = json_object_get(value, "arrays");

	if (!value)
		return -1;
	if (input->job_id && !json_array_size(arrays)) {
		json_decref(value);
		return wt_error_set(errp, ENOENT, "job %llu does not speculate, is forgotten, or is another user's",
				    (unsigned long long) input->job_id);
	}
	if (input->json) {
		json_dumpf(value, stdout, JSON_INDENT(2));
		printf("\n");
	} else if (!input->jobs) {
		nodes_print(json_object_get(value, "nodes"));
	} else {
		arrays_print(arrays);
		if (input->job_id) {
			printf("\n");
			tasks_print(json_array_get(arrays, 0));
		}
		counters_print(json_object_get(value, "counters"));
	}
	json_decref(value);
	return fflush(stdout) ? wt_error_errno(errp, errno, "standard output") : 0;
}

static int run(const char *name, const struct status_arguments *input)
{
	struct wt_error err;
	struct controller_question q;
	int rc = question_open(&q, input->conf, &err);

	if (rc == 0)
		rc = show(&q, input, &err);
	while (rc == 0 && input->watch_s) {
		wt_clock_sleep_until_us(wt_clock_real(),
					wt_clock_now_us(wt_clock_real()) + (int64_t) input->watch_s * 1000000);
		if (!q.away)
			printf("\n");
		rc = show(&q, input, &err);
		if (rc == 0)
			question_answered(&q, name);
		else if (question_later(&q, name, &err))
			rc = 0;
	}
	question_close(&q);
	return rc < 0 ? straggler_failed(name, &err) : 0;
}

int straggler_status(int argc, char **argv)
{
	static const struct argp argp = {
		.options = status_options, .parser = parse, .args_doc = "[JOBID]",
		.doc = "Show the job arrays that speculate, or the tasks and attempts of one.",
	};
	struct status_arguments input = { .jobs = true };

	wt_options_parse(&argp, argc, argv, 0, &input);
	return run(argv[0], &input);
}

int straggler_nodes(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options, .parser = parse,
		.doc = "Show on which nodes tasks were found slow, since slurmctld was started.",
	};
	struct status_arguments input = { .jobs = false };

	wt_options_parse(&argp, argc, argv, 0, &input);
	return run(argv[0], &input);
}
