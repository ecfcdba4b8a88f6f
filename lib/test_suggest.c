/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/suggest.h"

static const char *const verbs[] = { "cluster", "compare", "esp", NULL, "run", "straggler", "topology" };

static const char *near(const char *word)
{
	return wt_suggest(word, verbs, sizeof(verbs) / sizeof(verbs[0]), sizeof(verbs[0]));
}

static void test_near_words(void **state)
{
	(void) state;
	assert_string_equal(near("clustre"), "cluster");	/* swapped */
	assert_string_equal(near("urn"), "run");		/* so are the first two */
	assert_string_equal(near("toplogy"), "topology");	/* left out */
	assert_string_equal(near("esspe") ? near("esspe") : "none", "none");	/* two of five */
	assert_string_equal(near("essp"), "esp");		/* put in */
	assert_string_equal(near("ren"), "run");		/* changed */
	assert_string_equal(near("COMPARE"), "compare");
	assert_string_equal(near("topo"), "topology");		/* its beginning */
}

static void test_far_words(void **state)
{
	char big[200];

	(void) state;
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	assert_null(near("frobnicate"));
	assert_null(near(big));
	assert_null(near(""));
	assert_null(wt_suggest("x", NULL, 0, sizeof(char *)));
}

static void test_fields_of_a_table(void **state)
{
	static const struct { const char *name; int value; } table[] = { { "alpha", 1 }, { "beta", 2 } };

	(void) state;
	assert_string_equal(wt_suggest("betta", &table[0].name, 2, sizeof(table[0])), "beta");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_near_words),
		cmocka_unit_test(test_far_words),
		cmocka_unit_test(test_fields_of_a_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
