/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <stdio.h>

#include "cmd/slurm_builds.h"

static const char *taken(int count, const char *const *words, int *left, char **argv)
{
	for (int i = 0; i < count; i++)
		argv[i] = (char *) words[i];
	argv[count] = NULL;
	*left = count;
	return slurm_option_take(left, argv);
}

static void the_option_is_taken_out(void **state)
{
	char *argv[8];
	int argc;

	(void) state;
	assert_null(taken(3, (const char *const[]){ "windtunnel", "esp", "--slurmish" }, &argc, argv));
	assert_int_equal(argc, 3);
	assert_string_equal(taken(5, (const char *const[]){ "windtunnel", "esp", "--slurm", "24.11", "-q" }, &argc, argv),
			    "24.11");
	assert_int_equal(argc, 3);
	assert_string_equal(argv[2], "-q");
	assert_null(argv[3]);
	assert_string_equal(taken(4, (const char *const[]){ "windtunnel", "--slurm=1", "esp", "--slurm=2" }, &argc, argv),
			    "2");
	assert_int_equal(argc, 2);
	assert_string_equal(taken(3, (const char *const[]){ "windtunnel", "esp", "--slurm" }, &argc, argv), "");
	assert_int_equal(argc, 2);
}

static void what_stands_behind_two_dashes_stays(void **state)
{
	char *argv[8];
	int argc;

	(void) state;
	assert_null(taken(5, (const char *const[]){ "windtunnel", "cluster", "--", "--slurm", "x" }, &argc, argv));
	assert_int_equal(argc, 5);
	assert_string_equal(argv[3], "--slurm");
	assert_null(
		taken(6, (const char *const[]){ "windtunnel", "cluster", "exec", "a", "srun", "--slurm=1" }, &argc, argv));
	assert_int_equal(argc, 6);
	assert_string_equal(taken(6, (const char *const[]){ "windtunnel", "cluster", "exec", "--slurm=1", "a", "x" }, &argc,
				  argv),
			    "1");
	assert_int_equal(argc, 5);
}

static void builds_are_chosen(void **state)
{
	struct slurm_build items[] = {
		{ .version = "22.05.8" },
		{ .version = "24.11.5", .prefix = "/usr" },
		{ .version = "24.11.12" },
	};
	struct slurm_builds builds = { items, 3 };
	struct wt_error error;

	(void) state;
	assert_ptr_equal(slurm_build_choose(&builds, "22.05.8", &error), &items[0]);
	assert_ptr_equal(slurm_build_choose(&builds, "24.11.5", &error), &items[1]);
	assert_ptr_equal(slurm_build_choose(&builds, "24.11", &error), &items[2]);
	assert_ptr_equal(slurm_build_choose(&builds, "/usr/../usr", &error), &items[1]);
	assert_null(slurm_build_choose(&builds, "24.1", &error));
	assert_non_null(strstr(error.text, "22.05.8, 24.11.5, 24.11.12"));
	assert_null(slurm_build_choose(&builds, "", &error));
	assert_null(slurm_build_choose(&builds, "/nowhere/at/all", &error));
}

/* The name alone, among versions that stand in any order. */
static void chosen_is(const char *name, const char *wanted, const char *first, const char *second, const char *third)
{
	const char *versions[] = { first, second, third };
	struct slurm_build items[3] = { 0 };
	const struct slurm_builds builds = { items, 3 };
	struct wt_error error;

	for (size_t i = 0; i < 3; i++)
		snprintf(items[i].version, sizeof(items[i].version), "%s", versions[i]);
	assert_string_equal(slurm_build_choose(&builds, name, &error)->version, wanted);
}

static void a_release_goes_before_its_candidates(void **state)
{
	(void) state;
	chosen_is("24.11", "24.11.0", "22.05.8", "24.11.0-0rc1", "24.11.0");
	chosen_is("24.11", "24.11.0", "24.11.0", "24.11.0-0rc2", "24.11.0-0rc1");
	chosen_is("24.11", "24.11.5", "24.11.6-0rc1", "24.11.5", "24.11.0-0rc1");
	chosen_is("24.11", "24.11.0-0rc2", "24.11.0-0rc2", "24.11.0-0rc1", "25.05.1");
	chosen_is("24.11", "24.11.0-0rc1", "24.11.0-0pre2", "24.11.0-0rc1", "25.05.1");
	chosen_is("24.11.0-0rc1", "24.11.0-0rc1", "24.11.0", "24.11.0-0rc1", "24.11.5");
	chosen_is("24.11.0", "24.11.0", "24.11.0-0rc1", "24.11.0", "24.11.5");
	chosen_is("24.11", "24.11.0-2", "24.11.0-0rc1", "24.11.0-2", "24.11.0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_option_is_taken_out),
		cmocka_unit_test(what_stands_behind_two_dashes_stays),
		cmocka_unit_test(builds_are_chosen),
		cmocka_unit_test(a_release_goes_before_its_candidates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
