/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Start of the supervisor, in the process of "up". */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/clock/virtual.h"
#include "harness/cluster/folder/leftovers.h"
#include "lib/str.h"
#include "harness/cluster/supervisor/supervisor.h"

static void descriptor_pass(int fd)
{
	fcntl(fd, F_SETFD, fcntl(fd, F_GETFD) & ~FD_CLOEXEC);
}

/* In the grandchild: a daemon's surroundings, then the windtunnel command again, without any state of the caller. */
static void supervisor_exec(char *const argv[], const struct wt_clusterinfo *info, const char *log,
			    const struct wt_supervisor_args *args)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int out = null < 0 ? -1 : open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	char *key = out < 0 ? NULL : wt_leftovers_key(info);
	sigset_t none;

	/* Here, because the caller tells errno, and signal (2) of SIGKILL below sets it to EINVAL. */
	if (!key)
		return;
	/* A session of its own: Ctrl-C and the end of the terminal are for "up" alone. */
	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	umask(022);
	if (dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0 ||
	    chdir("/") < 0 || setenv(WT_CLUSTER_ENV, info->uuid, 1) < 0 || setenv(WT_CLUSTER_KEY_ENV, key, 1) < 0)
		return;
	/* "up" may have been started by a run, which drives the clock; the daemons that are started from here do not. */
	wt_virtual_leave_driving();
	descriptor_pass(args->up_fd);
	descriptor_pass(args->lock_fd);
	descriptor_pass(args->port_fd);
	execv("/proc/self/exe", argv);
}

/* In the child, which forks again: no process has to wait for one that outlives "up".  What fails is told through
 * 'report', which exec closes. */
static void child_run(char *const argv[], const struct wt_clusterinfo *info, const char *log,
		      const struct wt_supervisor_args *args, int report)
{
	pid_t pid = fork();

	if (pid == 0)
		supervisor_exec(argv, info, log, args);
	if (pid <= 0 && write(report, &errno, sizeof(errno)) < 0)
		_exit(126);
	_exit(0);
}

static int supervisor_spawn(char *const argv[], const struct wt_clusterinfo *info, const char *log,
			    const struct wt_supervisor_args *args, struct wt_error *errp)
{
	int report[2], failed = 0;
	pid_t pid;
	ssize_t n;

	if (pipe2(report, O_CLOEXEC) < 0)
		return wt_error_errno(errp, errno, "supervisor");
	pid = fork();
	if (pid == 0)
		child_run(argv, info, log, args, report[1]);
	if (pid < 0)
		failed = errno;
	close(report[1]);
	do
		n = read(report[0], &failed, sizeof(failed));
	while (n < 0 && errno == EINTR);
	close(report[0]);
	if (pid > 0)		/* ECHILD where the caller ignores SIGCHLD */
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	return failed ? wt_error_errno(errp, failed, "supervisor (log %s)", log) : 0;
}

int wt_supervisor_start(const struct wt_clusterinfo *info, const struct wt_supervisor_args *args, struct wt_error *errp)
{
	char *log = wt_clusterinfo_path(info, "daemons.log");
	char *words[] = {
		strdup("windtunnel"), strdup("cluster"), strdup("supervise"), strdup(info->dir),
			wt_str_format("%d", args->up_fd),
		wt_str_format("%d", args->lock_fd), wt_str_format("%d", args->port_fd),
		wt_str_format("%ld", (long) args->owner.pid), wt_str_format("%" PRIu64, args->owner.start_time), NULL,
	};
	size_t last = sizeof(words) / sizeof(words[0]) - 1;
	bool complete = log != NULL;
	int rc;

	for (size_t i = 0; i < last; i++)
		complete = complete && words[i];
	rc = complete ? supervisor_spawn(words, info, log, args, errp) : wt_error_errno(errp, ENOMEM, "supervisor");
	for (size_t i = 0; i < last; i++)
		free(words[i]);
	free(log);
	return rc;
}
