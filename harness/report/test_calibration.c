/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>
#include <stdlib.h>

#include "harness/report/calibration.h"

/* 'count' jobs of 10 s that start a second apart and take 'more_s' longer. */
static struct wt_record *record_of(size_t count, const double *more_s, bool cut)
{
	struct wt_record *r = wt_record_create(NULL, NULL);

	assert_non_null(r);
	r->jobs = calloc(count, sizeof(*r->jobs));
	assert_non_null(r->jobs);
	r->job_count = count;
	for (size_t i = 0; i < count; i++) {
		struct wt_job_record *job = &r->jobs[i];
		double start_s = 1000 + (double) i * 1.37, end_s = start_s + 10 + more_s[i];

		wt_job_record_init(job);
		job->state = WT_JOB_COMPLETED;
		job->run_time_s = 10;
		job->start_s = cut ? floor(start_s) : start_s;
		job->end_s = cut ? floor(end_s) : end_s;
	}
	return r;
}

static void means_and_deviations(void **state)
{
	static const double more_s[] = { 0.3, 0.5, 0.5, 0.7 };
	struct wt_record *r = record_of(4, more_s, false);
	struct calibration c = { 0 };
	struct calibration_delays d;
	char *launch, *epilog;

	(void) state;
	r->jobs[1].probe_latency_s = 0.2;
	r->jobs[1].end_s += 0.2;
	calibration_add(&c, r);
	calibration_delays(&c, &d);
	assert_int_equal(c.jobs, 4);
	assert_int_equal(c.cut, 0);
	assert_true(fabs(d.launch_mean_s - 0.5) <= 1e-6);
	assert_true(fabs(d.launch_deviation_s - sqrt(0.02)) <= 1e-6);
	assert_true(fabs(d.launch_error_s - sqrt(0.02 / 4)) <= 1e-6);
	assert_true(isnan(d.epilog_mean_s));
	assert_int_equal(calibration_laws(&d, &launch, &epilog, NULL), 0);
	assert_string_equal(launch, "gamma:0.500000,0.141421");
	assert_null(epilog);
	free(launch);
	wt_record_destroy(r);
}

/* Whole seconds blur each job by up to one, and not the mean of many; nor is that blur a deviation of theirs. */
static void whole_seconds(void **state)
{
	enum { COUNT = 5000 };
	double *more_s = calloc(COUNT, sizeof(*more_s));
	struct calibration c = { 0 };
	struct calibration_delays d;
	struct wt_record *r;

	(void) state;
	assert_non_null(more_s);
	srand48(7);
	for (size_t i = 0; i < COUNT; i++)
		more_s[i] = 0.2 + drand48();
	r = record_of(COUNT, more_s, true);
	for (size_t i = 0; i < COUNT; i++) {
		double start_s = 1000 + (double) i + drand48();

		r->jobs[i].start_s = floor(start_s);
		r->jobs[i].end_s = floor(start_s + 10 + more_s[i]);
	}
	calibration_add(&c, r);
	calibration_delays(&c, &d);
	assert_int_equal(c.cut, COUNT);
	assert_true(fabs(d.launch_mean_s - 0.7) <= 0.03);
	assert_true(fabs(d.launch_deviation_s - sqrt(1.0 / 12)) <= 0.03);
	free(more_s);
	wt_record_destroy(r);
}

static void releases(void **state)
{
	static const double more_s[] = { 0.1, 0.1, 0.1 };
	struct wt_record *r = record_of(3, more_s, false);
	struct calibration c = { 0 };
	struct calibration_delays d;
	char *launch, *epilog;

	(void) state;
	for (size_t i = 0; i < 3; i++) {
		r->jobs[i].alloc_nodes = r->jobs[i].released_nodes = i == 2 ? 100 : (uint32_t) i + 1;
		r->jobs[i].release_s = r->jobs[i].end_s + 0.5;
	}
	calibration_add(&c, r);
	calibration_delays(&c, &d);
	assert_int_equal(c.released, 2);	/* the third is too large */
	assert_true(fabs(d.epilog_mean_s - 1.0 / 2.5) <= 1e-6);
	assert_int_equal(calibration_laws(&d, &launch, &epilog, NULL), 0);
	assert_string_equal(launch, "gamma:0.100000,0.001100");	/* no deviation: the least that a law may have */
	assert_string_equal(epilog, "exp:0.400000");
	free(launch);
	free(epilog);
	wt_record_destroy(r);
}

/* Ten nodes of two jobs were seen completing for 5 s: half a second each. */
static void completing_nodes_of_the_series(void **state)
{
	static const double more_s[] = { 0, 0 };
	static const uint32_t completing[] = { 0, 1, 2, 2, 0, 0 };
	struct wt_record *r = record_of(2, more_s, true);
	struct calibration c = { 0 };
	struct calibration_delays d;

	(void) state;
	r->jobs[0].alloc_nodes = 4;
	r->jobs[1].alloc_nodes = 6;
	for (size_t i = 0; i < sizeof(completing) / sizeof(completing[0]); i++) {
		struct wt_sample sample = { .time_s = 1000 + (double) i, .nodes_completing = completing[i] };

		assert_int_equal(wt_record_add_sample(r, &sample, NULL), 0);
	}
	calibration_add(&c, r);
	calibration_delays(&c, &d);
	assert_true(fabs(d.epilog_mean_s - 0.5) <= 1e-9);
	wt_record_destroy(r);
}

static void nothing_to_tell(void **state)
{
	static const double more_s[] = { -1, -1 };
	struct wt_record *r = record_of(2, more_s, true);
	struct calibration c = { 0 };
	struct calibration_delays d;
	char *launch, *epilog;

	(void) state;
	calibration_delays(&c, &d);
	assert_true(isnan(d.launch_mean_s) && isnan(d.epilog_mean_s));
	assert_int_equal(calibration_laws(&d, &launch, &epilog, NULL), 0);
	assert_null(launch);
	calibration_add(&c, r);	/* faster than they may be: cut times, or a clock that was set */
	calibration_delays(&c, &d);
	assert_true(fabs(d.launch_mean_s - 0) <= 0);
	assert_int_equal(calibration_laws(&d, &launch, &epilog, NULL), 0);
	assert_null(launch);
	assert_null(epilog);
	r->jobs[0].state = WT_JOB_CANCELLED;
	r->jobs[1].end_s = NAN;
	c = (struct calibration) { 0 };
	calibration_add(&c, r);
	assert_int_equal(c.jobs, 0);
	wt_record_destroy(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means_and_deviations),
		cmocka_unit_test(whole_seconds),
		cmocka_unit_test(releases),
		cmocka_unit_test(completing_nodes_of_the_series),
		cmocka_unit_test(nothing_to_tell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
