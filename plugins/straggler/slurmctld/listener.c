/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "plugins/straggler/slurmctld/listener.h"

int listener_open(const char *address, unsigned int port, struct wt_error *errp)
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
		/* Connections of a slurmctld that has just ended keep the port for a minute (TIME_WAIT). */
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
