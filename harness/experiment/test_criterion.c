/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>

#include "harness/experiment/criterion.h"

static void precisions(void **state)
{
	static const char *const bad[] = {
		"",
		"ci95",
		"ci95(makespan)",
		"ci95(makespan)<",
		"ci95(makespan)<0%",
		"ci95(makespan)<-1%",
		"ci95(makespan)<5",
		"ci95(nonsense)<5%",
		"ci95()<5%",
		"ci95(makespan)<5%x",
		"ci95(makespan)<inf%",
		"ci95(makespan)>5%",
		"ci95(make)<5%",
	};
	struct precision p;
	struct wt_error error;

	(void) state;
	assert_int_equal(precision_parse(&p, "ci95(makespan)<0.5%", &error), 0);
	assert_int_equal(p.figure, WT_FIG_MAKESPAN);
	assert_true(fabs(p.share - 0.005) < 1e-12);
	assert_int_equal(precision_parse(&p, " ci95(controller_cpu_s) < 10 % ", &error), 0);
	assert_int_equal(p.figure, WT_FIG_CONTROLLER_CPU);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(precision_parse(&p, bad[i], &error), -1);
}

static void precision_of_values(void **state)
{
	const struct precision p = { WT_FIG_MAKESPAN, 0.01 };
	struct wt_stats s = { .count = 3, .mean = 100, .ci95 = 1 };

	(void) state;
	assert_true(precision_reached(&p, &s));
	s.ci95 = 1.01;
	assert_false(precision_reached(&p, &s));
	s = (struct wt_stats){ .count = 2, .mean = 100, .ci95 = 0 };
	assert_false(precision_reached(&p, &s));
	s = (struct wt_stats){ .count = 3, .mean = NAN, .ci95 = NAN };
	assert_false(precision_reached(&p, &s));
}

static void expectations(void **state)
{
	static const char *const bad[] = {
		"",      "wait_mean_s",      "wait_mean_s <=",     "wait_mean_s < 2%",   "wait_mean_s == 2%",
		"<= 2%", "wait_mean_s <= x", "wait_mean_s <= nan", "wait_mean_s <= 2%%",
		"wait_mean_s <= 0x10", "wait_mean_s <= inf", "wait_mean_s <= 1e400",
		"wait_mean_s <= .", "wait_mean_s <= --2",
	};
	struct expectation e;
	struct wt_error error;

	(void) state;
	assert_int_equal(expectation_parse(&e, "wait_mean_s <= +2%", &error), 0);
	assert_true(e.figure == WT_FIG_WAIT_MEAN && e.at_most && e.relative && fabs(e.bound - 0.02) < 1e-12);
	assert_int_equal(expectation_parse(&e, "utilization>=-0.01", &error), 0);
	assert_true(e.figure == WT_FIG_UTILIZATION && !e.at_most && !e.relative && fabs(e.bound + 0.01) < 1e-12);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(expectation_parse(&e, bad[i], &error), -1);
}

static void verdicts(void **state)
{
	struct expectation e = { WT_FIG_WAIT_MEAN, true, true, 0.02, "at most 2 of 100" };
	static const struct {
		double mean, ci95;
		enum expectation_verdict verdict;
	} cases[] = {
		{ 1, 0.5, EXPECTATION_HOLDS }, { 1, 1, EXPECTATION_HOLDS },    { 1, 1.1, EXPECTATION_OPEN },
		{ 4, 1, EXPECTATION_BROKEN },  { 0, 0, EXPECTATION_HOLDS },    { -50, 10, EXPECTATION_HOLDS },
		{ 1, NAN, EXPECTATION_OPEN },  { NAN, NAN, EXPECTATION_OPEN },
	};

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wt_difference d = { .mean = cases[i].mean, .ci95 = cases[i].ci95 };

		assert_int_equal(expectation_judge(&e, &d, 100), cases[i].verdict);
	}
	/* 7.7 is 10 % more than 7, and 7.7 - 7 more than 0.7 in the last digit. */
	e.bound = 0.1;
	assert_int_equal(expectation_judge(&e, &(struct wt_difference){ .mean = 7.7 - 7, .ci95 = 0 }, 7), EXPECTATION_HOLDS);
	e.bound = 0.02;
	e.at_most = false; /* and at least */
	assert_int_equal(expectation_judge(&e, &(struct wt_difference){ .mean = 4, .ci95 = 1 }, 100), EXPECTATION_HOLDS);
	assert_int_equal(expectation_judge(&e, &(struct wt_difference){ .mean = 0, .ci95 = 1 }, 100), EXPECTATION_BROKEN);
	e.relative = false; /* 0.02 in its own unit */
	assert_int_equal(expectation_judge(&e, &(struct wt_difference){ .mean = 1, .ci95 = 0.5 }, 100), EXPECTATION_HOLDS);
}

/* Four pairs, so three degrees of freedom: an interval that is just clear of its bound has a p just below 0.05. */
static void corrected(void **state)
{
	struct expectation e = { WT_FIG_WAIT_MEAN, true, true, 0.02, "at most 2 of 100" };
	struct wt_difference d = { .count = 4, .mean = 4, .ci95 = 1.9, .freedom = 3 };
	double p = expectation_p(&e, &d, 100), many[3] = { p, 0.2, 0.9 };

	(void) state;
	assert_true(p > 0.03 && p < 0.05);
	assert_int_equal(expectation_judge(&e, &d, 100), EXPECTATION_BROKEN);
	assert_int_equal(expectation_correct(EXPECTATION_BROKEN, &d, p), EXPECTATION_BROKEN);
	assert_int_equal(wt_stats_holm(many, many, 3), 0);
	assert_int_equal(expectation_correct(EXPECTATION_BROKEN, &d, many[0]), EXPECTATION_OPEN);
	d.ci95 = 2; /* touches the bound */
	assert_true(fabs(expectation_p(&e, &d, 100) - 0.05) < 1e-6);
	assert_int_equal(expectation_correct(EXPECTATION_HOLDS, &d, expectation_p(&e, &d, 100)), EXPECTATION_HOLDS);
	d.ci95 = 0; /* no pair differs from another: not by chance, be they ever so many */
	assert_int_equal(expectation_correct(EXPECTATION_HOLDS, &d, 1), EXPECTATION_HOLDS);
	d.ci95 = NAN;
	assert_true(isnan(expectation_p(&e, &d, 100)));
	assert_int_equal(expectation_correct(EXPECTATION_OPEN, &d, NAN), EXPECTATION_OPEN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(precisions),
		cmocka_unit_test(precision_of_values),
		cmocka_unit_test(expectations),
		cmocka_unit_test(verdicts),
		cmocka_unit_test(corrected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
