/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ask.h"
#include "wt_clock.h"

static int ready_wait(int fd, short events, int64_t deadline_us)
{
	for (;;) {
		int64_t left_ms = (deadline_us - wt_clock_monotonic_us()) / 1000;
		struct pollfd p = { .fd = fd, .events = events };
		int rc = left_ms > 0 ? poll(&p, 1, (int) left_ms) : 0;

		if (rc > 0)
			return 0;
		if (rc == 0) {
			errno = ETIMEDOUT;
			return -1;
		}
		if (errno != EINTR)
			return -1;
	}
}

static int socket_connect(const struct addrinfo *a, int64_t deadline_us)
{
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error = 0;
	socklen_t len = sizeof(error);

	if (fd < 0)
		return -1;
	if (connect(fd, a->ai_addr, a->ai_addrlen) == 0)
		return fd;
	if (errno == EINPROGRESS && ready_wait(fd, POLLOUT, deadline_us) == 0 &&
	    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) == 0 && error == 0)
		return fd;
	if (error)
		errno = error;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

static int server_connect(struct ask *ask, int64_t deadline_us, struct wt_error *errp)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list;
	char service[16];
	int rc;

	snprintf(service, sizeof(service), "%u", ask->conf->port);
	rc = getaddrinfo(ask->conf->controller, service, &hints, &list);
	if (rc)
		return wt_error_set(errp, EHOSTUNREACH, "%s: %s", ask->conf->controller, gai_strerror(rc));
	for (const struct addrinfo *a = list; a && ask->fd < 0; a = a->ai_next)
		ask->fd = socket_connect(a, deadline_us);
	freeaddrinfo(list);
	return ask->fd < 0 ? wt_error_errno(errp, errno, "%s port %u (slurmctld's straggler plugin)", ask->conf->controller,
					    ask->conf->port) : 0;
}

static int bytes_send(int fd, const void *bytes, size_t len, int flags, int64_t deadline_us)
{
	const char *at = bytes;

	while (len) {
		ssize_t n = send(fd, at, len, MSG_NOSIGNAL | flags);

		if (n > 0) {
			at += n;
			len -= (size_t) n;
		} else if ((errno != EAGAIN && errno != EINTR) || ready_wait(fd, POLLOUT, deadline_us) < 0) {
			return -1;
		}
	}
	return 0;
}

static int bytes_receive(int fd, void *bytes, size_t len, int64_t deadline_us)
{
	char *at = bytes;

	while (len) {
		ssize_t n = recv(fd, at, len, 0);

		if (n > 0) {
			at += n;
			len -= (size_t) n;
			continue;
		}
		if (n == 0)
			errno = ECONNRESET;
		if (n == 0 || (errno != EAGAIN && errno != EINTR) || ready_wait(fd, POLLIN, deadline_us) < 0)
			return -1;
	}
	return 0;
}

static int frame_exchange(struct ask *ask, const char *credential, uint32_t *got, int64_t deadline_us)
{
	uint32_t len = htonl((uint32_t) strlen(credential));

	/* In one packet: else the second would wait for a delayed acknowledgement of the first, 40 ms (tcp (7)). */
	if (bytes_send(ask->fd, &len, sizeof(len), MSG_MORE, deadline_us) < 0 ||
	    bytes_send(ask->fd, credential, strlen(credential), 0, deadline_us) < 0 ||
	    bytes_receive(ask->fd, &len, sizeof(len), deadline_us) < 0)
		return -1;
	*got = ntohl(len);
	if (*got < WT_BEAT_REPLY_HEAD || *got > WT_BEAT_REPLY_MAX) {
		errno = EPROTO;
		return -1;
	}
	free(ask->buf);
	ask->buf = malloc(*got);
	return ask->buf ? bytes_receive(ask->fd, ask->buf, *got, deadline_us) : -1;
}

/* Replace the answer by what is in its credential. */
static int answer_unseal(struct ask *ask, uint32_t *len, struct wt_error *errp)
{
	uid_t uid = (uid_t) -1;
	size_t got;
	void *body;
	munge_err_t rc = unseal(ask->munge, ask->buf, *len, &body, &got, &uid);

	if (rc != EMUNGE_SUCCESS || (uid != 0 && uid != ask->conf->owner)) {
		free(body);
		return wt_error_set(errp, EPROTO, "the answer is not slurmctld's: %s",
				    rc == EMUNGE_SUCCESS ? "another user's" : munge_strerror(rc));
	}
	free(ask->buf);
	ask->buf = body;
	*len = (uint32_t) got;
	return 0;
}

static int exchange(struct ask *ask, const char *credential, int timeout_ms, uint32_t *got, struct wt_error *errp)
{
	int64_t deadline_us = wt_clock_monotonic_us() + (int64_t) timeout_ms * 1000;

	if (ask->fd < 0 && server_connect(ask, deadline_us, errp) < 0)
		return -1;
	if (frame_exchange(ask, credential, got, deadline_us) == 0)
		return 0;
	wt_error_errno(errp, errno, "%s port %u (slurmctld's straggler plugin)", ask->conf->controller, ask->conf->port);
	close(ask->fd);
	ask->fd = -1;
	return -1;
}

int ask(struct ask *ask, const struct wt_beat *beat, int timeout_ms, struct wt_beat_reply *reply, struct wt_error *errp)
{
	uint8_t body[WT_BEAT_BODY_MAX];
	bool kept = ask->fd >= 0;
	char *credential;
	uint32_t got;
	int len = wt_beat_encode(beat, body, sizeof(body), errp), rc;

	if (len < 0 || (!ask->munge && !(ask->munge = seal_context(ask->conf->munge_socket))))
		return len < 0 ? -1 : wt_error_errno(errp, ENOMEM, "munge context");
	credential = seal(ask->munge, body, (size_t) len, errp);
	if (!credential)
		return -1;
	rc = exchange(ask, credential, timeout_ms, &got, errp);
	if (rc < 0 && kept)	/* it was closed meanwhile; if it was not, the credential is refused as a replay */
		rc = exchange(ask, credential, timeout_ms, &got, errp);
	free(credential);
	if (rc == 0 && (beat->kind == WT_BEAT_COMMIT || beat->kind == WT_BEAT_EXIT))
		rc = answer_unseal(ask, &got, errp);
	if (rc == 0)
		rc = wt_beat_reply_decode(reply, (uint8_t *) ask->buf, got, errp);
	if (rc == 0 && (reply->kind != beat->kind || (beat->kind != WT_BEAT_REPORT && reply->nonce != beat->nonce)))
		rc = wt_error_set(errp, EPROTO, "the answer is to another question");
	return rc;
}

void ask_end(struct ask *ask)
{
	int saved_errno = errno;

	if (ask->fd >= 0)
		close(ask->fd);
	ask->fd = -1;
	if (ask->munge)
		munge_ctx_destroy(ask->munge);
	ask->munge = NULL;
	free(ask->buf);
	ask->buf = NULL;
	errno = saved_errno;
}
