/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/str.h"
#include "workload/job_ask.h"

/* The keys of windtunnel-jobs(5), which reader and writer share.  A key that stands in neither table is refused. */
static const char *const text_keys[WT_ASK_TEXTS] = {
	[WT_ASK_NAME] = "name", [WT_ASK_USER] = "user", [WT_ASK_GROUP] = "group", [WT_ASK_ACCOUNT] = "account",
	[WT_ASK_QOS] = "qos", [WT_ASK_PARTITION] = "partition", [WT_ASK_WCKEY] = "wckey",
	[WT_ASK_RESERVATION] = "reservation", [WT_ASK_CONSTRAINT] = "constraint", [WT_ASK_LICENSES] = "licenses",
	[WT_ASK_NODE_LIST] = "node_list", [WT_ASK_EXCLUDE] = "exclude", [WT_ASK_DEPENDENCY] = "dependency",
	[WT_ASK_GRES] = "gres", [WT_ASK_GPUS] = "gpus", [WT_ASK_GPUS_PER_NODE] = "gpus_per_node",
	[WT_ASK_GPUS_PER_TASK] = "gpus_per_task", [WT_ASK_GPUS_PER_SOCKET] = "gpus_per_socket",
	[WT_ASK_SHARING] = "sharing",
};

enum number_kind { COUNT, SECONDS, FLAG, SIGNED };

/* As in SWF traces: three hundred years. */
#define SECONDS_MAX 1e10

static const struct {
	const char *key;
	enum number_kind kind;
	double min, max;
} numbers[WT_ASK_NUMBERS] = {
	[WT_ASK_TASKS] = { "tasks", COUNT, 1, 1e8 },
	[WT_ASK_CPUS_PER_TASK] = { "cpus_per_task", COUNT, 1, 65000 },
	[WT_ASK_NODES_MIN] = { "nodes", COUNT, 1, 1e6 },
	[WT_ASK_NODES_MAX] = { "nodes_max", COUNT, 1, 1e6 },
	[WT_ASK_TASKS_PER_NODE] = { "tasks_per_node", COUNT, 1, 65000 },
	[WT_ASK_TASKS_PER_SOCKET] = { "tasks_per_socket", COUNT, 1, 65000 },
	[WT_ASK_TASKS_PER_CORE] = { "tasks_per_core", COUNT, 1, 65000 },
	[WT_ASK_SOCKETS_PER_NODE] = { "sockets_per_node", COUNT, 1, 65000 },
	[WT_ASK_CORES_PER_SOCKET] = { "cores_per_socket", COUNT, 1, 65000 },
	[WT_ASK_THREADS_PER_CORE] = { "threads_per_core", COUNT, 1, 65000 },
	[WT_ASK_CPUS_PER_NODE_MIN] = { "cpus_per_node_min", COUNT, 1, 65000 },
	[WT_ASK_MEMORY_PER_NODE] = { "memory_per_node_mib", COUNT, 0, 1e15 },
	[WT_ASK_MEMORY_PER_CPU] = { "memory_per_cpu_mib", COUNT, 0, 1e15 },
	[WT_ASK_TMP_DISK] = { "tmp_disk_mib", COUNT, 0, 4e9 },
	[WT_ASK_TIME_MIN_S] = { "time_min_s", SECONDS, 0, SECONDS_MAX },
	[WT_ASK_BEGIN_AFTER_S] = { "begin_after_s", SECONDS, 0, SECONDS_MAX },
	[WT_ASK_DEADLINE_AFTER_S] = { "deadline_after_s", SECONDS, 0, SECONDS_MAX },
	/* sbatch's bounds: NICE_OFFSET, 0x80000000, less 3. */
	[WT_ASK_NICE] = { "nice", SIGNED, -2147483645, 2147483645 },
	/* The two highest values of 32 bits are Slurm's INFINITE and NO_VAL. */
	[WT_ASK_PRIORITY] = { "priority", COUNT, 0, 4294967293.0 },
	[WT_ASK_SWITCHES] = { "switches", COUNT, 1, 1e6 },
	[WT_ASK_SWITCHES_WAIT_S] = { "switches_wait_s", SECONDS, 0, 1e9 },
	[WT_ASK_CONTIGUOUS] = { "contiguous", FLAG, 0, 1 },
	[WT_ASK_REQUEUE] = { "requeue", FLAG, 0, 1 },
	[WT_ASK_OVERCOMMIT] = { "overcommit", FLAG, 0, 1 },
	[WT_ASK_SPREAD] = { "spread", FLAG, 0, 1 },
	[WT_ASK_CORE_SPEC] = { "core_spec", COUNT, 0, 32000 },
	[WT_ASK_EXIT_CODE] = { "exit_code", COUNT, 0, 255 },
	[WT_ASK_SIGNAL] = { "signal", COUNT, 1, 64 },
	[WT_ASK_CANCEL_AFTER_S] = { "cancel_after_s", SECONDS, 0, SECONDS_MAX },
	[WT_ASK_REQUEUE_AFTER_S] = { "requeue_after_s", SECONDS, 0, SECONDS_MAX },
};

static const char *const end_names[WT_END_COUNT] = {
	[WT_END_COMPLETED] = "completed", [WT_END_FAILED] = "failed", [WT_END_TIME_LIMIT] = "time_limit",
	[WT_END_CANCELLED] = "cancelled", [WT_END_OUT_OF_MEMORY] = "out_of_memory",
	[WT_END_NODE_FAILURE] = "node_failure",
};

const char *wt_job_end_name(enum wt_job_end end)
{
	return end_names[end];
}

struct wt_job_ask *wt_job_ask_create(void)
{
	struct wt_job_ask *ask = calloc(1, sizeof(*ask));

	for (size_t i = 0; ask && i < WT_ASK_NUMBERS; i++)
		ask->number[i] = NAN;
	return ask;
}

struct wt_job_ask *wt_job_ask_copy(const struct wt_job_ask *from)
{
	struct wt_job_ask *ask = from ? wt_job_ask_create() : NULL;

	if (!ask)
		return NULL;
	memcpy(ask->number, from->number, sizeof(ask->number));
	ask->end = from->end;
	for (size_t i = 0; i < WT_ASK_TEXTS; i++)
		if (wt_job_ask_text_set(ask, (enum wt_ask_text) i, from->text[i]) < 0) {
			wt_job_ask_destroy(ask);
			return NULL;
		}
	return ask;
}

void wt_job_ask_destroy(struct wt_job_ask *ask)
{
	int saved_errno = errno;

	for (size_t i = 0; ask && i < WT_ASK_TEXTS; i++)
		free(ask->text[i]);
	free(ask);
	errno = saved_errno;
}

int wt_job_ask_text_set(struct wt_job_ask *ask, enum wt_ask_text which, const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		return -1;
	free(ask->text[which]);
	ask->text[which] = copy;
	return 0;
}

/* ---- reading ---- */

/* A user may be a number. */
static int text_take(struct wt_job_ask *ask, size_t which, const json_t *value, struct wt_error *errp)
{
	size_t max = which == WT_ASK_DEPENDENCY ? WT_ASK_DEPENDENCY_MAX : WT_ASK_TEXT_MAX;
	const char *text = json_string_value(value);
	char number[32];

	if ((which == WT_ASK_USER || which == WT_ASK_GROUP) && json_is_integer(value)) {
		snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(value));
		text = number;
	}
	if (!text || !*text || strlen(text) > max)
		return wt_error_set(errp, EINVAL, "%s is not a text of 1 to %zu bytes", text_keys[which], max);
	if (wt_str_has_controls(text))
		return wt_error_set(errp, EINVAL, "%s has control characters", text_keys[which]);
	return wt_job_ask_text_set(ask, (enum wt_ask_text) which, text) < 0 ? wt_error_errno(errp, ENOMEM, "job") : 1;
}

static int number_take(struct wt_job_ask *ask, size_t which, const json_t *value, struct wt_error *errp)
{
	enum number_kind kind = numbers[which].kind;
	double number = json_number_value(value);

	if (kind == FLAG) {
		if (!json_is_boolean(value))
			return wt_error_set(errp, EINVAL, "%s is neither true nor false", numbers[which].key);
		ask->number[which] = json_is_true(value);
		return 1;
	}
	if (!json_is_number(value) || !(number >= numbers[which].min && number <= numbers[which].max) ||
	    (kind != SECONDS && number != floor(number)))
		return wt_error_set(errp, EINVAL, "%s is not a %s from %.10g to %.10g", numbers[which].key,
				    kind == SECONDS ? "number" : "whole number", numbers[which].min, numbers[which].max);
	ask->number[which] = fabs(number) > 0 ? number : 0;	/* not -0 */
	return 1;
}

static int end_take(struct wt_job_ask *ask, const json_t *value, struct wt_error *errp)
{
	const char *text = json_string_value(value);

	for (int i = 0; text && i < WT_END_COUNT; i++)
		if (!strcmp(text, end_names[i])) {
			ask->end = (enum wt_job_end) i;
			return 1;
		}
	return wt_error_set(errp, EINVAL, "end is none of completed, failed, time_limit, cancelled, out_of_memory, "
			    "node_failure");
}

int wt_job_ask_take(struct wt_job_ask *ask, const char *key, const json_t *value, struct wt_error *errp)
{
	for (size_t i = 0; i < WT_ASK_TEXTS; i++)
		if (!strcmp(key, text_keys[i]))
			return text_take(ask, i, value, errp);
	for (size_t i = 0; i < WT_ASK_NUMBERS; i++)
		if (!strcmp(key, numbers[i].key))
			return number_take(ask, i, value, errp);
	return strcmp(key, "end") ? 0 : end_take(ask, value, errp);
}

static bool has(const struct wt_job_ask *ask, enum wt_ask_number which)
{
	return !isnan(ask->number[which]);
}

static int sharing_check(const char *text, struct wt_error *errp)
{
	static const char *const words[] = { "exclusive", "oversubscribe", "user", "mcs" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!text || !strcmp(text, words[i]))
			return 0;
	return wt_error_set(errp, EINVAL, "sharing is none of exclusive, oversubscribe, user, mcs");
}

static int end_check(const struct wt_job_ask *ask, struct wt_error *errp)
{
	bool fails = wt_job_ask_number(ask, WT_ASK_EXIT_CODE, 0) > 0 || has(ask, WT_ASK_SIGNAL);

	/* A status that is asked for beside another end would be dropped without a word: such a job is refused. */
	if (fails && ask->end != WT_END_FAILED)
		return wt_error_set(errp, EINVAL, "exit_code and signal are for end \"failed\"");
	if (ask->end == WT_END_FAILED && has(ask, WT_ASK_EXIT_CODE) && !fails)
		return wt_error_set(errp, EINVAL, "end \"failed\" has an exit_code from 1 on, or a signal");
	if (has(ask, WT_ASK_EXIT_CODE) && has(ask, WT_ASK_SIGNAL))
		return wt_error_set(errp, EINVAL, "exit_code and signal: give one of them");
	if (has(ask, WT_ASK_CANCEL_AFTER_S) && ask->end != WT_END_CANCELLED)
		return wt_error_set(errp, EINVAL, "cancel_after_s is for end \"cancelled\"");
	/* slurmctld would put it into the queue again. */
	if (ask->end == WT_END_NODE_FAILURE &&
	    (has(ask, WT_ASK_REQUEUE_AFTER_S) || wt_job_ask_number(ask, WT_ASK_REQUEUE, 0) > 0))
		return wt_error_set(errp, EINVAL, "a job with the end \"node_failure\" is not requeued");
	if (has(ask, WT_ASK_REQUEUE_AFTER_S) && !(wt_job_ask_number(ask, WT_ASK_REQUEUE, 1) > 0))
		return wt_error_set(errp, EINVAL, "requeue_after_s with requeue false");
	return 0;
}

int wt_job_ask_check(const struct wt_job_ask *ask, struct wt_error *errp)
{
	if (has(ask, WT_ASK_NODES_MAX) && ask->number[WT_ASK_NODES_MAX] < wt_job_ask_number(ask, WT_ASK_NODES_MIN, 1))
		return wt_error_set(errp, EINVAL, "nodes_max is below nodes");
	if (has(ask, WT_ASK_MEMORY_PER_NODE) && has(ask, WT_ASK_MEMORY_PER_CPU))
		return wt_error_set(errp, EINVAL, "memory_per_node_mib and memory_per_cpu_mib: give one of them");
	if (has(ask, WT_ASK_SWITCHES_WAIT_S) && !has(ask, WT_ASK_SWITCHES))
		return wt_error_set(errp, EINVAL, "switches_wait_s without switches");
	if (ask->text[WT_ASK_GROUP] && !ask->text[WT_ASK_USER])
		return wt_error_set(errp, EINVAL, "group without user");
	if (!wt_job_ask_cpus(ask))
		return wt_error_set(errp, EINVAL, "more than %u CPUs", UINT32_MAX);
	return sharing_check(ask->text[WT_ASK_SHARING], errp) < 0 ? -1 : end_check(ask, errp);
}

/* ---- telling ---- */

static json_t *number_json(enum number_kind kind, double number)
{
	if (kind == FLAG)
		return json_boolean(number > 0);
	return number == floor(number) && fabs(number) < 1e15 ? json_integer((json_int_t) number) : json_real(number);
}

int wt_job_ask_tell(const struct wt_job_ask *ask, json_t *object)
{
	int rc = 0;

	for (size_t i = 0; i < WT_ASK_TEXTS; i++)
		if (ask->text[i] && json_object_set_new(object, text_keys[i], json_string(ask->text[i])) < 0)
			rc = -1;
	for (size_t i = 0; i < WT_ASK_NUMBERS; i++)
		if (!isnan(ask->number[i]) &&
		    json_object_set_new(object, numbers[i].key, number_json(numbers[i].kind, ask->number[i])) < 0)
			rc = -1;
	if (ask->end != WT_END_COMPLETED && json_object_set_new(object, "end", json_string(end_names[ask->end])) < 0)
		rc = -1;
	return rc;
}

/* ---- what it amounts to ---- */

double wt_job_ask_number(const struct wt_job_ask *ask, enum wt_ask_number which, double otherwise)
{
	return has(ask, which) ? ask->number[which] : otherwise;
}

uint32_t wt_job_ask_cpus(const struct wt_job_ask *ask)
{
	double nodes = wt_job_ask_number(ask, WT_ASK_NODES_MIN, 1);
	double tasks = wt_job_ask_number(ask, WT_ASK_TASKS, nodes * wt_job_ask_number(ask, WT_ASK_TASKS_PER_NODE, 1));
	double cpus = fmax(tasks, nodes) * wt_job_ask_number(ask, WT_ASK_CPUS_PER_TASK, 1);

	return cpus <= UINT32_MAX ? (uint32_t) cpus : 0;
}

void wt_job_ask_scale(struct wt_job_ask *ask, double factor)
{
	for (size_t i = 0; i < WT_ASK_NUMBERS; i++)
		if (numbers[i].kind == SECONDS)
			ask->number[i] *= factor;
}

bool wt_job_ask_endless(const struct wt_job_ask *ask)
{
	return ask->end == WT_END_TIME_LIMIT || ask->end == WT_END_CANCELLED;
}
