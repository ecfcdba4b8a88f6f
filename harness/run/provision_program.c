/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/run/provision_program.h"
#include "lib/str.h"

#define ANSWER_US ((int64_t) 60 * 1000000)
#define SLICE_MS  500	/* how late a stop may be noticed */
#define GUARD_FD  3
#define GUARD     "( ( read -r end; kill -s KILL 0 ) <&3 >/dev/null 2>&1 & ); exec 3<&-; "

extern char **environ;

/* The command is run by a shell that limits its CPU time first: one that spins would hold the virtual clock for ever.  A
 * guard, nobody's child, waits in its process group for the end of a pipe that only we hold, and ends the group then: that
 * is how the program does not outlive us, however we end. */
static int spawn(struct provision_program *p, posix_spawn_file_actions_t *files, posix_spawnattr_t *attr)
{
	static char sh[] = "sh", c[] = "-c";
	char *text = wt_str_format("ulimit -t " PROGRAM_CPU_S " || exit; " GUARD "exec %s", p->command);
	char *argv[] = { sh, c, text, NULL };
	int rc = text ? posix_spawn(&p->pid, "/bin/sh", files, attr, argv, environ) : ENOMEM;

	free(text);
	if (rc)
		p->pid = 0;
	return rc;
}

/* In a group of its own, so that a terminal's Ctrl-C is ours alone; with the signals of a fresh process. */
static int spawn_with(struct provision_program *p, int in, int out, int guard)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, all;
	int rc;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	rc = posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
	if (!rc)
		rc = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	if (!rc)
		rc = posix_spawn_file_actions_adddup2(&files, guard, GUARD_FD);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	if (!rc)
		rc = spawn(p, &files, &attr);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	return rc;
}

/* Theirs: their standard input, standard output, and what the guard reads; ours: the other ends.  0, or an error number. */
static int pipes_make(struct provision_program *p, int theirs[3])
{
	int in[2], out[2], guard[2];

	if (pipe2(in, O_CLOEXEC) < 0)
		return errno;
	p->to = in[1];
	theirs[0] = in[0];
	if (pipe2(out, O_CLOEXEC) < 0)
		return errno;
	p->from = out[0];
	theirs[1] = out[1];
	if (pipe2(guard, O_CLOEXEC) < 0)
		return errno;
	p->guard = guard[1];
	theirs[2] = guard[0];
	return fcntl(p->to, F_SETFL, O_NONBLOCK) < 0 || fcntl(p->from, F_SETFL, O_NONBLOCK) < 0 ? errno : 0;
}

int provision_program_start(struct provision_program *p, struct wt_error *errp)
{
	int theirs[3] = { -1, -1, -1 }, rc;

	p->to = p->from = p->guard = -1;
	rc = pipes_make(p, theirs);
	if (!rc)
		rc = spawn_with(p, theirs[0], theirs[1], theirs[2]);
	for (int i = 0; i < 3; i++)
		if (theirs[i] >= 0)
			close(theirs[i]);
	if (!rc)
		return 0;
	provision_program_end(p);
	return wt_error_errno(errp, rc, "--provision program: %s", p->command);
}

/* It has closed a pipe: how it ended, if it did. */
static int ended_tell(struct provision_program *p, struct wt_error *errp)
{
	int status, flags = WNOHANG;
	pid_t pid;

	/* One that only closed its pipe is still there: it goes now. */
	for (int i = 0; (pid = waitpid(p->pid, &status, flags)) == 0 && i < 10; i++)
		wt_clock_sleep_until_us(p->clock, wt_clock_now_us(p->clock) + 10000);
	if (pid != p->pid)
		return wt_error_set(errp, EPROTO, "the program of --provision has closed its standard input or output");
	kill(-p->pid, SIGKILL);		/* what it has begun */
	p->pid = 0;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		return wt_error_set(errp, EPROTO, "the program of --provision has used " PROGRAM_CPU_S " s of CPU time");
	if (WIFSIGNALED(status))
		return wt_error_set(errp, EPROTO, "the program of --provision was ended by signal %d", WTERMSIG(status));
	return wt_error_set(errp, EPROTO, "the program of --provision has ended with status %d", WEXITSTATUS(status));
}

/* Until the pipe is ready.  0, or -1. */
static int pipe_wait(struct provision_program *p, int fd, short events, int64_t until_us, struct wt_error *errp)
{
	struct pollfd pfd = { .fd = fd, .events = events };

	for (;;) {
		if (*p->stop)
			return wt_error_set(errp, EINTR, "interrupted");
		if (wt_clock_now_us(p->clock) >= until_us)
			return wt_error_set(errp, ETIMEDOUT, "the program of --provision has not answered within %d s",
					    (int) (ANSWER_US / 1000000));
		if (poll(&pfd, 1, SLICE_MS) > 0)
			return 0;
	}
}

static int question_send(struct provision_program *p, const char *line, int64_t until_us, struct wt_error *errp)
{
	size_t len = strlen(line);

	while (len) {
		ssize_t n = write(p->to, line, len);

		if (n < 0 && errno == EPIPE)
			return ended_tell(p, errp);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return wt_error_errno(errp, errno, "--provision program");
		if (n < 0) {
			if (pipe_wait(p, p->to, POLLOUT, until_us, errp) < 0)
				return -1;
			continue;
		}
		line += n;
		len -= (size_t) n;
	}
	return 0;
}

/* One line, and nothing behind it. */
static int line_take(struct provision_program *p, int64_t until_us, struct wt_error *errp)
{
	char *end = NULL;

	for (p->len = 0; !end;) {
		ssize_t n;

		if (pipe_wait(p, p->from, POLLIN, until_us, errp) < 0)
			return -1;
		n = read(p->from, p->line + p->len, sizeof(p->line) - p->len);
		if (n == 0)
			return ended_tell(p, errp);
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return wt_error_errno(errp, errno, "--provision program");
		p->len += n > 0 ? (size_t) n : 0;
		end = memchr(p->line, '\n', p->len);
		if (!end && p->len == sizeof(p->line))
			return wt_error_set(errp, EPROTO, "the program of --provision answers more than %zu bytes "
					    "in one line", sizeof(p->line));
	}
	if (end != p->line + p->len - 1)
		return wt_error_set(errp, EPROTO, "the program of --provision says more than one line to one question");
	p->len--;
	return 0;
}

int provision_program_ask(struct provision_program *p, const struct provision_view *view, char *const *names,
			  const char *task, double expected_s, struct provision_choice *choice, struct wt_error *errp)
{
	int64_t until_us = wt_clock_now_us(p->clock) + ANSWER_US;
	char *question = program_question(view, names, task, expected_s);
	int rc;

	if (!question)
		return wt_error_errno(errp, ENOMEM, "--provision program");
	rc = question_send(p, question, until_us, errp);
	free(question);
	if (rc < 0 || line_take(p, until_us, errp) < 0)
		return -1;
	if (program_answer(p->line, p->len, view, names, choice, p->why, errp) == 0)
		return 0;
	return wt_error_prefix(errp, "the program of --provision");
}

void provision_program_end(struct provision_program *p)
{
	const int ours[] = { p->to, p->from, p->guard };

	if (p->pid > 0) {
		kill(-p->pid, SIGKILL);
		while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (ours[i] >= 0)
			close(ours[i]);
	p->to = p->from = p->guard = -1;
	p->pid = 0;
}
