/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include "harness/clock/active_wait.h"

static int active_of(struct active_wait *w, int count, bool paid)
{
	int active = 0;

	for (int i = 0; i < count; i++) {
		if (!active_wait_next(w))
			continue;
		active++;
		active_wait_note(w, paid);
	}
	return active;
}

static void test_waits_that_pay_go_on(void **state)
{
	struct active_wait w = { 0 };

	(void) state;
	assert_int_equal(active_of(&w, 1000, true), 1000);
	assert_int_equal(w.paid, 1000);
	assert_int_equal(w.vain, 0);
	assert_int_equal(w.lost, 0);
}

static void test_waits_in_vain_become_few(void **state)
{
	struct active_wait w = { 0 };
	int active;

	(void) state;
	active = active_of(&w, 10000, false);
	assert_int_equal(w.vain, active);
	/* Some to find out, then one in so many. */
	assert_in_range(active, 10000 / ACTIVE_WAIT_TRY_EVERY, 10000 / ACTIVE_WAIT_TRY_EVERY + 150);
	active = active_of(&w, 10 * ACTIVE_WAIT_TRY_EVERY, false);
	assert_in_range(active, 9, 11);
}

static void test_free_cpus_are_noticed(void **state)
{
	struct active_wait w = { 0 };

	(void) state;
	active_of(&w, 10000, false);
	/* The first that pay are far apart, then all are active again. */
	active_of(&w, 30 * ACTIVE_WAIT_TRY_EVERY, true);
	assert_int_equal(active_of(&w, 100, true), 100);
}

static void test_one_in_two_pays(void **state)
{
	struct active_wait w = { 0 };

	(void) state;
	for (int i = 0; i < 10000; i++) {
		assert_true(active_wait_next(&w));
		active_wait_note(&w, i % 2);
	}
	assert_int_equal(w.paid, 5000);
	assert_int_equal(w.vain, 5000);
}

static void test_one_in_ten_does_not(void **state)
{
	struct active_wait w = { 0 };
	int active = 0;

	(void) state;
	for (int i = 0; i < 10000; i++) {
		if (!active_wait_next(&w))
			continue;
		active_wait_note(&w, active++ % 10 == 9);
	}
	assert_in_range(active, 1, 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waits_that_pay_go_on),
		cmocka_unit_test(test_waits_in_vain_become_few),
		cmocka_unit_test(test_free_cpus_are_noticed),
		cmocka_unit_test(test_one_in_two_pays),
		cmocka_unit_test(test_one_in_ten_does_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
