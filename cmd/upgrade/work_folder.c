/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cmd/upgrade/work_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/fs.h"

/* In the child, which keeps nothing open of its parent's, so that nobody waits for it, and which Ctrl-C does not reach. */
static void keeper_run(const char *path, int end)
{
	sigset_t all;
	ssize_t n;
	char byte;

	setsid();
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	if (dup2(end, STDIN_FILENO) < 0 || close_range(STDIN_FILENO + 1, UINT_MAX, 0) < 0 || chdir("/") < 0)
		_exit(1);
	do
		n = read(STDIN_FILENO, &byte, 1);
	while (n < 0 && errno == EINTR);
	_exit(wt_fs_remove_tree(path, NULL) < 0);
}

static int keeper_begin(struct work_folder *work, struct wt_error *errp)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return wt_error_errno(errp, errno, "pipe");
	work->keeper = fork();
	if (work->keeper == 0) {
		close(ends[1]);
		keeper_run(work->path, ends[0]);
	}
	close(ends[0]);
	work->pipe = ends[1];
	if (work->keeper > 0)
		return 0;
	wt_error_errno(errp, errno, "fork");
	close(work->pipe);
	return -1;
}

static int path_make(struct work_folder *work, const char *name, struct wt_error *errp)
{
	const char *tmp = getenv("TMPDIR");
	char base[PATH_MAX];

	tmp = tmp && *tmp ? tmp : "/tmp";
	if (!realpath(tmp, base))
		return wt_error_errno(errp, errno, "%s: a folder for files", tmp);
	if (snprintf(work->path, sizeof(work->path), "%s/%s.XXXXXX", base, name) >= (int) sizeof(work->path))
		return wt_error_errno(errp, ENAMETOOLONG, "%s", tmp);
	return mkdtemp(work->path) ? 0 : wt_error_errno(errp, errno, "%s: a folder for files", tmp);
}

int work_folder_make(struct work_folder *work, const char *name, struct wt_error *errp)
{
	int saved;

	if (path_make(work, name, errp) < 0)
		return -1;
	if (keeper_begin(work, errp) == 0)
		return 0;
	saved = errno;
	rmdir(work->path);
	errno = saved;
	return -1;
}

int work_folder_remove(struct work_folder *work, struct wt_error *errp)
{
	pid_t pid;

	close(work->pipe);
	do
		pid = waitpid(work->keeper, NULL, 0);
	while (pid < 0 && errno == EINTR);
	return wt_fs_remove_tree(work->path, errp); /* if it was killed itself */
}
