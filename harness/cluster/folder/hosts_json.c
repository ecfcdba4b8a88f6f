/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cluster/folder/hosts_json.h"
#include "lib/json.h"
#include "lib/str.h"

static const char *const phase_names[] = { "none", "starting", "up", "lost", "ended" };
#define PHASES (sizeof(phase_names) / sizeof(phase_names[0]))

const char *wt_host_phase_name(enum wt_host_phase phase)
{
	return phase_names[phase];
}

int wt_hosts_json_save(const char *dir, const struct wt_host_state *states, size_t count, struct wt_error *errp)
{
	char *path = wt_str_format("%s/" WT_HOSTS_STATE_FILE, dir);
	json_t *list = json_array(), *v = json_pack("{s:o}", "hosts", list);
	int rc;

	for (size_t i = 0; i < count; i++) {
		const struct wt_host_state *s = &states[i];

		json_array_append_new(list, json_pack("{s:s, s:s, s:I, s:I, s:s, s:I, s:b, s:o}", "name", s->name, "address",
						      s->address, "nodes", (json_int_t) s->nodes, "running",
						      (json_int_t) s->running, "phase", phase_names[s->phase], "losses",
						      (json_int_t) s->losses, "stopped", s->stopped, "why",
						      wt_json_text(s->why)));
	}
	if (!path || json_array_size(list) != count)
		rc = wt_error_errno(errp, ENOMEM, WT_HOSTS_STATE_FILE);
	else
		rc = wt_json_save(path, v, errp);
	json_decref(v);
	free(path);
	return rc;
}

static int number_read(const json_t *v, const char *key, const char *where, uint32_t *n, struct wt_error *errp)
{
	int64_t value;

	if (wt_json_integer(v, key, where, &value, errp) < 0)
		return -1;
	if (value < 0 || value > UINT32_MAX)
		return wt_error_set(errp, EINVAL, "%s: '%s' is out of range", where, key);
	*n = (uint32_t) value;
	return 0;
}

static int state_read(const json_t *v, const char *where, struct wt_host_state *s, struct wt_error *errp)
{
	const char *name = wt_json_string(v, "name", where, errp), *address, *phase, *why;
	size_t i = 0;

	if (!name || !(address = wt_json_string(v, "address", where, errp)) ||
	    !(phase = wt_json_string(v, "phase", where, errp)) || !(why = wt_json_string(v, "why", where, errp)) ||
	    number_read(v, "nodes", where, &s->nodes, errp) < 0 || number_read(v, "running", where, &s->running, errp) < 0 ||
	    number_read(v, "losses", where, &s->losses, errp) < 0)
		return -1;
	while (i < PHASES && strcmp(phase, phase_names[i]))
		i++;
	if (i == PHASES || strlen(name) >= sizeof(s->name) || strlen(address) >= sizeof(s->address))
		return wt_error_set(errp, EINVAL, "%s: no host's name, address or phase", where);
	s->phase = (enum wt_host_phase) i;
	strcpy(s->name, name);
	strcpy(s->address, address);
	snprintf(s->why, sizeof(s->why), "%s", why);
	s->stopped = json_is_true(json_object_get(v, "stopped"));
	return 0;
}

int wt_hosts_json_load(const char *dir, struct wt_host_state **states, size_t *count, struct wt_error *errp)
{
	char *path = wt_str_format("%s/" WT_HOSTS_STATE_FILE, dir);
	json_t *v = path ? wt_json_load(path, errp) : NULL, *list = json_object_get(v, "hosts");
	int rc = v ? 0 : -1;

	*states = NULL;
	*count = json_array_size(list);
	if (v && (!json_is_array(list) || *count > WT_HOSTS_MAX))
		rc = wt_error_set(errp, EINVAL, "%s: no list of at most %d hosts", path, WT_HOSTS_MAX);
	if (rc == 0 && !(*states = calloc(*count + 1, sizeof(**states))))
		rc = wt_error_errno(errp, ENOMEM, "%s", path);
	for (size_t i = 0; rc == 0 && i < *count; i++)
		rc = state_read(json_array_get(list, i), path, &(*states)[i], errp);
	if (rc < 0) {
		free(*states);
		*states = NULL;
		*count = 0;
	}
	if (v)
		json_decref(v);
	free(path);
	return rc;
}
