/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "wt_stats.h"

static void test_golden(void **state)
{
	/* By hand: mean 5, squares of deviations 9+1+1+1+0+0+4+16 = 32, sd sqrt (32 / 7). */
	double values[] = { 9, 2, 4, 5, 4, 5, 7, 4 };
	struct wt_stats s;

	(void) state;
	wt_stats_compute(&s, values, 8);
	assert_int_equal(s.count, 8);
	assert_float_equal(s.sum, 40, 1e-12);
	assert_float_equal(s.mean, 5, 1e-12);
	assert_float_equal(s.min, 2, 0);
	assert_float_equal(s.max, 9, 0);
	assert_float_equal(s.median, 4.5, 1e-12);
	/* type 7: position 0.95 x 7 = 6.65 between 7 and 9 */
	assert_float_equal(s.p95, 8.3, 1e-9);
	assert_float_equal(s.sd, 2.13808993529940, 1e-9);
	/* t (0.975, 7) = 2.364624 from any printed table, / sqrt (8) */
	assert_float_equal(s.ci95, 2.364624 * 2.13808993529940 / 2.8284271247, 1e-5);
}

static void test_nan_is_left_out(void **state)
{
	double values[] = { NAN, 3, NAN, 1, NAN };
	struct wt_stats s;

	(void) state;
	wt_stats_compute(&s, values, 5);
	assert_int_equal(s.count, 2);
	assert_float_equal(s.mean, 2, 1e-12);
	assert_float_equal(s.median, 2, 1e-12);
	assert_float_equal(s.min, 1, 0);
	assert_float_equal(s.max, 3, 0);
}

static void test_one_value_has_no_spread(void **state)
{
	double values[] = { 7 };
	struct wt_stats s;

	(void) state;
	wt_stats_compute(&s, values, 1);
	assert_float_equal(s.mean, 7, 0);
	assert_float_equal(s.median, 7, 0);
	assert_float_equal(s.p95, 7, 0);
	assert_true(isnan(s.sd));
	assert_true(isnan(s.ci95));
}

static void test_nothing_is_nan_and_not_zero(void **state)
{
	double values[] = { NAN };
	struct wt_stats s;

	(void) state;
	wt_stats_compute(&s, NULL, 0);
	assert_int_equal(s.count, 0);
	assert_true(isnan(s.mean) && isnan(s.min) && isnan(s.max) && isnan(s.median) && isnan(s.p95) && isnan(s.sd));
	wt_stats_compute(&s, values, 1);
	assert_int_equal(s.count, 0);
	assert_true(isnan(s.mean));
	assert_float_equal(s.sum, 0, 0);
}

static void test_equal_values_have_no_width(void **state)
{
	double values[] = { 2, 2, 2 };
	struct wt_stats s;

	(void) state;
	wt_stats_compute(&s, values, 3);
	assert_float_equal(s.sd, 0, 0);
	assert_float_equal(s.ci95, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_nan_is_left_out),
		cmocka_unit_test(test_one_value_has_no_spread),
		cmocka_unit_test(test_nothing_is_nan_and_not_zero),
		cmocka_unit_test(test_equal_values_have_no_width),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
