/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "topology/name_index.h"

#define MANY 20000

static void test_found_by_name(void **state)
{
	struct name_index index;

	(void) state;
	assert_int_equal(name_index_init(&index, 3), 0);
	assert_int_equal(name_index_add(&index, "node1", 7), NAME_INDEX_NONE);
	assert_int_equal(name_index_add(&index, "node10", 8), NAME_INDEX_NONE);
	assert_int_equal(name_index_add(&index, "", 9), NAME_INDEX_NONE);
	assert_int_equal(name_index_find(&index, "node1"), 7);
	assert_int_equal(name_index_find(&index, "node10"), 8);
	assert_int_equal(name_index_find(&index, ""), 9);
	assert_int_equal(name_index_find(&index, "node"), NAME_INDEX_NONE);
	assert_int_equal(name_index_find(&index, NULL), NAME_INDEX_NONE);
	name_index_clear(&index);
}

static void test_first_number_stays(void **state)
{
	struct name_index index;
	char same[] = "node1";

	(void) state;
	assert_int_equal(name_index_init(&index, 2), 0);
	name_index_add(&index, "node1", 0);
	assert_int_equal(name_index_add(&index, same, 1), 0);
	assert_int_equal(name_index_find(&index, "node1"), 0);
	name_index_clear(&index);
}

static void test_nothing_in_it(void **state)
{
	struct name_index index = { 0 };

	(void) state;
	assert_int_equal(name_index_find(&index, "node1"), NAME_INDEX_NONE);
	name_index_clear(&index);
	assert_int_equal(name_index_init(&index, 0), 0);
	assert_int_equal(name_index_find(&index, "node1"), NAME_INDEX_NONE);
	name_index_clear(&index);
	assert_int_equal(name_index_find(&index, "node1"), NAME_INDEX_NONE);
}

static size_t longest_search(const struct name_index *index)
{
	size_t longest = 0, now = 0;

	for (size_t i = 0; i <= index->mask; i++) {
		now = index->slots[i].name ? now + 1 : 0;
		longest = now > longest ? now : longest;
	}
	return longest;
}

/* As workloads and nodes are called: long beginnings that are alike, of which some hashes make one value. */
static void test_names_that_are_alike(void **state)
{
	static const char *const prefixes[] = { "lublin-", "cluster-node-", "g17-of-the-many-tasks-", "" };
	static char names[MANY][32];

	(void) state;
	for (size_t p = 0; p < sizeof(prefixes) / sizeof(prefixes[0]); p++) {
		struct name_index index;

		assert_int_equal(name_index_init(&index, MANY), 0);
		for (uint32_t i = 0; i < MANY; i++) {
			snprintf(names[i], sizeof(names[i]), "%s%05u", prefixes[p], i);
			assert_int_equal(name_index_add(&index, names[i], i), NAME_INDEX_NONE);
		}
		for (uint32_t i = 0; i < MANY; i++)
			assert_int_equal(name_index_find(&index, names[i]), i);
		/* Half full, and names that scatter: searches of some dozens of slots at most, not of thousands. */
		assert_in_range(longest_search(&index), 1, 500);
		name_index_clear(&index);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found_by_name),
		cmocka_unit_test(test_first_number_stays),
		cmocka_unit_test(test_nothing_in_it),
		cmocka_unit_test(test_names_that_are_alike),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
