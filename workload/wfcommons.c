/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "workload/task_graph.h"
#include "workload/wfcommons.h"

struct wfcommons_reader {
	struct wt_task_graph *graph;
	const char *name;
	const json_t *tasks;	/* who waits for whom */
	json_t *executions;	/* since 1.5: tasks' times by id; else NULL */
	json_t *files;		/* since 1.5: sizes by id; else NULL */
	json_t *ids;		/* of tasks, by id and by name: 1.4 and before name parents by their names */
};

bool wt_wfcommons_is(const json_t *root)
{
	return json_is_object(json_object_get(root, "workflow"));
}

static const json_t *either(const json_t *object, const char *key, const char *other)
{
	const json_t *value = json_object_get(object, key);

	return value ? value : json_object_get(object, other);
}

static const char *id_of(const json_t *task)
{
	return json_string_value(either(task, "id", "name"));
}

/* What is wrong with the place-th task. */
static int refuse(const struct wfcommons_reader *r, size_t place, const char *text, struct wt_error *errp)
{
	return wt_error_set(errp, EINVAL, "%s:%zu: task %zu: %s", r->name, place, place, text);
}

static int bytes_add(const json_t *size, double *bytes)
{
	if (!json_is_number(size) || !(json_number_value(size) >= 0))
		return -1;
	*bytes += json_number_value(size);
	return 0;
}

/* Since 1.5: names of files, whose sizes stand elsewhere.  A file without an entry has no size that is known. */
static int listed_bytes(const struct wfcommons_reader *r, const json_t *list, double *bytes)
{
	const json_t *size;

	if (list && !json_is_array(list))
		return -1;
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *file = json_string_value(json_array_get(list, i));

		size = file ? json_object_get(r->files, file) : NULL;
		if (!file || (size && bytes_add(size, bytes) < 0))
			return -1;
	}
	return 0;
}

static int task_bytes(const struct wfcommons_reader *r, const json_t *task, double *bytes)
{
	const json_t *files = json_object_get(task, "files"), *size;

	*bytes = 0;
	if (r->files)
		return listed_bytes(r, json_object_get(task, "inputFiles"), bytes) < 0 ? -1 :
		       listed_bytes(r, json_object_get(task, "outputFiles"), bytes);
	if (files && !json_is_array(files))
		return -1;
	for (size_t i = 0; i < json_array_size(files); i++) {
		size = either(json_array_get(files, i), "sizeInBytes", "size");
		if (size && bytes_add(size, bytes) < 0)
			return -1;
	}
	return 0;
}

static int task_tell(struct wfcommons_reader *r, const json_t *object, size_t place, const char *id, struct wt_error *errp)
{
	const json_t *times = r->executions ? json_object_get(r->executions, id) : object;
	const json_t *run_time = either(times, "runtimeInSeconds", "runtime"), *cores = either(times, "coreCount", "cores");
	const json_t *what = either(object, "category", "name");
	struct wt_task task = { .line = place, .cores = cores ? json_number_value(cores) : 1 };
	struct wt_error error;
	ssize_t number;

	if (!json_is_number(run_time))
		return refuse(r, place, "runtimeInSeconds is missing or not a number", errp);
	if (task_bytes(r, object, &task.data_bytes) < 0)
		return refuse(r, place, "its files have no list, no names or a size that is not a number from 0 on", errp);
	task.run_s = json_number_value(run_time);
	task.class_name = json_string_value(what);
	number = wt_task_graph_find(r->graph, id, place, &error);
	if (number < 0 || wt_task_graph_tell(r->graph, (size_t) number, &task, &error) < 0)
		return errno == EINVAL ? refuse(r, place, error.text, errp) : wt_error_set(errp, errno, "%s: %s", r->name,
											   error.text);
	return 0;
}

/* An id counts before another task's name. */
static int ids_note(struct wfcommons_reader *r, struct wt_error *errp)
{
	for (size_t i = 0; i < json_array_size(r->tasks); i++) {
		const char *id = id_of(json_array_get(r->tasks, i));

		if (!id)
			return refuse(r, i + 1, "neither id nor name is a text", errp);
		if (json_object_set_new(r->ids, id, json_string(id)) < 0)
			return wt_error_errno(errp, ENOMEM, "%s", r->name);
	}
	for (size_t i = 0; i < json_array_size(r->tasks); i++) {
		const json_t *task = json_array_get(r->tasks, i);
		const char *name = json_string_value(json_object_get(task, "name"));

		if (name && !json_object_get(r->ids, name) &&
		    json_object_set_new(r->ids, name, json_string(id_of(task))) < 0)
			return wt_error_errno(errp, ENOMEM, "%s", r->name);
	}
	return 0;
}

/* The tasks that 'key' of the place-th lists, which it waits for, or which wait for it. */
static int waits_take(struct wfcommons_reader *r, const json_t *task, size_t place, const char *key, bool parents,
		      struct wt_error *errp)
{
	const json_t *list = json_object_get(task, key);
	ssize_t self = wt_task_graph_find(r->graph, id_of(task), place, errp), other;

	if (self < 0)
		return -1;
	if (list && !json_is_array(list))
		return refuse(r, place, "parents and children are arrays", errp);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *named = json_string_value(json_array_get(list, i));
		const json_t *id = named ? json_object_get(r->ids, named) : NULL;

		if (!id)
			return wt_error_set(errp, EINVAL, "%s:%zu: task %zu: its %s name '%.64s', and there is no such task",
					    r->name, place, place, key, named ? named : "(no text)");
		other = wt_task_graph_find(r->graph, json_string_value(id), place, errp);
		if (other < 0 || wt_task_graph_wait(r->graph, (size_t) (parents ? self : other),
						    (size_t) (parents ? other : self), errp) < 0)
			return -1;
	}
	return 0;
}

static int tasks_take(struct wfcommons_reader *r, struct wt_error *errp)
{
	if (ids_note(r, errp) < 0)
		return -1;
	for (size_t i = 0; i < json_array_size(r->tasks); i++) {
		const json_t *task = json_array_get(r->tasks, i);

		if (task_tell(r, task, i + 1, id_of(task), errp) < 0)
			return -1;
	}
	for (size_t i = 0; i < json_array_size(r->tasks); i++) {
		const json_t *task = json_array_get(r->tasks, i);

		if (waits_take(r, task, i + 1, "parents", true, errp) < 0 ||
		    waits_take(r, task, i + 1, "children", false, errp) < 0)
			return -1;
	}
	return 0;
}

/* Of a list of objects with ids: by id the objects, or of each what 'key' has.  NULL with errp. */
static json_t *by_id(const struct wfcommons_reader *r, const json_t *list, const char *what, const char *key,
		     struct wt_error *errp)
{
	json_t *all = json_object();
	int rc = all ? 0 : -1;

	for (size_t i = 0; rc == 0 && i < json_array_size(list); i++) {
		json_t *one = json_array_get(list, i);
		const char *id = json_string_value(json_object_get(one, "id"));

		if (!id || json_object_get(all, id)) {
			json_decref(all);
			wt_error_set(errp, EINVAL, "%s:%zu: %s %zu: %s", r->name, i + 1, what, i + 1,
				     id ? "its id stands twice" : "id is not a text");
			return NULL;
		}
		rc = json_object_set(all, id, key ? json_object_get(one, key) : one);
	}
	if (rc == 0)
		return all;
	json_decref(all);
	wt_error_errno(errp, ENOMEM, "%s", r->name);
	return NULL;
}

static int parts_find(struct wfcommons_reader *r, const json_t *workflow, struct wt_error *errp)
{
	const json_t *specification = json_object_get(workflow, "specification");
	const json_t *execution = json_object_get(workflow, "execution");

	r->tasks = specification ? json_object_get(specification, "tasks") : either(workflow, "tasks", "jobs");
	if (!json_array_size(r->tasks))
		return wt_error_set(errp, EINVAL, "%s: workflow has no tasks, or they are no array", r->name);
	if (!specification)
		return 0;
	if (!json_array_size(json_object_get(execution, "tasks")))
		return wt_error_set(errp, EINVAL, "%s: workflow.execution has no tasks: how long they run is not known",
				    r->name);
	r->executions = by_id(r, json_object_get(execution, "tasks"), "execution's task", NULL, errp);
	if (!r->executions)
		return -1;
	r->files = by_id(r, json_object_get(specification, "files"), "file", "sizeInBytes", errp);
	return r->files ? 0 : -1;
}

int wt_wfcommons_take(struct wt_swf_trace *trace, const json_t *root, const char *name, struct wt_error *errp)
{
	struct wfcommons_reader r = { .graph = wt_task_graph_create(), .name = name, .ids = json_object() };
	int rc = r.graph && r.ids ? 0 : wt_error_errno(errp, ENOMEM, "%s", name);

	memset(trace, 0, sizeof(*trace));
	if (rc == 0)
		rc = parts_find(&r, json_object_get(root, "workflow"), errp);
	if (rc == 0)
		rc = tasks_take(&r, errp);
	if (rc == 0)
		rc = wt_task_graph_jobs(r.graph, trace, name, errp);
	json_decref(r.executions);
	json_decref(r.files);
	json_decref(r.ids);
	wt_task_graph_destroy(r.graph);
	return rc;
}
