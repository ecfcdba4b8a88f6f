/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/experiment/experiment_index.h"
#include "harness/experiment/experiment_plan.h"
#include "harness/experiment/experiment_results.h"
#include "lib/str.h"

#define NAME_MAX_BYTES  1000
#define TITLE_MAX_BYTES 4000
#define OPTION_MAX_BYTES 4000

bool experiment_folder(const char *dir)
{
	char *path = wt_str_format("%s/index.sqlite", dir);
	bool there = path && access(path, F_OK) == 0;

	free(path);
	return there;
}

static bool figure_before(const struct wt_cases *r, size_t figure)
{
	for (size_t i = 0; i < r->figure_count; i++)
		if (r->figures[i] == figure)
			return true;
	return false;
}

static int figures_take(struct wt_cases *r, char *names)
{
	char *rest = names, *name;

	while ((name = strsep(&rest, " ")))
		for (size_t f = 0; f < WT_FIG_COUNT; f++)
			if (!strcmp(name, wt_figure_infos[f].key) && !figure_before(r, f)) {
				enum wt_figure_id *figures = reallocarray(r->figures, r->figure_count + 1, sizeof(*figures));

				if (!figures)
					return -1;
				r->figures = figures;
				r->figures[r->figure_count++] = (enum wt_figure_id) f;
			}
	return 0;
}

/* The index may be a stranger's, also here: each line as one that a terminal shows. */
static char *options_take(char *text)
{
	struct wt_str lines = { 0 };
	char *rest = text, *option;

	while ((option = strsep(&rest, "\n"))) {
		char *line = *option ? wt_str_make_line(option, OPTION_MAX_BYTES) : NULL;

		lines.failed = lines.failed || (*option && !line);
		if (line)
			wt_str_printf(&lines, "%s\n", line);
		free(line);
	}
	return wt_str_take(&lines);
}

static int case_take(struct wt_case *c, const char *dir, struct experiment_index_case *row, struct wt_error *errp)
{
	/* A stranger's, again: what is read lies in the experiment's folder. */
	if (!*row->folder || *row->folder == '.' || strchr(row->folder, '/'))
		return wt_error_set(errp, EINVAL, "%s/index.sqlite: '%s' is not the folder of a case", dir, row->folder);
	c->name = wt_str_make_line(row->name, NAME_MAX_BYTES); /* the index may be a stranger's */
	c->path = wt_str_format("%s/%s", dir, row->folder);
	c->options = options_take(row->options);
	c->done = row->done;
	c->failed = row->failed;
	c->wall_s = row->wall_s;
	if (!c->name || !c->path || !c->options)
		return wt_error_errno(errp, ENOMEM, "%s", dir);
	if (wt_run_set_read(&c->set, c->path, errp) == 0)
		return 0;
	if (errno != ENOENT)
		return -1;
	c->set.count = 0;
	return 0;
}

static int cases_take(struct wt_cases *r, const char *dir, struct experiment_index *index, struct wt_error *errp)
{
	struct experiment_index_case *rows;
	size_t count;
	int rc = 0;

	if (experiment_index_cases(index, &rows, &count, errp) < 0)
		return -1;
	r->items = calloc(count ? count : 1, sizeof(*r->items));
	if (!r->items)
		rc = wt_error_errno(errp, ENOMEM, "%s", dir);
	for (size_t c = 0; rc == 0 && c < count; c++) {
		r->count++;
		rc = case_take(&r->items[c], dir, &rows[c], errp);
	}
	experiment_index_cases_free(rows, count);
	return rc;
}

static int index_read(struct wt_cases *r, const char *dir, struct wt_error *errp)
{
	struct experiment_index *index = experiment_index_open(dir, false, errp);
	char *figures = NULL, *title;
	int rc = -1;

	if (!index)
		return -1;
	title = experiment_index_fact(index, "title", errp);
	r->title = title ? wt_str_make_line(title, TITLE_MAX_BYTES) : NULL;
	free(title);
	if (r->title)
		figures = experiment_index_fact(index, "figures", errp);
	if (figures && figures_take(r, figures) < 0)
		wt_error_errno(errp, ENOMEM, "%s", dir);
	else if (figures && !r->figure_count)
		wt_error_set(errp, EINVAL, "%s/index.sqlite names no figure of this version's; move it away: "
			     "--resume makes it again", dir);
	else if (figures)
		rc = cases_take(r, dir, index, errp);
	free(figures);
	experiment_index_close(index);
	return rc;
}

/* ---- the grid ------------------------------------------------------------------------------------------------------ */

static struct wt_case *case_find(struct wt_cases *r, const char *name)
{
	for (size_t c = 0; c < r->count; c++)
		if (!strcmp(r->items[c].name, name))
			return &r->items[c];
	return NULL;
}

static int place_take(struct wt_case *c, const struct experiment *e, const struct experiment_case *planned)
{
	c->series = strdup(e->variant_count ? e->variants[planned->variant].name : "");
	if (!c->series)
		return -1;
	for (size_t a = 0; a < e->axis_count && a < CASES_AXES_MAX; a++) {
		c->at[a] = strdup(experiment_value_name(experiment_grid_value(e, a, planned->point)));
		if (!c->at[a])
			return -1;
	}
	return 0;
}

static int places_take(struct wt_cases *r, const struct experiment *e, const struct experiment_plan *plan)
{
	r->axis_count = e->axis_count < CASES_AXES_MAX ? e->axis_count : CASES_AXES_MAX;
	for (size_t a = 0; a < r->axis_count; a++) {
		r->axes[a] = strdup(experiment_axis_name(&e->axes[a]));
		if (!r->axes[a])
			return -1;
	}
	for (size_t i = 0; i < plan->count; i++) {
		struct wt_case *c = case_find(r, plan->cases[i].name);

		/* The file may have changed since the index was written: cases are joined by name, and those that one
		 * of them lacks stay without a place. */
		if (c && !c->series && place_take(c, e, &plan->cases[i]) < 0)
			return -1;
	}
	return 0;
}

/* Without the file there are no curves, and all the rest. */
static int grid_read(struct wt_cases *r, const char *dir, struct wt_error *errp)
{
	char *path = wt_str_format("%s/experiment.yaml", dir);
	struct experiment_plan plan = { 0 };
	struct experiment e = { 0 };
	int rc = path ? 0 : wt_error_errno(errp, ENOMEM, "%s", dir);

	if (path && experiment_read(&e, path, NULL) == 0 && experiment_plan_make(&plan, &e, NULL, NULL) == 0 &&
	    places_take(r, &e, &plan) < 0)
		rc = wt_error_errno(errp, ENOMEM, "%s", dir);
	experiment_plan_clear(&plan);
	experiment_clear(&e);
	free(path);
	return rc;
}

int experiment_results_read(struct wt_cases *cases, const char *dir, const char *against, struct wt_error *errp)
{
	memset(cases, 0, sizeof(*cases));
	if (index_read(cases, dir, errp) < 0 || grid_read(cases, dir, errp) < 0)
		return -1;
	return wt_cases_compare(cases, against, errp);
}
