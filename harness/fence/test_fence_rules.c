/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/un.h>

#include "harness/fence/fence_rules.h"

static bool v4(const char *address, uint16_t port, const char *ports)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(port) };

	assert_int_equal(inet_pton(AF_INET, address, &in.sin_addr), 1);
	return fence_lets_connect((const struct sockaddr *) &in, sizeof(in), ports);
}

static bool v6(const char *address, uint16_t port, const char *ports)
{
	struct sockaddr_in6 in = { .sin6_family = AF_INET6, .sin6_port = htons(port) };

	assert_int_equal(inet_pton(AF_INET6, address, &in.sin6_addr), 1);
	return fence_lets_connect((const struct sockaddr *) &in, sizeof(in), ports);
}

static void test_own_ports(void **state)
{
	(void) state;
	assert_true(v4("127.0.0.1", 6817, "6817"));
	assert_true(v4("127.77.0.3", 6818, "6817 6818"));
	assert_true(v4("127.255.255.255", 65535, "6817 6818 65535"));
	assert_true(v6("::1", 6817, "6817"));
	assert_true(v6("::ffff:127.0.0.1", 6817, "6817"));
}

/* Another cluster's daemons on this machine as well. */
static void test_others(void **state)
{
	(void) state;
	assert_false(v4("127.0.0.1", 6819, "6817 6818"));
	assert_false(v4("192.0.2.1", 6817, "6817"));
	assert_false(v4("128.0.0.1", 6817, "6817"));
	assert_false(v4("126.255.255.255", 6817, "6817"));
	assert_false(v4("0.0.0.0", 6817, "6817"));
	assert_false(v6("2001:db8::1", 6817, "6817"));
	assert_false(v6("::ffff:192.0.2.1", 6817, "6817"));
	assert_false(v6("::", 6817, "6817"));
}

static void test_no_ports(void **state)
{
	(void) state;
	assert_false(v4("127.0.0.1", 6817, NULL));
	assert_false(v4("127.0.0.1", 6817, ""));
	assert_false(v4("127.0.0.1", 6817, "x 6817"));
	assert_false(v4("127.0.0.1", 0, ""));
}

/* munged's socket; what the kernel refuses it shall refuse. */
static void test_no_internet(void **state)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "/run/munge" };
	struct sockaddr_in cut = { .sin_family = AF_INET };

	(void) state;
	assert_true(fence_lets_connect((const struct sockaddr *) &un, sizeof(un), NULL));
	assert_true(fence_lets_connect(NULL, 0, NULL));
	assert_false(fence_lets_connect((const struct sockaddr *) &cut, sizeof(cut) - 1, "0"));
}

static void test_programs(void **state)
{
	const struct stat self = { .st_dev = 1, .st_ino = 2 }, nothing = { .st_dev = 1, .st_ino = 3 };
	const struct stat other = { .st_dev = 2, .st_ino = 2 };

	(void) state;
	assert_true(fence_lets_run(&self, &self, &nothing));
	assert_true(fence_lets_run(&nothing, &self, &nothing));
	assert_true(fence_lets_run(&nothing, NULL, &nothing));
	assert_false(fence_lets_run(&other, &self, &nothing));
	assert_false(fence_lets_run(&other, NULL, NULL));
	assert_false(fence_lets_run(NULL, &self, &nothing));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_ports),   cmocka_unit_test(test_others),   cmocka_unit_test(test_no_ports),
		cmocka_unit_test(test_no_internet), cmocka_unit_test(test_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
