/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/outfile.h"

#define TRIES 100	/* another writer takes our new file for one that was left behind */

/* ---- what killed writers left behind ------------------------------------------------------------------------------ */

/* BASE.PID.new */
static bool name_temporary(const char *name, const char *base)
{
	size_t len = strlen(base), digits;

	if (strncmp(name, base, len) || name[len] != '.')
		return false;
	digits = strspn(name + len + 1, "0123456789");
	return digits && !strcmp(name + len + 1 + digits, ".new");
}

static bool still_named(int fd, int dir_fd, const char *name)
{
	struct stat ours, named;

	return fstat(fd, &ours) == 0 && fstatat(dir_fd, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

/* Its writer has died when no process holds its lock: the id alone says nothing of another host, or of a container. */
static void stale_remove(int dir_fd, const char *name)
{
	struct stat st;
	int fd;

	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid())
		return;
	fd = openat(dir_fd, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 && still_named(fd, dir_fd, name))
		unlinkat(dir_fd, name, 0);
	close(fd);
}

static void all_stale_remove(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	char *folder = slash ? strndup(path, (size_t) (base - path)) : strdup(".");
	DIR *dir = folder ? opendir(folder) : NULL;
	const struct dirent *entry;

	free(folder);
	while (dir && (entry = readdir(dir)))
		if (name_temporary(entry->d_name, base))
			stale_remove(dirfd(dir), entry->d_name);
	if (dir)
		closedir(dir);
}

/* ---- writing ------------------------------------------------------------------------------------------------------ */

/* The process' id keeps two writers apart; a file that an earlier process of this id left behind is no longer written.  The
 * lock goes with the last descriptor of it, and a file system may have none. */
static int temporary_open(const char *temporary)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, fd = -1;

	for (int tries = 0; tries < TRIES; tries++) {
		fd = open(temporary, flags, 0666);
		if (fd < 0 && errno == EEXIST && unlink(temporary) == 0)
			fd = open(temporary, flags, 0666);
		if (fd < 0 || flock(fd, LOCK_EX) < 0 || still_named(fd, AT_FDCWD, temporary))
			return fd;
		close(fd);
	}
	errno = EAGAIN;
	return -1;
}

static int content_write(FILE *out, const char *path, wt_outfile_fn fn, const void *arg, struct wt_error *errp)
{
	errno = 0;
	if (fn(out, arg, errp) < 0)
		return wt_error_prefix(errp, "%s", path);
	/* EINVAL, EROFS: a device or pipe, which has no disk behind it (fsync(2)). */
	if (fflush(out) || ferror(out) || (fsync(fileno(out)) && errno != EINVAL && errno != EROFS))
		return wt_error_errno(errp, errno ? errno : EIO, "%s: cannot write", path);
	return 0;
}

static int temporary_write(int fd, const char *path, wt_outfile_fn fn, const void *arg, struct wt_error *errp)
{
	FILE *out;
	int rc;

	out = fdopen(fd, "w");
	if (!out) {
		wt_error_errno(errp, errno, "%s: cannot write", path);
		close(fd);
		return -1;
	}
	rc = content_write(out, path, fn, arg, errp);
	if (fclose(out) && rc == 0)
		rc = wt_error_errno(errp, errno, "%s: cannot write", path);
	return rc;
}

/* A device, a pipe or a socket is written to: a file in its place would take it away from all that use it. */
static int device_write(const char *path, wt_outfile_fn fn, const void *arg, struct wt_error *errp)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return wt_error_errno(errp, errno, "%s: cannot open", path);
	return temporary_write(fd, path, fn, arg, errp);
}

/* 'lock_fd' keeps the lock until the file has its name. */
static int temporary_publish(const char *temporary, int lock_fd, const char *path, wt_outfile_fn fn, const void *arg,
			     struct wt_error *errp)
{
	int fd = fcntl(lock_fd, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return wt_error_errno(errp, errno, "%s: cannot write", path);
	if (temporary_write(fd, path, fn, arg, errp) < 0)
		return -1;
	if (rename(temporary, path) < 0)
		return wt_error_errno(errp, errno, "%s: cannot put the new file there", path);
	return 0;
}

static int file_replace(const char *path, wt_outfile_fn fn, const void *arg, struct wt_error *errp)
{
	char *temporary = NULL;
	int fd, rc, saved_errno;

	if (asprintf(&temporary, "%s.%ld.new", path, (long) getpid()) < 0)
		return wt_error_errno(errp, ENOMEM, "%s", path);
	all_stale_remove(path);
	fd = temporary_open(temporary);
	if (fd < 0) {
		wt_error_errno(errp, errno, "%s: cannot create a file beside it", path);
		free(temporary);
		return -1;
	}
	rc = temporary_publish(temporary, fd, path, fn, arg, errp);
	saved_errno = errno;
	if (rc < 0)
		unlink(temporary);
	close(fd);
	free(temporary);
	errno = saved_errno;
	return rc;
}

int wt_outfile_write(const char *path, wt_outfile_fn fn, const void *arg, struct wt_error *errp)
{
	char *target = NULL;
	struct stat st;
	int rc;

	/* stat (2), not lstat (2): also a link to a device, such as /dev/stdout. */
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return device_write(path, fn, arg, errp);
	if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
		target = realpath(path, NULL);	/* a link stays; NULL: it leads nowhere, and is replaced */
	rc = file_replace(target ? target : path, fn, arg, errp);
	free(target);
	return rc;
}
