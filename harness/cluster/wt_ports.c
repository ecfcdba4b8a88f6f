/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wt_fs.h"
#include "wt_ports.h"

#define FIRST_PORT 10000	/* below lie registered services and Slurm's own 6817 to 6819 */
#define BLOCKS_WANTED 64

uint16_t wt_ports_block(unsigned int low, unsigned int high, unsigned int index)
{
	unsigned int first = FIRST_PORT, end = low;	/* of the usable range; 'end' is behind it */
	unsigned int port;

	if (end < first + BLOCKS_WANTED * WT_PORTS_BLOCK && high < 65535) {
		first = high + 1;
		end = 65536;
	}
	if (end < first + BLOCKS_WANTED * WT_PORTS_BLOCK) {
		first = 1024;
		end = low;
	}
	if (index > 65535 / WT_PORTS_BLOCK)
		return 0;
	port = first + index * WT_PORTS_BLOCK;
	return port + WT_PORTS_BLOCK <= end ? (uint16_t) port : 0;
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

static int range_read(unsigned int *low, unsigned int *high, struct wt_error *errp)
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

/* Takes the block's lock and looks whether its other ports are free.  Returns the lock's socket or -1. */
static int block_take(uint16_t first)
{
	int lock = port_bind(first);

	for (unsigned int i = 1; lock >= 0 && i < WT_PORTS_BLOCK; i++) {
		int fd = port_bind((uint16_t) (first + i));

		if (fd < 0) {
			int saved_errno = errno;

			close(lock);
			errno = saved_errno;
			return -1;
		}
		close(fd);
	}
	return lock;
}

int wt_ports_take(unsigned int from, struct wt_ports *ports, unsigned int *next, struct wt_error *errp)
{
	unsigned int low, high;
	uint16_t first;

	ports->lock_fd = -1;
	if (range_read(&low, &high, errp) < 0)
		return -1;
	for (unsigned int i = from; (first = wt_ports_block(low, high, i)); i++) {
		int fd = block_take(first);

		if (fd < 0 && errno != EADDRINUSE && errno != EACCES)	/* of this port; else of any */
			return wt_error_errno(errp, errno, "bind port %u", first);
		if (fd < 0)
			continue;
		ports->lock_fd = fd;
		ports->lock = first;
		ports->controller = (uint16_t) (first + 1);
		ports->nodes = (uint16_t) (first + 2);
		ports->network = 10 + i % 240;		/* clusters that run together differ, for the reader's sake */
		*next = i + 1;
		return 0;
	}
	return wt_error_set(errp, EADDRINUSE, "no %d free TCP ports in a row outside the ephemeral range %u-%u: end other clusters "
			    "(windtunnel cluster list) or narrow net.ipv4.ip_local_port_range", WT_PORTS_BLOCK, low, high);
}

void wt_ports_release(struct wt_ports *ports)
{
	int saved_errno = errno;

	if (ports->lock_fd >= 0)
		close(ports->lock_fd);
	ports->lock_fd = -1;
	errno = saved_errno;
}
