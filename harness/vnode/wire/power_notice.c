/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/vnode/wire/power_notice.h"
#include "lib/str.h"

#define LIST_MAX 65536		/* bytes of a list of nodes: an argument has at most 131,072 (execve(2)) */

struct wt_notices {
	char *program;
	struct wt_str nodes;	/* with commas between them; empty: there are none */
	int64_t left_s;		/* of all of them; WT_NOTICE_NO_TIME: none */
};

struct wt_notices *wt_notices_create(const char *program)
{
	struct wt_notices *notices = calloc(1, sizeof(*notices));

	if (notices && !(notices->program = strdup(program))) {
		free(notices);
		return NULL;
	}
	return notices;
}

void wt_notices_destroy(struct wt_notices *notices)
{
	int saved_errno = errno;

	if (notices) {
		wt_str_clear(&notices->nodes);
		free(notices->program);
		free(notices);
	}
	errno = saved_errno;
}

/* A program begins with no signal blocked or ignored, whatever ours are. */
static int program_start(char *const argv[])
{
	posix_spawnattr_t attributes;
	sigset_t none, all;
	pid_t pid;
	int rc = posix_spawnattr_init(&attributes);

	if (rc)
		return rc;
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	rc = posix_spawn(&pid, argv[0], NULL, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	return rc;
}

int wt_notices_send(struct wt_notices *notices, struct wt_error *errp)
{
	char seconds[24], *nodes;
	int rc = ENOMEM;

	if (!notices || (!notices->nodes.len && !notices->nodes.failed))
		return 0;
	snprintf(seconds, sizeof(seconds), "%" PRId64, notices->left_s);
	nodes = wt_str_take(&notices->nodes);
	if (nodes) {
		char *argv[] = { notices->program, nodes, notices->left_s == WT_NOTICE_NO_TIME ? NULL : seconds, NULL };

		rc = program_start(argv);
	}
	free(nodes);
	return rc ? wt_error_errno(errp, rc, "%s, which was to be told of nodes", notices->program) : 0;
}

int wt_notices_add(struct wt_notices *notices, const char *node, int64_t left_us, struct wt_error *errp)
{
	int64_t left_s = left_us < 0 ? WT_NOTICE_NO_TIME : left_us / 1000000;
	int rc = 0;

	if (!notices)
		return 0;
	if (notices->nodes.len && (left_s != notices->left_s || notices->nodes.len + strlen(node) >= LIST_MAX))
		rc = wt_notices_send(notices, errp);
	notices->left_s = left_s;
	wt_str_printf(&notices->nodes, "%s%s", notices->nodes.len ? "," : "", node);
	return rc;
}
