/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fit),
		cmocka_unit_test(test_converge),
		cmocka_unit_test(test_capture),
		cmocka_unit_test(test_level),
	};

	return cmocka_run_group_tests_name("montecarlo", tests, NULL, NULL);
}
