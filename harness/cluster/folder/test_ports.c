/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "harness/cluster/folder/ports.h"

static void test_blocks_avoid_the_ephemeral_range(void **state)
{
	static const unsigned int ranges[][2] = { { 32768, 60999 }, { 1024, 65535 }, { 1024, 60999 }, { 10000, 65535 },
						  { 2000, 65535 }, { 10100, 20000 }, { 61000, 65535 } };

	(void) state;
	for (size_t r = 0; r < sizeof(ranges) / sizeof(ranges[0]); r++) {
		uint16_t port;

		for (unsigned int i = 0; (port = wt_ports_block(ranges[r][0], ranges[r][1], i)); i++) {
			assert_true(port >= 1024);
			assert_true(port + WT_PORTS_BLOCK <= 65536);
			assert_true((unsigned int) port + WT_PORTS_BLOCK <= ranges[r][0] || port > ranges[r][1]);
		}
	}
}

static void test_block_numbers(void **state)
{
	(void) state;
	assert_int_equal(wt_ports_block(32768, 60999, 0), 10000);
	assert_int_equal(wt_ports_block(32768, 60999, 1), 10005);
	assert_int_equal(wt_ports_block(32768, 60999, 4552), 32760);
	assert_int_equal(wt_ports_block(32768, 60999, 4553), 0);
	assert_int_equal(wt_ports_block(32768, 60999, 4000000000u), 0);
	assert_int_equal(wt_ports_block(1024, 60999, 0), 61000);
	assert_int_equal(wt_ports_block(10000, 65535, 0), 1024);
	assert_int_equal(wt_ports_block(10000 + 64 * WT_PORTS_BLOCK - 1, 40000, 0), 40001);	/* 63 blocks are too few */
	assert_int_equal(wt_ports_block(10000 + 64 * WT_PORTS_BLOCK, 40000, 0), 10000);
	assert_int_equal(wt_ports_block(1024, 65535, 0), 0);
}

static void test_taken_blocks_differ(void **state)
{
	struct wt_ports a, b;
	unsigned int next;

	(void) state;
	assert_int_equal(wt_ports_take(1000, 0, &a, &next, NULL), 0);
	assert_int_equal(wt_ports_take(1000, 0, &b, &next, NULL), 0);
	assert_true(a.lock >= 10000 + 1000 * WT_PORTS_BLOCK);
	assert_true(b.lock >= a.lock + WT_PORTS_BLOCK);
	assert_int_equal(next, (b.lock - 10000) / WT_PORTS_BLOCK + 1);
	assert_true(a.network >= 1 && a.network <= 254);
	wt_ports_release(&a);
	wt_ports_release(&b);
	wt_ports_release(&b);
}

static void test_a_foreign_listener_is_seen(void **state)
{
	struct wt_ports first, second;
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	unsigned int next;

	(void) state;
	assert_int_equal(wt_ports_take(1200, 0, &first, &next, NULL), 0);
	addr.sin_port = htons(first.nodes);
	assert_int_equal(bind(fd, (struct sockaddr *) &addr, sizeof(addr)), 0);
	assert_int_equal(listen(fd, 1), 0);
	wt_ports_release(&first);
	assert_int_equal(wt_ports_take(next - 1, 0, &second, &next, NULL), 0);
	assert_int_not_equal(second.lock, first.lock);
	wt_ports_release(&second);
	close(fd);
}

static void test_a_port_for_each_node(void **state)
{
	struct wt_ports a, b, c;
	unsigned int next, after;

	(void) state;
	assert_int_equal(wt_ports_take(0, 100, &a, &next, NULL), 0);
	assert_int_equal(a.nodes, a.lock + WT_PORTS_OWN);
	assert_int_equal(wt_ports_take(0, 100, &b, &after, NULL), 0);
	assert_true(b.nodes + 100 <= a.lock || a.nodes + 100 <= b.lock);
	assert_int_equal(wt_ports_take(next, 100, &c, &after, NULL), 0);	/* what 'a' has is not tried again */
	assert_true(c.nodes + 100 <= a.lock);
	assert_true(after > next);
	wt_ports_release(&a);
	wt_ports_release(&b);
	wt_ports_release(&c);
}

/* Of a cluster whose nodes are off nobody listens, but no other one gets their ports; a daemon of its own does. */
static void test_a_port_that_is_held(void **state)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	struct wt_ports a, b;
	unsigned int next;
	int held, fd, on = 1;

	(void) state;
	assert_int_equal(wt_ports_take(100, 100, &a, &next, NULL), 0);
	held = wt_ports_hold((uint16_t) (a.nodes + 90), a.network);
	assert_true(held >= 0);
	assert_int_equal(wt_ports_take(100, 3, &b, &next, NULL), 0);
	assert_true(b.lock > a.nodes + 90 || b.nodes + 3 <= a.nodes + 90);
	addr.sin_port = htons((uint16_t) (a.nodes + 90));
	for (int everywhere = 0; everywhere < 2; everywhere++) {
		addr.sin_addr.s_addr = htonl(everywhere ? INADDR_ANY : 127u << 24 | a.network << 16 | 90);
		fd = socket(AF_INET, SOCK_STREAM, 0);
		assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), 0);
		assert_int_equal(bind(fd, (struct sockaddr *) &addr, sizeof(addr)), 0);
		assert_int_equal(listen(fd, 1), 0);
		close(fd);
	}
	close(held);
	wt_ports_release(&a);
	wt_ports_release(&b);
}

static void test_more_than_there_are(void **state)
{
	struct wt_ports p;
	struct wt_error err;
	unsigned int next;

	(void) state;
	assert_int_equal(wt_ports_take(0, 65536, &p, &next, &err), -1);
	assert_int_equal(errno, EADDRINUSE);
	assert_non_null(strstr(err.text, "65539 free TCP ports"));
	assert_int_equal(wt_ports_take(60000, 4, &p, &next, &err), -1);
	assert_int_equal(p.lock_fd, -1);
}

static void test_none_left(void **state)
{
	struct wt_ports p;
	struct wt_error err;
	unsigned int next;

	(void) state;
	assert_int_equal(wt_ports_take(4000000000u, 0, &p, &next, &err), -1);
	assert_int_equal(errno, EADDRINUSE);
	assert_int_equal(p.lock_fd, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks_avoid_the_ephemeral_range),
		cmocka_unit_test(test_block_numbers),
		cmocka_unit_test(test_taken_blocks_differ),
		cmocka_unit_test(test_a_foreign_listener_is_seen),
		cmocka_unit_test(test_a_port_for_each_node),
		cmocka_unit_test(test_a_port_that_is_held),
		cmocka_unit_test(test_more_than_there_are),
		cmocka_unit_test(test_none_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
