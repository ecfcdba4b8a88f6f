/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/vnode/wire/stepio.h"

struct stepio_world {
	struct ev_loop *loop;
	struct wt_stepio *io;
	struct sockaddr_in target;
	int listener, srun;
	int good, bad, closed, ended;
};

static void connected(void *arg, uint64_t step, uint32_t rank, bool good)
{
	struct stepio_world *w = arg;

	assert_int_equal(step, 77);
	assert_int_equal(rank, 3);
	if (good)
		w->good++;
	else
		w->bad++;
}

static void closed(void *arg, uint64_t step, uint32_t rank)
{
	(void) step;
	(void) rank;
	((struct stepio_world *) arg)->closed++;
}

static void ended(void *arg, uint64_t step, uint32_t rank)
{
	(void) step;
	(void) rank;
	((struct stepio_world *) arg)->ended++;
}

static int world_open(void **state)
{
	const struct wt_stepio_conf conf = { .max_connections = 1, .connect_timeout_s = 20, .close_timeout_s = 20 };
	struct stepio_world *w = calloc(1, sizeof(*w));
	const struct wt_stepio_calls calls = { .connected = connected, .closed = closed, .ended = ended, .arg = w };
	socklen_t len = sizeof(w->target);

	w->loop = ev_loop_new(0);
	w->io = wt_stepio_create(w->loop, &conf, &calls);
	w->srun = -1;
	w->target = (struct sockaddr_in) { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	w->listener = socket(AF_INET, SOCK_STREAM, 0);
	if (!w->io || bind(w->listener, (struct sockaddr *) &w->target, len) < 0 || listen(w->listener, 4) < 0 ||
	    getsockname(w->listener, (struct sockaddr *) &w->target, &len) < 0)
		return -1;
	*state = w;
	return 0;
}

static int world_close(void **state)
{
	struct stepio_world *w = *state;

	wt_stepio_destroy(w->io);
	wt_stepio_destroy(NULL);
	ev_loop_destroy(w->loop);
	if (w->listener >= 0)
		close(w->listener);
	if (w->srun >= 0)
		close(w->srun);
	free(w);
	return 0;
}

static void turn_until(struct stepio_world *w, const int *counter)
{
	for (int i = 0; i < 1000 && !*counter; i++)
		ev_run(w->loop, EVRUN_ONCE);
	assert_int_equal(*counter, 1);
}

static struct wt_stepio_conn *open_one(struct stepio_world *w)
{
	struct wt_stepio_conn *conn = wt_stepio_open(w->io, 77, 3, inet_addr("127.0.0.9"), &w->target,
						     (const uint8_t *) "hello", 5);

	assert_non_null(conn);
	assert_int_equal(wt_stepio_count(w->io), 1);
	return conn;
}

static void accept_hello(struct stepio_world *w)
{
	struct sockaddr_in peer;
	socklen_t len = sizeof(peer);
	char hello[5];

	turn_until(w, &w->good);
	w->srun = accept(w->listener, (struct sockaddr *) &peer, &len);
	assert_int_equal(peer.sin_addr.s_addr, inet_addr("127.0.0.9"));
	assert_int_equal(recv(w->srun, hello, 5, MSG_WAITALL), 5);
	assert_memory_equal(hello, "hello", 5);
}

/* Bytes as Slurm 22.05's io_init_msg_pack () and io_hdr_pack () write them. */
static void test_packing(void **state)
{
	static const uint8_t expected[] = {
		0, 0, 0, 21, 0x26, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 'k', 'e', 'y',
	};
	const struct wt_stepio_hello hello = {
		.version = 0x2600, .rank = 256, .stdout_count = 2, .stderr_count = 1, .key = "key", .key_len = 3,
	};
	uint8_t bytes[64];

	(void) state;
	wt_stepio_hello_pack(bytes, &hello);
	assert_int_equal(WT_STEPIO_HELLO_SIZE(3), sizeof(expected));
	assert_memory_equal(bytes, expected, sizeof(expected));
	wt_stepio_header_pack(bytes, WT_STEPIO_STDERR, 258, 1, 0x01020304);
	assert_memory_equal(bytes, "\0\2\1\2\0\1\1\2\3\4", 10);
}

static void test_life(void **state)
{
	struct stepio_world *w = *state;
	struct wt_stepio_conn *conn = open_one(w);
	uint8_t header[WT_STEPIO_HEADER_SIZE], got[WT_STEPIO_HEADER_SIZE];
	char end[4];

	errno = 0;
	assert_null(wt_stepio_open(w->io, 78, 0, 0, &w->target, (const uint8_t *) "x", 1));	/* there may be one only */
	assert_int_equal(errno, EMFILE);
	accept_hello(w);
	/* Input for the tasks is taken and forgotten; a test of the connection is answered. */
	wt_stepio_header_pack(header, 3, 0, 0, 4);
	assert_int_equal(send(w->srun, header, sizeof(header), 0), sizeof(header));
	assert_int_equal(send(w->srun, "text", 4, 0), 4);
	wt_stepio_header_pack(header, WT_STEPIO_TEST, 0, 0, 0);
	assert_int_equal(send(w->srun, header, sizeof(header), 0), sizeof(header));
	while (recv(w->srun, got, sizeof(got), MSG_PEEK | MSG_DONTWAIT) < (ssize_t) sizeof(got))
		ev_run(w->loop, EVRUN_ONCE);
	assert_int_equal(recv(w->srun, got, sizeof(got), 0), sizeof(got));
	assert_memory_equal(got, header, sizeof(got));
	assert_int_equal(w->closed, 0);
	assert_int_equal(wt_stepio_close(conn, (const uint8_t *) "end", 3), 0);
	turn_until(w, &w->closed);
	assert_int_equal(recv(w->srun, end, 4, MSG_WAITALL), 3);
	assert_int_equal(w->ended, 0);
	close(w->srun);
	w->srun = -1;
	turn_until(w, &w->ended);
	assert_int_equal(wt_stepio_count(w->io), 0);
	assert_int_equal(w->closed, 1);
}

/* Each byte of a length counts: behind so much input the next header is found. */
static void test_long_input(void **state)
{
	static const uint32_t lengths[] = { 0xfe, 0x1fd, 0x1fefd, 0x101fefd };
	static const uint8_t zeros[65536];
	struct stepio_world *w = *state;
	uint8_t header[WT_STEPIO_HEADER_SIZE], got[WT_STEPIO_HEADER_SIZE];

	open_one(w);
	accept_hello(w);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		wt_stepio_header_pack(header, 3, 0, 0, lengths[i]);
		assert_int_equal(send(w->srun, header, sizeof(header), 0), sizeof(header));
		for (size_t left = lengths[i]; left > 0;) {
			size_t most = left < sizeof(zeros) ? left : sizeof(zeros);
			ssize_t n = send(w->srun, zeros, most, MSG_DONTWAIT);

			left -= n > 0 ? (size_t) n : 0;
			ev_run(w->loop, EVRUN_NOWAIT);
		}
		wt_stepio_header_pack(header, WT_STEPIO_TEST, 0, 0, 0);
		assert_int_equal(send(w->srun, header, sizeof(header), 0), sizeof(header));
		while (recv(w->srun, got, 10, MSG_PEEK | MSG_DONTWAIT) < 10)
			ev_run(w->loop, EVRUN_NOWAIT);
		assert_int_equal(recv(w->srun, got, sizeof(got), MSG_DONTWAIT), sizeof(got));
		assert_memory_equal(got, header, sizeof(got));
	}
}

static void test_srun_goes_away(void **state)
{
	struct stepio_world *w = *state;

	open_one(w);
	accept_hello(w);
	close(w->srun);
	w->srun = -1;
	turn_until(w, &w->ended);
	assert_int_equal(w->closed, 0);
	assert_int_equal(w->bad, 0);
}

static void test_nobody_listens(void **state)
{
	struct stepio_world *w = *state;

	close(w->listener);
	w->listener = -1;
	open_one(w);
	turn_until(w, &w->bad);
	assert_int_equal(w->good, 0);
	assert_int_equal(w->ended, 1);
}

int main(void)
{
#define IO_TEST(f) cmocka_unit_test_setup_teardown(f, world_open, world_close)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packing), IO_TEST(test_life), IO_TEST(test_long_input),
		IO_TEST(test_srun_goes_away),
			IO_TEST(test_nobody_listens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
