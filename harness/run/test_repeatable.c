/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "harness/run/repeatable.h"

static enum wt_repeatable judge(struct wt_clock_counts counts, const char *wanted)
{
	char basis[512];
	enum wt_repeatable verdict = wt_repeatable_judge(&counts, basis, sizeof(basis));

	if (!strstr(basis, wanted))
		fail_msg("no '%s' in '%s'", wanted, basis);
	return verdict;
}

static void test_a_clock_that_only_jumped(void **state)
{
	(void) state;
	assert_int_equal(judge((struct wt_clock_counts) { .charge = "none", .jumps = 8, .virtual_s = 9 },
			       "in a fixed order"),
			 WT_REPEATABLE_YES);
	/* What is left when two numbers of seconds are subtracted. */
	assert_int_equal(judge((struct wt_clock_counts) { .charge = "none", .unjumped_s = 1e-12 }, "one at a time"),
			 WT_REPEATABLE_YES);
}

static void test_each_disturbance_is_named(void **state)
{
	(void) state;
	assert_int_equal(judge((struct wt_clock_counts) { .charge = "none", .unjumped_s = 0.5 }, "but 0.500 s of it passed"),
			 WT_REPEATABLE_DOUBTFUL);
	assert_int_equal(judge((struct wt_clock_counts) { .charge = "none", .outsiders = 2 }, "but 2 conversations"),
			 WT_REPEATABLE_DOUBTFUL);
	assert_int_equal(judge((struct wt_clock_counts) { .charge = "none", .races = 3 },
			       "but 3 times threads met at a lock"),
			 WT_REPEATABLE_DOUBTFUL);
}

static void test_other_clocks(void **state)
{
	char basis[512];

	(void) state;
	assert_int_equal(judge((struct wt_clock_counts) { .charge = "real" }, "charge real"), WT_REPEATABLE_NO);
	assert_int_equal(judge((struct wt_clock_counts) { .charge = "cpu" }, "charge cpu"), WT_REPEATABLE_NO);
	assert_int_equal(wt_repeatable_judge(NULL, basis, sizeof(basis)), WT_REPEATABLE_NO);
	assert_non_null(strstr(basis, "the machine's own clock"));
}

static void test_little_room(void **state)
{
	struct wt_clock_counts counts = { .charge = "none", .unjumped_s = 1, .outsiders = 1, .races = 1 };

	(void) state;
	for (size_t size = 1; size < 300; size++) {
		char basis[301];

		memset(basis, 'x', sizeof(basis));
		assert_int_equal(wt_repeatable_judge(&counts, basis, size), WT_REPEATABLE_DOUBTFUL);
		assert_true(strnlen(basis, size) < size);
		assert_int_equal(basis[size], 'x');
	}
}

static void test_names(void **state)
{
	(void) state;
	assert_string_equal(wt_repeatable_name(WT_REPEATABLE_YES), "yes");
	assert_string_equal(wt_repeatable_name(WT_REPEATABLE_DOUBTFUL), "doubtful");
	assert_string_equal(wt_repeatable_name(WT_REPEATABLE_NO), "no");
	assert_string_equal(wt_repeatable_name(WT_REPEATABLE_COUNT), "impossible");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_clock_that_only_jumped),
		cmocka_unit_test(test_each_disturbance_is_named),
		cmocka_unit_test(test_other_clocks),
		cmocka_unit_test(test_little_room),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
