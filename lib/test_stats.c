/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/stats.h"

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

static void test_paired(void **state)
{
	/* Differences 1, 2, 3: mean 2, deviation 1, t (0.975, 2) = 4.302653. */
	const double a[] = { 10, 20, 30, NAN, 5 }, b[] = { 11, 22, 33, 1, NAN };
	struct wt_difference d;

	(void) state;
	wt_stats_paired(&d, a, b, 5);
	assert_int_equal(d.count, 3);
	assert_float_equal(d.mean, 2, 1e-12);
	assert_float_equal(d.freedom, 2, 0);
	assert_float_equal(d.ci95, 4.302653 / 1.7320508076, 1e-5);
	wt_stats_paired(&d, a, a, 3);
	assert_true(d.mean == 0 && d.ci95 == 0);
	wt_stats_paired(&d, a, b, 1);
	assert_true(d.mean == 1 && isnan(d.ci95));
	wt_stats_paired(&d, NULL, NULL, 0);
	assert_true(d.count == 0 && isnan(d.mean) && isnan(d.ci95));
}

static void test_welch(void **state)
{
	/* By hand: means 2 and 6, variances 1 (of 3) and 3.5 (of 5). */
	const double a[] = { 1, 2, NAN, 3 }, b[] = { 4, 8, 6, 4.267949192431123, 7.732050807568877 };
	struct wt_difference d;
	(void) state;
	wt_stats_welch(&d, a, 4, b, 5);
	assert_int_equal(d.count, 8);
	assert_float_equal(d.mean, 4, 1e-12);
	assert_float_equal(d.freedom, (1 / 3.0 + 0.7) * (1 / 3.0 + 0.7) / (1 / 18.0 + 0.49 / 4), 1e-9);
	assert_true(d.ci95 > 1.96 * sqrt(1 / 3.0 + 0.7) && d.ci95 < 2.5 * sqrt(1 / 3.0 + 0.7));
	wt_stats_welch(&d, a, 1, b, 5);
	assert_true(isnan(d.ci95) && d.mean == 5);
	wt_stats_welch(&d, a, 0, b, 5);
	assert_true(isnan(d.mean));
	wt_stats_welch(&d, b, 1, b, 1);
	assert_true(d.mean == 0 && isnan(d.ci95));
}

/* Of two equally large samples with equal variance Welch is Student: a table has t (0.975, 8) = 2.306004. */
static void test_welch_is_student(void **state)
{
	const double a[] = { 1, 2, 3, 4, 5 }, b[] = { 11, 12, 13, 14, 15 }, same[] = { 7, 7 };
	struct wt_difference d;

	(void) state;
	wt_stats_welch(&d, a, 5, b, 5);
	assert_float_equal(d.freedom, 8, 1e-9);
	assert_float_equal(d.ci95, 2.306004, 1e-5);	/* the error is 1 */
	wt_stats_welch(&d, same, 2, same, 2);
	assert_true(d.mean == 0 && d.ci95 == 0);
}

/* R: t.test (c (1, 2, 3, 4, 6))$p.value; mean 3.2, sd 1.923538, t 3.719967 with 4 degrees of freedom. */
static void test_p(void **state)
{
	const double zero[5] = { 0 }, values[5] = { 1, 2, 3, 4, 6 };
	struct wt_difference d;

	(void) state;
	wt_stats_paired(&d, zero, values, 5);
	assert_float_equal(wt_stats_p(&d), 0.0205, 5e-5);
	/* On the border of its interval it is 0.05, whatever the degrees of freedom. */
	d = (struct wt_difference){ .count = 9, .mean = -2, .ci95 = 2, .freedom = 3.7 };
	assert_float_equal(wt_stats_p(&d), 0.05, 1e-9);
	d = (struct wt_difference){ .count = 9, .mean = 1, .ci95 = 0, .freedom = NAN };
	assert_float_equal(wt_stats_p(&d), 0, 0);
	d.mean = 0;
	assert_float_equal(wt_stats_p(&d), 1, 0);
	d.ci95 = NAN;
	assert_true(isnan(wt_stats_p(&d)));
}

/* R: p.adjust (c (0.01, 0.04, 0.03, 0.005), "holm") is 0.03 0.06 0.06 0.02. */
static void test_holm(void **state)
{
	double p[] = { 0.01, NAN, 0.04, 0.03, 0.005 };
	const double wanted[] = { 0.03, NAN, 0.06, 0.06, 0.02 };

	(void) state;
	assert_int_equal(wt_stats_holm(p, p, 5), 0);
	assert_true(isnan(p[1]));
	for (size_t i = 0; i < 5; i++)
		if (i != 1)
			assert_float_equal(p[i], wanted[i], 1e-12);
	p[0] = 0.9;
	p[1] = 0.8;
	assert_int_equal(wt_stats_holm(p, p, 2), 0);
	assert_float_equal(p[0], 1, 0); /* never above 1 */
	assert_int_equal(wt_stats_holm(NULL, NULL, 0), 0);
}

static struct wt_difference with_effect(double effect, size_t count, double freedom, double t975, double each)
{
	return (struct wt_difference){ .count = count, .mean = effect, .ci95 = t975 / sqrt(each), .freedom = freedom };
}

/* G*Power 3.1, two-sided, alpha 0.05, power 0.8: paired d = 0.2, 0.5, 1: 199, 34, 10; two groups d = 0.5: 64 of each. */
static void test_runs_needed(void **state)
{
	struct wt_difference d = with_effect(0.5, 8, 7, 2.36462425, 8);

	(void) state;
	assert_int_equal(wt_stats_runs_needed(&d, 1), 34);
	d = with_effect(-0.2, 8, 7, 2.36462425, 8);
	assert_int_equal(wt_stats_runs_needed(&d, 1), 199);
	d = with_effect(1, 8, 7, 2.36462425, 8);
	assert_int_equal(wt_stats_runs_needed(&d, 1), 10);
	/* two samples of 8 with a variance of 1 each: the error is sqrt (2 / 8), t (0.975, 14) = 2.14478669 */
	d = with_effect(0.5, 16, 14, 2.14478669, 4);
	assert_int_equal(wt_stats_runs_needed(&d, 0), 64);
	d.mean = 1e-9;
	assert_int_equal(wt_stats_runs_needed(&d, 0), 1000000);
	d.mean = 0;
	assert_int_equal(wt_stats_runs_needed(&d, 0), 0);
	d = (struct wt_difference){ .count = 1, .mean = 1, .ci95 = NAN, .freedom = NAN };
	assert_int_equal(wt_stats_runs_needed(&d, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_nan_is_left_out),
		cmocka_unit_test(test_one_value_has_no_spread),
		cmocka_unit_test(test_nothing_is_nan_and_not_zero),
		cmocka_unit_test(test_equal_values_have_no_width),
		cmocka_unit_test(test_paired), cmocka_unit_test(test_welch), cmocka_unit_test(test_welch_is_student),
		cmocka_unit_test(test_p),
		cmocka_unit_test(test_holm),
		cmocka_unit_test(test_runs_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
