/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/test_cmocka.h"
#include "lib/openmetrics.h"

typedef void (*write_fn)(struct wt_openmetrics *om);

/* What 'fn' writes, with the end mark; *rc and *error are those of the end. */
static char *text_of(write_fn fn, double time_s, int *rc, struct wt_error *error)
{
	struct wt_openmetrics om = { .time_s = time_s };
	char *text = NULL;
	size_t size;

	om.out = open_memstream(&text, &size);
	assert_non_null(om.out);
	fn(&om);
	*rc = wt_openmetrics_end(&om, error);
	fclose(om.out);
	return text;
}

static void all_types(struct wt_openmetrics *om)
{
	static const struct wt_metric_label plain[] = { { "run", "light" }, { "none", NULL }, { NULL, NULL } };
	static const struct wt_metric_label hostile[] = { { "a", "q\" b\\ \n\x1b\xff" },
							  { "b", "\xc3\xa9" },
							  { NULL, NULL } };
	static const double bounds[] = { 0.5, 10, 1e6 };
	static const uint64_t counts[] = { 1, 3, 4 };

	wt_metric_family(om, "x_seconds", WT_METRIC_GAUGE, "seconds", "One \"line\",\nnot two \\.");
	wt_metric_value(om, plain, 0.1);
	wt_metric_value(om, NULL, NAN);
	wt_metric_value(om, NULL, -INFINITY);
	wt_metric_family(om, "empty", WT_METRIC_GAUGE, NULL, "Nothing.");
	wt_metric_family(om, "unknown", WT_METRIC_GAUGE, NULL, "Not known.");
	wt_metric_value(om, NULL, NAN);
	wt_metric_family(om, "jobs", WT_METRIC_COUNTER, NULL, "Jobs.");
	wt_metric_count(om, plain, UINT64_MAX);
	wt_metric_value(om, hostile, 0);
	wt_metric_family(om, "build", WT_METRIC_INFO, NULL, "What it is.");
	wt_metric_info(om, plain);
	wt_metric_family(om, "wait_seconds", WT_METRIC_HISTOGRAM, "seconds", "Waits.");
	wt_metric_histogram(om, plain, bounds, counts, 3, 4, 2e6);
	wt_metric_histogram(om, NULL, NULL, NULL, 0, 0, 0);
}

static void test_all_types(void **state)
{
	static const char expected[] =
		"# TYPE x_seconds gauge\n# UNIT x_seconds seconds\n# HELP x_seconds One \\\"line\\\",\\nnot two \\\\.\n"
		"x_seconds{run=\"light\"} 0.1\nx_seconds -Inf\n"
		"# TYPE jobs counter\n# HELP jobs Jobs.\njobs_total{run=\"light\"} 18446744073709551615\n"
		"jobs_total{a=\"q\\\" b\\\\ ???\",b=\"\xc3\xa9\"} 0\n"
		"# TYPE build info\n# HELP build What it is.\nbuild_info{run=\"light\"} 1\n"
		"# TYPE wait_seconds histogram\n# UNIT wait_seconds seconds\n# HELP wait_seconds Waits.\n"
		"wait_seconds_bucket{run=\"light\",le=\"0.5\"} 1\nwait_seconds_bucket{run=\"light\",le=\"10.0\"} 3\n"
		"wait_seconds_bucket{run=\"light\",le=\"1000000.0\"} 4\nwait_seconds_bucket{run=\"light\",le=\"+Inf\"} 4\n"
		"wait_seconds_count{run=\"light\"} 4\nwait_seconds_sum{run=\"light\"} 2000000\n"
		"wait_seconds_bucket{le=\"+Inf\"} 0\nwait_seconds_count 0\nwait_seconds_sum 0\n"
		"# EOF\n";
	struct wt_error error = { "" };
	int rc;
	char *text = text_of(all_types, NAN, &rc, &error);

	(void) state;
	assert_int_equal(rc, 0);
	assert_string_equal(text, expected);
	free(text);
}

static void one_gauge(struct wt_openmetrics *om)
{
	wt_metric_family(om, "x", WT_METRIC_GAUGE, NULL, "X.");
	wt_metric_value(om, NULL, 1.0 / 3);
}

static void test_time_and_precision(void **state)
{
	int rc;
	char *text = text_of(one_gauge, 1800000000.25, &rc, NULL);

	(void) state;
	assert_string_equal(text, "# TYPE x gauge\n# HELP x X.\nx 0.33333333333333331 1800000000.250\n# EOF\n");
	free(text);
}

static void family_twice(struct wt_openmetrics *om)
{
	one_gauge(om);
	wt_metric_family(om, "x_y", WT_METRIC_GAUGE, NULL, "Another name that has the first in it.");
	wt_metric_value(om, NULL, 1);
	one_gauge(om);
}

static void unit_missing(struct wt_openmetrics *om)
{
	wt_metric_family(om, "wait", WT_METRIC_GAUGE, "seconds", "X.");
	wt_metric_value(om, NULL, 1);
}

static void suffix_reserved(struct wt_openmetrics *om)
{
	wt_metric_family(om, "jobs_total", WT_METRIC_COUNTER, NULL, "X.");
	wt_metric_count(om, NULL, 1);
}

static void counter_negative(struct wt_openmetrics *om)
{
	wt_metric_family(om, "x", WT_METRIC_COUNTER, NULL, "X.");
	wt_metric_value(om, NULL, -1);
}

static void counter_unknown(struct wt_openmetrics *om)
{
	wt_metric_family(om, "x", WT_METRIC_COUNTER, NULL, "X.");
	wt_metric_value(om, NULL, NAN);
}

static void label_reserved(struct wt_openmetrics *om)
{
	static const struct wt_metric_label labels[] = { { "le", "1" }, { NULL, NULL } };

	wt_metric_family(om, "x", WT_METRIC_GAUGE, NULL, "X.");
	wt_metric_value(om, labels, 1);
}

static void type_wrong(struct wt_openmetrics *om)
{
	wt_metric_family(om, "x", WT_METRIC_GAUGE, NULL, "X.");
	wt_metric_info(om, NULL);
}

static void buckets_fall(struct wt_openmetrics *om)
{
	static const double bounds[] = { 1, 2 };
	static const uint64_t counts[] = { 3, 2 };

	wt_metric_family(om, "x", WT_METRIC_HISTOGRAM, NULL, "X.");
	wt_metric_histogram(om, NULL, bounds, counts, 2, 3, 1);
}

static void bounds_fall(struct wt_openmetrics *om)
{
	static const double bounds[] = { 1, 3, 2 };
	static const uint64_t counts[] = { 1, 2, 3 };

	wt_metric_family(om, "x", WT_METRIC_HISTOGRAM, NULL, "X.");
	wt_metric_histogram(om, NULL, bounds, counts, 3, 3, 1);
}

static void name_long(struct wt_openmetrics *om)
{
	char name[WT_METRIC_NAME_SIZE + 1];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	wt_metric_family(om, name + 1, WT_METRIC_GAUGE, NULL, "The longest.");
	wt_metric_value(om, NULL, 1);
	wt_metric_family(om, name, WT_METRIC_GAUGE, NULL, "X.");
	wt_metric_value(om, NULL, 1);
}

static void name_empty(struct wt_openmetrics *om)
{
	wt_metric_family(om, "", WT_METRIC_GAUGE, NULL, "X.");
}

static void test_names(void **state)
{
	struct wt_error error = { "" };
	int rc;
	char *text = text_of(name_long, NAN, &rc, &error);

	(void) state;
	assert_int_equal(rc, -1);
	assert_non_null(strstr(error.text, "is no name of a family"));
	assert_non_null(strstr(text, "The longest."));
	free(text);
	text = text_of(name_empty, NAN, &rc, &error);
	assert_string_equal(error.text, "metrics: : is no name of a family");
	free(text);
}

static void test_broken_rules(void **state)
{
	static const struct {
		write_fn fn;
		const char *said;
	} cases[] = {
		{ family_twice, "metrics: x: this family comes twice" },
		{ unit_missing, "metrics: wait: the name does not end in its unit" },
		{ suffix_reserved, "metrics: jobs_total: the name of a family ends in a suffix that only samples have" },
		{ counter_negative, "metrics: x: a counter is neither negative nor unknown" },
		{ counter_unknown, "metrics: x: a counter is neither negative nor unknown" },
		{ label_reserved, "metrics: x: is no name of a label" },
		{ type_wrong, "metrics: x: this metric is of another type than its family" },
		{ bounds_fall, "metrics: x: bounds or counts of a histogram fall, or its sum is none" },
		{ buckets_fall, "metrics: x: bounds or counts of a histogram fall, or its sum is none" },
	};

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wt_error error = { "" };
		int rc;
		char *text = text_of(cases[i].fn, NAN, &rc, &error);

		assert_int_equal(rc, -1);
		assert_int_equal(errno, EINVAL);
		assert_string_equal(error.text, cases[i].said);
		assert_null(strstr(text, "le=\"1\""));
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_types),
		cmocka_unit_test(test_time_and_precision),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_broken_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
