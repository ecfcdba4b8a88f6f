/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "workload/left_out.h"

static void test_names(void **state)
{
	(void) state;
	for (int i = 0; i < WT_LEFT_COUNT; i++) {
		assert_non_null(wt_left_out_text((enum wt_left_out) i));
		for (int j = 0; j < i; j++)
			assert_string_not_equal(wt_left_out_key((enum wt_left_out) i),
						wt_left_out_key((enum wt_left_out) j));
	}
}

static void test_choose(void **state)
{
	bool chosen[WT_LEFT_COUNT] = { false };

	(void) state;
	assert_int_equal(wt_left_out_choose("large", chosen, NULL), 0);
	assert_true(chosen[WT_LEFT_LARGE] && !chosen[WT_LEFT_BAD] && !chosen[WT_LEFT_PROFILE]);
	assert_int_equal(wt_left_out_choose("bad,profile", chosen, NULL), 0);
	assert_true(chosen[WT_LEFT_LARGE] && chosen[WT_LEFT_BAD] && chosen[WT_LEFT_PROFILE] && !chosen[WT_LEFT_PART]);
}

static void expect_refused(const char *list, const char *word)
{
	bool chosen[WT_LEFT_COUNT] = { false };
	struct wt_error err;

	assert_int_equal(wt_left_out_choose(list, chosen, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, word));
}

static void test_refused(void **state)
{
	(void) state;
	expect_refused("", "'' cannot be left out: give bad, large or profile");
	expect_refused("bad,", "'' cannot");
	expect_refused("bad,part,large", "'part' cannot");	/* it is left out without being asked for */
	expect_refused("ba", "'ba' cannot");
	expect_refused("larger", "'larger' cannot");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names), cmocka_unit_test(test_choose), cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests_name("left_out", tests, NULL, NULL);
}
