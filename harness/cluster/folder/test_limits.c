/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "harness/cluster/folder/limits.h"

#define PLENTY ((uint64_t) 1 << 40)
#define NODE_PIDS (WT_LIMITS_NODE_PIDS + WT_LIMITS_JOB_PIDS)

static void expect(uint64_t memory_kib, uint64_t pids, uint64_t ports, uint32_t nodes, const char *word)
{
	struct wt_limits limits = { .memory_kib = memory_kib, .pids = pids, .ports = ports };
	const char *what;

	assert_int_equal(wt_limits_nodes(&limits, &what), nodes);
	assert_non_null(strstr(what, word));
	assert_int_equal(wt_limits_nodes(&limits, NULL), nodes);
}

static void test_each_limit(void **state)
{
	(void) state;
	expect(PLENTY, PLENTY, PLENTY, 65536, "Slurm");
	expect(PLENTY, PLENTY, 65535, 65535, "ports");
	expect(PLENTY, PLENTY, 0, 0, "ports");
	expect(PLENTY, 100 * NODE_PIDS, PLENTY, 100, "pid_max");
	expect(PLENTY, 101 * NODE_PIDS - 1, PLENTY, 100, "pid_max");
	expect(PLENTY, 0, PLENTY, 0, "pid_max");
	expect(0, PLENTY, PLENTY, 0, "memory");
	expect(WT_LIMITS_NODE_KIB + WT_LIMITS_JOB_KIB + 1, PLENTY, PLENTY, 1, "memory");
}

static void test_memory_grows_with_the_square(void **state)
{
	uint64_t nodes = 4096, kib = WT_LIMITS_NODE_KIB + WT_LIMITS_JOB_KIB + nodes * WT_LIMITS_TABLE_BYTES / 1024;

	(void) state;
	expect(nodes * kib, PLENTY, PLENTY, 4096, "memory");
	expect(nodes * kib - 1, PLENTY, PLENTY, 4095, "memory");
}

static void test_this_machine(void **state)
{
	struct wt_limits limits;

	(void) state;
	assert_int_equal(wt_limits_read(&limits, NULL), 0);
	assert_true(limits.memory_kib > 0 && limits.pids > 0 && limits.ports < 65536);
}

static void expect_part(const struct wt_limits *limits, uint64_t nofile, unsigned int low, unsigned int high, uint16_t first,
			const char *words)
{
	struct wt_error err = { "" };
	int rc = wt_limits_part_check(limits, nofile, low, high, 10, first, &err);

	assert_int_equal(rc, words ? -1 : 0);
	if (words && !strstr(err.text, words))
		fail_msg("'%s' does not have '%s'", err.text, words);
}

static void test_a_hosts_part(void **state)
{
	const struct wt_limits much = { .memory_kib = 1 << 20, .pids = 110, .ports = 0 };
	const struct wt_limits few = { .memory_kib = 1 << 20, .pids = 109 }, little = { .memory_kib = 27000, .pids = 110 };

	(void) state;
	expect_part(&much, 1024, 32768, 60999, 32758, NULL);
	expect_part(&much, 1024, 32768, 60999, 61000, NULL);
	expect_part(&much, 1023, 32768, 60999, 20000, "nofile");
	expect_part(&much, 1024, 32768, 60999, 32759, "ip_local_port_range is 32768 to 60999");
	expect_part(&much, 1024, 32768, 60999, 60999, "ip_local_port_range");
	expect_part(&few, 1024, 32768, 60999, 20000, "process ids");
	expect_part(&little, 1024, 32768, 60999, 20000, "9 real nodes with a job each do; what is short then: memory");
}

static void expect_virtual(uint64_t nofile, uint32_t count, uint16_t first, const char *words)
{
	struct wt_error err = { "" };
	int rc = wt_limits_virtual_part_check(nofile, 32768, 60999, count, first, &err);

	assert_int_equal(rc, words ? -1 : 0);
	if (words && !strstr(err.text, words))
		fail_msg("'%s' does not have '%s'", err.text, words);
}

static void test_a_hosts_virtual_part(void **state)
{
	(void) state;
	expect_virtual(8192, 4096, 20000, NULL);
	expect_virtual(8191, 4096, 20000, "nofile (ulimit -Hn) is 8191 and too low: 8192 are needed");
	expect_virtual(1048576, 12768, 20000, NULL);
	expect_virtual(1048576, 12769, 20000, "ip_local_port_range is 32768 to 60999 and has ports of the nodes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_hosts_part), cmocka_unit_test(test_a_hosts_virtual_part),
		cmocka_unit_test(test_each_limit),
		cmocka_unit_test(test_memory_grows_with_the_square),
		cmocka_unit_test(test_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
