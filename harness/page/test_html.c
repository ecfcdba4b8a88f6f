/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/page/html.h"

typedef void (*write_fn)(FILE *out, const char *text);

static void check(write_fn write, const char *text, const char *expected)
{
	char *got = NULL;
	size_t size;
	FILE *out = open_memstream(&got, &size);

	if (!out)
		fail_msg("Bail out! no stream");
	write(out, text);
	fclose(out);
	assert_string_equal(got, expected);
	free(got);
}

static void markup_is_text(void **state)
{
	(void) state;
	check(html_text, "<script>alert('1' & \"2\")</script>",
	      "&lt;script&gt;alert(&#39;1&#39; &amp; &quot;2&quot;)&lt;/script&gt;");
	check(html_text, "", "");
	check(html_text, NULL, "");
	check(html_name, "r\xc3\xa9union \xe2\x82\xac \xf0\x9f\x8c\x80", "r\xc3\xa9union \xe2\x82\xac \xf0\x9f\x8c\x80");
}

static void characters_that_deceive_are_shown(void **state)
{
	(void) state;
	check(html_text, "a\x1b[31mb\x7f\r\n\t", "a\\u001B[31mb\\u007F\\u000D\\u000A\\u0009");
	check(html_text, "\xe2\x80\xaegpj.exe", "\\u202Egpj.exe");		/* right-to-left override */
	check(html_text, "a\xe2\x81\xa6z\xe2\x80\x8bz\xef\xbb\xbf", "a\\u2066z\\u200Bz\\uFEFF");
	check(html_text, "\xc2\x85\xd8\x9c\xf3\xa0\x81\x81", "\\u0085\\u061C\\U000E0041");
	check(html_lines, "a\tb\nc\x01<", "a\tb\nc\\u0001&lt;");
}

static void what_is_not_utf8_is_replaced(void **state)
{
#define BAD "\xef\xbf\xbd"
	(void) state;
	check(html_text, "a\xff" "b\x80", "a" BAD "b" BAD);
	check(html_text, "\xc0\xaf", BAD BAD);			/* overlong */
	check(html_text, "\xe0\x80\xaf", BAD BAD BAD);
	check(html_text, "\xed\xa0\x80", BAD BAD BAD);		/* a surrogate */
	check(html_text, "\xf4\x80\x80\x80\xf4\x8f\xbf\xbd", "\xf4\x80\x80\x80\xf4\x8f\xbf\xbd");
	check(html_text, "\xf4\x90\x80\x80", BAD BAD BAD BAD);	/* above U+10FFFF */
	check(html_text, "\xe2\x82", BAD BAD);			/* cut at the end */
}

static void long_texts_are_cut(void **state)
{
	char text[65536], expected[HTML_NAME_MAX + 4];

	(void) state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	memset(expected, 'x', HTML_NAME_MAX);
	strcpy(expected + HTML_NAME_MAX, "\xe2\x80\xa6");
	check(html_name, text, expected);
	text[HTML_NAME_MAX] = '\0';
	expected[HTML_NAME_MAX] = '\0';
	check(html_name, text, expected);
}

static void check_digits(double value, const char *expected)
{
	char text[HTML_DURATION_SIZE];

	html_digits(text, value);
	assert_string_equal(text, expected);
}

static void digits_that_count(void **state)
{
	(void) state;
	check_digits(1946879.56, "1,946,880");
	check_digits(1258.08, "1,258");
	check_digits(999.96, "1,000");
	check_digits(935.21, "935.2");
	check_digits(-74.341, "-74.34");
	check_digits(4.4512, "4.45");
	check_digits(134, "134");
	check_digits(0, "0");
	check_digits(0.6, "0.600");
	check_digits(0.012345, "0.0123");
	check_digits(0.000001234, "0.00000123");
	check_digits(1.5e-12, "1.5e-12");
	check_digits(1e300, "1e+300");
	check_digits(NAN, "not known");
	check_digits(-INFINITY, "not known");
}

static void check_duration(double seconds, const char *expected)
{
	char text[HTML_DURATION_SIZE];

	html_duration(text, seconds);
	assert_string_equal(text, expected);
}

static void durations(void **state)
{
	(void) state;
	check_duration(0, "0 s");
	check_duration(0.0123, "12.3 ms");
	check_duration(0.99949, "999 ms");
	check_duration(0.9996, "1.00 s");
	check_duration(4.25, "4.25 s");
	check_duration(9.996, "10.0 s");
	check_duration(59.94, "59.9 s");
	check_duration(59.96, "1 min");
	check_duration(60, "1 min");
	check_duration(1067.4, "17 min 47 s");
	check_duration(3599.6, "1 h");
	check_duration(3660, "1 h 1 min");
	check_duration(86399, "1 d");
	check_duration(180000, "2 d 2 h");
	check_duration(-75, "-1 min 15 s");
	check_duration(NAN, "not known");
	check_duration(INFINITY, "not known");
}

static void check_axis(double seconds, double step_s, const char *expected)
{
	char text[HTML_DURATION_SIZE];

	html_axis_time(text, seconds, step_s);
	assert_string_equal(text, expected);
}

static void times_on_an_axis(void **state)
{
	(void) state;
	check_axis(0, 60, "0:00");
	check_axis(930, 30, "15:30");
	check_axis(3725, 60, "1:02:05");
	check_axis(90061, 3600, "1 d 01:01");
	check_axis(172800, 86400, "2 d");
	check_axis(0.5, 0.25, "0.5 s");
	check_axis(-1, 1, "?");
	check_axis(1e300, 1, "?");
}

static void check_number(double value, int decimals, const char *expected)
{
	char text[HTML_DURATION_SIZE];

	html_number(text, value, decimals);
	assert_string_equal(text, expected);
}

static void numbers(void **state)
{
	(void) state;
	check_number(0, 0, "0");
	check_number(999, 0, "999");
	check_number(1000, 0, "1,000");
	check_number(65536, 0, "65,536");
	check_number(-1234567.891, 2, "-1,234,567.89");
	check_number(-123, 0, "-123");
	check_number(1e300, 2, "1e+300");
	check_number(NAN, 2, "not known");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(markup_is_text),
		cmocka_unit_test(characters_that_deceive_are_shown),
		cmocka_unit_test(what_is_not_utf8_is_replaced),
		cmocka_unit_test(long_texts_are_cut),
		cmocka_unit_test(durations),
		cmocka_unit_test(times_on_an_axis),
		cmocka_unit_test(numbers),
		cmocka_unit_test(digits_that_count),
	};

	return cmocka_run_group_tests_name("html", tests, NULL, NULL);
}
