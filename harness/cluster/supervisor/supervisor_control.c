/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What "windtunnel cluster stop" and "start" ask for, through the Unix socket "control" in the cluster's folder.
 *
 * One line is asked, "stop SERVICE...", "kill SERVICE..." or "start SERVICE...", with the services of control.h; one is
 * answered when it is done: "ok", or "E TEXT". */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "harness/cluster/folder/control.h"
#include "harness/cluster/supervisor/supervisor_private.h"

#define CLIENTS_MAX 16
#define SILENT_S 60.0		/* for a whole request: a client that holds a place without one keeps others out */
#define PAUSE_S 0.1		/* without descriptors, while the kernel goes on telling that a client waits */

struct client {
	struct sup *sup;
	int fd;			/* -1: the place is free */
	char line[WT_CONTROL_LINE_MAX];
	size_t len;
	unsigned int awaited;	/* enum control_service, as bits: until they have ended */
	bool starts;		/* or, of what was still ending, until the next process runs */
	int host;		/* of the nodes: one host's (sup_hosts_find ()); -1: all */
	unsigned int later;	/* what is stopped when they have: they need it until their end */
	int sig;
	ev_io io;
	ev_timer silent;
};

struct sup_control {
	char *path;
	int fd;
	ev_io io;
	ev_timer pause;
	struct client clients[CLIENTS_MAX];
};

static void client_close(struct client *c)
{
	ev_io_stop(c->sup->loop, &c->io);
	ev_timer_stop(c->sup->loop, &c->silent);
	close(c->fd);
	c->fd = -1;
}

/* A command that does not listen any more does not want to know. */
static void client_answer(struct client *c, const char *text)
{
	(void) !send(c->fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
	client_close(c);
}

static enum sup_daemon service_daemon(unsigned int service)
{
	switch (service) {
	case WT_CONTROL_MUNGE:
		return SUP_MUNGED;
	case WT_CONTROL_MARIADBD:
		return SUP_MARIADBD;
	case WT_CONTROL_SLURMDBD:
		return SUP_SLURMDBD;
	case WT_CONTROL_NODES:
		return SUP_VNODED;
	default:
		return SUP_SLURMCTLD;
	}
}

static bool service_runs(const struct sup *sup, unsigned int service, int host)
{
	if (service == WT_CONTROL_NODES && sup->hosts)
		return sup_hosts_serve(sup, host);
	if (service == WT_CONTROL_NODES && sup->nodes)
		return sup_nodes_running(sup);
	return sup->services[service_daemon(service)].keeper.pid > 0;
}

/* Its last process is still ending: what answers is that one.  (slurmds are many, and started a few at a time.) */
static bool service_starts(const struct sup *sup, unsigned int service)
{
	return !(service == WT_CONTROL_NODES && (sup->nodes || sup->hosts)) &&
			   sup->services[service_daemon(service)].keeper.resumed;
}

static void service_stop(struct sup *sup, unsigned int service, int sig, int host)
{
	if (service == WT_CONTROL_NODES && sup->hosts)
		sup_hosts_order(sup, host, sig == SIGKILL ? "kill" : "stop");
	else if (service == WT_CONTROL_NODES && sup->nodes)
		sup_nodes_stop(sup, sig);
	else
		sup_daemon_stop(sup, service_daemon(service), sig);
}

static void service_start(struct sup *sup, unsigned int service, int host)
{
	if (service == WT_CONTROL_NODES && sup->hosts)
		sup_hosts_order(sup, host, "start");
	else if (service == WT_CONTROL_NODES && sup->nodes)
		sup_nodes_resume(sup);
	else
		sup_daemon_resume(sup, service_daemon(service));
}

/* Of those services, the ones that no other of them needs any more: they are stopped next. */
static unsigned int services_first(unsigned int services)
{
	static const unsigned int order[] = {
		WT_CONTROL_SLURMCTLD | WT_CONTROL_NODES, WT_CONTROL_SLURMDBD, WT_CONTROL_MARIADBD, WT_CONTROL_MUNGE,
	};
	unsigned int first = 0;

	for (size_t i = 0; !first && i < sizeof(order) / sizeof(order[0]); i++)
		first = services & order[i];
	return first;
}

static void client_stop_next(struct client *c)
{
	c->awaited = services_first(c->later);
	c->later &= ~c->awaited;
	for (unsigned int service = 1; service < CONTROL_SERVICES_END; service <<= 1)
		if (c->awaited & service)
			service_stop(c->sup, service, c->sig, c->host);
}

static void client_look(struct client *c)
{
	for (unsigned int service = 1; service < CONTROL_SERVICES_END; service <<= 1)
		if (c->awaited & service && (c->starts ? service_starts(c->sup, service) : service_runs(c->sup, service,
				   c->host)))
			return;
	if (c->later) {
		client_stop_next(c);
		client_look(c);
		return;
	}
	client_answer(c, "ok\n");
}

void sup_control_look(struct sup *sup)
{
	for (int i = 0; i < CLIENTS_MAX; i++)
		if (sup->control->clients[i].fd >= 0 && sup->control->clients[i].awaited)
			client_look(&sup->control->clients[i]);
}

/* A command that waits for the end of what shall run again would wait for ever, as one that waits for the start of what
 * shall end. */
static void waiters_tell(struct sup *sup, bool starts, unsigned int services, const char *text)
{
	for (int i = 0; i < CLIENTS_MAX; i++) {
		struct client *c = &sup->control->clients[i];

		if (c->fd >= 0 && c->starts == starts && (c->awaited | c->later) & services)
			client_answer(c, text);
	}
}

static void client_stop(struct client *c, unsigned int services, int sig)
{
	waiters_tell(c->sup, true, services, "E a 'stop' came before all had started\n");
	c->sig = sig;
	c->later = services;
	client_stop_next(c);
	client_look(c);
}

static void client_start(struct client *c, unsigned int services)
{
	waiters_tell(c->sup, false, services, "E a 'start' came before all had ended\n");
	/* munge first: no daemon can read a message without it. */
	for (unsigned int service = 1; service < CONTROL_SERVICES_END; service <<= 1)
		if (services & service)
			service_start(c->sup, service, c->host);
	c->starts = true;
	c->awaited = services;
	client_look(c);
}

static void client_serve(struct client *c)
{
	char host[WT_HOST_NAME_MAX + 1];
	enum wt_control_verb verb;
	unsigned int services;

	ev_timer_stop(c->sup->loop, &c->silent);	/* from now on it waits for us */
	c->host = -1;
	if (wt_control_read(c->line, &verb, &services, host) < 0) {
		client_answer(c, "E this request is not understood\n");
	} else if (*host && (services != WT_CONTROL_NODES || (c->host = sup_hosts_find(c->sup, host)) < 0)) {
		client_answer(c, "E no such host has nodes of it\n");
	} else if (!c->sup->info.accounting && !(services &= ~(unsigned int) WT_CONTROL_ACCOUNTING)) {
		client_answer(c, "E it has no accounting\n");
	} else if (c->sup->step != SUP_STEP_UP || c->sup->stopping) {
		client_answer(c, c->sup->stopping ? "E the cluster is ending\n" : "E the cluster is not up yet\n");
	} else if (verb != WT_CONTROL_START) {
		client_stop(c, services, verb == WT_CONTROL_KILL ? SIGKILL : SIGTERM);
	} else {
		client_start(c, services);
	}
}

static void client_cb(struct ev_loop *loop, ev_io *w, int revents)
{
	struct client *c = w->data;
	ssize_t n = recv(c->fd, c->line + c->len, sizeof(c->line) - 1 - c->len, MSG_DONTWAIT);

	(void) loop;
	(void) revents;
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0 || c->awaited) {	/* it is gone, or talks on */
		client_close(c);
		return;
	}
	c->len += (size_t) n;
	c->line[c->len] = '\0';
	if (strchr(c->line, '\n'))
		client_serve(c);
	else if (c->len == sizeof(c->line) - 1)
		client_close(c);
}

static void silent_cb(struct ev_loop *loop, ev_timer *w, int revents)
{
	(void) loop;
	(void) revents;
	client_close(w->data);
}

/* The folder is open to all; the socket's mode keeps others out, and this, where a file system does not heed it. */
static bool allowed(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 && (peer.uid == 0 || peer.uid == geteuid());
}

static void pause_cb(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct sup *sup = w->data;

	(void) revents;
	ev_io_start(loop, &sup->control->io);
}

static int client_accept(struct sup *sup)
{
	struct sup_control *control = sup->control;
	int fd = accept4(control->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
		ev_io_stop(sup->loop, &control->io);
		ev_timer_set(&control->pause, PAUSE_S, 0.);
		ev_timer_start(sup->loop, &control->pause);
	}
	return fd;
}

static void accept_cb(struct ev_loop *loop, ev_io *w, int revents)
{
	struct sup *sup = w->data;
	int fd = client_accept(sup), i = 0;
	struct client *c;

	(void) revents;
	if (fd < 0)
		return;
	/* Too many are refused rather than left waiting: the command then says so at once. */
	while (i < CLIENTS_MAX && sup->control->clients[i].fd >= 0)
		i++;
	if (i == CLIENTS_MAX || !allowed(fd)) {
		close(fd);
		return;
	}
	c = &sup->control->clients[i];
	*c = (struct client) { .sup = sup, .fd = fd };
	ev_io_init(&c->io, client_cb, fd, EV_READ);
	ev_timer_init(&c->silent, silent_cb, SILENT_S, 0.);
	c->io.data = c->silent.data = c;
	ev_io_start(loop, &c->io);
	ev_timer_start(loop, &c->silent);
}

static int socket_open(const char *path, struct wt_error *errp)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), rc = -1;
	mode_t mask = umask(077);

	if (strlen(path) >= sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
	} else if (fd >= 0) {
		strcpy(address.sun_path, path);
		unlink(path);
		rc = bind(fd, (struct sockaddr *) &address, sizeof(address)) < 0 || listen(fd, CLIENTS_MAX) < 0 ? -1 : 0;
	}
	umask(mask);
	if (rc == 0)
		return fd;
	wt_error_errno(errp, errno, "%s", path);
	if (fd >= 0)
		close(fd);
	return -1;
}

int sup_control_init(struct sup *sup, struct wt_error *errp)
{
	struct sup_control *control = calloc(1, sizeof(*control));

	sup->control = control;
	if (!control || !(control->path = wt_clusterinfo_path(&sup->info, WT_CONTROL_SOCKET)))
		return wt_error_errno(errp, ENOMEM, "supervisor");
	for (int i = 0; i < CLIENTS_MAX; i++)
		control->clients[i].fd = -1;
	control->fd = socket_open(control->path, errp);
	if (control->fd < 0)
		return -1;
	ev_io_init(&control->io, accept_cb, control->fd, EV_READ);
	ev_init(&control->pause, pause_cb);
	control->io.data = control->pause.data = sup;
	ev_io_start(sup->loop, &control->io);
	return 0;
}

void sup_control_clear(struct sup *sup)
{
	if (!sup->control)
		return;
	for (int i = 0; i < CLIENTS_MAX; i++)
		if (sup->control->clients[i].fd >= 0)
			client_answer(&sup->control->clients[i], "E the cluster has ended\n");
	ev_timer_stop(sup->loop, &sup->control->pause);
	if (sup->control->fd > 0)
		close(sup->control->fd);
	free(sup->control->path);
	free(sup->control);
	sup->control = NULL;
}
