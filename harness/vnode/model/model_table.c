/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The job table, its timers, the queue of actions and that of changes: what everything else stands on. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/model_private.h"

void wt_model_counts(const struct wt_model *model, struct wt_model_counts *counts)
{
	*counts = model->counts;
}

uint64_t wt_model_text_hash(const char *text)
{
	uint64_t hash = 14695981039346656037u;

	/* FNV-1a, 64 bits: lists of nodes are compared for equality only, and a hash is kept for each job. */
	for (; text && *text; text++)
		hash = (hash ^ (uint8_t) *text) * 1099511628211u;
	return hash ? hash : 1;	/* 0 means "no nodes" */
}

static uint32_t *bucket_of(const struct wt_model *model, uint32_t job_id)
{
	/* Knuth's multiplicative hash: job ids are consecutive, and the number of buckets is a power of two. */
	return &model->buckets[(job_id * 2654435761u) & (model->bucket_count - 1)];
}

struct job *job_find(const struct wt_model *model, uint32_t job_id)
{
	uint32_t at = *bucket_of(model, job_id);

	while (at && model->jobs[at - 1].job_id != job_id)
		at = model->jobs[at - 1].next;
	return at ? &model->jobs[at - 1] : NULL;
}

wt_job_ref job_ref(const struct wt_model *model, const struct job *job)
{
	/* The table moves when it grows, and slots are used again: a ref survives the making of another job, a pointer does
	 * not. */
	return (uint64_t) job->generation << 32 | (uint32_t) (job - model->jobs);
}

struct job *job_deref(const struct wt_model *model, wt_job_ref ref)
{
	uint32_t slot = (uint32_t) ref;

	if (slot >= model->job_used || !model->jobs[slot].job_id || model->jobs[slot].generation != ref >> 32)
		return NULL;
	return &model->jobs[slot];
}

static void buckets_grow(struct wt_model *model)
{
	uint32_t *buckets, count = model->bucket_count * 2;

	/* About one job in a bucket: the table doubles when there are more. */
	if (model->counts.jobs_known < model->bucket_count)
		return;
	buckets = calloc(count, sizeof(*buckets));
	if (!buckets)
		return;		/* longer chains only */
	free(model->buckets);
	model->buckets = buckets;
	model->bucket_count = count;
	for (uint32_t i = 0; i < model->job_used; i++) {
		if (model->jobs[i].job_id) {
			uint32_t *bucket = bucket_of(model, model->jobs[i].job_id);

			model->jobs[i].next = *bucket;
			*bucket = i + 1;
		}
	}
}

static struct job *slot_take(struct wt_model *model)
{
	if (model->job_free) {
		struct job *job = &model->jobs[model->job_free - 1];

		model->job_free = job->next;
		return job;
	}
	if (model->job_used == model->job_capacity) {
		uint32_t capacity = model->job_capacity ? model->job_capacity * 2 : 256;
		struct job *jobs = realloc(model->jobs, capacity * sizeof(*jobs));

		if (!jobs)
			return NULL;
		model->jobs = jobs;
		model->job_capacity = capacity;
	}
	/* The generation has to begin at 0, and realloc () does not say so. */
	memset(&model->jobs[model->job_used], 0, sizeof(struct job));
	return &model->jobs[model->job_used++];
}

struct job *job_create(struct wt_model *model, int64_t now_us, uint32_t job_id, uint32_t uid)
{
	struct job *job = slot_take(model);
	uint32_t generation, *bucket;

	if (!job)
		return NULL;
	/* It outlives the job: refs and timers of the one before must not hit this one. */
	generation = job->generation + 1;
	memset(job, 0, sizeof(*job));
	job->generation = generation ? generation : 1;	/* a ref is never 0 */
	job->job_id = job_id;
	job->uid = uid;
	job->batch_node = WT_NODE_NONE;
	/* Task 0 exists, so "none" needs another number. */
	job->array_task_id = UINT32_MAX;
	job->touched_us = now_us;
	model->counts.jobs_known++;
	buckets_grow(model);
	bucket = bucket_of(model, job_id);
	job->next = *bucket;
	*bucket = (uint32_t) (job - model->jobs) + 1;
	/* As slurmd, which remembers a job for as long as its credential could still be used. */
	timer_arm(model, job, TIMER_FORGET, now_us + model->conf.forget_s * 1000000LL, 0);
	return job;
}

void job_forget(struct wt_model *model, struct job *job)
{
	uint32_t slot = (uint32_t) (job - model->jobs) + 1, *at = bucket_of(model, job->job_id);

	while (*at != slot)
		at = &model->jobs[*at - 1].next;
	*at = job->next;
	job_nodes_clear(model, job);
	job->job_id = 0;
	job->changed = job->nodes_changed = false;
	job->next = model->job_free;
	model->job_free = slot;
	model->counts.jobs_known--;
}

void job_changed(struct wt_model *model, struct job *job)
{
	if (job->changed)
		return;
	if (model->changed_count == model->changed_capacity) {
		uint32_t capacity = model->changed_capacity ? model->changed_capacity * 2 : 64;
		uint32_t *changed = realloc(model->changed, capacity * sizeof(*changed));

		if (!changed)
			return;		/* its next change may be noted */
		model->changed = changed;
		model->changed_capacity = capacity;
	}
	job->changed = true;
	model->changed[model->changed_count++] = (uint32_t) (job - model->jobs);
}

wt_timer_id timer_arm(struct wt_model *model, const struct job *job, uint32_t kind, int64_t deadline_us, uint32_t node)
{
	struct wt_timer timer = {
		.deadline_us = deadline_us, .kind = kind, .a = (uint32_t) (job - model->jobs),
		.b = (uint64_t) job->generation << 32 | node,
	};

	return wt_timerq_arm(model->timers, &timer);
}

static struct wt_action *action_slot(struct wt_model *model)
{
	if (model->action_count == model->action_capacity) {
		uint32_t capacity = model->action_capacity ? model->action_capacity * 2 : 64;
		/* Not realloc (): the ring may be wrapped, and its two parts have to become one. */
		struct wt_action *actions = malloc(capacity * sizeof(*actions));

		if (!actions)
			return NULL;
		for (uint32_t i = 0; i < model->action_count; i++)
			actions[i] = model->actions[(model->action_first + i) % model->action_capacity];
		free(model->actions);
		model->actions = actions;
		model->action_first = 0;
		model->action_capacity = capacity;
	}
	return &model->actions[(model->action_first + model->action_count++) % model->action_capacity];
}

void action_add(struct wt_model *model, const struct job *job, enum wt_action_kind kind, uint32_t node, int64_t now_us)
{
	struct wt_action *action = action_slot(model);

	if (!action)
		return;		/* the controller asks again */
	*action = (struct wt_action) {
		.kind = (uint8_t) kind, .probe = job->probe, .wait_status = job->wait_status, .node = node,
		.job_id = job->job_id, .uid = job->uid, .array_job_id = job->array_job_id,
		.array_task_id = job->array_task_id, .job = job_ref(model, job), .time_us = now_us, .value = NAN,
	};
}

struct wt_action *action_last(struct wt_model *model)
{
	return &model->actions[(model->action_first + model->action_count - 1) % model->action_capacity];
}

void event_add(struct wt_model *model, const struct job *job, enum wt_event_kind event, uint32_t node, int64_t now_us,
	       double value)
{
	uint32_t before = model->action_count;

	action_add(model, job, WT_ACTION_EVENT, node, now_us);
	if (model->action_count > before) {
		struct wt_action *action = action_last(model);

		action->event = (uint8_t) event;
		action->value = value;
	}
}

bool wt_model_action(struct wt_model *model, struct wt_action *action)
{
	if (!model->action_count)
		return false;
	*action = model->actions[model->action_first];
	model->action_first = (model->action_first + 1) % model->action_capacity;
	model->action_count--;
	return true;
}

bool wt_model_knows_nodes(const struct wt_model *model, uint32_t job_id, uint64_t nodes_hash)
{
	const struct job *job = job_find(model, job_id);

	return job && job->nodes_hash == nodes_hash;
}

int64_t wt_model_revoked_s(const struct wt_model *model, uint32_t job_id)
{
	const struct job *job = job_find(model, job_id);

	return job ? job->revoked_s : 0;
}

uint32_t wt_model_batch_jobs(const struct wt_model *model, uint32_t node, uint32_t *job_ids, uint32_t max)
{
	uint32_t count = 0;

	for (uint32_t at = model->load[node].batch_head; at; at = model->jobs[at - 1].next_batch) {
		if (count < max)
			job_ids[count] = model->jobs[at - 1].job_id;
		count++;
	}
	return count;
}
