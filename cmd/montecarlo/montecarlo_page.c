/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cmd/montecarlo/montecarlo_page.h"
#include "harness/page/chart.h"
#include "harness/page/page_frame.h"
#include "harness/page/html.h"

#define TABLE_ROWS 12

static void number_put(FILE *out, double value, int decimals)
{
	char text[HTML_DURATION_SIZE];

	html_number(text, value, decimals);
	fputs(text, out);
}

/* ---- words --------------------------------------------------------------------------------------------------------- */

static double scaled(const struct montecarlo_page *p, double value)
{
	return value * wt_figure_infos[p->figure].scale;
}

static void pair_put(FILE *out, const struct montecarlo_page *p, const char *before, double value, double error)
{
	fputs(before, out);
	number_put(out, scaled(p, value), 2);
	fputs(" \xc2\xb1 ", out);
	number_put(out, scaled(p, error), 2);
	fprintf(out, " %s", wt_figure_infos[p->figure].unit);
}

static void head_put(FILE *out, const struct montecarlo_page *p)
{
	const struct montecarlo_fit *fit = &p->fits[p->count - 1];

	fputs("<header>\n<h1 id=\"mc\">Monte-Carlo simulation: ", out);
	html_name(out, wt_figure_infos[p->figure].label);
	fputs("</h1>\n<p class=\"grey\">", out);
	html_name(out, p->path);
	fprintf(out, " \xc2\xb7 %zu runs \xc2\xb7 ", p->count);
	html_name(out, p->clock);
	fputs(" clock</p>\n<p class=\"lead\">A normal distribution fitted to the runs has ", out);
	pair_put(out, p, "a mean of ", fit->mean, fit->mean_error);
	pair_put(out, p, " and a standard deviation of ", fit->sd, fit->sd_error);
	fputs(" (\xc2\xb1: standard errors of the fit).</p>\n", out);
	if (p->skipped)
		fprintf(out, "<p class=\"warn\">%zu runs failed or have not ended, and are left out.</p>\n", p->skipped);
	fputs("</header>\n", out);
}

static void captures_put(FILE *out, const struct montecarlo_page *p)
{
	static const char *const names[] = { "95 % (2 deviations)", "99 % (3 deviations)" };

	fputs("<section aria-labelledby=\"mc-catch\">\n<h2 id=\"mc-catch\">What does it catch?</h2>\n<div class=\"scroll\" "
	      "tabindex=\"0\" role=\"region\" aria-label=\"Intervals\"><table><thead><tr><th scope=\"col\">interval</th>"
	      "<th scope=\"col\">from</th><th scope=\"col\">to</th><th scope=\"col\">observed runs within</th></tr></thead>"
	      "<tbody>\n",
	      out);
	for (size_t i = 0; i < 2; i++) {
		const struct montecarlo_capture *c = &p->captures[i];

		fprintf(out, "<tr><th scope=\"row\">%s</th><td>", names[i]);
		number_put(out, scaled(p, c->low), 2);
		fputs("</td><td>", out);
		number_put(out, scaled(p, c->high), 2);
		if (c->count)
			fprintf(out, "</td><td>%zu of %zu, %.1f %%</td></tr>\n", c->inside, c->count, 100 * c->rate);
		else
			fputs("</td><td>none were given</td></tr>\n", out);
	}
	fputs("</tbody></table></div>\n", out);
	if (p->observed_path && isfinite(p->level)) {
		fputs("<p>Observed: ", out);
		html_name(out, p->observed_path);
		fputs(", ", out);
		html_name(out, p->observed_clock);
		fprintf(out, " clock; the runs' job times vary by P = %.2f %% (equation 4.3, %zu jobs).</p>\n",
			100 * p->level, p->level_jobs);
	}
	fputs("</section>\n", out);
}

/* ---- charts -------------------------------------------------------------------------------------------------------- */

static int chart_put(FILE *out, const struct montecarlo_page *p, const char *key, const char *title,
		     struct chart_curve *curves, size_t curve_count, double x_from)
{
	struct chart chart = {
		.run_id = "mc",
		.key = key,
		.title = title,
		.kind = wt_kind_name(p->kind),
		.x_key = "runs",
		.y_key = "percent",
		.y_unit = "%",
		.axis = CHART_NUMBER_LOG,
		.x_from = x_from,
		.x_to = (double) p->count,
		.curves = curves,
		.curve_count = curve_count,
		.tall = true,
	};
	int rc = (double) p->count > x_from ? chart_write(out, &chart) : 0;

	for (size_t c = 0; c < curve_count; c++)
		chart_curve_clear(&curves[c]);
	return rc;
}

/* How far the fit of the first N runs is from that of all. */
static int inner_put(FILE *out, const struct montecarlo_page *p)
{
	struct chart_curve mean = { .label = "mean", .key = "mean" }, sd = { .label = "deviation", .key = "sd" };
	const struct montecarlo_fit *last = &p->fits[p->count - 1];

	for (size_t i = 1; i < p->count; i++) { /* one run has no deviation */
		chart_curve_add(&mean, (double) i + 1, 100 * fabs(p->fits[i].mean / last->mean - 1));
		chart_curve_add(&sd, (double) i + 1, 100 * fabs(p->fits[i].sd / last->sd - 1));
	}
	fputs("<section aria-labelledby=\"mc-inner\">\n<h2 id=\"mc-inner\">How many runs are enough?</h2>\n", out);
	if (chart_put(out, p, "inner-mean", "Mean of the first runs: distance from that of all, %, by runs", &mean, 1, 2) <
	    0)
		return -1;
	if (chart_put(out, p, "inner-sd", "Standard deviation of the first runs: distance from that of all, %, by runs", &sd,
		      1, 2) < 0)
		return -1;
	fputs("</section>\n", out);
	return 0;
}

static void between_table(FILE *out, const struct montecarlo_page *p)
{
	size_t step = p->between_count / TABLE_ROWS + 1;

	fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Simulations beside each other\"><table>"
	      "<thead><tr><th scope=\"col\">runs of each</th><th scope=\"col\">mean</th><th scope=\"col\">deviation</th>"
	      "</tr></thead><tbody>\n",
	      out);
	for (size_t i = 0; i < p->between_count; i++) {
		const struct montecarlo_between *b = &p->between[i];

		if (i % step && i + 1 < p->between_count)
			continue;
		fprintf(out, "<tr><th scope=\"row\">%zu</th><td>", b->runs);
		pair_put(out, p, "", b->mean, 3 * b->mean_sd);
		fputs("</td><td>", out);
		pair_put(out, p, "", b->sd, 3 * b->sd_sd);
		fputs("</td></tr>\n", out);
	}
	fprintf(out,
		"</tbody></table></div>\n<p class=\"none\">%d simulations of so many runs each, drawn with replacement from "
		"the %zu that there are; \xc2\xb1 is three standard deviations between them.</p>\n",
		MONTECARLO_SIMULATIONS, p->count);
}

static int between_put(FILE *out, const struct montecarlo_page *p)
{
	struct chart_curve mean[] = { { .label = "between simulations", .key = "between" },
				      { .label = "as a fit tells, median", .key = "fit" } };
	struct chart_curve sd[] = { { .label = "between simulations", .key = "between" },
				    { .label = "as a fit tells, median", .key = "fit" } };

	for (size_t i = 0; i < p->between_count; i++) {
		const struct montecarlo_between *b = &p->between[i];
		double runs = (double) b->runs;

		chart_curve_add(&mean[0], runs, 100 * b->mean_sd / fabs(b->mean));
		chart_curve_add(&mean[1], runs, 100 * b->mean_error / fabs(b->mean));
		chart_curve_add(&sd[0], runs, 100 * b->sd_sd / b->sd);
		chart_curve_add(&sd[1], runs, 100 * b->sd_error / b->sd);
	}
	fputs("<section aria-labelledby=\"mc-between\">\n<h2 id=\"mc-between\">Would another simulation say the same?"
	      "</h2>\n",
	      out);
	between_table(out, p);
	if (chart_put(out, p, "between-mean", "Standard deviation of the mean, % of it, by runs", mean, 2, 10) < 0)
		return -1;
	if (chart_put(out, p, "between-sd", "Standard deviation of the deviation, % of it, by runs", sd, 2, 10) < 0)
		return -1;
	fputs("</section>\n", out);
	return 0;
}

int montecarlo_page_write(FILE *out, const void *arg, struct wt_error *errp)
{
	const struct montecarlo_page *p = arg;
	int rc;

	page_frame_title(out);
	fputs("Monte-Carlo: ", out);
	html_name(out, wt_figure_infos[p->figure].label);
	page_frame_body(out, NULL);
	head_put(out, p);
	captures_put(out, p);
	rc = inner_put(out, p);
	if (rc == 0 && p->between_count)
		rc = between_put(out, p);
	fputs("<p class=\"none\">After L. Bertot, Improving the simulation of IaaS clouds (thesis, Strasbourg 2019), "
	      "sections "
	      "4.3 and 5.2, figures 5.4 to 5.6.</p>\n",
	      out);
	page_frame_scripts(out);
	page_frame_end(out);
	return rc < 0 ? wt_error_errno(errp, errno, "page of %s", p->path) : 0;
}
