/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "harness/report/identity.h"

#define TRACE(sum, more)                                                                                                    \
	"{\"options\": {\"probe\": \"job\", \"limit_factor\": 2, \"time_scale\": 9, \"repeat\": 4, \"workload\": {"         \
	"\"name\": \"swf\", \"trace\": \"/x/t.swf\", \"jobs\": 7, \"from_s\": 0.0, \"cpus_scale\": 1.0" sum more "}}}"
#define SUM(text) ", \"sha256\": \"" text "\""

static json_t *make(const char *summary, const char *scenario)
{
	json_t *s = json_loads(summary, 0, NULL), *c = scenario ? json_loads(scenario, 0, NULL) : NULL, *identity;

	assert_non_null(s);
	assert_true(c || !scenario);
	identity = wt_identity_make(s, c);
	assert_non_null(identity);
	json_decref(s);
	json_decref(c);
	return identity;
}

#define SUMMARY "{\"workload\": \"swf\", \"jobs_total\": 3, \"time_scale\": 1.0, \"seed\": 5}"

/* 'text' NULL: they do not differ. */
static void expect(const char *other_summary, const char *scenario, const char *other, const char *text, const char *unknown)
{
	json_t *a = make(SUMMARY, scenario), *b = make(other_summary, other);
	char said[256];

	assert_int_equal(wt_identity_differs(a, b, said, sizeof(said)), text != NULL);
	assert_string_equal(said, text ? text : "");
	assert_false(wt_identity_differs(a, a, said, sizeof(said)));
	if (unknown)
		assert_non_null(strstr(wt_identity_unknown(a, b), unknown));
	else
		assert_null(wt_identity_unknown(a, b));
	json_decref(a);
	json_decref(b);
}

static void test_same(void **state)
{
	(void) state;
	expect(SUMMARY, TRACE(SUM("aa"), ""), TRACE(SUM("aa"), ""), NULL, NULL);
	/* A whole number is one however it is written; the seed does not matter. */
	expect("{\"workload\": \"swf\", \"jobs_total\": 3, \"time_scale\": 1, \"seed\": 6}", TRACE(SUM("aa"), ""),
	       TRACE(SUM("aa"), ""), NULL,
	       NULL);
}

static void test_different(void **state)
{
	(void) state;
	expect(SUMMARY, TRACE(SUM("0123456789"), ""), TRACE(SUM("9876543210"), ""),
	       "trace t.swf (SHA-256 01234567) and t.swf (SHA-256 98765432)", NULL);
	expect(SUMMARY, TRACE(SUM("aa"), ", \"load\": 0.8"), TRACE(SUM("aa"), ", \"load\": 0.5"), "--load 0.8 and 0.5",
	       NULL);
	expect("{\"workload\": \"burst\", \"jobs_total\": 2, \"time_scale\": 0.5}", TRACE(SUM("aa"), ""),
	       "{\"options\": {\"workload\": {}, \"probe\": \"none\"}}",
	       "workload swf and burst, number of jobs 3 and 2, time scale 1.0 and 0.5, --probe job and none", NULL);
	expect(SUMMARY, TRACE(SUM("aa"), ", \"leave_out\": []"), TRACE(SUM("aa"), ", \"leave_out\": [\"bad\"]"),
	       "--leave-out [] and [\"bad\"]",
	       NULL);
}

static void test_unknown(void **state)
{
	(void) state;
	expect(SUMMARY, TRACE(SUM("aa"), ""), TRACE("", ""), NULL, "no checksum");
	expect(SUMMARY, TRACE("", ""), TRACE("", ""), NULL, "no checksum");
	expect(SUMMARY, TRACE(SUM("aa"), ""), NULL, NULL, "no scenario.json");
	expect(SUMMARY, TRACE(SUM("aa"), ""), "{}", NULL, "no scenario.json");
	/* What is known differs all the same. */
	expect("{\"workload\": \"swf\", \"jobs_total\": 343}", TRACE("", ""), NULL, "number of jobs 3 and 343",
	       "no scenario.json");
	expect("{}", TRACE("", ""), NULL, NULL, "no scenario.json");
}

/* Whatever the values are, the text ends within its buffer. */
static void test_cut(void **state)
{
	json_t *a = make(SUMMARY, TRACE(SUM("aa"), ", \"load\": [1, 2, {}]")),
		*b = make(SUMMARY, TRACE(SUM("bb"), ", \"load\": null"));
	char text[20];

	(void) state;
	assert_true(wt_identity_differs(a, b, text, sizeof(text)));
	assert_string_equal(text, "trace t.swf (SHA-25");
	wt_identity_label(a, text, sizeof(text));
	assert_string_equal(text, "swf:t.swf");
	json_decref(a);
	json_decref(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same), cmocka_unit_test(test_different), cmocka_unit_test(test_unknown),
			cmocka_unit_test(test_cut),
	};

	return cmocka_run_group_tests_name("identity", tests, NULL, NULL);
}
