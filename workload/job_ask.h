/* job_ask.h - what a job of a cluster asks for besides CPUs and time, and how it ends: windtunnel-jobs(5).
 *
 * Fields are found by the names that they have in that file, from one table, so that reading, writing and submitting have
 * the same ones.  Pure; plain values. */
#ifndef WT_WORKLOAD_JOB_ASK_H
#define WT_WORKLOAD_JOB_ASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "lib/error.h"

enum wt_ask_text {
	WT_ASK_NAME, WT_ASK_USER, WT_ASK_GROUP, WT_ASK_ACCOUNT, WT_ASK_QOS, WT_ASK_PARTITION, WT_ASK_WCKEY,
	WT_ASK_RESERVATION, WT_ASK_CONSTRAINT, WT_ASK_LICENSES, WT_ASK_NODE_LIST, WT_ASK_EXCLUDE, WT_ASK_DEPENDENCY,
	WT_ASK_GRES, WT_ASK_GPUS, WT_ASK_GPUS_PER_NODE, WT_ASK_GPUS_PER_TASK, WT_ASK_GPUS_PER_SOCKET,
	WT_ASK_SHARING,		/* "exclusive", "oversubscribe", "user" or "mcs" */
	WT_ASK_TEXTS
};

enum wt_ask_number {		/* seconds of the trace, counts, or flags of 0 and 1 */
	WT_ASK_TASKS, WT_ASK_CPUS_PER_TASK, WT_ASK_NODES_MIN, WT_ASK_NODES_MAX, WT_ASK_TASKS_PER_NODE,
	WT_ASK_TASKS_PER_SOCKET, WT_ASK_TASKS_PER_CORE, WT_ASK_SOCKETS_PER_NODE, WT_ASK_CORES_PER_SOCKET,
	WT_ASK_THREADS_PER_CORE, WT_ASK_CPUS_PER_NODE_MIN, WT_ASK_MEMORY_PER_NODE, WT_ASK_MEMORY_PER_CPU, WT_ASK_TMP_DISK,
	WT_ASK_TIME_MIN_S, WT_ASK_BEGIN_AFTER_S, WT_ASK_DEADLINE_AFTER_S, WT_ASK_NICE, WT_ASK_PRIORITY,
	WT_ASK_SWITCHES, WT_ASK_SWITCHES_WAIT_S, WT_ASK_CONTIGUOUS, WT_ASK_REQUEUE, WT_ASK_OVERCOMMIT, WT_ASK_SPREAD,
	WT_ASK_CORE_SPEC,
	/* how it ends */
	WT_ASK_EXIT_CODE, WT_ASK_SIGNAL, WT_ASK_CANCEL_AFTER_S, WT_ASK_REQUEUE_AFTER_S,
	WT_ASK_NUMBERS
};

enum wt_job_end {
	WT_END_COMPLETED, WT_END_FAILED, WT_END_TIME_LIMIT, WT_END_CANCELLED, WT_END_OUT_OF_MEMORY,
	WT_END_NODE_FAILURE,
	WT_END_COUNT
};

struct wt_job_ask {
	char *text[WT_ASK_TEXTS];	/* NULL: not asked for */
	double number[WT_ASK_NUMBERS];	/* NAN: not asked for */
	enum wt_job_end end;
};

/* Bytes of one text. */
#define WT_ASK_TEXT_MAX 4096
#define WT_ASK_DEPENDENCY_MAX 131071	/* of dependencies: slurmctld takes no more */

const char *wt_job_end_name(enum wt_job_end end);	/* "completed": as in the file */

/* All unknown, completed.  NULL with ENOMEM. */
struct wt_job_ask *wt_job_ask_create(void);
struct wt_job_ask *wt_job_ask_copy(const struct wt_job_ask *ask);	/* NULL with ENOMEM; of NULL, too */
void wt_job_ask_destroy(struct wt_job_ask *ask);	/* NULL is ignored; errno is preserved */

/* Replace a text; NULL: none.  0, or -1 with ENOMEM. */
int wt_job_ask_text_set(struct wt_job_ask *ask, enum wt_ask_text which, const char *text);

/* Take the field 'key'.  1: taken; 0: the ask has none of this name; -1 with EINVAL, ENOMEM, and a text that names the
 * field. */
int wt_job_ask_take(struct wt_job_ask *ask, const char *key, const json_t *value, struct wt_error *errp);

/* What a single field cannot tell: does it fit together?  0, or -1 with EINVAL. */
int wt_job_ask_check(const struct wt_job_ask *ask, struct wt_error *errp);

/* Add all that is asked for to 'object' under its names.  0, or -1 with ENOMEM. */
int wt_job_ask_tell(const struct wt_job_ask *ask, json_t *object);

/* A number that was asked for, or 'otherwise'. */
double wt_job_ask_number(const struct wt_job_ask *ask, enum wt_ask_number which, double otherwise);

/* The CPUs that tasks, CPUs per task, nodes and tasks per node amount to; 0: more than can be counted. */
uint32_t wt_job_ask_cpus(const struct wt_job_ask *ask);

/* Multiply all times. */
void wt_job_ask_scale(struct wt_job_ask *ask, double factor);

/* It runs until it is ended: by slurmctld at its limit, or by a request to cancel it. */
bool wt_job_ask_endless(const struct wt_job_ask *ask);

#endif
