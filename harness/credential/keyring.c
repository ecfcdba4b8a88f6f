/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keyring.c - no lock: the kernel would decide which thread gets it next in virtual time (harness/clock/wrap_lock.c). */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "harness/credential/keyring.h"

#define SOCKET "socket"
#define KEY "key"
#define KEY_BYTES_MIN 32	/* munged's */
#define KEY_BYTES_MAX 1024

struct key_entry {
	struct key_entry *next;
	/* which file it was */
	dev_t device;
	ino_t inode;
	struct timespec changed;
	struct credential_key key;
};

/* Entries are only ever added: as many as key files are seen in the life of the process. */
static _Atomic(struct key_entry *) entries;

static bool is_of(const struct key_entry *e, const struct stat *st)
{
	return e->device == st->st_dev && e->inode == st->st_ino && e->changed.tv_sec == st->st_ctim.tv_sec &&
	       e->changed.tv_nsec == st->st_ctim.tv_nsec;
}

static bool is_good(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_uid == geteuid() && !(st->st_mode & 077) && st->st_size >= KEY_BYTES_MIN &&
	       st->st_size <= KEY_BYTES_MAX;
}

static int bytes_read(int fd, const struct stat *st, struct credential_key *key)
{
	uint8_t bytes[KEY_BYTES_MAX];
	ssize_t n;

	do
		n = read(fd, bytes, sizeof(bytes));
	while (n < 0 && errno == EINTR);
	if (n == st->st_size)
		credential_key_make(key, bytes, (size_t) n);
	explicit_bzero(bytes, sizeof(bytes));
	return n == st->st_size ? 0 : -1;
}

static struct key_entry *key_read(const char *path)
{
	struct key_entry *e = calloc(1, sizeof(*e));
	int fd = e ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && is_good(&st) && bytes_read(fd, &st, &e->key) == 0) {
		e->device = st.st_dev;
		e->inode = st.st_ino;
		e->changed = st.st_ctim;
	} else {
		free(e);
		e = NULL;
	}
	if (fd >= 0)
		close(fd);
	return e;
}

static const struct credential_key *look(const char *path)
{
	struct key_entry *e;
	struct stat st;

	if (lstat(path, &st) < 0 || !is_good(&st))
		return NULL;
	for (e = atomic_load(&entries); e; e = e->next)
		if (is_of(e, &st))
			return &e->key;
	e = key_read(path);
	if (!e)
		return NULL;
	e->next = atomic_load(&entries);
	while (!atomic_compare_exchange_weak(&entries, &e->next, e))
		;
	return &e->key;
}

const struct credential_key *keyring_find(const char *socket)
{
	static const char suffix[] = "/" SOCKET;
	char path[sizeof(((struct sockaddr_un *) 0)->sun_path)];
	size_t len = socket ? strlen(socket) : 0;
	const struct credential_key *key = NULL;
	int saved_errno = errno;
	struct stat st;

	if (len >= sizeof(suffix) && len < sizeof(path) && !strcmp(socket + len - (sizeof(suffix) - 1), suffix) &&
	    lstat(socket, &st) == 0 && S_ISSOCK(st.st_mode)) {
		snprintf(path, sizeof(path), "%.*s" KEY, (int) (len - (sizeof(SOCKET) - 1)), socket);
		key = look(path);
	}
	errno = saved_errno;
	return key;
}
