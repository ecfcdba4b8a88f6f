/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "straggler/protocol/wire.h"
#include "lib/clock.h"

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

int wire_connect(const struct straggler_conf *conf, int64_t deadline_us, struct wt_error *errp)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list;
	char service[16];
	int rc, fd = -1;

	snprintf(service, sizeof(service), "%u", conf->port);
	/* Not bounded by the deadline, but by resolv.conf (5): sites name slurmctld by a host that /etc/hosts or a cache
	 * knows. */
	rc = getaddrinfo(conf->controller, service, &hints, &list);
	if (rc)
		return wt_error_set(errp, EHOSTUNREACH, "%s: %s", conf->controller, gai_strerror(rc));
	for (const struct addrinfo *a = list; a && fd < 0; a = a->ai_next)
		fd = socket_connect(a, deadline_us);
	freeaddrinfo(list);
	return fd < 0 ? wt_error_errno(errp, errno, "%s port %u (slurmctld's straggler plugin)", conf->controller,
				       conf->port) : fd;
}

int wire_send(int fd, const void *bytes, size_t len, int flags, int64_t deadline_us)
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

int wire_receive(int fd, void *bytes, size_t len, int64_t deadline_us)
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

int wire_frame(int fd, void **bytes, uint32_t *len, int64_t deadline_us)
{
	uint32_t head;
	void *got;

	if (wire_receive(fd, &head, sizeof(head), deadline_us) < 0)
		return -1;
	*len = ntohl(head);
	/* Before the memory is asked for: a process that listens on the port may claim any length. */
	if (*len < PORT_REPLY_HEAD || *len > PORT_REPLY_MAX) {
		errno = EPROTO;
		return -1;
	}
	got = malloc(*len);
	if (!got)
		return -1;
	if (wire_receive(fd, got, *len, deadline_us) < 0) {
		int saved_errno = errno;

		free(got);
		errno = saved_errno;
		return -1;
	}
	*bytes = got;
	return 0;
}
