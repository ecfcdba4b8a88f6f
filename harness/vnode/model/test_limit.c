/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <stdio.h>
#include <string.h>

#include "harness/vnode/model/limit.h"
#include "lib/str.h"

#define S INT64_C(1000000)

static void take(struct wt_limit *limit, const char *text)
{
	struct wt_error err = { "" };

	if (wt_limit_read(text, limit, &err) < 0)
		fail_msg("%s: %s", text, err.text);
}

static uint32_t at(const struct wt_limit *limit, double seconds)
{
	return wt_limit_at(limit, (int64_t) (seconds * 1e6));
}

static void test_none(void **state)
{
	const struct wt_limit none = { 0 };
	struct wt_limit limit;

	(void) state;
	assert_int_equal(at(&none, 0), WT_LIMIT_NONE);
	assert_int_equal(wt_limit_at(&none, INT64_MAX), WT_LIMIT_NONE);
	take(&limit, "all");
	assert_int_equal(at(&limit, 1e9), WT_LIMIT_NONE);
}

static void test_a_number_is_for_ever(void **state)
{
	struct wt_limit limit;

	(void) state;
	take(&limit, "1");
	assert_int_equal(at(&limit, 0), 1);
	assert_int_equal(at(&limit, -5), 1);
	assert_int_equal(wt_limit_at(&limit, INT64_MIN), 1);
	assert_int_equal(wt_limit_at(&limit, INT64_MAX), 1);
	take(&limit, "65536");
	assert_int_equal(at(&limit, 7), 65536);
}

/* Each begins with its microsecond. */
static void test_steps(void **state)
{
	struct wt_limit limit;

	(void) state;
	take(&limit, "100,3600:20,7200.5:0,7201:all");
	assert_int_equal(wt_limit_at(&limit, 3600 * S - 1), 100);
	assert_int_equal(wt_limit_at(&limit, 3600 * S), 20);
	assert_int_equal(at(&limit, 7200), 20);
	assert_int_equal(at(&limit, 7200.5), 0);
	assert_int_equal(at(&limit, 7201), WT_LIMIT_NONE);
	assert_int_equal(wt_limit_at(&limit, INT64_MAX), WT_LIMIT_NONE);
	/* The first may have its time, which need not be the beginning. */
	take(&limit, "0:3,10:4");
	assert_int_equal(at(&limit, 0), 3);
	assert_int_equal(at(&limit, 10), 4);
	take(&limit, "10:0");
	assert_int_equal(at(&limit, 9.999), WT_LIMIT_NONE);
	assert_int_equal(at(&limit, 10), 0);
	take(&limit, "0,10:4");
	assert_int_equal(at(&limit, -1), 0);
}

static void test_days(void **state)
{
	struct wt_limit limit;

	(void) state;
	take(&limit, "100,28800:20,64800:all/86400");
	for (int day = 0; day < 400; day += 57) {
		double begin = day * 86400.0;

		assert_int_equal(at(&limit, begin), 100);
		assert_int_equal(at(&limit, begin + 28799.9), 100);
		assert_int_equal(at(&limit, begin + 28800), 20);
		assert_int_equal(at(&limit, begin + 86399.9), WT_LIMIT_NONE);
	}
	take(&limit, "50:7/60");
	assert_int_equal(at(&limit, 59), 7);
	assert_int_equal(at(&limit, 61), WT_LIMIT_NONE);
	assert_int_equal(at(&limit, 110), 7);
}

static void test_bad(void **state)
{
	static const char *const bad[] = {
		"", "0", "0:0", "0,5:0", "0/60", "x", "-1", "+1", " 1", "1 ", "65537", "4294967297", "99999999999999999999",
		"1.5", "al", "alll", "ALL", "none", ",", "1,", ",1", "1,2", "1,:2", "1,5:", "1,x:2", "1,-5:2", "1,5:-2",
		"1,5:2:3", "1,0:2", "1,5:2,5:3", "1,5:2,4:3", "1,5:2,5.0000001:3", "1,1e3:2", "1,1000000001:2", "1,inf:2",
		"1/", "1/0", "1/x", "1/-5", "1/60/60", "1,60:2/60", "1,61:2/60", "1,5:2/ 60", "/60", "1,,5:2", "5:2,1",
	};
	struct wt_limit limit = { 0 }, before = { 0 };
	struct wt_error err;

	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (wt_limit_read(bad[i], &limit, &err) == 0)
			fail_msg("'%s' was taken", bad[i]);
		assert_non_null(strstr(err.text, "100,3600:20"));
		assert_memory_equal(&limit, &before, sizeof(limit));
	}
	assert_int_equal(wt_limit_read(NULL, &limit, &err), -1);
	assert_int_equal(wt_limit_read(NULL, &limit, NULL), -1);
}

/* However long it is: from there on, and why. */
static void test_what_is_wrong_is_shown(void **state)
{
	struct wt_limit limit;
	struct wt_str text = { 0 };
	struct wt_error err;

	(void) state;
	assert_int_equal(wt_limit_read("1,5:x,6:2", &limit, &err), -1);
	assert_non_null(strstr(err.text, "limit=...5:x,6:2: a number"));
	assert_int_equal(wt_limit_read("1,60:2/60", &limit, &err), -1);
	assert_non_null(strstr(err.text, "limit=.../60: a number"));
	assert_int_equal(wt_limit_read("0,5:0/60", &limit, &err), -1);
	assert_non_null(strstr(err.text, "limit=0,5:0/60: a number"));
	wt_str_add(&text, "1");
	for (int i = 1; i < 3000; i++)
		wt_str_printf(&text, ",%d:%d", i, i + 1);
	assert_int_equal(wt_limit_read(text.text, &limit, &err), -1);
	assert_non_null(strstr(err.text, "limit=...256:257,257:258"));
	assert_non_null(strstr(err.text, "256 at most"));
	assert_non_null(strstr(err.text, "not always 0"));
	wt_str_clear(&text);
}

static void test_as_many_steps_as_there_can_be(void **state)
{
	struct wt_str text = { 0 };
	struct wt_limit limit;
	struct wt_error err;

	(void) state;
	wt_str_add(&text, "1");
	for (int i = 1; i < WT_LIMIT_STEPS_MAX; i++)
		wt_str_printf(&text, ",%d:%d", i, i + 1);
	take(&limit, text.text);
	assert_int_equal(limit.step_count, WT_LIMIT_STEPS_MAX);
	assert_int_equal(at(&limit, 1e6), WT_LIMIT_STEPS_MAX);
	wt_str_printf(&text, ",%d:5", WT_LIMIT_STEPS_MAX);
	assert_int_equal(wt_limit_read(text.text, &limit, &err), -1);
	wt_str_clear(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_a_number_is_for_ever),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_days),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_what_is_wrong_is_shown),
		cmocka_unit_test(test_as_many_steps_as_there_can_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
