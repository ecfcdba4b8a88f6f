/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of slurmctld's files is believed. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "plugins/straggler/slurmctld/stamp.h"

static struct stamps s;
static uint64_t inode;

static int begin(void **state)
{
	(void) state;
	memset(&s, 0, sizeof(s));
	inode = 10;
	return 0;
}

static int64_t file_comes(int64_t stamp_s)
{
	struct stamp_file file = { .inode = ++inode, .changed_s = stamp_s };

	if (stamps_fresh(&s, &file))
		stamps_take(&s, &file, stamp_s);
	return stamps_believed_s(&s);
}

/* It was written by another process, or another machine's: its clock may be ahead of ours. */
static void test_before_us(void **state)
{
	(void) state;
	assert_int_equal(file_comes(1010), 0);
	assert_int_equal(file_comes(1005), 1005);
	assert_int_equal(file_comes(1011), 1011);
}

static void test_same_file(void **state)
{
	struct stamp_file file = { .inode = 5, .changed_s = 7, .changed_ns = 9 };

	(void) state;
	assert_true(stamps_fresh(&s, &file));
	stamps_take(&s, &file, 1000);
	assert_false(stamps_fresh(&s, &file));	/* nor does looking again make it one of ours */
	file.changed_ns++;
	assert_true(stamps_fresh(&s, &file));
	stamps_take(&s, &file, 1001);
	assert_int_equal(stamps_believed_s(&s), 1001);
	file.inode++;
	assert_true(stamps_fresh(&s, &file));
}

static void test_clock_back(void **state)
{
	(void) state;
	assert_false(stamps_clock(&s, 1000000000, 5000000));
	file_comes(995);
	assert_int_equal(file_comes(1000), 1000);
	assert_false(stamps_clock(&s, 1001000000, 6000000));
	assert_true(stamps_clock(&s, 998000000, 7000000));
	/* else what begins now, at 998, would seem to be in the file of 1000 */
	assert_int_equal(stamps_believed_s(&s), 0);
	assert_int_equal(file_comes(1001), 0);		/* it was begun before the clock was set, and is complete only now */
	assert_int_equal(file_comes(1003), 1003);
	assert_false(stamps_clock(&s, 1099000000, 8000000));	/* forward: no harm */
	assert_int_equal(stamps_believed_s(&s), 1003);
	assert_false(stamps_clock(&s, 1100000000 - STAMP_STEP_US, 9000000));
	assert_true(stamps_clock(&s, 1101000000 - 2 * STAMP_STEP_US - 1, 10000000));
}

/* Set back before any file was seen: the one that is there is not believed anyway, and the next one may have been begun
 * before. */
static void test_clock_back_first(void **state)
{
	(void) state;
	stamps_clock(&s, 1000000000, 5000000);
	assert_true(stamps_clock(&s, 990000000, 6000000));
	assert_int_equal(file_comes(1000), 0);
	assert_int_equal(file_comes(1001), 0);
	assert_int_equal(file_comes(995), 995);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_before_us, begin), cmocka_unit_test_setup(test_same_file, begin),
		cmocka_unit_test_setup(test_clock_back, begin), cmocka_unit_test_setup(test_clock_back_first, begin),
	};

	return cmocka_run_group_tests_name("stamp", tests, NULL, NULL);
}
