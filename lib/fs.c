/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fs.h"
#include "lib/str.h"

/* Reads until the end, not for st_size bytes: files in /proc have size 0. */
static int fd_read_all(int fd, size_t max, struct wt_str *s)
{
	char buf[16384];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (s->len + (size_t) n > max) {
			errno = EFBIG;
			return -1;
		}
		wt_str_add_bytes(s, buf, (size_t) n);
	}
	return 0;
}

/* Of the file behind 'fd', which it closes. */
static int fd_read(int fd, const char *path, off_t from_end, size_t max, char **text, size_t *len, struct wt_error *errp)
{
	struct wt_str s = { 0 };

	if (from_end)
		lseek(fd, -from_end, SEEK_END);		/* EINVAL: shorter than that, so read from its start */
	if (fd_read_all(fd, max, &s) < 0) {
		wt_error_errno(errp, errno, "read %s", path);
		wt_str_clear(&s);
		close(fd);
		return -1;
	}
	close(fd);
	if (len)
		*len = s.len;
	*text = wt_str_take(&s);
	return *text ? 0 : wt_error_errno(errp, ENOMEM, "read %s", path);
}

static int file_read(const char *path, off_t from_end, size_t max, char **text, size_t *len, struct wt_error *errp)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? wt_error_errno(errp, errno, "open %s", path) : fd_read(fd, path, from_end, max, text, len, errp);
}

int wt_fs_read(const char *path, size_t max, char **text, size_t *len, struct wt_error *errp)
{
	return file_read(path, 0, max, text, len, errp);
}

static int regular_open(const char *path, int flags, struct wt_error *errp)
{
	/* A pipe without a writer would hold up open (2); what it is fstat (2) tells afterwards, of the file that was
	 * opened. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);
	struct stat st;

	if (fd < 0 && errno == ELOOP && flags & O_NOFOLLOW)
		return wt_error_set(errp, EINVAL, "%s: is a link", path);
	if (fd < 0)
		return wt_error_errno(errp, errno, "%s: cannot open", path);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return wt_error_set(errp, EINVAL, "%s: is not a regular file", path);
}

int wt_fs_open_regular(const char *path, struct wt_error *errp)
{
	return regular_open(path, 0, errp);
}

int wt_fs_read_unlinked(const char *path, size_t max, char **text, size_t *len, struct wt_error *errp)
{
	int fd = regular_open(path, O_NOFOLLOW, errp);

	return fd < 0 ? -1 : fd_read(fd, path, 0, max, text, len, errp);
}

static FILE *regular_stream(const char *path, int flags, struct wt_error *errp)
{
	int fd = regular_open(path, flags, errp), saved_errno;
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd >= 0 && !in) {
		saved_errno = errno;
		close(fd);
		wt_error_errno(errp, saved_errno, "open %s", path);
	}
	return in;
}

FILE *wt_fs_stream_regular(const char *path, struct wt_error *errp)
{
	return regular_stream(path, 0, errp);
}

FILE *wt_fs_stream_unlinked(const char *path, struct wt_error *errp)
{
	return regular_stream(path, O_NOFOLLOW, errp);
}

int wt_fs_read_regular(const char *path, size_t max, char **text, size_t *len, struct wt_error *errp)
{
	int fd = wt_fs_open_regular(path, errp);

	return fd < 0 ? -1 : fd_read(fd, path, 0, max, text, len, errp);
}

int wt_fs_read_tail(const char *path, size_t max, char **text, size_t *len, struct wt_error *errp)
{
	/* The file may grow while it is read: no upper bound then. */
	return file_read(path, (off_t) max, SIZE_MAX, text, len, errp);
}

static int line_room(char **line, size_t *size, size_t len)
{
	char *more;

	if (*line && len + 1 < *size)
		return 0;
	more = realloc(*line, 2 * len + 128);
	if (!more)
		return -1;
	*line = more;
	*size = 2 * len + 128;
	return 0;
}

ssize_t wt_fs_line(FILE *in, char **line, size_t *size, size_t max)
{
	size_t len = 0;
	int c = 0;

	errno = 0;
	while (c != '\n' && (c = getc(in)) != EOF) {
		if (len == max)
			errno = EFBIG;
		if (len == max || line_room(line, size, len) < 0)
			return -1;
		(*line)[len++] = (char) c;
	}
	/* errno tells a failure from the end: getc (3) sets it, and it was 0. */
	if (!len)
		return -1;
	(*line)[len] = '\0';
	return (ssize_t) len;
}

static int fd_write_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		bytes += n;
		len -= (size_t) n;
	}
	return 0;
}

int wt_fs_write(const char *path, const void *bytes, size_t len, mode_t mode, struct wt_error *errp)
{
	char *tmp = wt_str_format("%s.tmp.%ld", path, (long) getpid());
	int fd, rc = -1;

	if (!tmp)
		return wt_error_errno(errp, ENOMEM, "write %s", path);
	/* Of a process with our number that was killed; O_EXCL then follows no link that another process puts there. */
	unlink(tmp);
	fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	if (fd < 0) {
		wt_error_errno(errp, errno, "create %s", tmp);
	} else if (fchmod(fd, mode) < 0 || fd_write_all(fd, bytes, len) < 0 || rename(tmp, path) < 0) {
		wt_error_errno(errp, errno, "write %s", path);
		unlink(tmp);
	} else {
		rc = 0;
	}
	if (fd >= 0) {
		int saved_errno = errno;

		close(fd);
		errno = saved_errno;
	}
	free(tmp);
	return rc;
}

int wt_fs_make_dir(const char *path, mode_t mode, struct wt_error *errp)
{
	if (mkdir(path, mode) < 0 || chmod(path, mode) < 0)
		return wt_error_errno(errp, errno, "make folder %s", path);
	return 0;
}

/* Where rename (2) has no flags (NFS, FUSE, CephFS): making a folder fails if the name is another's, and a folder may take
 * the place of an empty one. */
static int folder_move_plain(const char *from, const char *to)
{
	int saved_errno;

	if (mkdir(to, 0700) < 0)
		return -1;
	if (rename(from, to) == 0)
		return 0;
	saved_errno = errno;
	rmdir(to);
	errno = saved_errno;
	return -1;
}

int wt_fs_move_folder(const char *from, const char *to, struct wt_error *errp)
{
	int rc = renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);

	if (rc < 0 && (errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP))
		rc = folder_move_plain(from, to);
	return rc < 0 ? wt_error_errno(errp, errno, "%s", to) : 0;
}

static int entry_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void) st;
	(void) type;
	(void) ftw;
	return remove(path) < 0 && errno != ENOENT ? -1 : 0;
}

int wt_fs_remove_tree(const char *path, struct wt_error *errp)
{
	if (nftw(path, entry_remove, 32, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) < 0 && errno != ENOENT)
		return wt_error_errno(errp, errno, "remove %s", path);
	return 0;
}
