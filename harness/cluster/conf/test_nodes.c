/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/cluster/conf/nodes.h"

static const struct wt_shape shape = {
	.cpus = 16, .sockets = 2, .cores_per_socket = 8, .threads_per_core = 1, .memory_mib = 1024,
};

#define REST                                                                                                                \
	" Port=17002 CPUs=16 Boards=1 SocketsPerBoard=2 CoresPerSocket=8 ThreadsPerCore=1 RealMemory=1024 State=UNKNOWN\n"

static void expect_with(uint32_t nodes, const struct wt_nodes_ports *ports, const char *want)
{
	struct wt_conf *c = wt_conf_create();
	char *text;

	assert_int_equal(wt_nodes_add(c, nodes, 10, ports, &shape, NULL), 0);
	text = wt_conf_print(c);
	assert_string_equal(text, want);
	free(text);
	wt_conf_destroy(c);
}

static const struct wt_nodes_ports shared = { .first = 17002 }, own = { .first = 20000, .each = true };

static void expect_lines(uint32_t nodes, const char *want)
{
	expect_with(nodes, &shared, want);
}

#define REST_OWN(ports)                                                                                                     \
	" Port=" ports " CPUs=16 Boards=1 SocketsPerBoard=2 CoresPerSocket=8 ThreadsPerCore=1 RealMemory=1024 "             \
	"State=UNKNOWN\n"

static void test_a_port_each(void **state)
{
	(void) state;
	expect_with(1, &own, "NodeName=n0 NodeAddr=127.10.0.0" REST_OWN("20000"));
	expect_with(8, &own, "NodeName=n[0-7] NodeAddr=127.10.0.[0-7]" REST_OWN("[20000-20007]"));
	expect_with(257, &own, "NodeName=n[0-255] NodeAddr=127.10.0.[0-255]" REST_OWN("[20000-20255]")
			       "NodeName=n256 NodeAddr=127.10.1.0" REST_OWN("20256"));
}

static void test_rows_and_rest(void **state)
{
	(void) state;
	expect_lines(1, "NodeName=n0 NodeAddr=127.10.0.0" REST);
	expect_lines(2, "NodeName=n[0-1] NodeAddr=127.10.0.[0-1]" REST);
	expect_lines(255, "NodeName=n[0-254] NodeAddr=127.10.0.[0-254]" REST);
	expect_lines(256, "NodeName=n[0-255] NodeAddr=127.10.0.[0-255]" REST);
	expect_lines(257, "NodeName=n[0-255] NodeAddr=127.10.0.[0-255]" REST "NodeName=n256 NodeAddr=127.10.1.0" REST);
	expect_lines(600, "NodeName=n[0-511] NodeAddr=127.10.[0-1].[0-255]" REST
			  "NodeName=n[512-599] NodeAddr=127.10.2.[0-87]" REST);
	expect_lines(65535, "NodeName=n[0-65279] NodeAddr=127.10.[0-254].[0-255]" REST
			    "NodeName=n[65280-65534] NodeAddr=127.10.255.[0-254]" REST);
	expect_lines(65536, "NodeName=n[0-65535] NodeAddr=127.10.[0-255].[0-255]" REST);
}

static void test_nodes_that_join(void **state)
{
	static const struct { uint32_t first, count; const char *names, *addresses; } lines[] = {
		{ 1, 1, "n1", "127.10.0.1" }, { 8, 4, "n[8-11]", "127.10.0.[8-11]" },
		{ 254, 260, "n[254-513]", "127.10.0.[254-255],127.10.1.[0-255],127.10.2.[0-1]" },
		{ 1, 65535, "n[1-65535]", "127.10.0.[1-255],127.10.[1-255].[0-255]" },
	};
	char want[512], *line;

	(void) state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		line = wt_nodes_dynamic(lines[i].first, lines[i].count, 10, 17002, &shape);
		snprintf(want, sizeof(want), "NodeName=%s NodeAddr=%s Port=17002 CPUs=16 Boards=1 SocketsPerBoard=2 "
			 "CoresPerSocket=8 ThreadsPerCore=1 RealMemory=1024", lines[i].names, lines[i].addresses);
		assert_string_equal(line, want);
		free(line);
	}
}

static void test_wrong_input(void **state)
{
	struct wt_conf *c = wt_conf_create();
	struct wt_error err;

	(void) state;
	assert_int_equal(wt_nodes_add(c, 45537, 10, &own, &shape, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(wt_nodes_add(c, 0, 10, &shared, &shape, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(wt_nodes_add(c, 65537, 10, &shared, &shape, &err), -1);
	assert_int_equal(wt_nodes_add(c, 1, 0, &shared, &shape, &err), -1);
	assert_int_equal(wt_nodes_add(c, 1, 255, &shared, &shape, NULL), -1);
	assert_null(wt_conf_get(c, "NodeName"));
	wt_conf_destroy(c);
}

static bool begin_off(uint32_t nodes, const char *appended, const char *usual)
{
	struct wt_conf *c = wt_conf_create();
	bool off;

	assert_int_equal(wt_nodes_add(c, nodes, 10, &own, &shape, NULL), 0);
	if (usual)
		assert_int_equal(wt_conf_set(c, "NodeName", usual, NULL), 0);
	if (appended)
		assert_int_equal(wt_conf_append(c, "NodeName", appended, NULL), 0);
	off = wt_nodes_begin_off(c);
	wt_conf_destroy(c);
	return off;
}

static void test_which_begin_off(void **state)
{
	struct wt_conf *none = wt_conf_create();

	(void) state;
	assert_false(wt_nodes_begin_off(none));
	wt_conf_destroy(none);
	assert_false(begin_off(1, NULL, NULL));
	assert_true(begin_off(1, "State=CLOUD", NULL));
	assert_true(begin_off(300, "Weight=2 state=future", NULL));
	assert_false(begin_off(300, "State=DOWN", NULL));
	/* Our lines have a state of their own, which counts more. */
	assert_false(begin_off(1, NULL, "DEFAULT State=CLOUD"));
	assert_true(begin_off(1, "State=CLOUD", "DEFAULT State=DOWN"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_and_rest),
		cmocka_unit_test(test_a_port_each),
		cmocka_unit_test(test_nodes_that_join),
		cmocka_unit_test(test_wrong_input),
		cmocka_unit_test(test_which_begin_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
