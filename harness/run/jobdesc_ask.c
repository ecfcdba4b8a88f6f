/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compat/client.h"
#include "harness/run/jobdesc_ask.h"

/* A number that the job asks for, into a field of any width; without one the field stays as libslurm has set it. */
#define NUMBER_SET(field, ask, which)                                     \
	do {                                                              \
		if (!isnan((ask)->number[which]))                         \
			(field) = (__typeof__(field)) (ask)->number[which]; \
	} while (0)

static void texts_set(job_desc_msg_t *msg, const struct wt_job_ask *ask)
{
	const struct { char **field; enum wt_ask_text which; } texts[] = {
		{ &msg->name, WT_ASK_NAME }, { &msg->account, WT_ASK_ACCOUNT }, { &msg->qos, WT_ASK_QOS },
		{ &msg->partition, WT_ASK_PARTITION }, { &msg->wckey, WT_ASK_WCKEY },
		{ &msg->reservation, WT_ASK_RESERVATION }, { &msg->features, WT_ASK_CONSTRAINT },
		{ &msg->licenses, WT_ASK_LICENSES }, { &msg->req_nodes, WT_ASK_NODE_LIST },
		{ &msg->exc_nodes, WT_ASK_EXCLUDE },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (ask->text[texts[i].which])
			*texts[i].field = ask->text[texts[i].which];
}

/* As sbatch does: tasks that are not told are one for each node, or so many as each is to have. */
static void size_set(job_desc_msg_t *msg, const struct wt_job *job)
{
	const struct wt_job_ask *ask = job->ask;
	double nodes = wt_job_ask_number(ask, WT_ASK_NODES_MIN, 0);

	NUMBER_SET(msg->cpus_per_task, ask, WT_ASK_CPUS_PER_TASK);
	msg->min_cpus = job->cpus;
	msg->num_tasks = (uint32_t) (job->cpus / wt_job_ask_number(ask, WT_ASK_CPUS_PER_TASK, 1));
	if (nodes > 0) {
		msg->min_nodes = (uint32_t) nodes;
		msg->max_nodes = (uint32_t) wt_job_ask_number(ask, WT_ASK_NODES_MAX, nodes);
	}
	NUMBER_SET(msg->ntasks_per_node, ask, WT_ASK_TASKS_PER_NODE);
	NUMBER_SET(msg->ntasks_per_socket, ask, WT_ASK_TASKS_PER_SOCKET);
	NUMBER_SET(msg->ntasks_per_core, ask, WT_ASK_TASKS_PER_CORE);
	NUMBER_SET(msg->sockets_per_node, ask, WT_ASK_SOCKETS_PER_NODE);
	NUMBER_SET(msg->cores_per_socket, ask, WT_ASK_CORES_PER_SOCKET);
	NUMBER_SET(msg->threads_per_core, ask, WT_ASK_THREADS_PER_CORE);
	NUMBER_SET(msg->pn_min_cpus, ask, WT_ASK_CPUS_PER_NODE_MIN);
	NUMBER_SET(msg->pn_min_tmp_disk, ask, WT_ASK_TMP_DISK);
	NUMBER_SET(msg->pn_min_memory, ask, WT_ASK_MEMORY_PER_NODE);
	if (!isnan(ask->number[WT_ASK_MEMORY_PER_CPU]))
		msg->pn_min_memory = (uint64_t) ask->number[WT_ASK_MEMORY_PER_CPU] | MEM_PER_CPU;
}

static void sharing_set(job_desc_msg_t *msg, const char *sharing)
{
	static const struct { const char *word; uint16_t shared; } words[] = {
		{ "exclusive", 0 }, { "oversubscribe", 1 }, { "user", 2 }, { "mcs", 3 },	/* slurm.h, shared */
	};

	for (size_t i = 0; sharing && i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(sharing, words[i].word))
			msg->shared = words[i].shared;
}

static void rest_set(job_desc_msg_t *msg, const struct wt_job_ask *ask, double now_s)
{
	NUMBER_SET(msg->priority, ask, WT_ASK_PRIORITY);
	NUMBER_SET(msg->contiguous, ask, WT_ASK_CONTIGUOUS);
	NUMBER_SET(msg->requeue, ask, WT_ASK_REQUEUE);
	if (ask->end == WT_END_NODE_FAILURE)
		msg->requeue = 0;
	NUMBER_SET(msg->overcommit, ask, WT_ASK_OVERCOMMIT);
	NUMBER_SET(msg->core_spec, ask, WT_ASK_CORE_SPEC);
	NUMBER_SET(msg->req_switch, ask, WT_ASK_SWITCHES);
	NUMBER_SET(msg->wait4switch, ask, WT_ASK_SWITCHES_WAIT_S);
	if (!isnan(ask->number[WT_ASK_NICE]))
		msg->nice = (uint32_t) ((int64_t) NICE_OFFSET + (int64_t) ask->number[WT_ASK_NICE]);
	if (!isnan(ask->number[WT_ASK_TIME_MIN_S]))
		msg->time_min = (uint32_t) ceil(ask->number[WT_ASK_TIME_MIN_S] / 60);
	/* Slurm counts whole seconds: rounded up, so that a job never begins before it was to, and always has the
	 * time that it was to have. */
	if (ask->number[WT_ASK_BEGIN_AFTER_S] > 0)
		msg->begin_time = (time_t) ceil(now_s + ask->number[WT_ASK_BEGIN_AFTER_S]);
	if (!isnan(ask->number[WT_ASK_DEADLINE_AFTER_S]))
		msg->deadline = (time_t) ceil(now_s + ask->number[WT_ASK_DEADLINE_AFTER_S]);
	if (ask->number[WT_ASK_SPREAD] > 0)
		msg->bitflags |= SPREAD_JOB;
	sharing_set(msg, ask->text[WT_ASK_SHARING]);
}

static int tres_set(struct wt_jobdesc *d, const struct wt_job_ask *ask)
{
	const struct { char **field; enum wt_ask_text which; bool gpus; } tres[WT_JOBDESC_TRES] = {
		{ &d->msg.tres_per_node, WT_ASK_GRES, false }, { &d->msg.tres_per_job, WT_ASK_GPUS, true },
		{ &d->msg.tres_per_node, WT_ASK_GPUS_PER_NODE, true },
		{ &d->msg.tres_per_task, WT_ASK_GPUS_PER_TASK, true },
		{ &d->msg.tres_per_socket, WT_ASK_GPUS_PER_SOCKET, true },
	};

	for (size_t i = 0; i < WT_JOBDESC_TRES; i++) {
		if (!ask->text[tres[i].which])
			continue;
		d->tres[i] = compat_tres_gres(*tres[i].field, ask->text[tres[i].which], tres[i].gpus);
		if (!d->tres[i])
			return -1;
		*tres[i].field = d->tres[i];
	}
	return 0;
}

int wt_jobdesc_ask_fill(struct wt_jobdesc *d, const struct wt_job *job, double now_s, const char *dependency)
{
	job_desc_msg_t *msg = &d->msg;

	if (isnan(job->time_limit_s))
		msg->time_limit = NO_VAL;	/* the partition's */
	size_set(msg, job);
	texts_set(msg, job->ask);
	rest_set(msg, job->ask, now_s);
	msg->dependency = (char *) dependency;
	return tres_set(d, job->ask);
}

void wt_jobdesc_ask_clear(struct wt_jobdesc *d)
{
	for (size_t i = 0; i < WT_JOBDESC_TRES; i++)
		free(d->tres[i]);
	memset(d->tres, 0, sizeof(d->tres));
	free(d->comment);
	free(d->run_times);
	free(d->array_name);
	free(d->tasks);
	free(d->spank_env[0]);
	d->comment = d->run_times = d->array_name = d->tasks = d->spank_env[0] = NULL;
}
