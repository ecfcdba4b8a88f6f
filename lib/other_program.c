/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/other_program.h"
#include "lib/str.h"

char *wt_program_in(const char *folders, const char *name)
{
	while (folders && *folders) {
		size_t len = strcspn(folders, ":");
		char *path = *folders == '/' ? wt_str_format("%.*s/%s", (int) len, folders, name) : NULL;

		if (path && access(path, X_OK) == 0)
			return path;
		free(path);
		folders += len + (folders[len] == ':');
	}
	return NULL;
}

static int spawn(char *const argv[], char *const env[], int out, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	int rc = posix_spawn_file_actions_init(&files);

	if (rc != 0)
		return rc;
	rc = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (rc == 0)
		rc = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	if (rc == 0)
		rc = posix_spawn_file_actions_adddup2(&files, out, STDERR_FILENO);
	if (rc == 0)
		rc = posix_spawn(pid, argv[0], &files, NULL, argv, env);
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

/* To its end, or the program would wait for us. */
static char *text_read(int fd, size_t max)
{
	struct wt_str text = { 0 };
	char bytes[4096];
	ssize_t n;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0 && text.len < max)
			wt_str_add_bytes(&text, bytes, (size_t) n < max - text.len ? (size_t) n : max - text.len);
	return wt_str_take(&text);
}

int wt_program_ask(char *const argv[], char *const env[], size_t max, char **said, struct wt_error *errp)
{
	int ends[2], status, rc;
	pid_t pid;

	*said = NULL;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return wt_error_errno(errp, errno, "pipe");
	rc = spawn(argv, env, ends[1], &pid);
	close(ends[1]);
	if (rc != 0) {
		close(ends[0]);
		return wt_error_errno(errp, rc, "%s", argv[0]);
	}
	*said = text_read(ends[0], max);
	close(ends[0]);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR) {
			rc = errno;
			break;
		}
	if (rc == 0 && *said)
		return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	free(*said);
	*said = NULL;
	return wt_error_errno(errp, rc ? rc : ENOMEM, "%s", argv[0]);
}
