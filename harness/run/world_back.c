/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/run/world_back.h"
#include "lib/str.h"

int world_back_init(struct world_back *b, struct wt_error *errp)
{
	b->machines = json_object();
	b->nodes = json_object();
	b->reservations = json_object();
	return b->machines && b->nodes && b->reservations ? 0 : wt_error_errno(errp, ENOMEM, "events");
}

void world_back_clear(struct world_back *b)
{
	json_decref(b->machines);
	json_decref(b->nodes);
	json_decref(b->reservations);
	memset(b, 0, sizeof(*b));
}

/* Each of the names becomes a key, or is one no more. */
static int names_set(json_t *keys, const char *names, bool there)
{
	char *copy = strdup(names), *rest = copy, *name;
	int rc = copy ? 0 : -1;

	while (rc == 0 && (name = strsep(&rest, ",")))
		if (!there)
			json_object_del(keys, name);
		else if (*name)
			rc = json_object_set_new(keys, name, json_true());
	free(copy);
	return rc;
}

int world_back_event(struct world_back *b, const struct wt_world_event *event, const char *nodes, bool asked, bool done,
		     struct wt_error *errp)
{
	bool leaves = event->kind == WT_WORLD_DOWN || event->kind == WT_WORLD_DRAIN;
	int rc = 0;

	if (event->kind == WT_WORLD_RESERVE || event->kind == WT_WORLD_UNRESERVE) {
		if (done)
			rc = names_set(b->reservations, event->text[WT_WORLD_NAME], event->kind == WT_WORLD_RESERVE);
	} else if (nodes) {
		if (asked && event->kind != WT_WORLD_DRAIN)
			rc = names_set(b->machines, nodes, leaves);
		if (rc == 0 && done)
			rc = names_set(b->nodes, nodes, leaves);
	}
	return rc < 0 ? wt_error_errno(errp, ENOMEM, "events") : 0;
}

void world_back_except(struct world_back *b, const json_t *before)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *) before, name, value)
		json_object_del(b->nodes, name);
}

char *world_back_list(const json_t *names)
{
	struct wt_str list = { 0 };
	const char *name;
	json_t *value;

	wt_str_add(&list, "");
	json_object_foreach((json_t *) names, name, value)
		wt_str_printf(&list, "%s%s", list.len ? "," : "", name);
	return wt_str_take(&list);
}
