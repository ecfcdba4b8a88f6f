/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The path is walked component by component from an open folder to the next (O_PATH), so that nothing that was checked
 * can be swapped for something else before it is used; symbolic links are read and walked likewise. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugins/straggler/spank/folder.h"

#define LINKS_MAX 16

struct walk {
	char rest[PATH_MAX];	/* from the next component on */
	char done[PATH_MAX];	/* all before it, for messages and relative links; "" is the root */
	uid_t trusted;
	int at;			/* the folder 'done' */
	int links;
};

static bool is_trusted(const struct walk *w, uid_t uid)
{
	return uid == 0 || uid == geteuid() || uid == w->trusted;
}

static int begin(struct walk *w, struct wt_error *errp)
{
	if (w->at >= 0)
		close(w->at);
	w->done[0] = '\0';
	w->at = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return w->at < 0 ? wt_error_errno(errp, errno, "/") : 0;
}

/* The next component leaves 'rest'; false: there is none. */
static bool next(struct walk *w, char name[NAME_MAX + 1])
{
	const char *from = w->rest + strspn(w->rest, "/");
	size_t len = strcspn(from, "/");

	if (len == 0)
		return false;
	snprintf(name, NAME_MAX + 1, "%.*s", (int) len, from);
	memmove(w->rest, from + len, strlen(from + len) + 1);
	return true;
}

/* What is left goes on behind the link's target. */
static int follow(struct walk *w, int link, const struct stat *st, struct wt_error *errp)
{
	char target[PATH_MAX], whole[3 * PATH_MAX];
	ssize_t len = readlinkat(link, "", target, sizeof(target) - 1);

	if (len <= 0)
		return wt_error_errno(errp, errno, "%s", w->done);
	target[len] = '\0';
	*strrchr(w->done, '/') = '\0';
	if (!is_trusted(w, st->st_uid))
		return wt_error_set(errp, EPERM, "%s/... is user %u's symbolic link", w->done, (unsigned int) st->st_uid);
	if (++w->links > LINKS_MAX)
		return wt_error_errno(errp, ELOOP, "%s", w->done);
	snprintf(whole, sizeof(whole), "%s/%s%s", target[0] == '/' ? "" : w->done, target, w->rest);
	if (snprintf(w->rest, sizeof(w->rest), "%s", whole) >= (int) sizeof(w->rest))
		return wt_error_errno(errp, ENAMETOOLONG, "%s", target);
	return begin(w, errp);
}

static int check(const struct walk *w, const struct stat *st, struct wt_error *errp)
{
	bool last = w->rest[strspn(w->rest, "/")] == '\0';

	if (!S_ISDIR(st->st_mode))
		return wt_error_errno(errp, ENOTDIR, "%s", w->done);
	if (last && (st->st_uid != geteuid() || (st->st_mode & 022)))
		return wt_error_set(errp, EPERM, "%s is not a folder that only user %u can write", w->done,
				    (unsigned int) geteuid());
	if (!is_trusted(w, st->st_uid) || ((st->st_mode & 022) && !(st->st_mode & S_ISVTX)))
		return wt_error_set(errp, EPERM,
				    "%s can be changed by others: its owner must be root or user %u, its mode 0755 or less",
				    w->done, (unsigned int) geteuid());
	return 0;
}

static int step(struct walk *w, const char *name, struct wt_error *errp)
{
	size_t len = strlen(w->done);
	struct stat st;
	int fd, rc;

	if (snprintf(w->done + len, sizeof(w->done) - len, "/%s", name) >= (int) (sizeof(w->done) - len))
		return wt_error_errno(errp, ENAMETOOLONG, "%s", name);
	/* The last two say nothing of a folder that is there already, which openat (2) finds out. */
	if (mkdirat(w->at, name, 0755) < 0 && errno != EEXIST && errno != EROFS && errno != EACCES)
		return wt_error_errno(errp, errno, "%s", w->done);
	fd = openat(w->at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0) {
		rc = wt_error_errno(errp, errno, "%s", w->done);
	} else if (S_ISLNK(st.st_mode)) {
		rc = follow(w, fd, &st, errp);
	} else {
		rc = check(w, &st, errp);
		close(w->at);
		w->at = fd;
		return rc;
	}
	if (fd >= 0)
		close(fd);
	return rc;
}

int folder_make(const char *path, uid_t trusted, struct wt_error *errp)
{
	struct walk w = { .trusted = trusted, .at = -1 };
	char name[NAME_MAX + 1];
	int rc;

	if (path[0] != '/')
		return wt_error_set(errp, EINVAL, "%s does not begin with /", path);
	if (snprintf(w.rest, sizeof(w.rest), "%s", path) >= (int) sizeof(w.rest))
		return wt_error_errno(errp, ENAMETOOLONG, "%s", path);
	rc = begin(&w, errp);
	while (rc == 0 && next(&w, name))
		rc = step(&w, name, errp);
	if (w.at >= 0)
		close(w.at);
	return rc;
}
