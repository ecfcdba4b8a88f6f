/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is heard for the nodes: requests in frames, from clients that this program plays itself. */
#include "config.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/vnode/wire/node_server.h"
#include "lib/test_cmocka.h"

#define DROP_KINDS (WT_DROP_MEMORY + 1)

struct server_world {
	struct ev_loop *loop;
	ev_timer tick;			/* the loop never waits for ever */
	struct wt_server *server;
	struct wt_server_conf conf;
	uint32_t requests, waits, drops[DROP_KINDS], dropped;
	in_addr_t local, peer;		/* of the last request */
	uint16_t local_port;
	uint64_t later;
	char request[64];
	const char *answer;		/* frame and all; NULL: none */
	size_t answer_len;
	double delay_s;
};

static void server_request(void *arg, const struct sockaddr_in *local, in_addr_t peer, const uint8_t *frame, size_t len,
			   struct wt_server_answer *answer)
{
	struct server_world *w = arg;

	w->requests++;
	w->local = local->sin_addr.s_addr;
	w->local_port = ntohs(local->sin_port);
	w->peer = peer;
	assert_true(len < sizeof(w->request));
	memcpy(w->request, frame, len);
	w->request[len] = '\0';
	answer->delay_s = w->delay_s;
	answer->later = w->later;
	if (w->later)
		return;
	if (!w->answer)
		return;
	answer->data = malloc(w->answer_len);
	memcpy(answer->data, w->answer, w->answer_len);
	answer->len = w->answer_len;
}

static void server_waits(void *arg)
{
	((struct server_world *) arg)->waits++;
}

static void server_dropped(void *arg, enum wt_drop why)
{
	struct server_world *w = arg;

	w->drops[why]++;
	w->dropped++;
}

static void tick(struct ev_loop *loop, ev_timer *timer, int events)
{
	(void) loop;
	(void) timer;
	(void) events;
}

static struct wt_server *server_make(struct server_world *w, struct wt_error *errp)
{
	const struct wt_server_calls calls = {
		.request = server_request, .waits = server_waits, .dropped = server_dropped, .arg = w,
	};

	return wt_server_create(w->loop, &w->conf, &calls, errp);
}

/* A port that no process has.  What is asked for it in the moment before it is ours finds it taken: then another one. */
static bool server_begin(struct server_world *w)
{
	for (int i = 0; i < 100 && !w->server; i++) {
		struct sockaddr_in at = { .sin_family = AF_INET };
		socklen_t len = sizeof(at);
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		assert_int_equal(bind(fd, (struct sockaddr *) &at, len), 0);
		assert_int_equal(getsockname(fd, (struct sockaddr *) &at, &len), 0);
		close(fd);
		w->conf.port = ntohs(at.sin_port);
		w->server = server_make(w, NULL);
	}
	return w->server != NULL;
}

static int world_open(void **state)
{
	struct server_world *w = calloc(1, sizeof(*w));

	w->loop = ev_loop_new(0);
	ev_timer_init(&w->tick, tick, 0.01, 0.01);
	ev_timer_start(w->loop, &w->tick);
	w->conf = (struct wt_server_conf) { .any_device = true, .max_connections = 2, .frame_limit = 40, .timeout_s = 120 };
	w->answer = "\0\0\0\3yes";
	w->answer_len = 7;
	*state = w;
	return 0;
}

static int world_close(void **state)
{
	struct server_world *w = *state;

	wt_server_destroy(w->server);
	ev_loop_destroy(w->loop);
	free(w);
	return 0;
}

/* A connection from 127.0.0.9 to the address 127.0.0.'to', or -1. */
static int client_try(const struct server_world *w, uint32_t to)
{
	struct sockaddr_in from = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK + 8) };
	struct sockaddr_in at = {
		.sin_family = AF_INET, .sin_port = htons(w->conf.port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + to),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(bind(fd, (struct sockaddr *) &from, sizeof(from)), 0);
	if (connect(fd, (struct sockaddr *) &at, sizeof(at)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static int client(const struct server_world *w, uint32_t to, const char *bytes, size_t len)
{
	int fd = client_try(w, to);

	assert_true(fd >= 0);
	if (len)
		assert_int_equal(send(fd, bytes, len, MSG_NOSIGNAL), len);
	return fd;
}

#define CLIENT(w, to, bytes) client(w, to, bytes, sizeof(bytes) - 1)

static void until(struct server_world *w, const uint32_t *counter, uint32_t count)
{
	for (int i = 0; i < 12000 && *counter < count; i++)
		ev_run(w->loop, EVRUN_ONCE);
	assert_int_equal(*counter, count);
}

/* All that the server says before it closes, and how much that is. */
static size_t client_hears(struct server_world *w, int fd, char *out, size_t size)
{
	size_t len = 0;
	ssize_t n = -1;

	for (int i = 0; i < 12000 && n != 0; i++) {
		ev_run(w->loop, EVRUN_ONCE);
		while ((n = recv(fd, out + len, size - len, MSG_DONTWAIT)) > 0)
			len += (size_t) n;
		assert_true(len < size);
	}
	assert_int_equal(n, 0);
	close(fd);
	return len;
}

static void test_answers(void **state)
{
	struct server_world *w = *state;
	char out[64];
	int fd;

	assert_true(server_begin(w));
	fd = CLIENT(w, 5, "\0\0\0\5he");
	assert_int_equal(send(fd, "llobehind", 9, 0), 9);
	assert_int_equal(client_hears(w, fd, out, sizeof(out)), 7);
	assert_memory_equal(out, "\0\0\0\3yes", 7);
	assert_string_equal(w->request, "hello");
	assert_int_equal(ntohl(w->local), INADDR_LOOPBACK + 4);
	assert_int_equal(ntohl(w->peer), INADDR_LOOPBACK + 8);
	w->delay_s = 0.001;
	assert_int_equal(client_hears(w, CLIENT(w, 5, "\0\0\0\2hi"), out, sizeof(out)), 7);
	w->answer = NULL;
	assert_int_equal(client_hears(w, CLIENT(w, 5, "\0\0\0\2hi"), out, sizeof(out)), 0);
	w->delay_s = 0;
	assert_int_equal(client_hears(w, CLIENT(w, 5, "\0\0\0\2hi"), out, sizeof(out)), 0);
	assert_int_equal(w->requests, 4);
	assert_int_equal(w->dropped, 0);
}

/* Longer than what the kernel takes at once; and one that its client does not wait for. */
static void test_large_answer(void **state)
{
	enum { LARGE = 16 << 20 };
	struct server_world *w = *state;
	char *large = malloc(LARGE), *out = malloc(LARGE + 1);
	struct linger reset = { .l_onoff = 1 };
	int fd;

	assert_true(server_begin(w));
	for (size_t i = 0; i < LARGE; i++)
		large[i] = (char) (i % 251);
	w->answer = large;
	w->answer_len = LARGE;
	assert_int_equal(client_hears(w, CLIENT(w, 1, "\0\0\0\2hi"), out, LARGE + 1), LARGE);
	assert_memory_equal(out, large, LARGE);
	assert_int_equal(w->dropped, 0);
	fd = CLIENT(w, 1, "\0\0\0\2hi");
	until(w, &w->requests, 2);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)), 0);
	close(fd);
	until(w, &w->drops[WT_DROP_UNANSWERED], 1);
	assert_int_equal(w->dropped, 1);
	free(out);
	free(large);
}

static void test_drops(void **state)
{
	struct server_world *w = *state;
	char out[8];
	int fd;

	assert_true(server_begin(w));
	assert_int_equal(client_hears(w, CLIENT(w, 1, "\0\0\0\51"), out, sizeof(out)), 0);
	assert_int_equal(w->drops[WT_DROP_HUGE], 1);
	assert_int_equal(client_hears(w, CLIENT(w, 1, "\0\0\0\1x"), out, sizeof(out)), 0);
	assert_int_equal(w->drops[WT_DROP_SHORT], 1);
	fd = CLIENT(w, 1, "\0\0");
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	assert_int_equal(client_hears(w, fd, out, sizeof(out)), 0);
	assert_int_equal(w->drops[WT_DROP_TRUNCATED], 1);
	fd = CLIENT(w, 1, "");		/* it only looked whether the port answers */
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	assert_int_equal(client_hears(w, fd, out, sizeof(out)), 0);
	assert_int_equal(w->dropped, 3);
	assert_int_equal(w->requests, 0);
}

static void test_slow_client(void **state)
{
	struct server_world *w = *state;
	char out[8];

	w->conf.timeout_s = 0.001;
	assert_true(server_begin(w));
	assert_int_equal(client_hears(w, CLIENT(w, 1, ""), out, sizeof(out)), 0);
	assert_int_equal(w->drops[WT_DROP_TIMEOUT], 1);
	assert_int_equal(w->dropped, 1);
}

/* The third connection waits in the kernel until one of two ends. */
static void test_connections_are_bounded(void **state)
{
	struct server_world *w = *state;
	int clients[3];
	char out[8];

	w->conf.in_order = true;
	assert_true(server_begin(w));
	for (uint32_t i = 0; i < 3; i++) {
		clients[i] = CLIENT(w, 1 + i, "\0\0\0\2hi");
		until(w, &w->waits, i < 2 ? i + 1 : 2);
	}
	for (int i = 0; i < 20; i++)
		ev_run(w->loop, EVRUN_ONCE);
	assert_int_equal(w->waits, 2);
	assert_true(wt_server_turn(w->server));
	until(w, &w->waits, 3);
	while (wt_server_turn(w->server))
		;
	assert_int_equal(w->requests, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(client_hears(w, clients[i], out, sizeof(out)), 7);
	assert_int_equal(w->dropped, 0);
}

static void test_in_order(void **state)
{
	struct server_world *w = *state;
	int first, second;
	char out[8];

	w->conf.in_order = true;
	assert_true(server_begin(w));
	assert_false(wt_server_waits(w->server));
	first = CLIENT(w, 7, "\0\0\0\2hi");
	until(w, &w->waits, 1);
	second = CLIENT(w, 6, "\0\0\0\2hi");
	until(w, &w->waits, 2);
	assert_true(wt_server_waits(w->server));
	assert_int_equal(w->requests, 0);
	assert_true(wt_server_turn(w->server));
	assert_int_equal(ntohl(w->local), INADDR_LOOPBACK + 5);	/* of equals the lower address, though it came later */
	assert_true(wt_server_turn(w->server));
	assert_int_equal(ntohl(w->local), INADDR_LOOPBACK + 6);
	assert_false(wt_server_turn(w->server));
	assert_false(wt_server_waits(w->server));
	assert_int_equal(client_hears(w, first, out, sizeof(out)), 7);
	assert_int_equal(client_hears(w, second, out, sizeof(out)), 7);
	first = CLIENT(w, 6, "\0\0\0\2hi");
	until(w, &w->waits, 3);
	wt_server_destroy(w->server);	/* with one that waits */
	close(first);
	w->server = NULL;
}

static void test_addresses(void **state)
{
	const in_addr_t addresses[] = { htonl(INADDR_LOOPBACK + 2), htonl(INADDR_LOOPBACK + 3) };
	struct server_world *w = *state;
	struct wt_error error;
	char out[8];

	w->conf.addresses = addresses;
	w->conf.address_count = 2;
	assert_true(server_begin(w));
	assert_null(server_make(w, &error));		/* another process's, say */
	assert_int_equal(errno, EADDRINUSE);
	assert_int_equal(client_try(w, 3), -1);
	assert_int_equal(wt_server_listen(w->server, 0, true, NULL), 0);
	assert_int_equal(wt_server_listen(w->server, 0, true, NULL), 0);
	assert_int_equal(wt_server_listen(w->server, 2, true, NULL), 0);	/* there is no such node */
	assert_int_equal(client_hears(w, CLIENT(w, 3, "\0\0\0\2hi"), out, sizeof(out)), 7);
	assert_int_equal(client_try(w, 4), -1);
	assert_int_equal(wt_server_listen(w->server, 1, true, NULL), 0);
	assert_int_equal(wt_server_listen(w->server, 0, false, NULL), 0);
	assert_int_equal(client_try(w, 3), -1);
	assert_int_equal(client_hears(w, CLIENT(w, 4, "\0\0\0\2hi"), out, sizeof(out)), 7);
	assert_int_equal(ntohl(w->local), INADDR_LOOPBACK + 3);
}

/* Each at a port of its own, all at one address. */
static void test_ports(void **state)
{
	const in_addr_t addresses[] = { htonl(INADDR_LOOPBACK + 2), htonl(INADDR_LOOPBACK + 2) };
	struct server_world *w = *state, other = *w;
	uint16_t ports[2];
	char out[8];

	assert_true(server_begin(&other));	/* two ports that nobody has */
	ports[0] = other.conf.port;
	assert_true(server_begin(w));
	ports[1] = w->conf.port;
	wt_server_destroy(other.server);
	wt_server_destroy(w->server);
	w->conf.addresses = addresses;
	w->conf.ports = ports;
	w->conf.address_count = 2;
	w->server = server_make(w, NULL);
	assert_non_null(w->server);
	assert_int_equal(wt_server_listen(w->server, 1, true, NULL), 0);
	assert_int_equal(client_hears(w, CLIENT(w, 3, "\0\0\0\2hi"), out, sizeof(out)), 7);
	assert_int_equal(w->local_port, ports[1]);
	assert_int_equal(client_try(w, 2), -1);		/* not on other addresses */
	w->conf.port = ports[0];
	assert_int_equal(client_try(w, 3), -1);
	assert_int_equal(wt_server_listen(w->server, 0, true, NULL), 0);
	assert_int_equal(client_hears(w, CLIENT(w, 3, "\0\0\0\2hi"), out, sizeof(out)), 7);
	assert_int_equal(w->local_port, ports[0]);
}

static struct wt_server_answer answer_of(const char *bytes, size_t len, double delay_s)
{
	struct wt_server_answer answer = { .data = malloc(len), .len = len, .delay_s = delay_s };

	memcpy(answer.data, bytes, len);
	return answer;
}

/* It holds up nobody, and outlives the time limit of clients; one whose client is gone is dropped. */
static void test_answer_later(void **state)
{
	struct server_world *w = *state;
	struct wt_server_answer answer;
	char out[8];
	int fd;

	w->conf.timeout_s = 0.05;
	assert_true(server_begin(w));
	w->later = 77;
	fd = CLIENT(w, 5, "\0\0\0\2hi");
	until(w, &w->requests, 1);
	w->later = 0;
	assert_int_equal(client_hears(w, CLIENT(w, 5, "\0\0\0\2hi"), out, sizeof(out)), 7);
	for (int i = 0; i < 20; i++)
		ev_run(w->loop, EVRUN_ONCE);
	assert_int_equal(recv(fd, out, sizeof(out), MSG_DONTWAIT), -1);
	answer = answer_of("\0\0\0\2no", 6, 0);
	wt_server_answer_later(w->server, 78, &answer);		/* no such one */
	answer = answer_of("\0\0\0\2no", 6, 0.001);
	wt_server_answer_later(w->server, 77, &answer);
	assert_int_equal(client_hears(w, fd, out, sizeof(out)), 6);
	assert_memory_equal(out, "\0\0\0\2no", 6);
	w->later = 79;
	fd = CLIENT(w, 5, "\0\0\0\2hi");
	until(w, &w->requests, 3);
	answer = (struct wt_server_answer) { 0 };
	wt_server_answer_later(w->server, 79, &answer);		/* as one that is never answered */
	assert_int_equal(client_hears(w, fd, out, sizeof(out)), 0);
	w->later = 80;
	fd = CLIENT(w, 5, "\0\0\0\2hi");
	until(w, &w->requests, 4);
	close(fd);
	assert_int_equal(w->dropped, 0);
}

static void test_port_taken(void **state)
{
	struct server_world *w = *state;
	struct wt_error error;
	char text[32];

	assert_true(server_begin(w));
	assert_null(server_make(w, &error));
	assert_int_equal(errno, EADDRINUSE);
	snprintf(text, sizeof(text), "port %u ", w->conf.port);
	assert_non_null(strstr(error.text, text));
	errno = ENOTTY;
	wt_server_destroy(NULL);
	assert_int_equal(errno, ENOTTY);
}

#define WORLD_TEST(function) cmocka_unit_test_setup_teardown(function, world_open, world_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(test_answers), WORLD_TEST(test_large_answer), WORLD_TEST(test_drops),
		WORLD_TEST(test_slow_client), WORLD_TEST(test_connections_are_bounded), WORLD_TEST(test_in_order),
		WORLD_TEST(test_addresses), WORLD_TEST(test_ports), WORLD_TEST(test_answer_later),
		WORLD_TEST(test_port_taken),
	};

	return cmocka_run_group_tests_name("node_server", tests, NULL, NULL);
}
