/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/json_private.h"
#include "harness/report/repeats.h"
#include "lib/str.h"
#include "lib/table.h"

/* A mean of a real time and of a virtual one would be a time of no clock. */
static int kind_check(const struct wt_metrics *runs, size_t count, size_t figure, struct wt_error *errp)
{
	for (size_t i = 1; i < count; i++)
		if (runs[i].figures[figure].kind != runs[0].figures[figure].kind)
			return wt_error_set(errp, EINVAL, "%s is %s in run 1 but %s in run %zu: they cannot be put together",
					    wt_figure_infos[figure].key, wt_kind_name(runs[0].figures[figure].kind),
					    wt_kind_name(runs[i].figures[figure].kind), i + 1);
	return 0;
}

static int figures_compute(struct wt_repeats *repeats, const struct wt_metrics *runs, double *scratch, struct wt_error *errp)
{
	for (size_t f = 0; f < WT_FIG_COUNT; f++) {
		if (kind_check(runs, repeats->run_count, f, errp) < 0)
			return -1;
		for (size_t i = 0; i < repeats->run_count; i++)
			scratch[i] = runs[i].figures[f].value;
		wt_stats_compute(&repeats->stats[f], scratch, repeats->run_count);
		repeats->kinds[f] = runs[0].figures[f].kind;
	}
	return 0;
}

int wt_repeats_compute(struct wt_repeats *repeats, const struct wt_metrics *runs, size_t count, struct wt_error *errp)
{
	double *scratch;
	int rc;

	if (!count)
		return wt_error_set(errp, EINVAL, "no run to summarise");
	scratch = calloc(count, sizeof(*scratch));
	if (!scratch)
		return wt_error_errno(errp, ENOMEM, "figures of %zu runs", count);
	memset(repeats, 0, sizeof(*repeats));
	repeats->run_count = count;
	for (size_t i = 0; i < count; i++) {
		repeats->jobs_submitted += runs[i].jobs_submitted;
		repeats->jobs_completed += runs[i].jobs_completed;
		repeats->jobs_missing += runs[i].jobs_missing;
	}
	rc = figures_compute(repeats, runs, scratch, errp);
	free(scratch);
	return rc;
}

static json_t *spread_json(const struct wt_stats *s)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:I}", "mean", json_number_or_null(s->mean), "sd",
			 json_number_or_null(s->sd),
			 "ci95", json_number_or_null(s->ci95), "min", json_number_or_null(s->min),
			 "max", json_number_or_null(s->max), "count", (json_int_t) s->count);
}

static int figures_set(json_t *object, const struct wt_repeats *repeats)
{
	json_t *spread = json_object(), *kinds = json_object();
	int rc = spread && kinds ? 0 : -1;

	for (size_t f = 0; rc == 0 && f < WT_FIG_COUNT; f++) {
		const char *key = wt_figure_infos[f].key;

		if (json_object_set_new(object, key, json_number_or_null(repeats->stats[f].mean)) < 0 ||
		    json_object_set_new(spread, key, spread_json(&repeats->stats[f])) < 0 ||
		    json_object_set_new(kinds, key, json_string(wt_kind_name(repeats->kinds[f]))) < 0)
			rc = -1;
	}
	if (rc == 0 && (json_object_set(object, "spread", spread) < 0 || json_object_set(object, "kinds", kinds) < 0))
		rc = -1;
	json_decref(spread);
	json_decref(kinds);
	return rc;
}

json_t *wt_repeats_json(const struct wt_repeats *repeats, const struct wt_record *first)
{
	json_t *object = json_object();

	if (object && json_head_set(object, first) == 0 &&
	    json_object_set_new(object, "runs", json_integer((json_int_t) repeats->run_count)) == 0 &&
	    json_object_set_new(object, "jobs_submitted", json_integer((json_int_t) repeats->jobs_submitted)) == 0 &&
	    json_object_set_new(object, "jobs_completed", json_integer((json_int_t) repeats->jobs_completed)) == 0 &&
	    json_object_set_new(object, "jobs_missing", json_integer((json_int_t) repeats->jobs_missing)) == 0 &&
	    figures_set(object, repeats) == 0)
		return object;
	json_decref(object);
	errno = ENOMEM;
	return NULL;
}

static int value_cell(struct wt_table *table, double value)
{
	return isnan(value) ? wt_table_cell(table, "-") : wt_table_cell(table, "%.2f", value);
}

static int figure_row(struct wt_table *table, const struct wt_repeats *repeats, size_t f)
{
	const struct wt_figure_info *info = &wt_figure_infos[f];
	const struct wt_stats *s = &repeats->stats[f];

	return wt_table_cell(table, "%s", info->label) < 0 || value_cell(table, s->mean * info->scale) < 0 ||
	       value_cell(table, s->ci95 * info->scale) < 0 || value_cell(table, s->sd * info->scale) < 0 ||
	       value_cell(table, s->min * info->scale) < 0 || value_cell(table, s->max * info->scale) < 0 ||
	       wt_table_cell(table, "%s", info->unit) < 0 || wt_table_cell(table, "%s",
									   wt_kind_name(repeats->kinds[f])) < 0 ?
	       -1 : 0;
}

static int duration_row(struct wt_table *table, const struct wt_stats *s)
{
	const double values[] = { s->mean, s->ci95, s->sd, s->min, s->max };
	char text[WT_DURATION_SIZE];
	int rc = wt_table_cell(table, "%s", "");

	for (size_t i = 0; rc == 0 && i < sizeof(values) / sizeof(values[0]); i++) {
		wt_str_duration(text, values[i]);
		rc = wt_table_cell(table, "%s", text);
	}
	return rc < 0 || wt_table_cell(table, "%s", "") < 0 || wt_table_cell(table, "%s", "") < 0 ? -1 : 0;
}

int wt_repeats_print(FILE *out, const struct wt_repeats *repeats)
{
	static const char *const heads[] = { "", "mean", "+- (95 %)", "deviation", "least", "most", "", "" };
	struct wt_table *table = wt_table_create("lrrrrrll");
	int rc = table ? 0 : -1;

	for (size_t i = 0; rc == 0 && i < sizeof(heads) / sizeof(heads[0]); i++)
		rc = wt_table_cell(table, "%s", heads[i]);
	for (size_t f = 0; rc == 0 && f < WT_FIG_COUNT; f++) {
		if (!repeats->stats[f].count && wt_figure_of_some_runs((enum wt_figure_id) f))
			continue;
		rc = figure_row(table, repeats, f) < 0 || (wt_figure_long(f, repeats->stats[f].max) && duration_row(table,
		&repeats->stats[f]) < 0) ?
		     -1 : 0;
	}
	if (rc == 0) {
		fprintf(out, "%zu runs: %zu jobs submitted, %zu COMPLETED, %zu missing\n\n", repeats->run_count,
			repeats->jobs_submitted, repeats->jobs_completed, repeats->jobs_missing);
		wt_table_print(table, out, "  ");
	}
	wt_table_destroy(table);
	return rc;
}
