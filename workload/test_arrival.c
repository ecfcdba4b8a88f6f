/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>
#include <stdio.h>

#include "workload/arrival.h"

static gsl_rng *rng_open(void)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	if (!rng)
		fail_msg("Bail out! gsl_rng_alloc");
	gsl_rng_set(rng, 1);
	return rng;
}

static void draws_mean_sd(const struct wt_arrival *arrival, double *mean, double *sd, double *min, double *max)
{
	enum { N = 100000 };
	gsl_rng *rng = rng_open();
	double sum = 0, squares = 0;

	*min = INFINITY;
	*max = -INFINITY;
	for (int i = 0; i < N; i++) {
		double x = wt_arrival_draw(arrival, rng);

		sum += x;
		squares += x * x;
		*min = fmin(*min, x);
		*max = fmax(*max, x);
	}
	gsl_rng_free(rng);
	*mean = sum / N;
	*sd = sqrt(squares / N - *mean * *mean);
}

static void test_default_is_the_papers(void **state)
{
	double mean, sd, min, max;

	(void) state;
	assert_int_equal(wt_arrival_check(&wt_arrival_default, NULL), 0);
	assert_float_equal(wt_arrival_mean_s(&wt_arrival_default), 2, 1e-12);
	draws_mean_sd(&wt_arrival_default, &mean, &sd, &min, &max);
	assert_float_equal(mean, 2, 0.01);
	assert_float_equal(sd, 0.57735, 0.01);
	assert_true(min >= 1 && max <= 3);
	assert_true(min < 1.01 && max > 2.99);
}

static void test_gaussian_moments(void **state)
{
	struct wt_arrival a = wt_arrival_default;
	double mean, sd, min, max;

	(void) state;
	a.model = WT_ARRIVAL_GAUSSIAN;
	draws_mean_sd(&a, &mean, &sd, &min, &max);
	assert_float_equal(mean, 2, 0.01);
	assert_float_equal(sd, 0.57735, 0.01);
	assert_true(min >= 0 && max > 3);
}

static void test_gaussian_is_truncated_not_clamped(void **state)
{
	/* Mean 0: half of the bell, whose mean is sd x sqrt (2 / pi); clamping would give half of that. */
	struct wt_arrival a = { .model = WT_ARRIVAL_GAUSSIAN, .mean_s = 0, .sd_s = 1 };
	double mean, sd, min, max;

	(void) state;
	draws_mean_sd(&a, &mean, &sd, &min, &max);
	assert_true(min >= 0);
	assert_float_equal(mean, 0.797885, 0.01);
}

static void test_constant_waits(void **state)
{
	struct wt_arrival uniform = { .model = WT_ARRIVAL_UNIFORM, .min_s = 2.5, .max_s = 2.5 };
	struct wt_arrival gaussian = { .model = WT_ARRIVAL_GAUSSIAN, .mean_s = 0, .sd_s = 0 };
	gsl_rng *rng = rng_open();

	(void) state;
	assert_int_equal(wt_arrival_check(&uniform, NULL), 0);
	assert_int_equal(wt_arrival_check(&gaussian, NULL), 0);
	assert_float_equal(wt_arrival_draw(&uniform, rng), 2.5, 0);
	assert_float_equal(wt_arrival_draw(&gaussian, rng), 0, 0);
	gsl_rng_free(rng);
}

static void test_bad_values(void **state)
{
	const struct wt_arrival bad[] = {
		{ .model = WT_ARRIVAL_UNIFORM, .min_s = 3, .max_s = 1 },
		{ .model = WT_ARRIVAL_UNIFORM, .min_s = -1, .max_s = 1 },
		{ .model = WT_ARRIVAL_UNIFORM, .min_s = NAN, .max_s = 1 },
		{ .model = WT_ARRIVAL_UNIFORM, .min_s = 0, .max_s = INFINITY },
		{ .model = WT_ARRIVAL_GAUSSIAN, .mean_s = -0.1, .sd_s = 1 },
		{ .model = WT_ARRIVAL_GAUSSIAN, .mean_s = 1, .sd_s = -1 },
		{ .model = WT_ARRIVAL_GAUSSIAN, .mean_s = 1, .sd_s = NAN },
		{ .model = (enum wt_arrival_model) 7 },
	};
	struct wt_error err;

	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		errno = 0;
		assert_int_equal(wt_arrival_check(&bad[i], &err), -1);
		assert_int_equal(errno, EINVAL);
	}
	assert_int_equal(wt_arrival_check(&bad[0], &err), -1);
	assert_string_equal(err.text, "uniform arrivals between 3 s and 1 s: give 0 <= least <= most <= 1000000");
}

static void test_names(void **state)
{
	enum wt_arrival_model model;
	struct wt_error err;

	(void) state;
	assert_int_equal(wt_arrival_model_parse("gaussian", &model, NULL), 0);
	assert_int_equal(model, WT_ARRIVAL_GAUSSIAN);
	assert_string_equal(wt_arrival_model_name(WT_ARRIVAL_UNIFORM), "uniform");
	assert_int_equal(wt_arrival_model_parse("poisson", &model, &err), -1);
	assert_string_equal(err.text, "'poisson' is not an arrival model: give uniform or gaussian");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_default_is_the_papers),
		cmocka_unit_test(test_gaussian_moments),
		cmocka_unit_test(test_gaussian_is_truncated_not_clamped),
		cmocka_unit_test(test_constant_waits),
		cmocka_unit_test(test_bad_values),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
