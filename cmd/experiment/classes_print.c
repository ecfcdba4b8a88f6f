/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What people and programs are told of who waits longer for what a case changes, and who less. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/experiment/experiment_verb.h"
#include "lib/str.h"
#include "lib/table.h"

#define NAMED_MAX  8 /* in a sentence */
#define ROWS_MAX   8 /* of one kind in a table: those with the most jobs, and all that are told apart */
#define TABLES_MAX 8 /* cases with a table */
#define WHY_MAX    500
#define NAME_MAX   40 /* bytes */

/* "account physics", "of 9 to 32 CPUs"; the caller frees. */
static char *class_name(const struct class_wait *w)
{
	char *value = wt_str_make_line(*w->value ? w->value : "(none)", NAME_MAX), *name = NULL;

	if (value && !strcmp(w->by, "size"))
		name = wt_str_format("jobs of %s%s", value, !strcmp(value, "1 CPU") ? "" : " CPUs");
	else if (value)
		name = wt_str_format("%s %s", w->by, value);
	free(value);
	return name;
}

/* "longer waits: partition gpu (+12.3 s), account physics (+4.0 s)"; nothing where none is told apart. */
static int told_print(FILE *out, const struct class_waits *waits, enum class_verdict verdict)
{
	size_t told = 0;

	for (size_t i = 0; i < waits->count; i++) {
		const struct class_wait *w = &waits->items[i];
		char *name;

		if (!strcmp(w->by, "all") || wt_class_wait_verdict(w) != verdict)
			continue;
		if (told++ >= NAMED_MAX)
			continue;
		name = class_name(w);
		if (!name)
			return -1;
		if (told == 1)
			fprintf(out, "  %s waits: ", wt_class_verdict_name(verdict));
		fprintf(out, "%s%s (%+.1f s)", told > 1 ? ", " : "", name, w->difference.mean);
		free(name);
	}
	if (told > NAMED_MAX)
		fprintf(out, ", and %zu more", told - NAMED_MAX);
	if (told)
		fputc('\n', out);
	return 0;
}

static size_t verdict_count(const struct class_waits *waits, enum class_verdict verdict)
{
	size_t count = 0;

	for (size_t i = 0; i < waits->count; i++)
		count += strcmp(waits->items[i].by, "all") && wt_class_wait_verdict(&waits->items[i]) == verdict;
	return count;
}

static int class_row_add(struct wt_table *table, const struct class_wait *w)
{
	char *value = wt_str_make_line(*w->value ? w->value : strcmp(w->by, "all") ? "(none)" : "", NAME_MAX);
	const struct wt_difference *d = &w->difference;
	int rc = value ? 0 : -1;

	if (rc == 0)
		rc = wt_table_cell(table, "%s", w->by) < 0 || wt_table_cell(table, "%s", value) < 0 ||
		     wt_table_cell(table, "%zu", w->jobs) < 0 ? -1 : 0;
	free(value);
	if (rc < 0)
		return -1;
	if (isnan(d->mean)) {
		for (int i = 0; i < 4 && rc == 0; i++)
			rc = wt_table_cell(table, "-");
	} else {
		rc = wt_table_cell(table, "%.1f", w->first_s) < 0 || wt_table_cell(table, "%.1f", w->here_s) < 0 ||
		     wt_table_cell(table, "%+.1f", d->mean) < 0 ||
		     wt_table_cell(table, isnan(d->ci95) ? "-" : "+-%.1f", d->ci95) < 0 ? -1 : 0;
	}
	return rc < 0 ? -1 : wt_table_cell(table, "%s", wt_class_verdict_name(wt_class_wait_verdict(w)));
}

static int head_add(struct wt_table *table)
{
	static const char *const words[] = { "by", "", "jobs", "waits there", "here", "difference", "95 %", "" };
	int rc = 0;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]) && rc == 0; i++)
		rc = wt_table_cell(table, "%s", words[i]);
	return rc;
}

static int table_print(FILE *out, const struct class_waits *waits)
{
	struct wt_table *table = wt_table_create("llrrrrrl");
	size_t shown = 0, hidden = 0;
	int rc = table ? head_add(table) : -1;

	for (size_t i = 0; i < waits->count && rc == 0; i++) {
		enum class_verdict verdict = wt_class_wait_verdict(&waits->items[i]);

		shown = i && waits->items[i - 1].by == waits->items[i].by ? shown + 1 : 1;
		if (shown <= ROWS_MAX || verdict == CLASS_LONGER || verdict == CLASS_SHORTER)
			rc = class_row_add(table, &waits->items[i]);
		else
			hidden++;
	}
	if (rc == 0)
		wt_table_print(table, out, "  ");
	if (rc == 0 && hidden)
		fprintf(out, "  %zu more with fewer jobs, none of them told apart: the page and --json have them\n", hidden);
	wt_table_destroy(table);
	return rc;
}

/* What is not in the numbers. */
static void rest_print(FILE *out, const struct class_waits *waits)
{
	const struct class_wait *all = waits->count ? &waits->items[0] : NULL;
	size_t open = verdict_count(waits, CLASS_OPEN), same = verdict_count(waits, CLASS_SAME);

	if (same)
		fprintf(out, "  the same waits: %zu\n", same);
	if (open)
		fprintf(out, "  not told apart: %zu\n", open);
	if (waits->pairs == 1)
		fputs("  one run of each: whether a difference is more than chance is not known\n", out);
	if (all && all->only_first + all->only_here)
		fprintf(out, "  without a difference: %zu jobs that started there only, %zu that started here only\n",
			all->only_first, all->only_here);
	if (waits->unmatched)
		fprintf(out, "  %zu jobs that are in one run of a pair only\n", waits->unmatched);
}

/* The reason has names of files, which may be a stranger's. */
static int unread_print(FILE *out, const struct class_waits *waits)
{
	char *why = waits->unread ? wt_str_make_line(waits->why.text, WHY_MAX) : NULL;

	if (why)
		fprintf(out, "  %zu pairs of runs are missing: %s\n", waits->unread, why);
	free(why);
	return waits->unread && !why ? -1 : 0;
}

static int case_print(FILE *out, const struct wt_cases *r, const struct wt_case *c, bool with_table)
{
	if (!wt_class_waits_differ(&c->waits) && !c->waits.unread)
		return 0;
	fprintf(out, "\nWho waits longer in %s than in %s, and who less?\n", c->name, r->items[c->base].name);
	if (told_print(out, &c->waits, CLASS_LONGER) < 0 || told_print(out, &c->waits, CLASS_SHORTER) < 0)
		return -1;
	rest_print(out, &c->waits);
	if (unread_print(out, &c->waits) < 0)
		return -1;
	return with_table && wt_class_waits_differ(&c->waits) ? table_print(out, &c->waits) : 0;
}

int classes_print(FILE *out, const struct wt_cases *r)
{
	size_t compared = 0, told = 0;

	for (size_t c = 0; c < r->count; c++)
		compared += r->items[c].compared;
	for (size_t c = 0; c < r->count; c++) {
		told += r->items[c].compared && wt_class_waits_differ(&r->items[c].waits);
		if (r->items[c].compared && case_print(out, r, &r->items[c], compared <= TABLES_MAX) < 0)
			return -1;
	}
	if (told)
		fputs("Mean waits in seconds, each job beside itself; intervals over pairs of runs; longer and shorter: p "
		      "below 0.05, corrected (Holm) for all rows of one kind.\n",
		      out);
	return 0;
}

static json_t *real_or_null(double value)
{
	return isnan(value) ? json_null() : json_real(value);
}

static json_t *class_json(const struct class_wait *w)
{
	return json_pack("{s:s, s:o, s:I, s:I, s:I, s:o, s:o, s:{s:o, s:o, s:o, s:o}, s:s}", "by", w->by, "value",
			 wt_json_text(w->value), "jobs", (json_int_t) w->jobs, "only_first", (json_int_t) w->only_first,
			 "only_here", (json_int_t) w->only_here, "first_mean_s", real_or_null(w->first_s), "here_mean_s",
			 real_or_null(w->here_s), "difference", "mean_s", real_or_null(w->difference.mean), "ci95_s",
			 real_or_null(w->difference.ci95), "p", real_or_null(wt_stats_p(&w->difference)), "p_holm",
			 real_or_null(w->p_holm), "verdict", wt_class_verdict_name(wt_class_wait_verdict(w)));
}

json_t *classes_json(const struct class_waits *waits)
{
	json_t *groups = json_array();

	for (size_t i = 0; i < waits->count; i++)
		if (json_array_append_new(groups, class_json(&waits->items[i])) < 0) {
			json_decref(groups);
			return NULL;
		}
	return json_pack("{s:I, s:I, s:I, s:o}", "pairs", (json_int_t) waits->pairs, "pairs_unread",
			 (json_int_t) waits->unread, "jobs_unmatched", (json_int_t) waits->unmatched, "groups", groups);
}
