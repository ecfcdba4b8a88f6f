/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/topology/topology_verb.h"
#include "lib/json.h"
#include "lib/fs.h"

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
