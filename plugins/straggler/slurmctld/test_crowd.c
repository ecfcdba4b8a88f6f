/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which connection's turn it is, and which has to go. */
#include "config.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <cmocka.h>

#include "plugins/straggler/slurmctld/crowd.h"

enum { MANY = 100 };

static struct crowd crowd;
static struct crowd_member evil[MANY], good[4];

static int begin(void **state)
{
	struct crowd_limits limits = { .members = MANY, .bytes = 1000 * MANY, .party_bytes = 800 * MANY };

	(void) state;
	memset(evil, 0, sizeof(evil));
	memset(good, 0, sizeof(good));
	return crowd_init(&crowd, &limits, NULL);
}

static int end(void **state)
{
	(void) state;
	for (int i = 0; i < MANY; i++)
		crowd_leave(&crowd, &evil[i]);
	for (int i = 0; i < 4; i++)
		crowd_leave(&crowd, &good[i]);
	assert_true(crowd.members == 0 && crowd.bytes == 0 && crowd.waiting == 0 && crowd.over == 0);
	assert_true(LIST_EMPTY(&crowd.parties) && TAILQ_EMPTY(&crowd.turns));
	crowd_fini(&crowd);
	return 0;
}

static void join(struct crowd_member *m, uint64_t key, size_t bytes)
{
	assert_int_equal(crowd_join(&crowd, m, key), 0);
	crowd_weigh(&crowd, m, bytes);
}

/* A hundred frames of one party wait: another's has its turn after one of them at most, and its own latest before all of
 * them. */
static void test_turns(void **state)
{
	(void) state;
	for (int i = 0; i < MANY; i++) {
		join(&evil[i], 1, 1);
		crowd_wait(&crowd, &evil[i], true);
		crowd_wait(&crowd, &evil[i], true);	/* twice is once */
	}
	assert_int_equal(crowd.waiting, MANY);
	assert_ptr_equal(crowd_next(&crowd), &evil[MANY - 1]);
	for (int i = 0; i < 3; i++) {
		join(&good[i], 2 + (uint64_t) i, 1);
		crowd_wait(&crowd, &good[i], true);
	}
	crowd_served(&crowd);
	for (int i = 0; i < 3; i++) {
		assert_ptr_equal(crowd_next(&crowd), &good[i]);
		crowd_served(&crowd);
	}
	assert_ptr_equal(crowd_next(&crowd), &evil[MANY - 2]);
	crowd_wait(&crowd, &evil[MANY - 2], false);
	crowd_leave(&crowd, &evil[MANY - 3]);
	assert_ptr_equal(crowd_next(&crowd), &evil[MANY - 4]);
	for (int i = 0; i < MANY - 3; i++)
		crowd_served(&crowd);
	assert_null(crowd_next(&crowd));
	crowd_served(&crowd);				/* no member */
	assert_int_equal(crowd.waiting, 0);
}

/* The heaviest party loses its oldest member; one that is busy stays. */
static void test_surplus(void **state)
{
	(void) state;
	join(&good[0], 2, 10);
	join(&good[1], 3, 10);
	for (int i = 0; i < MANY - 2; i++)
		join(&evil[i], 1, 10);
	assert_null(crowd_surplus(&crowd));
	assert_ptr_equal(crowd_oldest(&crowd), &evil[0]);
	join(&good[2], 2, 10);
	assert_ptr_equal(crowd_surplus(&crowd), &evil[0]);
	evil[0].busy = true;
	assert_ptr_equal(crowd_surplus(&crowd), &evil[1]);
	crowd_leave(&crowd, &evil[1]);
	assert_null(crowd_surplus(&crowd));
	for (int i = 0; i < MANY; i++)
		evil[i].busy = true;
	join(&good[3], 2, 10);
	assert_ptr_equal(crowd_surplus(&crowd), &good[0]);	/* none of the heaviest may go */
	for (int i = 0; i < 4; i++)
		good[i].busy = true;
	assert_null(crowd_surplus(&crowd));
}

static void test_bytes(void **state)
{
	(void) state;
	join(&good[0], 2, 10);
	join(&evil[0], 1, 800 * MANY);
	assert_null(crowd_surplus(&crowd));
	assert_int_equal(crowd_room(&crowd, &evil[0]), 0);
	assert_int_equal(crowd_room(&crowd, &good[0]), 200 * MANY - 10);
	crowd_weigh(&crowd, &evil[0], 800 * MANY + 1);		/* more than a party may keep */
	assert_ptr_equal(crowd_surplus(&crowd), &evil[0]);
	join(&evil[1], 1, 1);
	assert_ptr_equal(crowd_surplus(&crowd), &evil[0]);
	crowd_weigh(&crowd, &evil[0], 700 * MANY);
	assert_null(crowd_surplus(&crowd));
	join(&good[1], 3, 301 * MANY);				/* and all together: the heaviest one pays */
	assert_ptr_equal(crowd_surplus(&crowd), &evil[0]);
	assert_int_equal(crowd_room(&crowd, &good[0]), 0);
	crowd_leave(&crowd, &evil[0]);
	assert_null(crowd_surplus(&crowd));
}

static uint64_t key_of(int family, const char *text)
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6 };

	if (family == AF_INET) {
		assert_int_equal(inet_pton(AF_INET, text, &in.sin_addr), 1);
		return crowd_address(&in, sizeof(in));
	}
	assert_int_equal(inet_pton(AF_INET6, text, &in6.sin6_addr), 1);
	return crowd_address(&in6, sizeof(in6));
}

static void test_address(void **state)
{
	sa_family_t local = AF_UNIX;

	(void) state;
	assert_true(key_of(AF_INET, "10.0.0.1") != key_of(AF_INET, "10.0.0.2"));
	assert_true(key_of(AF_INET, "127.0.0.1") == key_of(AF_INET, "127.77.0.9"));
	assert_true(key_of(AF_INET6, "::1") == key_of(AF_INET, "127.0.0.1"));
	assert_true(key_of(AF_INET6, "::ffff:10.0.0.1") == key_of(AF_INET, "10.0.0.1"));
	assert_true(key_of(AF_INET6, "fd00::1") != key_of(AF_INET6, "fd00::2"));
	assert_int_equal(crowd_address(&local, sizeof(local)), 0);
	assert_int_equal(crowd_address(NULL, 0), 0);
}

/* In more room than it needs an address is the same party; one that is cut short, or another family's, however long, is no
 * address: else its bytes would name a party of their choice. */
static void test_address_length(void **state)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(0x0a000001) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_flowinfo = 7, .sin6_addr.s6_addr = { 0xfd, [15] = 1 } };
	struct sockaddr_un un = { .sun_family = AF_UNIX, .sun_path = "/a/path/that/is/longer/than/an/address/of/IPv6" };
	struct sockaddr_storage room = { 0 };

	(void) state;
	memcpy(&room, &in, sizeof(in));
	assert_true(crowd_address(&room, sizeof(room)) == key_of(AF_INET, "10.0.0.1"));
	memcpy(&room, &in6, sizeof(in6));
	assert_true(crowd_address(&room, sizeof(room)) == key_of(AF_INET6, "fd00::1"));
	assert_int_equal(crowd_address(&in, sizeof(in) - 1), 0);
	assert_int_equal(crowd_address(&in6, sizeof(in6) - 1), 0);
	assert_int_equal(crowd_address(&un, sizeof(un)), 0);
}

#define CROWD(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = { CROWD(test_turns), CROWD(test_surplus), CROWD(test_bytes),
					    cmocka_unit_test(test_address), cmocka_unit_test(test_address_length) };

	return cmocka_run_group_tests_name("crowd", tests, NULL, NULL);
}
