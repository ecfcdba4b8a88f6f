/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cmd/child_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/fs.h"

#define LOOK_MS     200
#define OUTPUT_MAX  ((size_t) 1 << 30)
#define MESSAGE_MAX 65536

void child_runner_begin(struct child_runner *runner)
{
	*runner = (struct child_runner){ .interrupted = false };
	sigemptyset(&runner->waited);
	sigaddset(&runner->waited, SIGCHLD);
	sigaddset(&runner->waited, SIGINT);
	sigaddset(&runner->waited, SIGTERM);
	sigaddset(&runner->waited, SIGHUP);
	sigprocmask(SIG_BLOCK, &runner->waited, &runner->before);
}

void child_runner_end(struct child_runner *runner)
{
	sigprocmask(SIG_SETMASK, &runner->before, NULL);
}

/* True after a signal for us; until a child has ended or the time is over. */
static bool signal_wait(struct child_runner *runner, unsigned int ms)
{
	const struct timespec wait = { .tv_sec = ms / 1000, .tv_nsec = (long) (ms % 1000) * 1000000 };
	int signum = sigtimedwait(&runner->waited, NULL, &wait);

	if (signum == SIGINT || signum == SIGTERM || signum == SIGHUP)
		runner->interrupted = true;
	return runner->interrupted;
}

int child_pause(struct child_runner *runner, unsigned int ms, struct wt_error *errp)
{
	return signal_wait(runner, ms) ? wt_error_set(errp, EINTR, "interrupted") : 0;
}

/* In the child: a process group of its own, so that a terminal's Ctrl-C reaches it through us, once. */
static void child_exec(struct child_runner *runner, const char *const *argv, int out, int err, pid_t parent)
{
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigprocmask(SIG_SETMASK, &runner->before, NULL);
	if (in >= 0 && dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0 &&
	    getppid() == parent)
		execv("/proc/self/exe", (char *const *) argv);
	_exit(127);
}

/* Reads a file without a name, from its beginning. */
static int memory_read(int fd, size_t max, char **text, size_t *len, struct wt_error *errp)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return wt_fs_read(path, max, text, len, errp);
}

/* The last line that is not empty, of what the child said. */
static int failure_tell(int err, const char *const *argv, int status, struct wt_error *errp)
{
	char *text = NULL, *line;
	size_t len = 0;

	if (memory_read(err, MESSAGE_MAX, &text, &len, NULL) < 0)
		len = 0;
	while (len && text[len - 1] == '\n')
		text[--len] = '\0';
	line = len ? strrchr(text, '\n') : NULL;
	if (len)
		wt_error_set(errp, EIO, "%s", line ? line + 1 : text);
	else
		wt_error_set(errp, EIO, "windtunnel %s %s: %s %d", argv[1], argv[1] ? argv[2] : "",
			     WIFSIGNALED(status) ? "signal" : "status",
			     WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	free(text);
	errno = EIO;
	return -1;
}

/* Its end.  'last': signals are not handed on. */
static int child_wait(struct child_runner *runner, pid_t pid, bool last, child_watch_f watch, void *arg, bool *watched)
{
	int status = 0;
	bool told = false;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		bool stop = signal_wait(runner, LOOK_MS) && !last;

		if (!stop && watch && watch(arg))
			stop = *watched = true;
		if (stop && !told)
			kill(pid, SIGTERM);
		told = told || stop;
	}
	return status;
}

static int child_begin(struct child_runner *runner, const char *const *argv, int out, int err, bool last,
		       child_watch_f watch, void *arg, struct wt_error *errp)
{
	bool watched = false;
	pid_t parent = getpid(), pid = fork();
	int status;

	if (pid < 0)
		return wt_error_errno(errp, errno, "fork");
	if (pid == 0)
		child_exec(runner, argv, out, err, parent);
	setpgid(pid, pid); /* as in the child: whichever comes first */
	status = child_wait(runner, pid, last, watch, arg, &watched);
	if (runner->interrupted && !last)
		return wt_error_set(errp, EINTR, "interrupted");
	if (watched)
		return wt_error_set(errp, ECANCELED, "ended");
	return status ? failure_tell(err, argv, status, errp) : 0;
}

static int both_run(struct child_runner *runner, const char *const *argv, char **output, size_t *len, bool last,
		    child_watch_f watch, void *arg, struct wt_error *errp)
{
	int out = memfd_create("out", MFD_CLOEXEC), err = memfd_create("err", MFD_CLOEXEC), rc, saved;

	if (out < 0 || err < 0)
		rc = wt_error_errno(errp, errno, "memfd_create");
	else
		rc = child_begin(runner, argv, out, err, last, watch, arg, errp);
	if (rc == 0 && output)
		rc = memory_read(out, OUTPUT_MAX, output, len, errp);
	saved = errno;
	if (out >= 0)
		close(out);
	if (err >= 0)
		close(err);
	errno = saved;
	return rc;
}

int child_run(struct child_runner *runner, const char *const *argv, char **output, size_t *len, child_watch_f watch,
	      void *arg, struct wt_error *errp)
{
	if (runner->interrupted)
		return wt_error_set(errp, EINTR, "interrupted");
	return both_run(runner, argv, output, len, false, watch, arg, errp);
}

int child_run_last(struct child_runner *runner, const char *const *argv, struct wt_error *errp)
{
	return both_run(runner, argv, NULL, NULL, true, NULL, NULL, errp);
}
