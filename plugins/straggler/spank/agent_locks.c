/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "plugins/straggler/spank/agent_locks.h"

#define WORKS "agent"
#define STANDS_BY "agent.standby"

static int lock_open(const char *directory, const char *name, struct wt_error *errp)
{
	char path[PATH_MAX + 32];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	return fd < 0 ? wt_error_errno(errp, errno, "%s", path) : fd;
}

/* Locks of the open file (fcntl (2)), for they can be asked for without being taken: a process that asks holds up none. */
static struct flock whole_file(short type)
{
	return (struct flock) { .l_type = type, .l_whence = SEEK_SET };
}

bool agent_locks_held(const char *directory)
{
	int fd = lock_open(directory, STANDS_BY, NULL);
	struct flock lock = whole_file(F_WRLCK);
	bool held;

	if (fd < 0)
		return false;
	held = fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
	close(fd);
	return held;
}

static int lock_wait(int fd, struct wt_error *errp)
{
	int rc;

	do
		rc = flock(fd, LOCK_EX);
	while (rc < 0 && errno == EINTR);
	return rc < 0 ? wt_error_errno(errp, errno, WORKS) : 0;
}

/* In the place of the stand-by, unless that is taken. */
static int standby_wait(int fd, const char *directory, struct wt_error *errp)
{
	int standby = lock_open(directory, STANDS_BY, errp), rc;
	struct flock lock = whole_file(F_WRLCK);

	if (standby < 0)
		return -1;
	/* The place of the stand-by is free again only when this one has got the other: close (2) gives it up, below. */
	rc = fcntl(standby, F_OFD_SETLK, &lock) < 0 ? -2 : lock_wait(fd, errp);
	close(standby);
	return rc;
}

int agent_locks_take(const char *directory, bool keep, bool *waited, struct wt_error *errp)
{
	int fd = lock_open(directory, WORKS, errp), rc = 0;

	if (fd < 0)
		return -1;
	*waited = flock(fd, LOCK_EX | LOCK_NB) < 0;
	if (*waited)
		rc = keep ? lock_wait(fd, errp) : standby_wait(fd, directory, errp);
	if (rc == 0)
		return fd;
	close(fd);
	return rc;
}
