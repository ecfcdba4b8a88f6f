/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "wt_stats.h"

/* Numbers to the front, NANs to the back; the order among numbers is lost. */
static size_t numbers_first(double *values, size_t count)
{
	size_t numbers = 0;

	for (size_t i = 0; i < count; i++) {
		double value = values[i];

		if (isnan(value))
			continue;
		values[i] = values[numbers];
		values[numbers++] = value;
	}
	return numbers;
}

static void spread_compute(struct wt_stats *stats, const double *values)
{
	double n = (double) stats->count;

	stats->sd = gsl_stats_sd_m(values, 1, stats->count, stats->mean);
	stats->ci95 = gsl_cdf_tdist_Pinv(0.975, n - 1) * stats->sd / sqrt(n);
}

void wt_stats_compute(struct wt_stats *stats, double *values, size_t count)
{
	*stats = (struct wt_stats) {
		.mean = NAN, .min = NAN, .max = NAN, .median = NAN, .p95 = NAN, .sd = NAN, .ci95 = NAN,
	};
	stats->count = numbers_first(values, count);
	if (!stats->count)
		return;
	gsl_sort(values, 1, stats->count);
	for (size_t i = 0; i < stats->count; i++)
		stats->sum += values[i];
	stats->mean = gsl_stats_mean(values, 1, stats->count);
	stats->min = values[0];
	stats->max = values[stats->count - 1];
	stats->median = gsl_stats_median_from_sorted_data(values, 1, stats->count);
	stats->p95 = gsl_stats_quantile_from_sorted_data(values, 1, stats->count, 0.95);
	if (stats->count > 1)
		spread_compute(stats, values);
}
