/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stddef.h>

#include <cmocka.h>

#include "plugins/select_bestfit/hold.h"

#define S INT64_C(1000000)
#define T0 (1700000000 * S)

static const uint32_t waits[] = { 10, 20 };

static void test_one_level(void **state)
{
	struct hold *h = hold_create();

	(void) state;
	assert_int_equal(hold_judge(h, 7, 0, waits, 2, T0), HOLD_START);
	assert_int_equal(hold_next_us(h, T0) == INT64_MAX, 1);
	assert_int_equal(hold_judge(h, 7, 2, waits, 2, T0), HOLD_FIRST);
	assert_int_equal(hold_next_us(h, T0), T0 + 20 * S);
	assert_int_equal(hold_judge(h, 7, 2, waits, 2, T0 + 20 * S - 1), HOLD_AGAIN);
	assert_int_equal(hold_judge(h, 7, 2, waits, 2, T0 + 20 * S), HOLD_EXPIRED);
	assert_int_equal(hold_judge(h, 7, 2, waits, 2, T0 + 500 * S), HOLD_EXPIRED);	/* it never starts again */
	assert_int_equal(hold_judge(h, 8, 2, waits, 2, T0), HOLD_FIRST);
	assert_int_equal(hold_judge(h, 8, 0, waits, 2, T0 + S), HOLD_BETTER);
	hold_destroy(h);
	hold_destroy(NULL);
}

static void test_levels(void **state)
{
	static const uint32_t leaves_no[] = { 0, 20 }, none[] = { 0, 0 };
	struct hold *h = hold_create();

	(void) state;
	assert_int_equal(hold_judge(h, 1, 1, leaves_no, 2, T0), HOLD_START);
	assert_int_equal(hold_judge(h, 1, 3, none, 2, T0), HOLD_START);
	/* Leaves first, then the switch: its clock starts later, but the job waits 20 s in all. */
	assert_int_equal(hold_judge(h, 1, 1, waits, 2, T0), HOLD_FIRST);
	assert_int_equal(hold_judge(h, 1, 1, waits, 2, T0 + 10 * S), HOLD_EXPIRED);
	assert_int_equal(hold_judge(h, 1, 3, waits, 2, T0 + 11 * S), HOLD_AGAIN);
	assert_int_equal(hold_next_us(h, T0 + 11 * S), T0 + 20 * S);
	assert_int_equal(hold_judge(h, 1, 3, waits, 2, T0 + 20 * S), HOLD_EXPIRED);
	/* Settings that change hold for jobs that wait already. */
	assert_int_equal(hold_judge(h, 2, 2, waits, 2, T0), HOLD_FIRST);
	assert_int_equal(hold_judge(h, 2, 2, none, 2, T0 + S), HOLD_BETTER);
	hold_destroy(h);
}

static void test_clock_set_back(void **state)
{
	struct hold *h = hold_create();

	(void) state;
	assert_int_equal(hold_judge(h, 1, 1, waits, 2, T0), HOLD_FIRST);
	assert_int_equal(hold_judge(h, 1, 1, waits, 2, T0 - 3600 * S), HOLD_EXPIRED);
	hold_destroy(h);
}

static bool is_odd(uint32_t job, void *arg)
{
	(void) arg;
	return job % 2;
}

static void test_many(void **state)
{
	struct hold *h = hold_create();
	size_t full = 0;

	(void) state;
	for (uint32_t job = 0; job < HOLD_JOBS_MAX; job++) {
		assert_int_equal(hold_judge(h, job, 1, waits, 2, T0), HOLD_FIRST);
		full += hold_full(h);
	}
	assert_true(full > 0);
	assert_int_equal(hold_judge(h, HOLD_JOBS_MAX, 1, waits, 2, T0), HOLD_START);	/* no room: it starts */
	assert_int_equal(hold_purge(h, is_odd, NULL), HOLD_JOBS_MAX / 2);
	assert_false(hold_full(h));
	assert_int_equal(hold_judge(h, 1, 1, waits, 2, T0 + S), HOLD_AGAIN);
	assert_int_equal(hold_judge(h, 2, 1, waits, 2, T0 + S), HOLD_FIRST);
	hold_destroy(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_level),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_clock_set_back),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
