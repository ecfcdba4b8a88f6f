/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counters, and the file that they become. */
#include "config.h"

#include <stdio.h>
#include <jansson.h>

#include "harness/vnode/store/counters.h"
#include "lib/fs.h"
#include "lib/test_cmocka.h"

static char dir[] = "/tmp/wt-test-counters.XXXXXX";

static int group_setup(void **state)
{
	(void) state;
	return mkdtemp(dir) ? 0 : -1;
}

static int group_teardown(void **state)
{
	(void) state;
	return wt_fs_remove_tree(dir, NULL);
}

static void test_types(void **state)
{
	struct wt_counters *stats = calloc(1, sizeof(*stats));
	struct rpc_counters *first = counters_rpc(stats, 1008, "ping"), *last = first, *other;

	(void) state;
	assert_string_equal(first->name, "ping");
	for (uint16_t i = 1; i < COUNTERS_RPC_TYPES - 1; i++)
		last = counters_rpc(stats, (uint16_t) (2000 + i), "one");
	assert_string_equal(last->name, "one");
	other = counters_rpc(stats, 3000, "two");
	assert_string_equal(other->name, "other");	/* the table is full */
	assert_ptr_equal(other, &stats->rpcs[COUNTERS_RPC_TYPES - 1]);
	assert_ptr_equal(counters_rpc(stats, 3001, "three"), other);
	assert_ptr_equal(counters_rpc(stats, 1008, "ping"), first);
	assert_ptr_equal(counters_rpc(stats, 2000 + COUNTERS_RPC_TYPES - 2, "one"), last);
	free(stats);
}

static json_int_t number_at(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	assert_true(json_is_integer(value));
	return json_integer_value(value);
}

static void test_file(void **state)
{
	struct wt_counters stats = { .nodes = 7, .nodes_completing = 3, .lost = 1ULL << 40, .heartbeat_reports_failed = 5 };
	char path[sizeof(dir) + 16];
	struct wt_error error;
	json_t *json, *rpc;

	(void) state;
	counters_rpc(&stats, 1, "ping")->refused = 2;
	counters_rpc(&stats, 2, "launch")->refused = 9;
	counters_rpc(&stats, 2, "launch")->received = 11;
	stats.dropped[COUNTERS_DROP_BODY] = 4;
	snprintf(path, sizeof(path), "%s/stats.json", dir);
	assert_int_equal(counters_write(&stats, path, NULL), 0);
	json = json_load_file(path, 0, NULL);
	assert_int_equal(number_at(json, "nodes"), 7);
	assert_int_equal(number_at(json, "nodes_completing"), 3);
	assert_int_equal(number_at(json, "lost"), 1LL << 40);
	assert_int_equal(number_at(json, "heartbeat_reports_failed"), 5);
	assert_int_equal(number_at(json, "refused"), 11);
	assert_true(number_at(json, "memory_kib") > 0);
	assert_int_equal(number_at(json_object_get(json, "dropped"), "body"), 4);
	assert_int_equal(number_at(json_object_get(json, "dropped"), "huge"), 0);
	rpc = json_object_get(json_object_get(json, "rpcs"), "launch");
	assert_int_equal(number_at(rpc, "received"), 11);
	assert_int_equal(json_object_size(json_object_get(json, "rpcs")), 2);
	json_decref(json);
	assert_int_equal(counters_write(&stats, "/nonexistent/stats.json", &error), -1);
	assert_int_equal(errno, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_types), cmocka_unit_test(test_file) };

	return cmocka_run_group_tests_name("counters", tests, group_setup, group_teardown);
}
