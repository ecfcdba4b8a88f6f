/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/clock.h"
#include "harness/cluster/folder/clusterdir.h"
#include "harness/cluster/conf/clusterinfo.h"
#include "lib/fs.h"
#include "lib/str.h"

#define LONGEST_SOCKET "/munge/socket.lock"	/* the longest name that munged makes of its socket's path */

int wt_clusterdir_name_check(const char *name, struct wt_error *errp)
{
	size_t len = name ? strlen(name) : 0;
	bool good = len > 0 && len <= WT_CLUSTER_NAME_MAX && name[0] != '.' && name[0] != '-';

	for (size_t i = 0; i < len && good; i++)
		good = isalnum((unsigned char) name[i]) || strchr("._-", name[i]);
	if (!good)
		return wt_error_set(errp, EINVAL,
				    "'%s' is no cluster name: 1 to %d letters, digits, '.', '_' or '-', beginning with a "
				    "letter, a digit or '_'", name ? name : "", WT_CLUSTER_NAME_MAX);
	return 0;
}

static char *base_wanted(void)
{
	const char *state = getenv("WINDTUNNEL_STATE"), *tmp = getenv("TMPDIR");

	if (state && *state)
		return strdup(state);
	return wt_str_format("%s/windtunnel-%ld", tmp && *tmp ? tmp : "/tmp", (long) geteuid());
}

static int base_check(const char *path, struct wt_error *errp)
{
	char copy[PATH_MAX];
	struct stat st;

	if (lstat(path, &st) < 0)
		return wt_error_errno(errp, errno, "%s", path);
	snprintf(copy, sizeof(copy), "%s", path);
	if (wt_str_make_utf8(copy))
		return wt_error_set(errp, EINVAL,
				    "%s: not UTF-8, which cluster.json must be; WINDTUNNEL_STATE names another "
				    "folder", copy);
	if (!S_ISDIR(st.st_mode))
		return wt_error_set(errp, ENOTDIR, "%s is not a folder", path);
	if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
		return wt_error_set(errp, EPERM, "%s must belong to you and be writable by you only; WINDTUNNEL_STATE names "
				    "another folder", path);
	/* slurm.conf(5) gives these characters a meaning, or munge and AuthInfo do. */
	if (strpbrk(path, ",%\"'\\#\n\t"))
		return wt_error_set(errp, EINVAL,
				    "%s: , %% \" ' \\ # and control characters cannot stand in a cluster's path; "
				    "WINDTUNNEL_STATE names another folder", path);
	return 0;
}

char *wt_clusterdir_base(bool create, struct wt_error *errp)
{
	char *wanted = base_wanted(), *real = NULL;
	bool made = false;
	struct stat st;

	if (!wanted) {
		wt_error_errno(errp, ENOMEM, "folder of clusters");
		return NULL;
	}
	if (create) {
		made = wt_fs_make_dir(wanted, 0755, errp) == 0;
		if (!made && errno != EEXIST)
			goto out;
	}
	/* A symbolic link that another user has put into a shared folder is not followed. */
	if (lstat(wanted, &st) == 0 && S_ISLNK(st.st_mode) && st.st_uid != geteuid()) {
		wt_error_set(errp, EPERM, "%s is a symbolic link of another user", wanted);
		goto out;
	}
	real = realpath(wanted, NULL);
	if (!real) {
		wt_error_errno(errp, errno, "%s", wanted);
	} else if (base_check(real, errp) < 0) {
		int saved_errno = errno;

		if (made)
			rmdir(real);
		free(real);
		real = NULL;
		errno = saved_errno;
	}
out:
	free(wanted);
	return real;
}

/* 'path' may be NULL: ENOMEM.  It is returned, or freed. */
static char *path_check(char *path, struct wt_error *errp)
{
	if (path && strlen(path) + strlen(LONGEST_SOCKET) < sizeof(((struct sockaddr_un *) 0)->sun_path))
		return path;
	if (path)
		wt_error_set(errp, ENAMETOOLONG, "%s: too long for a Unix socket in it; take a shorter name or set "
			     "WINDTUNNEL_STATE to a shorter folder", path);
	else
		wt_error_errno(errp, ENOMEM, "folder of clusters");
	free(path);
	return NULL;
}

char *wt_clusterdir_path(const char *base, const char *name, struct wt_error *errp)
{
	return wt_clusterdir_name_check(name, errp) < 0 ? NULL : path_check(wt_str_format("%s/%s", base, name), errp);
}

char *wt_clusterdir_host_path(const char *base, const char *name, const char *host, struct wt_error *errp)
{
	if (wt_clusterdir_name_check(name, errp) < 0 || wt_clusterdir_name_check(host, errp) < 0)
		return NULL;
	return path_check(wt_str_format("%s/%s@%s", base, name, host), errp);
}

static int folder_flock(const char *path, int how, int *lock_fd, struct wt_error *errp)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat held, now;

	if (fd < 0)
		return wt_error_errno(errp, errno, "%s", path);
	if (flock(fd, how | LOCK_NB) < 0) {
		int saved_errno = errno == EWOULDBLOCK ? EBUSY : errno;

		close(fd);
		return wt_error_errno(errp, saved_errno, "%s", path);
	}
	/* Another process may have removed the folder between open and flock. */
	if (fstat(fd, &held) < 0 || stat(path, &now) < 0 || held.st_ino != now.st_ino || held.st_dev != now.st_dev) {
		close(fd);
		return wt_error_set(errp, ENOENT, "%s was removed meanwhile", path);
	}
	*lock_fd = fd;
	return 0;
}

int wt_clusterdir_lock(const char *path, int *lock_fd, struct wt_error *errp)
{
	return folder_flock(path, LOCK_EX, lock_fd, errp);
}

int wt_clusterdir_claim(const char *path, bool *existed, int *lock_fd, struct wt_error *errp)
{
	for (int tries = 0; tries < 100; tries++) {
		*existed = false;
		if (wt_fs_make_dir(path, 0755, errp) < 0) {
			if (errno != EEXIST)
				return -1;
			*existed = true;
		}
		if (wt_clusterdir_lock(path, lock_fd, errp) == 0)
			return 0;
		if (errno == EBUSY && tries < 5)	/* another command may only look (wt_clusterdir_busy) */
			wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + 10000);
		else if (errno != ENOENT)
			return -1;
	}
	return -1;
}

bool wt_clusterdir_busy(const char *path)
{
	int fd, saved_errno = errno;
	bool busy = false;

	/* Shared: commands that only look do not disturb each other. */
	if (folder_flock(path, LOCK_SH, &fd, NULL) == 0)
		close(fd);
	else
		busy = errno == EBUSY;
	errno = saved_errno;
	return busy;
}

int wt_clusterdir_remove(const char *path, struct wt_error *errp)
{
	char *copy;

	if (wt_fs_remove_tree(path, errp) < 0)
		return -1;
	copy = strdup(path);
	if (copy)
		rmdir(dirname(copy));		/* only if it is empty */
	free(copy);
	return 0;
}

static int name_wanted(const struct dirent *e)
{
	return wt_clusterdir_name_check(e->d_name, NULL) == 0 && (e->d_type == DT_DIR || e->d_type == DT_UNKNOWN);
}

int wt_clusterdir_list(char ***names, size_t *count, struct wt_error *errp)
{
	struct dirent **entries = NULL;
	char *base = wt_clusterdir_base(false, errp);
	int n;

	*names = NULL;
	*count = 0;
	if (!base)
		return errno == ENOENT ? 0 : -1;
	n = scandir(base, &entries, name_wanted, alphasort);
	if (n < 0)
		wt_error_errno(errp, errno, "%s", base);
	free(base);
	if (n < 0)
		return -1;
	*names = calloc((size_t) n + 1, sizeof(**names));
	for (int i = 0; i < n; i++) {
		if (*names && ((*names)[*count] = strdup(entries[i]->d_name)))
			(*count)++;
		free(entries[i]);
	}
	free(entries);
	return *names ? 0 : wt_error_errno(errp, ENOMEM, "list of clusters");
}
