/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/experiment/experiment_verb.h"
#include "lib/str.h"
#include "lib/table.h"

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
static int difference_cell(struct wt_table *table, const struct wt_case *result, enum wt_figure_id figure)
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

static int case_row(struct wt_table *table, const struct wt_cases *r, size_t c, enum wt_figure_id figure)
{
	const struct wt_case *result = &r->items[c];

	if (wt_table_cell(table, "%s", result->name) < 0 ||
	    wt_table_cell(table, "%zu runs", result->stats[figure].count) < 0 ||
	    mean_cell(table, &result->stats[figure], wt_figure_infos[figure].scale) < 0)
		return -1;
	return c == r->first ? wt_table_cell(table, "(what the others are compared with)")
			     : difference_cell(table, result, figure);
}

/* Of a case without runs nobody knows it: it stands with the first. */
static enum wt_kind kind_of(const struct wt_cases *r, size_t c, enum wt_figure_id figure)
{
	if (!r->items[c].set.count && r->first < r->count)
		c = r->first;
	return r->items[c].set.kinds[figure];
}

/* Where cases differ in the kind of a figure (clocks, back ends), each kind has a table of its own. */
static int kind_print(FILE *out, const struct wt_cases *r, enum wt_figure_id figure, enum wt_kind kind)
{
	const struct wt_figure_info *info = &wt_figure_infos[figure];
	struct wt_table *table = wt_table_create("lrrl");
	int rc = table ? 0 : -1;
	bool any = false;

	for (size_t c = 0; rc == 0 && c < r->count; c++)
		if (kind_of(r, c, figure) == kind) {
			any = true;
			rc = case_row(table, r, c, figure);
		}
	if (rc == 0 && any) {
		fprintf(out, "\n%s%s%s%s, %s\n", info->label, *info->unit ? " (" : "", info->unit, *info->unit ? ")" : "",
			r->first < r->count ? wt_kind_name(kind) : "not measured");
		wt_table_print(table, out, "  ");
	}
	wt_table_destroy(table);
	return rc;
}

static int figure_print(FILE *out, const struct wt_cases *r, enum wt_figure_id figure)
{
	for (int kind = WT_KIND_REAL; kind <= WT_KIND_TOLD; kind++)
		if (kind_print(out, r, figure, (enum wt_kind) kind) < 0)
			return -1;
	return 0;
}

/* Each difference in words. */
static int sentences_print(FILE *out, const struct wt_cases *r)
{
	fputc('\n', out);
	if (r->first >= r->count) {
		fputs("No run has ended well.\n", out);
		return 0;
	}
	if (wt_cases_all_same(r)) {
		fputs("All cases gave the same: each run has exactly the figures of its counterpart.\n", out);
		return 0;
	}
	for (size_t f = 0; f < r->figure_count; f++)
		for (size_t c = 0; c < r->count; c++) {
			char *text = wt_cases_sentence(r, c, r->figures[f]);

			if (!text)
				return -1;
			if (*text)
				fprintf(out, "%s\n", text);
			free(text);
		}
	wt_compare_note_print(out, r->comparisons);
	return 0;
}

int experiment_results_print(FILE *out, const struct wt_cases *r)
{
	char *releases = wt_cases_releases(r);

	if (!releases)
		return -1;
	if (*r->title)
		fprintf(out, "%s\n", r->title);
	if (*releases)
		fprintf(out, "%s\n", releases);
	free(releases);
	for (size_t f = 0; f < r->figure_count; f++)
		if (figure_print(out, r, r->figures[f]) < 0)
			return -1;
	if (sentences_print(out, r) < 0)
		return -1;
	fputs("\nMeans with half the width of their 95 % interval; differences with their 95 % interval, "
	      "of pairs of the same seed where there are such.\n",
	      out);
	if (classes_print(out, r) < 0)
		return -1;
	for (size_t c = 0; c < r->count; c++)
		if (*r->items[c].refused.text)
			fprintf(out, "%s is not compared: %s\n", r->items[c].name, r->items[c].refused.text);
	return 0;
}

static json_t *stats_json(const struct wt_stats *s, const char *kind)
{
	return json_pack("{s:s?, s:I, s:o, s:o, s:o}", "kind", kind, "runs", (json_int_t) s->count, "mean",
			 isnan(s->mean) ? json_null() : json_real(s->mean), "sd",
			 isnan(s->sd) ? json_null() : json_real(s->sd), "ci95",
			 isnan(s->ci95) ? json_null() : json_real(s->ci95));
}

static json_t *case_json(const struct wt_cases *r, size_t c)
{
	json_t *figures = json_object();
	const struct wt_case *one = &r->items[c];
	const char *folder = strrchr(one->path, '/');

	for (size_t f = 0; f < r->figure_count; f++) {
		const char *kind = one->set.count ? wt_kind_name(one->set.kinds[r->figures[f]]) : NULL;

		if (json_object_set_new(figures, wt_figure_infos[r->figures[f]].key,
					stats_json(&one->stats[r->figures[f]], kind)) < 0) {
			json_decref(figures);
			return NULL;
		}
	}
	return json_pack("{s:o, s:s?, s:s, s:I, s:I, s:f, s:o, s:o, s:o, s:o}", "name", wt_json_text(one->name),
			 "slurm_version", one->set.slurm, "folder",
			 folder ? folder + 1 : one->path, "runs", (json_int_t) one->done, "failed", (json_int_t) one->failed,
			 "wall_s", one->wall_s, "figures", figures, "beside",
			 one->compared ? wt_json_text(r->items[one->base].name) : json_null(), "with_first",
			 one->compared ? wt_compare_json(&one->with_first) : json_null(),
			 "waits_by_class", one->compared ? classes_json(&one->waits) : json_null());
}

json_t *experiment_results_json(const struct wt_cases *r)
{
	json_t *cases = json_array();

	for (size_t c = 0; c < r->count; c++)
		if (json_array_append_new(cases, case_json(r, c)) < 0) {
			json_decref(cases);
			return NULL;
		}
	return json_pack("{s:o, s:o, s:I, s:o}", "title", wt_json_text(r->title), "first",
			 r->first < r->count ? wt_json_text(r->items[r->first].name) : json_null(), "comparisons",
			 (json_int_t) r->comparisons, "cases", cases);
}
