/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames and answers that take their time: they have it once, not with each byte. */
#include "config.h"

#include <arpa/inet.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "plugins/straggler/slurmctld/connection.h"

static struct connection *c;
static int client;

static int begin(void **state)
{
	int pair[2];

	(void) state;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) < 0)
		return -1;
	client = pair[0];
	c = connection_open(pair[1], 100);
	return c ? 0 : -1;
}

static int end(void **state)
{
	(void) state;
	connection_close(c);
	close(client);
	return 0;
}

static void bytes_send(const void *bytes, size_t len)
{
	assert_int_equal(send(client, bytes, len, 0), (ssize_t) len);
}

static void head_send(uint32_t len)
{
	len = htonl(len);
	bytes_send(&len, sizeof(len));
}

static struct answer known(bool trusted)
{
	return (struct answer) { .known = true, .uid = 1000, .trusted = trusted, .keep = true };
}

static void test_slow_frame(void **state)
{
	double now_s = 100;

	(void) state;
	assert_false(connection_expired(c, 100 + CONNECTION_STRANGER_S));
	head_send(4000);
	for (; now_s < 100 + CONNECTION_STRANGER_S; now_s++) {
		assert_false(connection_expired(c, now_s));
		bytes_send("x", 1);
		assert_true(connection_move(c, now_s));
	}
	assert_true(connection_expired(c, now_s + .1));
}

/* The same of a known one, whose time runs from its first byte. */
static void test_slow_known_frame(void **state)
{
	struct answer who = known(true);
	double now_s;

	(void) state;
	connection_know(c, &who);
	connection_put(c, NULL, 0, 100);
	assert_false(connection_expired(c, 100 + CONNECTION_IDLE_S));
	assert_true(connection_expired(c, 100.1 + CONNECTION_IDLE_S));
	head_send(PORT_FRAME_MAX);
	for (now_s = 150; now_s < 150 + CONNECTION_STRANGER_S; now_s++) {
		assert_true(connection_move(c, now_s));
		assert_false(connection_expired(c, now_s));
		bytes_send("x", 1);
	}
	assert_true(connection_expired(c, now_s + .1));
}

/* A whole frame waits for us, not for its sender; its memory comes with its bytes. */
static void test_whole_frame(void **state)
{
	char bytes[PORT_STRANGER_MAX] = { 0 };
	size_t least = connection_bytes(c);

	(void) state;
	head_send(sizeof(bytes));
	assert_true(connection_move(c, 100));
	assert_true(connection_bytes(c) - least < sizeof(bytes) / 4);
	bytes_send(bytes, sizeof(bytes) - 1);
	for (int i = 0; i < 10; i++)
		assert_true(connection_move(c, 101));
	assert_false(connection_ready(c));
	bytes_send(bytes, 1);
	assert_true(connection_move(c, 102));
	assert_true(connection_ready(c));
	assert_false(connection_expired(c, 1e6));
	assert_int_equal(connection_bytes(c) - least, sizeof(bytes));
	free(connection_frame(c));
	assert_int_equal(connection_bytes(c), least);
}

static void test_stranger_is_short(void **state)
{
	struct answer who = known(false);

	(void) state;
	head_send(PORT_STRANGER_MAX + 1);
	assert_false(connection_move(c, 100));
	connection_know(c, &who);
	head_send(PORT_FRAME_MAX);
	c->head_got = 0;
	assert_true(connection_move(c, 100));
	free(connection_frame(c));
	head_send(PORT_FRAME_MAX + 1);
	assert_false(connection_move(c, 100));
}

/* An answer of which a byte is taken now and then. */
static void test_slow_answer(void **state)
{
	size_t len = 4u << 20;
	char *bytes = calloc(1, len), byte;
	double until_s = 100 + CONNECTION_STRANGER_S + 4 * CONNECTION_PER_MIB_S, now_s;

	(void) state;
	assert_non_null(bytes);
	assert_true(connection_put(c, bytes, len, 100));
	for (now_s = 100; now_s <= until_s; now_s++) {
		assert_false(connection_expired(c, now_s));
		assert_int_equal(recv(client, &byte, 1, 0), 1);
		assert_true(connection_move(c, now_s));
	}
	assert_non_null(c->out);
	assert_true(connection_expired(c, until_s + .1));
}

static void test_taken_answer(void **state)
{
	char *bytes = calloc(1, 10), got[10];

	(void) state;
	assert_true(connection_put(c, bytes, 10, 150));
	assert_null(c->out);
	assert_int_equal(recv(client, got, 10, 0), 10);
	assert_false(connection_expired(c, 150 + CONNECTION_STRANGER_S));
	assert_true(connection_expired(c, 150.1 + CONNECTION_STRANGER_S));
}

#define CONNECTION(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CONNECTION(test_slow_frame), CONNECTION(test_slow_known_frame), CONNECTION(test_whole_frame),
			CONNECTION(test_stranger_is_short),
		CONNECTION(test_slow_answer), CONNECTION(test_taken_answer),
	};

	return cmocka_run_group_tests_name("connection", tests, NULL, NULL);
}
