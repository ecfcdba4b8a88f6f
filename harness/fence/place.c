/* SPDX-License-Identifier: GPL-2.0-or-later */
/* place.c - libwtaddress.so: a slurmd that shares its machine with others has an address of its own (--elastic address=new,
 * --dynamic).
 *
 * Slurm's daemons listen on all addresses of their machine and connect from whichever the kernel takes: on the loopback
 * network a node would answer at every address, and slurmctld would hear all nodes from 127.0.0.1. */
#include "config.h"

#include <dlfcn.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "harness/fence/place.h"

#define ADDRESS_EXPORT __attribute__((visibility("default")))

static struct {
	__typeof__(&bind) f_bind;
	__typeof__(&connect) f_connect;
} next;

/* Now: in the child of a process with threads dlsym () might wait for a lock that nobody holds any more. */
__attribute__((constructor)) static void next_find(void)
{
	next.f_bind = (__typeof__(&bind)) dlsym(RTLD_NEXT, "bind");
	next.f_connect = (__typeof__(&connect)) dlsym(RTLD_NEXT, "connect");
}

ADDRESS_EXPORT int bind(int fd, const struct sockaddr *addr, socklen_t len)
{
	struct sockaddr_in own;

	if (address_to_listen(addr, len, getenv(WT_ADDRESS_ENV), &own))
		return next.f_bind(fd, (const struct sockaddr *) &own, sizeof(own));
	return next.f_bind(fd, addr, len);
}

static bool has_address(int fd)
{
	struct sockaddr_in bound = { 0 };
	socklen_t len = sizeof(bound);

	return getsockname(fd, (struct sockaddr *) &bound, &len) < 0 || bound.sin_family != AF_INET || bound.sin_port ||
	       bound.sin_addr.s_addr != htonl(INADDR_ANY);
}

ADDRESS_EXPORT int connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	struct sockaddr_in own;
	int late = 1;

	/* Without a port of its own before it knows its peer: the same one may go to many peers.  What fails here goes on
	 * as if it were not for us. */
	if (address_to_come_from(addr, len, getenv(WT_ADDRESS_ENV), &own) && !has_address(fd) &&
	    setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &late, sizeof(late)) == 0)
		next.f_bind(fd, (const struct sockaddr *) &own, sizeof(own));
	return next.f_connect(fd, addr, len);
}
