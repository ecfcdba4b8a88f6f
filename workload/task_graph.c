/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "lib/str.h"
#include "workload/jobs_file.h"
#include "workload/task_graph.h"

#define ID_MAX 255		/* bytes, as the file has it */
#define CLASS_MAX 64

enum visit { NEW, OPEN, DONE };

struct graph_node {
	char *id, *class_name;
	size_t line;		/* where it was told of, else first named */
	double run_s, data_bytes;
	uint32_t cores;
	bool told;
	enum visit visit;
	uint32_t *parents;
	size_t parent_count, parent_room;
	size_t next;		/* the parent that the walk looks at next */
};

struct wt_task_graph {
	json_t *numbers;	/* of ids */
	struct graph_node *nodes;
	size_t count, room, edges;
};

struct wt_task_graph *wt_task_graph_create(void)
{
	struct wt_task_graph *g = calloc(1, sizeof(*g));

	if (g)
		g->numbers = json_object();
	if (g && g->numbers)
		return g;
	free(g);
	errno = ENOMEM;
	return NULL;
}

void wt_task_graph_destroy(struct wt_task_graph *g)
{
	int saved_errno = errno;

	for (size_t i = 0; g && i < g->count; i++) {
		free(g->nodes[i].id);
		free(g->nodes[i].class_name);
		free(g->nodes[i].parents);
	}
	if (g) {
		json_decref(g->numbers);
		free(g->nodes);
	}
	free(g);
	errno = saved_errno;
}

static int room_make(struct wt_task_graph *g, struct wt_error *errp)
{
	size_t room = g->room ? g->room * 2 : 256;
	struct graph_node *nodes;

	if (g->count < g->room)
		return 0;
	if (g->count >= WT_JOBS_MAX)
		return wt_error_set(errp, EFBIG, "more than %d tasks", WT_JOBS_MAX);
	nodes = reallocarray(g->nodes, room, sizeof(*nodes));
	if (!nodes)
		return wt_error_errno(errp, ENOMEM, "tasks");
	g->nodes = nodes;
	g->room = room;
	return 0;
}

ssize_t wt_task_graph_find(struct wt_task_graph *g, const char *id, size_t line, struct wt_error *errp)
{
	const json_t *known = json_object_get(g->numbers, id);
	size_t len = strlen(id);
	struct graph_node *node;

	if (known)
		return (ssize_t) json_integer_value(known);
	if (!len || len > ID_MAX)
		return wt_error_set(errp, EINVAL, "a task's id has %zu bytes, not 1 to %d", len, ID_MAX);
	if (room_make(g, errp) < 0)
		return -1;
	node = &g->nodes[g->count];
	*node = (struct graph_node) { .id = strdup(id), .line = line };
	if (!node->id || json_object_set_new(g->numbers, id, json_integer((json_int_t) g->count)) < 0) {
		/* jansson refuses a key that is no UTF-8: expat and jansson both hand over nothing else. */
		free(node->id);
		return wt_error_errno(errp, ENOMEM, "tasks");
	}
	return (ssize_t) g->count++;
}

static bool within(double value, double min, double max)
{
	return value >= min && value <= max;	/* not NAN */
}

int wt_task_graph_tell(struct wt_task_graph *g, size_t number, const struct wt_task *task, struct wt_error *errp)
{
	struct graph_node *node = &g->nodes[number];

	if (node->told)
		return wt_error_set(errp, EINVAL, "the id stands at %zu, too", node->line);
	if (!within(task->run_s, 0, WT_TASK_SECONDS_MAX))
		return wt_error_set(errp, EINVAL, "a run time of %g s: it is from 0 to %g", task->run_s,
				    WT_TASK_SECONDS_MAX);
	if (!within(task->data_bytes, 0, WT_TASK_BYTES_MAX))
		return wt_error_set(errp, EINVAL, "%g bytes of files: they are from 0 to %g", task->data_bytes,
				    WT_TASK_BYTES_MAX);
	if (!within(task->cores, 1, WT_TASK_CORES_MAX) || task->cores != floor(task->cores))
		return wt_error_set(errp, EINVAL, "%g cores: give a whole number from 1 to %d", task->cores,
				    WT_TASK_CORES_MAX);
	if (task->class_name && *task->class_name) {
		node->class_name = wt_str_make_line(task->class_name, CLASS_MAX);
		if (!node->class_name)
			return wt_error_errno(errp, ENOMEM, "tasks");
	}
	node->told = true;
	node->line = task->line;
	node->run_s = task->run_s;
	node->data_bytes = task->data_bytes;
	node->cores = (uint32_t) task->cores;
	return 0;
}

int wt_task_graph_wait(struct wt_task_graph *g, size_t child, size_t parent, struct wt_error *errp)
{
	struct graph_node *node = &g->nodes[child];

	if (g->edges >= WT_TASK_EDGES_MAX)
		return wt_error_set(errp, EFBIG, "more than %d dependencies", WT_TASK_EDGES_MAX);
	if (node->parent_count == node->parent_room) {
		size_t room = node->parent_room ? node->parent_room * 2 : 4;
		uint32_t *parents = reallocarray(node->parents, room, sizeof(*parents));

		if (!parents)
			return wt_error_errno(errp, ENOMEM, "tasks");
		node->parents = parents;
		node->parent_room = room;
	}
	node->parents[node->parent_count++] = (uint32_t) parent;
	g->edges++;
	return 0;
}

/* ---- the order ---- */

static int number_compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void parents_unique(struct graph_node *node)
{
	size_t kept = 0;

	if (node->parent_count)
		qsort(node->parents, node->parent_count, sizeof(*node->parents), number_compare);
	for (size_t i = 0; i < node->parent_count; i++)
		if (!kept || node->parents[kept - 1] != node->parents[i])
			node->parents[kept++] = node->parents[i];
	node->parent_count = kept;
}

static int told_check(const struct wt_task_graph *g, const char *name, struct wt_error *errp)
{
	for (size_t i = 0; i < g->count; i++)
		if (!g->nodes[i].told)
			return wt_error_set(errp, EINVAL, "%s:%zu: task '%.64s' is waited for, or waits, and there is no "
					    "such task in the file", name, g->nodes[i].line, g->nodes[i].id);
	return g->count ? 0 : wt_error_set(errp, EINVAL, "%s: no task in it", name);
}

/* One task and before it all that it waits for, with a stack of its own: a chain may be as long as the file. */
static int task_walk(struct wt_task_graph *g, uint32_t *stack, uint32_t *order, size_t *ordered, const char *name,
		     struct wt_error *errp)
{
	size_t depth = 1;

	while (depth) {
		struct graph_node *node = &g->nodes[stack[depth - 1]];

		node->visit = OPEN;
		if (node->next == node->parent_count) {
			node->visit = DONE;
			order[(*ordered)++] = stack[--depth];
			continue;
		}
		stack[depth] = node->parents[node->next++];
		if (g->nodes[stack[depth]].visit == OPEN)
			return wt_error_set(errp, EINVAL, "%s:%zu: task '%.64s' waits for itself, by way of '%.64s'", name,
					    g->nodes[stack[depth]].line, g->nodes[stack[depth]].id, node->id);
		depth += g->nodes[stack[depth]].visit == NEW;
	}
	return 0;
}

static int order_make(struct wt_task_graph *g, uint32_t *order, const char *name, struct wt_error *errp)
{
	uint32_t *stack = calloc(g->count + 1, sizeof(*stack));
	size_t ordered = 0;
	int rc = stack ? 0 : wt_error_errno(errp, ENOMEM, "%s", name);

	for (size_t i = 0; rc == 0 && i < g->count; i++)
		if (g->nodes[i].visit == NEW) {
			stack[0] = (uint32_t) i;
			rc = task_walk(g, stack, order, &ordered, name, errp);
		}
	free(stack);
	return rc;
}

/* ---- jobs ---- */

static bool id_valid(const char *id)
{
	return strlen(id) <= WT_JOBS_ID_MAX &&
	       strspn(id, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-") == strlen(id);
}

static char *id_make(const struct wt_task_graph *g, size_t i)
{
	return id_valid(g->nodes[i].id) ? strdup(g->nodes[i].id) : wt_str_format("task%zu", i + 1);
}

static int dependency_make(const struct graph_node *node, const char *const *ids, struct wt_job_ask *ask, const char *name,
			   struct wt_error *errp)
{
	struct wt_str text = { 0 };
	char *all;
	int rc;

	if (!node->parent_count)
		return 0;
	wt_str_add(&text, "afterok");
	for (size_t i = 0; i < node->parent_count; i++)
		wt_str_printf(&text, ":%s", ids[node->parents[i]]);
	all = wt_str_take(&text);
	if (!all)
		return wt_error_errno(errp, ENOMEM, "%s", name);
	if (strlen(all) > WT_ASK_DEPENDENCY_MAX)
		rc = wt_error_set(errp, EINVAL, "%s:%zu: task '%.64s' waits for %zu others: slurmctld takes %d bytes of "
				  "their ids", name, node->line, node->id, node->parent_count, WT_ASK_DEPENDENCY_MAX);
	else
		rc = wt_job_ask_text_set(ask, WT_ASK_DEPENDENCY, all) < 0 ? wt_error_errno(errp, ENOMEM, "%s", name) : 0;
	free(all);
	return rc;
}

static int job_make(struct wt_task_graph *g, size_t i, struct wt_swf_job *job, const char *const *ids, const char *name,
		    struct wt_error *errp)
{
	struct graph_node *node = &g->nodes[i];

	job->id = strdup(ids[i]);
	job->ask = wt_job_ask_create();
	if (!job->id || !job->ask)
		return wt_error_errno(errp, ENOMEM, "%s", name);
	job->profile = node->class_name;
	node->class_name = NULL;
	job->line = node->line;
	job->run_time_s = node->run_s;
	job->data_bytes = node->data_bytes;
	job->procs = node->cores;
	job->requested_time_s = job->wait_s = -1;
	job->status = -1;
	job->user = job->group = job->executable = job->queue = -1;
	job->ask->number[WT_ASK_TASKS] = 1;
	if (node->cores > 1)
		job->ask->number[WT_ASK_CPUS_PER_TASK] = node->cores;
	return dependency_make(node, ids, job->ask, name, errp);
}

/* The ids of all, of which no two may be the same. */
static int ids_make(const struct wt_task_graph *g, char **ids, const char *name, struct wt_error *errp)
{
	json_t *seen = json_object();
	int rc = seen ? 0 : wt_error_errno(errp, ENOMEM, "%s", name);

	for (size_t i = 0; rc == 0 && i < g->count; i++) {
		ids[i] = id_make(g, i);
		if (ids[i] && json_object_get(seen, ids[i]))
			rc = wt_error_set(errp, EINVAL, "%s:%zu: two tasks are called %s", name, g->nodes[i].line, ids[i]);
		else if (!ids[i] || json_object_set_new(seen, ids[i], json_true()) < 0)
			rc = wt_error_errno(errp, ENOMEM, "%s", name);
	}
	json_decref(seen);
	return rc;
}

static int jobs_make(struct wt_task_graph *g, const uint32_t *order, char **ids, struct wt_swf_trace *trace,
		     const char *name, struct wt_error *errp)
{
	int rc = ids_make(g, ids, name, errp);

	trace->jobs = rc == 0 ? calloc(g->count, sizeof(*trace->jobs)) : NULL;
	if (rc == 0 && !trace->jobs)
		rc = wt_error_errno(errp, ENOMEM, "%s", name);
	for (size_t i = 0; rc == 0 && i < g->count; i++) {
		trace->jobs[i].number = i + 1;
		trace->job_count++;
		rc = job_make(g, order[i], &trace->jobs[i], (const char *const *) ids, name, errp);
	}
	trace->entry_count = trace->job_count;
	trace->has_asks = true;
	return rc;
}

int wt_task_graph_jobs(struct wt_task_graph *g, struct wt_swf_trace *trace, const char *name, struct wt_error *errp)
{
	uint32_t *order = calloc(g->count + 1, sizeof(*order));
	char **ids = calloc(g->count + 1, sizeof(*ids));
	int rc = order && ids ? told_check(g, name, errp) : wt_error_errno(errp, ENOMEM, "%s", name);

	memset(trace, 0, sizeof(*trace));
	for (size_t i = 0; i < g->count; i++)
		parents_unique(&g->nodes[i]);
	if (rc == 0)
		rc = order_make(g, order, name, errp);
	if (rc == 0)
		rc = jobs_make(g, order, ids, trace, name, errp);
	for (size_t i = 0; ids && i < g->count; i++)
		free(ids[i]);
	free(ids);
	free(order);
	if (rc < 0)
		wt_swf_trace_clear(trace);
	return rc;
}
