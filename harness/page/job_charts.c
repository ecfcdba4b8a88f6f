/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "harness/page/chart.h"
#include "harness/page/html.h"
#include "harness/page/job_values.h"
#include "harness/page/section.h"

/* The sorted values of the jobs of a size.  NULL: no memory. */
static double *values_make(const struct section *section, job_value value, int size, size_t *count)
{
	double *values = malloc((section->run->job_count ? section->run->job_count : 1) * sizeof(*values));

	*count = 0;
	if (values) {
		job_values_add(section->run, value, size, values, count);
		job_values_sort(values, *count);
	}
	return values;
}

struct cdf {
	const char *key, *title, *x_key;
	enum chart_axis axis;
	job_value value;
	enum wt_figure_id kind_of;
};

static int cdf_write(const struct section *section, const struct cdf *cdf)
{
	struct chart_curve curve = { .label = "jobs", .key = "jobs", .step = true };
	struct chart chart = {
		.run_id = section->run->id,
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
		.kind = wt_kind_name(section->run->metrics.figures[cdf->kind_of].kind),
	};
	size_t count;
	double *values = values_make(section, cdf->value, JOB_SIZES_ALL, &count);
	int rc;

	if (!values)
		return -1;
	job_values_curve(&curve, values, count);
	if (count)
		job_values_axis(&chart, values[count / 2], values[count - 1]);
	rc = chart_write(section->out, &chart);
	free(values);
	chart_curve_clear(&curve);
	return rc;
}

int job_charts_write(const struct section *section)
{
	static const struct cdf cdfs[] = {
		{ "cdf-submission", "Jobs submitted by then, % of them", "time_s", CHART_DURATION, job_sent_s,
		  WT_FIG_SUBMIT_RATE },
		{ "cdf-wait", "Jobs that waited at most so long, %", "wait_s", CHART_DURATION, job_wait_s,
		  WT_FIG_WAIT_MEAN },
		{ "cdf-turnaround", "Jobs whose turnaround was at most so long, %", "turnaround_s", CHART_DURATION,
		  job_turnaround_s, WT_FIG_TURNAROUND_MEAN },
		{ "cdf-slowdown", "Jobs with at most that bounded slowdown, %", "bounded_slowdown", CHART_NUMBER_LOG,
		  job_slowdown, WT_FIG_SLOWDOWN_MEAN },
	};
	int rc = 0;

	if (!section->run->job_count)
		return 0;
	fputs("<div class=\"pair\">\n", section->out);
	for (size_t i = 0; rc == 0 && i < sizeof(cdfs) / sizeof(cdfs[0]); i++)
		rc = cdf_write(section, &cdfs[i]);
	fputs("</div>\n", section->out);
	return rc;
}

/* A curve for each size; the longest wait. */
static double size_curves_fill(const struct section *section, struct chart_curve curves[PAGE_SIZE_COUNT])
{
	static const char *const keys[] = { "to_1/1000", "to_1/100", "to_1/32", "to_1/8", "to_1/2", "above_1/2", "whole" };
	double most = 0;
	size_t count;

	for (int s = 0; s < PAGE_SIZE_COUNT; s++) {
		double *values = values_make(section, job_wait_s, s, &count);

		curves[s] = (struct chart_curve) { .label = page_size_name((enum page_size) s), .key = keys[s],
						   .step = true };
		curves[s].failed = !values;
		if (values)
			job_values_curve(&curves[s], values, count);
		if (values && count)
			most = fmax(most, values[count - 1]);
		free(values);
	}
	return most;
}

int size_chart_write(const struct section *section)
{
	struct chart_curve curves[PAGE_SIZE_COUNT];
	struct chart chart = {
		.run_id = section->run->id, .key = "cdf-wait-size",
			.title = "Jobs that waited at most so long, % of those of their size",
		.x_key = "wait_s", .y_key = "percent_of_jobs", .axis = CHART_DURATION, .y_to = 100, .y_unit = "%",
		.curves = curves,
		.curve_count = PAGE_SIZE_COUNT, .tall = true, .sizes = true,
		.kind = wt_kind_name(section->run->metrics.figures[WT_FIG_WAIT_MEAN].kind),
	};
	double most = size_curves_fill(section, curves);
	int rc = 0;

	if (isfinite(figure_value(section, WT_FIG_WAIT_MEDIAN))) {
		job_values_axis(&chart, figure_value(section, WT_FIG_WAIT_MEDIAN), most);
		rc = chart_write(section->out, &chart);
	}
	for (int s = 0; s < PAGE_SIZE_COUNT; s++)
		chart_curve_clear(&curves[s]);
	return rc;
}
