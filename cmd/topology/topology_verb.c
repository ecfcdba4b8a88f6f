/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/topology/topology_verb.h"
#include "lib/json.h"
#include "lib/fs.h"
#include "topology/hostlist.h"
#include "lib/str.h"

#define FILE_MAX (64u << 20)

int topology_fail(const char *name, const struct wt_error *err, int status)
{
	fprintf(stderr, "%s: %s\n", name, err->text);
	return status;
}

int topology_json_print(json_t *value, struct wt_error *errp)
{
	char *text = wt_json_dump(value, JSON_PRESERVE_ORDER);
	int rc = text && puts(text) != EOF && fflush(stdout) == 0 ? 0 : -1;

	json_decref(value);
	free(text);
	if (rc == 0)
		return 0;
	return wt_error_set(errp, EIO, "cannot write the result");
}

int topology_free_add(struct topology_free *f, char kind, const char *arg, struct wt_error *errp)
{
	if (f->count == sizeof(f->kinds))
		return wt_error_set(errp, EINVAL, "more than %zu lists of nodes", sizeof(f->kinds));
	f->kinds[f->count] = kind;
	f->args[f->count++] = arg;
	return 0;
}

static int list_apply(char kind, const char *arg, const struct wt_tree *t, uint32_t capacity, uint32_t *units,
		      struct wt_error *errp)
{
	const char *equals = strchr(arg, '=');
	size_t len = equals ? (size_t) (equals - arg) : strlen(arg);
	uint64_t cpus = capacity;
	struct wt_hostlist *hl;
	int rc = 0;

	if (equals && wt_str_to_u64(equals + 1, 0, capacity, "units of a node", &cpus, errp) < 0)
		return -1;
	hl = wt_hostlist_parse(arg, len, wt_tree_nodes(t), errp);
	if (!hl)
		return -1;
	for (size_t i = 0; rc == 0 && i < wt_hostlist_count(hl); i++) {
		uint32_t node = wt_tree_node_find(t, wt_hostlist_name(hl, i));

		if (node == WT_TREE_NONE)
			rc = wt_error_set(errp, EINVAL, "node '%s' is not in the topology", wt_hostlist_name(hl, i));
		else
			units[node] = (uint32_t) (kind == 'f' ? cpus : capacity - cpus);
	}
	wt_hostlist_destroy(hl);
	return rc;
}

int topology_free_apply(const struct topology_free *f, const struct wt_tree *t, uint32_t capacity, uint32_t *units,
			struct wt_error *errp)
{
	uint32_t start = f->count && f->kinds[0] == 'f' ? 0 : capacity;

	for (uint32_t i = 0; i < wt_tree_nodes(t); i++)
		units[i] = start;
	for (size_t i = 0; i < f->count; i++)
		if (list_apply(f->kinds[i], f->args[i], t, capacity, units, errp) < 0)
			return -1;
	return 0;
}

struct wt_tree *topology_load(const char *path, struct wt_error *errp)
{
	struct wt_tree *t;
	size_t len;
	char *text;

	if (!strcmp(path, "curie"))
		return wt_tree_curie(errp);
	if (wt_fs_read(path, FILE_MAX, &text, &len, errp) < 0)
		return NULL;
	t = wt_tree_parse(text, len, errp);
	free(text);
	if (!t)
		wt_error_prefix(errp, "%s", path);
	return t;
}

json_t *topology_tally_json(const struct wt_score_tally *tally)
{
	json_t *levels = json_array();

	for (uint32_t l = 0; l < tally->levels; l++)
		json_array_append_new(levels, json_pack("{s:i, s:I, s:I}", "level", (int) l, "optimal_absolute",
							(json_int_t) tally->absolute[l], "optimal_relative",
							(json_int_t) tally->relative[l]));
	return json_pack("{s:I, s:o, s:{s:I, s:I}}", "jobs", (json_int_t) tally->jobs, "levels", levels, "all_levels",
			 "optimal_absolute", (json_int_t) tally->absolute_all, "optimal_relative",
			 (json_int_t) tally->relative_all);
}
