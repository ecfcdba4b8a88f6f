/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "harness/clock/test_clock_fixture.h"

static enum wt_activity activity(enum wt_slot_state slot, enum wt_kernel_state kernel)
{
	const struct wt_seen_thread seen = { .state = slot, .kernel = kernel };

	return wt_thread_activity(&seen);
}

static void test_what_a_thread_does(void **state)
{
	(void) state;
	assert_int_equal(activity(WT_SLOT_WAITING, WT_KERNEL_TIMED), WT_ACTIVITY_QUIET);
	assert_int_equal(activity(WT_SLOT_WAITING, WT_KERNEL_BLOCKED), WT_ACTIVITY_QUIET);
	assert_int_equal(activity(WT_SLOT_WAITING, WT_KERNEL_BUSY), WT_ACTIVITY_BUSY);
	assert_int_equal(activity(WT_SLOT_RUNNING, WT_KERNEL_BLOCKED), WT_ACTIVITY_QUIET);
	assert_int_equal(activity(WT_SLOT_RUNNING, WT_KERNEL_TIMED), WT_ACTIVITY_REAL_WAIT);
	assert_int_equal(activity(WT_SLOT_BLOCKED, WT_KERNEL_BLOCKED), WT_ACTIVITY_QUIET);
	assert_int_equal(activity(WT_SLOT_LEAVING, WT_KERNEL_GONE), WT_ACTIVITY_DEAD);
	assert_int_equal(activity(WT_SLOT_CLAIMED, WT_KERNEL_BLOCKED), WT_ACTIVITY_BUSY);
}

static void test_a_woken_thread_is_busy_until_it_has_left_its_wait(void **state)
{
	const struct wt_seen_thread seen = { .state = WT_SLOT_WAITING, .kernel = WT_KERNEL_BLOCKED, .woken = true };

	(void) state;
	assert_int_equal(wt_thread_activity(&seen), WT_ACTIVITY_BUSY);
}

static void test_a_zombie_is_busy_once(void **state)
{
	struct wt_seen_thread seen = { .state = WT_SLOT_RUNNING, .kernel = WT_KERNEL_ZOMBIE };

	(void) state;
	assert_int_equal(wt_thread_activity(&seen), WT_ACTIVITY_BUSY);
	seen.zombie_before = true;
	assert_int_equal(wt_thread_activity(&seen), WT_ACTIVITY_DEAD);
}

static void test_a_jump_goes_as_far_as_timer_slack_lets_it(void **state)
{
	struct wt_advance a = advance(WT_CHARGE_REAL, WT_IDLE_STAND);
	struct wt_survey slack = quiet;
	struct wt_advance_action act;

	(void) state;
	slack.latest_ns = 103 * S;
	act = wt_advance_next(&a, &slack, 10 * S, 0);
	assert_int_equal(act.kind, WT_ADVANCE_JUMP);
	assert_int_equal(act.at_ns, 103 * S);
	assert_int_equal(act.slot, 7);
	assert_int_equal(a.jumped_ns, 93 * S);
	/* The others that are due go on at once. */
	assert_int_equal(wt_advance_next(&a, &busy, 103 * S, 1).kind, WT_ADVANCE_WAKE);
	assert_int_equal(a.jumps, 1);
}

static void test_quiet_jumps_to_the_deadline_and_wakes(void **state)
{
	struct wt_advance a = advance(WT_CHARGE_NONE, WT_IDLE_STAND);
	struct wt_advance_action act = wt_advance_next(&a, &quiet, 10 * S, 0);

	(void) state;
	assert_int_equal(act.kind, WT_ADVANCE_JUMP);
	assert_int_equal(act.at_ns, 100 * S);
	assert_int_equal(act.slot, 7);
	assert_false(act.running);
	assert_int_equal(a.jumps, 1);
	assert_int_equal(a.jumped_ns, 90 * S);
}

static void test_busy_never_jumps(void **state)
{
	struct wt_advance a = advance(WT_CHARGE_NONE, WT_IDLE_STAND);

	(void) state;
	for (int unrest = WT_UNREST_NONE + 1; unrest < WT_UNREST_COUNT; unrest++) {
		struct wt_survey s = busy;

		s.unrest = unrest;
		for (int i = 0; i < 100; i++)
			assert_int_equal(wt_advance_next(&a, &s, 10 * S, i).kind, WT_ADVANCE_LOOK);
	}
	assert_int_equal(a.jumps, 0);
}

static void test_a_reached_deadline_is_not_passed_by_jumping(void **state)
{
	struct wt_advance a = advance(WT_CHARGE_NONE, WT_IDLE_STAND);
	struct wt_advance_action act = wt_advance_next(&a, &quiet, 100 * S, 0);

	(void) state;
	assert_int_equal(act.kind, WT_ADVANCE_WAKE);
	assert_int_equal(act.slot, 7);
	act = wt_advance_next(&a, &quiet, 101 * S, 0);
	assert_int_equal(act.kind, WT_ADVANCE_WAKE);
	assert_int_equal(a.jumps, 0);
}

static void test_threads_with_one_deadline_wait_their_turn(void **state)
{
	struct wt_advance a = advance(WT_CHARGE_NONE, WT_IDLE_STAND);

	(void) state;
	/* One that shares the deadline is still busy; the clock stands exactly there. */
	assert_int_equal(wt_advance_next(&a, &busy, 100 * S, 0).kind, WT_ADVANCE_LOOK);
	/* Charged time has passed the deadline: it fires, whichever thread is busy. */
	assert_int_equal(wt_advance_next(&a, &busy, 100 * S + 1, 0).kind, WT_ADVANCE_WAKE);
}

/* A thread that only passes is looked at without a pause at first, then ever more rarely. */
static void test_pauses_grow(void **state)
{
	static const int64_t want_us[] = { 200, 0, 0, 0, 0, 0, 0, 0, 0, 20, 40, 80, 160 };
	struct wt_advance a = advance(WT_CHARGE_NONE, WT_IDLE_STAND);
	struct wt_survey s = busy;

	(void) state;
	s.passing = true;
	for (size_t i = 0; i < sizeof(want_us) / sizeof(want_us[0]); i++)
		assert_int_equal(wt_advance_next(&a, &s, 10 * S, (int64_t) i).pause_ns, want_us[i] * 1000);
	s.slot++;	/* another thread begins anew */
	assert_int_equal(wt_advance_next(&a, &s, 10 * S, 20).pause_ns, 0);
	for (int i = 0; i < 20; i++)
		wt_advance_next(&a, &s, 10 * S, 21 + i);
	assert_in_range(wt_advance_next(&a, &s, 10 * S, 50).pause_ns, 160000, 1280000);
}

/* A clock that runs comes to a deadline by itself; one that stands does not. */
static void test_pause_ends_at_a_deadline(void **state)
{
	struct wt_advance real = advance(WT_CHARGE_REAL, WT_IDLE_STAND), none = advance(WT_CHARGE_NONE, WT_IDLE_STAND);
	struct wt_survey s = busy;

	(void) state;
	s.earliest_ns = 10 * S + 1000;
	assert_int_equal(wt_advance_next(&real, &s, 10 * S, 0).pause_ns, 1000);
	assert_int_equal(wt_advance_next(&none, &s, 10 * S, 0).pause_ns, 200000);
	real = advance(WT_CHARGE_REAL, WT_IDLE_STAND);
	s.waiter = false;
	assert_int_equal(wt_advance_next(&real, &s, 10 * S, 0).pause_ns, 200000);
}

static void test_charges(void **state)
{
	struct wt_advance none = advance(WT_CHARGE_NONE, WT_IDLE_STAND);
	struct wt_advance real = advance(WT_CHARGE_REAL, WT_IDLE_STAND);
	struct wt_advance cpu = advance(WT_CHARGE_CPU, WT_IDLE_STAND);

	(void) state;
	assert_false(wt_advance_next(&none, &busy, 10 * S, 0).running);
	assert_true(wt_advance_next(&real, &busy, 10 * S, 0).running);
	assert_false(wt_advance_next(&cpu, &busy, 10 * S, 0).running);
	assert_true(wt_advance_next(&real, &quiet, 10 * S, 0).running);
}

static void test_without_a_driver_nothing_jumps(void **state)
{
	static const struct {
		enum wt_charge charge;
		enum wt_idle idle;
		bool runs_quiet, runs_busy;
	} cases[] = {
		{ WT_CHARGE_NONE, WT_IDLE_REAL, true, true },
		{ WT_CHARGE_NONE, WT_IDLE_STAND, false, false },
		{ WT_CHARGE_REAL, WT_IDLE_REAL, true, true },
		{ WT_CHARGE_REAL, WT_IDLE_STAND, false, true },
	};
	struct wt_survey calm = quiet, alone = busy;

	(void) state;
	calm.drivers = alone.drivers = 0;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wt_advance a = advance(cases[i].charge, cases[i].idle);
		struct wt_advance_action act = wt_advance_next(&a, &calm, 10 * S, 0);

		assert_int_equal(act.kind, WT_ADVANCE_LOOK);
		assert_int_equal(act.running, cases[i].runs_quiet);
		assert_int_equal(wt_advance_next(&a, &alone, 10 * S, 0).running, cases[i].runs_busy);
	}
}

static void test_free_run_jumps_without_a_driver(void **state)
{
	struct wt_advance a = advance(WT_CHARGE_NONE, WT_IDLE_RUN);
	struct wt_survey alone = quiet;

	(void) state;
	alone.drivers = 0;
	assert_int_equal(wt_advance_next(&a, &alone, 10 * S, 0).kind, WT_ADVANCE_JUMP);
}

static void test_nobody_waits_then_wait_to_be_poked(void **state)
{
	struct wt_advance a = advance(WT_CHARGE_NONE, WT_IDLE_RUN);
	const struct wt_survey nobody = { .drivers = 1 };
	struct wt_advance_action act = wt_advance_next(&a, &nobody, 10 * S, 0);

	(void) state;
	assert_int_equal(act.kind, WT_ADVANCE_LOOK);
	assert_true(act.pause_ns == INT64_MAX);
}

static int64_t last_of_growing_pauses_ns(struct wt_advance *a, const struct wt_survey *survey)
{
	int64_t last_ns = 0;

	for (int i = 0; i < 50; i++) {
		int64_t pause_ns = wt_advance_next(a, survey, 10 * S, 0).pause_ns;

		assert_true(pause_ns >= last_ns);
		last_ns = pause_ns;
	}
	return last_ns;
}

static void test_pauses_grow_and_a_wake_resets_them(void **state)
{
	struct wt_advance a = advance(WT_CHARGE_NONE, WT_IDLE_STAND);
	struct wt_survey passing = busy;

	(void) state;
	passing.passing = true;
	for (int i = 0; i < 2; i++) {
		/* First the woken thread is given time to block again, and then to be seen so. */
		assert_int_equal(wt_advance_next(&a, &passing, 10 * S, 0).pause_ns, 200000);
		assert_int_equal(wt_advance_next(&a, &passing, 10 * S, 0).pause_ns, 0);
		assert_int_equal(last_of_growing_pauses_ns(&a, &passing), 1000000);
		wt_advance_next(&a, &quiet, 10 * S, 0);
	}
}

static void test_who_works_is_left_alone(void **state)
{
	struct wt_advance a = advance(WT_CHARGE_NONE, WT_IDLE_STAND);
	struct wt_survey passing = busy;

	(void) state;
	passing.passing = true;
	passing.slot++;
	assert_int_equal(wt_advance_next(&a, &busy, 10 * S, 0).pause_ns, 200000);
	assert_int_equal(wt_advance_next(&a, &busy, 10 * S, 0).pause_ns, 250000);
	assert_int_equal(last_of_growing_pauses_ns(&a, &busy), 1000000);
	/* It poked: it may sleep at once, however long it has worked. */
	assert_int_equal(last_of_growing_pauses_ns(&a, &passing), 1000000);
	passing.slot++;
	assert_int_equal(wt_advance_next(&a, &passing, 10 * S, 0).pause_ns, 0);
}

static void test_a_running_clock_is_not_overslept(void **state)
{
	struct wt_advance a = advance(WT_CHARGE_REAL, WT_IDLE_STAND);
	struct wt_advance_action act = { 0 };

	(void) state;
	for (int i = 0; i < 50; i++)
		act = wt_advance_next(&a, &busy, 100 * S - 500, i);
	assert_int_equal(act.kind, WT_ADVANCE_LOOK);
	assert_int_equal(act.pause_ns, 500);
}

static void test_an_outsider_is_served_at_the_machines_rate(void **state)
{
	struct wt_advance a = advance(WT_CHARGE_NONE, WT_IDLE_STAND);
	struct wt_survey served = quiet;
	struct wt_advance_action act;

	(void) state;
	served.unrest = WT_UNREST_OUTSIDER;
	served.outsiders = 1;
	act = wt_advance_next(&a, &served, 10 * S, 0);
	assert_int_equal(act.kind, WT_ADVANCE_LOOK);
	assert_true(act.running);
	assert_false(wt_advance_next(&a, &quiet, 10 * S, 0).running);
}

static void test_after_the_end_the_clock_runs_and_does_not_jump(void **state)
{
	struct wt_advance a = advance(WT_CHARGE_NONE, WT_IDLE_STAND);
	struct wt_advance_action act;

	(void) state;
	wt_advance_close(&a);
	act = wt_advance_next(&a, &quiet, 10 * S, 0);
	assert_int_equal(act.kind, WT_ADVANCE_LOOK);
	assert_true(act.running);
	assert_true(wt_advance_next(&a, &busy, 10 * S, 0).running);
}

static void test_the_clock_begins_with_the_first_participant(void **state)
{
	struct wt_advance a = advance(WT_CHARGE_REAL, WT_IDLE_REAL);
	const struct wt_survey nobody = { 0 }, somebody = { .processes = 1 };

	(void) state;
	assert_false(wt_advance_next(&a, &nobody, 10 * S, 0).running);
	assert_true(wt_advance_next(&a, &somebody, 10 * S, 1).running);
	assert_true(wt_advance_next(&a, &nobody, 10 * S, 2).running);
}

static void test_long_jumps_are_cut(void **state)
{
	struct wt_advance a = advance(WT_CHARGE_NONE, WT_IDLE_STAND);
	struct wt_advance_action act;

	(void) state;
	a.config.jump_max_ns = 20 * S;
	act = wt_advance_next(&a, &quiet, 10 * S, 0);
	assert_int_equal(act.kind, WT_ADVANCE_JUMP);
	assert_int_equal(act.at_ns, 30 * S);
	assert_int_equal(act.slot, WT_ADVANCE_NOBODY);
	act = wt_advance_next(&a, &quiet, 80 * S, 0);
	assert_int_equal(act.at_ns, 100 * S);
	assert_int_equal(act.slot, 7);
}

static void test_every_reason_has_a_name(void **state)
{
	(void) state;
	for (int i = 0; i < WT_UNREST_COUNT; i++)
		assert_string_not_equal(wt_unrest_name(i), "impossible");
	assert_string_equal(wt_unrest_name(WT_UNREST_COUNT), "impossible");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_a_thread_does),
		cmocka_unit_test(test_a_woken_thread_is_busy_until_it_has_left_its_wait),
		cmocka_unit_test(test_a_zombie_is_busy_once),
		cmocka_unit_test(test_a_jump_goes_as_far_as_timer_slack_lets_it),
		cmocka_unit_test(test_quiet_jumps_to_the_deadline_and_wakes),
		cmocka_unit_test(test_busy_never_jumps),
		cmocka_unit_test(test_a_reached_deadline_is_not_passed_by_jumping),
		cmocka_unit_test(test_threads_with_one_deadline_wait_their_turn),
		cmocka_unit_test(test_pauses_grow),
		cmocka_unit_test(test_pause_ends_at_a_deadline),
		cmocka_unit_test(test_charges),
		cmocka_unit_test(test_without_a_driver_nothing_jumps),
		cmocka_unit_test(test_free_run_jumps_without_a_driver),
		cmocka_unit_test(test_nobody_waits_then_wait_to_be_poked),
		cmocka_unit_test(test_pauses_grow_and_a_wake_resets_them),
		cmocka_unit_test(test_who_works_is_left_alone),
		cmocka_unit_test(test_a_running_clock_is_not_overslept),
		cmocka_unit_test(test_an_outsider_is_served_at_the_machines_rate),
		cmocka_unit_test(test_after_the_end_the_clock_runs_and_does_not_jump),
		cmocka_unit_test(test_the_clock_begins_with_the_first_participant),
		cmocka_unit_test(test_long_jumps_are_cut),
		cmocka_unit_test(test_every_reason_has_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
