/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <hwloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/fs.h"
#include "harness/cluster/conf/shape.h"

static void expect(const char *text, uint32_t cpus, uint32_t sockets, uint32_t cores, uint32_t threads)
{
	struct wt_shape s;

	assert_int_equal(wt_shape_read(text, &s, NULL), 0);
	assert_int_equal(s.cpus, cpus);
	assert_int_equal(s.sockets, sockets);
	assert_int_equal(s.cores_per_socket, cores);
	assert_int_equal(s.threads_per_core, threads);
}

static void test_synthetic(void **state)
{
	struct wt_shape s;

	(void) state;
	expect(NULL, 16, 2, 8, 1);
	expect("pack:1 core:64 pu:2", 128, 1, 64, 2);
	expect("pack:2 numa:2 l3:1 core:4 pu:1", 16, 2, 8, 1);
	expect("pack:2 pu:3", 6, 2, 3, 1);
	expect("core:4 pu:2", 8, 1, 4, 2);
	expect("[numa(memory=2GB)] pack:2 core:32 pu:2", 128, 2, 32, 2);
	assert_int_equal(wt_shape_read(NULL, &s, NULL), 0);
	assert_int_equal(s.memory_mib, 0);
}

static void test_host(void **state)
{
	struct wt_shape s;
	struct wt_error err;

	(void) state;
	/* A machine with two kinds of cores is refused, and says so. */
	if (wt_shape_read("host", &s, &err) < 0) {
		assert_non_null(strstr(err.text, "symmetric"));
		skip();
	}
	assert_int_equal(s.cpus, s.sockets * s.cores_per_socket * s.threads_per_core);
	assert_true(s.memory_mib > 0);
}

static void test_xml(void **state)
{
	char path[] = "/tmp/wt-shape-XXXXXX.xml";
	int fd = mkstemps(path, 4);
	hwloc_topology_t topo;
	struct wt_shape s;

	(void) state;
	assert_true(fd >= 0);
	close(fd);
	hwloc_topology_init(&topo);
	hwloc_topology_set_synthetic(topo, "pack:4 core:3 pu:2");
	hwloc_topology_load(topo);
	assert_int_equal(hwloc_topology_export_xml(topo, path, 0), 0);
	hwloc_topology_destroy(topo);
	expect(path, 24, 4, 3, 2);
	assert_int_equal(wt_shape_read(path, &s, NULL), 0);
	assert_true(s.memory_mib > 0);
	unlink(path);
}

/* Two packages, of which the second has one core less. */
static const char asymmetric[] =
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">"
	"<object type=\"Machine\" os_index=\"0\" cpuset=\"0x7\" complete_cpuset=\"0x7\" allowed_cpuset=\"0x7\" "
	"nodeset=\"0x1\" "
	"complete_nodeset=\"0x1\" allowed_nodeset=\"0x1\" gp_index=\"1\">"
	"<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0x7\" complete_cpuset=\"0x7\" nodeset=\"0x1\" "
	"complete_nodeset=\"0x1\" "
	"gp_index=\"9\" local_memory=\"1073741824\"/>"
	"<object type=\"Package\" os_index=\"0\" cpuset=\"0x3\" complete_cpuset=\"0x3\" nodeset=\"0x1\" "
	"complete_nodeset=\"0x1\" gp_index=\"2\">"
	"<object type=\"Core\" os_index=\"0\" cpuset=\"0x1\" complete_cpuset=\"0x1\" nodeset=\"0x1\" "
	"complete_nodeset=\"0x1\" gp_index=\"3\">"
	"<object type=\"PU\" os_index=\"0\" cpuset=\"0x1\" complete_cpuset=\"0x1\" nodeset=\"0x1\" "
	"complete_nodeset=\"0x1\" gp_index=\"4\"/></object>"
	"<object type=\"Core\" os_index=\"1\" cpuset=\"0x2\" complete_cpuset=\"0x2\" nodeset=\"0x1\" "
	"complete_nodeset=\"0x1\" gp_index=\"5\">"
	"<object type=\"PU\" os_index=\"1\" cpuset=\"0x2\" complete_cpuset=\"0x2\" nodeset=\"0x1\" "
	"complete_nodeset=\"0x1\" gp_index=\"6\"/></object>"
	"</object>"
	"<object type=\"Package\" os_index=\"1\" cpuset=\"0x4\" complete_cpuset=\"0x4\" nodeset=\"0x1\" "
	"complete_nodeset=\"0x1\" gp_index=\"7\">"
	"<object type=\"Core\" os_index=\"2\" cpuset=\"0x4\" complete_cpuset=\"0x4\" nodeset=\"0x1\" "
	"complete_nodeset=\"0x1\" gp_index=\"8\">"
	"<object type=\"PU\" os_index=\"2\" cpuset=\"0x4\" complete_cpuset=\"0x4\" nodeset=\"0x1\" "
	"complete_nodeset=\"0x1\" gp_index=\"10\"/></object>"
	"</object></object></topology>\n";

static void test_asymmetric_is_refused(void **state)
{
	char path[] = "/tmp/wt-shape-XXXXXX.xml";
	int fd = mkstemps(path, 4);
	struct wt_shape s;
	struct wt_error err;

	(void) state;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(wt_fs_write(path, asymmetric, sizeof(asymmetric) - 1, 0600, NULL), 0);
	assert_int_equal(wt_shape_read(path, &s, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, "different numbers of cores"));
	unlink(path);
}

static void test_nonsense(void **state)
{
	static const char *const bad[] = { "", "nonsense", "pack:0", "/nonexistent.xml", "/etc/passwd",
					   "pack:2 core:40000 pu:1", "pack:99999999999999999999 pu:1",
					   "pack:64 core:65 pu:1" };
	struct wt_shape s;
	struct wt_error err;

	(void) state;
	setenv("HWLOC_XML_VERBOSE", "0", 1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err.text[0] = '\0';
		assert_int_equal(wt_shape_read(bad[i], &s, &err), -1);
		assert_true(err.text[0] != '\0');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_synthetic),
		cmocka_unit_test(test_host),
		cmocka_unit_test(test_xml),
		cmocka_unit_test(test_asymmetric_is_refused),
		cmocka_unit_test(test_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
