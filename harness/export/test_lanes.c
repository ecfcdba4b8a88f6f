/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>

#include "lib/test_cmocka.h"
#include "harness/export/lanes.h"

static void test_lowest_free_lane(void **state)
{
	struct lanes lanes = { 0 };

	(void) state;
	assert_int_equal(lane_take(&lanes, 0, 10), 0);
	assert_int_equal(lane_take(&lanes, 0, 5), 1);
	assert_int_equal(lane_take(&lanes, 1, 3), 2);
	assert_int_equal(lane_take(&lanes, 5, 6), 1);	/* two are free: the lower */
	assert_int_equal(lane_take(&lanes, 5, 9), 2);
	assert_int_equal(lane_take(&lanes, 10, 11), 0);
	assert_int_equal(lanes.count, 3);
	lanes_clear(&lanes);
}

static void test_no_length_keeps_its_lane_for_a_microsecond(void **state)
{
	struct lanes lanes = { 0 };

	(void) state;
	assert_int_equal(lane_take(&lanes, 7, 7), 0);
	assert_int_equal(lane_take(&lanes, 7, 8), 1);
	assert_int_equal(lane_take(&lanes, 8, 8), 0);
	assert_int_equal(lanes.count, 2);
	lanes_clear(&lanes);
}

/* Against the plain way: an array of the lanes' ends. */
static void test_random_against_plain(void **state)
{
	enum { CALLS = 20000, MOST = 4096 };
	static int64_t ends[MOST];
	struct lanes lanes = { 0 };
	uint32_t most = 0;
	int64_t now = 0;

	(void) state;
	srand(20261123);
	for (int i = 0; i < CALLS; i++) {
		int64_t length = 1 + rand() % 400;
		uint32_t plain = 0;

		now += rand() % 3;
		while (plain < most && ends[plain] > now)
			plain++;
		assert_true(plain < MOST);
		ends[plain] = now + length;
		most = plain >= most ? plain + 1 : most;
		assert_int_equal(lane_take(&lanes, now, now + length), plain);
	}
	assert_int_equal(lanes.count, most);
	lanes_clear(&lanes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lowest_free_lane),
		cmocka_unit_test(test_no_length_keeps_its_lane_for_a_microsecond),
		cmocka_unit_test(test_random_against_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
