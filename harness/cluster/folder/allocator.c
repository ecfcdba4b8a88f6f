/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/cluster/folder/allocator.h"
#include "harness/cluster/folder/preload.h"
#include "lib/str.h"

#define PROBE "/bin/true"

/* tcmalloc without its profilers, whose signals are slurmctld's own. */
static const struct allocator {
	const char *name, *library, *package;
} allocators[] = {
	{ "tcmalloc", "libtcmalloc_minimal.so.4", "libtcmalloc-minimal4" },
	{ "jemalloc", "libjemalloc.so.2", "libjemalloc2" },
	{ "mimalloc", "libmimalloc.so.2", "libmimalloc2.0" },
};

static const char *wished;

static char *named_find(const char *name, struct wt_error *errp)
{
	for (size_t i = 0; i < sizeof(allocators) / sizeof(allocators[0]); i++) {
		char *path;

		if (strcmp(name, allocators[i].name))
			continue;
		path = wt_preload_find(allocators[i].library);
		if (!path)
			wt_error_errno(errp, ENOENT, "--allocator %s: %s (Debian package %s)", name, allocators[i].library,
				       allocators[i].package);
		return path;
	}
	wt_error_set(errp, EINVAL, "--allocator %s: give tcmalloc, jemalloc, mimalloc, or the path of a library", name);
	return NULL;
}

/* What ld.so has to say of it is told through 'told', up to its buffer.  The child's status, or -1. */
static int probe_run(char *preload, int told)
{
	char *argv[] = { PROBE, NULL }, *environment[] = { preload, NULL };
	posix_spawn_file_actions_t files;
	int status = -1;
	pid_t pid;

	if (posix_spawn_file_actions_init(&files) != 0)
		return -1;
	if (posix_spawn_file_actions_adddup2(&files, told, STDERR_FILENO) == 0 &&
	    posix_spawn(&pid, PROBE, &files, NULL, argv, environment) == 0)
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	posix_spawn_file_actions_destroy(&files);
	return status;
}

static int library_probe(const char *path, struct wt_error *errp)
{
	char *preload = wt_str_format("LD_PRELOAD=%s", path), said[512];
	int told[2], status;
	ssize_t len;

	if (!preload || pipe2(told, O_CLOEXEC | O_NONBLOCK) < 0) {
		free(preload);
		return wt_error_errno(errp, errno, "--allocator");
	}
	status = probe_run(preload, told[1]);
	len = read(told[0], said, sizeof(said) - 1);
	said[len > 0 ? len : 0] = '\0';
	said[strcspn(said, "\n")] = '\0';
	close(told[0]);
	close(told[1]);
	free(preload);
	if (status == 0 && len <= 0)
		return 0;
	return wt_error_set(errp, ELIBBAD, "--allocator %s: it does not load%s%s", path, *said ? ": " : "", said);
}

char *wt_allocator_find(const char *name, struct wt_error *errp)
{
	char *path = *name == '/' ? strdup(name) : named_find(name, errp);
	int failed;

	if (!path) {
		if (*name == '/')
			wt_error_errno(errp, ENOMEM, "--allocator");
		return NULL;
	}
	if (access(path, R_OK) < 0)
		wt_error_errno(errp, errno, "--allocator %s", path);
	else if (!wt_preload_usable(path))
		wt_error_set(errp, EINVAL, "--allocator %s: a path with blanks or colons cannot be preloaded", path);
	else if (library_probe(path, errp) == 0)
		return path;
	failed = errno;
	free(path);
	errno = failed;
	return NULL;
}

void wt_allocator_wish(const char *library)
{
	wished = library;
}

int wt_allocator_take(void)
{
	if (!wished)
		return 0;
	/* It was there when the cluster was planned; the loader would go on without it. */
	return access(wished, R_OK) < 0 ? -1 : wt_preload_add(wished);
}
