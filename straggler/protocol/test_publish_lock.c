/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A command that publishes longer than its wt-commit and its script live. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "straggler/protocol/publish_lock.h"
#include "lib/clock.h"

static char path[] = "/tmp/wt-publish.XXXXXX";
static int words[2], go[2];	/* what all say, in its order; a reader of 'go' waits until no process can write to it */

static int locks_fail;	/* so many calls of flock () with LOCK_EX, for want of memory in the kernel */

/* libc's, as the code under test calls it. */
int flock(int fd, int operation)
{
	if ((operation & LOCK_EX) && locks_fail > 0) {
		locks_fail--;
		errno = ENOLCK;
		return -1;
	}
	return (int) syscall(SYS_flock, fd, operation);
}

static char word_read(void)
{
	char word;

	return read(words[0], &word, 1) == 1 ? word : 0;
}

/* Says "b" and, at its end, "e", out of reach of signals to its process group or its session. */
static void command_exec(void)
{
	setsid();
	dup2(go[0], STDIN_FILENO);
	dup2(words[1], STDOUT_FILENO);
	close(go[1]);
	execl("/bin/sh", "sh", "-c", "printf b; read line; printf e", (char *) NULL);
	_exit(127);
}

/* A wt-commit that is killed while its command publishes. */
static void publisher_run(void)
{
	pid_t commit = fork();
	int status;

	if (commit == 0) {
		if (publish_lock(path, INT64_MAX) < 0)
			_exit(1);
		if (fork() == 0)
			command_exec();
		pause();
	}
	assert_int_equal(word_read(), 'b');
	assert_int_equal(kill(commit, SIGKILL), 0);
	assert_int_equal(waitpid(commit, &status, 0), commit);
	assert_true(WIFSIGNALED(status));
}

/* slurmstepd: says "f" when no process publishes. */
static pid_t stepd_start(uid_t uid, int64_t until_us)
{
	pid_t pid = fork();

	if (pid == 0) {
		close(go[1]);
		_exit(publish_end(path, uid, until_us) < 0 || write(words[1], "f", 1) != 1);
	}
	return pid;
}

static void ended_well(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static int pipes_make(void **state)
{
	(void) state;
	return pipe(words) < 0 || pipe(go) < 0 ? -1 : 0;
}

static int pipes_close(void **state)
{
	(void) state;
	close(words[0]);
	close(words[1]);
	close(go[0]);
	return 0;
}

static void test_waits(void **state)
{
	pid_t stepd;

	(void) state;
	publisher_run();
	stepd = stepd_start(geteuid(), INT64_MAX);
	wt_clock_sleep_until_us(wt_clock_real(), wt_clock_now_us(wt_clock_real()) + 300000);
	close(go[1]);
	assert_int_equal(word_read(), 'e');
	assert_int_equal(word_read(), 'f');
	ended_well(stepd);
}

/* Its time is over: it says nothing any more. */
static void test_ends(void **state)
{
	(void) state;
	publisher_run();
	ended_well(stepd_start(geteuid(), 0));
	close(go[1]);
	close(words[1]);
	assert_int_equal(word_read(), 'f');
	assert_int_equal(word_read(), 0);
}

/* No process of another user is killed, nor waited for beyond the time. */
static void test_another_users(void **state)
{
	(void) state;
	publisher_run();
	ended_well(stepd_start(geteuid() + 1, 0));
	assert_int_equal(word_read(), 'f');
	close(go[1]);
	assert_int_equal(word_read(), 'e');
}

/* A process that has the file open, and a lock of another kind on it, does not publish. */
static void test_other_locks(void **state)
{
	struct flock whole = { .l_type = F_WRLCK };
	pid_t other;

	(void) state;
	publisher_run();
	other = fork();
	if (other == 0) {
		int fd = open(path, O_RDWR | O_CLOEXEC);

		close(go[1]);
		if (fd < 0 || fcntl(fd, F_SETLK, &whole) < 0 || write(words[1], "o", 1) != 1)
			_exit(1);
		pause();
	}
	assert_int_equal(word_read(), 'o');
	ended_well(stepd_start(geteuid(), 0));
	close(go[1]);
	assert_int_equal(word_read(), 'f');
	assert_int_equal(waitpid(other, NULL, WNOHANG), 0);
	assert_int_equal(kill(other, SIGKILL), 0);
	assert_int_equal(waitpid(other, NULL, 0), other);
}

/* No process begins to publish while slurmctld is told that the script is dead; many may at a time before. */
static void test_begins(void **state)
{
	int first = publish_lock(path, 0), second = publish_lock(path, 0), stepd;

	(void) state;
	assert_true(first >= 0 && second >= 0);
	publish_unlock(first);
	publish_unlock(second);
	stepd = publish_end(path, geteuid(), INT64_MAX);
	assert_true(stepd >= 0);
	assert_int_equal(publish_lock(path, 0), -1);
	assert_int_equal(errno, EBUSY);
	close(stepd);
	first = publish_lock(path, 0);
	assert_true(first >= 0);
	publish_unlock(first);
	close(go[1]);
	assert_int_equal(publish_lock("/nowhere/9.1", 0), -1);
	assert_int_equal(errno, ENOENT);
	publish_unlock(-1);
	assert_int_equal(errno, ENOENT);
}

static int file_make(void **state)
{
	int fd = mkstemp(path);

	(void) state;
	return fd < 0 ? -1 : close(fd);
}

/* A lock that cannot be had is none: it is tried for until it can. */
static void test_no_lock(void **state)
{
	int fd;

	(void) state;
	locks_fail = 3;
	fd = publish_end(path, getuid(), INT64_MAX);
	assert_true(fd >= 0);
	assert_int_equal(locks_fail, 0);
	errno = 0;
	assert_int_equal(publish_lock(path, 0), -1);	/* it was had */
	assert_int_equal(errno, EBUSY);
	close(fd);
}

static int file_remove(void **state)
{
	(void) state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_waits, pipes_make, pipes_close),
		cmocka_unit_test_setup_teardown(test_ends, pipes_make, pipes_close),
		cmocka_unit_test_setup_teardown(test_another_users, pipes_make, pipes_close),
		cmocka_unit_test_setup_teardown(test_other_locks, pipes_make, pipes_close),
		cmocka_unit_test_setup_teardown(test_begins, pipes_make, pipes_close),
		cmocka_unit_test_setup_teardown(test_no_lock, pipes_make, pipes_close),
	};

	return cmocka_run_group_tests_name("publish_lock", tests, file_make, file_remove);
}
