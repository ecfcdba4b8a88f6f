/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/page/experiment_section.h"
#include "harness/page/html.h"
#include "harness/page/section.h"
#include "harness/page/side.h"
#include "harness/report/difference_words.h"

#define LEAD_MAX     2 /* sentences in large letters */
#define OTHERS_SHORT 6 /* more sentences that assert nothing are behind a click */

/* ---- words -------------------------------------------------------------------------------------------------------- */

static int sentence_write(FILE *out, const struct wt_cases *cases, size_t c, enum wt_figure_id f, const char *before,
			  const char *behind)
{
	char *text = wt_cases_sentence(cases, c, f);

	if (!text)
		return -1;
	if (*text) {
		fprintf(out, "%s<span data-figure=\"%s\">", before, wt_figure_infos[f].key);
		html_text(out, text);
		fprintf(out, "</span>%s", behind);
	}
	free(text);
	return 0;
}

/* What is asserted of the foremost figures, or that nothing is. */
static int lead_write(FILE *out, const struct wt_cases *cases)
{
	size_t told = 0;

	fputs("<p class=\"lead\">", out);
	/* The figures stand in the order of the experiment's file, which names the foremost first. */
	for (size_t f = 0; f < cases->figure_count; f++)
		for (size_t c = 0; c < cases->count && told < LEAD_MAX; c++)
			if (wt_cases_clear_difference(cases, c, cases->figures[f])) {
				told++;
				if (sentence_write(out, cases, c, cases->figures[f], "", " ") < 0)
					return -1;
			}
	if (!told)
		fputs(wt_cases_all_same(cases)
			      ? "All cases gave the same: each run of each case has exactly the figures of its counterpart."
		      : cases->comparisons
			      ? "No difference between the cases can be asserted."
			      : "Whether the cases differ by more than chance is not known: that takes two runs of "
				"each at least.",
		      out);
	fputs("</p>\n", out);
	return 0;
}

static void axes_write(FILE *out, const struct wt_cases *cases)
{
	for (size_t i = 0; i < cases->axis_count; i++) {
		fputs(i == 0 ? " over " : i + 1 < cases->axis_count ? ", " : " and ", out);
		html_name(out, cases->axes[i]);
	}
}

static void basis_write(FILE *out, const struct wt_cases *cases)
{
	const struct wt_case *first = &cases->items[cases->first];
	char *releases = wt_cases_releases(cases);
	size_t runs = 0, failed = 0;

	for (size_t c = 0; c < cases->count; c++) {
		runs += cases->items[c].set.count;
		failed += cases->items[c].failed;
	}
	fprintf(out, "<p class=\"grey\">%zu cases", cases->count);
	axes_write(out, cases);
	fprintf(out, ", %zu runs", runs);
	if (failed)
		fprintf(out, ", and %zu that did not end well", failed);
	fputs(". Each case is compared with ", out);
	html_name(out, first->name);
	if (cases->axis_count && first->series && *first->series)
		fputs(", or, if it is of another variant, with that variant at its own place of the grid", out);
	fputs("; runs of the same seed are compared in pairs.", out);
	if (cases->comparisons > 1)
		fprintf(out,
			" %zu differences are looked at at once: one is asserted where it holds for all of them together "
			"(Holm's correction, 5 %%).",
			cases->comparisons);
	fputs(" Intervals are 95 % intervals.", out);
	if (releases && *releases) {
		fputc(' ', out);
		html_text(out, releases);
	}
	free(releases);
	fputs("</p>\n", out);
}

/* All sentences that assert a difference, or all others. */
static int sentences_of(FILE *out, const struct wt_cases *cases, bool asserted)
{
	fputs("<ul class=\"sentences\">\n", out);
	for (size_t f = 0; f < cases->figure_count; f++)
		for (size_t c = 0; c < cases->count; c++)
			if (wt_cases_clear_difference(cases, c, cases->figures[f]) == asserted &&
			    sentence_write(out, cases, c, cases->figures[f], "<li>", "</li>\n") < 0)
				return -1;
	fputs("</ul>\n", out);
	return 0;
}

static size_t asserted_count(const struct wt_cases *cases)
{
	size_t count = 0;

	for (size_t f = 0; f < cases->figure_count; f++)
		for (size_t c = 0; c < cases->count; c++)
			count += wt_cases_clear_difference(cases, c, cases->figures[f]);
	return count;
}

/* What is asserted first; what is not is behind a click where that is much. */
static int sentences_write(FILE *out, const struct wt_cases *cases)
{
	size_t asserted = asserted_count(cases), others = 0;

	/* A figure that one of the two does not have has no sentence. */
	for (size_t f = 0; f < cases->figure_count; f++)
		for (size_t c = 0; c < cases->count; c++)
			others += cases->items[c].compared &&
				  difference_verdict(&cases->items[c].with_first.difference[cases->figures[f]]) !=
					  DIFFERENCE_UNKNOWN;
	others -= asserted;
	if (asserted && sentences_of(out, cases, true) < 0)
		return -1;
	if (others > OTHERS_SHORT)
		fprintf(out,
			"<details><summary>%zu differences that cannot be asserted, and how many runs would "
			"tell</summary>\n",
			others);
	if (others && sentences_of(out, cases, false) < 0)
		return -1;
	fputs(others > OTHERS_SHORT ? "</details>\n" : "", out);
	return 0;
}

/* ---- tables ------------------------------------------------------------------------------------------------------- */

static bool kind_occurs(const struct wt_cases *cases, enum wt_figure_id figure, int kind)
{
	for (size_t c = 0; c < cases->count; c++)
		if (case_kind(&cases->items[c], figure) == kind)
			return true;
	return false;
}

/* Real, virtual and modelled figures never share a column. */
static void overview_heads(FILE *out, const struct wt_cases *cases)
{
	fputs("<thead><tr><th scope=\"col\">case</th><th scope=\"col\">runs</th>", out);
	for (size_t f = 0; f < cases->figure_count; f++)
		for (int kind = WT_KIND_REAL; kind <= WT_KIND_MODELLED; kind++) {
			const struct wt_figure_info *info = &wt_figure_infos[cases->figures[f]];
			const char *name = wt_kind_name((enum wt_kind) kind);

			if (kind_occurs(cases, cases->figures[f], kind))
				fprintf(out, "<th scope=\"col\">%s%s%s <span class=\"kind %s\">%s</span></th>", info->label,
					*info->unit ? ", " : "", info->unit, name, name);
		}
	fputs("</tr></thead>\n", out);
}

static void overview_row(FILE *out, const struct wt_cases *cases, size_t index)
{
	const struct wt_case *c = &cases->items[index];

	fputs("<tr><th scope=\"row\">", out);
	html_name(out, c->name);
	fprintf(out, "</th><td>%zu</td>", c->set.count);
	for (size_t f = 0; f < cases->figure_count; f++)
		for (int kind = WT_KIND_REAL; kind <= WT_KIND_MODELLED; kind++) {
			enum wt_figure_id figure = cases->figures[f];

			if (!kind_occurs(cases, figure, kind))
				continue;
			fputs(wt_cases_clear_difference(cases, index, figure) ? "<td class=\"asserted\">" : "<td>", out);
			if (case_kind(c, figure) == kind)
				case_mean_write(out, c, figure);
			fputs("</td>", out);
		}
	fputs("</tr>\n", out);
}

static void overview_write(FILE *out, const struct wt_cases *cases)
{
	fputs("<h2 id=\"experiment-cases\">What did each case give?</h2>\n<div class=\"scroll\" tabindex=\"0\" "
	      "role=\"region\" "
	      "aria-label=\"Cases\"><table class=\"cases\"><caption><span>Means of the runs, with half the width of their "
	      "95 % interval; in bold where a difference is asserted</span></caption>\n",
	      out);
	overview_heads(out, cases);
	fputs("<tbody>\n", out);
	for (size_t c = 0; c < cases->count; c++)
		overview_row(out, cases, c);
	fputs("</tbody></table></div>\n", out);
}

static struct difference_amount amount_of(const struct wt_case *c, enum wt_figure_id f)
{
	const struct difference_quantity quantity = difference_quantity_of(f);

	return difference_amount(&quantity, &c->with_first.difference[f], c->with_first.a_stats[f].mean);
}

/* One scale for a table, up to 100. */
static double reach_of(const struct wt_cases *cases, enum wt_figure_id f)
{
	double reach = 1;

	for (size_t c = 0; c < cases->count; c++) {
		struct difference_amount amount = { .mean = NAN };

		if (cases->items[c].compared)
			amount = amount_of(&cases->items[c], f);
		if (isfinite(amount.mean))
			reach = fmax(reach, fmax(fabs(amount.mean), fmax(fabs(amount.low), fabs(amount.high))));
	}
	return fmin(reach, 100);
}

static void difference_row(FILE *out, const struct wt_cases *cases, size_t index, enum wt_figure_id f, double reach)
{
	const struct wt_case *c = &cases->items[index];
	struct difference_amount amount = amount_of(c, f);
	enum difference_verdict verdict = difference_verdict(&c->with_first.difference[f]);

	if (verdict == DIFFERENCE_CLEAR && !wt_cases_clear_difference(cases, index, f))
		verdict = DIFFERENCE_UNCLEAR;
	fputs("<tr><th scope=\"row\">", out);
	html_name(out, c->name);
	fputs(" <small>beside ", out);
	html_name(out, cases->items[c->base].name);
	fputs("</small></th>", out);
	side_amount_cells(out, verdict, &amount, reach);
	fputs("</tr>\n", out);
}

/* "%", "points", or where there is nothing to be a share of the figure's own. */
static const char *unit_of(const struct wt_cases *cases, enum wt_figure_id f)
{
	for (size_t c = 0; c < cases->count; c++)
		if (cases->items[c].compared && isfinite(cases->items[c].with_first.difference[f].mean))
			return amount_of(&cases->items[c], f).unit;
	return "";
}

static void differences_table(FILE *out, const struct wt_cases *cases, enum wt_figure_id f)
{
	const struct wt_figure_info *info = &wt_figure_infos[f];
	double reach = reach_of(cases, f);

	fprintf(out,
		"<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table class=\"differences\" "
		"data-figure=\"%s\"><caption><span>%s: differences",
		info->label, info->key, info->label);
	fprintf(out,
		"; pictures from \xe2\x88\x92%.3g to %.3g %s, an arrow goes on beyond</span></caption>\n"
		"<thead><tr><th scope=\"col\">case</th>"
		"<th scope=\"col\">"
		"difference</th><th scope=\"col\">less | more</th><th scope=\"col\">95 %% interval</th>"
		"<th scope=\"col\"></th>"
		"</tr></thead>\n<tbody>\n",
		reach, reach, unit_of(cases, f));
	for (size_t c = 0; c < cases->count; c++)
		if (cases->items[c].compared && isfinite(cases->items[c].with_first.difference[f].mean))
			difference_row(out, cases, c, f, reach);
	fputs("</tbody></table></div>\n", out);
}

/* A table in which all cases are equal is behind a click: it says no more than its summary. */
static void differences_write(FILE *out, const struct wt_cases *cases, enum wt_figure_id f)
{
	size_t rows = 0, equal = 0;

	for (size_t c = 0; c < cases->count; c++) {
		const struct wt_difference *d = &cases->items[c].with_first.difference[f];

		if (!cases->items[c].compared || !isfinite(d->mean))
			continue;
		rows++;
		equal += difference_verdict(d) == DIFFERENCE_EQUAL;
	}
	if (!rows)
		return;
	if (equal == rows)
		fprintf(out, "<details><summary>%s: equal in all cases, run by run</summary>\n", wt_figure_infos[f].label);
	differences_table(out, cases, f);
	fputs(equal == rows ? "</details>\n" : "", out);
}

static void refusals_write(FILE *out, const struct wt_cases *cases)
{
	for (size_t c = 0; c < cases->count; c++) {
		const struct wt_case *one = &cases->items[c];

		if (!*one->refused.text)
			continue;
		fputs("<p class=\"warn\">", out);
		html_name(out, one->name);
		fputs(" is not compared: ", out);
		html_text(out, one->refused.text);
		fputs("</p>\n", out);
	}
}

static int measured_write(FILE *out, const struct wt_cases *cases)
{
	if (cases->count > 1 && lead_write(out, cases) < 0)
		return -1;
	basis_write(out, cases);
	if (sentences_write(out, cases) < 0)
		return -1;
	overview_write(out, cases);
	if (grid_charts_write(out, cases) < 0)
		return -1;
	if (cases->count < 2)
		return 0;
	fputs("<h2 id=\"experiment-differences\">How sure are the differences?</h2>\n", out);
	refusals_write(out, cases);
	for (size_t f = 0; f < cases->figure_count; f++)
		differences_write(out, cases, cases->figures[f]);
	class_sections_write(out, cases);
	return 0;
}

int experiment_section_write(const struct section *first, bool linked, const struct wt_cases *cases)
{
	FILE *out = first->out;
	int rc = 0;

	fputs("<section class=\"run experiment\" aria-labelledby=\"experiment\">\n<h1 id=\"experiment\">", out);
	html_text(out, *cases->title ? cases->title : "Experiment");
	fputs("</h1>\n", out);
	what_sentences_write(first, cases->count > 1 ? " in the first case" : "", linked);
	if (cases->first < cases->count)
		rc = measured_write(out, cases);
	else
		fputs("<p class=\"warn\">No run has ended well.</p>\n", out);
	fputs("</section>\n", out);
	return rc;
}
