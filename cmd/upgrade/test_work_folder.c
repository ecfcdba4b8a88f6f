/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/upgrade/work_folder.h"
#include "lib/fs.h"
#include "lib/proc.h"
#include "lib/test_cmocka.h"

static char base[PATH_MAX];

static int base_make(void **state)
{
	char name[] = "/tmp/wt-work-folder.XXXXXX";

	(void) state;
	return mkdtemp(name) && realpath(name, base) && setenv("TMPDIR", base, 1) == 0 ? 0 : -1;
}

static int base_remove(void **state)
{
	(void) state;
	return wt_fs_remove_tree(base, NULL);
}

static void files_put(const struct work_folder *work)
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s/state", work->path);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/state/file", work->path);
	assert_int_equal(wt_fs_write(path, "x", 1, 0600, NULL), 0);
}

static void removed_at_the_end(void **state)
{
	struct work_folder work;
	struct stat st;

	(void) state;
	assert_int_equal(work_folder_make(&work, "states", NULL), 0);
	assert_int_equal(strncmp(work.path, base, strlen(base)), 0);
	assert_non_null(strstr(work.path, "/states."));
	assert_int_equal(stat(work.path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	files_put(&work);
	assert_int_equal(work_folder_remove(&work, NULL), 0);
	assert_int_equal(access(work.path, F_OK), -1);
}

static void removed_without_its_keeper(void **state)
{
	struct work_folder work;

	(void) state;
	assert_int_equal(work_folder_make(&work, "states", NULL), 0);
	files_put(&work);
	assert_int_equal(kill(work.keeper, SIGKILL), 0);
	assert_int_equal(work_folder_remove(&work, NULL), 0);
	assert_int_equal(access(work.path, F_OK), -1);
}

/* Makes one, tells of it, and is killed. */
static void owner_run(int out)
{
	struct work_folder work;

	if (chdir(base) < 0 || setenv("TMPDIR", ".", 1) < 0 || work_folder_make(&work, "states", NULL) < 0)
		_exit(1);
	files_put(&work);
	if (write(out, &work, sizeof(work)) != sizeof(work))
		_exit(1);
	kill(getpid(), SIGKILL);
}

/* It is not our child. */
static void keeper_await(const struct work_folder *work)
{
	struct wt_proc keeper;
	int fd = wt_proc_identify(work->keeper, &keeper, NULL) == 0 ? wt_proc_open(&keeper, NULL) : -1;

	if (fd < 0)
		return; /* it has ended */
	assert_int_equal(wt_proc_wait(fd, 60000, NULL), 0);
	close(fd);
}

static void removed_after_sigkill(void **state)
{
	struct work_folder work;
	int ends[2], status;
	pid_t pid;

	(void) state;
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (pid == 0)
		owner_run(ends[1]);
	close(ends[1]);
	assert_int_equal(read(ends[0], &work, sizeof(work)), sizeof(work));
	/* nobody but the two has this end: the keeper does not keep it open */
	assert_int_equal(read(ends[0], &status, 1), 0);
	close(ends[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	keeper_await(&work);
	assert_int_equal(access(work.path, F_OK), -1);
	assert_int_equal(errno, ENOENT);
}

static void refusals(void **state)
{
	struct work_folder work;
	struct wt_error error;

	(void) state;
	assert_int_equal(setenv("TMPDIR", "/nowhere/at/all", 1), 0);
	assert_int_equal(work_folder_make(&work, "states", &error), -1);
	assert_int_equal(errno, ENOENT);
	assert_non_null(strstr(error.text, "/nowhere/at/all"));
	assert_int_equal(setenv("TMPDIR", base, 1), 0);
	assert_int_equal(work_folder_make(&work, "no/such/folder", &error), -1);
	assert_int_equal(errno, ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(removed_at_the_end),
		cmocka_unit_test(removed_without_its_keeper),
		cmocka_unit_test(removed_after_sigkill),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, base_make, base_remove);
}
