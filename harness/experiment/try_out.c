/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/experiment/try_out.h"
#include "lib/str.h"

#define ANSWER_MAX 1024

/* In the child: words to 'err', everything else to /dev/null. */
static void child_exec(char **argv, int err)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(null, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0)
		execv("/proc/self/exe", argv);
	_exit(127);
}

/* Reads all, keeps the beginning. */
static void answer_read(int fd, char *answer, size_t size)
{
	size_t len = 0;
	char rest[256];
	ssize_t got;

	do {
		got = len + 1 < size ? read(fd, answer + len, size - 1 - len) : read(fd, rest, sizeof(rest));
		if (got > 0 && len + 1 < size)
			len += (size_t) got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	answer[len] = 0;
	answer[strcspn(answer, "\n")] = 0;
}

static int command_try(char **argv, char *answer, size_t size, struct wt_error *errp)
{
	int pipes[2], status = 0;
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return wt_error_errno(errp, errno, "pipe");
	pid = fork();
	if (pid == 0)
		child_exec(argv, pipes[1]);
	close(pipes[1]);
	if (pid > 0)
		answer_read(pipes[0], answer, size);
	close(pipes[0]);
	if (pid < 0)
		return wt_error_errno(errp, errno, "fork");
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return wt_error_errno(errp, errno, "waitpid");
	return status ? wt_error_set(errp, EINVAL, "%s", answer) : 0;
}

static int case_try(const struct experiment_case *c, struct wt_error *errp)
{
	char **argv = calloc(c->option_count + 4, sizeof(*argv)), answer[ANSWER_MAX], own[32];
	int rc;

	if (!argv)
		return wt_error_errno(errp, ENOMEM, "%s", c->name);
	argv[0] = "windtunnel";
	argv[1] = c->verb;
	argv[2] = "--dry-run";
	memcpy(argv + 3, c->options, c->option_count * sizeof(*argv));
	/* keep-going is not for a dry run, which runs nothing */
	for (size_t i = 3; argv[i]; i++)
		if (!strcmp(argv[i], "--keep-going"))
			argv[i] = "--json";
	rc = command_try(argv, answer, sizeof(answer), errp);
	free(argv);
	if (rc < 0 && errno == EINVAL) {
		size_t prefix = (size_t) snprintf(own, sizeof(own), "windtunnel %s: ", c->verb);

		return wt_error_set(errp, EINVAL, "%s: %s", c->name,
				    strncmp(answer, own, prefix) ? answer : answer + prefix);
	}
	return rc;
}

/* Each case's options are looked at by the verb itself, before hours are spent on the first of them. */
int try_out_plan(const struct experiment_plan *plan, struct wt_error *errp)
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan->cases[i].wanted && case_try(&plan->cases[i], errp) < 0)
			return -1;
	return 0;
}
