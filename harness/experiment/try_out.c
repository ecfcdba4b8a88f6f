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

/* The case's command without option 'left_out' (option_count: with all). */
static int options_try(const struct experiment_case *c, size_t left_out, char *answer, size_t size, struct wt_error *errp)
{
	char **argv = calloc(c->option_count + 4, sizeof(*argv));
	size_t n = 0;
	int rc;

	if (!argv)
		return wt_error_errno(errp, ENOMEM, "%s", c->name);
	argv[n++] = "windtunnel";
	argv[n++] = c->verb;
	argv[n++] = "--dry-run";
	for (size_t i = 0; i < c->option_count; i++) {
		if (i == left_out)
			continue;
		/* keep-going is not for a dry run, which runs nothing */
		argv[n++] = strcmp(c->options[i], "--keep-going") ? c->options[i] : "--json";
	}
	rc = command_try(argv, answer, size, errp);
	free(argv);
	return rc;
}

/* The line of the option without which the command would be taken; 0: there is none, or more than one is wrong. */
static unsigned long line_find(const struct experiment_case *c)
{
	char answer[ANSWER_MAX];

	for (size_t i = c->option_count; i-- > 0;)
		if (options_try(c, i, answer, sizeof(answer), NULL) == 0)
			return c->lines[i];
	return 0;
}

static int case_try(const struct experiment_case *c, const char *path, struct wt_error *errp)
{
	char answer[ANSWER_MAX], own[32], place[32] = "";
	int rc = options_try(c, c->option_count, answer, sizeof(answer), errp);

	if (rc < 0 && errno == EINVAL) {
		size_t prefix = (size_t) snprintf(own, sizeof(own), "windtunnel %s: ", c->verb);
		unsigned long line = line_find(c);

		if (line)
			snprintf(place, sizeof(place), "%lu:", line);
		return wt_error_set(errp, EINVAL, "%s:%s %s: %s", path, place, c->name,
				    strncmp(answer, own, prefix) ? answer : answer + prefix);
	}
	return rc;
}

/* Each case's options are looked at by the verb itself, before hours are spent on the first of them. */
int try_out_plan(const struct experiment_plan *plan, const char *path, struct wt_error *errp)
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan->cases[i].wanted && case_try(&plan->cases[i], path, errp) < 0)
			return -1;
	return 0;
}
