/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "connection.h"
#include "server.h"

#define RETRY_S 10.	/* to get the port */

struct server {
	struct service *service;
	pthread_t thread;
	int stop[2];		/* a pipe: its end of file stops the thread */
	int listener;
	char address[sizeof(((struct specconf *) 0)->controller)];	/* of the listener */
	unsigned int port;
	double retry_s;
	bool said;
	struct answerer answerer;
	struct connection *connections[SERVER_CONNECTIONS];
	struct pollfd polls[SERVER_CONNECTIONS + 2];
	size_t count;
	double budget, budget_s;	/* of strangers' frames; when it was filled */
};

static int listener_open(const char *address, unsigned int port, struct wt_error *errp)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE }, *list;
	char service[16];
	int fd, one = 1, rc, errnum;

	snprintf(service, sizeof(service), "%u", port);
	rc = getaddrinfo(address, service, &hints, &list);
	if (rc)
		return wt_error_set(errp, EADDRNOTAVAIL, "%s: %s", address, gai_strerror(rc));
	fd = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd >= 0 && bind(fd, list->ai_addr, list->ai_addrlen) == 0 && listen(fd, 512) == 0) {
		freeaddrinfo(list);
		return fd;
	}
	errnum = errno;
	freeaddrinfo(list);
	if (fd >= 0)
		close(fd);
	return wt_error_errno(errp, errnum, "%s port %u", address, port);
}

static void listener_close(struct server *server)
{
	if (server->listener >= 0)
		close(server->listener);
	server->listener = -1;
}

/* Follow the settings, and get the port when it was taken. */
static void listener_keep(struct server *server, double now_s)
{
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
	if (server->listener < 0 && !server->said) {
		wt_error_prefix(&err, "no speculation until the port can be had");
		service->log(SERVICE_ERROR, err.text);
	} else if (server->listener >= 0 && server->said) {
		service->log(SERVICE_INFO, "the port is ours now");
	}
	server->said = server->listener < 0;
}

static void connection_drop(struct server *server, size_t i)
{
	connection_close(server->connections[i]);
	server->connections[i] = server->connections[--server->count];
}

/* When all places are taken, the stranger that has been quiet for longest makes room. */
static bool room_make(struct server *server)
{
	size_t oldest = SERVER_CONNECTIONS;

	if (server->count < SERVER_CONNECTIONS)
		return true;
	for (size_t i = 0; i < server->count; i++) {
		if (!server->connections[i]->trusted &&
		    (oldest == SERVER_CONNECTIONS || server->connections[i]->active_s < server->connections[oldest]->active_s))
			oldest = i;
	}
	if (oldest == SERVER_CONNECTIONS)
		return false;
	connection_drop(server, oldest);
	return true;
}

static void connections_accept(struct server *server, double now_s)
{
	for (int i = 0; i < 64; i++) {
		int fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		struct connection *c;

		if (fd < 0)
			return;
		c = room_make(server) ? connection_open(fd, now_s) : NULL;
		if (c)
			server->connections[server->count++] = c;
		else
			close(fd);
	}
}

static void budget_fill(struct server *server, double now_s)
{
	server->budget += (now_s - server->budget_s) * SERVER_STRANGERS_PER_S;
	if (server->budget > SERVER_STRANGERS_PER_S)
		server->budget = SERVER_STRANGERS_PER_S;
	server->budget_s = now_s;
}

/* Serve what is ready: each connection one frame a turn. */
static void connections_serve(struct server *server, double now_s)
{
	for (size_t i = server->count; i-- > 0; ) {
		struct connection *c = server->connections[i];
		bool stranger = !c->trusted, keep = true;

		if (server->polls[i + 2].revents & (POLLIN | POLLHUP | POLLERR | POLLOUT))
			keep = connection_move(c, now_s);
		if (keep && connection_ready(c) && (!stranger || server->budget >= 1)) {
			server->budget -= stranger;
			keep = connection_answer(c, &server->answerer, now_s);
		}
		if (!keep || connection_expired(c, now_s))
			connection_drop(server, i);
	}
}

static int polls_fill(struct server *server)
{
	int timeout_ms = 500;

	server->polls[0] = (struct pollfd) { .fd = server->stop[0], .events = POLLIN };
	server->polls[1] = (struct pollfd) { .fd = server->listener, .events = POLLIN };
	for (size_t i = 0; i < server->count; i++) {
		struct connection *c = server->connections[i];

		server->polls[i + 2] = (struct pollfd) { .fd = c->fd, .events = connection_events(c) };
		if (connection_ready(c))	/* waits for the strangers' budget */
			timeout_ms = 1000 / SERVER_STRANGERS_PER_S;
	}
	return timeout_ms;
}

static void *server_run(void *arg)
{
	struct server *server = arg;

	pthread_setname_np(pthread_self(), "straggler_port");
	server->budget_s = service_now_s();
	for (;;) {
		double now_s = service_now_s();
		int timeout_ms;

		listener_keep(server, now_s);
		timeout_ms = polls_fill(server);
		if (poll(server->polls, server->count + 2, timeout_ms) < 0 && errno != EINTR)
			break;
		if (server->polls[0].revents)
			break;
		now_s = service_now_s();
		budget_fill(server, now_s);
		connections_serve(server, now_s);
		if (server->polls[1].revents)
			connections_accept(server, now_s);
	}
	while (server->count)
		connection_drop(server, 0);
	listener_close(server);
	return NULL;
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
	server->listener = -1;
	if (answerer_init(&server->answerer, service, errp) < 0) {
		free(server);
		return NULL;
	}
	rc = pipe2(server->stop, O_CLOEXEC) < 0 ? errno : 0;
	if (rc == 0 && (rc = pthread_create(&server->thread, NULL, server_run, server))) {
		close(server->stop[0]);
		close(server->stop[1]);
	}
	if (rc == 0)
		return server;
	answerer_fini(&server->answerer);
	free(server);
	wt_error_errno(errp, rc, "thread of the port");
	return NULL;
}

void server_stop(struct server *server)
{
	if (!server)
		return;
	close(server->stop[1]);
	pthread_join(server->thread, NULL);
	close(server->stop[0]);
	answerer_fini(&server->answerer);
	free(server);
}
