/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A figure over the grid of an experiment. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/page/chart.h"
#include "harness/page/experiment_section.h"
#include "harness/page/html.h"

#define SERIES_MAX 5 /* curves that can be told apart */
#define WIDTH      10000
#define HEIGHT     1000
#define LOG_FROM   15 /* an axis of values that differ by this factor is logarithmic */

struct grid_chart {
	const struct wt_cases *cases;
	enum wt_figure_id figure;
	int kind;
	const char *series[SERIES_MAX];
	size_t series_count, left_out;
	double x_from, x_to, y_from, y_to, y_step;
	bool logarithmic;
};

static bool drawn(const struct grid_chart *g, const struct wt_case *c)
{
	return c->series && case_kind(c, g->figure) == g->kind && isfinite(wt_cases_at(c, 0));
}

static void series_find(struct grid_chart *g)
{
	for (size_t i = 0; i < g->cases->count; i++) {
		const struct wt_case *c = &g->cases->items[i];
		bool known = false;

		if (!drawn(g, c))
			continue;
		for (size_t s = 0; s < g->series_count; s++)
			known = known || !strcmp(g->series[s], c->series);
		if (!known && g->series_count < SERIES_MAX)
			g->series[g->series_count++] = c->series;
		else if (!known)
			g->left_out++;
	}
}

static double half_of(const struct wt_case *c, enum wt_figure_id f)
{
	return isfinite(c->stats[f].ci95) ? c->stats[f].ci95 : 0;
}

/* The y axis holds all bands, and begins at 0 unless that would press them into its upper third. */
static void ranges_find(struct grid_chart *g)
{
	double scale = wt_figure_infos[g->figure].scale, low = INFINITY, high = -INFINITY;

	g->x_from = INFINITY;
	g->x_to = -INFINITY;
	for (size_t i = 0; i < g->cases->count; i++) {
		const struct wt_case *c = &g->cases->items[i];

		if (!drawn(g, c))
			continue;
		g->x_from = fmin(g->x_from, wt_cases_at(c, 0));
		g->x_to = fmax(g->x_to, wt_cases_at(c, 0));
		low = fmin(low, scale * (c->stats[g->figure].mean - half_of(c, g->figure)));
		high = fmax(high, scale * (c->stats[g->figure].mean + half_of(c, g->figure)));
	}
	g->logarithmic = g->x_from > 0 && g->x_to / g->x_from >= LOG_FROM;
	if (low >= 0 && low < high * 0.67)
		low = 0;
	g->y_step = chart_nice((high > low ? high - low : fmax(fabs(high), 1)) / 5);
	g->y_from = g->y_step * floor(low / g->y_step * (1 + 1e-9));
	g->y_to = g->y_step * ceil(high / g->y_step * (1 - 1e-9));
	if (!(g->y_to > g->y_from))
		g->y_to = g->y_from + g->y_step;
}

static double x_share(const struct grid_chart *g, double x)
{
	if (g->logarithmic)
		return log(x / g->x_from) / log(g->x_to / g->x_from);
	return (x - g->x_from) / (g->x_to - g->x_from);
}

static int x_of(const struct grid_chart *g, const struct wt_case *c)
{
	return (int) lround(WIDTH * x_share(g, wt_cases_at(c, 0)));
}

static int y_of(const struct grid_chart *g, double y)
{
	return (int) lround(HEIGHT - HEIGHT * (y * wt_figure_infos[g->figure].scale - g->y_from) / (g->y_to - g->y_from));
}

/* ---- curves ------------------------------------------------------------------------------------------------------- */

/* The cases of a series, ordered by the axis.  NULL: no memory. */
static const struct wt_case **points_make(const struct grid_chart *g, size_t series, size_t *count)
{
	const struct wt_case **points = calloc(g->cases->count, sizeof(*points));

	*count = 0;
	for (size_t i = 0; points && i < g->cases->count; i++) {
		const struct wt_case *c = &g->cases->items[i];
		size_t at = *count;

		if (!drawn(g, c) || strcmp(c->series, g->series[series]) != 0)
			continue;
		for (; at > 0 && wt_cases_at(points[at - 1], 0) > wt_cases_at(c, 0); at--)
			points[at] = points[at - 1];
		points[at] = c;
		(*count)++;
	}
	return points;
}

static void band_write(FILE *out, const struct grid_chart *g, const struct wt_case **points, size_t count, size_t series)
{
	fprintf(out, "<path class=\"band b%zu\" d=\"", series);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%c%d %d", i ? 'L' : 'M', x_of(g, points[i]),
			y_of(g, points[i]->stats[g->figure].mean + half_of(points[i], g->figure)));
	for (size_t i = count; i-- > 0;)
		fprintf(out, "L%d %d", x_of(g, points[i]),
			y_of(g, points[i]->stats[g->figure].mean - half_of(points[i], g->figure)));
	fputs("Z\"/>", out);
}

static void curve_write(FILE *out, const struct grid_chart *g, const struct wt_case **points, size_t count, size_t series)
{
	band_write(out, g, points, count, series);
	fprintf(out, "<path class=\"c c%zu\" d=\"", series);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%c%d %d", i ? 'L' : 'M', x_of(g, points[i]), y_of(g, points[i]->stats[g->figure].mean));
	fprintf(out, "\"/><path class=\"points p%zu\" d=\"", series);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "M%d %dh0", x_of(g, points[i]), y_of(g, points[i]->stats[g->figure].mean));
	fputs("\"/>", out);
}

static int curves_write(FILE *out, const struct grid_chart *g)
{
	fprintf(out, "<div class=\"canvas\"><svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" aria-hidden=\"true\">",
		WIDTH, HEIGHT);
	for (double y = g->y_from + g->y_step; y < g->y_to - g->y_step / 2; y += g->y_step)
		fprintf(out, "<path class=\"grid\" d=\"M0 %dH%d\"/>",
			(int) lround(HEIGHT - HEIGHT * (y - g->y_from) / (g->y_to - g->y_from)), WIDTH);
	for (size_t s = 0; s < g->series_count; s++) {
		size_t count;
		const struct wt_case **points = points_make(g, s, &count);

		if (!points)
			return -1;
		curve_write(out, g, points, count, s);
		free(points);
	}
	fputs("</svg></div>", out);
	return 0;
}

/* ---- labels ------------------------------------------------------------------------------------------------------- */

static void y_labels_write(FILE *out, const struct grid_chart *g)
{
	int decimals = (int) fmax(0, ceil(-log10(g->y_step) - 1e-9));
	char text[HTML_DURATION_SIZE];

	fputs("<div class=\"y\" aria-hidden=\"true\">", out);
	for (double y = g->y_from; y < g->y_to + g->y_step / 2; y += g->y_step) {
		html_number(text, y, decimals);
		fprintf(out, "<span style=\"top:%.2f%%\">%s</span>", 100 - 100 * (y - g->y_from) / (g->y_to - g->y_from),
			text);
	}
	fputs("</div>", out);
}

/* Each value that was run, as far as they have room. */
static void x_labels_write(FILE *out, const struct grid_chart *g)
{
	double last = -1;
	size_t count;
	const struct wt_case **points = points_make(g, 0, &count);

	fputs("<div class=\"x\" aria-hidden=\"true\">", out);
	for (size_t i = 0; points && i < count; i++) {
		double share = x_share(g, wt_cases_at(points[i], 0));

		if (last >= 0 && share - last < 0.09)
			continue;
		fprintf(out, "<span%s style=\"left:%.2f%%\">", share > 0.95 ? " class=\"end\"" : "", 100 * share);
		html_name(out, points[i]->at[0]);
		fputs("</span>", out);
		last = share;
	}
	fputs("</div>", out);
	free(points);
}

static void keys_write(FILE *out, const struct grid_chart *g)
{
	fputs("<span class=\"keys\">", out);
	for (size_t s = 0; s < g->series_count && g->series_count > 1; s++) {
		fprintf(out,
			"<span class=\"key\"><svg viewBox=\"0 0 24 10\" aria-hidden=\"true\"><path class=\"c c%zu\" "
			"d=\"M0 5H24\"/></svg>",
			s);
		html_name(out, g->series[s]);
		fputs("</span>", out);
	}
	fputs("</span>", out);
}

static int chart_of_figure(FILE *out, const struct wt_cases *cases, enum wt_figure_id figure, int kind)
{
	const struct wt_figure_info *info = &wt_figure_infos[figure];
	struct grid_chart g = { .cases = cases, .figure = figure, .kind = kind };

	series_find(&g);
	if (!g.series_count)
		return 0;
	ranges_find(&g);
	if (!(g.x_to > g.x_from))
		return 0;
	fprintf(out, "<figure class=\"tall over-grid\" id=\"grid-%s\" aria-labelledby=\"grid-%s-name\"><figcaption>"
		"<span class=\"what\" id=\"grid-%s-name\">%s%s%s by ",
		info->key, info->key, info->key, info->label, *info->unit ? ", " : "", info->unit);
	html_name(out, cases->axes[0]);
	fprintf(out, "%s <span class=\"kind %s\">%s</span></span>", g.logarithmic ? " (logarithmic)" : "",
		wt_kind_name((enum wt_kind) kind), wt_kind_name((enum wt_kind) kind));
	keys_write(out, &g);
	fputs("</figcaption><div class=\"plot\">", out);
	y_labels_write(out, &g);
	if (curves_write(out, &g) < 0)
		return -1;
	x_labels_write(out, &g);
	fputs("</div></figure>\n", out);
	if (g.left_out)
		fprintf(out, "<p class=\"none\">The chart shows the first %d variants; the table above has all.</p>\n",
			SERIES_MAX);
	return 0;
}

/* ---- two axes ----------------------------------------------------------------------------------------------------- */

static const struct wt_case *case_at(const struct wt_cases *cases, const char *series, const char *row, const char *column)
{
	for (size_t i = 0; i < cases->count; i++) {
		const struct wt_case *c = &cases->items[i];

		if (c->series && c->at[0] && c->at[1] && !strcmp(c->series, series) && !strcmp(c->at[0], row) &&
		    !strcmp(c->at[1], column))
			return c;
	}
	return NULL;
}

/* Is this the first case with its series (axis -1), or its value of an axis? */
static bool first_of(const struct wt_cases *cases, size_t index, int axis)
{
	const struct wt_case *c = &cases->items[index];
	const char *own = axis < 0 ? c->series : c->at[axis];

	for (size_t i = 0; own && i < index; i++) {
		const char *other = axis < 0 ? cases->items[i].series : cases->items[i].at[axis];

		if (other && !strcmp(own, other))
			return false;
	}
	return own != NULL;
}

struct heat {
	enum wt_figure_id figure;
	int kind;
	double least, most;
};

static void heat_cell(FILE *out, const struct wt_case *c, const struct heat *heat)
{
	double share;

	if (!c || case_kind(c, heat->figure) != heat->kind) {
		fputs("<td></td>", out);
		return;
	}
	share = heat->most > heat->least ? (c->stats[heat->figure].mean - heat->least) / (heat->most - heat->least) : 0;
	fprintf(out, "<td style=\"--heat:%.0f%%\">", 5 + 50 * share);
	case_mean_write(out, c, heat->figure);
	fputs("</td>", out);
}

static void heat_rows(FILE *out, const struct wt_cases *cases, const char *series, const struct heat *heat)
{
	fputs("<thead><tr><th scope=\"col\">", out);
	html_name(out, cases->axes[0]);
	fputs(" \xe2\x86\x93 ", out);
	html_name(out, cases->axes[1]);
	fputs(" \xe2\x86\x92</th>", out);
	for (size_t i = 0; i < cases->count; i++)
		if (first_of(cases, i, 1)) {
			fputs("<th scope=\"col\">", out);
			html_name(out, cases->items[i].at[1]);
			fputs("</th>", out);
		}
	fputs("</tr></thead>\n<tbody>\n", out);
	for (size_t r = 0; r < cases->count; r++) {
		if (!first_of(cases, r, 0))
			continue;
		fputs("<tr><th scope=\"row\">", out);
		html_name(out, cases->items[r].at[0]);
		fputs("</th>", out);
		for (size_t i = 0; i < cases->count; i++)
			if (first_of(cases, i, 1))
				heat_cell(out, case_at(cases, series, cases->items[r].at[0], cases->items[i].at[1]), heat);
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table></div>\n", out);
}

/* One table for each variant, all on one scale of colours. */
static void heat_maps_write(FILE *out, const struct wt_cases *cases, enum wt_figure_id figure, int kind)
{
	const struct wt_figure_info *info = &wt_figure_infos[figure];
	struct heat heat = { figure, kind, INFINITY, -INFINITY };

	for (size_t i = 0; i < cases->count; i++)
		if (cases->items[i].series && case_kind(&cases->items[i], figure) == kind) {
			heat.least = fmin(heat.least, cases->items[i].stats[figure].mean);
			heat.most = fmax(heat.most, cases->items[i].stats[figure].mean);
		}
	if (heat.least > heat.most)
		return;
	for (size_t v = 0; v < cases->count; v++) {
		if (!first_of(cases, v, -1))
			continue;
		fprintf(out,
			"<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table class=\"heat\" "
			"data-figure=\"%s\"><caption><span>%s%s%s",
			info->label, info->key, info->label, *info->unit ? ", " : "", info->unit);
		if (*cases->items[v].series) {
			fputs(" of ", out);
			html_name(out, cases->items[v].series);
		}
		fprintf(out, " <span class=\"kind %s\">%s</span></span></caption>\n", wt_kind_name((enum wt_kind) kind),
			wt_kind_name((enum wt_kind) kind));
		heat_rows(out, cases, cases->items[v].series, &heat);
	}
}

static int figures_write(FILE *out, const struct wt_cases *cases)
{
	for (size_t f = 0; f < cases->figure_count; f++)
		for (int kind = WT_KIND_REAL; kind <= WT_KIND_MODELLED; kind++) {
			if (cases->axis_count == 2)
				heat_maps_write(out, cases, cases->figures[f], kind);
			else if (chart_of_figure(out, cases, cases->figures[f], kind) < 0)
				return -1;
		}
	return 0;
}

/* A curve is drawn over numbers only: an axis of words, as "site" and "YES", has no figure, and no section. */
int grid_charts_write(FILE *out, const struct wt_cases *cases)
{
	char *text = NULL;
	size_t len = 0;
	FILE *figures;
	int rc;

	if (cases->axis_count != 1 && cases->axis_count != 2)
		return 0;
	figures = open_memstream(&text, &len);
	if (!figures)
		return -1;
	rc = figures_write(figures, cases);
	if (fclose(figures) != 0)
		rc = -1;
	if (rc == 0 && len) {
		fputs("<h2 id=\"experiment-grid\">How do the figures go over the grid?</h2>\n", out);
		fputs(cases->axis_count == 1 ? "<div class=\"pair\">\n" : "", out);
		fwrite(text, 1, len, out);
		fputs(cases->axis_count == 1
			      ? "</div>\n<p class=\"none\">Bands are 95 % intervals of the means; without a band there "
				"was one run.</p>\n"
			      : "<p class=\"none\">The stronger the colour, the higher the value.</p>\n",
		      out);
	}
	free(text);
	return rc;
}
