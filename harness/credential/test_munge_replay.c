/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/credential/munge_replay.h"

static void mac_make(uint8_t mac[16], uint64_t n)
{
	/* many that begin alike, as the table sees them */
	uint64_t words[2] = { n % 8, n };

	memcpy(mac, words, sizeof(words));
}

static int add(struct munge_replay *r, uint64_t n, int64_t expires_s, int64_t now_s)
{
	uint8_t mac[16];

	mac_make(mac, n);
	return replay_add(r, mac, expires_s, now_s);
}

static void test_second_time_is_a_replay(void **state)
{
	struct munge_replay r = { 0 };

	(void) state;
	for (uint64_t n = 0; n < 3000; n++)
		assert_int_equal(add(&r, n, 100, 1), 0);
	for (uint64_t n = 0; n < 3000; n++) {
		assert_int_equal(add(&r, n, 100, 100), -1);
		assert_int_equal(errno, EEXIST);
	}
	replay_clear(&r);
	assert_null(r.entries);
}

static void test_expired_ones_leave(void **state)
{
	struct munge_replay r = { 0 };

	(void) state;
	for (uint64_t n = 1; n < 200000; n++)
		assert_int_equal(add(&r, n * 8, (int64_t) n / 100 + 3, (int64_t) n / 100), 0);
	/* some 400 are good at a time */
	assert_true(r.size <= 4096);
	/* the last second in which it is good counts as good */
	assert_int_equal(add(&r, 199999 * 8, 3000, 1999 + 3), -1);
	replay_clear(&r);
}

static void test_nought_is_a_credential_too(void **state)
{
	struct munge_replay r = { 0 };
	uint8_t nought[16] = { 0 };

	(void) state;
	assert_int_equal(replay_add(&r, nought, 10, 1), 0);
	assert_int_equal(replay_add(&r, nought, 10, 1), -1);
	replay_clear(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_second_time_is_a_replay), cmocka_unit_test(test_expired_ones_leave),
		cmocka_unit_test(test_nought_is_a_credential_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
