/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/vnode/wire/stepio.h"

struct wt_stepio_conn {
	struct wt_stepio *io;
	struct wt_stepio_conn *next, **link;
	ev_io watcher;
	ev_timer timeout;
	int fd;
	uint64_t step;
	uint32_t rank;
	bool connected, closing, closed;	/* closing: the last bytes are queued; closed: they are sent */
	uint8_t *out;
	size_t out_len, out_sent;
	uint8_t header[WT_STEPIO_HEADER_SIZE];
	uint32_t header_have, body_left;
};

struct wt_stepio {
	struct ev_loop *loop;
	struct wt_stepio_conf conf;
	struct wt_stepio_calls calls;
	struct wt_stepio_conn *conns;
	uint32_t count;
};

static uint8_t *put16(uint8_t *at, uint16_t value)
{
	*at++ = (uint8_t) (value >> 8);
	*at++ = (uint8_t) value;
	return at;
}

static uint8_t *put32(uint8_t *at, uint32_t value)
{
	return put16(put16(at, (uint16_t) (value >> 16)), (uint16_t) value);
}

void wt_stepio_hello_pack(uint8_t *bytes, const struct wt_stepio_hello *hello)
{
	bytes = put32(bytes, WT_STEPIO_HELLO_SIZE(hello->key_len) - 4);
	bytes = put16(bytes, hello->version);
	bytes = put32(bytes, hello->rank);
	bytes = put32(bytes, hello->stdout_count);
	bytes = put32(bytes, hello->stderr_count);
	bytes = put32(bytes, hello->key_len);
	if (hello->key_len)
		memcpy(bytes, hello->key, hello->key_len);
}

void wt_stepio_header_pack(uint8_t *bytes, uint16_t type, uint16_t task, uint16_t local_task, uint32_t length)
{
	put32(put16(put16(put16(bytes, type), task), local_task), length);
}

static void conn_free(struct wt_stepio_conn *conn)
{
	struct wt_stepio *io = conn->io;

	ev_io_stop(io->loop, &conn->watcher);
	ev_timer_stop(io->loop, &conn->timeout);
	close(conn->fd);
	free(conn->out);
	*conn->link = conn->next;
	if (conn->next)
		conn->next->link = conn->link;
	io->count--;
	free(conn);
}

static void conn_end(struct wt_stepio_conn *conn)
{
	struct wt_stepio *io = conn->io;
	uint64_t step = conn->step;
	uint32_t rank = conn->rank;
	/* Kept, because the calls come last: they may open or close others, and this one is gone by then. */
	bool connected = conn->connected, unheard = conn->closing && !conn->closed;

	conn_free(conn);
	if (!connected)
		io->calls.connected(io->calls.arg, step, rank, false);
	io->calls.ended(io->calls.arg, step, rank);
	if (unheard)
		io->calls.closed(io->calls.arg, step, rank);
}

static void watch(struct wt_stepio_conn *conn)
{
	bool writes = conn->out_sent < conn->out_len || (conn->closing && !conn->closed);
	int events = !conn->connected ? EV_WRITE : writes ? EV_READ | EV_WRITE : EV_READ;

	ev_io_stop(conn->io->loop, &conn->watcher);
	ev_io_set(&conn->watcher, conn->fd, events);
	ev_io_start(conn->io->loop, &conn->watcher);
}

/* Queue bytes behind those that wait. */
static int conn_queue(struct wt_stepio_conn *conn, const uint8_t *bytes, size_t len)
{
	size_t left = conn->out_len - conn->out_sent;
	uint8_t *out = malloc(left + len ? left + len : 1);

	if (!out)
		return -1;
	if (left)
		memcpy(out, conn->out + conn->out_sent, left);
	if (len)
		memcpy(out + left, bytes, len);
	free(conn->out);
	conn->out = out;
	conn->out_len = left + len;
	conn->out_sent = 0;
	return 0;
}

/* False when the connection has ended. */
static bool conn_send(struct wt_stepio_conn *conn)
{
	while (conn->out_sent < conn->out_len) {
		ssize_t n = send(conn->fd, conn->out + conn->out_sent, conn->out_len - conn->out_sent, MSG_NOSIGNAL);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return true;
		if (n < 0) {
			conn_end(conn);
			return false;
		}
		conn->out_sent += (size_t) n;
	}
	if (conn->closing && !conn->closed) {
		conn->closed = true;
		/* Not close (): what srun has sent meanwhile is unread, and a reset would destroy what it has not yet
		 * read. */
		shutdown(conn->fd, SHUT_WR);
		conn->io->calls.closed(conn->io->calls.arg, conn->step, conn->rank);
	}
	watch(conn);
	return true;
}

static int header_done(struct wt_stepio_conn *conn)
{
	const uint8_t *h = conn->header;
	uint8_t answer[WT_STEPIO_HEADER_SIZE];

	conn->header_have = 0;
	conn->body_left = (uint32_t) h[6] << 24 | (uint32_t) h[7] << 16 | (uint32_t) h[8] << 8 | h[9];
	/* srun tests a connection by an empty message that is to come back; all else is input of tasks. */
	if ((h[0] << 8 | h[1]) != WT_STEPIO_TEST || conn->body_left || conn->closing)
		return 0;
	if (conn->out_len - conn->out_sent > 4096)
		return -1;	/* srun asks, and does not read the answers */
	wt_stepio_header_pack(answer, WT_STEPIO_TEST, 0, 0, 0);
	return conn_queue(conn, answer, sizeof(answer));
}

/* The tasks' input: no virtual task reads it.  0, or -1 when the connection makes no sense. */
static int input_skip(struct wt_stepio_conn *conn, const uint8_t *bytes, size_t len)
{
	while (len) {
		if (conn->body_left) {
			size_t n = len < conn->body_left ? len : conn->body_left;

			conn->body_left -= (uint32_t) n;
			bytes += n;
			len -= n;
			continue;
		}
		conn->header[conn->header_have++] = *bytes++;
		len--;
		if (conn->header_have == sizeof(conn->header) && header_done(conn) < 0)
			return -1;
	}
	return 0;
}

static void conn_receive(struct wt_stepio_conn *conn)
{
	uint8_t bytes[16384];
	ssize_t n = recv(conn->fd, bytes, sizeof(bytes), 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || input_skip(conn, bytes, (size_t) n) < 0)
		conn_end(conn);
	else if (conn->out_sent < conn->out_len)
		conn_send(conn);
}

static void conn_io(struct ev_loop *loop, ev_io *watcher, int events)
{
	struct wt_stepio_conn *conn = watcher->data;
	int error = 0;
	socklen_t len = sizeof(error);

	if (!conn->connected) {
		if (getsockopt(conn->fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0 || error) {
			conn_end(conn);
			return;
		}
		conn->connected = true;
		/* Until it is closed a connection may be as old as its step; only its beginning has a limit. */
		if (!conn->closing)
			ev_timer_stop(loop, &conn->timeout);
		conn->io->calls.connected(conn->io->calls.arg, conn->step, conn->rank, true);
	}
	if (events & EV_WRITE && !conn_send(conn))
		return;
	if (events & EV_READ)
		conn_receive(conn);
}

static void conn_timeout(struct ev_loop *loop, ev_timer *timer, int events)
{
	(void) loop;
	(void) events;
	conn_end(timer->data);
}

static int socket_connect(in_addr_t source, const struct sockaddr_in *target)
{
	struct sockaddr_in local = { .sin_family = AF_INET, .sin_addr.s_addr = source };
	int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof(one));
	if (bind(fd, (struct sockaddr *) &local, sizeof(local)) == 0 &&
	    (connect(fd, (const struct sockaddr *) target, sizeof(*target)) == 0 || errno == EINPROGRESS))
		return fd;
	one = errno;
	close(fd);
	errno = one;
	return -1;
}

struct wt_stepio_conn *wt_stepio_open(struct wt_stepio *io, uint64_t step, uint32_t rank, in_addr_t source,
				      const struct sockaddr_in *target, const uint8_t *hello, size_t len)
{
	struct wt_stepio_conn *conn = calloc(1, sizeof(*conn));

	if (!conn)
		return NULL;
	conn->fd = -1;
	/* What stands there if the limit below, and no call, refuses the connection. */
	errno = EMFILE;
	if (conn_queue(conn, hello, len) == 0 && io->count < io->conf.max_connections)
		conn->fd = socket_connect(source, target);
	if (conn->fd < 0) {
		free(conn->out);
		free(conn);
		return NULL;
	}
	conn->io = io;
	conn->step = step;
	conn->rank = rank;
	conn->next = io->conns;
	conn->link = &io->conns;
	if (conn->next)
		conn->next->link = &conn->next;
	io->conns = conn;
	io->count++;
	ev_init(&conn->watcher, conn_io);
	ev_timer_init(&conn->timeout, conn_timeout, io->conf.connect_timeout_s, 0.);
	conn->watcher.data = conn->timeout.data = conn;
	ev_timer_start(io->loop, &conn->timeout);
	watch(conn);
	return conn;
}

int wt_stepio_close(struct wt_stepio_conn *conn, const uint8_t *bytes, size_t len)
{
	if (conn_queue(conn, bytes, len) < 0)
		return -1;
	conn->closing = true;
	/* An srun that does not read must not keep the end of its step for ever. */
	ev_timer_stop(conn->io->loop, &conn->timeout);
	ev_timer_set(&conn->timeout, conn->io->conf.close_timeout_s, 0.);
	ev_timer_start(conn->io->loop, &conn->timeout);
	watch(conn);
	return 0;
}

struct wt_stepio *wt_stepio_create(struct ev_loop *loop, const struct wt_stepio_conf *conf,
				   const struct wt_stepio_calls *calls)
{
	struct wt_stepio *io = calloc(1, sizeof(*io));

	if (!io)
		return NULL;
	io->loop = loop;
	io->conf = *conf;
	io->calls = *calls;
	return io;
}

void wt_stepio_destroy(struct wt_stepio *io)
{
	int saved_errno = errno;

	if (io) {
		while (io->conns)
			conn_free(io->conns);
		free(io);
	}
	errno = saved_errno;
}

uint32_t wt_stepio_count(const struct wt_stepio *io)
{
	return io->count;
}
