/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The length of munged's queue of connections is fixed in its source (MUNGE_SOCKET_BACKLOG).  listen (2) on a socket that
 * listens already changes it, and pidfd_getfd (2) hands us that socket: munged is our child and runs as the same user. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "harness/cluster/folder/munge.h"

#define QUEUE_MAX 65535		/* the kernel cuts it to net.core.somaxconn */

static bool listens_at(int fd, const char *path)
{
	struct sockaddr_un addr = { 0 };
	socklen_t addr_len = sizeof(addr), listens_len = sizeof(int);
	int listens = 0;

	return getsockname(fd, (struct sockaddr *) &addr, &addr_len) == 0 && addr.sun_family == AF_UNIX &&
		addr_len > offsetof(struct sockaddr_un, sun_path) && !strncmp(addr.sun_path, path, sizeof(addr.sun_path)) &&
		getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &listens_len) == 0 && listens;
}

static int fds_try(int pidfd, DIR *fds, const char *path, struct wt_error *errp)
{
	struct dirent *entry;
	int rc = wt_error_set(errp, EAGAIN, "munged does not listen at %s yet", path);

	while (rc < 0 && (entry = readdir(fds))) {
		/* The number is munged's, which no other process knows: so each of its descriptors is tried. */
		int fd = *entry->d_name == '.' ? -1 : pidfd_getfd(pidfd, atoi(entry->d_name), 0);

		if (fd < 0) {
			if (*entry->d_name != '.' && errno != EBADF)	/* EBADF: closed meanwhile */
				return wt_error_errno(errp, errno, "pidfd_getfd");
			continue;
		}
		if (listens_at(fd, path))
			rc = listen(fd, QUEUE_MAX) < 0 ? wt_error_errno(errp, errno, "listen") : 0;
		close(fd);
	}
	return rc;
}

int wt_munge_widen(const struct wt_clusterinfo *info, pid_t pid, struct wt_error *errp)
{
	char *path = wt_clusterinfo_path(info, "munge/socket"), proc[64];
	int pidfd = pidfd_open(pid, 0), saved_errno, rc = -1;
	DIR *fds;

	snprintf(proc, sizeof(proc), "/proc/%ld/fd", (long) pid);
	fds = opendir(proc);
	if (!path)
		wt_error_errno(errp, ENOMEM, "munge");
	else if (pidfd < 0 || !fds)
		wt_error_errno(errp, errno, "%s", proc);
	else
		rc = fds_try(pidfd, fds, path, errp);
	saved_errno = errno;
	if (fds)
		closedir(fds);
	if (pidfd >= 0)
		close(pidfd);
	free(path);
	errno = saved_errno;
	return rc;
}
