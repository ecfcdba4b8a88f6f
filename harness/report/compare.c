/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/json_private.h"
#include "harness/report/compare.h"
#include "harness/report/difference_words.h"
#include "harness/report/identity.h"
#include "lib/json.h"
#include "lib/str.h"
#include "lib/table.h"

/* No figure named: all of them. */
static bool wanted(const struct wt_compare_options *options, size_t figure)
{
	for (size_t f = 0; f < WT_FIG_COUNT; f++)
		if (options->only[f])
			return options->only[figure];
	return true;
}

static int kinds_check(const struct wt_comparison *c, struct wt_error *errp)
{
	for (size_t f = 0; f < WT_FIG_COUNT; f++)
		if (c->wanted[f] && c->a->kinds[f] != c->b->kinds[f])
			return wt_error_set(errp, EINVAL,
					    "%s is %s in %s but %s in %s: figures of different kinds cannot be compared "
					    "(--across-kinds does, to validate a clock; --figure chooses others)",
					    wt_figure_infos[f].key, wt_kind_name(c->a->kinds[f]), c->a->path,
					    wt_kind_name(c->b->kinds[f]), c->b->path);
	return 0;
}

static int workloads_check(struct wt_comparison *c, bool across, struct wt_error *errp)
{
	char text[512];

	c->other_workload = wt_identity_differs(c->a->identity, c->b->identity, text, sizeof(text));
	if (!c->other_workload || across)
		return 0;
	return wt_error_set(errp, EINVAL,
			    "%s and %s are runs of different workloads: %s (--across-workloads compares them all the same)",
			    c->a->path, c->b->path, text);
}

/* ---- pairs --------------------------------------------------------------------------------------------------------- */

/* Both are ordered by seed.  Of a seed that stands twice it is not known which run belongs to which. */
static bool seed_alone(const struct wt_run_set *set, size_t i)
{
	return (!i || set->runs[i - 1].seed != set->runs[i].seed) &&
	       (i + 1 == set->count || set->runs[i + 1].seed != set->runs[i].seed);
}

/* Both values of each seed that the sets have in common, unless NULL.  How many. */
static size_t pair_values(const struct wt_run_set *a, const struct wt_run_set *b, size_t figure, double *of_a, double *of_b)
{
	size_t count = 0;

	for (size_t i = 0, j = 0; i < a->count && j < b->count;) {
		if (a->runs[i].seed < b->runs[j].seed) {
			i++;
		} else if (a->runs[i].seed > b->runs[j].seed) {
			j++;
		} else {
			bool pair = seed_alone(a, i) && seed_alone(b, j);

			if (pair && of_a) {
				of_a[count] = a->runs[i].values[figure];
				of_b[count] = b->runs[j].values[figure];
			}
			count += pair;
			i++, j++;
		}
	}
	return count;
}

/* Where a run failed it is missing on one side: what was drawn for its counterpart is no difference between the sets. */
static void pairs_find(struct wt_comparison *c, const struct wt_compare_options *options)
{
	size_t pairs = options->unpaired ? 0 : pair_values(c->a, c->b, 0, NULL, NULL);
	size_t fewer = c->a->count < c->b->count ? c->a->count : c->b->count;

	c->paired = pairs && (options->few_pairs || (pairs == c->a->count && pairs == c->b->count) ||
			      (pairs >= 2 && 2 * pairs > fewer));
	c->pairs = c->paired ? pairs : 0;
}

static void figure_compare(struct wt_comparison *c, size_t f, double *values)
{
	size_t of_a = c->paired ? c->pairs : c->a->count, of_b = c->paired ? c->pairs : c->b->count;
	double *b_values = values + of_a;

	/* Pairs of the same seed ran the same jobs: what the seeds differ in falls out of their differences. */
	if (c->paired) {
		pair_values(c->a, c->b, f, values, b_values);
		wt_stats_paired(&c->difference[f], values, b_values, c->pairs);
	} else {
		wt_run_set_figure(c->a, (enum wt_figure_id) f, values);
		wt_run_set_figure(c->b, (enum wt_figure_id) f, b_values);
		wt_stats_welch(&c->difference[f], values, of_a, b_values, of_b);
	}
	wt_stats_compute(&c->a_stats[f], values, of_a);	/* it sorts them */
	wt_stats_compute(&c->b_stats[f], b_values, of_b);
}

int wt_compare(struct wt_comparison *c, const struct wt_run_set *a, const struct wt_run_set *b,
	       const struct wt_compare_options *options, struct wt_error *errp)
{
	double *values;

	memset(c, 0, sizeof(*c));
	c->a = a;
	c->b = b;
	c->a_name = a->path;
	c->b_name = b->path;
	pairs_find(c, options);
	for (size_t f = 0; f < WT_FIG_COUNT; f++)
		c->wanted[f] = wanted(options, f), c->p_holm[f] = NAN;
	if (workloads_check(c, options->across_workloads, errp) < 0)
		return -1;
	if (!options->across_kinds && kinds_check(c, errp) < 0)
		return -1;
	values = calloc(a->count + b->count, sizeof(*values));
	if (!values)
		return wt_error_errno(errp, ENOMEM, "comparison");
	for (size_t f = 0; f < WT_FIG_COUNT; f++)
		figure_compare(c, f, values);
	free(values);
	return 0;
}

/* ---- in words ------------------------------------------------------------------------------------------------------ */

int wt_compare_correct(struct wt_comparison *const *all, size_t count)
{
	double *p = calloc(count * WT_FIG_COUNT + 1, sizeof(*p));
	size_t n = 0, known = 0;

	if (!p)
		return -1;
	for (size_t i = 0; i < count; i++)
		for (size_t f = 0; f < WT_FIG_COUNT; f++, n++) {
			p[n] = all[i] && all[i]->wanted[f] ? wt_stats_p(&all[i]->difference[f]) : NAN;
			known += !isnan(p[n]);
		}
	if (wt_stats_holm(p, p, n) < 0) {
		free(p);
		return -1;
	}
	for (size_t i = 0; i < count; i++) {
		if (!all[i])
			continue;
		memcpy(all[i]->p_holm, p + i * WT_FIG_COUNT, sizeof(all[i]->p_holm));
		all[i]->comparisons = known;
	}
	free(p);
	return 0;
}

static struct difference_context context_of(const struct wt_comparison *c, enum wt_figure_id figure)
{
	size_t of_a = c->a_stats[figure].count, of_b = c->b_stats[figure].count;

	return (struct difference_context){
		.name = c->b_name,
		.first = c->a_name,
		.runs = c->paired ? c->difference[figure].count : of_a < of_b ? of_a : of_b,
		.paired = c->paired,
		.p_holm = c->p_holm[figure],
		.comparisons = c->comparisons,
	};
}

bool wt_compare_asserted(const struct wt_comparison *c, enum wt_figure_id figure)
{
	const struct difference_quantity quantity = difference_quantity_of(figure);
	const struct difference_context context = context_of(c, figure);
	const struct wt_difference *d = &c->difference[figure];

	/* However sure a difference is, one that the words call the same speaks for nothing. */
	return difference_asserted(d, &context) && !difference_alike(&quantity, d, c->a_stats[figure].mean);
}

char *wt_compare_sentence(const struct wt_comparison *c, enum wt_figure_id figure)
{
	const struct difference_quantity quantity = difference_quantity_of(figure);
	const struct difference_context context = context_of(c, figure);

	return difference_tell(&quantity, &context, &c->difference[figure], c->a_stats[figure].mean);
}

bool wt_compare_other_size(const struct wt_comparison *c)
{
	return c->a->nodes != c->b->nodes || c->a->cpus != c->b->cpus;
}

bool wt_compare_other_release(const struct wt_comparison *c)
{
	return c->a->slurm && c->b->slurm && strcmp(c->a->slurm, c->b->slurm);
}

static void release_print(FILE *out, const struct wt_comparison *c)
{
	const char *a = c->a->slurm, *b = c->b->slurm;

	if (wt_compare_other_release(c))
		fprintf(out, "different releases of Slurm: A ran %s, B %s\n", a, b);
	else if (!a != !b)
		fprintf(out, "release unknown: which Slurm %s ran is not recorded; %s ran %s\n", a ? "B" : "A",
			a ? "A" : "B", a ? a : b);
}

const char *wt_compare_unknown(const struct wt_comparison *c)
{
	return wt_identity_unknown(c->a->identity, c->b->identity);
}

static int number_cell(struct wt_table *table, const char *format, double value)
{
	if (!isfinite(value))
		return wt_table_cell(table, "-");
	/* One of the formats below. */
	return !strcmp(format, "+") ? wt_table_cell(table, "%+.2f", value) :
	       !strcmp(format, "%") ? wt_table_cell(table, "%+.2f %%", value * 100) : wt_table_cell(table, "%.2f", value);
}

static int figure_row(struct wt_table *table, const struct wt_comparison *c, size_t f)
{
	const struct wt_figure_info *info = &wt_figure_infos[f];
	const struct wt_difference *d = &c->difference[f];
	double base = c->a_stats[f].mean > 0 ? c->a_stats[f].mean : NAN;

	if (wt_table_cell(table, "%s", info->label) < 0 || number_cell(table, "", c->a_stats[f].mean * info->scale) < 0 ||
	    number_cell(table, "", c->b_stats[f].mean * info->scale) < 0 || wt_table_cell(table, "%s", info->unit) < 0 ||
	    number_cell(table, "+", d->mean * info->scale) < 0 || number_cell(table, "", d->ci95 * info->scale) < 0 ||
	    number_cell(table, "%", d->mean / base) < 0 || number_cell(table, "%", (d->mean - d->ci95) / base) < 0 ||
	    number_cell(table, "%", (d->mean + d->ci95) / base) < 0)
		return -1;
	return 0;
}

/* Below the row in seconds. */
static int duration_row(struct wt_table *table, const struct wt_comparison *c, size_t f)
{
	const double values[] = { c->a_stats[f].mean, c->b_stats[f].mean, NAN, c->difference[f].mean,
				  c->difference[f].ci95 };
	char text[WT_DURATION_SIZE];
	int rc = wt_table_cell(table, "%s", "");

	for (size_t i = 0; rc == 0 && i < 8; i++) {
		wt_str_duration(text, i < sizeof(values) / sizeof(values[0]) ? values[i] : NAN);
		rc = wt_table_cell(table, "%s", i == 2 || i > 4 ? "" : text);
	}
	return rc;
}

/* Figures that neither has, and most runs have not, are told only where they were asked for. */
static bool figure_shown(const struct wt_comparison *c, size_t f)
{
	for (size_t i = 0; i < WT_FIG_COUNT; i++)
		if (!c->wanted[i])
			return true;
	return c->a_stats[f].count || c->b_stats[f].count || !wt_figure_of_some_runs((enum wt_figure_id) f);
}

static void set_print(FILE *out, const char *letter, const struct wt_run_set *s)
{
	char workload[256];

	wt_identity_label(s->identity, workload, sizeof(workload));
	fprintf(out, "%s: %s: %s on %u %s nodes (%u CPUs), time scale %g, %s clock, %s%s%s%zu run%s", letter, s->path,
		workload, s->nodes, s->backend, s->cpus, s->time_scale, s->clock, s->slurm ? "Slurm " : "",
		s->slurm ? s->slurm : "", s->slurm ? ", " : "", s->count, s->count == 1 ? "" : "s");
	if (s->skipped)
		fprintf(out, " (%zu more did not end well)", s->skipped);
	fputc('\n', out);
}

/* ---- for the terminal: what came about in the same way stands together --------------------------------------------- */

struct kinds { /* of A's figure and of B's */
	enum wt_kind a, b;
};

static bool row_here(const struct wt_comparison *c, size_t f, const struct kinds *kinds)
{
	return c->wanted[f] && figure_shown(c, f) && c->a->kinds[f] == kinds->a && c->b->kinds[f] == kinds->b;
}

static int rows_print(FILE *out, const struct wt_comparison *c, const struct kinds *kinds)
{
	static const char *const heads[] = { "", "A", "B", "", "B - A", "+- (95 %)", "of A", "from", "to" };
	struct wt_table *table = wt_table_create("lrrlrrrrr");
	int rc = table ? 0 : -1;

	for (size_t i = 0; rc == 0 && i < sizeof(heads) / sizeof(heads[0]); i++)
		rc = wt_table_cell(table, "%s", heads[i]);
	for (size_t f = 0; rc == 0 && f < WT_FIG_COUNT; f++)
		if (row_here(c, f, kinds))
			rc = figure_row(table, c, f) < 0 ||
			(wt_figure_long(f, fmax(c->a_stats[f].mean, c->b_stats[f].mean)) &&
							     duration_row(table, c, f) < 0) ? -1 : 0;
	if (rc == 0)
		wt_table_print(table, out, "  ");
	wt_table_destroy(table);
	return rc;
}

/* Figures that are the same in each run share a sentence; of others each has its own, but where no interval is known. */
static int sentences_print(FILE *out, const struct wt_comparison *c, const struct kinds *kinds)
{
	const char *before = "  The same in each run: ";

	for (size_t f = 0; f < WT_FIG_COUNT; f++)
		if (row_here(c, f, kinds) && difference_verdict(&c->difference[f]) == DIFFERENCE_EQUAL) {
			fprintf(out, "%s%s", before, difference_quantity_of((enum wt_figure_id) f).noun);
			before = ", ";
		}
	fputs(*before == ',' ? ".\n" : "", out);
	for (size_t f = 0; f < WT_FIG_COUNT; f++) {
		char *text;

		if (!row_here(c, f, kinds) || difference_verdict(&c->difference[f]) < DIFFERENCE_UNCLEAR)
			continue;
		text = wt_compare_sentence(c, (enum wt_figure_id) f);
		if (!text)
			return -1;
		if (*text)
			fprintf(out, "  %s\n", text);
		free(text);
	}
	return 0;
}

static int kinds_print(FILE *out, const struct wt_comparison *c, const struct kinds *kinds)
{
	static const char *const headings[] = {
		[WT_KIND_REAL] = "Measured on the real clock",
		[WT_KIND_VIRTUAL] = "On the virtual clock",
		[WT_KIND_MODELLED] = "Modelled, not measured",
		[WT_KIND_TOLD] = "Told by another program",
	};
	bool any = false;

	for (size_t f = 0; f < WT_FIG_COUNT; f++)
		any = any || row_here(c, f, kinds);
	if (!any)
		return 0;
	if (kinds->a == kinds->b)
		fprintf(out, "\n%s:\n", headings[kinds->a]);
	else
		fprintf(out, "\nOf two kinds, A %s and B %s:\n", wt_kind_name(kinds->a), wt_kind_name(kinds->b));
	if (rows_print(out, c, kinds) < 0)
		return -1;
	return sentences_print(out, c, kinds);
}

void wt_compare_note_print(FILE *out, size_t comparisons)
{
	if (comparisons > 1)
		fprintf(out, "%zu comparisons at once: what is asserted holds for all of them together (Holm, 5 %%).\n",
			comparisons);
}

int wt_compare_print(FILE *out, const struct wt_comparison *c)
{
	set_print(out, "A", c->a);
	set_print(out, "B", c->b);
	fprintf(out, "%s", c->paired ? "paired by seed" : "not paired (Welch)");
	if (c->paired && c->pairs < (c->a->count > c->b->count ? c->a->count : c->b->count))
		fprintf(out, ": %zu pairs; %zu of A and %zu of B have no counterpart and do not count", c->pairs,
			c->a->count - c->pairs, c->b->count - c->pairs);
	fputc('\n', out);
	release_print(out, c);
	for (int a = WT_KIND_REAL; a <= WT_KIND_TOLD; a++)
		for (int b = WT_KIND_REAL; b <= WT_KIND_TOLD; b++) {
			const struct kinds kinds = { (enum wt_kind) a, (enum wt_kind) b };

			if (kinds_print(out, c, &kinds) < 0)
				return -1;
		}
	if (c->a->count < 2 || c->b->count < 2)
		fputs("\nOne run on a side: whether a difference is more than chance is not known (--repeat makes more).\n",
		      out);
	return 0;
}

/* ---- for programs -------------------------------------------------------------------------------------------------- */

static json_t *set_json(const struct wt_run_set *s)
{
	return json_pack("{s:o, s:s, s:O?, s:O?, s:I, s:I, s:s, s:s, s:s?, s:f, s:I, s:I}", "path", wt_json_text(s->path),
			 "workload", s->workload,
			 "trace", json_object_get(s->identity, "trace"), "sha256", json_object_get(s->identity, "sha256"),
			 "nodes",
			 (json_int_t) s->nodes, "cpus", (json_int_t) s->cpus, "backend", s->backend, "clock", s->clock,
			 "slurm_version", s->slurm,
			 "time_scale", s->time_scale, "runs", (json_int_t) s->count, "skipped", (json_int_t) s->skipped);
}

/* What may be said of it: windtunnel experiment has the same. */
static json_t *words_json(const struct wt_comparison *c, size_t f)
{
	const struct wt_difference *d = &c->difference[f];
	size_t needed = wt_stats_runs_needed(d, c->paired);
	char *text = wt_compare_sentence(c, (enum wt_figure_id) f);
	json_t *json = json_pack("{s:o, s:b, s:o, s:o, s:o}", "sentence", wt_json_text(text), "asserted",
				 (int) wt_compare_asserted(c, (enum wt_figure_id) f), "p",
				 json_number_or_null(wt_stats_p(d)), "p_holm", json_number_or_null(c->p_holm[f]),
				 "runs_needed", needed ? json_integer((json_int_t) needed) : json_null());

	free(text);
	return json;
}

static json_t *difference_json(const struct wt_comparison *c, size_t f)
{
	const struct wt_difference *d = &c->difference[f];
	double base = c->a_stats[f].mean > 0 ? c->a_stats[f].mean : NAN;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:s}", "a",
			 json_number_or_null(c->a_stats[f].mean),
			 "a_sd", json_number_or_null(c->a_stats[f].sd), "b", json_number_or_null(c->b_stats[f].mean),
			 "b_sd", json_number_or_null(c->b_stats[f].sd), "difference", json_number_or_null(d->mean),
			 "difference_ci95", json_number_or_null(d->ci95), "relative", json_number_or_null(d->mean / base),
			 "relative_low", json_number_or_null((d->mean - d->ci95) / base),
			 "relative_high", json_number_or_null((d->mean + d->ci95) / base), "a_kind",
			 wt_kind_name(c->a->kinds[f]),
			 "b_kind", wt_kind_name(c->b->kinds[f]));
}

static json_t *figure_json(const struct wt_comparison *c, size_t f)
{
	json_t *json = difference_json(c, f), *words = words_json(c, f);
	int rc = words ? json_object_update(json, words) : -1;

	json_decref(words);
	if (rc == 0)
		return json;
	json_decref(json);
	return NULL;
}

json_t *wt_compare_json(const struct wt_comparison *c)
{
	json_t *figures = json_object(), *json;

	for (size_t f = 0; f < WT_FIG_COUNT; f++)
		if (c->wanted[f] && json_object_set_new(figures, wt_figure_infos[f].key, figure_json(c, f)) < 0) {
			json_decref(figures);
			errno = ENOMEM;
			return NULL;
		}
	json = json_pack("{s:o, s:o, s:o, s:b, s:I, s:I, s:o}", "a", set_json(c->a), "b", set_json(c->b), "same_workload",
			 c->other_workload ? json_false() : wt_compare_unknown(c) ? json_null() : json_true(), "paired",
			 (int) c->paired, "pairs", (json_int_t) c->pairs, "comparisons", (json_int_t) c->comparisons,
			 "figures", figures);
	if (!json)
		errno = ENOMEM;
	return json;
}
