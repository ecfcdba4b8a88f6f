/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cluster's folder: names, claims, cluster.json, state.json. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/cluster/folder/clusterdir.h"
#include "harness/cluster/conf/clusterinfo.h"
#include "lib/fs.h"
#include "harness/cluster/folder/control.h"
#include "harness/cluster/folder/state_json.h"

static char top[] = "/tmp/wt-dir.XXXXXX";
static char base[64];

static int group_setup(void **state)
{
	(void) state;
	if (!mkdtemp(top))
		return -1;
	snprintf(base, sizeof(base), "%s/state", top);
	return setenv("WINDTUNNEL_STATE", base, 1);
}

static int group_teardown(void **state)
{
	(void) state;
	return wt_fs_remove_tree(top, NULL);
}

static void test_names(void **state)
{
	static const char *const good[] = { "a", "A-b_c.9", "0", "_x" };
	static const char *const bad[] = { NULL, "", ".", "..", ".a", "-a", "a/b", "a b", "a\n", "\xc3\xa4", "a*" };
	struct wt_error err;
	char longest[66];

	(void) state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(wt_clusterdir_name_check(good[i], NULL), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(wt_clusterdir_name_check(bad[i], &err), -1);
		assert_int_equal(errno, EINVAL);
	}
	memset(longest, 'x', sizeof(longest));
	longest[64] = '\0';
	assert_int_equal(wt_clusterdir_name_check(longest, NULL), 0);
	longest[64] = 'x';
	longest[65] = '\0';
	assert_int_equal(wt_clusterdir_name_check(longest, NULL), -1);
}

static void test_base_must_be_ours(void **state)
{
	struct wt_error err;
	char *b;

	(void) state;
	assert_null(wt_clusterdir_base(false, &err));
	assert_int_equal(errno, ENOENT);
	b = wt_clusterdir_base(true, NULL);
	assert_string_equal(b, base);
	free(b);
	assert_int_equal(chmod(base, 0775), 0);
	assert_null(wt_clusterdir_base(true, &err));
	assert_int_equal(errno, EPERM);
	assert_int_equal(chmod(base, 0755), 0);
	b = wt_clusterdir_base(false, NULL);
	assert_non_null(b);
	free(b);
}

static void test_path_length(void **state)
{
	char name[65], *path, deep[108];
	struct wt_error err;

	(void) state;
	path = wt_clusterdir_path("/b", "c", NULL);
	assert_string_equal(path, "/b/c");
	free(path);
	memset(deep, 'd', sizeof(deep));	/* the longest socket has room for its path, and its end */
	deep[0] = '/';
	deep[sizeof(((struct sockaddr_un *) 0)->sun_path) - strlen("/c/munge/socket.lock")] = '\0';
	assert_null(wt_clusterdir_path(deep, "c", NULL));
	deep[strlen(deep) - 1] = '\0';
	path = wt_clusterdir_path(deep, "c", NULL);
	assert_non_null(path);
	free(path);
	memset(name, 'n', 64);
	name[64] = '\0';
	memset(deep, 'd', sizeof(deep));
	deep[0] = '/';
	deep[107] = '\0';
	assert_null(wt_clusterdir_path(deep, name, &err));
	assert_int_equal(errno, ENAMETOOLONG);
	assert_null(wt_clusterdir_path("/b", "../c", &err));
	assert_int_equal(errno, EINVAL);
}

static void test_claims_exclude_each_other(void **state)
{
	char *b = wt_clusterdir_base(true, NULL), *path = wt_clusterdir_path(b, "one", NULL);
	bool existed;
	int lock, second;

	(void) state;
	assert_int_equal(wt_clusterdir_lock(path, &lock, NULL), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(wt_clusterdir_claim(path, &existed, &lock, NULL), 0);
	assert_false(existed);
	assert_true(wt_clusterdir_busy(path));
	assert_int_equal(wt_clusterdir_claim(path, &existed, &second, NULL), -1);
	assert_int_equal(errno, EBUSY);
	close(lock);
	assert_false(wt_clusterdir_busy(path));
	assert_int_equal(wt_clusterdir_claim(path, &existed, &lock, NULL), 0);
	assert_true(existed);
	assert_int_equal(wt_clusterdir_remove(path, NULL), 0);
	close(lock);
	assert_int_equal(access(b, F_OK), -1);		/* it was the last one */
	assert_false(wt_clusterdir_busy(path));
	free(b);
	free(path);
}

static void test_empty_list(void **state)
{
	char *b = wt_clusterdir_base(true, NULL), **list;
	size_t count = 7;

	(void) state;
	assert_int_equal(wt_clusterdir_list(&list, &count, NULL), 0);
	assert_int_equal(count, 0);
	free(list);
	free(b);
}

static void test_list_is_sorted(void **state)
{
	static const char *const names[] = { "b", "a", "c" };
	char *b = wt_clusterdir_base(true, NULL), **list, *path;
	size_t count;

	(void) state;
	for (size_t i = 0; i < 3; i++) {
		path = wt_clusterdir_path(b, names[i], NULL);
		assert_int_equal(wt_fs_make_dir(path, 0755, NULL), 0);
		free(path);
	}
	assert_int_equal(wt_clusterdir_list(&list, &count, NULL), 0);
	assert_int_equal(count, 3);
	assert_string_equal(list[0], "a");
	assert_string_equal(list[2], "c");
	for (size_t i = 0; i < count; i++)
		free(list[i]);
	free(list);
	assert_int_equal(wt_fs_remove_tree(b, NULL), 0);
	free(b);
	assert_int_equal(wt_clusterdir_list(&list, &count, NULL), 0);
	assert_int_equal(count, 0);
	free(list);
}

static void test_clusterinfo_round_trip(void **state)
{
	char name[] = "x", backend[] = "virtual", shape[] = "pack:1", addr[] = "127.0.0.1", uuid[37];
	struct wt_clusterinfo in = {
		.name = name, .uuid = uuid, .backend = backend, .shape_text = shape, .controller_addr = addr, .dir = top,
		.nodes = 65536, .network = 254, .controller_port = 65534, .nodes_port = 65535, .lock_port = 1,
		.shape = { 16, 2, 8, 1, 123456789012 }, .created_us = 1700000000123456,
	}, out;
	struct wt_error err;

	(void) state;
	assert_int_equal(wt_clusterinfo_uuid(uuid, NULL), 0);
	assert_int_equal(strlen(uuid), 36);
	assert_int_equal(uuid[14], '4');
	assert_int_equal(wt_clusterinfo_load(top, &out, &err), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(wt_clusterinfo_save(&in, NULL), 0);
	assert_int_equal(wt_clusterinfo_load(top, &out, NULL), 0);
	assert_string_equal(out.uuid, uuid);
	assert_string_equal(out.dir, top);
	assert_string_equal(out.slurm_version, WT_SLURM_VERSION);
	assert_memory_equal(&out.shape, &in.shape, sizeof(in.shape));
	assert_int_equal(out.nodes, 65536);
	assert_int_equal(out.nodes_port, 65535);
	assert_true(llabs(out.created_us - in.created_us) < 10);
	wt_clusterinfo_clear(&out);
	wt_clusterinfo_clear(&out);
}

static void test_state_round_trip(void **state)
{
	struct wt_state in = {
		.phase = WT_PHASE_FAILED, .message = "because", .supervisor = { 7, 8 }, .daemon_count = 2,
		.daemons = { { "munged", { 9, 10 }, 3, "signal 9" }, { "slurmctld", { 0, 0 }, 0, "", true } },
	}, out;
	char path[80];

	(void) state;
	assert_int_equal(wt_state_load(top, &out, NULL), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(wt_state_save(top, &in, NULL), 0);
	assert_int_equal(wt_state_load(top, &out, NULL), 0);
	assert_memory_equal(&in, &out, sizeof(in));
	assert_true(wt_state_stopped(&out, "slurmctld") && wt_state_stopped(&out, NULL));
	assert_false(wt_state_stopped(&out, "munged") || wt_state_stopped(&out, "slurmd"));
	snprintf(path, sizeof(path), "%s/state.json", top);
	assert_int_equal(wt_fs_write(path, "{\"phase\": \"odd\"}", 16, 0600, NULL), 0);
	assert_int_equal(wt_state_load(top, &out, NULL), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(out.supervisor.pid, 0);
}

static void expect_request_to(const char *line, int verb, unsigned int parts, const char *host)
{
	char got_host[WT_HOST_NAME_MAX + 1];
	enum wt_control_verb got;
	unsigned int got_parts;

	assert_int_equal(wt_control_read(line, &got, &got_parts, got_host), 0);
	assert_string_equal(got_host, host);
	assert_int_equal((int) got, verb);
	assert_int_equal(got_parts, parts);
}

static void expect_request(const char *line, int verb, unsigned int parts)
{
	expect_request_to(line, verb, parts, "");
}

static void test_control(void **state)
{
	static const char *const bad[] = { "", "\n", "stop munged\n", "halt\n", "stop  nodes\n", "start nodes \n",
					   " stop\n", "stop nodes @\n", "stop nodes @a @b\n",
		"stop @a123456789012345678901234567890123456789012345678901234567890123\n" };
	char host[WT_HOST_NAME_MAX + 1];
	enum wt_control_verb verb;
	unsigned int parts;
	char longest[1000];
	struct wt_error err;

	(void) state;
	expect_request("stop slurmctld\n", WT_CONTROL_STOP, WT_CONTROL_SLURMCTLD);
	expect_request("kill nodes slurmctld nodes\nrest", WT_CONTROL_KILL, WT_CONTROL_SLURMCTLD | WT_CONTROL_NODES);
	expect_request("start", WT_CONTROL_START, CONTROL_SERVICES_END - 1);
	expect_request_to("kill nodes @h1.a\n", WT_CONTROL_KILL, WT_CONTROL_NODES, "h1.a");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(wt_control_read(bad[i], &verb, &parts, host), -1);
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(wt_control_read(longest, &verb, &parts, host), -1);
	assert_int_equal(control_service_named("nowhere"), 0);
	assert_int_equal(wt_control_ask(top, WT_CONTROL_STOP, 1, NULL, &err), -1);
	assert_int_equal(errno, ENOTCONN);
	assert_int_equal(wt_control_ask(longest, WT_CONTROL_STOP, 1, "h1", &err), -1);
	assert_int_equal(errno, ENAMETOOLONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_base_must_be_ours),
		cmocka_unit_test(test_path_length),
		cmocka_unit_test(test_claims_exclude_each_other),
		cmocka_unit_test(test_empty_list), cmocka_unit_test(test_list_is_sorted),
		cmocka_unit_test(test_clusterinfo_round_trip),
		cmocka_unit_test(test_state_round_trip),
		cmocka_unit_test(test_control),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
