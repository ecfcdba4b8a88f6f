/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cmd/upgrade/state_copy.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/fs.h"
#include "lib/str.h"

struct copy {
	long long bytes_left;
	long files_left;
	state_leave_f leave;
	bool live; /* a slurmctld may remove from it what jobs have left */
};

bool state_is_log(const char *name)
{
	return !strncmp(name, "slurmctld.", 10);
}

bool state_is_log_or_name(const char *name)
{
	return state_is_log(name) || !strcmp(name, "clustername");
}

static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

static int bytes_write(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno != EINTR)
			return -1;
		bytes += n > 0 ? n : 0;
		len -= n > 0 ? (size_t) n : 0;
	}
	return 0;
}

/* From one descriptor to the other. */
static int bytes_copy(struct copy *copy, int in, int out)
{
	static char buf[65536];
	ssize_t n;

	while ((n = read(in, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		copy->bytes_left -= n;
		if (copy->bytes_left < 0) {
			errno = EFBIG;
			return -1;
		}
		if (bytes_write(out, buf, (size_t) n) < 0)
			return -1;
	}
	return 0;
}

static int file_copy(struct copy *copy, int in, const char *path, const char *to, struct wt_error *errp)
{
	int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600), rc = 0;

	if (out < 0)
		return wt_error_errno(errp, errno, "%s", to);
	if (bytes_copy(copy, in, out) < 0)
		rc = errno == EFBIG
			     ? wt_error_set(errp, EFBIG, "%s: the state is more than %lld bytes", path, STATE_BYTES_MAX)
			     : wt_error_errno(errp, errno, "copy of %s", path);
	if (close(out) < 0 && rc == 0)
		rc = wt_error_errno(errp, errno, "copy of %s", path);
	return rc;
}

static int folder_copy(struct copy *copy, int fd, const char *from, const char *to, int depth, struct wt_error *errp);

static int entry_open(int dir, const char *name, const char *path, struct stat *st, struct wt_error *errp)
{
	/* a pipe is not waited for */
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0 && errno == ELOOP)
		return wt_error_set(errp, EINVAL, "%s is a link: a StateSaveLocation has none", path);
	if (fd < 0 || fstat(fd, st) < 0) {
		wt_error_errno(errp, errno, "%s", path);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return fd;
}

/* Closes 'fd'. */
static int entry_copy(struct copy *copy, int fd, const struct stat *st, const char *path, const char *to, int depth,
		      struct wt_error *errp)
{
	int rc;

	if (S_ISDIR(st->st_mode)) {
		if (mkdir(to, 0700) == 0)
			return folder_copy(copy, fd, path, to, depth + 1, errp);
		rc = wt_error_errno(errp, errno, "%s", to);
	} else if (!S_ISREG(st->st_mode)) {
		rc = wt_error_set(errp, EINVAL, "%s is neither a file nor a folder", path);
	} else if (copy->files_left-- <= 0) {
		rc = wt_error_set(errp, EFBIG, "%s: the state has more than %ld files", path, STATE_FILES_MAX);
	} else if (st->st_size > copy->bytes_left) {
		rc = wt_error_set(errp, EFBIG, "%s: the state is more than %lld bytes", path, STATE_BYTES_MAX);
	} else {
		rc = file_copy(copy, fd, path, to, errp);
	}
	close(fd);
	return rc;
}

static int name_copy(struct copy *copy, int dir, const char *name, const char *from, const char *to, int depth,
		     struct wt_error *errp)
{
	char *path = wt_str_format("%s/%s", from, name), *target = wt_str_format("%s/%s", to, name);
	struct stat st;
	int rc = -1, fd;

	if (!path || !target) {
		wt_error_errno(errp, ENOMEM, "%s", from);
	} else {
		fd = entry_open(dir, name, path, &st, errp);
		if (fd >= 0)
			rc = entry_copy(copy, fd, &st, path, target, depth, errp);
		else if (errno == ENOENT && copy->live)	/* whether that counts marks_take () says */
			rc = 0;
	}
	free(path);
	free(target);
	return rc;
}

/* Closes 'fd'. */
static int folder_copy(struct copy *copy, int fd, const char *from, const char *to, int depth, struct wt_error *errp)
{
	const struct dirent *entry;
	DIR *dir = depth <= STATE_DEPTH_MAX ? fdopendir(fd) : NULL;
	int rc = 0;

	if (!dir) {
		rc = depth <= STATE_DEPTH_MAX ? wt_error_errno(errp, errno, "%s", from)
					      : wt_error_set(errp, EINVAL, "%s: no StateSaveLocation is as deep", from);
		close(fd);
		return rc;
	}
	while (rc == 0 && (errno = 0, entry = readdir(dir)))
		if (!is_dots(entry->d_name) && (depth > 1 || !copy->leave || !copy->leave(entry->d_name)))
			rc = name_copy(copy, dirfd(dir), entry->d_name, from, to, depth, errp);
	if (rc == 0 && errno)
		rc = wt_error_errno(errp, errno, "%s", from);
	closedir(dir);
	return rc;
}

int state_copy(const char *from, const char *to, state_leave_f leave, struct wt_error *errp)
{
	struct copy copy = { .bytes_left = STATE_BYTES_MAX, .files_left = STATE_FILES_MAX, .leave = leave };
	int fd = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? wt_error_errno(errp, errno, "%s", from) : folder_copy(&copy, fd, from, to, 1, errp);
}

/* ---- of one that may be in use ---- */

/* What a slurmctld writes anew again and again, or before it puts it into its place. */
static bool is_passing(const char *name)
{
	size_t len = strlen(name);

	return !strcmp(name, "heartbeat") || (len > 4 && !strcmp(name + len - 4, ".new"));
}

/* Name, number and time of each file at the top: slurmctld saves each of its states as a new file.  The caller frees. */
static char *marks_take(const char *from, state_leave_f leave, struct wt_error *errp)
{
	const struct dirent *entry;
	struct wt_str text = { 0 };
	DIR *dir = opendir(from);
	struct stat st;
	char *marks;

	if (!dir) {
		wt_error_errno(errp, errno, "%s", from);
		return NULL;
	}
	while ((entry = readdir(dir)))
		if (!is_dots(entry->d_name) && !is_passing(entry->d_name) && (!leave || !leave(entry->d_name)) &&
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
			wt_str_printf(&text, "%s %llu %lld.%09ld %lld\n", entry->d_name, (unsigned long long) st.st_ino,
				      (long long) st.st_mtim.tv_sec, st.st_mtim.tv_nsec, (long long) st.st_size);
	closedir(dir);
	marks = wt_str_take(&text);
	if (!marks)
		wt_error_errno(errp, ENOMEM, "%s", from);
	return marks;
}

/* 1: a copy; 0: it changed meanwhile, and what is copied may be of two moments. */
static int copy_try(const char *from, const char *to, state_leave_f leave, struct wt_error *errp)
{
	struct copy copy = {
		.bytes_left = STATE_BYTES_MAX, .files_left = STATE_FILES_MAX, .leave = leave, .live = true
	};
	int fd = open(from, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = -1;
	char *before = fd < 0 ? NULL : marks_take(from, leave, errp), *after = NULL;

	if (fd < 0)
		return wt_error_errno(errp, errno, "%s", from);
	if (!before)
		close(fd);
	else if (folder_copy(&copy, fd, from, to, 1, errp) == 0)
		after = marks_take(from, leave, errp);
	if (after)	/* for a moment of each saving there is no job_state */
		rc = !strcmp(before, after) && state_check(to, NULL) == 0;
	free(before);
	free(after);
	return rc;
}

static bool nothing_is_left_alone(const char *name)
{
	(void) name;
	return false;
}

int state_copy_live(const char *from, const char *to, state_leave_f leave, struct wt_error *errp)
{
	const struct wt_clock *clock = wt_clock_real();
	int rc;

	for (int tries = 1; (rc = copy_try(from, to, leave, errp)) == 0; tries++) {
		if (tries == STATE_TRIES)
			return wt_error_set(errp, EBUSY,
					    "%s changes all the time: a slurmctld writes to it; copy it while that one "
					    "stands",
					    from);
		if (state_clear(to, nothing_is_left_alone, errp) < 0)
			return -1;
		wt_clock_sleep_until_us(clock, wt_clock_now_us(clock) + STATE_PAUSE_MS * 1000);
	}
	return rc < 0 ? -1 : 0;
}

int state_clear(const char *dir, state_leave_f leave, struct wt_error *errp)
{
	const struct dirent *entry;
	DIR *d = opendir(dir);
	int rc = 0;

	if (!d)
		return wt_error_errno(errp, errno, "%s", dir);
	while (rc == 0 && (entry = readdir(d))) {
		char *path;

		if (is_dots(entry->d_name) || leave(entry->d_name))
			continue;
		path = wt_str_format("%s/%s", dir, entry->d_name);
		rc = path ? wt_fs_remove_tree(path, errp) : wt_error_errno(errp, ENOMEM, "%s", dir);
		free(path);
	}
	closedir(d);
	return rc;
}

int state_check(const char *dir, struct wt_error *errp)
{
	char *path = wt_str_format("%s/job_state", dir);
	struct stat st;
	int rc;

	if (!path)
		return wt_error_errno(errp, ENOMEM, "%s", dir);
	if (stat(dir, &st) < 0)
		rc = wt_error_errno(errp, errno, "%s", dir);
	else if (lstat(path, &st) < 0)
		rc = wt_error_errno(errp, errno, "%s: is it a copy of a StateSaveLocation?", path);
	else
		rc = S_ISREG(st.st_mode)
			     ? 0
			     : wt_error_set(errp, EINVAL, "%s is no file: is it a copy of a StateSaveLocation?", path);
	free(path);
	return rc;
}
