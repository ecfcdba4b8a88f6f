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
#include <cmocka.h>

#include "lib/str.h"

static void test_grows(void **state)
{
	struct wt_str s = { 0 };
	char *text;

	(void) state;
	for (int i = 0; i < 1000; i++)
		wt_str_printf(&s, "%03d", i);
	wt_str_add(&s, "end");
	assert_int_equal(s.len, 3003);
	text = wt_str_take(&s);
	assert_memory_equal(text, "000001002", 9);
	assert_string_equal(text + 2997, "999end");
	assert_null(s.text);
	free(text);
}

static void test_empty_is_not_null(void **state)
{
	struct wt_str s = { 0 };
	char *text = wt_str_take(&s);

	(void) state;
	assert_string_equal(text, "");
	free(text);
	wt_str_clear(&s);
}

static void test_failed_is_enomem(void **state)
{
	struct wt_str s = { .failed = true };

	(void) state;
	wt_str_add(&s, "x");
	assert_null(wt_str_take(&s));
	assert_int_equal(errno, ENOMEM);
}

static void test_shell_quote(void **state)
{
	char *q = wt_str_shell_quote("/a b/it's");

	(void) state;
	assert_string_equal(q, "'/a b/it'\\''s'");
	free(q);
}

static void test_make_utf8(void **state)
{
	static const char *const good[] = { "", "plain", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
					    "\xf4\x8f\xbf\xbf" };
	static const struct {
		const char *text, *want;
	} bad[] = {
		{ "a\xff" "b", "a?b" }, { "\xc3", "?" }, { "cut \xe2\x82", "cut ??" }, { "\xc0\xaf", "??" },
		{ "\xed\xa0\x80", "???" }, { "\xf4\x90\x80\x80", "????" }, { "\x80\xc3\xa9", "?\xc3\xa9" },
		{ "\xe0\x80\x80", "???" }, { "\xf0\x80\x80\x80", "????" }, { "\xf5\x80\x80\x80", "????" },
	};
	char text[32];

	(void) state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		snprintf(text, sizeof(text), "%s", good[i]);
		assert_false(wt_str_make_utf8(text));
		assert_string_equal(text, good[i]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "%s", bad[i].text);
		assert_true(wt_str_make_utf8(text));
		assert_string_equal(text, bad[i].want);
	}
}

static void expect_line(const char *text, size_t max, const char *want)
{
	char *line = wt_str_make_line(text, max);

	assert_string_equal(line, want);
	free(line);
}

static void test_make_line(void **state)
{
	char *large = malloc(65537);

	(void) state;
	expect_line("", 3, "");
	expect_line("plain, \"quoted\" \xc3\xa9", 64, "plain, \"quoted\" \xc3\xa9");
	expect_line("a\nb\tc\x1b[31m\x7f\r", 64, "a?b?c?[31m??");
	expect_line("\xc2\x9b" "1m\xc2\xa0\xff", 64, "??1m\xc2\xa0?");
	expect_line("abc", 3, "abc");
	expect_line("abc", (size_t) 1 << 60, "abc");	/* it takes what the line needs, not what it may have */
	expect_line("abcd", 3, "...");
	expect_line("abcdef", 5, "ab...");
	expect_line("a\xc3\xa9xxxx", 5, "a...");	/* not half a character */
	expect_line("\xf0\x9f\x98\x80xxxx", 6, "...");
	expect_line("\x80\x80\x80\x80\x80\x80\x80\x80\x80", 8, "??...");
	assert_non_null(large);
	memset(large, 'x', 65536);
	large[65536] = '\0';
	expect_line(large, 8, "xxxxx...");
	free(large);
}

static void test_to_u64(void **state)
{
	static const char *const bad[] = { NULL, "", "-1", "+1", " 1", "1 ", "1k", "0x1", "1.0", "nonsense" };
	struct wt_error err;
	uint64_t v = 0;

	(void) state;
	assert_int_equal(wt_str_to_u64("0", 0, 10, "--n", &v, &err), 0);
	assert_int_equal(v, 0);
	assert_int_equal(wt_str_to_u64("18446744073709551615", 0, UINT64_MAX, "--n", &v, &err), 0);
	assert_true(v == UINT64_MAX);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(wt_str_to_u64(bad[i], 0, 10, "--n", &v, &err), -1);
		assert_int_equal(errno, EINVAL);
	}
	assert_int_equal(wt_str_to_u64("11", 1, 10, "--n", &v, &err), -1);
	assert_int_equal(errno, ERANGE);
	assert_string_equal(err.text, "--n: 11 is not from 1 to 10");
	assert_int_equal(wt_str_to_u64("0", 1, 10, "--n", &v, NULL), -1);
	assert_int_equal(wt_str_to_u64("99999999999999999999999", 0, UINT64_MAX, "--n", &v, &err), -1);
	assert_int_equal(errno, ERANGE);
}

static void expect_duration(double seconds, const char *wanted)
{
	char text[WT_DURATION_SIZE];

	wt_str_duration(text, seconds);
	assert_string_equal(text, wanted);
}

static void test_duration(void **state)
{
	(void) state;
	expect_duration(0, "00:00:00");
	expect_duration(59.4, "00:00:59");
	expect_duration(59.5, "00:01:00");
	expect_duration(86399.4, "23:59:59");
	expect_duration(86399.6, "1-00:00:00");
	expect_duration(100000, "1-03:46:40");
	expect_duration(-90, "-00:01:30");
	expect_duration(-0.1, "00:00:00");
	expect_duration(NAN, "-");
	expect_duration(INFINITY, "-");
	expect_duration(1e15, "11574074074-01:46:40");
	expect_duration(-1e300, "-");
}

static void test_has_controls(void **state)
{
	static const char *const none[] = { "", "plain", "\xc2\xa0x", "\xc2\xa0\xc2\xa9", "\xe2\x80\xa9",
					    "\xe2\x80\xaf", "\xe2\x81\xa5", "\xe2\x81\xaa", "\xe2\x82\xac" };
	static const char *const some[] = { "\n", "a\x7f", "\x1b[1m", "\xc2\x80", "x\xc2\x9f", "\xe2\x80\xaa",
					    "\xe2\x80\xae", "\xe2\x81\xa6", "\xe2\x81\xa9" };

	(void) state;
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_false(wt_str_has_controls(none[i]));
	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
		assert_true(wt_str_has_controls(some[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grows),
		cmocka_unit_test(test_empty_is_not_null),
		cmocka_unit_test(test_failed_is_enomem),
		cmocka_unit_test(test_shell_quote),
		cmocka_unit_test(test_make_utf8), cmocka_unit_test(test_has_controls),
		cmocka_unit_test(test_make_line),
		cmocka_unit_test(test_to_u64),
		cmocka_unit_test(test_duration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
