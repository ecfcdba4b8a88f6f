/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
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
	uint64_t later;		/* the answer comes by wt_server_answer_later (); 0: no */
	struct wt_turn turn;
	uint8_t *answer;
	size_t answer_len, sent;
};

struct listener {
	struct wt_server *server;
	int fd;			/* -1: none */
	ev_io io;
};

struct wt_server {
	struct ev_loop *loop;
	struct wt_server_conf conf;
	struct wt_server_calls calls;
	in_addr_t *addresses;		/* by node; NULL: one socket for all */
	uint16_t *ports;		/* by node; NULL: conf.port */
	struct listener *listeners;	/* by node, or one for all */
	uint32_t listener_count;
	int lock_fd;		/* with one socket for each node: keeps the port from a second process; -1 */
	bool paused;		/* nothing is accepted now */
	ev_timer pause;
	struct conn *conns;
	uint32_t conn_count, waiting;
};

static void listeners_pause(struct wt_server *server, bool pause)
{
	server->paused = pause;
	for (uint32_t i = 0; i < server->listener_count; i++) {
		struct listener *listener = &server->listeners[i];

		if (listener->fd >= 0 && pause)
			ev_io_stop(server->loop, &listener->io);
		else if (listener->fd >= 0)
			ev_io_start(server->loop, &listener->io);
	}
}

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
	/* It was full, and so nothing was accepted; unless there are no descriptors, which the pause waits for. */
	if (server->conn_count-- == server->conf.max_connections && !ev_is_active(&server->pause))
		listeners_pause(server, false);
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

static void conn_answer_take(struct conn *conn, const struct wt_server_answer *answer)
{
	conn->answer = answer->data;
	conn->answer_len = answer->len;
	if (answer->delay_s > 0)
		conn_hold(conn, answer->delay_s);
	else
		conn_answer_now(conn);
}

void wt_server_answer_later(struct wt_server *server, uint64_t later, const struct wt_server_answer *answer)
{
	for (struct conn *conn = server->conns; conn; conn = conn->next) {
		if (conn->later != later)
			continue;
		conn->later = 0;
		ev_io_start(server->loop, &conn->io);
		conn_answer_take(conn, answer);
		return;
	}
	free(answer->data);
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
	server->calls.request(server->calls.arg, &local, peer.sin_addr.s_addr, conn->frame.body, conn->frame.have, &answer);
	/* A delayed answer may wait for long: its request, up to the frame limit, need not. */
	wt_frame_clear(&conn->frame);
	if (!answer.later) {
		conn_answer_take(conn, &answer);
		return;
	}
	/* Whoever answers later has a time limit of its own. */
	conn->later = answer.later;
	ev_io_stop(server->loop, &conn->io);
	ev_timer_stop(server->loop, &conn->timeout);
}

/* Nothing is heard until its turn. */
static void conn_wait(struct conn *conn)
{
	struct wt_server *server = conn->server;
	struct sockaddr_in local = { 0 };
	socklen_t len = sizeof(local);

	/* If it fails the address counts as 0: only the order of equal messages hangs on it; conn_answer () looks again. */
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
	/* First, because the answer may end the connection. */
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

	(void) loop;
	(void) events;
	if (server->conn_count < server->conf.max_connections)
		listeners_pause(server, false);
}

static void server_accept(struct ev_loop *loop, ev_io *io, int events)
{
	struct listener *listener = io->data;
	struct wt_server *server = listener->server;

	(void) events;
	for (int i = 0; i < ACCEPTS_AT_ONCE; i++) {
		int fd;

		if (server->conn_count >= server->conf.max_connections) {
			listeners_pause(server, true);
			return;
		}
		fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
			listeners_pause(server, true);
			ev_timer_set(&server->pause, ACCEPT_PAUSE_S, 0.);
			ev_timer_start(loop, &server->pause);
		}
		if (fd < 0)
			return;
		conn_open(server, fd);
	}
}

static int listener_open(const struct wt_server_conf *conf, in_addr_t address, uint16_t port, struct wt_error *errp)
{
	struct sockaddr_in local = {
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = address,
	};
	int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return wt_error_errno(errp, errno, "socket");
	/* Else a restart would wait until the connections of the process before have left TIME_WAIT. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (!conf->any_device && setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, "lo", sizeof("lo")) < 0)
		wt_error_errno(errp, errno, "binding to the loopback device (--listen-any-device goes without)");
	else if (bind(fd, (struct sockaddr *) &local, sizeof(local)) < 0)
		wt_error_errno(errp, errno, "port %u (slurm.conf: the nodes' Port)", port);
	else if (listen(fd, SOMAXCONN) < 0)
		wt_error_errno(errp, errno, "listening on port %u", port);
	else
		return fd;
	/* close () must not hide what refused. */
	one = errno;
	close(fd);
	errno = one;
	return -1;
}

static void listener_start(struct wt_server *server, uint32_t number, int fd)
{
	struct listener *listener = &server->listeners[number];

	listener->fd = fd;
	ev_io_init(&listener->io, server_accept, fd, EV_READ);
	listener->io.data = listener;
	if (!server->paused)
		ev_io_start(server->loop, &listener->io);
}

int wt_server_listen(struct wt_server *server, uint32_t number, bool listens, struct wt_error *errp)
{
	struct listener *listener = number < server->listener_count ? &server->listeners[number] : NULL;
	int fd;

	if (!server->addresses || !listener || listens == (listener->fd >= 0))
		return 0;
	if (listens) {
		fd = listener_open(&server->conf, server->addresses[number],
				   server->ports ? server->ports[number] : server->conf.port, errp);
		if (fd < 0)
			return -1;
		listener_start(server, number, fd);
		return 0;
	}
	ev_io_stop(server->loop, &listener->io);
	close(listener->fd);
	listener->fd = -1;
	return 0;
}

void wt_server_move(struct wt_server *server, uint32_t number, in_addr_t address)
{
	if (server->addresses && number < server->listener_count)
		server->addresses[number] = address;
}

/* A second process must not become these nodes as well: it would find each address free that happens to be off.  A name in
 * the abstract namespace, which the kernel frees whatever ends this process. */
static int port_lock(const struct wt_server_conf *conf, struct wt_error *errp)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), saved_errno;

	snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "wt-vnoded.%u.%08x", conf->port,
		 conf->address_count && conf->addresses ? ntohl(conf->addresses[0]) : 0);
	if (fd >= 0 && bind(fd, (struct sockaddr *) &name, sizeof(name)) == 0)
		return fd;
	wt_error_errno(errp, errno, "port %u (slurm.conf: the nodes' Port)", conf->port);
	saved_errno = errno;
	if (fd >= 0)
		close(fd);
	errno = saved_errno;
	return -1;
}

static int addresses_copy(struct wt_server *server, struct wt_error *errp)
{
	const struct wt_server_conf *conf = &server->conf;
	size_t count = conf->address_count;

	if (!conf->addresses)
		return 0;
	server->addresses = malloc((count + 1) * sizeof(*server->addresses));
	server->ports = conf->ports ? malloc((count + 1) * sizeof(*server->ports)) : NULL;
	if (!server->addresses || (conf->ports && !server->ports))
		return wt_error_errno(errp, ENOMEM, "server");
	if (count)
		memcpy(server->addresses, conf->addresses, count * sizeof(*server->addresses));
	if (count && conf->ports)
		memcpy(server->ports, conf->ports, count * sizeof(*server->ports));
	return 0;
}

static int listeners_open(struct wt_server *server, struct wt_error *errp)
{
	const struct wt_server_conf *conf = &server->conf;
	int fd;

	server->lock_fd = -1;
	server->listener_count = conf->addresses ? conf->address_count : 1;
	if (addresses_copy(server, errp) < 0)
		return -1;
	server->listeners = calloc((size_t) server->listener_count + 1, sizeof(*server->listeners));
	if (!server->listeners)
		return wt_error_errno(errp, ENOMEM, "server");
	for (uint32_t i = 0; i < server->listener_count; i++) {
		server->listeners[i].server = server;
		server->listeners[i].fd = -1;
	}
	if (server->addresses) {
		server->lock_fd = port_lock(conf, errp);
		return server->lock_fd < 0 ? -1 : 0;
	}
	fd = listener_open(conf, htonl(INADDR_ANY), conf->port, errp);
	if (fd < 0)
		return -1;
	listener_start(server, 0, fd);
	return 0;
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
	ev_init(&server->pause, accept_pause_over);
	server->pause.data = server;
	if (listeners_open(server, errp) < 0) {
		wt_server_destroy(server);
		return NULL;
	}
	return server;
}

void wt_server_destroy(struct wt_server *server)
{
	int saved_errno = errno;

	if (server) {
		while (server->conns)
			conn_close(server->conns);
		for (uint32_t i = 0; server->listeners && i < server->listener_count; i++) {
			if (server->listeners[i].fd < 0)
				continue;
			ev_io_stop(server->loop, &server->listeners[i].io);
			close(server->listeners[i].fd);
		}
		ev_timer_stop(server->loop, &server->pause);
		if (server->lock_fd >= 0)
			close(server->lock_fd);
		free(server->listeners);
		free(server->addresses);
		free(server->ports);
		free(server);
	}
	errno = saved_errno;
}
