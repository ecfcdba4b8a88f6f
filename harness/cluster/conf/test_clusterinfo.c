/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cluster.json: what is saved is read again, and what a stranger wrote is refused. */
#include "config.h"

#include <stdio.h>

#include "harness/cluster/conf/clusterinfo.h"
#include "lib/fs.h"
#include "lib/test_cmocka.h"

static char dir[] = "/tmp/wt-test-info.XXXXXX";

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

static char name[] = "c1", uuid[] = "u-u", backend[] = WT_BACKEND_SLURMD, shape[] = "pack:2 core:8 pu:2";
static char addr[] = "127.0.0.9", version[] = "24.11.5", *settings[] = { name, uuid }, *laws[] = { shape };
static char memory[] = "/dev/shm/x";

static struct wt_clusterinfo filled(void)
{
	return (struct wt_clusterinfo) {
		.name = name, .uuid = uuid, .backend = backend, .shape_text = shape, .controller_addr = addr, .dir = dir,
		.slurm_version = version, .own_host_name = true, .node_settings = settings, .node_setting_count = 2,
		.elastic = laws, .elastic_count = 1, .run_time_given = true, .default_run_time_s = 2.5, .clock = memory,
		.sealed_in_process = true, .allocator = shape, .save_interval_s = WT_SAVE_INTERVAL_MAX_S,
		.accounting = true, .nodes_begin_off = true, .nodes = 65536, .dynamic_nodes = 6, .network = 254,
		.slurmdbd_port = 65535, .controller_port = 10001,
		.nodes_port = 10002, .lock_port = 10003, .created_us = 1700000000123456,
		.shape = { .cpus = 32, .sockets = 2, .cores_per_socket = 8, .threads_per_core = 3,
			   .memory_mib = 1ULL << 40 },
	};
}

static void same_numbers(const struct wt_clusterinfo *a, const struct wt_clusterinfo *b)
{
	assert_memory_equal(&a->shape, &b->shape, sizeof(a->shape));
	assert_int_equal(a->nodes, b->nodes);
	assert_int_equal(a->dynamic_nodes, b->dynamic_nodes);
	assert_int_equal(a->network, b->network);
	assert_int_equal(a->slurmdbd_port, b->slurmdbd_port);
	assert_int_equal(a->controller_port, b->controller_port);
	assert_int_equal(a->nodes_port, b->nodes_port);
	assert_int_equal(a->lock_port, b->lock_port);
	assert_int_equal(a->own_host_name, b->own_host_name);
	assert_int_equal(a->listens_everywhere, b->listens_everywhere);
	assert_int_equal(a->accounting, b->accounting);
	assert_int_equal(a->nodes_begin_off, b->nodes_begin_off);
	assert_int_equal(a->sealed_in_process, b->sealed_in_process);
	assert_int_equal(a->save_interval_s, b->save_interval_s);
	assert_int_equal(a->run_time_given, b->run_time_given);
	assert_float_equal(a->default_run_time_s, b->default_run_time_s, 0);
	assert_in_range(a->created_us, b->created_us - 1, b->created_us + 1);
}

static void test_saved_and_read(void **state)
{
	struct wt_clusterinfo info = filled(), back;

	(void) state;
	assert_int_equal(wt_clusterinfo_save(&info, NULL), 0);
	assert_int_equal(wt_clusterinfo_load(dir, &back, NULL), 0);
	same_numbers(&back, &info);
	assert_string_equal(back.name, name);
	assert_string_equal(back.uuid, uuid);
	assert_string_equal(back.shape_text, shape);
	assert_string_equal(back.controller_addr, addr);
	assert_string_equal(back.clock, memory);
	assert_string_equal(back.allocator, shape);
	assert_string_equal(back.dir, dir);
	assert_true(wt_clusterinfo_real_nodes(&back));
	assert_int_equal(back.node_setting_count, 2);
	assert_string_equal(back.node_settings[1], uuid);
	assert_int_equal(back.elastic_count, 1);
	assert_string_equal(back.elastic[0], shape);
	errno = ENOTTY;
	wt_clusterinfo_clear(&back);
	assert_int_equal(errno, ENOTTY);
	assert_null(back.name);
}

/* What is not given is not there afterwards. */
static void test_little(void **state)
{
	struct wt_clusterinfo info = filled(), back;

	(void) state;
	info.clock = NULL;
	info.run_time_given = info.accounting = false;
	info.node_setting_count = info.elastic_count = 0;
	assert_int_equal(wt_clusterinfo_save(&info, NULL), 0);
	assert_int_equal(wt_clusterinfo_load(dir, &back, NULL), 0);
	assert_null(back.clock);
	assert_false(back.run_time_given);
	assert_int_equal(back.slurmdbd_port, 0);
	assert_int_equal(back.node_setting_count, 0);
	assert_int_equal(back.elastic_count, 0);
	wt_clusterinfo_clear(&back);
}

/* The saved file with one text in the place of another. */
static void refused_of(const struct wt_clusterinfo *info, const char *from, const char *to)
{
	char path[sizeof(dir) + 16], *text, *at, changed[4096];
	struct wt_error error = { "" };
	struct wt_clusterinfo back;
	size_t len;

	assert_int_equal(wt_clusterinfo_save(info, NULL), 0);
	snprintf(path, sizeof(path), "%s/cluster.json", dir);
	assert_int_equal(wt_fs_read(path, sizeof(changed) / 2, &text, &len, NULL), 0);
	at = strstr(text, from);
	assert_non_null(at);
	snprintf(changed, sizeof(changed), "%.*s%s%s", (int) (at - text), text, to, at + strlen(from));
	assert_int_equal(wt_fs_write(path, changed, strlen(changed), 0600, NULL), 0);
	free(text);
	if (wt_clusterinfo_load(dir, &back, &error) == 0)
		fail_msg("%s was taken for %s", to, from);
	assert_non_null(strstr(error.text, "cluster.json"));
	assert_null(back.name);
}

static void refused(const char *from, const char *to)
{
	const struct wt_clusterinfo info = filled();

	refused_of(&info, from, to);
}

static void test_refused(void **state)
{
	(void) state;
	refused("\"nodes\": 65536", "\"nodes\": 65537");
	refused("\"cpus_per_node\": 32", "\"cpus_per_node\": 65536");
	refused("\"sockets\": 2", "\"sockets\": -1");
	refused("\"memory_mib\": 1099511627776", "\"memory_mib\": \"1\"");
	refused("\"controller_port\": 10001", "\"controller_port\": 65536");
	refused("\"nodes_port\": 10002", "\"nodes_port\": -1");
	refused("\"lock_port\": 10003", "\"other_port\": 10003");
	refused("\"slurmdbd_port\": 65535", "\"slurmdbd_port\": 65536");
	refused("\"network\": 254", "\"network\": 255");
	refused("\"name\": \"c1\"", "\"name\": 1");
	refused("{", "[");
}

/* A host's part names itself; the hosts' nodes are those of the file. */
static void test_hosts(void **state)
{
	char clush[] = "clush", w[] = "-w", *engine[] = { clush, w };
	struct wt_host list[] = {
		{ .name = "a", .address = "10.0.0.1", .count_given = true },
		{ .name = "b", .address = "10.0.0.2", .count = 65536, .count_given = true },
	};
	struct wt_clusterinfo info = filled(), back;

	(void) state;
	info.hosts = (struct wt_hosts) { .list = list, .count = 2 };
	info.engine = engine;
	info.engine_count = 2;
	info.allocation = engine + 1;
	info.allocation_count = 1;
	info.part = &list[1];
	assert_int_equal(wt_clusterinfo_save(&info, NULL), 0);
	assert_int_equal(wt_clusterinfo_load(dir, &back, NULL), 0);
	assert_int_equal(back.hosts.count, 2);
	assert_memory_equal(back.hosts.list, list, sizeof(list));
	assert_int_equal(back.engine_count, 2);
	assert_string_equal(back.engine[1], "-w");
	assert_int_equal(back.allocation_count, 1);
	assert_string_equal(back.allocation[0], "-w");
	assert_null(back.allocation[1]);
	assert_ptr_equal(back.part, &back.hosts.list[1]);
	wt_clusterinfo_clear(&back);
	refused_of(&info, "\"part\": \"b\"", "\"part\": \"c\"");
	refused_of(&info, "10.0.0.2", "10.0.0.1");
	refused_of(&info, "\"nodes\": 65536", "\"nodes\": 65535");
	info.part = NULL;
	assert_int_equal(wt_clusterinfo_save(&info, NULL), 0);
	assert_int_equal(wt_clusterinfo_load(dir, &back, NULL), 0);
	assert_null(back.part);
	wt_clusterinfo_clear(&back);
}

static void test_uuid(void **state)
{
	char first[37], second[37];

	(void) state;
	assert_int_equal(wt_clusterinfo_uuid(first, NULL), 0);
	assert_int_equal(wt_clusterinfo_uuid(second, NULL), 0);
	assert_string_not_equal(first, second);
	assert_int_equal(strspn(first, "0123456789abcdef-"), 36);
	assert_int_equal(first[14], '4');
	assert_non_null(strchr("89ab", first[19]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_saved_and_read), cmocka_unit_test(test_little), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_hosts), cmocka_unit_test(test_uuid),
	};

	return cmocka_run_group_tests_name("clusterinfo", tests, group_setup, group_teardown);
}
