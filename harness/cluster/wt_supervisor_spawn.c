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

#include "wt_str.h"
#include "wt_supervisor.h"

static void descriptor_pass(int fd)
{
	fcntl(fd, F_SETFD, fcntl(fd, F_GETFD) & ~FD_CLOEXEC);
}

/* In the grandchild: a daemon's surroundings, then the windtunnel command again, without any state of the caller. */
static void supervisor_exec(char *const argv[], const char *uuid, const char *log, const struct wt_supervisor_args *args)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int out = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	sigset_t none;

	setsid();
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	umask(022);
	if (null < 0 || out < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
	    dup2(out, STDERR_FILENO) < 0 || chdir("/") < 0 || setenv(WT_CLUSTER_ENV, uuid, 1) < 0)
		_exit(126);
	descriptor_pass(args->up_fd);
	descriptor_pass(args->lock_fd);
	descriptor_pass(args->port_fd);
	execv("/proc/self/exe", argv);
	_exit(127);
}

int wt_supervisor_start(const struct wt_clusterinfo *info, const struct wt_supervisor_args *args, struct wt_error *errp)
{
	char *log = wt_clusterinfo_path(info, "daemons.log");
	char *words[] = {
		strdup("windtunnel"), strdup("cluster"), strdup("supervise"), strdup(info->dir), wt_str_format("%d", args->up_fd),
		wt_str_format("%d", args->lock_fd), wt_str_format("%d", args->port_fd),
		wt_str_format("%ld", (long) args->owner.pid), wt_str_format("%" PRIu64, args->owner.start_time), NULL,
	};
	size_t last = sizeof(words) / sizeof(words[0]) - 1;
	bool complete = log != NULL;
	pid_t pid = -1;
	int rc = -1;

	for (size_t i = 0; i < last; i++)
		complete = complete && words[i];
	if (!complete)
		wt_error_errno(errp, ENOMEM, "supervisor");
	else if ((pid = fork()) < 0)
		wt_error_errno(errp, errno, "supervisor");
	if (pid == 0) {
		/* Forked twice: nobody has to wait for a process that outlives "up". */
		if (fork() == 0)
			supervisor_exec(words, info->uuid, log, args);
		_exit(0);
	}
	if (pid > 0)
		rc = waitpid(pid, NULL, 0) == pid ? 0 : wt_error_errno(errp, errno, "supervisor");
	for (size_t i = 0; i < last; i++)
		free(words[i]);
	free(log);
	return rc;
}
