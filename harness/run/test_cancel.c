/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>

#include "harness/run/cancel.h"

/* looked (...) at 'now_s': is it time, and since when is it calm? */
static bool looked(double *calm_s, double now_s, bool submitted, size_t pending, size_t unsure)
{
	struct wt_ledger_counts counts = { .submitted = 5, .pending = pending, .running = 5, .unsure = unsure };
	bool due;

	*calm_s = run_cancel_look(*calm_s, now_s, submitted, &counts, 10, &due);
	return due;
}

static void test_all_run_for_the_whole_time(void **state)
{
	double calm_s = NAN;

	(void) state;
	assert_false(looked(&calm_s, 100, true, 0, 0));
	assert_float_equal(calm_s, 100, 0);
	assert_false(looked(&calm_s, 109.5, true, 0, 0));
	assert_true(looked(&calm_s, 110, true, 0, 0));
}

static void test_a_job_that_waits_begins_it_anew(void **state)
{
	double calm_s = NAN;

	(void) state;
	assert_false(looked(&calm_s, 100, true, 0, 0));
	assert_false(looked(&calm_s, 105, true, 1, 0));
	assert_true(isnan(calm_s));
	assert_false(looked(&calm_s, 111, true, 0, 0));
	assert_true(looked(&calm_s, 121, true, 0, 0));
}

static void test_not_before_all_are_submitted(void **state)
{
	double calm_s = NAN;

	(void) state;
	assert_false(looked(&calm_s, 100, false, 0, 0));
	assert_false(looked(&calm_s, 200, false, 0, 0));
	assert_false(looked(&calm_s, 300, true, 0, 1)); /* slurmctld may have a job more */
	assert_true(isnan(calm_s));
}

static void test_nothing_was_begun(void **state)
{
	struct run_cancel c = { 0 };

	(void) state;
	assert_true(run_cancel_join(&c, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_run_for_the_whole_time),
		cmocka_unit_test(test_a_job_that_waits_begins_it_anew),
		cmocka_unit_test(test_not_before_all_are_submitted),
		cmocka_unit_test(test_nothing_was_begun),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
