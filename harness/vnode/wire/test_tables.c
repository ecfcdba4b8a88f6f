/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <arpa/inet.h>
#include <stdio.h>

#include "harness/vnode/model/nodetable.h"
#include "harness/vnode/wire/registry.h"
#include "harness/vnode/wire/requestq.h"

static void test_nodeset(void **state)
{
	uint32_t numbers[] = { 7, 3, 4, 9, 4, 5, 100 };
	struct wt_nodeset set;
	uint32_t rank;

	(void) state;
	assert_int_equal(wt_nodeset_fill(&set, numbers, 7), 0);
	assert_int_equal(set.count, 6);
	assert_int_equal(set.range_count, 4);	/* 3-5 7 9 100 */
	assert_true(wt_nodeset_rank(&set, 3, &rank) && rank == 0);
	assert_true(wt_nodeset_rank(&set, 5, &rank) && rank == 2);
	assert_true(wt_nodeset_rank(&set, 7, &rank) && rank == 3);
	assert_true(wt_nodeset_rank(&set, 100, &rank) && rank == 5);
	assert_false(wt_nodeset_rank(&set, 2, &rank));
	assert_false(wt_nodeset_rank(&set, 6, &rank));
	assert_false(wt_nodeset_rank(&set, 101, &rank));
	wt_nodeset_clear(&set);
	assert_int_equal(wt_nodeset_fill(&set, numbers, 0), 0);
	assert_false(wt_nodeset_rank(&set, 0, &rank));
	wt_nodeset_clear(&set);
	wt_nodeset_clear(NULL);
}

static void test_nodes(void **state)
{
	struct wt_nodetable *nodes = wt_nodetable_create(65536);
	const struct wt_node_class hardware = { .cpus = 16, .memory_mib = 1000 };
	char name[16];

	(void) state;
	assert_non_null(nodes);
	assert_int_equal(wt_nodetable_class_add(nodes, &hardware), 0);
	for (uint32_t i = 0; i < 65536; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		assert_int_equal(wt_nodetable_add(nodes, name, htonl(0x7f0a0000 + i), 6818, 0), 0);
	}
	for (uint32_t i = 0; i < 65536; i += 111) {
		snprintf(name, sizeof(name), "n%u", i);
		assert_int_equal(wt_nodetable_by_name(nodes, name), i);
		assert_string_equal(wt_nodetable_name(nodes, i), name);
		assert_int_equal(wt_nodetable_by_address(nodes, htonl(0x7f0a0000 + i), 6818), i);
	}
	assert_int_equal(wt_nodetable_by_name(nodes, "n65536"), WT_NODE_NONE);
	assert_int_equal(wt_nodetable_by_name(nodes, ""), WT_NODE_NONE);
	assert_int_equal(wt_nodetable_by_address(nodes, htonl(0x7f000001), 6818), WT_NODE_NONE);
	assert_int_equal(wt_nodetable_class(nodes, 5)->cpus, 16);
	wt_nodetable_destroy(nodes);
	wt_nodetable_destroy(NULL);
}

static void test_nodes_twice(void **state)
{
	struct wt_nodetable *nodes = wt_nodetable_create(4);

	(void) state;
	assert_int_equal(wt_nodetable_add(nodes, "a", htonl(1), 6818, 0), 0);
	assert_int_equal(wt_nodetable_add(nodes, "a", htonl(2), 6818, 0), -1);
	assert_int_equal(errno, EEXIST);
	assert_int_equal(wt_nodetable_add(nodes, "b", htonl(1), 6818, 0), -1);
	assert_int_equal(errno, EADDRINUSE);
	assert_int_equal(nodes->count, 1);
	wt_nodetable_destroy(nodes);
}

static void test_registry(void **state)
{
	struct wt_registry *registry = wt_registry_create(3);
	uint32_t node, delay_s, last_s = 0;

	(void) state;
	assert_non_null(registry);
	assert_false(wt_registry_next(registry, &node));
	wt_registry_want(registry, 2);
	wt_registry_want(registry, 0);
	wt_registry_want(registry, 2);
	assert_true(wt_registry_next(registry, &node) && node == 2);
	assert_true(wt_registry_next(registry, &node) && node == 0);
	assert_false(wt_registry_next(registry, &node));
	wt_registry_want(registry, 2);		/* on its way: once more afterwards */
	assert_false(wt_registry_next(registry, &node));
	wt_registry_acked(registry, 2);
	assert_int_equal(wt_registry_registered(registry), 1);
	assert_true(wt_registry_next(registry, &node) && node == 2);
	wt_registry_acked(registry, 2);
	assert_int_equal(wt_registry_registered(registry), 1);
	for (int i = 0; i < 12; i++) {		/* 0 is still on its way */
		delay_s = wt_registry_failed_s(registry, 0);
		assert_int_equal(delay_s, last_s == 0 ? 1 : last_s >= 64 ? 128 : last_s * 2);
		last_s = delay_s;
		assert_false(wt_registry_next(registry, &node));
		wt_registry_want(registry, 0);
		assert_true(wt_registry_next(registry, &node) && node == 0);
	}
	wt_registry_put_back(registry, 0);
	assert_true(wt_registry_next(registry, &node) && node == 0);
	wt_registry_acked(registry, 0);
	wt_registry_want(registry, 1);
	wt_registry_stop(registry, 1);
	wt_registry_stop(registry, 1);
	assert_false(wt_registry_next(registry, &node));
	assert_true(wt_registry_stopped(registry, 1));
	assert_int_equal(wt_registry_stopped_count(registry), 1);
	wt_registry_destroy(registry);
	wt_registry_destroy(NULL);
}

static void test_registry_left(void **state)
{
	struct wt_registry *registry = wt_registry_create(2);

	(void) state;
	assert_non_null(registry);
	wt_registry_acked(registry, 1);
	wt_registry_left(registry, 0);
	assert_int_equal(wt_registry_registered(registry), 1);
	wt_registry_left(registry, 1);
	wt_registry_left(registry, 1);
	assert_int_equal(wt_registry_registered(registry), 0);
	wt_registry_destroy(registry);
}

static void test_requestq(void **state)
{
	struct wt_requestq q = { 0 };
	struct wt_outgoing_request request = { 0 };
	uint32_t next = 0;

	(void) state;
	assert_null(wt_requestq_peek(&q));
	assert_false(wt_requestq_pop(&q, &request));
	for (uint32_t i = 0; i < 1000; i++) {
		request.job_id = i;
		assert_int_equal(wt_requestq_push(&q, &request), 0);
		if (i % 3 == 0) {
			assert_true(wt_requestq_pop(&q, &request));
			assert_int_equal(request.job_id, next++);
		}
	}
	assert_true(wt_requestq_pop(&q, &request));
	assert_int_equal(wt_requestq_push_front(&q, &request), 0);
	while (wt_requestq_pop(&q, &request))
		assert_int_equal(request.job_id, next++);
	assert_int_equal(next, 1000);
	wt_requestq_clear(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nodeset),
		cmocka_unit_test(test_nodes),
		cmocka_unit_test(test_nodes_twice),
		cmocka_unit_test(test_registry), cmocka_unit_test(test_registry_left),
		cmocka_unit_test(test_requestq),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
