/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>

#include "harness/run/real_fit.h"

static int fits(const struct real_bounds *b, struct wt_job job, struct wt_error *error)
{
	struct wt_workload w = { .jobs = &job, .job_count = 1 };

	job.name = (char *) "j";
	errno = 0;
	return real_fit_check(b, &w, "p", error);
}

static void refused(const struct real_bounds *b, struct wt_job job, const char *want)
{
	struct wt_error error = { "" };

	assert_int_equal(fits(b, job, &error), -1);
	assert_int_equal(errno, EINVAL);
	if (!strstr(error.text, want))
		fail_msg("%s", error.text);
}

static void nodes_and_cpus(void **state)
{
	const struct real_bounds b = { .nodes = 3, .cpus = 40, .node_cpus = 16 }, none = { 0 };
	struct wt_workload empty = { 0 };

	(void) state;
	assert_int_equal(fits(&b, (struct wt_job) { .cpus = 40, .time_limit_s = 1e6 }, NULL), 0);
	assert_int_equal(fits(&b, (struct wt_job) { .nodes = 3, .cpus = 48 }, NULL), 0);
	refused(&b, (struct wt_job) { .cpus = 41 }, "j needs 3 nodes and 41 CPUs, and of partition p 3 nodes with 40 CPUs");
	refused(&b, (struct wt_job) { .nodes = 4, .cpus = 4 }, "j needs 4 nodes");
	refused(&none, (struct wt_job) { .cpus = 1 }, "and of partition p 0 nodes");
	assert_int_equal(real_fit_check(&none, &empty, "p", NULL), 0);
}

static void limits(void **state)
{
	const struct real_bounds b = { .nodes = 4, .cpus = 64, .node_cpus = 16, .max_nodes = 2, .max_min = 10 };
	const struct real_bounds closed = { .closed = true, .nodes = 4, .cpus = 64, .node_cpus = 16 };

	(void) state;
	assert_int_equal(fits(&b, (struct wt_job) { .cpus = 32, .time_limit_s = 600 }, NULL), 0);
	assert_int_equal(fits(&b, (struct wt_job) { .cpus = 1, .time_limit_s = NAN }, NULL), 0);
	refused(&b, (struct wt_job) { .cpus = 33 }, "at most 2 (MaxNodes)");
	refused(&b, (struct wt_job) { .cpus = 1, .time_limit_s = 601 },
		"limit of 11 min, and a job of partition p gets at most 10 (MaxTime)");
	refused(&closed, (struct wt_job) { .cpus = 1 }, "its State is not UP");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_and_cpus),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
