/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include "cmd/cluster_release.h"

#define NAMED(...)                                                                       \
	cluster_named((int) (sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(char *)), \
		      (char **) (const char *[]){ __VA_ARGS__, NULL })

static void clusters_that_are_talked_to(void **state)
{
	(void) state;
	assert_string_equal(NAMED("windtunnel", "cluster", "exec", "a", "sinfo", "b"), "a");
	assert_string_equal(NAMED("windtunnel", "cluster", "exec", "-d", "a", "--", "sinfo"), "a");
	assert_string_equal(NAMED("windtunnel", "cluster", "status", "--json", "a"), "a");
	assert_string_equal(NAMED("windtunnel", "cluster", "start", "a", "slurmctld"), "a");
	assert_string_equal(NAMED("windtunnel", "cluster", "start", "--host", "h", "a"), "a");
	assert_string_equal(NAMED("windtunnel", "cluster", "start", "--host=h", "a", "nodes"), "a");
	assert_string_equal(NAMED("windtunnel", "cluster", "start", "--ho", "h", "a"), "a");
	assert_string_equal(NAMED("windtunnel", "cluster", "start", "a", "--host", "h"), "a");
	assert_string_equal(NAMED("windtunnel", "cluster", "status", "-j", "a"), "a");
	assert_string_equal(NAMED("windtunnel", "cluster", "env", "a"), "a");
	assert_string_equal(NAMED("windtunnel", "esp", "--clust", "a", "--clock", "real"), "a");
	assert_string_equal(NAMED("windtunnel", "esp", "--clu=a", "-q"), "a");
	assert_string_equal(NAMED("windtunnel", "esp", "--cluster", "a"), "a");
	assert_string_equal(NAMED("windtunnel", "run", "--cluster=b", "--cluster=a", "-q"), "a");
}

static void lines_without_one(void **state)
{
	(void) state;
	assert_null(NAMED("windtunnel"));
	assert_null(NAMED("windtunnel", "cluster"));
	assert_null(NAMED("windtunnel", "cluster", "exec"));
	assert_null(NAMED("windtunnel", "cluster", "exec", "--", "sinfo"));
	assert_null(NAMED("windtunnel", "cluster", "up", "a"));
	assert_null(NAMED("windtunnel", "cluster", "down", "a"));
	assert_null(NAMED("windtunnel", "cluster", "logs", "a"));
	assert_null(NAMED("windtunnel", "esp", "--nodes", "4"));
	assert_null(NAMED("windtunnel", "esp", "--cluster"));
	assert_null(NAMED("windtunnel", "cluster", "start", "--host"));
	assert_null(NAMED("windtunnel", "cluster", "start", "--host", "h"));
	assert_null(NAMED("windtunnel", "esp", "--clusters", "a", "--clock", "real"));
	assert_null(NAMED("windtunnel", "report", "--cluster", "a"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clusters_that_are_talked_to),
		cmocka_unit_test(lines_without_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
