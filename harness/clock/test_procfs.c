/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <cmocka.h>

#include "harness/clock/procfs.h"

/* As Linux 6.x wrote it for a thread in poll(fds, 1, 1000) and the like; the number is filled in. */
static enum wt_kernel_state classify(long number, const char *args)
{
	struct wt_kernel_call call;
	char text[256];

	snprintf(text, sizeof(text), "%ld %s 0x7ffd3c1b2a60 0x7f1e6d2c35a6\n", number, args);
	assert_int_equal(wt_procfs_parse_syscall(text, &call), 0);
	assert_int_equal(call.number, number);
	return wt_procfs_classify(&call);
}

static void test_running_thread_is_busy(void **state)
{
	struct wt_kernel_call call;

	(void) state;
	assert_int_equal(wt_procfs_parse_syscall("running\n", &call), 0);
	assert_int_equal(call.number, WT_CALL_RUNNING);
	assert_int_equal(wt_procfs_classify(&call), WT_KERNEL_BUSY);
}

static void test_thread_outside_a_call_needs_its_letter(void **state)
{
	struct wt_kernel_call call;

	(void) state;
	assert_int_equal(wt_procfs_parse_syscall("-1 0x7ffe6a45b2a8 0x7f58dc3a4fa0\n", &call), 0);
	assert_int_equal(wt_procfs_classify(&call), WT_KERNEL_UNSURE);
	/* a dead one */
	assert_int_equal(wt_procfs_parse_syscall("-1 0x0 0x0\n", &call), 0);
	assert_int_equal(wt_procfs_classify(&call), WT_KERNEL_UNSURE);
}

static void test_arguments_are_read(void **state)
{
	struct wt_kernel_call call;

	(void) state;
	assert_int_equal(wt_procfs_parse_syscall("202 0x1 0x80 0xffffffffffffffff 0x0 0x5 0x6 0x7 0x8\n", &call), 0);
	assert_int_equal(call.number, 202);
	assert_int_equal(call.args[0], 1);
	assert_int_equal(call.args[1], 0x80);
	assert_true(call.args[2] == UINT64_MAX);
	assert_int_equal(call.args[5], 6);
}

static void test_bad_lines_are_refused(void **state)
{
	static const char *const bad[] = { "", "x", "12", "12 0x1 0x2", "12 0x1 0x2 0x3 0x4 0x5 zz", "Permission denied" };
	struct wt_kernel_call call;

	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		errno = 0;
		assert_int_equal(wt_procfs_parse_syscall(bad[i], &call), -1);
		assert_int_equal(errno, EINVAL);
	}
	assert_int_equal(wt_procfs_parse_syscall(NULL, &call), -1);
	assert_int_equal(wt_procfs_parse_syscall("running", NULL), -1);
}

static void test_untimed_waits_are_blocked(void **state)
{
	(void) state;
	assert_int_equal(classify(SYS_futex, "0x55d0 0x80 0x2 0x0 0x0 0x0"), WT_KERNEL_BLOCKED);
	assert_int_equal(classify(SYS_futex, "0x55d0 0x189 0x0 0x0 0x0 0xffffffff"), WT_KERNEL_BLOCKED);
	assert_int_equal(classify(SYS_ppoll, "0x7ffd 0x1 0x0 0x0 0x8 0x0"), WT_KERNEL_BLOCKED);
	assert_int_equal(classify(SYS_epoll_pwait, "0x4 0x7ffd 0x40 0xffffffff 0x0 0x8"), WT_KERNEL_BLOCKED);
	assert_int_equal(classify(SYS_accept4, "0x4 0x7ffd 0x7ffd 0x80000 0x0 0x0"), WT_KERNEL_BLOCKED);
	assert_int_equal(classify(SYS_wait4, "0xffffffff 0x7ffd 0x0 0x0 0x0 0x0"), WT_KERNEL_BLOCKED);
	assert_int_equal(classify(SYS_rt_sigtimedwait, "0x7ffd 0x7ffd 0x0 0x8 0x0 0x0"), WT_KERNEL_BLOCKED);
#ifdef SYS_poll
	assert_int_equal(classify(SYS_poll, "0x7ffd 0x1 0xffffffff 0x0 0x0 0x0"), WT_KERNEL_BLOCKED);
#endif
}

static void test_timed_waits_pass_real_time(void **state)
{
	(void) state;
	assert_int_equal(classify(SYS_futex, "0x55d0 0x89 0x0 0x7ffd 0x0 0xffffffff"), WT_KERNEL_TIMED);
	assert_int_equal(classify(SYS_futex_waitv, "0x7ffd 0x2 0x0 0x7ffd 0x1 0x0"), WT_KERNEL_TIMED);
	assert_int_equal(classify(SYS_clock_nanosleep, "0x0 0x0 0x7ffd 0x7ffd 0x0 0x0"), WT_KERNEL_TIMED);
	assert_int_equal(classify(SYS_epoll_pwait, "0x4 0x7ffd 0x40 0x3e8 0x0 0x8"), WT_KERNEL_TIMED);
#ifdef SYS_poll
	assert_int_equal(classify(SYS_poll, "0x7ffd 0x1 0x3e8 0x0 0x0 0x0"), WT_KERNEL_TIMED);
#endif
}

static void test_unknown_calls_and_those_on_files_are_not_trusted(void **state)
{
	(void) state;
	assert_int_equal(classify(SYS_fsync, "0x4 0x0 0x0 0x0 0x0 0x0"), WT_KERNEL_BUSY);
	assert_int_equal(classify(SYS_connect, "0x4 0x7ffd 0x10 0x0 0x0 0x0"), WT_KERNEL_BUSY);
	assert_int_equal(classify(SYS_futex, "0x55d0 0x81 0x1 0x0 0x0 0x0"), WT_KERNEL_BUSY);	/* a wake */
	assert_int_equal(classify(SYS_read, "0x4 0x7ffd 0x1000 0x0 0x0 0x0"), WT_KERNEL_UNSURE);
	assert_int_equal(classify(99999, "0x0 0x0 0x0 0x0 0x0 0x0"), WT_KERNEL_BUSY);
}

static const char stat_tail[] = " 1 1 1 0 -1 4194560 1 0 0 0 10 20 0 0 20 0 3 0 777123 1 2 3\n";

static void test_stat_of_a_command_with_an_ugly_name(void **state)
{
	char text[256], letter;
	uint64_t start_time;

	(void) state;
	snprintf(text, sizeof(text), "123 (a) S (b) R) S%s", stat_tail);
	assert_int_equal(wt_procfs_parse_stat(text, &letter, &start_time), 0);
	assert_int_equal(letter, 'S');
	assert_int_equal(start_time, 777123);
}

static void test_bad_stat_is_refused(void **state)
{
	static const char *const bad[] = { "", "123", "123 (a)", "123 (a) S", "123 (a) S 1 2 3", "123 a S 1" };
	uint64_t start_time;
	char letter;

	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		errno = 0;
		assert_int_equal(wt_procfs_parse_stat(bad[i], &letter, &start_time), -1);
		assert_int_equal(errno, EINVAL);
	}
	assert_int_equal(wt_procfs_parse_stat(NULL, &letter, &start_time), -1);
}

static void test_letters(void **state)
{
	(void) state;
	assert_int_equal(wt_procfs_classify_letter('R'), WT_KERNEL_BUSY);
	assert_int_equal(wt_procfs_classify_letter('D'), WT_KERNEL_BUSY);
	assert_int_equal(wt_procfs_classify_letter('S'), WT_KERNEL_BLOCKED);
	assert_int_equal(wt_procfs_classify_letter('T'), WT_KERNEL_BLOCKED);
	assert_int_equal(wt_procfs_classify_letter('Z'), WT_KERNEL_ZOMBIE);
	assert_int_equal(wt_procfs_classify_letter('X'), WT_KERNEL_GONE);
	assert_int_equal(wt_procfs_classify_letter('?'), WT_KERNEL_BUSY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_running_thread_is_busy),
		cmocka_unit_test(test_thread_outside_a_call_needs_its_letter),
		cmocka_unit_test(test_arguments_are_read),
		cmocka_unit_test(test_bad_lines_are_refused),
		cmocka_unit_test(test_untimed_waits_are_blocked),
		cmocka_unit_test(test_timed_waits_pass_real_time),
		cmocka_unit_test(test_unknown_calls_and_those_on_files_are_not_trusted),
		cmocka_unit_test(test_stat_of_a_command_with_an_ugly_name),
		cmocka_unit_test(test_bad_stat_is_refused),
		cmocka_unit_test(test_letters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
