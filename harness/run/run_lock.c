/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/run/run_lock.h"
#include "lib/str.h"

#define TRIES_MAX 1000

/* EINVAL: it is no file. */
static int lock_open(const char *dir, int flags, char **path)
{
	struct stat st;
	int fd;

	*path = wt_str_format("%s/.lock", dir);
	fd = *path ? open(*path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666) : -1;
	if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

static bool is_held(int errnum)
{
	return errnum == EAGAIN || errnum == EACCES;
}

/* Not the folder's file any more: a run that ended has removed it after it was opened here, and the next run makes
 * another. */
static bool is_removed(int fd, const char *path)
{
	struct stat ours, there;

	return fstat(fd, &ours) == 0 &&
	       (lstat(path, &there) < 0 || ours.st_ino != there.st_ino || ours.st_dev != there.st_dev);
}

/* For people: a lock of an open file, unlike one of a process, does not tell whose it is. */
static void pid_write(int fd)
{
	char text[32];
	int len = snprintf(text, sizeof(text), "%ld\n", (long) getpid());

	/* On a full disk the message is without it. */
	if (ftruncate(fd, 0) < 0 || pwrite(fd, text, (size_t) len, 0) != len)
		errno = 0;
}

static long pid_read(int fd)
{
	char text[32];
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);
	long pid = 0;

	text[len > 0 ? len : 0] = '\0';
	return sscanf(text, "%ld", &pid) == 1 ? pid : 0;
}

static int take(const char *dir, struct wt_error *errp)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char *path;
	int fd = lock_open(dir, O_RDWR | O_CREAT, &path);

	if (fd < 0) {
		wt_error_errno(errp, errno, "%s/.lock", dir);
	} else if (fcntl(fd, F_OFD_SETLK, &lock) < 0 && is_held(errno)) {
		close(fd);
		fd = wt_error_set(errp, EBUSY, "%s: a run goes on in this folder", dir);
	} else if (is_removed(fd, path)) {
		close(fd);
		fd = wt_error_set(errp, ESTALE, "%s: is being removed", path);
	} else {
		pid_write(fd);
	}
	free(path);
	return fd;
}

int run_lock_take(const char *dir, struct wt_error *errp)
{
	int fd = take(dir, errp);

	/* Bounded: a file system may tell another number for one file each time, or nothing but ESTALE (NFS). */
	for (int tries = 1; fd < 0 && errno == ESTALE && tries < TRIES_MAX; tries++)
		fd = take(dir, errp);
	return fd;
}

void run_lock_drop(const char *dir, int fd)
{
	int saved_errno = errno;
	char *path = fd < 0 ? NULL : wt_str_format("%s/.lock", dir);

	if (path)
		unlink(path);	/* before it is free; see is_removed () */
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
	long pid;

	if (fd < 0 && errno != ENOENT && errno != ENOTDIR)
		rc = wt_error_errno(errp, EINVAL, "%s/.lock", dir);
	else if (fd >= 0 && fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
		rc = (pid = lock.l_pid > 0 ? lock.l_pid : pid_read(fd)) > 0 ?
		     wt_error_set(errp, EBUSY, "%s: a run goes on in this folder, as process %ld", dir, pid) :
		     wt_error_set(errp, EBUSY, "%s: a run goes on in this folder", dir);
	if (fd >= 0)
		close(fd);
	free(path);
	return rc;
}
