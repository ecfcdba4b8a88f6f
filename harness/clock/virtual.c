/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wt_clock.h"
#include "wt_clock_shm.h"
#include "wt_fs.h"
#include "wt_str.h"
#include "wt_virtual.h"

#define ARGUMENTS_MAX ((size_t) 4 << 20)
#define START_US 10000000	/* for wt-clockd to be ready */
#define LOOK_US 2000

int wt_virtual_charge_check(const char *text, struct wt_error *errp)
{
	char *end = "x";
	double factor;

	if (!strcmp(text, "none") || !strcmp(text, "real") || !strcmp(text, "cpu"))
		return 0;
	factor = strncmp(text, "cpu:", 4) ? 0 : strtod(text + 4, &end);
	if (*end || end == text + 4 || !(factor > 0.001 && factor < 1000))
		return wt_error_set(errp, EINVAL, "give none, real, cpu or cpu:FACTOR, with a factor from 0.001 to 1000");
	return 0;
}

/* The words of this process' command line, as /proc keeps them; they point into *text. */
static char **own_arguments(char **text, struct wt_error *errp)
{
	size_t len, count = 0;
	char **words;

	if (wt_fs_read("/proc/self/cmdline", ARGUMENTS_MAX, text, &len, errp) < 0)
		return NULL;
	for (size_t i = 0; i < len; i++)
		count += (*text)[i] == '\0';
	words = calloc(count + 1, sizeof(*words));
	if (!words) {
		wt_error_errno(errp, ENOMEM, "virtual clock");
		return NULL;
	}
	for (size_t i = 0, at = 0; i < count; i++) {
		words[i] = *text + at;
		at += strlen(words[i]) + 1;
	}
	return words;
}

static pid_t coordinator_start(const struct wt_virtual *v, const char *shm)
{
	pid_t pid = fork();

	if (pid == 0) {
		/* In a session of its own: Ctrl-C is for the command, and the clock must last until its daemons have ended. */
		setsid();
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execl(v->coordinator, "wt-clockd", "--shm", shm, "--charge", v->charge, "--while-used", "--watch-kernel",
		      (char *) NULL);
		_exit(127);
	}
	return pid;
}

static int coordinator_wait(const char *path, pid_t pid, const char *shm, struct wt_error *errp)
{
	int64_t end_us = wt_clock_wall_us() + START_US;
	int status;

	while (access(shm, F_OK) < 0) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return wt_error_set(errp, ECHILD, "virtual clock: %s ended with status %d before it was ready", path,
					    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
		if (wt_clock_wall_us() > end_us) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return wt_error_set(errp, ETIMEDOUT, "virtual clock: %s was not ready within %d s", path,
					    START_US / 1000000);
		}
		wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + LOOK_US);
	}
	return 0;
}

static int environment_set(const char *library, const char *shm)
{
	const char *old = getenv("LD_PRELOAD");
	char *preload = old && *old ? wt_str_format("%s:%s", library, old) : strdup(library);
	int rc = preload && !setenv("LD_PRELOAD", preload, 1) && !setenv(WT_SHM_ENV, shm, 1)
		 && !setenv(WT_SHM_ROLE_ENV, "driver", 1) ? 0 : -1;

	free(preload);
	return rc;
}

int wt_virtual_enter(const struct wt_virtual *v, struct wt_error *errp)
{
	char *shm = wt_str_format("/dev/shm/windtunnel-clock-%ld-%ld", (long) getuid(), (long) getpid());
	char *text = NULL, **words = own_arguments(&text, errp);
	pid_t pid = -1;

	if (!shm)
		wt_error_errno(errp, ENOMEM, "virtual clock");
	if (words && shm) {
		unlink(shm);	/* of a process with our pid that was killed together with its coordinator */
		pid = coordinator_start(v, shm);
		if (pid < 0)
			wt_error_errno(errp, errno, "virtual clock: %s", v->coordinator);
	}
	if (pid > 0 && coordinator_wait(v->coordinator, pid, shm, errp) == 0) {
		if (environment_set(v->library, shm) == 0)
			execv("/proc/self/exe", words);
		wt_error_errno(errp, errno, "virtual clock: starting anew");
		kill(pid, SIGTERM);
		waitpid(pid, NULL, 0);
	}
	free(words);
	free(text);
	free(shm);
	return -1;
}

void wt_virtual_leave_driving(void)
{
	unsetenv(WT_SHM_ROLE_ENV);
}
