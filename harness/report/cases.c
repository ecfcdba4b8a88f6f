/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/cases.h"
#include "lib/str.h"

static int first_find(struct wt_cases *r, const char *against, struct wt_error *errp)
{
	for (r->first = 0; r->first < r->count; r->first++)
		if (against ? !strcmp(r->items[r->first].name, against) : r->items[r->first].set.count > 0)
			return !against || r->items[r->first].set.count
				       ? 0
				       : wt_error_set(errp, EINVAL, "no run of the case '%s' has ended well", against);
	return against ? wt_error_set(errp, EINVAL, "there is no case '%s'; 'windtunnel experiment list' names them",
				      against)
		       : 0;
}

static int stats_fill(struct wt_case *c)
{
	double *values = calloc(c->set.count ? c->set.count : 1, sizeof(*values));

	for (size_t f = 0; values && f < WT_FIG_COUNT; f++) {
		if (c->set.count)
			wt_run_set_figure(&c->set, (enum wt_figure_id) f, values);
		wt_stats_compute(&c->stats[f], values, c->set.count);
	}
	free(values);
	return values ? 0 : -1;
}

/* Does 'c' lie where 'other' does, in another variant? */
static bool same_place(const struct wt_cases *r, const struct wt_case *c, const struct wt_case *other)
{
	if (!c->series || !other->series || !strcmp(c->series, other->series))
		return false;
	for (size_t a = 0; a < r->axis_count; a++)
		if (!c->at[a] || !other->at[a] || strcmp(c->at[a], other->at[a]) != 0)
			return false;
	return true;
}

/* The first variant at the same place of the grid. In a grid a variant is compared with the first one at the same
 * place: with 64 nodes against 64, not against the smallest grid point, also where the one with 64 has no runs (yet). */
static size_t base_find(const struct wt_cases *r, size_t c)
{
	const char *series = r->first < r->count ? r->items[r->first].series : NULL;

	for (size_t i = 0; series && r->axis_count && i < r->count; i++)
		if (r->items[i].series && !strcmp(r->items[i].series, series) &&
		    same_place(r, &r->items[c], &r->items[i]))
			return i;
	return r->first;
}

/* Only the figures that the experiment is about: cases may differ in the kinds of others (clocks, back ends). */
static void pairs_compare(struct wt_cases *r, bool by_place)
{
	/* While an experiment is under way, or where a run failed, cases have not all seeds in common. */
	struct wt_compare_options options = { .few_pairs = true };

	for (size_t f = 0; f < r->figure_count; f++)
		options.only[r->figures[f]] = true;
	for (size_t c = 0; c < r->count; c++) {
		struct wt_case *one = &r->items[c];

		one->compared = false;
		*one->refused.text = '\0';
		one->base = by_place ? base_find(r, c) : r->first;
		if (c == r->first || r->first >= r->count || !one->set.count)
			continue;
		if (!r->items[one->base].set.count)
			wt_error_set(&one->refused, ENOENT, "no run of %s has ended well", r->items[one->base].name);
		else
			one->compared = wt_compare(&one->with_first, &r->items[one->base].set, &one->set, &options,
						   &one->refused) == 0;
		one->with_first.a_name = r->items[one->base].name;
		one->with_first.b_name = one->name;
	}
}

/* All differences of the experiment's figures are looked at at once. */
static int holm_correct(struct wt_cases *r)
{
	struct wt_comparison **all = calloc(r->count + 1, sizeof(struct wt_comparison *));
	int rc;

	if (!all)
		return -1;
	for (size_t c = 0; c < r->count; c++)
		all[c] = r->items[c].compared ? &r->items[c].with_first : NULL;
	rc = wt_compare_correct(all, r->count);
	r->comparisons = 0;
	for (size_t c = 0; c < r->count; c++)
		if (all[c])
			r->comparisons = all[c]->comparisons;
	free(all);
	return rc;
}

int wt_cases_compare(struct wt_cases *cases, const char *against, struct wt_error *errp)
{
	if (first_find(cases, against, errp) < 0)
		return -1;
	for (size_t c = 0; c < cases->count; c++)
		if (stats_fill(&cases->items[c]) < 0)
			return wt_error_errno(errp, ENOMEM, "comparison");
	pairs_compare(cases, !against);
	return holm_correct(cases) < 0 ? wt_error_errno(errp, ENOMEM, "comparison") : 0;
}

void wt_cases_clear(struct wt_cases *cases)
{
	int saved = errno;

	for (size_t c = 0; c < cases->count; c++) {
		struct wt_case *one = &cases->items[c];

		wt_run_set_clear(&one->set);
		wt_class_waits_clear(&one->waits);
		for (size_t a = 0; a < CASES_AXES_MAX; a++)
			free(one->at[a]);
		free(one->name);
		free(one->series);
		free(one->path);
		free(one->options);
	}
	for (size_t a = 0; a < CASES_AXES_MAX; a++)
		free(cases->axes[a]);
	free(cases->items);
	free(cases->figures);
	free(cases->title);
	memset(cases, 0, sizeof(*cases));
	errno = saved;
}

bool wt_cases_clear_difference(const struct wt_cases *cases, size_t index, enum wt_figure_id figure)
{
	const struct wt_case *c = &cases->items[index];

	return c->compared && wt_compare_asserted(&c->with_first, figure);
}

static bool case_same(const struct wt_cases *cases, const struct wt_case *c, bool *measured)
{
	for (size_t f = 0; f < cases->figure_count; f++) {
		const struct wt_difference *d = &c->with_first.difference[cases->figures[f]];

		/* No difference is known where one case has the figure and the other has not: that is none of sameness. */
		if (isnan(d->mean) && (c->with_first.a_stats[cases->figures[f]].count || c->stats[cases->figures[f]].count))
			return false;
		if (isnan(d->mean))
			continue;
		*measured = true;
		if (d->mean != 0 || d->ci95 > 0)
			return false;
	}
	return true;
}

bool wt_cases_all_same(const struct wt_cases *cases)
{
	bool measured = false;

	for (size_t i = 0; i < cases->count; i++)
		if (i != cases->first && (!cases->items[i].compared || !case_same(cases, &cases->items[i], &measured)))
			return false;
	return measured;
}

char *wt_cases_sentence(const struct wt_cases *cases, size_t index, enum wt_figure_id figure)
{
	const struct wt_case *c = &cases->items[index];

	return c->compared ? wt_compare_sentence(&c->with_first, figure) : strdup("");
}

char *wt_cases_releases(const struct wt_cases *cases)
{
	struct wt_str text = { 0 };
	const char *first = NULL;
	bool differ = false;

	for (size_t c = 0; c < cases->count; c++) {
		const char *slurm = cases->items[c].set.slurm;

		if (!cases->items[c].set.count)
			continue;
		slurm = slurm ? slurm : "unknown";
		wt_str_printf(&text, "%s%s %s", first ? ", " : "Releases of Slurm: ", cases->items[c].name, slurm);
		differ = differ || (first && strcmp(first, slurm));
		first = slurm;
	}
	wt_str_add(&text, ".");
	if (differ)
		return wt_str_take(&text);
	wt_str_clear(&text);
	return strdup("");
}

double wt_cases_at(const struct wt_case *c, size_t axis)
{
	char *end = NULL;
	double value = c->at[axis] ? strtod(c->at[axis], &end) : NAN;

	return end && end != c->at[axis] && !*end && isfinite(value) ? value : NAN;
}
