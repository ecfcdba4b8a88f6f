/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "harness/page/chart.h"
#include "harness/page/html.h"
#include "harness/page/part.h"

#define CDF_POINTS 600	/* of a curve of more jobs: as many quantiles */

typedef double (*value_fn)(const struct part *part, const struct page_job *job);

static double sent_of(const struct part *part, const struct page_job *job)
{
	(void) part;
	return fmax(0, job->sent_s);
}

static double wait_of(const struct part *part, const struct page_job *job)
{
	double wait_s = job->start_s - job->sent_s;

	(void) part;
	return isnan(wait_s) ? NAN : fmax(0, wait_s);
}

static double turnaround_of(const struct part *part, const struct page_job *job)
{
	return wait_of(part, job) + job->end_s - job->start_s;
}

static double slowdown_of(const struct part *part, const struct page_job *job)
{
	double run_s = job->end_s - job->start_s, threshold_s = part->run->metrics.slowdown_threshold_s;

	return fmax(1, turnaround_of(part, job) / fmax(run_s, threshold_s));
}

static int double_compare(const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return (x > y) - (x < y);
}

/* The sorted values of the jobs of a size (PAGE_SIZE_COUNT and above: of all), without NAN.  NULL: no memory. */
static double *values_make(const struct part *part, value_fn value, int size, size_t *count)
{
	double *values = malloc((part->run->job_count ? part->run->job_count : 1) * sizeof(*values));

	*count = 0;
	for (size_t i = 0; values && i < part->run->job_count; i++) {
		const struct page_job *job = &part->run->jobs[i];
		double v = value(part, job);

		if (isfinite(v) && (size < 0 || (int) job->size == size))
			values[(*count)++] = v;
	}
	if (values)
		qsort(values, *count, sizeof(*values), double_compare);
	return values;
}

static void cdf_fill(struct chart_curve *curve, const double *values, size_t count)
{
	size_t points = count < CDF_POINTS ? count : CDF_POINTS;

	if (!count)
		return;
	chart_curve_add(curve, values[0], 0);
	for (size_t i = 0; i < points; i++) {
		size_t at = points < 2 ? 0 : (size_t) ((double) i * (double) (count - 1) / (double) (points - 1));

		chart_curve_add(curve, values[at], 100.0 * (double) (at + 1) / (double) count);
	}
}

/* Where most lies near 0 and some far away, a linear axis shows nothing. */
static void axis_choose(struct chart *chart, double median, double most)
{
	chart->x_to = most > 0 ? most : 1;
	if (chart->axis == CHART_NUMBER_LOG) {
		chart->x_from = 1;
		chart->x_to = fmax(2, most);
	} else if (chart->axis == CHART_DURATION && most > 100 * fmax(median, 0.01)) {
		chart->axis = CHART_DURATION_LOG;
		chart->x_from = fmax(0.01, fmin(1, pow(10, floor(log10(fmax(median, 0.01) / 10)))));
	}
}

struct cdf {
	const char *key, *title, *x_key;
	enum chart_axis axis;
	value_fn value;
	enum wt_figure_id kind_of;
};

static int cdf_write(const struct part *part, const struct cdf *cdf)
{
	struct chart_curve curve = { .label = "jobs", .key = "jobs", .step = true };
	struct chart chart = {
		.run_id = part->run->id,
		.key = cdf->key,
		.title = cdf->title,
		.x_key = cdf->x_key,
		.y_key = "percent_of_jobs",
		.axis = cdf->axis,
		.y_to = 100,
		.y_unit = "%",
		.curves = &curve,
		.curve_count = 1,
		.tall = true,
		.kind = wt_kind_name(part->run->metrics.figures[cdf->kind_of].kind),
	};
	size_t count;
	double *values = values_make(part, cdf->value, -1, &count);
	int rc;

	if (!values)
		return -1;
	cdf_fill(&curve, values, count);
	if (count)
		axis_choose(&chart, values[count / 2], values[count - 1]);
	rc = chart_write(part->out, &chart);
	free(values);
	chart_curve_clear(&curve);
	return rc;
}

int job_charts_write(const struct part *part)
{
	static const struct cdf cdfs[] = {
		{ "cdf-submission", "Jobs submitted by then, % of them", "time_s", CHART_DURATION, sent_of,
		  WT_FIG_SUBMIT_RATE },
		{ "cdf-wait", "Jobs that waited at most so long, %", "wait_s", CHART_DURATION, wait_of, WT_FIG_WAIT_MEAN },
		{ "cdf-turnaround", "Jobs whose turnaround was at most so long, %", "turnaround_s", CHART_DURATION,
		  turnaround_of, WT_FIG_TURNAROUND_MEAN },
		{ "cdf-slowdown", "Jobs with at most that bounded slowdown, %", "bounded_slowdown", CHART_NUMBER_LOG,
		  slowdown_of, WT_FIG_SLOWDOWN_MEAN },
	};
	int rc = 0;

	if (!part->run->job_count)
		return 0;
	fputs("<div class=\"pair\">\n", part->out);
	for (size_t i = 0; rc == 0 && i < sizeof(cdfs) / sizeof(cdfs[0]); i++)
		rc = cdf_write(part, &cdfs[i]);
	fputs("</div>\n", part->out);
	return rc;
}

/* A curve for each size; the longest wait. */
static double size_curves_fill(const struct part *part, struct chart_curve curves[PAGE_SIZE_COUNT])
{
	static const char *const keys[] = { "to_1/1000", "to_1/100", "to_1/32", "to_1/8", "to_1/2", "above_1/2", "whole" };
	double most = 0;
	size_t count;

	for (int s = 0; s < PAGE_SIZE_COUNT; s++) {
		double *values = values_make(part, wait_of, s, &count);

		curves[s] = (struct chart_curve) { .label = page_size_name((enum page_size) s), .key = keys[s],
						   .step = true };
		curves[s].failed = !values;
		if (values)
			cdf_fill(&curves[s], values, count);
		if (values && count)
			most = fmax(most, values[count - 1]);
		free(values);
	}
	return most;
}

int size_chart_write(const struct part *part)
{
	struct chart_curve curves[PAGE_SIZE_COUNT];
	struct chart chart = {
		.run_id = part->run->id, .key = "cdf-wait-size",
			.title = "Jobs that waited at most so long, % of those of their size",
		.x_key = "wait_s", .y_key = "percent_of_jobs", .axis = CHART_DURATION, .y_to = 100, .y_unit = "%",
		.curves = curves,
		.curve_count = PAGE_SIZE_COUNT, .tall = true, .sizes = true,
		.kind = wt_kind_name(part->run->metrics.figures[WT_FIG_WAIT_MEAN].kind),
	};
	double most = size_curves_fill(part, curves);
	int rc = 0;

	if (isfinite(figure_value(part, WT_FIG_WAIT_MEDIAN))) {
		axis_choose(&chart, figure_value(part, WT_FIG_WAIT_MEDIAN), most);
		rc = chart_write(part->out, &chart);
	}
	for (int s = 0; s < PAGE_SIZE_COUNT; s++)
		chart_curve_clear(&curves[s]);
	return rc;
}
