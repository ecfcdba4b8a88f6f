/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/fs.h"
#include "harness/cluster/folder/ports.h"

#define FIRST_PORT 10000	/* below lie registered services and Slurm's own 6817 to 6819 */
#define BLOCKS_WANTED 64

/* The usable range; *end is behind it. */
static void range_choose(unsigned int low, unsigned int high, unsigned int *first, unsigned int *end)
{
	/* Outside of the ephemeral range, where any connection of this machine may take a port at any time. */
	*first = FIRST_PORT;
	*end = low;
	if (*end < *first + BLOCKS_WANTED * WT_PORTS_BLOCK && high < 65535) {
		*first = high + 1;
		*end = 65536;
	}
	if (*end < *first + BLOCKS_WANTED * WT_PORTS_BLOCK) {
		*first = 1024;
		*end = low;
	}
}

unsigned int wt_ports_blocks(unsigned int low, unsigned int high)
{
	unsigned int first, end;

	range_choose(low, high, &first, &end);
	return end > first ? (end - first) / WT_PORTS_BLOCK : 0;
}

uint16_t wt_ports_block(unsigned int low, unsigned int high, unsigned int index)
{
	unsigned int first, end;

	range_choose(low, high, &first, &end);
	return index < wt_ports_blocks(low, high) ? (uint16_t) (first + index * WT_PORTS_BLOCK) : 0;
}

/* A socket bound to the port on every address, without SO_REUSEADDR: fails when anything is bound there. */
static int port_bind(uint16_t port)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && bind(fd, (struct sockaddr *) &addr, sizeof(addr)) < 0) {
		int saved_errno = errno;

		close(fd);
		errno = saved_errno;
		return -1;
	}
	return fd;
}

int wt_ports_ephemeral(unsigned int *low, unsigned int *high, struct wt_error *errp)
{
	const char *path = "/proc/sys/net/ipv4/ip_local_port_range";
	char *text;
	int n;

	if (wt_fs_read(path, 256, &text, NULL, errp) < 0)
		return -1;
	n = sscanf(text, "%u %u", low, high);
	free(text);
	return n == 2 ? 0 : wt_error_set(errp, EINVAL, "%s: two numbers are expected", path);
}

/* Takes the lock, which is the first of 'count' ports, and looks whether the others are free.  Returns the lock's socket, or
 * -1 with the port that is not. */
static int ports_lock(uint16_t first, unsigned int count, unsigned int *busy)
{
	int lock = port_bind(first);

	*busy = first;
	/* Tried one by one and let go again: a daemon binds them later, and could not while they are held here. */
	for (unsigned int i = 1; lock >= 0 && i < count; i++) {
		int fd = port_bind((uint16_t) (first + i));

		if (fd < 0) {
			int saved_errno = errno;

			*busy = first + i;
			close(lock);
			errno = saved_errno;
			return -1;
		}
		close(fd);
	}
	return lock;
}

/* Is it this port that could not be bound?  Else none can be. */
static bool port_busy(void)
{
	return errno == EADDRINUSE || errno == EACCES;
}

static void ports_set(struct wt_ports *ports, int fd, uint16_t first, unsigned int index)
{
	ports->lock_fd = fd;
	ports->lock = first;
	ports->controller = (uint16_t) (first + 1);
	ports->slurmdbd = (uint16_t) (first + 2);
	ports->nodes = (uint16_t) (first + WT_PORTS_OWN);
	ports->network = 10 + index % 240;		/* clusters that run together differ, for the reader's sake */
}

static int none_left(unsigned int low, unsigned int high, unsigned int count, struct wt_error *errp)
{
	return wt_error_set(errp, EADDRINUSE,
			    "no %u free TCP ports in a row outside the ephemeral range %u-%u: end other clusters "
			    "(windtunnel cluster list) or narrow net.ipv4.ip_local_port_range", count, low, high);
}

static int shared_take(unsigned int from, unsigned int low, unsigned int high, struct wt_ports *ports, unsigned int *next,
		       struct wt_error *errp)
{
	unsigned int busy;
	uint16_t first;

	for (unsigned int i = from; (first = wt_ports_block(low, high, i)); i++) {
		int fd = ports_lock(first, WT_PORTS_BLOCK, &busy);

		if (fd < 0 && !port_busy())
			return wt_error_errno(errp, errno, "bind port %u", busy);
		if (fd < 0)
			continue;
		ports_set(ports, fd, first, i);
		*next = i + 1;
		return 0;
	}
	return none_left(low, high, WT_PORTS_BLOCK, errp);
}

/* Downwards; 'from' blocks from the end on are not tried again. */
static int each_take(unsigned int from, uint32_t each, unsigned int low, unsigned int high, struct wt_ports *ports,
		     unsigned int *next, struct wt_error *errp)
{
	unsigned int all = wt_ports_blocks(low, high), end = all > from ? all - from : 0;
	unsigned int count = (each + WT_PORTS_OWN + WT_PORTS_BLOCK - 1) / WT_PORTS_BLOCK, busy;

	while (end >= count) {
		unsigned int index = end - count;
		uint16_t first = wt_ports_block(low, high, index);
		int fd = ports_lock(first, count * WT_PORTS_BLOCK, &busy);

		if (fd >= 0) {
			ports_set(ports, fd, first, index);
			*next = all - index;
			return 0;
		}
		if (!port_busy())
			return wt_error_errno(errp, errno, "bind port %u", busy);
		end = index + (busy - first) / WT_PORTS_BLOCK;	/* below the busy port's block */
	}
	return none_left(low, high, each + WT_PORTS_OWN, errp);
}

int wt_ports_take(unsigned int from, uint32_t each, struct wt_ports *ports, unsigned int *next, struct wt_error *errp)
{
	unsigned int low, high;

	ports->lock_fd = -1;
	if (wt_ports_ephemeral(&low, &high, errp) < 0)
		return -1;
	return each ? each_take(from, each, low, high, ports, next, errp) : shared_take(from, low, high, ports, next, errp);
}

int wt_ports_hold(uint16_t port, unsigned int network)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET, .sin_port = htons(port),
		.sin_addr.s_addr = htonl(127u << 24 | network << 16 | 0xfffe),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
	    bind(fd, (struct sockaddr *) &addr, sizeof(addr)) == 0)
		return fd;
	if (fd >= 0) {
		int saved_errno = errno;

		close(fd);
		errno = saved_errno;
	}
	return -1;
}

void wt_ports_release(struct wt_ports *ports)
{
	int saved_errno = errno;

	if (ports->lock_fd >= 0)
		close(ports->lock_fd);
	ports->lock_fd = -1;
	errno = saved_errno;
}
