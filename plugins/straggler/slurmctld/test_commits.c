/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The right to publish, asked for by many at once over the port: with a munged of its own. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "plugins/straggler/slurmctld/test_port.h"

/* One question is under way on the socket that is returned. */
static int question(uint32_t task, enum port_commit operation)
{
	char *credential = commit_sealed(task, operation, 1);
	int fd = frame_sent(credential, strlen(credential));

	free(credential);
	return fd;
}

static void commits_wait(uint64_t want)
{
	uint64_t got = 0;

	for (int i = 0; i < 1500 && got < want; i++) {
		if (i)
			nap();
		pthread_mutex_lock(&service.lock);
		got = wt_spec_counters(service.spec)->commits;
		pthread_mutex_unlock(&service.lock);
	}
	assert_int_equal(got, want);
}

static bool silent(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0 && errno == EAGAIN;
}

/* While the first one is being written, which takes as long as we like, all others ask: they are written together. */
static void test_together(void **state)
{
	int fds[TASKS];

	(void) state;
	for (enum port_commit operation = WT_COMMIT_ACQUIRE; operation <= WT_COMMIT_DONE; operation++) {
		uint64_t before = service.saves;

		pthread_mutex_lock(&service.save_lock);
		fds[0] = question(0, operation);
		if (operation == WT_COMMIT_ACQUIRE)
			commits_wait(1);
		for (uint32_t i = 1; i < TASKS; i++)
			fds[i] = question(i, operation);
		for (uint32_t i = 0; i < TASKS; i++)
			assert_true(silent(fds[i]));	/* not on the disk: not told */
		for (int i = 0; i < 15; i++)	/* until the strangers' budget has enough for all of them */
			nap();
		assert_int_equal(service.saves, before);
		pthread_mutex_unlock(&service.save_lock);
		for (uint32_t i = 0; i < TASKS; i++)
			assert_int_equal(told(fds[i], i), PORT_OK);
		/* not one each; how many depends on how fast munge is */
		assert_in_range(service.saves - before, 1, TASKS / 4);
	}
	assert_int_equal(errors, 0);
}

/* All that was told is in the file: another start of a task does not get its right. */
static void test_in_the_file(void **state)
{
	struct wt_spec *rights = wt_spec_create(&conf.spec, NULL);
	struct port_message message = { .kind = PORT_COMMIT, .operation = WT_COMMIT_ACQUIRE, .array_job_id = ARRAY,
		.instance = 2,
				.acquisition = 1 };
	int fds[TASKS], fd;
	char text[8192];
	ssize_t len;

	(void) state;
	for (uint32_t i = 0; i < TASKS; i++)
		fds[i] = question(i, WT_COMMIT_ACQUIRE);
	for (uint32_t i = 0; i < TASKS; i++)
		assert_int_equal(told(fds[i], i), PORT_OK);
	fd = open(service.store.path, O_RDONLY);
	len = read(fd, text, sizeof(text));
	close(fd);
	assert_in_range(len, 1, sizeof(text) - 1);
	text[len] = '\0';
	assert_int_equal(wt_spec_load(rights, strchr(text, '\n') + 1, (size_t) (len - (strchr(text, '\n') + 1 - text)),
				      NULL), 0);
	wt_spec_saved(rights, 2);
	for (uint32_t i = 0; i < TASKS; i++) {
		message.job_id = ARRAY + i;
		message.array_task_id = i;
		message.instance = 2;
		assert_int_equal(wt_spec_commit(rights, geteuid(), &message, 10, NULL), PORT_WAIT);
		message.instance = 1;
		assert_int_equal(wt_spec_commit(rights, geteuid(), &message, 10, NULL), PORT_OK);
	}
	wt_spec_destroy(rights);
}

/* What cannot be written is told to no attempt, and asking again helps once it can.  The log has one line of it, however
 * many ask. */
static void test_not_written(void **state)
{
	struct rlimit limit = { .rlim_cur = 60, .rlim_max = RLIM_INFINITY };	/* as of a full disk */

	(void) state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	for (int round = 0; round < 5; round++) {
		for (uint32_t i = 0; i < 3; i++)
			assert_int_equal(told(question(i, WT_COMMIT_ACQUIRE), i), PORT_BUSY);
	}
	assert_int_equal(errors, 1);
	limit.rlim_cur = RLIM_INFINITY;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(told(question(i, WT_COMMIT_ACQUIRE), i), PORT_OK);
}

/* A client that has gone when its turn comes delays no other. */
static void test_gone(void **state)
{
	struct linger at_once = { .l_onoff = 1 };
	int fd;

	(void) state;
	pthread_mutex_lock(&service.save_lock);
	fd = question(0, WT_COMMIT_ACQUIRE);
	commits_wait(1);
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	close(fd);
	pthread_mutex_unlock(&service.save_lock);
	assert_int_equal(told(question(1, WT_COMMIT_ACQUIRE), 1), PORT_OK);
	assert_int_equal(told(question(0, WT_COMMIT_ACQUIRE), 0), PORT_OK);	/* it still has it */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PORT(test_together), PORT(test_in_the_file),
		PORT(test_not_written), PORT(test_gone),
	};

	return cmocka_run_group_tests_name("commits", tests, munged_start, munged_stop);
}
