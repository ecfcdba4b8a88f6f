/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "harness/page/html.h"
#include "harness/page/side.h"
#include "harness/report/difference_words.h"

#define HALF 100	/* of a picture of an interval: from 0 in its middle to its end */

static void mean_cell(FILE *out, const char *key, enum wt_figure_id f, const struct wt_stats *stats)
{
	const struct wt_figure_info *info = &wt_figure_infos[f];
	char unit[32];

	snprintf(unit, sizeof(unit), " %s", info->unit);
	fputs("<td>", out);
	if (wt_figure_long(f, stats->mean))
		duration_write(out, key, stats->mean);
	else if (isfinite(stats->mean))
		digits_write(out, key, stats->mean, info->scale, unit);
	fputs("</td>", out);
}

/* "+0.4 %" */
static void amount_write(FILE *out, const char *key, const struct difference_amount *amount, double value, const char *unit)
{
	char text[HTML_DURATION_SIZE];

	html_number(text, fabs(value), amount->decimals);
	fprintf(out, "<data value=\"%.17g\" data-key=\"%s\">%s%s%s%s</data>", value, key,
		strspn(text, "0.") == strlen(text) ? "" : value < 0 ? "\xe2\x88\x92" : "+", text, *unit ? " " : "", unit);
}

static int place(double value, double reach)
{
	return (int) lround(HALF + HALF * fmin(fmax(value / reach, -1), 1));
}

/* Where an interval ends, or, as the head of an arrow, that it goes on beyond the picture. */
static void end_write(FILE *out, double value, double reach)
{
	if (fabs(value) <= reach)
		fprintf(out, "M%d 4V12", place(value, reach));
	else
		fputs(value < 0 ? "M7 3L1 8L7 13" : "M193 3L199 8L193 13", out);
}

/* The interval as a line, the difference on it, and 0 in the middle of all. */
static void picture_cell(FILE *out, const struct difference_amount *amount, double reach)
{
	bool beyond = fabs(amount->mean) > reach;

	fputs("<td class=\"whisker\"><svg viewBox=\"0 0 200 16\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
	      "<path class=\"zero\" d=\"M100 0V16\"/>",
	      out);
	if (isfinite(amount->low)) {
		fprintf(out, "<path class=\"interval\" d=\"M%d 8H%d", place(amount->low, reach), place(amount->high, reach));
		end_write(out, amount->low, reach);
		end_write(out, amount->high, reach);
		fputs("\"/>", out);
	} else if (beyond) {
		fprintf(out, "<path class=\"interval\" d=\"M100 8H%d", place(amount->mean, reach));
		end_write(out, amount->mean, reach);
		fputs("\"/>", out);
	}
	/* A difference beyond has no place in the picture. */
	if (!beyond)
		fprintf(out, "<path class=\"mean\" d=\"M%d 3V13\"/>", place(amount->mean, reach));
	fputs("</svg></td>", out);
}

static const char *verdict_name(enum difference_verdict verdict)
{
	static const char *const names[] = {
		[DIFFERENCE_UNKNOWN] = "not measured", [DIFFERENCE_EQUAL] = "equal",
		[DIFFERENCE_NO_INTERVAL] = "no interval",
		[DIFFERENCE_UNCLEAR] = "not clear", [DIFFERENCE_CLEAR] = "<b>clear</b>",
	};

	return names[verdict];
}

static struct difference_amount amount_of(const struct wt_comparison *c, size_t f)
{
	const struct difference_quantity quantity = difference_quantity_of((enum wt_figure_id) f);

	return difference_amount(&quantity, &c->difference[f], c->a_stats[f].mean);
}

static void interval_cell(FILE *out, const struct difference_amount *amount)
{
	fputs("<td>", out);
	if (isfinite(amount->low)) {
		amount_write(out, "low", amount, amount->low, "");
		fputs(" to ", out);
		amount_write(out, "high", amount, amount->high, "");
	}
	fputs("</td>", out);
}

void side_amount_cells(FILE *out, enum difference_verdict verdict, const struct difference_amount *amount, double reach)
{
	fputs(verdict == DIFFERENCE_CLEAR ? "<td><b>" : "<td>", out);
	amount_write(out, "mean", amount, amount->mean, amount->unit);
	fputs(verdict == DIFFERENCE_CLEAR ? "</b></td>" : "</td>", out);
	picture_cell(out, amount, reach);
	interval_cell(out, amount);
	fprintf(out, "<td class=\"unit\">%s</td>", verdict_name(verdict));
}

static void difference_row(FILE *out, const struct wt_comparison *c, size_t f, double reach)
{
	const struct wt_figure_info *info = &wt_figure_infos[f];
	struct difference_amount amount = amount_of(c, f);

	fprintf(out, "<tr data-figure=\"%s\"><th scope=\"row\">%s <span class=\"kind %s\">%s</span></th>", info->key,
		info->label, wt_kind_name(c->a->kinds[f]), wt_kind_name(c->a->kinds[f]));
	side_amount_cells(out, difference_verdict(&c->difference[f]), &amount, reach);
	mean_cell(out, "a", (enum wt_figure_id) f, &c->a_stats[f]);
	mean_cell(out, "b", (enum wt_figure_id) f, &c->b_stats[f]);
	fputs("</tr>\n", out);
}

/* One scale for all rows: of the largest difference and interval end up to 100 %; what lies beyond ends at the border. */
static double reach_of(const struct wt_comparison *c)
{
	double reach = 1;

	for (size_t f = 0; f < WT_FIG_COUNT; f++) {
		struct difference_amount amount = amount_of(c, f);

		/* Unclear ones have the widest intervals: with them all clear ones would be dots. */
		if (isfinite(amount.mean) && difference_verdict(&c->difference[f]) != DIFFERENCE_UNCLEAR)
			reach = fmax(reach, fmax(fabs(amount.mean), fmax(fabs(amount.low), fabs(amount.high))));
	}
	return fmin(reach, 100);
}

void side_differences_write(const struct side *side, const struct side_variant *b)
{
	const char *const columns[] = { "figure", "difference", "less | more", "95 % interval", "", "A", b->letter, NULL };
	double reach = reach_of(&b->comparison);
	FILE *out = side->section.out;
	char attributes[64];

	fprintf(out, "<h2 id=\"side-%s-figures\">Which figures differ?</h2>\n", b->letter);
	snprintf(attributes, sizeof(attributes), "class=\"differences\" data-of=\"%s\"", b->letter);
	table_begin(&side->section, attributes,
		    "Means, their difference in percent of A's, and its 95 % interval", columns);
	for (size_t f = 0; f < WT_FIG_COUNT; f++)
		if (isfinite(b->comparison.difference[f].mean))
			difference_row(out, &b->comparison, f, reach);
	table_end(&side->section);
	fprintf(out,
		"<p class=\"none\">The pictures reach from \xe2\x88\x92%.3g to %.3g %%; what goes on beyond has the head of "
		"an arrow there. Of figures that are percent themselves the difference is in points. It is clear where 0 "
		"lies outside the interval; each interval stands for itself: among so many figures one or two differ "
		"clearly by chance alone.</p>\n",
		reach, reach);
}

static void repeats_row(FILE *out, const struct side_variant *a, size_t f)
{
	const struct wt_figure_info *info = &wt_figure_infos[f];
	const struct wt_stats *s = &a->stats[f];
	const double values[] = { s->sd, s->mean - s->ci95, s->mean + s->ci95, s->min, s->max };
	static const char *const keys[] = { "sd", "low", "high", "min", "max" };
	const char *kind = wt_kind_name(a->set.kinds[f]);

	fprintf(out, "<tr data-figure=\"%s\"><th scope=\"row\">%s <span class=\"kind %s\">%s</span></th>", info->key,
		info->label, kind, kind);
	fputs("<td>", out);
	digits_write(out, "mean", s->mean, info->scale, "");
	fputs("</td>", out);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		fputs("<td>", out);
		if (isfinite(values[i]))
			digits_write(out, keys[i], values[i], info->scale, "");
		fputs("</td>", out);
	}
	fprintf(out, "<td class=\"unit\">%s</td></tr>\n", info->unit);
}

static void spread_write(FILE *out, enum wt_figure_id f, const struct wt_stats *s)
{
	const double values[] = { s->mean, s->mean - s->ci95, s->mean + s->ci95 };

	for (size_t i = 0; i < (isfinite(s->ci95) ? 3 : 1); i++) {
		fputs(i == 0 ? "" : i == 1 ? " (" : " to ", out);
		if (f == WT_FIG_UTILIZATION)
			number_write(out, NULL, values[i], 100, 1, " %");
		else
			duration_write(out, NULL, values[i]);
	}
	fputs(isfinite(s->ci95) ? ")" : "", out);
}

void side_repeats_write(const struct side *side, const struct side_variant *a)
{
	static const char *const columns[] = { "figure", "mean", "standard deviation", "95 % interval from", "to", "least",
					       "most", "", NULL };
	FILE *out = side->section.out;

	fputs("<p class=\"lead\">On average the workload took ", out);
	spread_write(out, WT_FIG_MAKESPAN, &a->stats[WT_FIG_MAKESPAN]);
	fputs(", the cluster was ", out);
	spread_write(out, WT_FIG_UTILIZATION, &a->stats[WT_FIG_UTILIZATION]);
	fputs(" busy, and jobs waited ", out);
	spread_write(out, WT_FIG_WAIT_MEAN, &a->stats[WT_FIG_WAIT_MEAN]);
	fprintf(out, ".</p>\n<p class=\"grey\">Means of %zu runs, and their 95 %% intervals (Student's t).", a->set.count);
	if (a->set.skipped)
		fprintf(out, " %zu more did not end well.", a->set.skipped);
	fputs("</p>\n<h2 id=\"side-repeats\">How much do the runs differ?</h2>\n", out);
	table_begin(&side->section, "class=\"repeats\"", "Figures over all runs", columns);
	for (size_t f = 0; f < WT_FIG_COUNT; f++)
		if (isfinite(a->stats[f].mean))
			repeats_row(out, a, f);
	table_end(&side->section);
}
