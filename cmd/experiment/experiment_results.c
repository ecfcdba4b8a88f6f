/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/experiment/experiment_verb.h"
#include "lib/str.h"
#include "lib/table.h"

static int figures_take(struct experiment_results *r, char *names)
{
	char *rest = names, *name;

	while ((name = strsep(&rest, " ")))
		for (size_t f = 0; f < WT_FIG_COUNT; f++)
			if (!strcmp(name, wt_figure_infos[f].key)) {
				enum wt_figure_id *figures = reallocarray(r->figures, r->figure_count + 1, sizeof(*figures));

				if (!figures)
					return -1;
				r->figures = figures;
				r->figures[r->figure_count++] = (enum wt_figure_id) f;
			}
	return 0;
}

static int index_read(struct experiment_results *r, const char *dir, struct wt_error *errp)
{
	struct experiment_index *index = experiment_index_open(dir, false, errp);
	char *figures = NULL;
	int rc = -1;

	if (!index)
		return -1;
	r->title = experiment_index_fact(index, "title", errp);
	if (r->title)
		figures = experiment_index_fact(index, "figures", errp);
	if (figures)
		rc = figures_take(r, figures) < 0 ? wt_error_errno(errp, ENOMEM, "%s", dir)
						  : experiment_index_cases(index, &r->rows, &r->count, errp);
	free(figures);
	experiment_index_close(index);
	return rc;
}

static int sets_read(struct experiment_results *r, const char *dir, struct wt_error *errp)
{
	r->cases = calloc(r->count ? r->count : 1, sizeof(*r->cases));
	if (!r->cases)
		return wt_error_errno(errp, ENOMEM, "%s", dir);
	for (size_t c = 0; c < r->count; c++) {
		char *path = wt_str_format("%s/%s", dir, r->rows[c].folder);
		int rc;

		if (!path)
			return wt_error_errno(errp, ENOMEM, "%s", dir);
		r->cases[c].row = r->rows[c];
		rc = wt_run_set_read(&r->cases[c].set, path, errp);
		free(path);
		if (rc < 0 && errno != ENOENT)
			return -1;
		if (rc < 0)
			r->cases[c].set.count = 0;
	}
	return 0;
}

static int first_find(struct experiment_results *r, const char *against, struct wt_error *errp)
{
	for (r->first = 0; r->first < r->count; r->first++)
		if (against ? !strcmp(r->rows[r->first].name, against) : r->cases[r->first].set.count > 0)
			return !against || r->cases[r->first].set.count
				       ? 0
				       : wt_error_set(errp, EINVAL, "no run of the case '%s' has ended well", against);
	return against ? wt_error_set(errp, EINVAL, "there is no case '%s'; 'windtunnel experiment list' names them",
				      against)
		       : 0;
}

/* Only the figures that the experiment is about: cases may differ in the kinds of others (clocks, back ends). */
static void cases_compare(struct experiment_results *r)
{
	struct wt_compare_options options = { 0 };

	for (size_t f = 0; f < r->figure_count; f++)
		options.only[r->figures[f]] = true;
	for (size_t c = 0; c < r->count; c++) {
		struct case_result *result = &r->cases[c];

		if (c != r->first && r->first < r->count && result->set.count)
			result->compared = wt_compare(&result->with_first, &r->cases[r->first].set, &result->set, &options,
						      &result->refused) == 0;
	}
}

int experiment_results_read(struct experiment_results *r, const char *dir, const char *against, struct wt_error *errp)
{
	memset(r, 0, sizeof(*r));
	if (index_read(r, dir, errp) < 0 || sets_read(r, dir, errp) < 0 || first_find(r, against, errp) < 0)
		return -1;
	cases_compare(r);
	return 0;
}

void experiment_results_clear(struct experiment_results *r)
{
	int saved = errno;

	for (size_t c = 0; r->cases && c < r->count; c++)
		wt_run_set_clear(&r->cases[c].set);
	free(r->cases);
	experiment_index_cases_free(r->rows, r->count);
	free(r->figures);
	free(r->title);
	memset(r, 0, sizeof(*r));
	errno = saved;
}

static int stats_of(const struct wt_run_set *set, enum wt_figure_id figure, struct wt_stats *stats)
{
	double *values = calloc(set->count ? set->count : 1, sizeof(*values));

	if (!values)
		return -1;
	wt_run_set_figure(set, figure, values);
	wt_stats_compute(stats, values, set->count);
	free(values);
	return 0;
}

/* As many digits behind the point as half an interval, or a thousandth of the value, is worth. */
static int decimals_of(double value, double half)
{
	double worth = isnan(half) || half <= 0 ? fabs(value) / 1000 : half / 10;

	return worth > 0 && worth < 1 ? (int) fmin(6, ceil(-log10(worth))) : 0;
}

static int mean_cell(struct wt_table *table, const struct wt_stats *stats, double scale)
{
	double mean = stats->mean * scale, half = stats->ci95 * scale;
	int decimals = decimals_of(mean, half);

	if (isnan(mean))
		return wt_table_cell(table, "-");
	if (isnan(half))
		return wt_table_cell(table, "%.*f", decimals, mean);
	return wt_table_cell(table, "%.*f +- %.*f", decimals, mean, decimals, half);
}

/* "-8.2 % (-9.0 to -7.4)": of the first case's mean, or where that is 0 in the figure's unit. */
static int difference_cell(struct wt_table *table, const struct case_result *result, enum wt_figure_id figure)
{
	const struct wt_difference *d = &result->with_first.difference[figure];
	double base = fabs(result->with_first.a_stats[figure].mean);
	double scale = base > 0 ? 100 / base : wt_figure_infos[figure].scale;
	const char *unit = base > 0 ? "%" : wt_figure_infos[figure].unit;
	double mean = d->mean * scale, half = d->ci95 * scale;
	int decimals = decimals_of(mean, half);

	if (!result->compared || isnan(mean))
		return wt_table_cell(table, "-");
	if (isnan(half))
		return wt_table_cell(table, "%+.*f %s (one run: no interval)", decimals, mean, unit);
	return wt_table_cell(table, "%+.*f %s (%+.*f to %+.*f)", decimals, mean, unit, decimals, mean - half, decimals,
			     mean + half);
}

static int figure_print(FILE *out, const struct experiment_results *r, enum wt_figure_id figure)
{
	const struct wt_figure_info *info = &wt_figure_infos[figure];
	struct wt_table *table = wt_table_create("lrrl");
	struct wt_stats stats;
	int rc = table ? 0 : -1;

	fprintf(out, "\n%s%s%s%s, %s\n", info->label, *info->unit ? " (" : "", info->unit, *info->unit ? ")" : "",
		r->first < r->count ? wt_kind_name(r->cases[r->first].set.kinds[figure]) : "");
	for (size_t c = 0; rc == 0 && c < r->count; c++) {
		const struct case_result *result = &r->cases[c];

		rc = stats_of(&result->set, figure, &stats);
		if (rc == 0 &&
		    (wt_table_cell(table, "%s", result->row.name) < 0 || wt_table_cell(table, "%zu runs", stats.count) < 0 ||
		     mean_cell(table, &stats, info->scale) < 0))
			rc = -1;
		if (rc == 0)
			rc = c == r->first ? wt_table_cell(table, "(what the others are compared with)")
					   : difference_cell(table, result, figure);
	}
	if (rc == 0)
		wt_table_print(table, out, "  ");
	wt_table_destroy(table);
	return rc;
}

int experiment_results_print(FILE *out, const struct experiment_results *r)
{
	if (*r->title)
		fprintf(out, "%s\n", r->title);
	for (size_t f = 0; f < r->figure_count; f++)
		if (figure_print(out, r, r->figures[f]) < 0)
			return -1;
	fputs("\nMeans with half the width of their 95 % interval; differences with their 95 % interval, "
	      "of pairs of the same seed where there are such.\n",
	      out);
	for (size_t c = 0; c < r->count; c++)
		if (*r->cases[c].refused.text)
			fprintf(out, "%s is not compared: %s\n", r->cases[c].row.name, r->cases[c].refused.text);
	return 0;
}

static json_t *stats_json(const struct wt_stats *s)
{
	return json_pack("{s:I, s:o, s:o, s:o}", "runs", (json_int_t) s->count, "mean",
			 isnan(s->mean) ? json_null() : json_real(s->mean), "sd",
			 isnan(s->sd) ? json_null() : json_real(s->sd), "ci95",
			 isnan(s->ci95) ? json_null() : json_real(s->ci95));
}

static json_t *case_json(const struct experiment_results *r, size_t c)
{
	const struct case_result *result = &r->cases[c];
	json_t *figures = json_object(), *o;
	struct wt_stats stats;

	for (size_t f = 0; f < r->figure_count; f++)
		if (stats_of(&result->set, r->figures[f], &stats) < 0 ||
		    json_object_set_new(figures, wt_figure_infos[r->figures[f]].key, stats_json(&stats)) < 0) {
			json_decref(figures);
			return NULL;
		}
	o = json_pack("{s:o, s:s, s:I, s:I, s:f, s:o, s:o}", "name", wt_json_text(result->row.name), "folder",
		      result->row.folder, "runs", (json_int_t) result->row.done, "failed", (json_int_t) result->row.failed,
		      "wall_s", result->row.wall_s, "figures", figures, "with_first",
		      result->compared ? wt_compare_json(&result->with_first) : json_null());
	return o;
}

json_t *experiment_results_json(const struct experiment_results *r)
{
	json_t *cases = json_array();

	for (size_t c = 0; c < r->count; c++)
		if (json_array_append_new(cases, case_json(r, c)) < 0) {
			json_decref(cases);
			return NULL;
		}
	return json_pack("{s:o, s:o, s:o}", "title", wt_json_text(r->title), "first",
			 r->first < r->count ? wt_json_text(r->rows[r->first].name) : json_null(), "cases", cases);
}
