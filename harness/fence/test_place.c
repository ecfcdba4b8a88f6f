/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "harness/fence/place.h"

#define OWN "127.10.0.7:17003"

static struct sockaddr_in at(const char *address, uint16_t port)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(port) };

	assert_int_equal(inet_pton(AF_INET, address, &v4.sin_addr), 1);
	return v4;
}

static bool listens(const struct sockaddr_in *wanted, const char *setting, struct sockaddr_in *own)
{
	return address_to_listen((const struct sockaddr *) wanted, sizeof(*wanted), setting, own);
}

static bool comes(const struct sockaddr_in *peer, const char *setting, struct sockaddr_in *own)
{
	return address_to_come_from((const struct sockaddr *) peer, sizeof(*peer), setting, own);
}

static void test_listen(void **state)
{
	struct sockaddr_in all = at("0.0.0.0", 17003), other = at("0.0.0.0", 17004), one = at("127.0.0.1", 17003), own;

	(void) state;
	assert_true(listens(&all, OWN, &own));
	assert_int_equal(own.sin_addr.s_addr, at("127.10.0.7", 0).sin_addr.s_addr);
	assert_int_equal(ntohs(own.sin_port), 17003);
	assert_false(listens(&other, OWN, &own));
	assert_false(listens(&one, OWN, &own));
	assert_false(address_to_listen((const struct sockaddr *) &all, 4, OWN, &own));
	assert_false(address_to_listen(NULL, 0, OWN, &own));
	all.sin_family = AF_UNIX;
	assert_false(listens(&all, OWN, &own));
}

static void test_connect(void **state)
{
	struct sockaddr_in near = at("127.0.1.1", 6817), far = at("192.0.2.1", 6817), own;

	(void) state;
	assert_true(comes(&near, OWN, &own));
	assert_int_equal(own.sin_addr.s_addr, at("127.10.0.7", 0).sin_addr.s_addr);
	assert_int_equal(own.sin_port, 0);
	assert_false(comes(&far, OWN, &own));
}

static void test_settings_that_are_none(void **state)
{
	static const char *const bad[] = { NULL, "", ":", "127.10.0.7", "127.10.0.7:", "127.10.0.7:0", "127.10.0.7:65536",
					   "127.10.0.7:17003x", "127.10.0:17003", "127.100.100.1000:17003",
					   "localhost:17003" };
	struct sockaddr_in near = at("127.0.1.1", 6817), all = at("0.0.0.0", 17003), own;

	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_false(comes(&near, bad[i], &own));
		assert_false(listens(&all, bad[i], &own));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_listen), cmocka_unit_test(test_connect),
					    cmocka_unit_test(test_settings_that_are_none) };

	return cmocka_run_group_tests_name("place", tests, NULL, NULL);
}
