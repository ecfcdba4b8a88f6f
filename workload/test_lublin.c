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

#include "workload/lublin.h"
#include "workload/stream.h"

#define DRAWS 40000

/* Within four standard errors of what the model says. */
static void expect_share(size_t count, size_t of, double share)
{
	double error = sqrt(share * (1 - share) / (double) of), got = (double) count / (double) of;

	if (fabs(got - share) > 4 * error)
		fail_msg("a share of %g, not %g +- %g", got, share, 4 * error);
}

static void expect_mean(const double *values, size_t count, double mean)
{
	double error = gsl_stats_sd(values, 1, count) / sqrt((double) count), got = gsl_stats_mean(values, 1, count);

	if (fabs(got - mean) > 4 * error)
		fail_msg("a mean of %g, not %g +- %g", got, mean, 4 * error);
}

static void expect_close(double got, double wanted, double within)
{
	if (fabs(got - wanted) > within)
		fail_msg("%g, not %g +- %g", got, wanted, within);
}

/* Serial; a power of two; the knee at 2^4.5 = 22.6; the largest is the machine.  Of the sizes that are of any number some
 * are powers of two by chance: those that u between two neighbouring halves rounds to. */
static void test_sizes(void **state)
{
	gsl_rng *rng = wt_stream_open(7, 0);
	size_t serial = 0, powers = 0, large = 0;

	(void) state;
	for (size_t i = 0; i < DRAWS; i++) {
		uint32_t size = wt_lublin_size(rng, 128);

		assert_in_range(size, 1, 128);
		serial += size == 1;
		powers += size > 1 && !(size & (size - 1));
		large += size > 32;
	}
	expect_share(serial, DRAWS, WT_LUBLIN_SERIAL);
	assert_true(powers > 0.576 * DRAWS && powers < 0.7 * DRAWS);
	/* above 32: of the powers u >= 5.5, of the others u > log2 (32.5) */
	expect_share(large, DRAWS, (0.576 * (7 - 5.5) + 0.18 * (7 - log2(32.5))) / 2.5 * 0.14);
	gsl_rng_free(rng);
}

/* On a machine of 8 CPUs the knee is at 0.8, and on one of 100 no job is of 128. */
static void test_small_machines(void **state)
{
	gsl_rng *rng = wt_stream_open(7, 0);

	(void) state;
	for (size_t i = 0; i < 1000; i++) {
		assert_in_range(wt_lublin_size(rng, 8), 1, 8);
		assert_in_range(wt_lublin_size(rng, 100), 1, 100);
	}
	gsl_rng_free(rng);
}

static double ln_mean(double short_share)
{
	return short_share * WT_LUBLIN_SHORT_SHAPE * WT_LUBLIN_SHORT_SCALE +
	       (1 - short_share) * WT_LUBLIN_LONG_SHAPE * WT_LUBLIN_LONG_SCALE;
}

static void test_run_times(void **state)
{
	static const struct {
		uint32_t cpus;
		double short_share;
	} rows[] = { { 1, 0.7746 }, { 64, 0.4344 }, { 1000, 0 } };
	double *ln_s = calloc(DRAWS, sizeof(*ln_s));

	(void) state;
	assert_non_null(ln_s);
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		gsl_rng *rng = wt_stream_open(7, r);
		size_t longer = 0;

		for (size_t i = 0; i < DRAWS; i++) {
			ln_s[i] = log(wt_lublin_run_time_s(rng, rows[r].cpus));
			assert_true(ln_s[i] <= 12);
			longer += ln_s[i] > 9.36;
		}
		/* what is drawn again above 12 is 1 in 600 of the short jobs, and lowers the mean by some 0.01 */
		expect_close(gsl_stats_mean(ln_s, 1, DRAWS), ln_mean(rows[r].short_share), 0.06);
		assert_true(longer > 0.4 * (1 - rows[r].short_share) * DRAWS);
		gsl_rng_free(rng);
	}
	free(ln_s);
}

static void test_gaps(void **state)
{
	gsl_rng *rng = wt_stream_open(7, 0);
	double *ln_s = calloc(DRAWS, sizeof(*ln_s));

	(void) state;
	assert_non_null(ln_s);
	for (size_t i = 0; i < DRAWS; i++)
		ln_s[i] = log(wt_lublin_gap_s(rng));
	expect_mean(ln_s, DRAWS, WT_LUBLIN_GAP_SHAPE * WT_LUBLIN_GAP_SCALE);
	expect_close(gsl_stats_sd(ln_s, 1, DRAWS), sqrt(WT_LUBLIN_GAP_SHAPE) * WT_LUBLIN_GAP_SCALE, 0.03);
	free(ln_s);
	gsl_rng_free(rng);
}

/* The most in the early afternoon: the gamma's mode is half-hour (8.1737 - 1) x 3.9631 = 28.4, from 14:00 on. */
static void test_day(void **state)
{
	double weights[WT_LUBLIN_SLOTS], sum = 0;
	size_t peak = 0, least = 0;

	(void) state;
	wt_lublin_day(weights);
	for (size_t i = 0; i < WT_LUBLIN_SLOTS; i++) {
		assert_true(weights[i] > 0);
		sum += weights[i];
		peak = weights[i] > weights[peak] ? i : peak;
		least = weights[i] < weights[least] ? i : least;
	}
	assert_true(fabs(sum - WT_LUBLIN_SLOTS) < 1e-9);
	assert_int_equal(peak, 27);
	assert_in_range(least, 9, 10);
}

static struct wt_workload *make(const struct wt_lublin_options *o)
{
	struct wt_error err = { "" };
	struct wt_workload *w = wt_lublin_create(o, &err);

	if (!w)
		fail_msg("%s", err.text);
	assert_int_equal(wt_workload_check(w, &err), 0);
	return w;
}

/* The share of arrivals in each half of the day is that of the weights. */
static void test_arrivals(void **state)
{
	struct wt_lublin_options o;
	double weights[WT_LUBLIN_SLOTS], afternoon = 0, at_s = 0;
	struct wt_workload *w;
	size_t count = 0;
	gsl_rng *rng;

	(void) state;
	wt_lublin_options_init(&o);
	o.jobs = DRAWS;
	o.machine_cpus = 128;
	w = make(&o);
	wt_lublin_day(weights);
	rng = wt_stream_open(o.shared.seed, 2);
	/* the first job came some time after midnight: in the slow hours before 5:00 the gap takes longer than it is */
	for (double left_s = wt_lublin_gap_s(rng), s = 0; left_s > 0; s++, at_s = s)
		left_s -= weights[(size_t) (s / 1800) % WT_LUBLIN_SLOTS];
	gsl_rng_free(rng);
	for (size_t i = 0; i < w->job_count; i++) {
		at_s += w->jobs[i].delay_s;
		count += fmod(at_s, 86400) >= 43200;
	}
	for (size_t i = 24; i < WT_LUBLIN_SLOTS; i++)
		afternoon += weights[i] / WT_LUBLIN_SLOTS;
	expect_close((double) count / DRAWS, afternoon, 0.02);
	wt_workload_destroy(w);
}

static void test_workload(void **state)
{
	struct wt_lublin_options o;
	struct wt_workload *w, *again, *loaded;

	(void) state;
	wt_lublin_options_init(&o);
	o.machine_cpus = 128;
	o.shared.limit_factor = 3;
	w = make(&o);
	o.shared.time_scale = 0.5;
	again = make(&o);
	o.load = 0.8;
	loaded = make(&o);
	assert_int_equal(w->job_count, 1000);
	assert_true(w->lane_count == 1 && w->lanes[0].open_loop && w->seed == 1);
	assert_string_equal(w->jobs[999].name, "lublin.1000");
	assert_true(w->jobs[0].delay_s == 0);
	for (size_t i = 0; i < w->job_count; i++) {
		assert_true(i == 0 || w->jobs[i].delay_s > 0);
		assert_true(w->jobs[i].time_limit_s == 3 * w->jobs[i].run_time_s && w->jobs[i].nodes == 0);
		assert_int_equal(again->jobs[i].cpus, w->jobs[i].cpus);
		assert_true(again->jobs[i].run_time_s == w->jobs[i].run_time_s / 2);
		assert_true(again->jobs[i].delay_s == w->jobs[i].delay_s / 2);
		assert_true(loaded->jobs[i].run_time_s == again->jobs[i].run_time_s);
	}
	assert_true(fabs(wt_lublin_load(loaded) - 0.8) < 1e-9);
	assert_true(wt_lublin_load(w) > 0.1 && wt_lublin_load(w) < 10);
	wt_workload_destroy(w);
	wt_workload_destroy(again);
	wt_workload_destroy(loaded);
}

static void expect_refused(const struct wt_lublin_options *o, const char *text)
{
	struct wt_error err = { "" };

	assert_null(wt_lublin_create(o, &err));
	assert_int_equal(errno, EINVAL);
	assert_string_equal(err.text, text);
	assert_null(wt_lublin_create(o, NULL));
}

static void test_refused(void **state)
{
	struct wt_lublin_options good, bad;

	(void) state;
	wt_lublin_options_init(&good);
	good.machine_cpus = 128;
	bad = good, bad.jobs = 0;
	expect_refused(&bad, "0 jobs: give 1 to 1000000");
	bad = good, bad.machine_cpus = 7;
	expect_refused(&bad, "the model of Lublin and Feitelson is for machines of 8 CPUs and more, not 7");
	bad = good, bad.load = -1;
	expect_refused(&bad, "an offered load of -1: give a number above 0, at most 100");
	bad = good, bad.jobs = 1, bad.load = 0.5;
	expect_refused(&bad, "no load can be made of one job");
	bad = good, bad.shared.time_scale = 0;
	expect_refused(&bad, "time scale 0: give a number above 0, at most 1000");
	bad = good, bad.shared.limit_factor = 0.5;
	expect_refused(&bad, "time limits of 0.5 times the run time: give a factor from 1 to 1000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),	 cmocka_unit_test(test_small_machines), cmocka_unit_test(test_run_times),
		cmocka_unit_test(test_gaps),	 cmocka_unit_test(test_day),		cmocka_unit_test(test_arrivals),
		cmocka_unit_test(test_workload), cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests_name("lublin", tests, NULL, NULL);
}
