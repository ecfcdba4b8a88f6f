/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

#include "harness/report/montecarlo.h"

static struct montecarlo_fit fit_of(size_t count, double mean, double sd)
{
	return (struct montecarlo_fit){ .count = count,
					.mean = mean,
					.sd = sd,
					.mean_error = sd / sqrt((double) count),
					.sd_error = sd / sqrt(2.0 * (double) count) };
}

void montecarlo_fit_make(struct montecarlo_fit *fit, const double *values, size_t count)
{
	double mean = count ? gsl_stats_mean(values, 1, count) : NAN;

	*fit = fit_of(count, mean, count ? gsl_stats_sd_with_fixed_mean(values, 1, count, mean) : NAN);
}

/* Welford 1962: a value more changes the mean and the sum of squares around it. */
void montecarlo_converge(struct montecarlo_fit *fits, const double *values, size_t count)
{
	double mean = 0, squares = 0;

	for (size_t i = 0; i < count; i++) {
		double n = (double) i + 1, before = values[i] - mean;

		mean += before / n;
		squares += before * (values[i] - mean);
		fits[i] = fit_of(i + 1, mean, sqrt(squares / n));
	}
}

static bool stays(double value, double last, double share)
{
	return fabs(value - last) <= share * fabs(last);
}

/* From the last run back to the first that lies outside: a mean that came near by chance once, and left again, has
 * not settled. */
struct montecarlo_settled montecarlo_settle(const struct montecarlo_fit *fits, size_t count, double share)
{
	struct montecarlo_settled settled = { count, count };

	while (settled.mean > 1 && stays(fits[settled.mean - 2].mean, fits[count - 1].mean, share))
		settled.mean--;
	while (settled.sd > 1 && stays(fits[settled.sd - 2].sd, fits[count - 1].sd, share))
		settled.sd--;
	return settled;
}

struct montecarlo_capture montecarlo_capture_count(const struct montecarlo_fit *fit, double sds, const double *observed,
						   size_t count)
{
	struct montecarlo_capture c = { .low = fit->mean - sds * fit->sd, .high = fit->mean + sds * fit->sd,
					.count = count };

	for (size_t i = 0; i < count; i++)
		c.inside += observed[i] >= c.low && observed[i] <= c.high;
	c.rate = count ? (double) c.inside / (double) count : NAN;
	return c;
}

/* ---- simulations beside each other --------------------------------------------------------------------------------- */

#define RUNS_LEAST 10

struct drawn {
	double mean[MONTECARLO_SIMULATIONS], sd[MONTECARLO_SIMULATIONS];
	double mean_error[MONTECARLO_SIMULATIONS], sd_error[MONTECARLO_SIMULATIONS];
};

static double median_of(double values[MONTECARLO_SIMULATIONS])
{
	gsl_sort(values, 1, MONTECARLO_SIMULATIONS);
	return gsl_stats_median_from_sorted_data(values, 1, MONTECARLO_SIMULATIONS);
}

/* The bootstrap: simulations of 'runs' runs each are drawn with replacement from the runs that there are.  How far
 * their means lie apart is what another simulation would say differently. */
static void point_make(struct montecarlo_between *point, size_t runs, const double *values, size_t count, gsl_rng *rng,
		       double *scratch)
{
	struct drawn d;

	for (size_t i = 0; i < MONTECARLO_SIMULATIONS; i++) {
		struct montecarlo_fit fit;

		for (size_t n = 0; n < runs; n++)
			scratch[n] = values[gsl_rng_uniform_int(rng, count)];
		montecarlo_fit_make(&fit, scratch, runs);
		d.mean[i] = fit.mean;
		d.sd[i] = fit.sd;
		d.mean_error[i] = fit.mean_error;
		d.sd_error[i] = fit.sd_error;
	}
	*point = (struct montecarlo_between){
		.runs = runs,
		.mean = gsl_stats_mean(d.mean, 1, MONTECARLO_SIMULATIONS),
		.mean_sd = gsl_stats_sd(d.mean, 1, MONTECARLO_SIMULATIONS),
		.sd = gsl_stats_mean(d.sd, 1, MONTECARLO_SIMULATIONS),
		.sd_sd = gsl_stats_sd(d.sd, 1, MONTECARLO_SIMULATIONS),
		.mean_error = median_of(d.mean_error),
		.sd_error = median_of(d.sd_error),
	};
}

/* The number of runs of the point behind one of 'runs'. Every tenth or hundredth run: each point costs
 * MONTECARLO_SIMULATIONS drawings of so many runs, and no curve shows more than MONTECARLO_POINTS_MAX. */
static size_t runs_next(size_t runs, size_t count)
{
	size_t step = count >= 300 ? 100 : 10;

	while (count / step > MONTECARLO_POINTS_MAX - 3)
		step += 100;
	return runs / step * step + step;
}

size_t montecarlo_between_make(struct montecarlo_between *points, const double *values, size_t count, uint64_t seed)
{
	gsl_rng *rng = count >= RUNS_LEAST ? gsl_rng_alloc(gsl_rng_mt19937) : NULL;
	double *scratch = rng ? calloc(count, sizeof(*scratch)) : NULL;
	size_t made = 0;

	errno = count >= RUNS_LEAST ? ENOMEM : 0;
	if (scratch) {
		gsl_rng_set(rng, (unsigned long) seed);
		for (size_t runs = RUNS_LEAST; runs <= count; runs = runs_next(runs, count))
			point_make(&points[made++], runs, values, count, rng, scratch);
	}
	free(scratch);
	if (rng)
		gsl_rng_free(rng);
	return made;
}

/* The largest relative deviation from the mean; NAN: there are less than two times, or they are all 0. */
static double deviation_most(const double *times, size_t runs)
{
	double sum = 0, mean, most = 0;
	size_t count = 0;

	for (size_t n = 0; n < runs; n++)
		if (!isnan(times[n])) {
			sum += times[n];
			count++;
		}
	mean = sum / (double) count;
	if (count < 2 || !(mean > 0))
		return NAN;
	for (size_t n = 0; n < runs; n++)
		if (!isnan(times[n]))
			most = fmax(most, fabs(times[n] - mean) / mean);
	return most;
}

double montecarlo_level(const double *times, size_t jobs, size_t runs, size_t *jobs_used)
{
	double sum = 0;
	size_t count = 0;

	for (size_t j = 0; j < jobs; j++) {
		double most = deviation_most(times + j * runs, runs);

		if (isnan(most))
			continue;
		sum += most;
		count++;
	}
	if (jobs_used)
		*jobs_used = count;
	return count ? sum / (double) count : NAN;
}
