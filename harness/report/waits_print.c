/* SPDX-License-Identifier: GPL-2.0-or-later */
/* waits.h: what people and programs are told. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/waits.h"
#include "lib/json.h"
#include "lib/str.h"
#include "lib/table.h"

#define SHOWN_MAX 40	/* bytes of a name */

static int number_cell(struct wt_table *table, double value, int decimals)
{
	return isnan(value) ? wt_table_cell(table, "-") : wt_table_cell(table, "%.*f", decimals, value);
}

static int head_row(struct wt_table *table)
{
	static const char *const words[] = { "by", "", "jobs", "recorded", "in the run", "difference", "95 %", "of recorded",
					     "median", "in the run" };
	int rc = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && rc == 0; i++)
		rc = wt_table_cell(table, "%s", words[i]);
	return rc;
}

static int group_row(struct wt_table *table, const struct waits_group *g)
{
	char *value = wt_str_make_line(*g->value ? g->value : strcmp(g->by, "all") ? "(none)" : "", SHOWN_MAX);
	int rc = value && wt_table_cell(table, "%s", g->by) == 0 && wt_table_cell(table, "%s", value) == 0 &&
		 wt_table_cell(table, "%zu", g->jobs) == 0 ? 0 : -1;

	free(value);
	if (rc < 0 || number_cell(table, g->recorded.mean, 1) < 0 || number_cell(table, g->replayed.mean, 1) < 0 ||
	    wt_table_cell(table, "%+.1f", g->difference_s) < 0)
		return -1;
	if (isnan(g->ci95_s) ? wt_table_cell(table, "-") < 0 : wt_table_cell(table, "+-%.1f", g->ci95_s) < 0)
		return -1;
	if (isnan(g->percent) ? wt_table_cell(table, "-") < 0 : wt_table_cell(table, "%+.1f %%", g->percent) < 0)
		return -1;
	return number_cell(table, g->recorded.median, 1) < 0 || number_cell(table, g->replayed.median, 1) < 0 ? -1 : 0;
}

static void counts_print(FILE *out, const struct waits *waits)
{
	const struct waits_count *c = &waits->count;

	fprintf(out, "%zu waits compared", c->compared);
	if (waits->runs > 1)
		fprintf(out, " of %zu runs", waits->runs);
	fprintf(out, "; %zu of these jobs ended as recorded\n", c->same_end);
	if (c->not_started + c->not_in_run + c->not_started_in_run + c->not_recorded)
		fprintf(out, "not compared: %zu that the site recorded without a start, %zu that are not in the run, %zu "
			     "that did not start in it, %zu of the run that the site did not record\n", c->not_started,
			c->not_in_run, c->not_started_in_run, c->not_recorded);
	fprintf(out, "mean waits in seconds; 95 %%: the interval of the difference, over the %s\n",
		waits->runs > 1 ? "runs" : "jobs of the run");
}

int wt_waits_print(FILE *out, const struct waits *waits, size_t rows)
{
	struct wt_table *table = wt_table_create("llrrrrrrrr");
	size_t shown = 0, hidden = 0;
	int rc = table ? head_row(table) : -1;

	for (size_t i = 0; i < waits->group_count && rc == 0; i++) {
		const struct waits_group *g = &waits->groups[i];

		shown = i && waits->groups[i - 1].by == g->by ? shown + 1 : 1;
		if (shown <= rows)
			rc = group_row(table, g);
		else
			hidden++;
	}
	if (rc == 0) {
		counts_print(out, waits);
		wt_table_print(table, out, "  ");
		if (hidden)
			fprintf(out, "%zu more with fewer jobs: --json has them\n", hidden);
	}
	wt_table_destroy(table);
	return rc;
}

static json_t *real(double value)
{
	return isnan(value) ? json_null() : json_real(value);
}

static json_t *stats_json(const struct wt_stats *s)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "mean_s", real(s->mean), "median_s", real(s->median), "p95_s", real(s->p95),
			 "max_s", real(s->max));
}

static json_t *group_json(const struct waits_group *g)
{
	return json_pack("{s:s, s:o, s:I, s:o, s:o, s:{s:o, s:o, s:o}}", "by", g->by, "value", wt_json_text(g->value),
			 "jobs", (json_int_t) g->jobs, "recorded", stats_json(&g->recorded), "replayed",
			 stats_json(&g->replayed), "difference", "mean_s", real(g->difference_s), "ci95_s", real(g->ci95_s),
			 "percent", real(g->percent));
}

json_t *wt_waits_json(const struct waits *waits)
{
	const struct waits_count *c = &waits->count;
	json_t *groups = json_array(), *v;
	bool failed = !groups;

	for (size_t i = 0; i < waits->group_count && !failed; i++)
		failed = json_array_append_new(groups, group_json(&waits->groups[i])) < 0;
	if (failed) {
		json_decref(groups);
		errno = ENOMEM;
		return NULL;
	}
	v = json_pack("{s:I, s:s, s:{s:I, s:I, s:I, s:I, s:I, s:I}, s:o}", "runs", (json_int_t) waits->runs,
		      "intervals_over", waits->runs > 1 ? "runs" : "jobs", "jobs", "compared", (json_int_t) c->compared,
		      "same_end", (json_int_t) c->same_end, "recorded_without_start", (json_int_t) c->not_started,
		      "not_in_run", (json_int_t) c->not_in_run, "not_started_in_run", (json_int_t) c->not_started_in_run,
		      "not_recorded", (json_int_t) c->not_recorded, "groups", groups);
	if (!v)
		errno = ENOMEM;
	return v;
}
