/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/intervals.h"

static void expect(uint32_t *indexes, size_t count, const char *expected)
{
	char *text = wt_intervals_format(indexes, count);

	assert_non_null(text);
	assert_string_equal(text, expected);
	free(text);
}

static void test_intervals(void **state)
{
	uint32_t mixed[] = { 40, 2, 0, 1, 41, 7, 2 };
	uint32_t one[] = { 5 };
	uint32_t pair[] = { 9, 8 };
	uint32_t ends[] = { UINT32_MAX, 0, UINT32_MAX - 1 };

	(void) state;
	expect(mixed, 7, "0-2 7 40-41");
	expect(one, 1, "5");
	expect(pair, 2, "8-9");
	expect(ends, 3, "0 4294967294-4294967295");
	expect(NULL, 0, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intervals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
