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

#include "harness/cluster/conf/hosts.h"
#include "harness/cluster/conf/nodes.h"

static void expect_refused(const char *text, const char *words)
{
	struct wt_hosts hosts;
	struct wt_error err;

	assert_int_equal(wt_hosts_parse(&hosts, text, "F", &err), -1);
	assert_int_equal(errno, EINVAL);
	if (!strstr(err.text, words))
		fail_msg("'%s' does not have '%s'", err.text, words);
	assert_int_equal(hosts.count, 0);
}

static void test_read(void **state)
{
	struct wt_hosts hosts, copy;

	(void) state;
	assert_int_equal(wt_hosts_parse(&hosts, "# all\n\n  a address=10.0.0.1\tnodes=0 # first\nb.c-d_1\nc nodes=7", "F",
			   NULL), 0);
	assert_int_equal(hosts.count, 3);
	assert_string_equal(hosts.list[0].name, "a");
	assert_string_equal(hosts.list[0].address, "10.0.0.1");
	assert_true(hosts.list[0].count_given && hosts.list[0].count == 0);
	assert_string_equal(hosts.list[1].address, "");
	assert_false(hosts.list[1].count_given);
	assert_int_equal(hosts.list[2].count, 7);
	assert_int_equal(wt_hosts_copy(&copy, &hosts, NULL), 0);
	assert_memory_equal(copy.list, hosts.list, 3 * sizeof(*hosts.list));
	wt_hosts_clear(&copy);
	wt_hosts_clear(&hosts);
	wt_hosts_clear(&hosts);
}

static void test_refused(void **state)
{
	char longest[80] = "";

	(void) state;
	expect_refused("", "names no host");
	expect_refused("# a\n \n", "names no host");
	expect_refused("a\na", "F:2: host a stands there twice");
	expect_refused("a address=10.0.0.1\nb address=10.0.0.1", "the same address");
	expect_refused("a address=10.0.0.256", "IPv4");
	expect_refused("a address=0.0.0.0", "IPv4");
	expect_refused("a address=", "IPv4");
	expect_refused("a address=1.2.3.4 address=1.2.3.4", "twice");
	expect_refused("a nodes=1 nodes=1", "twice");
	expect_refused("a nodes=65537", "nodes=");
	expect_refused("a nodes=-1", "nodes=");
	expect_refused("a cpus=1", "'cpus=1' is not known");
	expect_refused("-oProxyCommand=x", "no host name");
	expect_refused("a;b", "no host name");
	expect_refused("\n$(x)", "F:2: ");
	memset(longest, 'x', WT_HOST_NAME_MAX + 1);
	expect_refused(longest, "no host name");
}

static void test_too_many(void **state)
{
	char *text = calloc(WT_HOSTS_MAX + 1, 16);
	struct wt_hosts hosts;

	(void) state;
	for (int i = 0; i < WT_HOSTS_MAX; i++)
		sprintf(text + strlen(text), "h%d\n", i);
	assert_int_equal(wt_hosts_parse(&hosts, text, "F", NULL), 0);
	wt_hosts_clear(&hosts);
	strcat(text, "more\n");
	expect_refused(text, "more than 512 hosts");
	free(text);
}

static void expect_shares(const char *text, uint32_t nodes, const uint32_t *counts)
{
	struct wt_hosts hosts;
	uint32_t first = 0, most = 0;

	assert_int_equal(wt_hosts_parse(&hosts, text, "F", NULL), 0);
	assert_int_equal(wt_hosts_share(&hosts, nodes, NULL), 0);
	for (size_t i = 0; i < hosts.count; i++) {
		assert_int_equal(hosts.list[i].count, counts[i]);
		assert_int_equal(hosts.list[i].first, first);
		first += counts[i];
		most = counts[i] > most ? counts[i] : most;
	}
	assert_int_equal(first, nodes);
	assert_int_equal(wt_hosts_most(&hosts), most);
	wt_hosts_clear(&hosts);
}

static void expect_no_share(const char *text, uint32_t nodes)
{
	struct wt_hosts hosts;
	struct wt_error err;

	assert_int_equal(wt_hosts_parse(&hosts, text, "F", NULL), 0);
	assert_int_equal(wt_hosts_share(&hosts, nodes, &err), -1);
	assert_int_equal(errno, EINVAL);
	wt_hosts_clear(&hosts);
}

static void test_shared(void **state)
{
	(void) state;
	expect_shares("a", 5, (const uint32_t[]) { 5 });
	expect_shares("a\nb\nc", 8, (const uint32_t[]) { 3, 3, 2 });
	expect_shares("a nodes=0\nb\nc", 8, (const uint32_t[]) { 0, 4, 4 });
	expect_shares("a nodes=1\nb nodes=2", 3, (const uint32_t[]) { 1, 2 });
	expect_shares("a nodes=3\nb", 3, (const uint32_t[]) { 3, 0 });
	expect_shares("a\nb\nc", 1, (const uint32_t[]) { 1, 0, 0 });
	expect_shares("a\nb", 65536, (const uint32_t[]) { 32768, 32768 });
	expect_no_share("a nodes=4\nb", 3);
	expect_no_share("a nodes=1\nb nodes=1", 3);
	expect_no_share("a nodes=65536\nb nodes=65536", 3);
}

static void test_plain_words(void **state)
{
	(void) state;
	assert_true(wt_hosts_word_is_plain("/usr/local/bin/wind-tunnel_1.2"));
	assert_false(wt_hosts_word_is_plain(""));
	assert_false(wt_hosts_word_is_plain("/a b"));
	assert_false(wt_hosts_word_is_plain("/a'b"));
	assert_false(wt_hosts_word_is_plain("$HOME"));
	assert_false(wt_hosts_word_is_plain("a\n"));
}

static void test_lines_of_slurm_conf(void **state)
{
	const struct wt_shape shape = { .cpus = 2, .sockets = 1, .cores_per_socket = 2, .threads_per_core = 1,
					.memory_mib = 10 };
	struct wt_nodes_ports ports = { .first = 20000, .each = true };
	struct wt_conf *c = wt_conf_create();
	struct wt_hosts hosts;
	struct wt_error err;
	char *text;

	(void) state;
	assert_int_equal(wt_hosts_parse(&hosts, "a address=10.0.0.1 nodes=0\nb address=10.0.0.2\nc address=10.0.0.3", "F",
			   NULL),
			 0);
	assert_int_equal(wt_hosts_share(&hosts, 3, NULL), 0);
	assert_int_equal(wt_nodes_add_hosts(c, &hosts, &ports, &shape, NULL), 0);
	text = wt_conf_print(c);
#define REST " CPUs=2 Boards=1 SocketsPerBoard=1 CoresPerSocket=2 ThreadsPerCore=1 RealMemory=10 State=UNKNOWN\n"
	assert_string_equal(text, "NodeName=n[0-1] NodeAddr=10.0.0.2 Port=[20000-20001]" REST
			    "NodeName=n2 NodeAddr=10.0.0.3 Port=20000" REST);
	free(text);
	wt_conf_destroy(c);
	c = wt_conf_create();
	ports.first = 65535;
	assert_int_equal(wt_nodes_add_hosts(c, &hosts, &ports, &shape, &err), -1);
	assert_int_equal(errno, EINVAL);
	wt_conf_destroy(c);
	wt_hosts_clear(&hosts);
}

/* Four hosts and 64 nodes below leaf switches of 'leaf' nodes: the first nodes of the second to the fourth. */
static void expect_limits(uint32_t leaf, const char *lines, uint32_t second, uint32_t third, uint32_t fourth)
{
	char topology[4096], *at = topology;
	struct wt_hosts hosts;

	for (uint32_t i = 0; i < 64; i += leaf)
		at += sprintf(at, "SwitchName=s%u Nodes=n[%u-%u]\n", i / leaf, i, i + leaf < 64 ? i + leaf - 1 : 63);
	sprintf(at, "SwitchName=root Switches=s[0-%u]\n", 63 / leaf);
	assert_int_equal(wt_hosts_parse(&hosts, lines, "F", NULL), 0);
	assert_int_equal(wt_hosts_share(&hosts, 64, NULL), 0);
	wt_hosts_align(&hosts, topology);
	assert_int_equal(hosts.list[1].first, second);
	assert_int_equal(hosts.list[2].first, third);
	assert_int_equal(hosts.list[3].first, fourth);
	for (int i = 0; i < 3; i++)
		assert_int_equal(hosts.list[i].first + hosts.list[i].count, hosts.list[i + 1].first);
	assert_int_equal(hosts.list[3].first + hosts.list[3].count, 64);
	wt_hosts_clear(&hosts);
}

static void test_align(void **state)
{
	(void) state;
	expect_limits(16, "a\nb\nc\nd", 16, 32, 48);
	expect_limits(10, "a\nb\nc\nd", 20, 30, 50);
	expect_limits(40, "a\nb\nc\nd", 16, 40, 48);	/* larger than a host's share: the others stay */
	expect_limits(1, "a\nb\nc\nd", 16, 32, 48);
	expect_limits(10, "a\nb nodes=16\nc\nd", 16, 32, 50);	/* what is said counts */
	expect_limits(10, "a nodes=0\nb\nc\nd", 0, 20, 40);
	expect_limits(64, "a\nb\nc\nd", 16, 32, 48);
}

static void test_align_to_nothing(void **state)
{
	struct wt_hosts hosts;

	(void) state;
	assert_int_equal(wt_hosts_parse(&hosts, "a\nb", "F", NULL), 0);
	assert_int_equal(wt_hosts_share(&hosts, 9, NULL), 0);
	wt_hosts_align(&hosts, "no topology");
	assert_int_equal(hosts.list[1].first, 5);
	wt_hosts_align(&hosts, "SwitchName=s Nodes=other[0-9]\n");
	assert_int_equal(hosts.list[1].first, 5);
	wt_hosts_clear(&hosts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read), cmocka_unit_test(test_refused), cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_shared), cmocka_unit_test(test_plain_words),
		cmocka_unit_test(test_lines_of_slurm_conf), cmocka_unit_test(test_align),
		cmocka_unit_test(test_align_to_nothing),
	};

	return cmocka_run_group_tests_name("hosts", tests, NULL, NULL);
}
