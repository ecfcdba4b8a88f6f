/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "harness/fence/fence_rules.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool port_among(uint16_t port, const char *ports)
{
	char *end;

	for (const char *at = ports; at && *at; at = end) {
		unsigned long own = strtoul(at, &end, 10);

		if (end == at)
			return false;
		if (own == port)
			return true;
	}
	return false;
}

static bool v4_loopback(struct in_addr addr)
{
	return ntohl(addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

/* An IPv4 address may be written as one of IPv6. */
static bool v6_loopback(const struct in6_addr *addr)
{
	struct in_addr v4;

	memcpy(&v4, &addr->s6_addr[12], sizeof(v4));
	return IN6_IS_ADDR_LOOPBACK(addr) || (IN6_IS_ADDR_V4MAPPED(addr) && v4_loopback(v4));
}

bool fence_lets_connect(const struct sockaddr *addr, socklen_t len, const char *ports)
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	if (!addr || len < sizeof(addr->sa_family))
		return true; /* the kernel refuses it */
	if (addr->sa_family == AF_INET && len >= sizeof(v4)) {
		memcpy(&v4, addr, sizeof(v4));
		return v4_loopback(v4.sin_addr) && port_among(ntohs(v4.sin_port), ports);
	}
	if (addr->sa_family == AF_INET6 && len >= sizeof(v6)) {
		memcpy(&v6, addr, sizeof(v6));
		return v6_loopback(&v6.sin6_addr) && port_among(ntohs(v6.sin6_port), ports);
	}
	return addr->sa_family != AF_INET && addr->sa_family != AF_INET6;
}

static bool file_same(const struct stat *a, const struct stat *b)
{
	return a && b && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool fence_lets_run(const struct stat *file, const struct stat *self, const struct stat *nothing)
{
	return file_same(file, self) || file_same(file, nothing);
}
