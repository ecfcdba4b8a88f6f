/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lib/json.h"

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
	expect_text("\xf0\x90\x80\x80\xff", "\xf0\x90\x80\x80\xef\xbf\xbd");	/* what is good stays: its ends */
	expect_text("\xc2\x80\xe0\xa0\x80\xf4\x8f\xbf\xbf\xff", "\xc2\x80\xe0\xa0\x80\xf4\x8f\xbf\xbf\xef\xbf\xbd");
	expect_text("\xf5\x80", "\xef\xbf\xbd\xef\xbf\xbd");
}

static void expect_dump(const char *json, const char *wanted)
{
	json_t *value = json_loads(json, JSON_DECODE_ANY, NULL);
	char *text = wt_json_dump(value, JSON_COMPACT | JSON_ENCODE_ANY);

	assert_non_null(text);
	assert_string_equal(text, wanted);
	free(text);
	json_decref(value);
}

static void test_numbers_are_short(void **state)
{
	(void) state;
	expect_dump("0.1", "0.1");
	expect_dump("[0.10000000000000001,-2.5e-3,1.0,100,-7]", "[0.1,-0.0025,1.0,100,-7]");
	expect_dump("[0.30000000000000004,5e-324,1.7976931348623157e308]",
		    "[0.30000000000000004,4.94065645841247e-324,1.7976931348623157e+308]");
	expect_dump("1700000000.123456", "1700000000.123456");
	expect_dump("1e300", "1e+300");
	expect_dump("-0.0", "-0.0");
	expect_dump("9007199254740993", "9007199254740993");
	/* What looks like a number within text stays. */
	expect_dump("{\"1.10000000000000001\":\"0.10000000000000001 \\\" 0.10000000000000001\\\\\",\"e\":[true,false,null]}",
		    "{\"1.10000000000000001\":\"0.10000000000000001 \\\" "
		    "0.10000000000000001\\\\\",\"e\":[true,false,null]}");
	assert_null(wt_json_dump(NULL, 0));
}

/* Random numbers come back as they were. */
static void test_numbers_come_back(void **state)
{
	uint64_t bits = 1;

	(void) state;
	for (int i = 0; i < 20000; i++) {
		json_t *value, *back;
		double d;
		char *text;

		bits = bits * 6364136223846793005u + 1442695040888963407u;
		memcpy(&d, &bits, sizeof(d));
		if (!isfinite(d))
			continue;
		value = json_real(d);
		text = wt_json_dump(value, JSON_ENCODE_ANY);
		back = json_loads(text, JSON_DECODE_ANY, NULL);
		assert_true(json_is_real(back) && json_real_value(back) == d);
		json_decref(value);
		json_decref(back);
		free(text);
	}
}

/* As jansson reads it: any text and number that was written piece by piece. */
static void test_pieces(void **state)
{
	static const char *const texts[] = { "", "plain", "\"\\\n\x01", "\xc3\xa4", "\xff" };
	static const double numbers[] = { 0, -0.5, 0.1, 0.30000000000000004, 1e10, 1.7976931348623157e308, 5e-324 };
	char *text = NULL, number[WT_JSON_NUMBER_SIZE];
	size_t len = 0;
	json_t *json;
	FILE *out;

	(void) state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		json_t *wanted = wt_json_text(texts[i]);

		out = open_memstream(&text, &len);
		assert_int_equal(wt_json_write_text(out, texts[i]), 0);
		fclose(out);
		json = json_loads(text, JSON_DECODE_ANY, NULL);
		assert_true(json_equal(json, wanted));
		json_decref(json);
		json_decref(wanted);
		free(text);
	}
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		wt_json_number_text(number, numbers[i]);
		json = json_loads(number, JSON_DECODE_ANY, NULL);
		assert_true(json_is_number(json) && json_number_value(json) == numbers[i]);
		json_decref(json);
	}
	wt_json_number_text(number, 0.1);
	assert_string_equal(number, "0.1");
}

static void test_null(void **state)
{
	(void) state;
	assert_null(wt_json_text(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_valid_text_stays), cmocka_unit_test(test_other_bytes_are_replaced),
			cmocka_unit_test(test_null),
		cmocka_unit_test(test_numbers_are_short), cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_numbers_come_back),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
