/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a clock that cannot jump goes on at the machine's rate, and when it has patience. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "harness/clock/test_clock_fixture.h"

static void test_a_clock_that_stands_falls_back_and_recovers(void **state)
{
	struct wt_advance a = advance(WT_CHARGE_NONE, WT_IDLE_STAND);
	struct wt_survey spins = busy;
	struct wt_advance_action act;

	(void) state;
	spins.spinning = spins.controller = true;
	wt_advance_next(&a, &spins, 10 * S, 0);
	act = wt_advance_next(&a, &spins, 10 * S, PATIENCE_NS);
	assert_false(act.running || act.fallback_began);
	act = wt_advance_next(&a, &spins, 10 * S, PATIENCE_NS + 1);
	assert_true(act.running && act.fallback_began);
	act = wt_advance_next(&a, &spins, 10 * S + 5, PATIENCE_NS + 6);
	assert_true(act.running);
	assert_false(act.fallback_began);
	act = wt_advance_next(&a, &quiet, 10 * S + 9, PATIENCE_NS + 11);
	assert_true(act.fallback_ended);
	assert_false(act.running);
	assert_int_equal(a.fallback_ns, 10);
	assert_int_equal(a.fallbacks, 1);
}

static void test_a_computing_controller_has_more_time(void **state)
{
	struct wt_advance a = advance(WT_CHARGE_NONE, WT_IDLE_STAND);
	struct wt_survey computes = busy;

	(void) state;
	computes.controller = true;
	wt_advance_next(&a, &computes, 10 * S, 0);
	assert_false(wt_advance_next(&a, &computes, 10 * S, CONTROLLER_PATIENCE_NS).fallback_began);
	assert_true(wt_advance_next(&a, &computes, 10 * S, CONTROLLER_PATIENCE_NS + 1).fallback_began);
}

static void test_while_a_controller_uses_cpu_time_its_time_does_not_begin(void **state)
{
	struct wt_survey computes = busy, other = busy;

	(void) state;
	computes.controller = computes.computes = true;
	for (int charge = 0; charge < WT_CHARGE_COUNT; charge++) {
		struct wt_advance a = advance(charge, WT_IDLE_STAND);

		wt_advance_next(&a, &computes, 10 * S, 0);
		wt_advance_next(&a, &computes, 10 * S, 100 * S);
		assert_int_equal(a.fallback, charge != WT_CHARGE_NONE);
		if (charge != WT_CHARGE_NONE)
			continue;
		/* Another one is seen for a moment, or for too long. */
		wt_advance_next(&a, &other, 10 * S, 101 * S);
		assert_false(wt_advance_next(&a, &other, 10 * S, 100 * S + CONTROLLER_PATIENCE_NS).fallback_began);
		assert_true(wt_advance_next(&a, &other, 10 * S, 101 * S + CONTROLLER_PATIENCE_NS).fallback_began);
	}
}

static void test_a_controller_that_computes_for_ever_is_not_waited_for(void **state)
{
	struct wt_advance a = advance(WT_CHARGE_NONE, WT_IDLE_STAND);
	struct wt_survey computes = busy, spins;

	(void) state;
	computes.controller = computes.computes = true;
	spins = computes;
	spins.spinning = true;
	wt_advance_next(&a, &computes, 10 * S, 0);
	assert_false(wt_advance_next(&a, &computes, 10 * S, COMPUTING_PATIENCE_NS).fallback_began);
	assert_true(wt_advance_next(&a, &computes, 10 * S, COMPUTING_PATIENCE_NS + CONTROLLER_PATIENCE_NS + 1)
		    .fallback_began);
	a = advance(WT_CHARGE_NONE, WT_IDLE_STAND);
	wt_advance_next(&a, &spins, 10 * S, 0);
	assert_true(wt_advance_next(&a, &spins, 10 * S, PATIENCE_NS + 1).fallback_began);
}

static void test_charged_time_is_no_standstill(void **state)
{
	struct wt_advance a = advance(WT_CHARGE_CPU, WT_IDLE_STAND);

	(void) state;
	for (int i = 0; i < 100; i++)
		assert_false(wt_advance_next(&a, &busy, 10 * S + i, i * PATIENCE_NS).fallback_began);
}

static void test_a_real_rate_clock_reports_when_quiet_does_not_come(void **state)
{
	struct wt_advance a = advance(WT_CHARGE_REAL, WT_IDLE_STAND);
	struct wt_survey stranger = busy;

	(void) state;
	assert_false(wt_advance_next(&a, &busy, 10 * S, 0).fallback_began);
	assert_false(wt_advance_next(&a, &busy, 20 * S, CONTROLLER_PATIENCE_NS).fallback_began);
	wt_advance_next(&a, &quiet, 30 * S, 0);
	stranger.unrest = WT_UNREST_STRANGER;
	assert_false(wt_advance_next(&a, &stranger, 10 * S, 1).fallback_began);
	assert_false(wt_advance_next(&a, &stranger, 10 * S + PATIENCE_NS, 1 + PATIENCE_NS).fallback_began);
	/* In between a thread computes: then it is a matter of computing again. */
	assert_false(wt_advance_next(&a, &busy, 11 * S, PATIENCE_NS + 2).fallback_began);
	assert_false(wt_advance_next(&a, &stranger, 11 * S, PATIENCE_NS + 3).fallback_began);
	assert_true(wt_advance_next(&a, &stranger, 12 * S, 2 * PATIENCE_NS + 4).fallback_began);
}

static void test_without_a_driver_nobody_is_impatient(void **state)
{
	struct wt_advance a = advance(WT_CHARGE_NONE, WT_IDLE_STAND);
	struct wt_survey alone = busy;

	(void) state;
	alone.drivers = 0;
	wt_advance_next(&a, &alone, 10 * S, 0);
	assert_false(wt_advance_next(&a, &alone, 10 * S, 1000 * S).fallback_began);
}

static void test_with_charge_none_a_thread_may_wait_long_for_a_cpu(void **state)
{
	struct wt_survey unsteady = busy, stranger = busy, loaded = busy, munged = busy;

	(void) state;
	unsteady.unrest = WT_UNREST_CHANGED;
	stranger.unrest = loaded.unrest = WT_UNREST_STRANGER;
	munged.unrest = WT_UNREST_HELPER;
	loaded.works = munged.works = true;
	for (int i = 0; i < 5; i++) {
		const struct wt_survey *s = (const struct wt_survey *[]) { &busy, &unsteady, &stranger, &loaded,
									   &munged }[i];
		struct wt_advance a = advance(WT_CHARGE_NONE, WT_IDLE_STAND);
		wt_advance_next(&a, s, 10 * S, 1);
		assert_int_equal(wt_advance_next(&a, s, 10 * S, PATIENCE_NS + 2).fallback_began, s == &stranger);
		wt_advance_next(&a, s, 10 * S, CONTROLLER_PATIENCE_NS + 2);
		assert_true(a.fallback);
	}
}

static void test_what_is_seen_for_a_moment_is_not_blamed_for_a_long_computation(void **state)
{
	struct wt_survey stranger = busy;

	(void) state;
	stranger.unrest = WT_UNREST_STRANGER;
	for (int charge = 0; charge < WT_CHARGE_COUNT; charge++) {
		struct wt_advance a = advance(charge, WT_IDLE_STAND);
		struct wt_survey computes = busy;

		computes.controller = true;
		wt_advance_next(&a, &computes, 10 * S, 1);
		wt_advance_next(&a, &computes, 10 * S, 10 * S);
		assert_false(wt_advance_next(&a, &stranger, 10 * S, 10 * S + 1).fallback_began);
		assert_false(wt_advance_next(&a, &computes, 10 * S, 10 * S + 2).fallback_began);
		assert_false(wt_advance_next(&a, &stranger, 10 * S, 11 * S).fallback_began);
		assert_true(wt_advance_next(&a, &stranger, 10 * S, 11 * S + PATIENCE_NS + 1).fallback_began);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_clock_that_stands_falls_back_and_recovers),
		cmocka_unit_test(test_a_computing_controller_has_more_time),
		cmocka_unit_test(test_while_a_controller_uses_cpu_time_its_time_does_not_begin),
		cmocka_unit_test(test_a_controller_that_computes_for_ever_is_not_waited_for),
		cmocka_unit_test(test_charged_time_is_no_standstill),
		cmocka_unit_test(test_a_real_rate_clock_reports_when_quiet_does_not_come),
		cmocka_unit_test(test_without_a_driver_nobody_is_impatient),
		cmocka_unit_test(test_with_charge_none_a_thread_may_wait_long_for_a_cpu),
		cmocka_unit_test(test_what_is_seen_for_a_moment_is_not_blamed_for_a_long_computation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
