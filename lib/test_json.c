/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "wt_json.h"

static void expect_text(const char *text, const char *wanted)
{
	json_t *json = wt_json_text(text);

	assert_non_null(json);
	assert_string_equal(json_string_value(json), wanted);
	json_decref(json);
}

static void test_valid_text_stays(void **state)
{
	(void) state;
	expect_text("", "");
	expect_text("plain", "plain");
	expect_text("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80", "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80");
}

static void test_other_bytes_are_replaced(void **state)
{
	(void) state;
	expect_text("cut \xe2\x82", "cut \xef\xbf\xbd\xef\xbf\xbd");
	expect_text("gr\xfc\xdf", "gr\xef\xbf\xbd\xef\xbf\xbd");
	expect_text("\xc0\x80.", "\xef\xbf\xbd\xef\xbf\xbd.");	/* overlong */
	expect_text("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");	/* a surrogate */
	expect_text("\xf5\x80", "\xef\xbf\xbd\xef\xbf\xbd");
}

static void test_null(void **state)
{
	(void) state;
	assert_null(wt_json_text(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_valid_text_stays), cmocka_unit_test(test_other_bytes_are_replaced), cmocka_unit_test(test_null),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
