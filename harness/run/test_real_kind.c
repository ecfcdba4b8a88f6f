/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <string.h>

#include "harness/run/real_kind.h"

static node_info_t node(const char *name, uint16_t sockets, uint16_t cores, uint16_t threads, uint16_t cpus)
{
	return (node_info_t) { .name = (char *) name, .sockets = sockets, .cores = cores, .threads = threads,
			       .cpus = cpus, .real_memory = 100 };
}

static void shape_is(const char *want, node_info_t one)
{
	struct real_kind kind = { 0 };

	real_kind_add(&kind, &one, &one);
	assert_string_equal(kind.shape, want);
	assert_int_equal(kind.memory_mib, 100);
	assert_int_equal(kind.nodes, 1);
}

static void the_first_gives_the_shape(void **state)
{
	(void) state;
	shape_is("pack:2 core:8 pu:1", node("a", 2, 8, 1, 16));
	shape_is("pack:2 core:8 pu:2", node("a", 2, 8, 2, 32));
	shape_is("pack:2 core:8 pu:1", node("a", 2, 8, 2, 16)); /* cores are counted */
	shape_is("pack:1 core:3 pu:1", node("a", 2, 8, 1, 3));
	shape_is("pack:1 core:3 pu:1", node("a", 0, 0, 0, 3)); /* not told */
}

static void several_kinds(void **state)
{
	node_info_t a = node("a", 2, 8, 1, 16), same = node("b", 2, 8, 1, 16), half = node("c", 1, 8, 1, 8),
		    other = node("d", 1, 8, 2, 16), fat = node("e", 2, 8, 1, 16);
	struct real_kind kind = { 0 };

	(void) state;
	real_kind_add(&kind, &a, &a);
	real_kind_add(&kind, &a, &same);
	assert_string_equal(kind.shapes_differ, "");
	real_kind_add(&kind, &a, &half);
	assert_non_null(strstr(kind.shapes_differ, "a has 16 CPUs (2 sockets, 8 cores, 1 threads), and c 8 (1, 8, 1)"));
	real_kind_add(&kind, &a, &other); /* the first that differs is told */
	assert_null(strstr(kind.shapes_differ, "and d"));
	assert_string_equal(kind.memory_differs, "");
	fat.real_memory = 200;
	real_kind_add(&kind, &a, &fat);
	assert_string_equal(kind.memory_differs, "a has 100 MiB of memory, and e 200");
	assert_int_equal(kind.nodes, 5);

	/* As many CPUs, arranged otherwise. */
	memset(&kind, 0, sizeof(kind));
	real_kind_add(&kind, &a, &a);
	real_kind_add(&kind, &a, &other);
	assert_non_null(strstr(kind.shapes_differ, "and d 16 (1, 8, 2)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_gives_the_shape),
		cmocka_unit_test(several_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
