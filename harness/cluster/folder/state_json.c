/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json.h"
#include "harness/cluster/folder/state_json.h"
#include "lib/str.h"

static const char *const phase_names[] = { "starting", "up", "failed", "stopping" };

const char *wt_phase_name(enum wt_phase phase)
{
	return phase_names[phase];
}

bool wt_state_stopped(const struct wt_state *state, const char *name)
{
	for (size_t i = 0; i < state->daemon_count; i++)
		if (state->daemons[i].stopped && (!name || !strcmp(state->daemons[i].name, name)))
			return true;
	return state->nodes.stopped && (!name || !strcmp(name, "slurmd"));
}

static json_t *proc_pack(const struct wt_proc *proc)
{
	return json_pack("{s:I, s:I}", "pid", (json_int_t) proc->pid, "start_time", (json_int_t) proc->start_time);
}

static int proc_unpack(const json_t *v, const char *where, struct wt_proc *proc, struct wt_error *errp)
{
	int64_t pid, start;

	if (wt_json_integer(v, "pid", where, &pid, errp) < 0 || wt_json_integer(v, "start_time", where, &start, errp) < 0)
		return -1;
	proc->pid = (pid_t) pid;
	proc->start_time = (uint64_t) start;
	return 0;
}

static json_t *nodes_pack(const struct wt_state_nodes *n)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:s, s:s, s:b}", "total", (json_int_t) n->total, "running",
			 (json_int_t) n->running, "off", (json_int_t) n->off,
			 "restarts", (json_int_t) n->restarts, "nodes_restarted", (json_int_t) n->nodes_restarted,
			 "last_node", n->last_node, "last_exit", n->last_exit, "stopped", n->stopped);
}

static int nodes_unpack(const json_t *v, const char *where, struct wt_state_nodes *n, struct wt_error *errp)
{
	static const char *const keys[] = { "total", "running", "restarts", "nodes_restarted" };
	uint32_t *const fields[] = { &n->total, &n->running, &n->restarts, &n->nodes_restarted };
	const char *last_node, *last_exit;

	if (!v)		/* virtual nodes */
		return 0;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		int64_t value;

		if (wt_json_integer(v, keys[i], where, &value, errp) < 0)
			return -1;
		if (value < 0 || value > UINT32_MAX)
			return wt_error_set(errp, EINVAL, "%s: '%s' of 'nodes' is out of range", where, keys[i]);
		*fields[i] = (uint32_t) value;
	}
	last_node = wt_json_string(v, "last_node", where, errp);
	last_exit = last_node ? wt_json_string(v, "last_exit", where, errp) : NULL;
	if (!last_exit)
		return -1;
	snprintf(n->last_node, sizeof(n->last_node), "%s", last_node);
	snprintf(n->last_exit, sizeof(n->last_exit), "%s", last_exit);
	n->stopped = json_is_true(json_object_get(v, "stopped"));
	/* Not there in the file of an older version: none. */
	n->off = (uint32_t) json_integer_value(json_object_get(v, "off"));
	return 0;
}

int wt_state_save(const char *dir, const struct wt_state *state, struct wt_error *errp)
{
	char *path = wt_str_format("%s/" WT_STATE_FILE, dir);
	json_t *daemons = json_array();
	json_t *v = json_pack("{s:s, s:s, s:o, s:O}", "phase", wt_phase_name(state->phase), "message", state->message,
			      "supervisor", proc_pack(&state->supervisor), "daemons", daemons);
	int rc;

	for (size_t i = 0; i < state->daemon_count; i++) {
		const struct wt_state_daemon *d = &state->daemons[i];
		json_t *one = proc_pack(&d->proc);

		json_object_set_new(one, "name", json_string(d->name));
		json_object_set_new(one, "restarts", json_integer(d->restarts));
		json_object_set_new(one, "last_exit", d->last_exit[0] ? json_string(d->last_exit) : json_null());
		json_object_set_new(one, "stopped", json_boolean(d->stopped));
		json_array_append_new(daemons, one);
	}
	if (v && state->nodes.total)
		json_object_set_new(v, "nodes", nodes_pack(&state->nodes));
	if (!path || !v || json_array_size(daemons) != state->daemon_count)
		rc = wt_error_errno(errp, ENOMEM, WT_STATE_FILE);
	else
		rc = wt_json_save(path, v, errp);
	json_decref(daemons);
	json_decref(v);
	free(path);
	return rc;
}

static int daemons_unpack(const json_t *list, const char *where, struct wt_state *state, struct wt_error *errp)
{
	size_t i;
	json_t *one;

	if (!json_is_array(list) || json_array_size(list) > WT_STATE_DAEMONS)
		return wt_error_set(errp, EINVAL, "%s: 'daemons' must be a list of at most %d", where, WT_STATE_DAEMONS);
	json_array_foreach(list, i, one) {
		struct wt_state_daemon *d = &state->daemons[i];
		const char *name = wt_json_string(one, "name", where, errp);
		const char *last_exit = json_string_value(json_object_get(one, "last_exit"));
		int64_t restarts;

		if (!name || proc_unpack(one, where, &d->proc, errp) < 0 ||
		    wt_json_integer(one, "restarts", where, &restarts, errp) < 0)
			return -1;
		snprintf(d->name, sizeof(d->name), "%s", name);
		snprintf(d->last_exit, sizeof(d->last_exit), "%s", last_exit ? last_exit : "");
		d->restarts = (unsigned int) restarts;
		d->stopped = json_is_true(json_object_get(one, "stopped"));
	}
	state->daemon_count = json_array_size(list);
	return 0;
}

static int state_unpack(const json_t *v, const char *where, struct wt_state *state, struct wt_error *errp)
{
	const char *phase = wt_json_string(v, "phase", where, errp);
	const char *message = wt_json_string(v, "message", where, errp);
	size_t i;

	if (!phase || !message || proc_unpack(json_object_get(v, "supervisor"), where, &state->supervisor, errp) < 0)
		return -1;
	for (i = 0; i < sizeof(phase_names) / sizeof(phase_names[0]) && strcmp(phase, phase_names[i]); i++)
		;
	if (i == sizeof(phase_names) / sizeof(phase_names[0]))
		return wt_error_set(errp, EINVAL, "%s: unknown phase '%s'", where, phase);
	state->phase = (enum wt_phase) i;
	snprintf(state->message, sizeof(state->message), "%s", message);
	if (nodes_unpack(json_object_get(v, "nodes"), where, &state->nodes, errp) < 0)
		return -1;
	return daemons_unpack(json_object_get(v, "daemons"), where, state, errp);
}

int wt_state_load(const char *dir, struct wt_state *state, struct wt_error *errp)
{
	char *path = wt_str_format("%s/" WT_STATE_FILE, dir);
	json_t *v = path ? wt_json_load(path, errp) : NULL;
	int rc = v ? 0 : -1;

	memset(state, 0, sizeof(*state));
	if (v && state_unpack(v, path, state, errp) < 0) {
		memset(state, 0, sizeof(*state));
		rc = -1;
	}
	if (v)
		json_decref(v);
	free(path);
	return rc;
}
