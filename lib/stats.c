/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "lib/stats.h"

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

/* Half width of the interval of a mean with this standard error. */
static double half_width(double error, double freedom)
{
	return error > 0 ? gsl_cdf_tdist_Pinv(0.975, freedom) * error : 0;
}

/* Mean and variance without the NANs, by Welford's method: nothing is copied. */
static size_t moments(const double *values, size_t count, double *mean, double *variance)
{
	size_t n = 0;
	double squares = 0;

	*mean = NAN;
	for (size_t i = 0; i < count; i++) {
		double step;

		if (isnan(values[i]))
			continue;
		if (!n++)
			*mean = 0;
		step = values[i] - *mean;
		*mean += step / (double) n;
		squares += step * (values[i] - *mean);
	}
	*variance = n > 1 ? squares / (double) (n - 1) : NAN;
	return n;
}

void wt_stats_paired(struct wt_difference *d, const double *a, const double *b, size_t count)
{
	double sum = 0, squares = 0;

	*d = (struct wt_difference) { .mean = NAN, .ci95 = NAN, .freedom = NAN };
	for (size_t i = 0; i < count; i++)
		if (!isnan(a[i]) && !isnan(b[i])) {
			sum += b[i] - a[i];
			d->count++;
		}
	if (!d->count)
		return;
	d->mean = sum / (double) d->count;
	if (d->count < 2)
		return;
	for (size_t i = 0; i < count; i++)
		if (!isnan(a[i]) && !isnan(b[i]))
			squares += (b[i] - a[i] - d->mean) * (b[i] - a[i] - d->mean);
	if (squares > 0)
		d->freedom = (double) d->count - 1;
	d->ci95 = half_width(sqrt(squares / (double) (d->count - 1) / (double) d->count), d->freedom);
}

void wt_stats_welch(struct wt_difference *d, const double *a, size_t a_count, const double *b, size_t b_count)
{
	double a_mean, a_variance, b_mean, b_variance, a_part, b_part;
	size_t a_n = moments(a, a_count, &a_mean, &a_variance), b_n = moments(b, b_count, &b_mean, &b_variance);

	*d = (struct wt_difference) { .count = a_n + b_n, .mean = b_mean - a_mean, .ci95 = NAN, .freedom = NAN };
	if (a_n < 2 || b_n < 2)
		return;
	a_part = a_variance / (double) a_n;
	b_part = b_variance / (double) b_n;
	if (a_part + b_part > 0)
		d->freedom = (a_part + b_part) * (a_part + b_part) /
			     (a_part * a_part / (double) (a_n - 1) + b_part * b_part / (double) (b_n - 1));
	/* The degrees of freedom are Welch's and Satterthwaite's. */
	d->ci95 = half_width(sqrt(a_part + b_part), d->freedom);
}

/* The standard error that an interval was made of. */
static double error_of(const struct wt_difference *d)
{
	return d->ci95 / gsl_cdf_tdist_Pinv(0.975, d->freedom);
}

double wt_stats_p(const struct wt_difference *d)
{
	if (isnan(d->mean) || isnan(d->ci95))
		return NAN;
	if (d->ci95 == 0)
		return d->mean == 0 ? 1 : 0;
	return fmin(1, 2 * gsl_cdf_tdist_Q(fabs(d->mean) / error_of(d), d->freedom));
}

struct ranked {
	double p;
	size_t at;
};

static int ranked_compare(const void *a, const void *b)
{
	const struct ranked *left = a, *right = b;

	return left->p < right->p ? -1 : left->p > right->p;
}

int wt_stats_holm(const double *p, double *adjusted, size_t count)
{
	struct ranked *ranked = calloc(count ? count : 1, sizeof(*ranked));
	size_t known = 0;
	double least = 0;

	if (!ranked)
		return -1;
	for (size_t i = 0; i < count; i++) {
		adjusted[i] = p[i];
		if (!isnan(p[i]))
			ranked[known++] = (struct ranked){ p[i], i };
	}
	qsort(ranked, known, sizeof(*ranked), ranked_compare);
	for (size_t i = 0; i < known; i++) {
		/* Holm's step-down: no adjusted value is below one of a smaller p. */
		least = fmax(least, fmin(1, ranked[i].p * (double) (known - i)));
		adjusted[ranked[i].at] = least;
	}
	free(ranked);
	return 0;
}

#define RUNS_MAX 1000000

/* Do so many tell a difference of 'effect' standard deviations? */
static int runs_tell(size_t runs, double effect, int groups)
{
	double freedom = (double) groups * ((double) runs - 1);
	double reach = gsl_cdf_tdist_Pinv(0.975, freedom) + gsl_cdf_tdist_Pinv(0.8, freedom);

	return reach <= effect * sqrt((double) runs);
}

size_t wt_stats_runs_needed(const struct wt_difference *d, int paired)
{
	size_t low = 1, high = 2; /* low does not tell, high does */
	double effect;

	if (!(d->ci95 > 0) || !(fabs(d->mean) > 0))
		return 0;
	effect = fabs(d->mean) / (error_of(d) * sqrt((double) d->count / (paired ? 1 : 2)));
	/* Doubled, then halved: more runs tell more, so the boundary is found in O(log n) looks. */
	while (high < RUNS_MAX && !runs_tell(high, effect, paired ? 1 : 2)) {
		low = high;
		high *= 2;
	}
	if (high >= RUNS_MAX)
		return RUNS_MAX;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (runs_tell(middle, effect, paired ? 1 : 2))
			high = middle;
		else
			low = middle;
	}
	return high;
}
