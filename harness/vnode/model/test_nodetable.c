/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/vnode/model/nodetable.h"

static in_addr_t address_of(uint32_t i)
{
	return htonl(0x7f0a0000 + i);
}

static struct wt_nodetable *table_of(const char *const *names, uint32_t count)
{
	struct wt_nodetable *nodes = wt_nodetable_create(count);

	assert_non_null(nodes);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(wt_nodetable_add(nodes, names[i], address_of(i), 6818, 0), 0);
	return nodes;
}

static uint64_t id_of(const char *const *names, uint32_t count)
{
	struct wt_nodetable *nodes = table_of(names, count);
	uint64_t id = wt_nodetable_id(nodes);

	wt_nodetable_destroy(nodes);
	return id;
}

/* Journals of earlier processes have it: it must be the same for ever, and another one for other names. */
static void test_id(void **state)
{
	static const char *const one[] = { "a" }, *const two[] = { "n0", "n1" }, *const turned[] = { "n1", "n0" },
		*const joined[] = { "n0n1" };

	(void) state;
	/* The FNV reference's own value of "a" with its NUL byte. */
	assert_true(id_of(one, 1) == UINT64_C(0x089be207b544f1e4));
	assert_true(id_of(two, 2) != id_of(turned, 2));
	assert_true(id_of(two, 2) != id_of(joined, 1));
	assert_true(id_of(two, 2) != id_of(two, 1));
}

static void test_a_name_or_an_address_twice(void **state)
{
	static const char *const names[] = { "n0", "n1" };
	struct wt_nodetable *nodes = wt_nodetable_create(3);

	(void) state;
	assert_int_equal(wt_nodetable_add(nodes, names[0], address_of(0), 6818, 0), 0);
	errno = 0;
	assert_int_equal(wt_nodetable_add(nodes, names[0], address_of(1), 6818, 0), -1);
	assert_int_equal(errno, EEXIST);
	assert_int_equal(wt_nodetable_add(nodes, names[1], address_of(0), 6818, 0), -1);
	assert_int_equal(errno, EADDRINUSE);
	assert_int_equal(nodes->count, 1);
	assert_int_equal(wt_nodetable_by_name(nodes, names[1]), WT_NODE_NONE);
	assert_int_equal(wt_nodetable_by_address(nodes, address_of(1), 6818), WT_NODE_NONE);
	assert_int_equal(wt_nodetable_add(nodes, names[1], address_of(1), 6818, 0), 0);
	assert_int_equal(wt_nodetable_by_name(nodes, names[1]), 1);
	assert_int_equal(wt_nodetable_by_address(nodes, address_of(1), 6818), 1);
	wt_nodetable_destroy(nodes);
	wt_nodetable_destroy(NULL);
}

/* As nodes of one host: one address, a port each. */
static void test_ports(void **state)
{
	struct wt_nodetable *nodes = wt_nodetable_create(3);

	(void) state;
	assert_int_equal(wt_nodetable_add(nodes, "n0", address_of(0), 7000, 0), 0);
	assert_int_equal(wt_nodetable_add(nodes, "n1", address_of(0), 7001, 0), 0);
	assert_int_equal(wt_nodetable_add(nodes, "n2", address_of(0), 7001, 0), -1);
	assert_int_equal(errno, EADDRINUSE);
	assert_int_equal(wt_nodetable_add(nodes, "n2", address_of(1), 7001, 0), 0);
	assert_int_equal(wt_nodetable_by_address(nodes, address_of(0), 7001), 1);
	assert_int_equal(wt_nodetable_by_address(nodes, address_of(1), 7001), 2);
	assert_int_equal(wt_nodetable_by_address(nodes, address_of(1), 7000), WT_NODE_NONE);
	wt_nodetable_destroy(nodes);
}

static void test_own(void **state)
{
	struct wt_nodetable *nodes = wt_nodetable_create(3);

	(void) state;
	assert_int_equal(wt_nodetable_own_count(nodes), 0);
	assert_int_equal(wt_nodetable_add(nodes, "n0", address_of(0), 7000, 0), 0);
	assert_int_equal(wt_nodetable_add(nodes, "n1", address_of(1), 7000, 0), 0);
	assert_int_equal(wt_nodetable_add(nodes, "n2", address_of(2), 7000, 0), 0);
	assert_int_equal(wt_nodetable_own_count(nodes), 3);
	assert_true(wt_nodetable_is_own(nodes, 0) && wt_nodetable_is_own(nodes, 2));
	wt_nodetable_own_set(nodes, 1, 1);
	assert_int_equal(wt_nodetable_own_count(nodes), 1);
	assert_false(wt_nodetable_is_own(nodes, 0));
	assert_true(wt_nodetable_is_own(nodes, 1));
	assert_false(wt_nodetable_is_own(nodes, 2));
	wt_nodetable_destroy(nodes);
}

static void test_classes(void **state)
{
	const struct wt_node_class small = { .cpus = 4, .memory_mib = 1000 }, large = { .cpus = 64, .memory_mib = 9000 };
	struct wt_nodetable *nodes = wt_nodetable_create(2);

	(void) state;
	assert_int_equal(wt_nodetable_class_add(nodes, &small), 0);
	assert_int_equal(wt_nodetable_class_add(nodes, &large), 1);
	assert_int_equal(wt_nodetable_add(nodes, "b", address_of(0), 6818, 1), 0);
	assert_int_equal(wt_nodetable_add(nodes, "s", address_of(1), 6818, 0), 0);
	assert_int_equal(wt_nodetable_class(nodes, 0)->cpus, 64);
	assert_int_equal(wt_nodetable_class(nodes, 1)->memory_mib, 1000);
	wt_nodetable_destroy(nodes);
}

/* Nodes of one network change their addresses, and each is found by its own alone. */
static void test_other_addresses(void **state)
{
	struct wt_nodetable *nodes = wt_nodetable_create(64);
	char name[16];

	(void) state;
	assert_non_null(nodes);
	for (uint32_t i = 0; i < 64; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		assert_int_equal(wt_nodetable_add(nodes, name, htonl(0x7f0c0000u + i), 7000, 0), 0);
	}
	for (uint32_t boot = 1; boot < 50; boot++)
		for (uint32_t i = 0; i < 64; i += boot % 5 + 1) {
			in_addr_t old = nodes->addresses[i], new = htonl(0x7f0c0000u + boot * 64 + i);

			assert_int_equal(wt_nodetable_move(nodes, i, new), 0);
			assert_int_equal(wt_nodetable_by_address(nodes, old, 7000), WT_NODE_NONE);
			for (uint32_t k = 0; k < 64; k++)
				assert_int_equal(wt_nodetable_by_address(nodes, nodes->addresses[k], 7000), k);
		}
	assert_int_equal(wt_nodetable_move(nodes, 1, nodes->addresses[1]), 0);
	assert_int_equal(wt_nodetable_move(nodes, 1, nodes->addresses[2]), -1);
	assert_int_equal(errno, EADDRINUSE);
	assert_int_equal(wt_nodetable_by_address(nodes, nodes->addresses[2], 7000), 2);
	wt_nodetable_destroy(nodes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_id),
		cmocka_unit_test(test_a_name_or_an_address_twice),
		cmocka_unit_test(test_classes), cmocka_unit_test(test_ports), cmocka_unit_test(test_own),
		cmocka_unit_test(test_other_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
