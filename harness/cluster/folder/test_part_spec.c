/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a host is handed, and hosts.json. */
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
#include <cmocka.h>

#include "harness/cluster/folder/hosts_json.h"
#include "harness/cluster/folder/part_spec.h"
#include "lib/clock.h"
#include "lib/fs.h"
#include "lib/str.h"

static char dir[] = "/tmp/wt-part-XXXXXX", host_dir[sizeof(dir) + 8];
static struct wt_host hosts[] = {
	{ .name = "a", .address = "10.0.0.1", .count_given = true },
	{ .name = "b", .address = "10.0.0.2", .count = 4, .count_given = true },
};

static void file_put(const char *name, const void *bytes, size_t len)
{
	char *path = wt_str_format("%s/%s", dir, name);

	assert_int_equal(wt_fs_write(path, bytes, len, 0600, NULL), 0);
	free(path);
}

static char *file_get(const char *name, size_t *len, mode_t *mode)
{
	char *path = wt_str_format("%s/%s", host_dir, name), *text;
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	*mode = st.st_mode & 07777;
	assert_int_equal(wt_fs_read(path, 1 << 20, &text, len, NULL), 0);
	free(path);
	return text;
}

static int group_setup(void **state)
{
	char *munge;

	(void) state;
	assert_non_null(mkdtemp(dir));
	snprintf(host_dir, sizeof(host_dir), "%s/c@b", dir);
	munge = wt_str_format("%s/munge", dir);
	assert_int_equal(mkdir(munge, 0700) | mkdir(host_dir, 0700), 0);
	free(munge);
	return 0;
}

static int group_teardown(void **state)
{
	(void) state;
	return wt_fs_remove_tree(dir, NULL);
}

static json_t *spec_make(void)
{
	static char name[] = "c", uuid[] = "u-u", backend[] = WT_BACKEND_SLURMD, shape[] = "x", addr[] = "10.0.0.1";
	struct wt_clusterinfo info = {
		.name = name, .uuid = uuid, .backend = backend, .shape_text = shape, .controller_addr = addr, .dir = dir,
		.nodes = 4, .network = 1, .shape = { .cpus = 1, .sockets = 1, .cores_per_socket = 1, .threads_per_core = 1,
						     .memory_mib = 1 }, .hosts = { .list = hosts, .count = 2 },
	};
	char conf[300], *text;
	json_t *spec;

	snprintf(conf, sizeof(conf), "ClusterName=c\nAuthInfo=socket=%s/munge/socket\nOther=%s2/x\n"
		 "CommunicationParameters=NoCtldInAddrAny\nEpilog=%s/epilog\n", dir, dir, dir);
	file_put("slurm.conf", conf, strlen(conf));
	file_put("munge/key", "\0\x01\xfe\xff", 4);
	assert_int_equal(wt_clusterinfo_save(&info, NULL), 0);
	text = part_spec_make(&info, &hosts[1], NULL);
	assert_non_null(text);
	assert_null(strchr(text, '\n'));
	spec = json_loads(text, 0, NULL);
	free(text);
	assert_non_null(spec);
	return spec;
}

static void test_what_the_host_gets(void **state)
{
	json_t *spec = spec_make();
	struct wt_clusterinfo back;
	char want[400], *text;
	mode_t mode;
	size_t len;

	(void) state;
	assert_int_equal(part_spec_check(spec, wt_clock_now_us(wt_clock_real()), NULL), 0);
	assert_string_equal(part_spec_text(spec, "host"), "b");
	assert_int_equal(part_spec_write(spec, host_dir, true, NULL), 0);
	text = file_get("munge/key", &len, &mode);
	assert_int_equal(mode, 0400);
	assert_int_equal(len, 4);
	assert_memory_equal(text, "\0\x01\xfe\xff", 4);
	free(text);
	text = file_get("slurm.conf", &len, &mode);
	snprintf(want, sizeof(want), "ClusterName=c\nAuthInfo=socket=%s/munge/socket\nOther=%s2/x\n"
		 "CommunicationParameters=NoInAddrAny,NoCtldInAddrAny\nEpilog=%s/epilog\n", host_dir, dir, host_dir);
	assert_string_equal(text, want);
	free(text);
	assert_int_equal(wt_clusterinfo_load(host_dir, &back, NULL), 0);
	assert_string_equal(back.part->name, "b");
	wt_clusterinfo_clear(&back);
	json_decref(spec);
}

static void expect_refused(json_t *spec, int errnum, const char *words)
{
	struct wt_error err;

	assert_int_equal(part_spec_check(spec, 1000000000000000, &err), -1);
	assert_int_equal(errno, errnum);
	if (!strstr(err.text, words))
		fail_msg("'%s' does not have '%s'", err.text, words);
}

static void test_refused(void **state)
{
	static const char *const texts[] = { "name", "uuid", "host", "dir", "munge_key", "windtunnel_version" };
	json_t *spec = spec_make();

	(void) state;
	json_object_set_new(spec, "sent_us", json_integer(1000000000000000 - PART_CLOCK_US));
	assert_int_equal(part_spec_check(spec, 1000000000000000, NULL), 0);
	json_object_set_new(spec, "sent_us", json_integer(1000000000000000 - PART_CLOCK_US - 1));
	expect_refused(spec, EINVAL, "60 s before");
	json_object_set_new(spec, "sent_us", json_integer(1000000000000000 + PART_CLOCK_US * 2));
	expect_refused(spec, EINVAL, "120 s behind");
	json_object_set_new(spec, "slurm_version", json_string("1.2"));
	expect_refused(spec, EPROTONOSUPPORT, "1.2");
	json_object_set_new(spec, "dir", json_string("relative"));
	expect_refused(spec, EINVAL, "'dir'");
	json_decref(spec);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		spec = spec_make();
		json_object_del(spec, texts[i]);
		expect_refused(spec, EINVAL, texts[i]);
		json_decref(spec);
	}
}

static void test_hosts_json(void **state)
{
	struct wt_host_state in[] = {
		{ .name = "a", .address = "10.0.0.1", .phase = WT_HOST_NONE },
		{ .name = "b", .address = "10.0.0.2", .nodes = 4, .running = 3, .phase = WT_HOST_LOST, .losses = 2,
		  .stopped = true, .why = "signal 9" },
	}, *out;
	static const char odd[] = "{\"hosts\": [{\"name\": \"a\"}]}";
	size_t count;

	(void) state;
	assert_int_equal(wt_hosts_json_save(dir, in, 2, NULL), 0);
	assert_int_equal(wt_hosts_json_load(dir, &out, &count, NULL), 0);
	assert_int_equal(count, 2);
	assert_memory_equal(out, in, sizeof(in));
	free(out);
	file_put("hosts.json", odd, strlen(odd));
	assert_int_equal(wt_hosts_json_load(dir, &out, &count, NULL), -1);
	assert_int_equal(errno, EINVAL);
	assert_null(out);
	assert_int_equal(wt_hosts_json_load("/tmp/wt-none", &out, &count, NULL), -1);
	assert_int_equal(errno, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_the_host_gets), cmocka_unit_test(test_refused), cmocka_unit_test(test_hosts_json),
	};

	return cmocka_run_group_tests_name("part_spec", tests, group_setup, group_teardown);
}
