/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of files and nodes. */
#include "config.h"

#include "lib/test_cmocka.h"

#include "straggler/protocol/names.h"

static void name_is(const char *pattern, const char *want)
{
	const struct copy_names names = { 17, 3, 2 };
	char *got = copy_name(pattern, &names);

	assert_string_equal(got, want);
	free(got);
}

static void test_output_names(void **state)
{
	(void) state;
	name_is("slurm-%A_%a.out", "slurm-17_3.out.attempt2");
	name_is("/o/%4a-%j", "/o/0003-%j.attempt2");
	name_is("%%a%a", "%%a3.attempt2");
	name_is("plain", "plain.attempt2");
	name_is("back\\%a", "back\\%a.attempt2");
	name_is("%", "%.attempt2");
	name_is("%99999999999a", "0000000003.attempt2");
	name_is("/dev/null", "/dev/null");
}

static void test_first_node(void **state)
{
	static const char *const rows[][2] = {
		{ "n3", "n3" }, { "n[3-5,9]", "n3" }, { "n[12]", "n12" }, { "a,b", "a" }, { "r[1-2]n[03-4],x", "r1n03" },
			{ "", "" },
		{ "n[3", "n3" }, { "n[3-", "n3" },
	};
	char node[16];

	(void) state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		first_node(rows[i][0], node, sizeof(node));
		assert_string_equal(node, rows[i][1]);
	}
	first_node("longer", node, 4);
	assert_string_equal(node, "lon");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_output_names),
		cmocka_unit_test(test_first_node),
	};

	return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
