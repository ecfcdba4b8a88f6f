/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/vnode/wire/frame.h"
#include "harness/vnode/wire/in_order.h"
#include "harness/vnode/wire/node_server.h"

#define ACCEPTS_AT_ONCE 64	/* then the other watchers have their turn */
#define ACCEPT_PAUSE_S 0.1	/* when the process has no descriptors left */

struct conn {
	struct wt_server *server;
	struct conn *next, **link;
	ev_io io;
	ev_timer timeout;
	int fd;
	struct wt_frame frame;
	bool held;		/* the answer waits for its time */
	bool waits;		/* the request waits for its turn */
	struct wt_turn turn;
	uint8_t *answer;
	size_t answer_len, sent;
};

struct wt_server {
	struct ev_loop *loop;
	struct wt_server_conf conf;
	struct wt_server_calls calls;
	int fd;
	ev_io io;
	ev_timer pause;
	struct conn *conns;
	uint32_t conn_count, waiting;
};

static void conn_close(struct conn *conn)
{
	struct wt_server *server = conn->server;

	ev_io_stop(server->loop, &conn->io);
	ev_timer_stop(server->loop, &conn->timeout);
	close(conn->fd);
	wt_frame_clear(&conn->frame);
	free(conn->answer);
	server->waiting -= conn->waits;
	*conn->link = conn->next;
	if (conn->next)
		conn->next->link = conn->link;
	free(conn);
	if (server->conn_count-- == server->conf.max_connections && !ev_is_active(&server->pause))
		ev_io_start(server->loop, &server->io);
}

static void conn_drop(struct conn *conn, enum wt_drop why)
{
	conn->server->calls.dropped(conn->server->calls.arg, why);
	conn_close(conn);
}

static void conn_send(struct conn *conn)
{
	while (conn->sent < conn->answer_len) {
		ssize_t n = send(conn->fd, conn->answer + conn->sent, conn->answer_len - conn->sent, MSG_NOSIGNAL);

		if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
			ev_io_stop(conn->server->loop, &conn->io);
			ev_io_set(&conn->io, conn->fd, EV_WRITE);
			ev_io_start(conn->server->loop, &conn->io);
			return;
		}
		if (n < 0) {
			conn_drop(conn, WT_DROP_UNANSWERED);
			return;
		}
		conn->sent += (size_t) n;
	}
	conn_close(conn);
}

static void conn_answer_now(struct conn *conn)
{
	conn->held = false;
	if (!conn->answer) {
		conn_close(conn);
		return;
	}
	conn->timeout.repeat = conn->server->conf.timeout_s;
	ev_timer_again(conn->server->loop, &conn->timeout);
	conn_send(conn);
}

/* Nothing is heard or said until the timer, which is that of the time limit, fires. */
static void conn_hold(struct conn *conn, double delay_s)
{
	conn->held = true;
	ev_io_stop(conn->server->loop, &conn->io);
	conn->timeout.repeat = delay_s;
	ev_timer_again(conn->server->loop, &conn->timeout);
}

static void conn_answer(struct conn *conn)
{
	struct wt_server *server = conn->server;
	struct wt_server_answer answer = { 0 };
	struct sockaddr_in local, peer;
	socklen_t len = sizeof(local), peer_len = sizeof(peer);

	if (getsockname(conn->fd, (struct sockaddr *) &local, &len) < 0 ||
	    getpeername(conn->fd, (struct sockaddr *) &peer, &peer_len) < 0) {
		conn_drop(conn, WT_DROP_TRUNCATED);
		return;
	}
	server->calls.request(server->calls.arg, local.sin_addr.s_addr, peer.sin_addr.s_addr, conn->frame.body,
			      conn->frame.have, &answer);
	conn->answer = answer.data;
	conn->answer_len = answer.len;
	wt_frame_clear(&conn->frame);
	if (answer.delay_s > 0)
		conn_hold(conn, answer.delay_s);
	else
		conn_answer_now(conn);
}

/* Nothing is heard until its turn. */
static void conn_wait(struct conn *conn)
{
	struct wt_server *server = conn->server;
	struct sockaddr_in local = { 0 };
	socklen_t len = sizeof(local);

	getsockname(conn->fd, (struct sockaddr *) &local, &len);
	wt_turn_read(&conn->turn, conn->frame.body, conn->frame.have, local.sin_addr.s_addr);
	ev_io_stop(server->loop, &conn->io);
	conn->waits = true;
	server->waiting++;
	server->calls.waits(server->calls.arg);
}

bool wt_server_waits(const struct wt_server *server)
{
	return server->waiting > 0;
}

bool wt_server_turn(struct wt_server *server)
{
	struct conn *first = NULL;

	for (struct conn *conn = server->conns; conn && server->waiting; conn = conn->next)
		if (conn->waits && (!first || wt_turn_before(&conn->turn, &first->turn)))
			first = conn;
	if (!first)
		return false;
	first->waits = false;
	server->waiting--;
	ev_io_start(server->loop, &first->io);
	conn_answer(first);
	return true;
}

static enum wt_drop drop_of_errno(void)
{
	return errno == EMSGSIZE ? WT_DROP_HUGE : errno == EBADMSG ? WT_DROP_SHORT : WT_DROP_MEMORY;
}

static void conn_receive(struct conn *conn)
{
	uint8_t buffer[65536];
	ssize_t n = recv(conn->fd, buffer, sizeof(buffer), 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		if (n == 0 && wt_frame_empty(&conn->frame))
			conn_close(conn);	/* the peer only looked whether the port answers */
		else
			conn_drop(conn, WT_DROP_TRUNCATED);
		return;
	}
	if (wt_frame_feed(&conn->frame, buffer, (size_t) n) < 0)
		conn_drop(conn, drop_of_errno());
	else if (wt_frame_complete(&conn->frame) && conn->server->conf.in_order)
		conn_wait(conn);
	else if (wt_frame_complete(&conn->frame))
		conn_answer(conn);	/* bytes behind the frame are of no interest: slurmd, too, reads one message */
}

static void conn_io(struct ev_loop *loop, ev_io *io, int events)
{
	struct conn *conn = io->data;

	(void) loop;
	(void) events;
	if (conn->answer)
		conn_send(conn);
	else
		conn_receive(conn);
}

static void conn_timeout(struct ev_loop *loop, ev_timer *timer, int events)
{
	(void) loop;
	(void) events;
	if (((struct conn *) timer->data)->held)
		conn_answer_now(timer->data);
	else
		conn_drop(timer->data, WT_DROP_TIMEOUT);
}

static void conn_open(struct wt_server *server, int fd)
{
	struct conn *conn = calloc(1, sizeof(*conn));

	if (!conn) {
		server->calls.dropped(server->calls.arg, WT_DROP_MEMORY);
		close(fd);
		return;
	}
	conn->server = server;
	conn->fd = fd;
	conn->next = server->conns;
	conn->link = &server->conns;
	if (conn->next)
		conn->next->link = &conn->next;
	server->conns = conn;
	server->conn_count++;
	wt_frame_init(&conn->frame, server->conf.frame_limit);
	ev_io_init(&conn->io, conn_io, fd, EV_READ);
	ev_timer_init(&conn->timeout, conn_timeout, 0., server->conf.timeout_s);
	conn->io.data = conn->timeout.data = conn;
	ev_io_start(server->loop, &conn->io);
	ev_timer_again(server->loop, &conn->timeout);
}

static void accept_pause_over(struct ev_loop *loop, ev_timer *timer, int events)
{
	struct wt_server *server = timer->data;

	(void) events;
	if (server->conn_count < server->conf.max_connections)
		ev_io_start(loop, &server->io);
}

static void server_accept(struct ev_loop *loop, ev_io *io, int events)
{
	struct wt_server *server = io->data;

	(void) events;
	for (int i = 0; i < ACCEPTS_AT_ONCE; i++) {
		int fd;

		if (server->conn_count >= server->conf.max_connections) {
			ev_io_stop(loop, io);
			return;
		}
		fd = accept4(server->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
			ev_io_stop(loop, io);
			ev_timer_set(&server->pause, ACCEPT_PAUSE_S, 0.);
			ev_timer_start(loop, &server->pause);
		}
		if (fd < 0)
			return;
		conn_open(server, fd);
	}
}

static int listener_open(const struct wt_server_conf *conf, struct wt_error *errp)
{
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(conf->port) };
	int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return wt_error_errno(errp, errno, "socket");
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (!conf->any_device && setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", sizeof("lo")) < 0)
		wt_error_errno(errp, errno, "binding to the loopback device (--listen-any-device goes without)");
	else if (bind(fd, (struct sockaddr *) &any, sizeof(any)) < 0)
		wt_error_errno(errp, errno, "port %u (slurm.conf: the nodes' Port)", conf->port);
	else if (listen(fd, SOMAXCONN) < 0)
		wt_error_errno(errp, errno, "listening on port %u", conf->port);
	else
		return fd;
	one = errno;
	close(fd);
	errno = one;
	return -1;
}

struct wt_server *wt_server_create(struct ev_loop *loop, const struct wt_server_conf *conf,
				   const struct wt_server_calls *calls, struct wt_error *errp)
{
	struct wt_server *server = calloc(1, sizeof(*server));

	if (!server) {
		wt_error_errno(errp, ENOMEM, "server");
		return NULL;
	}
	server->loop = loop;
	server->conf = *conf;
	server->calls = *calls;
	server->fd = listener_open(conf, errp);
	if (server->fd < 0) {
		free(server);
		return NULL;
	}
	ev_io_init(&server->io, server_accept, server->fd, EV_READ);
	ev_init(&server->pause, accept_pause_over);
	server->io.data = server->pause.data = server;
	ev_io_start(loop, &server->io);
	return server;
}

void wt_server_destroy(struct wt_server *server)
{
	int saved_errno = errno;

	if (server) {
		while (server->conns)
			conn_close(server->conns);
		ev_io_stop(server->loop, &server->io);
		ev_timer_stop(server->loop, &server->pause);
		close(server->fd);
		free(server);
	}
	errno = saved_errno;
}
