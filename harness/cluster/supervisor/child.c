/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/cluster/supervisor/child.h"

static void signals_reset(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In the child, between fork and exec.  Whatever fails is told through 'report', which exec closes. */
static void child_run(char *const argv[], const char *log, int (*prepare)(void), const int joined[2], pid_t parent,
		      int report)
{
	int in = joined[0] < 0 ? open("/dev/null", O_RDONLY | O_CLOEXEC) : joined[0];
	int out = in < 0 ? -1 : open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	int rc = out < 0 ? -1 : prepare ? prepare() : 0;
	int failed = errno;

	/* After 'prepare': a change of credentials would undo it (prctl(2)). */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	/* Before the signals: signal (2) of SIGKILL sets errno to EINVAL. */
	if (rc < 0)
		_exit(write(report, &failed, sizeof(failed)) < 0 ? 126 : 127);
	signals_reset();
	if (dup2(in, STDIN_FILENO) >= 0 && dup2(joined[1] < 0 ? out : joined[1], STDOUT_FILENO) >= 0 &&
	    dup2(out, STDERR_FILENO) >= 0)
		execv(argv[0], argv);
	if (write(report, &errno, sizeof(errno)) < 0)
		_exit(126);
	_exit(127);
}

pid_t wt_child_start(char *const argv[], const char *log, int (*prepare)(void), struct wt_error *errp)
{
	return wt_child_start_joined(argv, log, prepare, -1, -1, errp);
}

pid_t wt_child_start_joined(char *const argv[], const char *log, int (*prepare)(void), int in, int out,
			    struct wt_error *errp)
{
	const int joined[2] = { in, out };
	pid_t self = getpid(), pid;
	int report[2], failed = 0;
	ssize_t n;

	if (pipe2(report, O_CLOEXEC) < 0)
		return wt_error_errno(errp, errno, "start %s", argv[0]);
	pid = fork();
	if (pid == 0)
		child_run(argv, log, prepare, joined, self, report[1]);
	close(report[1]);
	if (pid < 0) {
		wt_error_errno(errp, errno, "start %s", argv[0]);
		close(report[0]);
		return -1;
	}
	/* exec closes the pipe: nothing to read means that the program runs. */
	do
		n = read(report[0], &failed, sizeof(failed));
	while (n < 0 && errno == EINTR);
	close(report[0]);
	if (n != 0) {
		waitpid(pid, NULL, 0);
		return wt_error_errno(errp, failed, "start %s (log %s)", argv[0], log);
	}
	return pid;
}

void wt_child_status_text(int status, char *text, size_t size)
{
	if (WIFSIGNALED(status))
		snprintf(text, size, "signal %d", WTERMSIG(status));
	else
		snprintf(text, size, "exit %d", WEXITSTATUS(status));
}
