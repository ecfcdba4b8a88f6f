/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/proc.h"

/* A child that has execed (so that its environment is the one given), waits for a signal, and ignores SIGTERM if told. */
static pid_t child_start(const char *setting, bool ignore_term)
{
	char *const argv[] = { (char *) "sleep", (char *) "600", NULL };
	char *const envp[] = { (char *) setting, NULL };
	int ready[2];
	char c;
	pid_t pid;

	if (pipe2(ready, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		/* A failed test must leave nothing behind, nor keep prove waiting for the end of its output. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
		dup2(STDOUT_FILENO, STDERR_FILENO);
		signal(SIGTERM, ignore_term ? SIG_IGN : SIG_DFL);
		execve("/bin/sleep", argv, envp);
		_exit(127);
	}
	close(ready[1]);
	while (read(ready[0], &c, 1) < 0 && errno == EINTR)
		;		/* the pipe closes at execve */
	close(ready[0]);
	return pid;
}

static void test_identify(void **state)
{
	struct wt_proc self, other;
	struct wt_error err;

	(void) state;
	assert_int_equal(wt_proc_identify(getpid(), &self, NULL), 0);
	assert_true(wt_proc_alive(&self));
	other = self;
	other.start_time++;
	assert_false(wt_proc_alive(&other));
	assert_int_equal(wt_proc_open(&other, &err), -1);
	assert_int_equal(errno, ESRCH);
	assert_int_equal(wt_proc_identify(0, &other, &err), -1);
	assert_int_equal(errno, ESRCH);
	assert_int_equal(wt_proc_identify(-1, &other, NULL), -1);
}

static void test_zombie_has_ended(void **state)
{
	pid_t pid = fork();
	struct wt_proc proc;
	siginfo_t info;

	(void) state;
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t) pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(wt_proc_identify(pid, &proc, NULL), -1);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void test_end(void **state)
{
	for (int ignore = 0; ignore < 2; ignore++) {
		pid_t pid = child_start("A=B", ignore);
		struct wt_proc proc;
		int status;

		(void) state;
		assert_true(pid > 0);
		assert_int_equal(wt_proc_identify(pid, &proc, NULL), 0);
		assert_int_equal(wt_proc_end(&proc, ignore ? 300 : 60000, NULL), 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(WTERMSIG(status), ignore ? SIGKILL : SIGTERM);
		assert_int_equal(wt_proc_end(&proc, 300, NULL), 0);
	}
}

static void test_end_spares_a_successor(void **state)
{
	pid_t pid = child_start("A=B", false);
	struct wt_proc proc;

	(void) state;
	assert_int_equal(wt_proc_identify(pid, &proc, NULL), 0);
	proc.start_time--;
	assert_int_equal(wt_proc_end(&proc, 0, NULL), 0);
	proc.start_time++;
	assert_true(wt_proc_alive(&proc));
	assert_int_equal(wt_proc_end(&proc, 0, NULL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void *thread_wait(void *arg)
{
	int *pipe_fd = arg;
	pid_t tid = gettid();
	char c;

	if (write(pipe_fd[0], &tid, sizeof(tid)) != sizeof(tid) || read(pipe_fd[1], &c, 1) < 0)
		return arg;
	return NULL;
}

/* pidfd_open has an error of its own for it, as for a process that is being reaped: what we look for has ended all the
 * same. */
static void test_successor_is_a_thread(void **state)
{
	int to_us[2], to_it[2], fds[2];
	struct wt_proc proc;
	pthread_t thread;
	pid_t tid;
	void *failed;

	(void) state;
	assert_int_equal(pipe(to_us) | pipe(to_it), 0);
	fds[0] = to_us[1];
	fds[1] = to_it[0];
	assert_int_equal(pthread_create(&thread, NULL, thread_wait, fds), 0);
	assert_int_equal(read(to_us[0], &tid, sizeof(tid)), sizeof(tid));
	assert_int_equal(wt_proc_identify(tid, &proc, NULL), 0);
	proc.start_time--;
	assert_int_equal(wt_proc_open(&proc, NULL), -1);
	assert_int_equal(errno, ESRCH);
	assert_int_equal(wt_proc_end(&proc, 0, NULL), 0);
	close(to_it[1]);
	assert_int_equal(pthread_join(thread, &failed), 0);
	assert_null(failed);
	close(to_it[0]);
	close(to_us[0]);
	close(to_us[1]);
}

static void test_wait_times_out(void **state)
{
	struct wt_proc self;
	struct wt_error err;
	int fd;

	(void) state;
	assert_int_equal(wt_proc_identify(getpid(), &self, NULL), 0);
	fd = wt_proc_open(&self, NULL);
	assert_true(fd >= 0);
	assert_int_equal(wt_proc_wait(fd, 1, &err), -1);
	assert_int_equal(errno, ETIMEDOUT);
	close(fd);
}

static void test_find(void **state)
{
	char setting[64], value[32];
	struct wt_proc *list;
	pid_t pid;
	size_t n;

	(void) state;
	snprintf(value, sizeof(value), "unique-%ld", (long) getpid());
	snprintf(setting, sizeof(setting), "WT_TEST=%s", value);
	assert_int_equal(wt_proc_find_env("WT_TEST", value, &list, &n, NULL), 0);
	assert_int_equal(n, 0);
	free(list);
	pid = child_start(setting, false);
	assert_int_equal(wt_proc_find_env("WT_TEST", value, &list, &n, NULL), 0);
	assert_int_equal(n, 1);
	assert_int_equal(list[0].pid, pid);
	free(list);
	value[7]++;
	assert_int_equal(wt_proc_find_env("WT_TEST", value, &list, &n, NULL), 0);
	assert_int_equal(n, 0);
	free(list);
	assert_int_equal(wt_proc_find_children(getpid(), &list, &n, NULL), 0);
	assert_int_equal(n, 1);
	assert_int_equal(list[0].pid, pid);
	assert_int_equal(wt_proc_end(&list[0], 0, NULL), 0);
	free(list);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_identify),
		cmocka_unit_test(test_zombie_has_ended),
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_end_spares_a_successor),
		cmocka_unit_test(test_successor_is_a_thread),
		cmocka_unit_test(test_wait_times_out),
		cmocka_unit_test(test_find),
	};

	int fd = pidfd_open(getpid(), 0);

	if (fd < 0 && errno == ENOSYS) {
		printf("1..0 # SKIP no pidfd_open (an old kernel, or valgrind)\n");
		return 0;
	}
	close(fd);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
