/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/vnode/wire/frame.h"
#include "harness/vnode/wire/outgoing.h"

/* As Slurm's own MAX_MSG_SIZE: the controller may describe a job array of thousands of tasks. */
#define ANSWER_LIMIT (1u << 30)

struct flight {
	struct wt_outgoing *outgoing;
	struct flight *next_free;
	ev_io io;
	ev_timer timeout;
	int fd;
	bool connected, answered;	/* answered: an answer is expected */
	uint8_t *data;
	size_t len, sent;
	struct wt_frame frame;
	struct wt_outgoing_request request;
};

struct wt_outgoing {
	struct ev_loop *loop;
	struct wt_outgoing_conf conf;
	struct wt_outgoing_calls calls;
	struct sockaddr_in targets[WT_OUTGOING_MAX_TARGETS];
	uint32_t target_count, target;
	struct flight *flights, *free;
	uint32_t in_flight;
	bool refused;		/* since the last success: one at a time */
	ev_timer pause;
};

static void flight_end(struct flight *flight, enum wt_outcome outcome)
{
	struct wt_outgoing *outgoing = flight->outgoing;
	struct wt_outgoing_request request = flight->request;

	ev_io_stop(outgoing->loop, &flight->io);
	ev_timer_stop(outgoing->loop, &flight->timeout);
	if (flight->fd >= 0)
		close(flight->fd);
	flight->fd = -1;
	free(flight->data);
	flight->data = NULL;
	/* Of many clients one that refuses says nothing of the others; all requests have the same controller. */
	if (outcome == WT_OUTCOME_REFUSED && !outgoing->calls.target) {
		outgoing->refused = true;
		/* The backups in their order, then the primary again. */
		if (outgoing->target_count)
			outgoing->target = (outgoing->target + 1) % outgoing->target_count;
		if (!ev_is_active(&outgoing->pause)) {
			ev_timer_set(&outgoing->pause, outgoing->conf.refused_pause_s, 0.);
			ev_timer_start(outgoing->loop, &outgoing->pause);
		}
	} else if (outcome == WT_OUTCOME_ANSWERED) {
		outgoing->refused = false;
	}
	outgoing->calls.done(outgoing->calls.arg, &request, outcome, flight->frame.body, flight->frame.have);
	wt_frame_clear(&flight->frame);
	flight->next_free = outgoing->free;
	outgoing->free = flight;
	outgoing->in_flight--;
}

/* True when the flight has ended. */
static bool flight_send(struct flight *flight)
{
	while (flight->sent < flight->len) {
		ssize_t n = send(flight->fd, flight->data + flight->sent, flight->len - flight->sent, MSG_NOSIGNAL);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return false;
		if (n < 0) {
			flight_end(flight, WT_OUTCOME_FAILED);
			return true;
		}
		flight->sent += (size_t) n;
	}
	ev_io_stop(flight->outgoing->loop, &flight->io);
	ev_io_set(&flight->io, flight->fd, EV_READ);
	ev_io_start(flight->outgoing->loop, &flight->io);
	return false;
}

static void flight_receive(struct flight *flight)
{
	uint8_t buffer[16384];
	ssize_t n = recv(flight->fd, buffer, sizeof(buffer), 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	/* slurmctld answers no MESSAGE_EPILOG_COMPLETE: that it has read it is told by the end of the connection. */
	if (n == 0 && !flight->answered) {
		flight_end(flight, WT_OUTCOME_ANSWERED);
		return;
	}
	if (n <= 0 || wt_frame_feed(&flight->frame, buffer, (size_t) n) != n) {
		flight_end(flight, WT_OUTCOME_FAILED);
		return;
	}
	if (wt_frame_complete(&flight->frame))
		flight_end(flight, WT_OUTCOME_ANSWERED);
}

static void flight_io(struct ev_loop *loop, ev_io *io, int events)
{
	struct flight *flight = io->data;
	int error = 0;
	socklen_t len = sizeof(error);

	(void) loop;
	if (!flight->connected) {
		/* How connect () has ended is said only here: writable is a connection that was refused, too. */
		if (getsockopt(flight->fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0 || error) {
			flight_end(flight, WT_OUTCOME_REFUSED);
			return;
		}
		flight->connected = true;
	}
	if (events & EV_WRITE && flight->sent < flight->len && flight_send(flight))
		return;
	if (events & EV_READ)
		flight_receive(flight);
}

static void flight_timeout(struct ev_loop *loop, ev_timer *timer, int events)
{
	struct flight *flight = timer->data;

	(void) loop;
	(void) events;
	/* Before the connection stands nothing has been sent: the request has certainly not arrived. */
	flight_end(flight, flight->connected ? WT_OUTCOME_FAILED : WT_OUTCOME_REFUSED);
}

static int flight_connect(struct flight *flight, in_addr_t source)
{
	struct wt_outgoing *outgoing = flight->outgoing;
	struct sockaddr_in local = { .sin_family = AF_INET, .sin_addr.s_addr = source };
	struct sockaddr_in target = outgoing->targets[outgoing->target];
	int one = 1;

	if (outgoing->calls.target && !outgoing->calls.target(outgoing->calls.arg, &flight->request, &target))
		return -1;

	flight->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (flight->fd < 0)
		return -1;
	/* So connect () picks the port, which connections to other targets may share; bind () would take one alone. */
	setsockopt(flight->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof(one));
	if (bind(flight->fd, (struct sockaddr *) &local, sizeof(local)) < 0)
		return -1;
	if (connect(flight->fd, (struct sockaddr *) &target, sizeof(target)) < 0 &&
	    errno != EINPROGRESS)
		return -1;
	return 0;
}

static void flight_start(struct wt_outgoing *outgoing, const struct wt_outgoing_request *request)
{
	struct flight *flight = outgoing->free;

	outgoing->free = flight->next_free;
	outgoing->in_flight++;
	flight->request = *request;
	flight->connected = false;
	flight->sent = 0;
	flight->fd = -1;
	if (outgoing->calls.pack(outgoing->calls.arg, request, &flight->data, &flight->len, &flight->answered) < 0 ||
	    flight_connect(flight, outgoing->calls.source(outgoing->calls.arg, request)) < 0) {
		flight_end(flight, WT_OUTCOME_REFUSED);
		return;
	}
	ev_io_set(&flight->io, flight->fd, EV_WRITE);
	ev_io_start(outgoing->loop, &flight->io);
	ev_timer_set(&flight->timeout, outgoing->conf.timeout_s, 0.);
	ev_timer_start(outgoing->loop, &flight->timeout);
}

bool wt_outgoing_ready(const struct wt_outgoing *outgoing)
{
	return outgoing->free && (outgoing->target_count || outgoing->calls.target) && !ev_is_active(&outgoing->pause) &&
	       !(outgoing->refused && outgoing->in_flight);
}

void wt_outgoing_kick(struct wt_outgoing *outgoing)
{
	struct wt_outgoing_request request;

	while (wt_outgoing_ready(outgoing) && outgoing->calls.next(outgoing->calls.arg, &request))
		flight_start(outgoing, &request);
}

static void pause_over(struct ev_loop *loop, ev_timer *timer, int events)
{
	(void) loop;
	(void) events;
	wt_outgoing_kick(timer->data);
}

struct wt_outgoing *wt_outgoing_create(struct ev_loop *loop, const struct wt_outgoing_conf *conf,
				       const struct wt_outgoing_calls *calls)
{
	struct wt_outgoing *outgoing = calloc(1, sizeof(*outgoing));

	if (!outgoing)
		return NULL;
	outgoing->loop = loop;
	outgoing->conf = *conf;
	outgoing->calls = *calls;
	ev_init(&outgoing->pause, pause_over);
	outgoing->pause.data = outgoing;
	outgoing->flights = calloc(conf->max_in_flight, sizeof(*outgoing->flights));
	if (!outgoing->flights) {
		free(outgoing);
		return NULL;
	}
	for (uint32_t i = 0; i < conf->max_in_flight; i++) {
		struct flight *flight = &outgoing->flights[i];

		flight->outgoing = outgoing;
		flight->fd = -1;
		flight->next_free = outgoing->free;
		outgoing->free = flight;
		wt_frame_init(&flight->frame, ANSWER_LIMIT);
		ev_init(&flight->io, flight_io);
		ev_init(&flight->timeout, flight_timeout);
		flight->io.data = flight->timeout.data = flight;
	}
	return outgoing;
}

void wt_outgoing_destroy(struct wt_outgoing *outgoing)
{
	int saved_errno = errno;

	if (outgoing) {
		for (uint32_t i = 0; i < outgoing->conf.max_in_flight; i++) {
			struct flight *flight = &outgoing->flights[i];

			ev_io_stop(outgoing->loop, &flight->io);
			ev_timer_stop(outgoing->loop, &flight->timeout);
			if (flight->fd >= 0)
				close(flight->fd);
			free(flight->data);
			wt_frame_clear(&flight->frame);
		}
		ev_timer_stop(outgoing->loop, &outgoing->pause);
		free(outgoing->flights);
		free(outgoing);
	}
	errno = saved_errno;
}

void wt_outgoing_targets(struct wt_outgoing *outgoing, const struct sockaddr_in *targets, uint32_t count)
{
	outgoing->target_count = count < WT_OUTGOING_MAX_TARGETS ? count : WT_OUTGOING_MAX_TARGETS;
	memcpy(outgoing->targets, targets, outgoing->target_count * sizeof(*targets));
	outgoing->target = 0;
}

uint32_t wt_outgoing_in_flight(const struct wt_outgoing *outgoing)
{
	return outgoing->in_flight;
}
