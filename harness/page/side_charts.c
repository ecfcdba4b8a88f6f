/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One curve for each variant.  Over time: means over its runs, each part of the axis the mean over that part; a run that has
 * ended counts as 0.  Distributions are of the jobs of all its runs. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/page/chart.h"
#include "harness/page/job_values.h"
#include "harness/page/side.h"

#define PARTS 240	/* of the time axis, about */

struct bins {
	double *values;		/* integrals */
	size_t count;
	double width_s;
};

/* What a run adds to the integrals; 'unit': what 1 of a value counts. Integrals, not samples: a short peak counts by
 * its length, wherever the bounds of a part lie. */
static void bins_add(struct bins *bins, const struct page_run *run, const struct sweep *sweep, sweep_delta delta,
		     double unit)
{
	double value = 0, at_s = 0;

	for (size_t i = 0; i < sweep->count; i++) {
		double to_s = sweep->events[i].time_s;

		while (at_s < to_s) {
			size_t bin = (size_t) (at_s / bins->width_s);
			double end_s = fmin(to_s, (double) (bin + 1) * bins->width_s);

			if (end_s <= at_s)	/* rounding: the moment belongs to the next one */
				end_s = fmin(to_s, (double) (bin + 2) * bins->width_s);
			if (bin < bins->count)
				bins->values[bin] += value * unit * (end_s - at_s);
			at_s = end_s;
		}
		value += delta(&run->jobs[sweep->events[i].job], sweep->events[i].kind);
	}
}

/* How many jobs start. */
static void starts_add(struct bins *bins, const struct sweep *sweep, double unit)
{
	for (size_t i = 0; i < sweep->count; i++) {
		size_t bin = (size_t) (sweep->events[i].time_s / bins->width_s);

		if (sweep->events[i].kind == SWEEP_START && bin < bins->count)
			bins->values[bin] += unit;
	}
}

enum over_time { OVER_BUSY, OVER_WAITING, OVER_STARTS };

static int run_add(struct bins *bins, const struct page_run *run, enum over_time what, double share)
{
	struct wt_error error;
	struct sweep sweep;

	if (sweep_make(&sweep, run, &error) < 0)
		return -1;
	if (what == OVER_BUSY && run->record->cpus)
		bins_add(bins, run, &sweep, sweep_busy, 100 * share / run->record->cpus);
	else if (what == OVER_WAITING)
		bins_add(bins, run, &sweep, sweep_waiting, share);
	else if (what == OVER_STARTS)
		starts_add(bins, &sweep, share);
	sweep_clear(&sweep);
	return 0;
}

static size_t runs_counted(const struct side *side, const struct side_variant *v)
{
	size_t count = 0;

	for (size_t r = v->of->first; r < v->of->first + v->of->run_count; r++)
		count += side_run_counts(&side->input->runs[r]);
	return count;
}

static int curve_over_time(const struct side *side, const struct side_variant *v, enum over_time what, struct bins *bins,
			   struct chart_curve *curve, double period_s)
{
	double share = 1.0 / (double) runs_counted(side, v);
	int rc = 0;

	memset(bins->values, 0, bins->count * sizeof(*bins->values));
	for (size_t r = v->of->first; rc == 0 && r < v->of->first + v->of->run_count; r++)
		if (side_run_counts(&side->input->runs[r]))
			rc = run_add(bins, &side->input->runs[r], what, share);
	for (size_t i = 0; i < bins->count; i++) {
		double from_s = (double) i * bins->width_s;

		chart_curve_add(curve, from_s, bins->values[i] / fmin(bins->width_s, period_s - from_s));
	}
	chart_curve_add(curve, period_s, curve->count ? curve->y[curve->count - 1] : 0);
	return rc;
}

static double period_of(const struct side *side)
{
	double period_s = 1;

	for (size_t i = 0; i < side->count; i++) {
		const struct page_variant *of = side->variants[i].of;

		for (size_t r = of->first; side_drawn(side, &side->variants[i]) && r < of->first + of->run_count; r++)
			if (side_run_counts(&side->input->runs[r]))
				period_s = fmax(period_s, side->input->runs[r].period_s);
	}
	return period_s;
}

size_t side_curves_name(const struct side *side, struct chart_curve curves[SIDE_CHARTS_MAX],
			const struct side_variant *of[SIDE_CHARTS_MAX])
{
	size_t count = 0;

	for (size_t i = 0; i < side->count; i++) {
		const struct side_variant *v = &side->variants[i];

		if (!side_drawn(side, v))
			continue;
		of[count] = v;
		curves[count++] = (struct chart_curve){ .label = v->label, .key = v->letter, .step = true };
	}
	return count;
}

int side_chart_finish(const struct side *side, struct chart *chart, int rc)
{
	const struct page_run *first = &side->input->runs[side->variants[0].of->first];

	chart->run_id = "side";
	chart->tall = true;
	chart->kind = wt_kind_name(first->metrics.figures[WT_FIG_MAKESPAN].kind);
	if (rc == 0)
		rc = chart_write(side->section.out, chart);
	for (size_t c = 0; c < chart->curve_count; c++)
		chart_curve_clear(&chart->curves[c]);
	return rc;
}

static int over_time_write(const struct side *side, enum over_time what, struct chart chart)
{
	const struct side_variant *of[SIDE_CHARTS_MAX];
	struct chart_curve curves[SIDE_CHARTS_MAX];
	double period_s = period_of(side);
	struct bins bins = { .width_s = chart_nice(period_s / PARTS) };
	int rc = 0;

	bins.count = (size_t) ceil(period_s / bins.width_s * (1 - 1e-12));
	bins.values = calloc(bins.count + 1, sizeof(*bins.values));
	if (!bins.values)
		return -1;
	chart.axis = CHART_TIME;
	chart.x_key = "time_s";
	chart.x_to = period_s;
	chart.curves = curves;
	chart.curve_count = side_curves_name(side, curves, of);
	for (size_t c = 0; rc == 0 && c < chart.curve_count; c++)
		rc = curve_over_time(side, of[c], what, &bins, &curves[c], period_s);
	free(bins.values);
	return side_chart_finish(side, &chart, rc);
}

/* ---- distributions ------------------------------------------------------------------------------------------------ */

/* The sorted values of all runs of a variant.  NULL: no memory. */
static double *values_make(const struct side *side, const struct side_variant *v, job_value value, size_t *count)
{
	double *values;
	size_t jobs = 1;

	for (size_t r = v->of->first; r < v->of->first + v->of->run_count; r++)
		jobs += side->input->runs[r].job_count;
	values = malloc(jobs * sizeof(*values));
	*count = 0;
	for (size_t r = v->of->first; values && r < v->of->first + v->of->run_count; r++)
		if (side_run_counts(&side->input->runs[r]))
			job_values_add(&side->input->runs[r], value, JOB_SIZES_ALL, values, count);
	if (values)
		job_values_sort(values, *count);
	return values;
}

static int distribution_write(const struct side *side, job_value value, struct chart chart)
{
	const struct side_variant *of[SIDE_CHARTS_MAX];
	struct chart_curve curves[SIDE_CHARTS_MAX];
	double median = INFINITY, most = 0;
	int rc = 0;

	chart.y_key = "percent_of_jobs";
	chart.y_to = 100;
	chart.y_unit = "%";
	chart.curves = curves;
	chart.curve_count = side_curves_name(side, curves, of);
	for (size_t c = 0; rc == 0 && c < chart.curve_count; c++) {
		size_t count;
		double *values = values_make(side, of[c], value, &count);

		if (!values)
			rc = -1;
		else
			job_values_curve(&curves[c], values, count);
		if (values && count) {
			median = fmin(median, values[count / 2]);
			most = fmax(most, values[count - 1]);
		}
		free(values);
	}
	job_values_axis(&chart, isfinite(median) ? median : 0, most);
	return side_chart_finish(side, &chart, rc);
}

static int distributions_write(const struct side *side)
{
	static const struct { job_value value; struct chart chart;
	} charts[] = {
		{ job_wait_s, { .key = "cdf-wait", .title = "Jobs that waited at most so long, %", .x_key = "wait_s",
				.axis = CHART_DURATION } },
		{ job_turnaround_s, { .key = "cdf-turnaround", .title = "Jobs whose turnaround was at most so long, %",
				      .x_key = "turnaround_s", .axis = CHART_DURATION } },
		{ job_slowdown, { .key = "cdf-slowdown", .title = "Jobs with at most that bounded slowdown, %",
				  .x_key = "bounded_slowdown", .axis = CHART_NUMBER_LOG } },
	};
	int rc = 0;

	fputs("<div class=\"pair\">\n", side->section.out);
	for (size_t i = 0; rc == 0 && i < sizeof(charts) / sizeof(charts[0]); i++)
		rc = distribution_write(side, charts[i].value, charts[i].chart);
	if (rc == 0)
		rc = over_time_write(side, OVER_STARTS,
				     (struct chart){ .key = "starts", .title = "Jobs that started a second",
						     .y_key = "jobs_per_s", .y_unit = "/s" });
	fputs("</div>\n", side->section.out);
	return rc;
}

int side_charts_write(const struct side *side)
{
	size_t drawn = 0, comparable = 0;

	for (size_t i = 0; i < side->count; i++) {
		drawn += side_drawn(side, &side->variants[i]);
		comparable += side->variants[i].known && (!i || side->variants[i].compared);
	}
	if (!drawn)
		return 0;
	heading_write(&side->section, 1, "charts", side->count > 1 ? "What do they look like beside each other?"
							      : "What do the runs look like on average?");
	if (over_time_write(side, OVER_BUSY,
			    (struct chart){ .key = "busy", .title = "Utilisation: CPUs that jobs had, % of all",
					    .y_key = "percent", .y_unit = "%", .y_to = 100 }) < 0 ||
	    over_time_write(side, OVER_WAITING,
			    (struct chart){ .key = "queue", .title = "Queue: jobs that waited", .y_key = "jobs" }) < 0 ||
	    distributions_write(side) < 0)
		return -1;
	fputs("<p class=\"none\">Over time: the mean over a variant's runs and over each part of the axis; a run that has "
	      "ended counts as 0. Distributions are of the jobs of all its runs.</p>\n",
	      side->section.out);
	if (comparable > drawn)
		fprintf(side->section.out, "<p class=\"none\">The charts show the first %zu variants.</p>\n", drawn);
	return 0;
}
