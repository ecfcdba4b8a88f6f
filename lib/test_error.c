/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lib/error.h"

static void test_set_fills_text_and_errno(void **state)
{
	struct wt_error err;

	(void) state;
	errno = 0;
	assert_int_equal(wt_error_set(&err, EINVAL, "%s:%d: bad", "file", 3), -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(err.text, "file:3: bad");
}

static void test_errno_appends_strerror(void **state)
{
	struct wt_error err;

	(void) state;
	assert_int_equal(wt_error_errno(&err, ENOENT, "open x"), -1);
	assert_int_equal(errno, ENOENT);
	assert_string_equal(err.text, "open x: No such file or directory");
}

static void test_prefix_keeps_errno(void **state)
{
	struct wt_error err;

	(void) state;
	wt_error_set(&err, ENOMEM, "inner");
	assert_int_equal(wt_error_prefix(&err, "outer %d", 1), -1);
	assert_int_equal(errno, ENOMEM);
	assert_string_equal(err.text, "outer 1: inner");
}

static void test_null_is_allowed(void **state)
{
	(void) state;
	assert_int_equal(wt_error_set(NULL, EPERM, "x"), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(wt_error_errno(NULL, EIO, "x"), -1);
	assert_int_equal(wt_error_prefix(NULL, "x"), -1);
	assert_int_equal(errno, EIO);
}

static void test_long_text_is_truncated(void **state)
{
	struct wt_error err;
	char big[4096];

	(void) state;
	memset(big, 'a', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	wt_error_set(&err, EINVAL, "%s", big);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	wt_error_errno(&err, EINVAL, "%s", big);
	wt_error_prefix(&err, "%s", big);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
}

static void test_control_characters_stay_out(void **state)
{
	struct wt_error err;

	(void) state;
	wt_error_set(&err, EINVAL, "file '%s': bad\n", "a\nb\tc\033[2J\177\r\001 ~ \303\244");
	assert_string_equal(err.text, "file 'a?b?c?[2J??? ~ \303\244': bad?");
	wt_error_errno(&err, ENOENT, "%s", "x\ny");
	assert_string_equal(err.text, "x?y: No such file or directory");
	wt_error_prefix(&err, "%s", "p\nq");
	assert_string_equal(err.text, "p?q: x?y: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set_fills_text_and_errno),
		cmocka_unit_test(test_errno_appends_strerror),
		cmocka_unit_test(test_prefix_keeps_errno),
		cmocka_unit_test(test_null_is_allowed),
		cmocka_unit_test(test_long_text_is_truncated),
		cmocka_unit_test(test_control_characters_stay_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
