/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of sessions, and the keys of frames. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "straggler/protocol/key.h"
#include "plugins/straggler/slurmctld/session.h"

static struct sessions *table;

static int table_make(void **state)
{
	(void) state;
	table = sessions_create(NULL);
	return table ? 0 : -1;
}

static int table_drop(void **state)
{
	(void) state;
	sessions_destroy(table);
	return 0;
}

static uint64_t opened(uint32_t uid, bool trusted, uint64_t number, double now_s, bool *dropped)
{
	struct session_random drawn = { number << 20, { (uint8_t) number } };
	bool gone;

	return session_open(table, uid, trusted, &drawn, now_s, dropped ? dropped : &gone)->id;
}

static void test_open(void **state)
{
	bool dropped = true;
	uint64_t id = opened(1000, false, 7, 50, &dropped), other = opened(0, true, 7, 50, NULL);
	struct session *session = session_find(table, id, 50);

	(void) state;
	assert_false(dropped);
	assert_true(id && other && id != other);
	assert_non_null(session);
	assert_int_equal(session->uid, 1000);
	assert_false(session->trusted);
	assert_int_equal(session->key[0], 7);
	assert_int_equal(session_find(table, other, 50)->uid, 0);
	assert_true(session_find(table, other, 50)->trusted);
	assert_non_null(session_find(table, id, 50 + SESSION_LIFETIME_S - .001));
	assert_null(session_find(table, id, 50 + SESSION_LIFETIME_S));
	sessions_destroy(NULL);
}

static void test_unknown(void **state)
{
	uint64_t id = opened(0, true, 7, 0, NULL);

	(void) state;
	assert_null(session_find(table, 0, 0));
	assert_null(session_find(table, UINT64_MAX, 0));
	for (int bit = 0; bit < 64; bit++)
		assert_null(session_find(table, id ^ 1ull << bit, 0));
	for (uint64_t place = 0; place < 1 << 16; place++)	/* free places have no number */
		assert_null(session_find(table, place, 0));
}

/* Whatever is drawn, 0 too. */
static void test_drawn_zero(void **state)
{
	uint64_t id = opened(0, true, 0, 0, NULL);

	(void) state;
	assert_true(id != 0);
	assert_non_null(session_find(table, id, 0));
}

static void test_sequence(void **state)
{
	struct session *session = session_find(table, opened(0, true, 1, 0, NULL), 0);

	(void) state;
	assert_false(session_advance(session, 0));
	assert_true(session_advance(session, 1));
	assert_false(session_advance(session, 1));
	assert_true(session_advance(session, 10));
	assert_false(session_advance(session, 9));
	assert_true(session_advance(session, UINT64_MAX));
	assert_false(session_advance(session, 0));
	assert_false(session_advance(session, UINT64_MAX));
}

/* A user who opens session after session loses his own; others keep theirs, and agents all of them. */
static void test_flood(void **state)
{
	uint64_t agent = opened(0, true, 1, 0, NULL), user = opened(1001, false, 2, 0, NULL), first = 0, id = 0;
	unsigned int drops = 0;

	(void) state;
	for (unsigned int i = 0; i < 10000; i++) {
		bool dropped;

		id = opened(1000, false, 3 + i, 1, &dropped);
		first = i ? first : id;
		drops += dropped;
		assert_int_equal(dropped, i >= SESSIONS_USER);
	}
	assert_int_equal(drops, 10000 - SESSIONS_USER);
	assert_null(session_find(table, first, 1));
	assert_non_null(session_find(table, id, 1));
	assert_non_null(session_find(table, user, 1));
	assert_non_null(session_find(table, agent, 1));
}

/* Many users together lose the oldest one of all; when sessions have ended, their places are free. */
static void test_users(void **state)
{
	uint64_t ids[SESSIONS_OTHERS];
	bool dropped;

	(void) state;
	for (uint32_t i = 0; i < SESSIONS_OTHERS; i++) {
		ids[i] = opened(1000 + i, false, i, i / 1e3, &dropped);
		assert_false(dropped);
	}
	opened(5000, false, 1, 1, &dropped);
	assert_true(dropped);
	assert_null(session_find(table, ids[0], 1));
	assert_non_null(session_find(table, ids[1], 1));
	opened(5000, false, 1, 2 * SESSION_LIFETIME_S, &dropped);
	assert_false(dropped);
}

static void test_trusted_full(void **state)
{
	uint64_t first = opened(0, true, 1, 0, NULL), second = opened(0, true, 2, 0, NULL), user = opened(1000, false, 3, 0,
		NULL);
	bool dropped = false;

	(void) state;
	for (unsigned int i = 2; i < SESSIONS_TRUSTED; i++) {
		opened(0, true, i + 2, 0, &dropped);
		assert_false(dropped);
	}
	opened(0, true, SESSIONS_TRUSTED + 2, 0, &dropped);
	assert_true(dropped);
	assert_null(session_find(table, first, 0));
	assert_non_null(session_find(table, second, 0));
	assert_non_null(session_find(table, user, 0));
}

/* The MAC of these bytes, by another library (Python's hmac): key 00 01 ... 1f. */
static void test_key(void **state)
{
	static const uint8_t want[PORT_MAC] = { 0xb5, 0x28, 0xc9, 0xa1, 0xc1, 0xb6, 0x92, 0x1e, 0x77, 0xf1, 0x4d, 0x2f,
						   0x71, 0x6b, 0xd5, 0xcd };
	struct port_session session = { .id = 0x203 };
	static struct port_message message = { .kind = PORT_REPORT, .sequence = 1, .window_ms = 6000, .node = "n1",
		.count = 0 };
	static uint8_t frame[KEY_FRAME_MAX];
	uint8_t one[32] = { 0 }, two[32] = { 0 };
	int len;

	(void) state;
	for (unsigned int i = 0; i < PORT_KEY; i++)
		session.key[i] = (uint8_t) i;
	len = key_frame(&session, &message, 0, frame, sizeof(frame), NULL);
	assert_int_equal(len, PORT_KEYED_HEAD + 8 + 15 + PORT_MAC);
	assert_memory_equal(frame + len - PORT_MAC, want, PORT_MAC);
	assert_true(key_good(session.key, frame, (size_t) len));
	for (int at = 0; at < len; at++) {
		frame[at] ^= 1;
		assert_false(key_good(session.key, frame, (size_t) len));
		frame[at] ^= 1;
	}
	assert_false(key_good(session.key, frame, (size_t) len - 1));
	assert_false(key_good(session.key, frame, PORT_MAC));
	assert_false(key_good(session.key, frame, PORT_MAC - 1));
	assert_false(key_good(session.key, frame, 0));
	session.key[31] ^= 1;
	assert_false(key_good(session.key, frame, (size_t) len));
	assert_int_equal(key_frame(&session, &message, 0, frame, (size_t) len - 1, NULL), -1);
	assert_int_equal(errno, ENOSPC);
	assert_int_equal(key_frame(&session, &message, 0, frame, 0, NULL), -1);
	message.kind = PORT_COMMIT;
	assert_int_equal(key_frame(&session, &message, 0, frame, sizeof(frame), NULL), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(key_draw(one, sizeof(one), NULL), 0);
	assert_int_equal(key_draw(two, sizeof(two), NULL), 0);
	assert_memory_not_equal(one, two, sizeof(one));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_open, table_make, table_drop),
		cmocka_unit_test_setup_teardown(test_unknown, table_make, table_drop),
		cmocka_unit_test_setup_teardown(test_drawn_zero, table_make, table_drop),
		cmocka_unit_test_setup_teardown(test_sequence, table_make, table_drop),
		cmocka_unit_test_setup_teardown(test_flood, table_make, table_drop),
		cmocka_unit_test_setup_teardown(test_users, table_make, table_drop),
		cmocka_unit_test_setup_teardown(test_trusted_full, table_make, table_drop),
		cmocka_unit_test(test_key),
	};

	return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
