/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "connection.h"
#include "listener.h"
#include "server.h"

#define RETRY_S 10.	/* to get the port */
#define EVENTS_MAX 64
#define IDLE_MS 500

struct server {
	struct service *service;
	pthread_t thread;
	int stop[2];		/* a pipe: its end of file stops the thread */
	int poll;		/* epoll (7): thousands of agents are quiet most of the time */
	int agents_poll;	/* of those that nobody waits for */
	size_t agents;		/* in it */
	double turn_s;		/* when they are looked at next */
	int listener;
	char address[sizeof(((struct specconf *) 0)->controller)];	/* of the listener */
	unsigned int port;
	double retry_s;
	bool said;
	struct answerer answerer;
	struct connection **connections;
	size_t count, size;
	LIST_HEAD(, connection) held;	/* their answers wait for the disk */
	size_t waiting;		/* of them, for the strangers' budget */
	double budget, budget_s;	/* of strangers' frames; when it was filled */
	double expiry_s;	/* when silent connections are looked for next */
};

static void listener_close(struct server *server)
{
	if (server->listener >= 0)
		close(server->listener);
	server->listener = -1;
}

/* Follow the settings, and get the port when it was taken. */
static void listener_keep(struct server *server, double now_s)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = &server->listener };
	struct service *service = server->service;
	struct wt_error err;
	char address[sizeof(server->address)];
	unsigned int port;

	pthread_mutex_lock(&service->lock);
	memcpy(address, service->conf.controller, sizeof(address));
	port = service->conf.port;
	pthread_mutex_unlock(&service->lock);
	if (server->listener >= 0 && port == server->port && !strcmp(address, server->address))
		return;
	if (now_s < server->retry_s && port == server->port)
		return;
	listener_close(server);
	server->port = port;
	memcpy(server->address, address, sizeof(address));
	server->listener = listener_open(address, port, &err);
	server->retry_s = now_s + RETRY_S;
	if (server->listener >= 0)
		epoll_ctl(server->poll, EPOLL_CTL_ADD, server->listener, &event);
	if (server->listener < 0 && !server->said) {
		wt_error_prefix(&err, "no speculation until the port can be had");
		service->log(SERVICE_ERROR, err.text);
	} else if (server->listener >= 0 && server->said) {
		service->log(SERVICE_INFO, "the port is ours now");
	}
	server->said = server->listener < 0;
}

/* What the thread waits for; a connection that waits for the budget is left alone until it gets its turn. */
static void connection_watch(struct server *server, struct connection *c)
{
	short wants = connection_events(c);
	uint32_t events = wants == POLLOUT ? EPOLLOUT : wants == POLLIN ? EPOLLIN : 0;
	struct epoll_event event = { .events = events, .data.ptr = c };
	int poll = c->agent && wants == POLLIN ? server->agents_poll : server->poll;

	if (c->events && (!events || poll != c->poll)) {
		epoll_ctl(c->poll, EPOLL_CTL_DEL, c->fd, NULL);
		server->agents -= c->poll == server->agents_poll;
		c->events = 0;
	}
	if (events != c->events) {
		epoll_ctl(poll, c->events ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, c->fd, &event);
		server->agents += !c->events && poll == server->agents_poll;
	}
	c->events = events;
	c->poll = poll;
	server->waiting += !events;
	server->waiting -= c->waits;
	c->waits = !events;
}

static void connection_drop(struct server *server, struct connection *c)
{
	if (c->held)
		LIST_REMOVE(c, of_held);
	server->waiting -= c->waits;
	server->agents -= c->events && c->poll == server->agents_poll;
	server->connections[c->place] = server->connections[--server->count];
	server->connections[c->place]->place = c->place;
	connection_close(c);
}

static bool sooner(const struct connection *a, const struct connection *b)
{
	return !b || a->trusted < b->trusted || (a->trusted == b->trusted && a->active_s < b->active_s);
}

/* When all places are taken, the stranger that has been quiet for longest makes room, or else the agent, which then connects anew. */
static void room_make(struct server *server)
{
	struct connection *oldest = NULL;

	if (server->count < server->size)
		return;
	for (size_t i = 0; i < server->count; i++) {
		if (sooner(server->connections[i], oldest))
			oldest = server->connections[i];
	}
	connection_drop(server, oldest);
}

static void connections_accept(struct server *server, double now_s)
{
	for (int i = 0; i < 64; i++) {
		int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		struct connection *c;

		if (fd < 0)
			return;
		room_make(server);
		c = connection_open(fd, now_s);
		if (!c) {
			close(fd);
			continue;
		}
		c->place = server->count;
		server->connections[server->count++] = c;
		connection_watch(server, c);
	}
}

static void budget_fill(struct server *server, double now_s)
{
	server->budget += (now_s - server->budget_s) * SERVER_STRANGERS_PER_S;
	if (server->budget > SERVER_STRANGERS_PER_S)
		server->budget = SERVER_STRANGERS_PER_S;
	server->budget_s = now_s;
}

/* What the frame that is ready takes from the strangers' budget. */
static double frame_price(struct server *server, const struct connection *c, double now_s)
{
	if (c->trusted)
		return 0;
	if (!wt_beat_keyed((uint8_t *) c->frame, c->frame_len))
		return 1;
	return answer_proven(&server->answerer, c->frame, c->frame_len, now_s) ? 0 : SERVER_STRANGER_KEYED;
}

/* Whether the connection goes on; one frame a turn. */
static bool frame_serve(struct server *server, struct connection *c, double now_s)
{
	double price = frame_price(server, c, now_s);

	if (price > server->budget)
		return true;
	server->budget -= price;
	return connection_answer(c, &server->answerer, now_s);
}

static void connection_serve(struct server *server, struct connection *c, bool moves, double now_s)
{
	bool keep;

	if (c->held)
		return;
	if (c->agent && connection_between(c)) {
		keep = connection_reports(c, &server->answerer, now_s);
	} else {
		keep = !moves || connection_move(c, now_s);
		if (keep && connection_ready(c))
			keep = frame_serve(server, c, now_s);
	}
	c->held = c->held && keep;
	if (c->held)	/* it is watched again when it was told */
		LIST_INSERT_HEAD(&server->held, c, of_held);
	else if (keep)
		connection_watch(server, c);
	else
		connection_drop(server, c);
}

/* All that asked for the right to publish since the last time: one wait for the disk for all of them.  While it lasts others ask. */
static void held_tell(struct server *server, double now_s)
{
	struct connection *c;
	bool saved;

	if (LIST_EMPTY(&server->held))
		return;
	saved = service_commits_save(server->service);
	while ((c = LIST_FIRST(&server->held))) {
		LIST_REMOVE(c, of_held);
		if (connection_tell(c, &server->answerer, saved, now_s))
			connection_watch(server, c);
		else
			connection_drop(server, c);
	}
}

static void waiting_serve(struct server *server, double now_s)
{
	for (size_t i = server->count; i-- > 0 && server->waiting && server->budget >= SERVER_STRANGER_KEYED; ) {
		if (server->connections[i]->waits)
			connection_serve(server, server->connections[i], false, now_s);
	}
}

static void silent_drop(struct server *server, double now_s)
{
	if (now_s < server->expiry_s)
		return;
	server->expiry_s = now_s + 1;
	for (size_t i = server->count; i-- > 0; ) {
		if (connection_expired(server->connections[i], now_s))
			connection_drop(server, server->connections[i]);
	}
}

/* False: to be ended. */
static bool events_serve(struct server *server, const struct epoll_event *events, int count, double now_s)
{
	bool accept = false, stop = false;

	for (int i = 0; i < count; i++) {
		if (events[i].data.ptr == &server->stop)
			stop = true;
		else if (events[i].data.ptr == &server->listener)
			accept = true;
		else
			connection_serve(server, events[i].data.ptr, true, now_s);
	}
	waiting_serve(server, now_s);
	if (accept)	/* may drop a connection: when no event of one is left */
		connections_accept(server, now_s);
	return !stop;
}

static void agents_serve(struct server *server, double now_s)
{
	struct epoll_event events[EVENTS_MAX];
	size_t left = server->agents;
	int count;

	if (!server->agents || now_s < server->turn_s)
		return;
	server->turn_s = now_s + SERVER_TURN_MS / 1e3;
	do {
		count = epoll_wait(server->agents_poll, events, EVENTS_MAX, 0);
		for (int i = 0; i < count; i++)
			connection_serve(server, events[i].data.ptr, true, now_s);
		left -= count > 0 && left > (size_t) count ? (size_t) count : left;
	} while (count == EVENTS_MAX && left);
}

static int wait_ms(const struct server *server, double now_s)
{
	int ms = server->waiting ? 1000 / SERVER_STRANGERS_PER_S : IDLE_MS;

	if (server->agents && (server->turn_s - now_s) * 1e3 < ms)
		ms = server->turn_s > now_s ? (int) ceil((server->turn_s - now_s) * 1e3) : 0;
	return ms;
}

static void *server_run(void *arg)
{
	struct server *server = arg;
	struct epoll_event events[EVENTS_MAX];
	bool go_on = true;

	pthread_setname_np(pthread_self(), "straggler_port");
	server->budget_s = service_now_s();
	while (go_on) {
		double now_s = service_now_s();
		int count;

		listener_keep(server, now_s);
		count = epoll_wait(server->poll, events, EVENTS_MAX, wait_ms(server, now_s));
		if (count < 0 && errno != EINTR)
			break;
		now_s = service_now_s();
		budget_fill(server, now_s);
		go_on = events_serve(server, events, count, now_s);
		held_tell(server, now_s);
		agents_serve(server, now_s);
		held_tell(server, now_s);
		silent_drop(server, now_s);
	}
	while (server->count)
		connection_drop(server, server->connections[0]);
	listener_close(server);
	return NULL;
}

/* At most half of slurmctld's descriptors. */
static int places_make(struct server *server)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = &server->stop };
	struct rlimit limit = { .rlim_cur = 1024 };

	getrlimit(RLIMIT_NOFILE, &limit);
	server->size = limit.rlim_cur / 2 < SERVER_CONNECTIONS ? limit.rlim_cur / 2 : SERVER_CONNECTIONS;
	server->connections = calloc(server->size + 1, sizeof(struct connection *));
	server->poll = epoll_create1(EPOLL_CLOEXEC);
	server->agents_poll = epoll_create1(EPOLL_CLOEXEC);
	if (!server->connections || server->poll < 0 || server->agents_poll < 0 || pipe2(server->stop, O_CLOEXEC) < 0)
		return server->connections ? errno : ENOMEM;
	return epoll_ctl(server->poll, EPOLL_CTL_ADD, server->stop[0], &event) < 0 ? errno : 0;
}

static void server_free(struct server *server)
{
	for (int i = 0; i < 2; i++) {
		if (server->stop[i] >= 0)
			close(server->stop[i]);
	}
	if (server->poll >= 0)
		close(server->poll);
	if (server->agents_poll >= 0)
		close(server->agents_poll);
	free(server->connections);
	free(server);
}

struct server *server_start(struct service *service, struct wt_error *errp)
{
	struct server *server = calloc(1, sizeof(*server));
	int rc;

	if (!server) {
		wt_error_errno(errp, ENOMEM, "server");
		return NULL;
	}
	server->service = service;
	server->listener = server->poll = server->agents_poll = server->stop[0] = server->stop[1] = -1;
	if (answerer_init(&server->answerer, service, errp) < 0) {
		server_free(server);
		return NULL;
	}
	rc = places_make(server);
	if (rc == 0)
		rc = pthread_create(&server->thread, NULL, server_run, server);
	if (rc == 0)
		return server;
	answerer_fini(&server->answerer);
	server_free(server);
	wt_error_errno(errp, rc, "thread of the port");
	return NULL;
}

void server_stop(struct server *server)
{
	if (!server)
		return;
	close(server->stop[1]);
	server->stop[1] = -1;
	pthread_join(server->thread, NULL);
	answerer_fini(&server->answerer);
	server_free(server);
}
