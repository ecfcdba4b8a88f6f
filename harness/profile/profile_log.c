/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/profile/profile_log.h"
#include "lib/json.h"

uint64_t profile_queue_from(size_t queue)
{
	uint64_t from = queue > 0;

	for (size_t i = 1; i < queue; i++)
		from *= 10;
	return from;
}

size_t profile_queue_of(uint64_t jobs)
{
	size_t queue = 0;

	while (queue + 1 < PROFILE_QUEUES && jobs >= profile_queue_from(queue + 1))
		queue++;
	return queue;
}

static struct thread_use *use_find(struct profile_uses *uses, const char *name)
{
	struct thread_use *list;

	for (size_t i = 0; i < uses->count; i++)
		if (!strcmp(uses->list[i].name, name))
			return &uses->list[i];
	list = reallocarray(uses->list, uses->count + 1, sizeof(*list));
	if (!list)
		return NULL;
	uses->list = list;
	list[uses->count] = (struct thread_use) { .threads = 0 };
	memcpy(list[uses->count].name, name, strlen(name) + 1);
	return &list[uses->count++];
}

static int uses_add(struct profile_uses *uses, double time_s, double cpu_s, const struct thread_use *list, size_t count)
{
	uses->time_s += time_s;
	uses->cpu_s += cpu_s;
	for (size_t i = 0; i < count; i++) {
		struct thread_use *use = use_find(uses, list[i].name);

		if (!use)
			return -1;
		use->cpu_s += list[i].cpu_s;
		use->threads = use->threads > list[i].threads ? use->threads : list[i].threads;
	}
	return 0;
}

static int span_add(struct profile_log *log, const struct thread_times *now, double now_s)
{
	struct thread_use *list = NULL;
	double time_s = now_s - log->last_s, cpu_s = now->cpu_s - log->last.cpu_s;
	size_t count = 0;
	int rc = thread_uses(&log->last, now, &list, &count, NULL);

	if (rc == 0)
		rc = uses_add(&log->all, time_s, cpu_s, list, count);
	if (rc == 0)
		rc = uses_add(&log->queues[log->last_queue], time_s, cpu_s, list, count);
	free(list);
	return rc;
}

void profile_log_take(struct profile_log *log, pid_t pid, struct thread_times *times, double now_s, uint64_t pending)
{
	if (pid == log->pid && log->looks && span_add(log, times, now_s) < 0)
		log->failed = true;
	thread_times_clear(&log->last);
	log->last = *times;
	memset(times, 0, sizeof(*times));
	log->pid = pid;
	log->last_s = now_s;
	log->last_queue = profile_queue_of(pending);
	log->looks++;
}

void profile_log_look(struct profile_log *log, pid_t pid, double now_s, uint64_t pending)
{
	struct thread_times times;

	if (pid > 0 && thread_times_read(pid, &times, NULL) == 0)
		profile_log_take(log, pid, &times, now_s, pending);
	else
		log->pid = 0;
}

/* ---- told ---------------------------------------------------------------------------------------------------------- */

static int most_first(const void *a, const void *b)
{
	const struct thread_use *x = a, *y = b;

	if (x->cpu_s != y->cpu_s)
		return x->cpu_s < y->cpu_s ? 1 : -1;
	return strcmp(x->name, y->name);
}

static json_t *threads_json(const struct profile_uses *uses)
{
	struct thread_use *sorted = calloc(uses->count + 1, sizeof(*sorted));
	json_t *list = sorted ? json_array() : NULL;

	if (sorted && uses->count) {
		memcpy(sorted, uses->list, uses->count * sizeof(*sorted));
		qsort(sorted, uses->count, sizeof(*sorted), most_first);
	}
	for (size_t i = 0; list && i < uses->count; i++)
		if (json_array_append_new(list, json_pack("{s:o, s:I, s:f}", "name", wt_json_text(sorted[i].name),
							  "threads", (json_int_t) sorted[i].threads, "cpu_s",
							  sorted[i].cpu_s)) < 0) {
			json_decref(list);
			list = NULL;
		}
	free(sorted);
	return list;
}

static json_t *queues_json(const struct profile_log *log)
{
	json_t *list = json_array();

	for (size_t q = 0; list && q < PROFILE_QUEUES; q++) {
		json_int_t next = (json_int_t) profile_queue_from(q + 1);
		json_t *last = q + 1 < PROFILE_QUEUES ? json_integer(next - 1) : json_null();

		if (json_array_append_new(list, json_pack("{s:I, s:o, s:f, s:f, s:o}", "from",
							  (json_int_t) profile_queue_from(q), "to", last, "time_s",
							  log->queues[q].time_s, "cpu_s", log->queues[q].cpu_s, "threads",
							  threads_json(&log->queues[q]))) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

/* null: none are known. */
static json_t *functions_json(const struct stacks *stacks)
{
	struct stack_function *functions = NULL;
	size_t count = 0;
	json_t *list;

	if (!stacks)
		return json_null();
	list = stacks_functions(stacks, &functions, &count, NULL) == 0 ? json_array() : NULL;
	for (size_t i = 0; list && i < count && i < PROFILE_FUNCTIONS_MAX; i++)
		if (json_array_append_new(list, json_pack("{s:o, s:I, s:I}", "name", wt_json_text(functions[i].name), "self",
							  (json_int_t) functions[i].self, "total",
							  (json_int_t) functions[i].total)) < 0) {
			json_decref(list);
			list = NULL;
		}
	stacks_functions_free(functions, count);
	return list;
}

json_t *profile_log_json(const struct profile_log *log, const struct stacks *stacks, unsigned int rate_hz, const char *why)
{
	json_t *v = NULL;

	if (!log->failed)
		v = json_pack("{s:i, s:s, s:I, s:f, s:f, s:o, s:o, s:I, s:I, s:o, s:o}", "format", 1, "daemon", "slurmctld",
			      "looks", (json_int_t) log->looks, "time_s", log->all.time_s, "cpu_s", log->all.cpu_s,
			      "threads", threads_json(&log->all), "queues", queues_json(log), "rate_hz",
			      (json_int_t) rate_hz, "samples", (json_int_t) (stacks ? stacks->samples : 0), "functions",
			      functions_json(stacks), "functions_missing", stacks ? json_null() : wt_json_text(why));
	if (!v)
		errno = ENOMEM;
	return v;
}

void profile_log_clear(struct profile_log *log)
{
	free(log->all.list);
	for (size_t q = 0; q < PROFILE_QUEUES; q++)
		free(log->queues[q].list);
	thread_times_clear(&log->last);
	memset(log, 0, sizeof(*log));
}
