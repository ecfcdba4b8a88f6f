/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "harness/clock/clock_shm.h"
#include "lib/fs.h"
#include "lib/str.h"
#include "harness/clock/virtual.h"

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

static void coordinator_run(const struct wt_virtual *v, const char *shm)
{
	const char *words[16] = { "wt-clockd", "--shm", shm, "--charge", v->charge, "--while-used", "--watch-kernel" };
	int count = 7;
	char slack_s[32];

	snprintf(slack_s, sizeof(slack_s), "%" PRIu32 ".%03" PRIu32, v->slack_ms / 1000, v->slack_ms % 1000);
	if (v->slack_ms) {
		words[count++] = "--timer-slack";
		words[count++] = slack_s;
	}
	if (v->log) {
		words[count++] = "--log";
		words[count++] = v->log;
	}
	/* In a session of its own: Ctrl-C is for the command, and the clock must last until its daemons have ended. */
	setsid();
	if (dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
		execv(v->coordinator, (char *const *) words);
	_exit(127);
}

static pid_t coordinator_start(const struct wt_virtual *v, const char *shm)
{
	pid_t pid = fork();

	if (pid == 0)
		coordinator_run(v, shm);
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

static int environment_set(const char *library, const char *shm, bool driver)
{
	const char *old = getenv("LD_PRELOAD");
	char *preload = old && *old ? wt_str_format("%s:%s", library, old) : strdup(library);
	int rc = preload && setenv("LD_PRELOAD", preload, 1) == 0 && setenv(WT_SHM_ENV, shm, 1) == 0 ? 0 : -1;

	free(preload);
	if (rc == 0)
		rc = driver ? setenv(WT_SHM_ROLE_ENV, "driver", 1) : unsetenv(WT_SHM_ROLE_ENV);
	return rc;
}

/* By its own path, not as /proc/self/exe, after which the process would be called. */
static void self_exec(char **words)
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len <= 0)
		return;
	self[len] = '\0';
	execv(self, words);
}

static int self_start_anew(const char *library, const char *shm, struct wt_error *errp)
{
	char *text = NULL, **words = own_arguments(&text, errp);
	int saved_errno;

	if (words) {
		fflush(NULL);
		if (environment_set(library, shm, true) == 0)
			self_exec(words);
		wt_error_errno(errp, errno, "virtual clock: starting anew");
	}
	saved_errno = errno;
	free(words);
	free(text);
	errno = saved_errno;
	return -1;
}

int wt_virtual_enter(const struct wt_virtual *v, struct wt_error *errp)
{
	char *shm = wt_str_format(WT_VIRTUAL_PREFIX "%ld-%ld", (long) getuid(), (long) getpid());
	pid_t pid;

	if (!shm)
		return wt_error_errno(errp, ENOMEM, "virtual clock");
	wt_virtual_remove(shm);	/* of a process with our pid that was killed together with its coordinator */
	pid = coordinator_start(v, shm);
	if (pid < 0)
		wt_error_errno(errp, errno, "virtual clock: %s", v->coordinator);
	if (pid > 0 && coordinator_wait(v->coordinator, pid, shm, errp) == 0) {
		self_start_anew(v->library, shm, errp);
		kill(pid, SIGTERM);
		waitpid(pid, NULL, 0);
	}
	free(shm);
	return -1;
}

int wt_virtual_join(const char *library, const char *memory, struct wt_error *errp)
{
	return wt_virtual_is_alive(memory) ? self_start_anew(library, memory, errp)
					   : wt_error_set(errp, ENOTCONN, "the virtual clock %s has ended", memory);
}

int wt_virtual_environment(const char *library, const char *memory, bool driver, struct wt_error *errp)
{
	if (!wt_virtual_is_alive(memory))
		return wt_error_set(errp, ENOTCONN, "the virtual clock %s has ended", memory);
	return environment_set(library, memory, driver) == 0 ? 0 : wt_error_errno(errp, errno, "virtual clock");
}

void wt_virtual_leave_driving(void)
{
	unsetenv(WT_SHM_ROLE_ENV);
}
