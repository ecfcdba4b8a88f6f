/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "harness/vnode/model/nodegroups.h"
#include "lib/test_cmocka.h"

static const in_addr_t addresses[] = { 7, 7, 7, 9, 9, 8, 8, 7 };

static void test_none(void **state)
{
	struct wt_nodegroups groups;

	(void) state;
	assert_int_equal(wt_nodegroups_make(&groups, NULL, 0, addresses), 0);
	assert_int_equal(groups.count, 0);
	wt_nodegroups_clear(&groups);
	wt_nodegroups_clear(&groups);
}

/* Each node once, in the order of the list. */
static void test_groups(void **state)
{
	static const uint32_t nodes[] = { 4, 1, 3, 7, 0, 5, 4 };
	static const uint32_t want[] = { 4, 3, 4, 1, 7, 0, 5 };
	static const struct wt_nodegroup want_groups[] = { { 0, 3 }, { 3, 3 }, { 6, 1 } };
	struct wt_nodegroups groups;

	(void) state;
	assert_int_equal(wt_nodegroups_make(&groups, nodes, 7, addresses), 0);
	assert_int_equal(groups.count, 3);
	assert_memory_equal(groups.nodes, want, sizeof(want));
	assert_memory_equal(groups.groups, want_groups, sizeof(want_groups));
	wt_nodegroups_clear(&groups);
}

static void test_one(void **state)
{
	static const uint32_t nodes[] = { 5 };
	struct wt_nodegroups groups;

	(void) state;
	assert_int_equal(wt_nodegroups_make(&groups, nodes, 1, addresses), 0);
	assert_int_equal(groups.count, 1);
	assert_int_equal(groups.nodes[0], 5);
	assert_int_equal(groups.groups[0].count, 1);
	wt_nodegroups_clear(&groups);
}

/* As many hosts as there can be, with nodes of all of them in turn. */
static void test_many(void **state)
{
	enum { HOSTS = 512, NODES = 65536 };
	in_addr_t *hosts = calloc(NODES, sizeof(*hosts));
	uint32_t *nodes = calloc(NODES, sizeof(*nodes));
	struct wt_nodegroups groups;

	(void) state;
	for (uint32_t i = 0; i < NODES; i++) {
		hosts[i] = i % HOSTS;
		nodes[i] = NODES - 1 - i;
	}
	assert_int_equal(wt_nodegroups_make(&groups, nodes, NODES, hosts), 0);
	assert_int_equal(groups.count, HOSTS);
	for (uint32_t i = 0; i < HOSTS; i++) {
		assert_int_equal(groups.groups[i].count, NODES / HOSTS);
		for (uint32_t k = 0; k < NODES / HOSTS; k++)
			assert_int_equal(groups.nodes[groups.groups[i].first + k], NODES - 1 - i - k * HOSTS);
	}
	wt_nodegroups_clear(&groups);
	free(nodes);
	free(hosts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none), cmocka_unit_test(test_groups), cmocka_unit_test(test_one),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests_name("nodegroups", tests, NULL, NULL);
}
