/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread of the port: an endless loop of one wait and a turn for each kind of work, in an order in which nothing can
 * starve what comes after it.  Other connections than the one at hand are dropped at the end of a turn only, when no
 * event of theirs is left to be served. */
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

#include "plugins/straggler/slurmctld/connection.h"
#include "plugins/straggler/slurmctld/listener.h"
#include "plugins/straggler/slurmctld/server.h"

/* Another process had the port: a slurmctld that is just ending, mostly. */
#define RETRY_S 10.	/* to get the port */
#define EVENTS_MAX 64
/* A flood of connections must not keep the thread from those that are open. */
#define ACCEPTS_MAX 64	/* at a time */
#define IDLE_MS 500
#define WAITING_MS 5	/* while frames wait for their turn, or answers for the disk */
/* so long the first connection that asks for the right waits for others, whose questions munge has, to be written with
 * them */
#define TOGETHER_S .05
#define PAUSE_S 1.	/* of accepting, when there are no descriptors */

struct server {
	struct service *service;
	pthread_t thread;
	int stop[2];		/* a pipe: a byte in it stops the thread */
	int poll;		/* epoll (7): thousands of agents are quiet most of the time */
	int agents_poll;	/* of agents' connections, whose reports have no answer */
	size_t agents;		/* in it */
	double turn_s;		/* when they are looked at next */
	int listener;
	char address[sizeof(((struct straggler_conf *) 0)->controller)];	/* of the listener */
	unsigned int port;
	double retry_s;
	bool said;
	double pause_s;		/* until then nothing is accepted; 0: it is */
	bool pause_said;
	struct answerer answerer;
	struct sealer *sealer;
	bool munge_down;	/* it was said */
	/* connections by address and, when it is known, by user; not those of root and SlurmUser */
	struct crowd strangers, users;
	bool users_turn;
	struct connection **connections;
	size_t count, size;
	LIST_HEAD(, connection) held;	/* their answers wait for the disk, */
	double held_s;		/* the first one's since then */
	double budget, budget_s;	/* of strangers' frames; when it was filled */
	double expiry_s;	/* when silent connections are looked for next */
};

static void listener_close(struct server *server)
{
	if (server->listener >= 0) {
		epoll_ctl(server->poll, EPOLL_CTL_DEL, server->listener, NULL);
		close(server->listener);
	}
	server->listener = -1;
}

/* Connections inherit these: the kernel keeps no more of each than that. */
static void buffers_bound(int listener)
{
	int bytes = SERVER_SOCKET_BYTES;

	setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	setsockopt(listener, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
}

/* Follow the settings, and get the port when it was taken. */
static void listener_keep(struct server *server, double now_s)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = &server->listener };
	struct service *service = server->service;
	struct wt_error err;
	char address[sizeof(server->address)];
	unsigned int port;

	/* Copied, for the lock is one that slurmctld's threads take, too: opening a port must not hold them up. */
	pthread_mutex_lock(&service->lock);
	memcpy(address, service->conf.controller, sizeof(address));
	port = service->conf.port;
	pthread_mutex_unlock(&service->lock);
	/* A changed port is tried at once, whatever the last failure was. */
	if (server->listener >= 0 && port == server->port && !strcmp(address, server->address))
		return;
	if (now_s < server->retry_s && port == server->port)
		return;
	listener_close(server);
	server->port = port;
	memcpy(server->address, address, sizeof(address));
	/* This may ask a name server: a port that cannot be had is therefore tried again after RETRY_S only. */
	server->listener = listener_open(address, port, &err);
	server->retry_s = now_s + RETRY_S;
	if (server->listener >= 0) {
		buffers_bound(server->listener);
		epoll_ctl(server->poll, EPOLL_CTL_ADD, server->listener, &event);
	}
	server->pause_s = 0;
	if (server->listener < 0 && !server->said) {
		wt_error_prefix(&err, "no speculation until the port can be had");
		service->log(SERVICE_ERROR, err.text);
	} else if (server->listener >= 0 && server->said) {
		service->log(SERVICE_INFO, "the port is ours now");
	}
	server->said = server->listener < 0;
}

/* What the thread waits for; a connection that waits for its turn, for munge or for the disk is left alone. */
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
}

/* Its user, and how much it keeps. */
static void connection_place(struct server *server, struct connection *c)
{
	struct crowd *crowd = c->trusted ? NULL : c->known ? &server->users : &server->strangers;
	uint64_t key = c->known ? c->uid : c->address;
	int bytes = SERVER_KNOWN_BYTES;

	if (crowd != c->crowd || (crowd && key != c->key)) {
		if (c->crowd)
			crowd_leave(c->crowd, &c->member);
		/* It was bound while nothing was known of its sender; a known one may send long reports. */
		if (c->crowd == &server->strangers)
			setsockopt(c->fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
		c->crowd = crowd && crowd_join(crowd, &c->member, key) == 0 ? crowd : NULL;
		c->key = key;
	}
	if (!c->crowd)
		return;
	c->member.busy = c->job || c->held;
	crowd_weigh(c->crowd, &c->member, connection_bytes(c));
}

static void connection_drop(struct server *server, struct connection *c)
{
	if (c->held)
		LIST_REMOVE(c, of_held);
	if (c->crowd)
		crowd_leave(c->crowd, &c->member);
	/* close (2) is not enough: slurmctld may just have forked, to run a program, and then the connection lives on, and
	 * its events would come to what was freed. */
	if (c->events)
		epoll_ctl(c->poll, EPOLL_CTL_DEL, c->fd, NULL);
	server->agents -= c->events && c->poll == server->agents_poll;
	/* The last one takes the place: no order is kept, and no hole. */
	server->connections[c->place] = server->connections[--server->count];
	server->connections[c->place]->place = c->place;
	connection_close(c);
}

/* After anything has happened to it. */
static void connection_settle(struct server *server, struct connection *c, bool keep)
{
	if (!keep) {
		connection_drop(server, c);
		return;
	}
	connection_place(server, c);
	connection_watch(server, c);
}

static struct connection *connection_of(struct crowd_member *m)
{
	return m ? (struct connection *) ((char *) m - offsetof(struct connection, member)) : NULL;
}

/* When all places are taken, a stranger makes room, or a user, or else the agent that has been quiet for longest, which then
 * connects anew. */
static void room_make(struct server *server)
{
	struct connection *c = NULL;

	if (server->count < server->size)
		return;
	c = connection_of(crowd_oldest(&server->strangers));
	if (!c)
		c = connection_of(crowd_oldest(&server->users));
	/* Neither stranger nor user: then all places are agents'. */
	for (size_t i = 0; i < server->count && (!c || !c->crowd); i++) {
		if (!c || server->connections[i]->active_s < c->active_s)
			c = server->connections[i];
	}
	connection_drop(server, c);
}

/* Drops connections: when no event of one is left. */
static void crowds_thin(struct server *server)
{
	struct connection *c;

	while ((c = connection_of(crowd_surplus(&server->strangers))) || (c = connection_of(crowd_surplus(&server->users))))
		connection_drop(server, c);
}

/* Without descriptors the listener would be ready all the time: others are to end first. */
static void listener_pause(struct server *server, double now_s)
{
	epoll_ctl(server->poll, EPOLL_CTL_DEL, server->listener, NULL);
	server->pause_s = now_s + PAUSE_S;
	if (!server->pause_said)
		server->service->log(SERVICE_ERROR, "no descriptor is left for a connection: trying again each second");
	server->pause_said = true;
}

static void listener_resume(struct server *server, double now_s)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = &server->listener };

	if (!server->pause_s || now_s < server->pause_s)
		return;
	server->pause_s = 0;
	if (server->listener >= 0)
		epoll_ctl(server->poll, EPOLL_CTL_ADD, server->listener, &event);
}

static void connections_accept(struct server *server, double now_s)
{
	for (int i = 0; i < ACCEPTS_MAX; i++) {
		struct sockaddr_storage address = { .ss_family = AF_UNSPEC };
		socklen_t len = sizeof(address);
		int fd = accept4(server->listener, (struct sockaddr *) &address, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);
		struct connection *c;

		if (fd < 0) {
			if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
				listener_pause(server, now_s);
			return;
		}
		/* One descriptor was free again: if they run out once more, that is said once more. */
		server->pause_said = false;
		room_make(server);
		c = connection_open(fd, now_s);
		if (!c) {
			close(fd);
			continue;
		}
		c->address = crowd_address(&address, len);
		c->place = server->count;
		server->connections[server->count++] = c;
		connection_settle(server, c, true);
		crowds_thin(server);
	}
}

static void budget_fill(struct server *server, double now_s)
{
	server->budget += (now_s - server->budget_s) * SERVER_STRANGERS_PER_S;
	/* Not saved up over quiet times: a burst costs munge a second's worth at most. */
	if (server->budget > SERVER_STRANGERS_PER_S)
		server->budget = SERVER_STRANGERS_PER_S;
	server->budget_s = now_s;
}

static bool frame_keyed(const struct connection *c)
{
	return port_keyed((uint8_t *) c->frame, c->frame_len);
}

/* Bytes for munge, which it takes; false: the connection is to be closed. */
static bool munge_ask(struct server *server, struct connection *c, bool seal, uid_t uid, void *bytes, size_t len,
		      double now_s)
{
	/* The bytes belong to the job from here on, also when it could not be made. */
	struct sealer_job *job = bytes ? sealer_job_create(c, seal, uid, bytes, len) : NULL;

	if (!job)
		return false;
	if (!sealer_put(server->sealer, job, c->trusted, now_s)) {
		sealer_job_free(job);
		answer_refused(&server->answerer, EMUNGE_SOCKET);
		return false;
	}
	c->job = job;
	return true;
}

/* The frame that is ready; whether the connection goes on. */
static bool frame_serve(struct server *server, struct connection *c, double now_s)
{
	uint32_t len = c->frame_len;

	if (frame_keyed(c))
		return connection_answer(c, &server->answerer, now_s);
	return munge_ask(server, c, false, 0, connection_frame(c), len, now_s);
}

/* Those that are not trusted have their turn later. */
static bool frame_take(struct server *server, struct connection *c, double now_s)
{
	if (c->trusted || (frame_keyed(c) && answer_proven(&server->answerer, c->frame, c->frame_len, now_s)))
		return frame_serve(server, c, now_s);
	if (!c->crowd)	/* there was no memory */
		return false;
	crowd_wait(c->crowd, &c->member, true);
	return true;
}

static void connection_serve(struct server *server, struct connection *c, double now_s)
{
	bool keep;

	if (c->agent && connection_between(c))
		keep = connection_reports(c, &server->answerer, now_s);
	else
		keep = connection_move(c, now_s);
	if (keep && connection_ready(c) && !c->member.waits)
		keep = frame_take(server, c, now_s);
	connection_settle(server, c, keep);
}

/* What has come of a message; the connection is looked at again when this is sent. */
static void answer_follow(struct server *server, struct connection *c, const struct answer *answer, double now_s)
{
	bool keep = answer->keep;

	connection_know(c, answer);
	if (answer->held) {
		c->held = true;
		c->held_answer = *answer;
		if (LIST_EMPTY(&server->held))
			server->held_s = now_s;
		LIST_INSERT_HEAD(&server->held, c, of_held);
	} else if (answer->seal) {
		keep = munge_ask(server, c, true, answer->uid, answer->bytes, answer->len, now_s);
	} else {
		keep = connection_put(c, answer->bytes, answer->len, now_s) && keep;
	}
	connection_settle(server, c, keep);
}

/* Said once when munged goes and once when it is back: reports come every window. */
static void munge_look(struct server *server, double now_s)
{
	bool down = sealer_down(server->sealer, now_s);

	if (down == server->munge_down)
		return;
	server->munge_down = down;
	server->service->log(down ? SERVICE_ERROR : SERVICE_INFO,
			     down ? "munged does not answer: no new agents and commits until it does" :
			     "munged answers again");
}

static void unsealed_answer(struct server *server, struct connection *c, const struct sealer_job *job, double now_s)
{
	struct answerer *answerer = &server->answerer;
	struct answer answer;
	struct answer who = { .known = true, .uid = job->uid, .trusted = answer_trusts(answerer, job->uid) };
	size_t room;

	/* Its user counts before its answer's size does: what users leave unread is no reason to tell root nothing. */
	connection_know(c, &who);
	connection_place(server, c);
	room = c->crowd ? crowd_room(c->crowd, &c->member) : SIZE_MAX;
	answer_unsealed(answerer, c->fd, job->uid, job->bytes, job->len, room, now_s, &answer);
	/* Only munge could say whose the frame is: a report of a user costs more than what was taken for it; a right
	 * to publish does not, since a task waits for it. */
	if (!answer.trusted && answerer->message.kind != PORT_COMMIT && answerer->message.kind != PORT_EXIT)
		server->budget -= SERVER_STRANGER_DEAR - 1;
	answer_follow(server, c, &answer, now_s);
}

/* What munge has done. */
static void job_end(struct server *server, struct sealer_job *job, double now_s)
{
	struct connection *c = job->owner;
	size_t len;
	char *framed;

	munge_look(server, now_s);
	if (job->rc != EMUNGE_SUCCESS && (c || !job->seal))
		answer_refused(&server->answerer, job->rc);
	/* The connection may have been dropped while munge worked: then its job has no owner any more. */
	if (c) {
		c->job = NULL;
		if (job->rc != EMUNGE_SUCCESS) {
			connection_drop(server, c);
		} else if (!job->seal) {
			unsealed_answer(server, c, job, now_s);
		} else {
			framed = answer_framed(job->bytes, job->len, &len);
			connection_settle(server, c, framed && connection_put(c, framed, len, now_s));
		}
	}
	sealer_job_free(job);
}

static void jobs_end(struct server *server, double now_s)
{
	struct sealer_job *job;

	munge_look(server, now_s);
	while ((job = sealer_take(server->sealer)))
		job_end(server, job, now_s);
}

/* All that asked for the right to publish since the last time: one wait for the disk for all of them.  While it lasts others
 * ask. */
static void held_tell(struct server *server, double now_s)
{
	struct connection *c;
	struct answer answer;
	bool saved;

	if (LIST_EMPTY(&server->held) || (now_s - server->held_s < TOGETHER_S && sealer_busy(server->sealer)))
		return;
	saved = service_commits_save(server->service);
	/* Not LIST_FOREACH: an answer that cannot be sent drops its connection. */
	while ((c = LIST_FIRST(&server->held))) {
		LIST_REMOVE(c, of_held);
		c->held = false;
		answer_commit(&server->answerer, &c->held_answer, saved, &answer);
		answer_follow(server, c, &answer, now_s);
	}
}

/* The next crowd with a connection whose frame waits; they take turns. */
static struct crowd *crowd_turn(struct server *server)
{
	struct crowd *crowd;

	/* Strangers and users in turn: neither can starve the other, however many frames it sends. */
	server->users_turn = !server->users_turn;
	crowd = server->users_turn ? &server->users : &server->strangers;
	if (!crowd->waiting)
		crowd = server->users_turn ? &server->strangers : &server->users;
	return crowd->waiting ? crowd : NULL;
}

static void waiting_serve(struct server *server, double now_s)
{
	struct crowd *crowd;

	while ((crowd = crowd_turn(server))) {
		struct connection *c = connection_of(crowd_next(crowd));
		bool keyed = frame_keyed(c);
		double price = keyed ? SERVER_STRANGER_KEYED : 1;

		/* Before the frame is taken from its crowd: it keeps its turn until there is budget, or room at
		 * munge. */
		if (price > server->budget || (!keyed && !sealer_room(server->sealer, false)))
			return;
		server->budget -= price;
		crowd_served(crowd);
		connection_settle(server, c, frame_serve(server, c, now_s));
	}
}

static void silent_drop(struct server *server, double now_s)
{
	if (now_s < server->expiry_s)
		return;
	server->expiry_s = now_s + 1;
	/* Backwards: a drop moves the last one, which has been looked at, into the hole. */
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
		/* Members of ours stand for the pipe, the listener and the sealer: no connection has their addresses. */
		if (events[i].data.ptr == &server->stop)
			stop = true;
		else if (events[i].data.ptr == &server->listener)
			accept = true;
		else if (events[i].data.ptr != &server->sealer)
			connection_serve(server, events[i].data.ptr, now_s);
	}
	/* What may drop other connections: when no event of one is left. */
	jobs_end(server, now_s);
	waiting_serve(server, now_s);
	crowds_thin(server);
	if (accept)
		connections_accept(server, now_s);
	return !stop;
}

static void agents_serve(struct server *server, double now_s)
{
	struct epoll_event events[EVENTS_MAX];
	/* Each agent once in a turn: one that sends without pause would otherwise keep the thread here. */
	size_t left = server->agents;
	int count;

	if (!server->agents || now_s < server->turn_s)
		return;
	server->turn_s = now_s + SERVER_TURN_MS / 1e3;
	do {
		count = epoll_wait(server->agents_poll, events, EVENTS_MAX, 0);
		for (int i = 0; i < count; i++)
			connection_serve(server, events[i].data.ptr, now_s);
		left -= count > 0 && left > (size_t) count ? (size_t) count : left;
	} while (count == EVENTS_MAX && left);
}

static int wait_ms(const struct server *server, double now_s)
{
	int ms = server->strangers.waiting || server->users.waiting || !LIST_EMPTY(&server->held) ? WAITING_MS : IDLE_MS;

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
		listener_resume(server, now_s);
		count = epoll_wait(server->poll, events, EVENTS_MAX, wait_ms(server, now_s));
		if (count < 0 && errno != EINTR)
			break;
		/* Again: the wait may have taken half a second. */
		now_s = service_now_s();
		budget_fill(server, now_s);
		go_on = events_serve(server, events, count, now_s);
		/* Before the agents, which do not wait for an answer, and after them, for what munge has unsealed since. */
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
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = &server->stop }, done = { .events = EPOLLIN,
		.data.ptr = &server->sealer };
	struct crowd_limits limits = { .bytes = SERVER_STRANGERS_BYTES, .party_bytes = SERVER_ADDRESS_BYTES };
	struct rlimit limit = { .rlim_cur = 1024 };

	/* slurmctld needs the other half for its own connections and files. */
	getrlimit(RLIMIT_NOFILE, &limit);
	server->size = limit.rlim_cur / 2 < SERVER_CONNECTIONS ? limit.rlim_cur / 2 : SERVER_CONNECTIONS;
	limits.members = server->size / SERVER_STRANGERS_SHARE;
	server->connections = calloc(server->size + 1, sizeof(struct connection *));
	server->poll = epoll_create1(EPOLL_CLOEXEC);
	server->agents_poll = epoll_create1(EPOLL_CLOEXEC);
	if (!server->connections || crowd_init(&server->strangers, &limits, NULL) < 0)
		return ENOMEM;
	limits.members = server->size / SERVER_USERS_SHARE;
	limits.bytes = SERVER_USERS_BYTES;
	limits.party_bytes = SERVER_USER_BYTES;
	if (crowd_init(&server->users, &limits, NULL) < 0)
		return ENOMEM;
	if (server->poll < 0 || server->agents_poll < 0 || pipe2(server->stop, O_CLOEXEC) < 0)
		return errno;
	return epoll_ctl(server->poll, EPOLL_CTL_ADD, server->stop[0], &event) < 0 ||
	       epoll_ctl(server->poll, EPOLL_CTL_ADD, sealer_fd(server->sealer), &done) < 0 ? errno : 0;
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
	sealer_stop(server->sealer);
	crowd_fini(&server->strangers);
	crowd_fini(&server->users);
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
	server->sealer = sealer_start(service->conf.munge_socket, errp);
	if (!server->sealer || answerer_init(&server->answerer, service, errp) < 0) {
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
	ssize_t n;

	if (!server)
		return;
	/* A byte wakes the thread in epoll_wait (), which no condition could; the end of file may not come while a process
	 * that slurmctld has forked has the pipe, too. */
	n = write(server->stop[1], "", 1);
	(void) n;
	pthread_join(server->thread, NULL);
	answerer_fini(&server->answerer);
	server_free(server);
}
