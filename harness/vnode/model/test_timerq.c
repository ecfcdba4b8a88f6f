/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include "harness/vnode/model/timerq.h"

static wt_timer_id arm(struct wt_timerq *q, int64_t deadline_us, uint32_t a)
{
	struct wt_timer timer = { .deadline_us = deadline_us, .kind = 1, .a = a };
	wt_timer_id id = wt_timerq_arm(q, &timer);

	assert_true(id != 0);
	return id;
}

static void test_order(void **state)
{
	struct wt_timerq *q = wt_timerq_create();
	struct wt_timer timer;
	int64_t deadline_us;

	(void) state;
	assert_non_null(q);
	assert_false(wt_timerq_next(q, &deadline_us));
	arm(q, 30, 3);
	arm(q, 10, 1);
	arm(q, 20, 2);
	arm(q, 10, 11);		/* equal: after the one that was armed before */
	assert_true(wt_timerq_next(q, &deadline_us));
	assert_int_equal(deadline_us, 10);
	assert_false(wt_timerq_pop(q, 9, &timer));
	assert_true(wt_timerq_pop(q, 10, &timer));
	assert_int_equal(timer.a, 1);
	assert_true(wt_timerq_pop(q, 10, &timer));
	assert_int_equal(timer.a, 11);
	assert_false(wt_timerq_pop(q, 10, &timer));
	assert_true(wt_timerq_pop(q, 1000, &timer));
	assert_int_equal(timer.a, 2);
	assert_true(wt_timerq_pop(q, 1000, &timer));
	assert_int_equal(timer.a, 3);
	assert_int_equal(wt_timerq_count(q), 0);
	wt_timerq_destroy(q);
	wt_timerq_destroy(NULL);
}

static void test_cancel_is_safe_for_generations(void **state)
{
	struct wt_timerq *q = wt_timerq_create();
	struct wt_timer timer;
	wt_timer_id first = arm(q, 10, 1), second;

	(void) state;
	assert_true(wt_timerq_cancel(q, first));
	assert_false(wt_timerq_cancel(q, first));
	second = arm(q, 20, 2);		/* uses the same memory */
	assert_true(first != second);
	assert_false(wt_timerq_cancel(q, first));
	assert_true(wt_timerq_pop(q, 20, &timer));
	assert_int_equal(timer.a, 2);
	assert_false(wt_timerq_cancel(q, second));
	assert_false(wt_timerq_cancel(q, 0));
	assert_false(wt_timerq_cancel(q, UINT64_MAX));
	wt_timerq_destroy(q);
}

/* Against the simplest thing that could work. */
static void test_random_against_a_list(void **state)
{
	enum { COUNT = 4000 };
	static int64_t deadlines[COUNT];
	static wt_timer_id ids[COUNT];
	static uint8_t live[COUNT];
	struct wt_timerq *q = wt_timerq_create();
	struct wt_timer timer;
	unsigned int seed = 12345;
	size_t left = 0;

	(void) state;
	for (uint32_t i = 0; i < COUNT; i++) {
		seed = seed * 1103515245 + 12345;
		deadlines[i] = seed >> 16 & 1023;
		ids[i] = arm(q, deadlines[i], i);
		live[i] = 1;
		if (seed >> 8 & 1) {
			uint32_t victim = (seed >> 9) % (i + 1);

			assert_int_equal(wt_timerq_cancel(q, ids[victim]), live[victim]);
			live[victim] = 0;
		}
	}
	for (uint32_t i = 0; i < COUNT; i++)
		left += live[i];
	assert_int_equal(wt_timerq_count(q), left);
	for (int64_t last = 0; wt_timerq_pop(q, 2000, &timer); last = timer.deadline_us) {
		assert_true(timer.deadline_us >= last);
		assert_int_equal(live[timer.a], 1);
		assert_int_equal(timer.deadline_us, deadlines[timer.a]);
		live[timer.a] = 0;
		left--;
	}
	assert_int_equal(left, 0);
	wt_timerq_destroy(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_cancel_is_safe_for_generations),
		cmocka_unit_test(test_random_against_a_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
