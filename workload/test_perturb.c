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
#include <cmocka.h>

#include <gsl/gsl_statistics_double.h>

#include "workload/perturb.h"
#include "workload/regular.h"

#define DRAWS 40000

static struct wt_perturb parsed(const char *text, const char *again)
{
	char told[WT_PERTURB_TEXT_SIZE];
	struct wt_error err = { "" };
	struct wt_perturb p;

	if (wt_perturb_parse(text, &p, &err) < 0)
		fail_msg("%s", err.text);
	wt_perturb_text(&p, told);
	assert_string_equal(told, again);
	return p;
}

static void test_parse(void **state)
{
	static const char *const bad[] = { "", "uniform", "uniform ", "uniform 0", "uniform 101", "uniform -5",
					   "uniform nan",
					   "normal 10/", "normal 10/0.5",
					   "normal 10/11", "uniform 10/2", "gamma 10", "unif 10",
					   "uniform 10 x", "uniform 1e1", "lognormal 1001", "10", "uniform10",
					   "uniform 1.2.3" };
	struct wt_error err;
	struct wt_perturb p = parsed("uniform 10", "uniform 10");

	(void) state;
	assert_true(p.model == WT_PERTURB_UNIFORM && p.spread == 0.1);
	p = parsed("normal 12.5%/3", "normal 12.5/3");
	assert_true(p.model == WT_PERTURB_NORMAL && p.spread == 0.125 && p.divisor == 3);
	p = parsed("normal 5/1", "normal 5");	/* the least divisor, which is that of a text without one */
	assert_true(p.divisor == 1);
	p = parsed("normal 5/10", "normal 5/10");
	p = parsed("normal 5", "normal 5");
	assert_true(p.divisor == 1);
	p = parsed("lognormal 200%", "lognormal 200");
	assert_true(p.model == WT_PERTURB_LOGNORMAL && p.spread == 2);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		errno = 0;
		if (wt_perturb_parse(bad[i], &p, &err) == 0)
			fail_msg("'%s' was taken", bad[i]);
		assert_int_equal(errno, EINVAL);
	}
}

static void factors_draw(const char *text, double *factors)
{
	struct wt_perturb p;

	assert_int_equal(wt_perturb_parse(text, &p, NULL), 0);
	for (uint32_t i = 0; i < DRAWS; i++)
		factors[i] = wt_perturb_factor(&p, 3, i);
}

/* Mean and deviation within four standard errors, the bounds of the uniform distribution and of a run time. */
static void test_moments(void **state)
{
	static const struct {
		const char *text;
		double sd, least, most;
	} rows[] = {
		{ "uniform 10", 0.1 / 1.7320508, 0.9, 1.1 },  { "normal 10/2", 0.05, 0, 2 },
		{ "normal 10/3", 0.1 / 3, 0, 2 },
		{ "lognormal 10", 0.1, 0, 3 },		      { "lognormal 50", 0.5, 0, 90 },
	};
	double *factors = calloc(DRAWS, sizeof(*factors));

	(void) state;
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		double mean, sd;

		factors_draw(rows[r].text, factors);
		mean = gsl_stats_mean(factors, 1, DRAWS);
		sd = gsl_stats_sd(factors, 1, DRAWS);
		if (fabs(mean - 1) > 4 * rows[r].sd / sqrt(DRAWS) || fabs(sd / rows[r].sd - 1) > 0.05)
			fail_msg("%s: mean %g, sd %g", rows[r].text, mean, sd);
		assert_true(gsl_stats_min(factors, 1, DRAWS) >= rows[r].least);
		assert_true(gsl_stats_max(factors, 1, DRAWS) <= rows[r].most);
	}
	/* a wide normal distribution is cut off, not folded: no job has no run time at all */
	factors_draw("normal 100", factors);
	assert_true(gsl_stats_min(factors, 1, DRAWS) > 0);
	free(factors);
}

/* The same job of the same seed lies at the same quantile in each model. */
static void test_quantiles(void **state)
{
	struct wt_perturb uniform = parsed("uniform 10", "uniform 10"), normal = parsed("normal 10/2", "normal 10/2");
	double a = wt_perturb_factor(&uniform, 1, 7), b = wt_perturb_factor(&uniform, 2, 7),
	       c = wt_perturb_factor(&uniform, 1, 8);

	(void) state;
	assert_true(a != b && a != c && b != c && a == wt_perturb_factor(&uniform, 1, 7));
	for (uint32_t i = 0; i < 100; i++)
		assert_true((wt_perturb_factor(&uniform, 1, i) > 1) == (wt_perturb_factor(&normal, 1, i) > 1));
}

static void test_apply(void **state)
{
	struct wt_perturb p = parsed("uniform 20", "uniform 20");
	struct wt_regular_options o;
	struct wt_workload *w;
	double cpu_s = 0;

	(void) state;
	wt_regular_burst(&o);
	o.machine_cpus = 16;
	o.cpus_max = 8;
	w = wt_regular_create(&o, NULL);
	assert_non_null(w);
	wt_perturb_apply(&p, 5, w);
	for (uint32_t i = 0; i < w->job_count; i++) {
		assert_true(w->jobs[i].run_time_s == 170 * wt_perturb_factor(&p, 5, i));
		assert_true(w->jobs[i].time_limit_s == 340);
		cpu_s += w->jobs[i].cpus * w->jobs[i].run_time_s;
	}
	assert_true(fabs(w->ideal_s - cpu_s / 16) < 1e-6);
	assert_int_equal(wt_workload_check(w, NULL), 0);
	wt_workload_destroy(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse), cmocka_unit_test(test_moments), cmocka_unit_test(test_quantiles),
		cmocka_unit_test(test_apply),
	};

	return cmocka_run_group_tests_name("perturb", tests, NULL, NULL);
}
