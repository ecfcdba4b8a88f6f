/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lock of a run's folder; what others see of it is asked in children. */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/run/run_lock.h"
#include "lib/fs.h"
#include "lib/test_cmocka.h"

static char dir[] = "/tmp/wt-test-lock.XXXXXX";
static char file[sizeof(dir) + 8];

static bool no_locks;

/* libc's, as the code under test calls it, for locks only. */
int fcntl(int fd, int command, ...)
{
	va_list args;
	void *arg;

	va_start(args, command);
	arg = va_arg(args, void *);
	va_end(args);
	if (no_locks) {
		errno = ENOLCK;
		return -1;
	}
	return (int) syscall(SYS_fcntl, fd, command, arg);
}

static int group_setup(void **state)
{
	(void) state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(file, sizeof(file), "%s/.lock", dir);
	return 0;
}

static int group_teardown(void **state)
{
	(void) state;
	return wt_fs_remove_tree(dir, NULL);
}

static int child_code(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* The errno that another process gets; 0: it has the lock, and ends with it. */
static int other_takes(void)
{
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0)
		_exit(run_lock_take(dir, NULL) < 0 ? errno : 0);
	return child_code(child);
}

static int other_checks(const char *expected)
{
	pid_t child = fork();
	struct wt_error error = { .text = "" };
	int rc;

	assert_true(child >= 0);
	if (child == 0) {
		rc = run_lock_check(dir, &error) < 0 ? errno : 0;
		_exit(strcmp(error.text, expected) ? 255 : rc);
	}
	return child_code(child);
}

static void test_one_at_a_time(void **state)
{
	char text[128];
	int fd = run_lock_take(dir, NULL);

	(void) state;
	assert_true(fd >= 0);
	snprintf(text, sizeof(text), "%s: a run goes on in this folder, as process %ld", dir, (long) getpid());
	assert_int_equal(other_takes(), EBUSY);
	assert_int_equal(other_checks(text), EBUSY);
	assert_int_equal(other_takes(), EBUSY);		/* asking has not freed it */
	errno = ENOTTY;
	run_lock_drop(dir, fd);
	assert_int_equal(errno, ENOTTY);
	assert_int_equal(access(file, F_OK), -1);
	assert_int_equal(other_checks(""), 0);
	assert_int_equal(access(file, F_OK), -1);	/* nor made one */
	assert_int_equal(other_takes(), 0);
	run_lock_drop(dir, -1);				/* not that of another */
	assert_int_equal(access(file, F_OK), 0);
	assert_int_equal(unlink(file), 0);
}

/* Who asks, takes in vain or opens the file himself does not lose what he holds: a lock of the process would go with the
 * first descriptor of the file that it closes. */
static void test_asking_oneself(void **state)
{
	int fd = run_lock_take(dir, NULL), again;

	(void) state;
	assert_true(fd >= 0);
	assert_int_equal(run_lock_check(dir, NULL), -1);
	assert_int_equal(errno, EBUSY);
	assert_int_equal(other_takes(), EBUSY);
	assert_int_equal(run_lock_take(dir, NULL), -1);
	assert_int_equal(errno, EBUSY);
	again = open(file, O_RDONLY | O_CLOEXEC);
	assert_true(again >= 0);
	close(again);
	assert_int_equal(other_takes(), EBUSY);
	run_lock_drop(dir, fd);
	assert_int_equal(other_takes(), 0);
	assert_int_equal(unlink(file), 0);
}

/* A file system without locks, as some servers of NFS: no run is taken to go on there, and one can be begun. */
static void test_no_locks(void **state)
{
	int fd;

	(void) state;
	no_locks = true;
	fd = run_lock_take(dir, NULL);
	assert_true(fd >= 0);
	assert_int_equal(run_lock_check(dir, NULL), 0);
	run_lock_drop(dir, fd);
	no_locks = false;
	assert_int_equal(access(file, F_OK), -1);
}

/* However its holder ends: the file that it leaves holds nothing. */
static void test_ends_with_its_holder(void **state)
{
	int ready[2], fd, status;
	struct wt_error error;
	pid_t holder;
	char byte;

	(void) state;
	assert_int_equal(pipe(ready), 0);
	holder = fork();
	assert_true(holder >= 0);
	if (holder == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		byte = run_lock_take(dir, NULL) < 0 ? 'n' : 'y';
		if (write(ready[1], &byte, 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(byte, 'y');
	assert_int_equal(run_lock_take(dir, &error), -1);
	assert_int_equal(errno, EBUSY);
	assert_non_null(strstr(error.text, "a run goes on in this folder"));
	assert_int_equal(kill(holder, SIGKILL), 0);
	assert_int_equal(waitpid(holder, &status, 0), holder);
	assert_int_equal(access(file, F_OK), 0);
	assert_int_equal(other_checks(""), 0);
	fd = run_lock_take(dir, NULL);
	assert_true(fd >= 0);
	run_lock_drop(dir, fd);
	close(ready[0]);
	close(ready[1]);
}

static void refused(int take_errno)
{
	struct wt_error error;

	assert_int_equal(run_lock_take(dir, &error), -1);
	assert_int_equal(errno, take_errno);
	assert_memory_equal(error.text, file, strlen(file));
	assert_int_equal(run_lock_check(dir, &error), -1);
	assert_int_equal(errno, EINVAL);
	assert_memory_equal(error.text, file, strlen(file));
	assert_int_equal(remove(file), 0);
}

static void test_no_file(void **state)
{
	char target[sizeof(dir) + 8];
	struct stat st;

	(void) state;
	assert_int_equal(mkfifo(file, 0600), 0);
	refused(EINVAL);
	assert_int_equal(mkdir(file, 0700), 0);
	refused(EISDIR);
	snprintf(target, sizeof(target), "%s/other", dir);
	assert_int_equal(symlink(target, file), 0);
	refused(ELOOP);
	assert_int_equal(lstat(target, &st), -1);	/* nothing was made behind the link */
}

static void test_no_folder(void **state)
{
	char missing[sizeof(dir) + 16], in_file[sizeof(dir) + 16];
	struct wt_error error;

	(void) state;
	snprintf(missing, sizeof(missing), "%s/missing", dir);
	assert_int_equal(run_lock_take(missing, &error), -1);
	assert_int_equal(errno, ENOENT);
	assert_memory_equal(error.text, missing, strlen(missing));
	assert_int_equal(run_lock_check(missing, NULL), 0);
	snprintf(in_file, sizeof(in_file), "%s/file", dir);
	assert_int_equal(wt_fs_write(in_file, "", 0, 0600, NULL), 0);
	assert_int_equal(run_lock_take(in_file, NULL), -1);
	assert_int_equal(errno, ENOTDIR);
	assert_int_equal(run_lock_check(in_file, NULL), 0);
}

/* Exit code: 0, it was always alone when it had the lock. */
static int take_and_drop(unsigned int times)
{
	char inside[sizeof(dir) + 8];
	int alone = 1;

	snprintf(inside, sizeof(inside), "%s/inside", dir);
	while (times > 0 && alone) {
		int fd = run_lock_take(dir, NULL), mark;

		if (fd < 0 && errno != EBUSY)
			return errno;
		if (fd < 0)
			continue;
		times--;
		mark = open(inside, O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		alone = mark >= 0 && close(mark) == 0 && unlink(inside) == 0;
		run_lock_drop(dir, fd);
	}
	return alone ? 0 : 255;
}

/* A taker that opens the file of a run which is just ending, and removes it, has taken nothing. */
static void test_never_two(void **state)
{
	pid_t children[4];

	(void) state;
	for (int i = 0; i < 4; i++) {
		children[i] = fork();
		assert_true(children[i] >= 0);
		if (children[i] == 0)
			_exit(take_and_drop(500));
	}
	for (int i = 0; i < 4; i++)
		assert_int_equal(child_code(children[i]), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_at_a_time), cmocka_unit_test(test_asking_oneself), cmocka_unit_test(test_no_locks),
		cmocka_unit_test(test_ends_with_its_holder),
		cmocka_unit_test(test_no_file),	      cmocka_unit_test(test_no_folder),
		cmocka_unit_test(test_never_two),
	};

	return cmocka_run_group_tests_name("run_lock", tests, group_setup, group_teardown);
}
