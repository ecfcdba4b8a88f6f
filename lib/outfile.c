/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/outfile.h"

/* The process' id keeps two writers apart; a file that an earlier process of this id left behind is no longer written. */
static int temporary_open(const char *temporary)
{
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
	int fd = open(temporary, flags, 0666);

	if (fd < 0 && errno == EEXIST && unlink(temporary) == 0)
		fd = open(temporary, flags, 0666);
	return fd;
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

static int file_replace(const char *path, wt_outfile_fn fn, const void *arg, struct wt_error *errp)
{
	char *temporary = NULL;
	int fd, saved_errno;

	if (asprintf(&temporary, "%s.%ld.new", path, (long) getpid()) < 0)
		return wt_error_errno(errp, ENOMEM, "%s", path);
	fd = temporary_open(temporary);
	if (fd < 0) {
		wt_error_errno(errp, errno, "%s: cannot create a file beside it", path);
		free(temporary);
		return -1;
	}
	if (temporary_write(fd, path, fn, arg, errp) < 0)
		goto fail;
	if (rename(temporary, path) < 0) {
		wt_error_errno(errp, errno, "%s: cannot put the new file there", path);
		goto fail;
	}
	free(temporary);
	return 0;
fail:
	saved_errno = errno;
	unlink(temporary);
	free(temporary);
	errno = saved_errno;
	return -1;
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
