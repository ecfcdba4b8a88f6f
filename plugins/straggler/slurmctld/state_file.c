/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nothing is ever written over: all of it goes into a new file that takes the place of the old one, changes go behind its
 * end.  Each is on the disk, the name too, before the caller hears of it (fdatasync (2), then fsync (2) of the
 * folder). */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugins/straggler/slurmctld/state_file.h"

#define OWNER_LINE "windtunnel-straggler owner %016" PRIx64 " after %016" PRIx64 " pid %ld of %s\n"
#define WRITER_LINE "windtunnel-straggler by %016" PRIx64 "\n"
#define WRITER_LEN (sizeof("windtunnel-straggler by 0123456789abcdef\n") - 1)
#define ASIDE_MAX 1000

typedef char name_t[PATH_MAX + STORE_NAME_MORE];

void store_init(struct store *store, const char *path)
{
	memset(store, 0, sizeof(*store));
	snprintf(store->path, sizeof(store->path), "%s", path);
	store->fd = -1;
}

void store_fini(struct store *store)
{
	if (store->fd >= 0)
		close(store->fd);
	store->fd = -1;
}

static void owner_name(const struct store *store, name_t name)
{
	snprintf(name, sizeof(name_t), "%s.owner", store->path);
}

/* Names of what an owner, a slurmctld, has not put in its place yet: one for each owner, so that the next one can take them
 * away from it. */
static void fresh_name(const struct store *store, uint64_t id, const char *what, name_t name)
{
	snprintf(name, sizeof(name_t), "%s%s.%016" PRIx64, store->path, what, id);
}

/* A name is on the disk when its folder is. */
static int folder_sync(const char *path, struct wt_error *errp)
{
	const char *slash = strrchr(path, '/');
	name_t folder;
	int fd, rc = 0;

	snprintf(folder, sizeof(folder), "%.*s", slash ? (int) (slash - path) : 1, slash ? path : ".");
	fd = open(folder[0] ? folder : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || (fsync(fd) < 0 && errno != EINVAL))	/* EINVAL: this file system needs none */
		rc = wt_error_errno(errp, errno, "%s", folder);
	if (fd >= 0)
		close(fd);
	return rc;
}

static int text_write(int fd, const char *path, const char *text, size_t len, struct wt_error *errp)
{
	for (size_t done = 0; done < len; ) {
		ssize_t n = write(fd, text + done, len - done);

		if (n > 0)
			done += (size_t) n;
		else if (errno != EINTR)
			return wt_error_errno(errp, errno, "%s", path);
	}
	return 0;
}

static int file_sync(int fd, const char *path, struct wt_error *errp)
{
	return fdatasync(fd) < 0 ? wt_error_errno(errp, errno, "%s", path) : 0;
}

/* A new file with these texts, which is not in its place yet; returns its descriptor. */
static int fresh_write(const char *name, const char *head, const char *text, size_t len, struct wt_error *errp)
{
	/* O_APPEND: it is the file that later changes are put behind. */
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return wt_error_errno(errp, errno, "%s", name);
	if (text_write(fd, name, head, strlen(head), errp) == 0 && text_write(fd, name, text, len, errp) == 0 &&
	    file_sync(fd, name, errp) == 0)
		return fd;
	unlink(name);		/* on a full disk others need the room */
	close(fd);
	return -1;
}

struct owner {
	bool known;		/* there is a file */
	uint64_t id, last;	/* 0, 0: it makes no sense */
	char who[128];
};

static int owner_read(const struct store *store, struct owner *owner, struct wt_error *errp)
{
	char text[256] = "";
	name_t name;
	ssize_t got;
	int fd;

	memset(owner, 0, sizeof(*owner));
	owner_name(store, name);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT ? 0 : wt_error_errno(errp, errno, "%s", name);
	got = read(fd, text, sizeof(text) - 1);
	if (got < 0) {
		wt_error_errno(errp, errno, "%s", name);
		close(fd);
		return -1;
	}
	close(fd);
	owner->known = true;
	if (sscanf(text, "windtunnel-straggler owner %16" SCNx64 " after %16" SCNx64 " %127[^\n]", &owner->id, &owner->last,
		   owner->who) != 3)
		owner->id = owner->last = 0;
	return 0;
}

/* PATH is the file that we wrote last, and no other process has written into it. */
static int same_check(struct store *store, struct wt_error *errp)
{
	struct stat ours, there;
	bool found;

	if (store->fd < 0)
		return 0;
	found = stat(store->path, &there) == 0;
	/* A look that failed says nothing: the caller tells no right, and looks again; only what was seen fences. */
	if ((!found && errno != ENOENT) || fstat(store->fd, &ours) < 0)
		return wt_error_errno(errp, errno, "%s", store->path);
	if (found && there.st_dev == ours.st_dev && there.st_ino == ours.st_ino &&
	    (!store->len_known || (uint64_t) ours.st_size == store->len))
		return 0;
	/* By a restored backup, or by a slurmctld of a release without owners: it may have given rights of which we know
	 * nothing. */
	store->fenced = true;
	return wt_error_set(errp, ESTALE, "%s was changed by somebody else", store->path);
}

static int owner_check(struct store *store, struct wt_error *errp)
{
	struct owner now;

	if (owner_read(store, &now, errp) < 0)
		return -1;
	if (now.id == store->id)
		return 0;
	/* Not fenced: the file was removed, and no other slurmctld has taken our place. */
	if (!now.known)
		return wt_error_set(errp, ENOENT, "%s.owner is missing", store->path);
	store->fenced = true;
	return wt_error_set(errp, ESTALE, "%s belongs to another slurmctld now (%s)", store->path, now.who);
}

/* 'again': as long as it is ours. */
static int owner_write(struct store *store, uint64_t last, bool again, struct wt_error *errp)
{
	char text[256], host[65] = "";
	name_t name, fresh;
	int fd;

	gethostname(host, sizeof(host) - 1);
	snprintf(text, sizeof(text), OWNER_LINE, store->id, last, (long) getpid(), host);
	owner_name(store, name);
	fresh_name(store, store->id, ".owner", fresh);
	fd = fresh_write(fresh, text, NULL, 0, errp);
	if (fd < 0)
		return -1;
	close(fd);
	/* As late as possible before the rename: another slurmctld may have taken the file while we wrote. */
	if ((again && owner_check(store, errp) < 0) || (rename(fresh, name) < 0 && wt_error_errno(errp, errno, "%s",
		name) < 0)) {
		unlink(fresh);
		return -1;
	}
	return folder_sync(name, errp);
}

/* Which owner wrote the file: 0 for a release that does not say so. */
static uint64_t writer_of(const char *text, size_t len)
{
	char line[WRITER_LEN + 1];
	uint64_t id;

	if (len < WRITER_LEN)
		return 0;
	memcpy(line, text, WRITER_LEN);
	line[WRITER_LEN] = '\0';
	return sscanf(line, WRITER_LINE, &id) == 1 ? id : 0;
}

/* The process or the machine is short of something for the moment, which says nothing about the file: another try may read
 * it, while putting it aside would cost every task that runs its right. */
static bool is_shortage(int errnum)
{
	return errnum == EMFILE || errnum == ENFILE || errnum == ENOMEM;
}

/* The writer of what is there; UINT64_MAX: it cannot be told. */
static uint64_t writer_look(const struct store *store)
{
	int fd = open(store->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	char head[WRITER_LEN];
	ssize_t got = fd < 0 ? -1 : read(fd, head, sizeof(head));

	if (fd >= 0)
		close(fd);
	return got < 0 ? UINT64_MAX : writer_of(head, (size_t) got);
}

int store_take(struct store *store, struct wt_error *errp)
{
	struct owner before;
	name_t fresh;
	uint64_t id = 0, writer;

	if (owner_read(store, &before, errp) < 0)
		return -1;
	/* 0 and UINT64_MAX have meanings of their own: unknown, and not to be told. */
	while (!id || id == UINT64_MAX) {
		if (getrandom(&id, sizeof(id), 0) != sizeof(id))
			return wt_error_errno(errp, errno, "getrandom");
	}
	errno = 0;
	writer = writer_look(store);
	if (writer == UINT64_MAX && is_shortage(errno))
		return wt_error_errno(errp, errno, "%s", store->path);
	store_fini(store);
	store->id = id;		/* an owner that came no further than taking it has left the file of the one before */
	store->last = writer == before.id || writer == before.last || (!before.known && !writer) ? writer : id;
	/* Without a sensible owner the file could be anybody's: it will be put aside. */
	if (before.known && !before.id)
		store->last = id;
	if (owner_write(store, store->last, false, errp) < 0) {
		store->id = 0;
		return -1;
	}
	fresh_name(store, before.id, "", fresh);	/* what that owner has not put in its place it cannot any more */
	unlink(fresh);
	fresh_name(store, before.id, ".owner", fresh);
	unlink(fresh);
	store->fenced = false;
	return 0;
}

int store_aside(struct store *store, struct wt_error *errp)
{
	struct wt_error why = errp ? *errp : (struct wt_error) { "" };
	name_t name;
	struct stat st;

	for (int i = 1; i < ASIDE_MAX; i++) {
		snprintf(name, sizeof(name), i == 1 ? "%s.broken" : "%s.broken.%d", store->path, i);
		/* rename (2) would write over it. */
		if (lstat(name, &st) == 0)
			continue;
		if (rename(store->path, name) < 0)
			return wt_error_errno(errp, errno, "%s (%s): it cannot be renamed to %s", store->path, why.text,
					      name);
		wt_error_set(errp, EINVAL, "%s (kept as %s)", why.text, name);
		return folder_sync(name, errp) < 0 ? -1 : 1;
	}
	return wt_error_set(errp, EEXIST, "%s: there are %d broken ones beside it", store->path, ASIDE_MAX - 1);
}

/* All of the file. */
static int whole_read(const char *path, char **text, size_t *len, struct wt_error *errp)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), errnum = 0;
	struct stat st = { 0 };
	char *buf = NULL;
	ssize_t n = 1;

	*len = 0;
	if (fd < 0 || fstat(fd, &st) < 0)
		errnum = errno;
	else if (!S_ISREG(st.st_mode) || st.st_size > STORE_MAX)
		errnum = S_ISREG(st.st_mode) ? EFBIG : EINVAL;
	else if (!(buf = malloc((size_t) st.st_size + 1)))
		errnum = ENOMEM;
	while (!errnum && n && *len < (size_t) st.st_size) {
		n = read(fd, buf + *len, (size_t) st.st_size - *len);
		if (n < 0 && errno != EINTR)
			errnum = errno;
		*len += n > 0 ? (size_t) n : 0;
	}
	if (fd >= 0)
		close(fd);
	if (errnum) {
		free(buf);
		return wt_error_errno(errp, errnum, "%s", path);
	}
	*text = buf;
	return 0;
}

int store_read(struct store *store, char **text, size_t *len, struct wt_error *errp)
{
	uint64_t writer;

	*text = NULL;
	if (whole_read(store->path, text, len, errp) < 0) {
		if (errno == ENOENT) {
			wt_error_set(errp, ENOENT, "%s is missing", store->path);
			return 1;
		}
		if (is_shortage(errno))
			return -1;
		return store_aside(store, errp);
	}
	/* A slurmctld that was stopped may have written after it lost the file: what it wrote then was told to no
	 * task, and must not count. */
	writer = writer_of(*text, *len);
	if (writer != store->last) {
		free(*text);
		*text = NULL;
		wt_error_set(errp, EINVAL, "%s is not what its last owner wrote", store->path);
		return store_aside(store, errp);
	}
	if (writer) {
		*len -= WRITER_LEN;
		memmove(*text, *text + WRITER_LEN, *len);
	}
	return 0;
}

int store_check(struct store *store, struct wt_error *errp)
{
	if (store->fenced)
		return wt_error_set(errp, ESTALE, "%s belongs to another slurmctld now", store->path);
	return owner_check(store, errp) < 0 ? -1 : same_check(store, errp);
}

int store_replace(struct store *store, const char *text, size_t len, struct wt_error *errp)
{
	char head[WRITER_LEN + 1];
	name_t fresh;
	int fd;

	if (store_check(store, errp) < 0)
		return -1;
	snprintf(head, sizeof(head), WRITER_LINE, store->id);
	fresh_name(store, store->id, "", fresh);
	fd = fresh_write(fresh, head, text, len, errp);
	if (fd < 0)
		return -1;
	if (owner_check(store, errp) < 0 || (rename(fresh, store->path) < 0 && wt_error_errno(errp, errno, "%s",
		store->path) < 0)) {
		unlink(fresh);
		close(fd);
		return -1;
	}
	store_fini(store);
	store->fd = fd;
	store->len = WRITER_LEN + len;
	store->len_known = true;
	/* It is in its place all the same, so 'fd' and 'len' speak of it; but it may be lost with the machine's power. */
	if (folder_sync(store->path, errp) < 0)
		return -1;
	if (store->last != store->id && owner_write(store, store->id, true, errp) < 0)	/* no other file will do any more */
		return -1;
	store->last = store->id;
	return 0;
}

int store_append(struct store *store, const char *text, size_t len, struct wt_error *errp)
{
	if (store_check(store, errp) < 0)
		return -1;
	if (text_write(store->fd, store->path, text, len, errp) < 0 || file_sync(store->fd, store->path, errp) < 0) {
		/* Some of it may be on the disk: the length says nothing about foreign writers until the next whole
		 * file. */
		store->len_known = false;
		return -1;
	}
	store->len += len;
	return 0;
}
