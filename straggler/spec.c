/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables: attempts by job id, arrays by id, tasks by id, nodes by name. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "straggler/spec_private.h"

/* The first member of each of these is what it is found by. */
static int id_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

	return x < y ? -1 : x > y;
}

static int task_compare(const void *a, const void *b)
{
	return id_compare(&((const struct spec_task *) a)->id, &((const struct spec_task *) b)->id);
}

static int node_compare(const void *a, const void *b)
{
	return strcmp(((const struct spec_node *) a)->name, ((const struct spec_node *) b)->name);
}

/* tfind (3) and tsearch (3) return the place in the tree at which the pointer stands, not the pointer. */
static void *found(void *place)
{
	return place ? *(void **) place : NULL;
}

struct wt_spec_options wt_spec_defaults(void)
{
	return (struct wt_spec_options) {
		/* For tasks of minutes: a report every 6 s costs a node next to nothing, and three that are lost are no
		 * accident any more.  One copy a task, and one task in ten at a time, bound what wrong guesses cost. */
		.window_s = 6, .silence_s = 20, .cost = .5, .age_min_s = 10, .tasks_min = 4, .copies_max = 100,
		.attempts_max = 200000, .policy = { .copies = 1, .share = .1, .z = 1 },
	};
}

struct wt_spec *wt_spec_create(const struct wt_spec_options *options, struct wt_error *errp)
{
	struct wt_spec *s = calloc(1, sizeof(*s));

	if (!s) {
		wt_error_errno(errp, ENOMEM, "speculation");
		return NULL;
	}
	if (wt_spec_configure(s, options, errp) < 0) {
		wt_spec_destroy(s);
		return NULL;
	}
	return s;
}

int wt_spec_configure(struct wt_spec *s, const struct wt_spec_options *o, struct wt_error *errp)
{
	if (!(o->window_s >= .1 && o->window_s <= 3600))
		return wt_error_set(errp, EINVAL, "the window of %g s is not from 0.1 to 3600", o->window_s);
	if (!(o->silence_s >= 3 * o->window_s))
		return wt_error_set(errp, EINVAL,
				    "silence of %g s is below 3 windows of %g s: lost heartbeats would look like hangs",
				    o->silence_s, o->window_s);
	if (!(o->cost >= 0 && o->age_min_s >= 0 && o->policy.share >= 0 && o->policy.share <= 1 && o->policy.z >= 0))
		return wt_error_set(errp, EINVAL, "a cost, an age or z below 0, or a share outside 0 to 1");
	if (o->policy.copies > 8)
		return wt_error_set(errp, EINVAL, "%u copies of a task; at most 8 make sense", o->policy.copies);
	s->options = *o;
	return 0;
}

void wt_spec_destroy(struct wt_spec *s)
{
	int saved_errno = errno;
	struct spec_node *node;

	if (!s)
		return;
	while (!LIST_EMPTY(&s->arrays))
		spec_array_remove(s, LIST_FIRST(&s->arrays));
	while ((node = LIST_FIRST(&s->nodes))) {
		LIST_REMOVE(node, of_all);
		tdelete(node, &s->by_node, node_compare);
		free(node);
	}
	free(s->by_job);
	free(s->ids);
	free(s);
	errno = saved_errno;
}

struct wt_spec_counters *wt_spec_counters(struct wt_spec *s)
{
	return &s->counters;
}

void wt_spec_listen(struct wt_spec *s, wt_spec_heard_fn fn, void *arg)
{
	s->heard = fn;
	s->heard_arg = arg;
}

bool spec_may(const struct wt_spec *s, uint32_t uid, uint32_t owner)
{
	return uid == SPEC_ROOT || uid == s->options.owner_uid || uid == owner;
}

/* Ids of running jobs are close together: their low bits spread them well enough. */
static struct spec_attempt **job_slot(const struct wt_spec *s, uint32_t job_id)
{
	return &s->by_job[job_id & (s->job_slots - 1)];
}

struct spec_attempt *spec_attempt_find(const struct wt_spec *s, uint32_t job_id)
{
	struct spec_attempt *a = s->job_slots ? *job_slot(s, job_id) : NULL;

	while (a && a->job_id != job_id)
		a = a->of_slot;
	return a;
}

static void slot_put(struct wt_spec *s, struct spec_attempt *a)
{
	struct spec_attempt **slot = job_slot(s, a->job_id);

	a->of_slot = *slot;
	*slot = a;
}

/* A slot for each attempt; with too little memory they get longer. */
static int slots_room(struct wt_spec *s)
{
	uint32_t size = s->job_slots ? 2 * s->job_slots : 64;
	struct spec_attempt **more, *a;

	if (s->attempt_count < s->job_slots)
		return 0;
	more = calloc(size, sizeof(struct spec_attempt *));
	if (!more)
		return s->job_slots ? 0 : -1;
	free(s->by_job);
	s->by_job = more;
	s->job_slots = size;
	/* Each attempt enters the chain of its new slot, which writes over of_slot: the old table need not be walked. */
	LIST_FOREACH(a, &s->attempts, of_all)
		slot_put(s, a);
	return 0;
}

struct spec_attempt *spec_attempt_add(struct wt_spec *s, struct spec_task *task, uint32_t job_id, uint32_t number)
{
	struct spec_attempt *a;

	/* MaxAttempts is for what is new: of what was saved, or had begun when the file was lost, the one left out might
	 * be the attempt that publishes, and another would be given its right. */
	if ((s->attempt_count >= s->options.attempts_max && !s->loading && !s->lost) || spec_attempt_find(s, job_id) ||
	    slots_room(s) < 0)
		return NULL;
	a = calloc(1, sizeof(*a));
	if (!a)
		return NULL;
	a->job_id = job_id;
	a->number = number;
	a->task = task;
	slot_put(s, a);
	LIST_INSERT_HEAD(&task->attempts, a, of_task);
	LIST_INSERT_HEAD(&s->attempts, a, of_all);
	s->attempt_count++;
	s->copies_known += number > 1;
	return a;
}

void spec_attempt_remove(struct wt_spec *s, struct spec_attempt *a)
{
	struct spec_attempt **at = job_slot(s, a->job_id);

	while (*at != a)
		at = &(*at)->of_slot;
	*at = a->of_slot;
	spec_look_unfile(a);
	LIST_REMOVE(a, of_task);
	LIST_REMOVE(a, of_all);
	s->attempt_count--;
	s->copies_known -= a->number > 1;
	s->unsure -= a->unsure;
	free(a);
}

struct spec_array *spec_array_get(struct wt_spec *s, uint32_t id, bool create)
{
	struct spec_array *array = found(tfind(&id, &s->by_array, id_compare));

	if (array || !create)
		return array;
	array = calloc(1, sizeof(*array));
	if (!array)
		return NULL;
	array->id = id;
	array->policy = s->options.policy;
	if (!tsearch(array, &s->by_array, id_compare)) {
		free(array);
		return NULL;
	}
	LIST_INSERT_HEAD(&s->arrays, array, of_all);
	return array;
}

static int order_room(struct spec_array *array)
{
	uint32_t size = array->order_size ? 2 * array->order_size : 16;
	struct spec_task **more;

	if (array->known < array->order_size)
		return 0;
	more = reallocarray(array->order, size, sizeof(struct spec_task *));
	if (!more)
		return -1;
	array->order = more;
	array->order_size = size;
	return 0;
}

struct spec_task *spec_task_get(struct spec_array *array, uint32_t id, bool create)
{
	struct spec_task key = { .id = id }, *task = found(tfind(&key, &array->by_task, task_compare));

	if (task || !create)
		return task;
	task = order_room(array) < 0 ? NULL : calloc(1, sizeof(*task));
	if (!task)
		return NULL;
	task->id = id;
	task->array = array;
	task->index = array->known;
	if (!tsearch(task, &array->by_task, task_compare)) {
		free(task);
		return NULL;
	}
	array->order[array->known++] = task;
	return task;
}

struct spec_attempt *spec_task_original(const struct spec_task *task)
{
	struct spec_attempt *a;

	LIST_FOREACH(a, &task->attempts, of_task) {
		if (a->number == 1)
			return a;
	}
	return NULL;
}

void spec_array_remove(struct wt_spec *s, struct spec_array *array)
{
	for (uint32_t i = 0; i < array->known; i++) {
		struct spec_task *task = array->order[i];

		while (!LIST_EMPTY(&task->attempts))
			spec_attempt_remove(s, LIST_FIRST(&task->attempts));
		if (task->flagged)
			LIST_REMOVE(task, of_flagged);
		if (task->changed)
			LIST_REMOVE(task, of_changed);
		/* What the file says of it has to go: the array's number may be given anew to jobs without that past. */
		s->rewrite |= task->holder || task->copies || task->doubted;
		tdelete(task, &array->by_task, task_compare);
		free(task);
	}
	wt_straggler_destroy(array->detector);
	free(array->order);
	LIST_REMOVE(array, of_all);
	tdelete(array, &s->by_array, id_compare);
	free(array);
}

struct spec_node *spec_node_get(struct wt_spec *s, const char *name)
{
	struct spec_node key, *node;

	/* A name that is too long is cut alike when it is kept and when it is looked for. */
	snprintf(key.name, sizeof(key.name), "%s", name);
	node = found(tfind(&key, &s->by_node, node_compare));
	if (node)
		return node;
	node = calloc(1, sizeof(*node));
	if (!node)
		return NULL;
	memcpy(node->name, key.name, sizeof(node->name));
	if (!tsearch(node, &s->by_node, node_compare)) {
		free(node);
		return NULL;
	}
	LIST_INSERT_HEAD(&s->nodes, node, of_all);
	return node;
}
