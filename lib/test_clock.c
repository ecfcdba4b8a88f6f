/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clock that a process lives by.  This program exports what libwtclock.so does (harness/clock/wrap_time.c), and so
 * decides itself whether it takes part in virtual time. */
#include "config.h"

#include <time.h>

#include "lib/clock.h"
#include "lib/test_cmocka.h"

#define EXPORT __attribute__((visibility("default")))

static int attached;
static const char *charge = "none";
static int64_t hinted_ns;

EXPORT int wt_clock_library_is_attached(void);
EXPORT int64_t wt_clock_library_machine_ns(void);
EXPORT void wt_clock_library_hint_ns(int64_t deadline_ns);
EXPORT int wt_clock_library_counts(struct wt_clock_counts *counts);

int wt_clock_library_is_attached(void)
{
	return attached;
}

int64_t wt_clock_library_machine_ns(void)
{
	return 7000000123999;
}

void wt_clock_library_hint_ns(int64_t deadline_ns)
{
	hinted_ns = deadline_ns;
}

int wt_clock_library_counts(struct wt_clock_counts *counts)
{
	if (!charge)
		return -1;
	*counts = (struct wt_clock_counts) { .charge = charge, .jumps = 5 };
	return 0;
}

static int setup(void **state)
{
	(void) state;
	attached = 1;
	charge = "none";
	hinted_ns = 0;
	return 0;
}

static void test_real(void **state)
{
	const struct wt_clock *clock;
	struct wt_clock_counts counts;
	int64_t before_us = wt_clock_monotonic_us(), wall_us;

	(void) state;
	attached = 0;
	clock = wt_clock_own();
	assert_string_equal(wt_clock_name(clock), "real");
	assert_ptr_equal(clock, wt_clock_real());
	assert_int_equal(wt_clock_poll_us(clock, 1, 2), 1);
	wall_us = wt_clock_wall_us();		/* the same as the process's own */
	assert_true(wall_us >= before_us && wall_us <= wt_clock_monotonic_us());
	assert_int_equal(wt_clock_counts(&counts), -1);
	assert_int_equal(errno, ENOTSUP);
	assert_false(wt_clock_is_exact(clock));
	wt_clock_hint_us(clock, 9);
	assert_int_equal(hinted_ns, 0);
}

static void test_virtual(void **state)
{
	const struct wt_clock *clock = wt_clock_own();
	struct wt_clock_counts counts;

	(void) state;
	assert_string_equal(wt_clock_name(clock), "virtual");
	assert_int_equal(wt_clock_poll_us(clock, 1, 2), 2);
	assert_int_equal(wt_clock_wall_us(), 7000000123);
	assert_int_equal(wt_clock_counts(&counts), 0);
	assert_int_equal(counts.jumps, 5);
	assert_true(wt_clock_is_exact(clock));
	assert_false(wt_clock_is_exact(wt_clock_real()));
	wt_clock_hint_us(clock, 1000001);
	assert_int_equal(hinted_ns, 1000001000);
}

/* While time passes at the machine's rate, or is charged, a run does not repeat itself. */
static void test_not_exact(void **state)
{
	static const char *const charges[] = { "real", "cpu", NULL };
	const struct wt_clock *clock = wt_clock_own();

	(void) state;
	for (int i = 0; i < 3; i++) {
		charge = charges[i];
		assert_false(wt_clock_is_exact(clock));
		wt_clock_hint_us(clock, 9);
		assert_int_equal(hinted_ns, 0);
	}
}

static void test_sleeps(void **state)
{
	const struct wt_clock *clock = wt_clock_own();
	int64_t now_us = wt_clock_now_us(clock);
	double until_s = ((double) now_us + 2000) / 1e6;

	(void) state;
	assert_int_equal(wt_clock_sleep_until_us(clock, 0), 0);
	assert_int_equal(wt_clock_sleep_until_us(clock, -5), 0);
	assert_int_equal(wt_clock_sleep_until_us(clock, 1), 0);
	assert_int_equal(wt_clock_sleep_until_us(clock, now_us + 1000), 0);
	assert_true(wt_clock_now_us(clock) >= now_us + 1000);
	assert_int_equal(wt_clock_sleep_until_s(clock, until_s), 0);
	assert_true((double) wt_clock_now_us(clock) / 1e6 >= until_s);
	now_us = wt_clock_now_us(clock);
	wt_clock_settle(clock);
	assert_true(wt_clock_now_us(clock) > now_us);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_real, setup), cmocka_unit_test_setup(test_virtual, setup),
		cmocka_unit_test_setup(test_not_exact, setup), cmocka_unit_test_setup(test_sleeps, setup),
	};

	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
