/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <gsl/gsl_cdf.h>

#include "harness/report/montecarlo.h"

#define CLOSE(a, b) assert_true(fabs((a) - (b)) < 1e-9)

/* Mean 5 and, over n, deviation 2: the textbook's eight values. */
static const double values[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
#define COUNT (sizeof(values) / sizeof(values[0]))

static void test_fit(void **state)
{
	struct montecarlo_fit fit;

	(void) state;
	montecarlo_fit_make(&fit, values, COUNT);
	assert_int_equal(fit.count, 8);
	CLOSE(fit.mean, 5);
	CLOSE(fit.sd, 2);
	CLOSE(fit.mean_error, 2 / sqrt(8));
	CLOSE(fit.sd_error, 0.5);
	montecarlo_fit_make(&fit, NULL, 0);
	assert_true(isnan(fit.mean) && isnan(fit.sd) && isnan(fit.mean_error));
}

static void test_converge(void **state)
{
	struct montecarlo_fit fits[COUNT], whole;
	struct montecarlo_settled settled;

	(void) state;
	montecarlo_converge(fits, values, COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		montecarlo_fit_make(&whole, values, i + 1);
		assert_int_equal(fits[i].count, i + 1);
		CLOSE(fits[i].mean, whole.mean);
		CLOSE(fits[i].sd, whole.sd);
	}
	/* means 2, 3, 10/3, 3.5, 3.8, 4, 31/7, 5: the last two are within 12 % */
	settled = montecarlo_settle(fits, COUNT, 0.12);
	assert_int_equal(settled.mean, 7);
	assert_int_equal(montecarlo_settle(fits, COUNT, 0).mean, 8);
	assert_int_equal(montecarlo_settle(fits, COUNT, 1).mean, 1);
	assert_int_equal(montecarlo_settle(fits, 0, 1).mean, 0);
}

static void test_capture(void **state)
{
	static const double observed[] = { 0.99, 1, 5, 9, 9.01, 11, 11.5, -2 };
	struct montecarlo_capture c;
	struct montecarlo_fit fit;

	(void) state;
	montecarlo_fit_make(&fit, values, COUNT);
	c = montecarlo_capture_count(&fit, MONTECARLO_SD_95, observed, 8);
	CLOSE(c.low, 1);
	CLOSE(c.high, 9);
	assert_true(c.inside == 3 && c.count == 8 && c.rate == 3 / 8.0);
	c = montecarlo_capture_count(&fit, MONTECARLO_SD_99, observed, 8);
	assert_int_equal(c.inside, 6);
	assert_true(isnan(montecarlo_capture_count(&fit, 2, NULL, 0).rate));
}

/* Job 1: mean 10, most 0.2 away; job 2: mean 50, 0.1 (one run lacks it); jobs 3 and 4 say nothing. */
static void test_level(void **state)
{
	static const double times[] = {
		10, 12, 8, 45, NAN, 55, 7, NAN, NAN, 0, 0, 0,
	};
	size_t used;

	(void) state;
	CLOSE(montecarlo_level(times, 4, 3, &used), 0.15);
	assert_int_equal(used, 2);
	CLOSE(montecarlo_level(times, 1, 3, NULL), 0.2);
	assert_true(isnan(montecarlo_level(times + 6, 2, 3, &used)));
	assert_int_equal(used, 0);
}

/* What 100 simulations say of each other is what a fit says of itself, within what 100 of them can tell (a tenth). */
static void test_between(void **state)
{
	struct montecarlo_between points[MONTECARLO_POINTS_MAX], again[MONTECARLO_POINTS_MAX];
	double spread[400];

	(void) state;
	for (size_t i = 0; i < 400; i++)
		spread[i] = 1000 + 20 * gsl_cdf_ugaussian_Pinv(((double) i + 0.5) / 400);
	assert_int_equal(montecarlo_between_make(points, spread, 400, 7), 5);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(points[i].runs, i ? 100 * i : 10);
		assert_true(fabs(points[i].mean - 1000) < 3);
		assert_true(fabs(points[i].mean_sd / points[i].mean_error - 1) < 0.35);
		assert_true(fabs(points[i].sd_sd / points[i].sd_error - 1) < 0.35);
	}
	assert_true(points[4].mean_sd < points[0].mean_sd / 4);
	assert_int_equal(montecarlo_between_make(again, spread, 400, 7), 5);
	assert_memory_equal(points, again, 5 * sizeof(points[0]));
	montecarlo_between_make(again, spread, 400, 8);
	assert_memory_not_equal(points, again, 5 * sizeof(points[0]));
}

static void test_between_few_and_many(void **state)
{
	struct montecarlo_between points[MONTECARLO_POINTS_MAX];
	static double many[20000];

	(void) state;
	for (size_t i = 0; i < 20000; i++)
		many[i] = (double) (i % 10);
	assert_int_equal(montecarlo_between_make(points, values, COUNT, 1), 0);
	assert_int_equal(montecarlo_between_make(points, many, 35, 1), 3);
	assert_int_equal(points[2].runs, 30);
	assert_in_range(montecarlo_between_make(points, many, 20000, 1), 10, MONTECARLO_POINTS_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fit),
		cmocka_unit_test(test_converge),
		cmocka_unit_test(test_capture),
		cmocka_unit_test(test_level),
		cmocka_unit_test(test_between),
		cmocka_unit_test(test_between_few_and_many),
	};

	return cmocka_run_group_tests_name("montecarlo", tests, NULL, NULL);
}
