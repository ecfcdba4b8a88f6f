/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/cluster/folder/address.h"

static int socket_open(struct wt_error *errp)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	return fd < 0 ? wt_error_errno(errp, errno, "socket") : fd;
}

int wt_address_is_own(const char *address, struct wt_error *errp)
{
	struct sockaddr_in own = { .sin_family = AF_INET };
	int fd = socket_open(errp), rc = -1;

	if (fd < 0)
		return -1;
	/* Those of groups and all hosts can be bound, too; a datagram's socket is not connected to all hosts unasked. */
	if (inet_pton(AF_INET, address, &own.sin_addr) == 1 && !IN_MULTICAST(ntohl(own.sin_addr.s_addr)))
		rc = bind(fd, (struct sockaddr *) &own, sizeof(own));
	own.sin_port = htons(9);
	if (rc == 0)
		rc = connect(fd, (struct sockaddr *) &own, sizeof(own));
	close(fd);
	return rc == 0;
}

int wt_address_of(const char *name, char address[WT_HOST_ADDRESS_SIZE], struct wt_error *errp)
{
	struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM }, *list = NULL;
	int rc = getaddrinfo(name, NULL, &hints, &list);

	if (rc != 0 || !list)
		return wt_error_set(errp, EINVAL, "%s has no IPv4 address (%s)", name, gai_strerror(rc));
	inet_ntop(AF_INET, &((const struct sockaddr_in *) (const void *) list->ai_addr)->sin_addr, address,
		  WT_HOST_ADDRESS_SIZE);
	freeaddrinfo(list);
	return 0;
}

int wt_address_towards(const char *there, char address[WT_HOST_ADDRESS_SIZE], struct wt_error *errp)
{
	/* A datagram's socket: nothing is sent, and any port will do but 0. */
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(9) }, own = { 0 };
	socklen_t len = sizeof(own);
	int fd = socket_open(errp), rc = -1, saved_errno;

	if (fd < 0)
		return -1;
	errno = EINVAL;
	if (inet_pton(AF_INET, there, &to.sin_addr) == 1 && connect(fd, (struct sockaddr *) &to, sizeof(to)) == 0)
		rc = getsockname(fd, (struct sockaddr *) &own, &len);
	saved_errno = errno;
	close(fd);
	if (rc < 0)
		return wt_error_errno(errp, saved_errno, "no way from here to %s", there);
	inet_ntop(AF_INET, &own.sin_addr, address, WT_HOST_ADDRESS_SIZE);
	return 0;
}
