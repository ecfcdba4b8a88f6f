/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "harness/run/run_lock.h"
#include "lib/str.h"

static int lock_open(const char *dir, int flags, char **path)
{
	*path = wt_str_format("%s/.lock", dir);
	return *path ? open(*path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666) : -1;
}

static bool is_held(int errnum)
{
	return errnum == EAGAIN || errnum == EACCES;
}

int run_lock_take(const char *dir, struct wt_error *errp)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char *path;
	int fd = lock_open(dir, O_RDWR | O_CREAT, &path);

	if (fd < 0) {
		wt_error_errno(errp, errno, "%s/.lock", dir);
	} else if (fcntl(fd, F_SETLK, &lock) < 0 && is_held(errno)) {
		close(fd);
		fd = wt_error_set(errp, EBUSY, "%s: a run goes on in this folder", dir);
	}
	free(path);
	return fd;
}

void run_lock_drop(const char *dir, int fd)
{
	int saved_errno = errno;
	char *path = fd < 0 ? NULL : wt_str_format("%s/.lock", dir);

	if (path)
		unlink(path);	/* before it is free: nobody takes a file that is about to go */
	if (fd >= 0)
		close(fd);
	free(path);
	errno = saved_errno;
}

int run_lock_check(const char *dir, struct wt_error *errp)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char *path;
	int fd = lock_open(dir, O_RDWR, &path), rc = 0;

	if (fd < 0 && errno != ENOENT && errno != ENOTDIR)
		rc = wt_error_errno(errp, EINVAL, "%s/.lock", dir);
	else if (fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
		rc = lock.l_pid > 0 ? wt_error_set(errp, EBUSY, "%s: a run goes on in this folder, as process %ld", dir,
						   (long) lock.l_pid)
				    : wt_error_set(errp, EBUSY, "%s: a run goes on in this folder", dir);
	if (fd >= 0)
		close(fd);
	free(path);
	return rc;
}
