/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/gnuplot.h"

extern char **environ;

void gnuplot_quote(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text; text++) {
		if (strchr("\"\\", *text))
			putc('\\', out);
		if (*text == '`')	/* gnuplot would run what is between two of them */
			putc('\'', out);
		else
			putc((unsigned char) *text < ' ' ? ' ' : *text, out);
	}
	putc('"', out);
}

static int gnuplot_start(pid_t *pid, FILE *script, FILE *out, const char *dir)
{
	char *argv[] = { "gnuplot", NULL };
	posix_spawn_file_actions_t actions;
	int rc = posix_spawn_file_actions_init(&actions);

	if (rc)
		return rc;
	posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
	if (dir)
		rc = posix_spawn_file_actions_addchdir_np(&actions, dir);
	if (rc == 0)
		rc = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return rc;
}

static int gnuplot_wait(pid_t pid, struct wt_error *errp)
{
	int rc, status;

	while ((rc = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
		;
	if (rc < 0)
		return wt_error_errno(errp, errno, "gnuplot");
	/* posix_spawn (3) may tell so that the program could not be run. */
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return wt_error_set(errp, ENOENT, "gnuplot could not be started");
	if (WIFEXITED(status) && WEXITSTATUS(status))
		return wt_error_set(errp, EIO, "gnuplot failed with exit status %d; it says above why", WEXITSTATUS(status));
	if (status)
		return wt_error_set(errp, EIO, "gnuplot was ended by signal %d", WTERMSIG(status));
	return 0;
}

int gnuplot_run(FILE *script, FILE *out, const char *dir, const char *instead, struct wt_error *errp)
{
	pid_t pid;
	int rc;

	/* gnuplot has the descriptors, not the streams: what is in their buffers would come too late, or twice. */
	if (fflush(script) || fflush(out) || lseek(fileno(script), 0, SEEK_SET) < 0)
		return wt_error_errno(errp, errno, "script for gnuplot");
	rc = gnuplot_start(&pid, script, out, dir);
	if (rc == ENOENT)
		return wt_error_set(errp, ENOENT, "no gnuplot, which draws: install Debian's gnuplot-nox, or %s", instead);
	if (rc)
		return wt_error_errno(errp, rc, "gnuplot");
	return gnuplot_wait(pid, errp);
}
