/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/profile/thread_times.h"

#define REST " S 1 2 3 0 -1 4194304 100 0 0 0 250 50 7 7 20 0 1 0 987654 4096 10 18446744073709551615"

static void test_a_line_of_proc_is_read(void **state)
{
	struct thread_time time;

	(void) state;
	assert_int_equal(thread_time_parse("18090 (rpcmgr)" REST, 100, &time), 0);
	assert_int_equal(time.tid, 18090);
	assert_string_equal(time.name, "rpcmgr");
	assert_float_equal(time.cpu_s, 3, 1e-9);
	assert_int_equal(time.start_time, 987654);
	assert_int_equal(thread_time_parse("7 (a) b (c)" REST "\n", 100, &time), 0);
	assert_string_equal(time.name, "a) b (c");
}

static void test_other_lines_are_refused(void **state)
{
	static const char *const lines[] = {
		"", "1", "1 (a", "1 a) S", ")1 (", "1 (a)", "1 (a) ", "1 (a) S 1 2", "x (a)" REST, "1 (a) S 1 2 3 x",
		"1 (a)S 1 2 3 0 -1 4194304 100 0 0 0 250 50 7 7 20 0 1 0 987654",
	};
	struct thread_time time;

	(void) state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_int_equal(thread_time_parse(lines[i], 100, &time), -1);
}

static void test_uses_are_what_came_in_between(void **state)
{
	struct thread_time first[] = { { 1, 10, "a", 1 }, { 2, 10, "b", 5 }, { 3, 10, "gone", 1 }, { 4, 10, "b", 1 } };
	struct thread_time then[] = { { 1, 10, "a", 1.5 }, { 2, 10, "b", 5.25 }, { 4, 11, "b", 2 } };
	const struct thread_times before = { 10, first, 4 }, after = { 13.5, then, 3 };
	struct thread_use *uses;
	size_t count;

	(void) state;
	assert_int_equal(thread_uses(&before, &after, &uses, &count, NULL), 0);
	assert_int_equal(count, 3);
	/* The tid of another thread by now: all of it is new. */
	assert_string_equal(uses[0].name, "b");
	assert_int_equal(uses[0].threads, 2);
	assert_float_equal(uses[0].cpu_s, 2.25, 1e-9);
	assert_string_equal(uses[1].name, THREADS_ENDED);
	assert_int_equal(uses[1].threads, 0);
	assert_float_equal(uses[1].cpu_s, 0.75, 1e-9);
	assert_string_equal(uses[2].name, "a");
	assert_float_equal(uses[2].cpu_s, 0.5, 1e-9);
	free(uses);
}

static void test_ticks_make_no_time_of_nothing(void **state)
{
	struct thread_time then[] = { { 1, 10, "a", 1.01 } };
	const struct thread_times before = { 0, NULL, 0 }, after = { 1, then, 1 };
	struct thread_use *uses;
	size_t count;

	(void) state;
	assert_int_equal(thread_uses(&before, &after, &uses, &count, NULL), 0);
	assert_int_equal(count, 1);
	free(uses);
}

static void test_this_process_is_read(void **state)
{
	struct thread_times times;
	struct wt_error err;

	(void) state;
	assert_int_equal(thread_times_read(getpid(), &times, &err), 0);
	assert_true(times.count >= 1);
	assert_true(times.cpu_s >= 0);
	thread_times_clear(&times);
	assert_int_equal(thread_times_read(0x7ffffffe, &times, &err), -1);
	assert_int_equal(errno, ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_line_of_proc_is_read), cmocka_unit_test(test_other_lines_are_refused),
		cmocka_unit_test(test_uses_are_what_came_in_between), cmocka_unit_test(test_ticks_make_no_time_of_nothing),
		cmocka_unit_test(test_this_process_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
