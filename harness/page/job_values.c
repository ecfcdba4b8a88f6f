/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "harness/page/job_values.h"

#define CDF_POINTS 600	/* of a curve of more jobs: as many quantiles */

/* fmax () takes the other one where a value is NAN. */
static double at_least(double least, double value)
{
	return isnan(value) ? NAN : fmax(least, value);
}

double job_sent_s(const struct page_run *run, const struct page_job *job)
{
	(void) run;
	return at_least(0, job->sent_s);
}

double job_wait_s(const struct page_run *run, const struct page_job *job)
{
	(void) run;
	return at_least(0, job->start_s - job->sent_s);
}

double job_turnaround_s(const struct page_run *run, const struct page_job *job)
{
	return job_wait_s(run, job) + job->end_s - job->start_s;
}

double job_slowdown(const struct page_run *run, const struct page_job *job)
{
	double run_s = job->end_s - job->start_s;

	return at_least(1, job_turnaround_s(run, job) / at_least(run->metrics.slowdown_threshold_s, run_s));
}

void job_values_add(const struct page_run *run, job_value value, int size, double *values, size_t *count)
{
	for (size_t i = 0; i < run->job_count; i++) {
		const struct page_job *job = &run->jobs[i];
		double v = value(run, job);

		if (isfinite(v) && (size < 0 || (int) job->size == size))
			values[(*count)++] = v;
	}
}

static int double_compare(const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return (x > y) - (x < y);
}

void job_values_sort(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), double_compare);
}

void job_values_curve(struct chart_curve *curve, const double *values, size_t count)
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

void job_values_axis(struct chart *chart, double median, double most)
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
