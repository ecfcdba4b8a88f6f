/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "harness/clock/participant.h"

struct participant participant;	/* not attached */

static int listener(void)
{
	const struct sockaddr_in addr = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(bind(fd, (const struct sockaddr *) &addr, sizeof(addr)), 0);
	assert_int_equal(listen(fd, 1), 0);
	return fd;
}

static enum wt_wait_for kind_of(int a, int b)
{
	const struct pollfd fds[] = { { .fd = a }, { .fd = b } };

	return participant_wait_for_files(fds, 2);
}

static void test_kinds_of_files(void **state)
{
	int in[2], pair[2], listening = listener(), plain = socket(AF_INET, SOCK_STREAM, 0), file = dup(STDERR_FILENO);

	(void) state;
	assert_int_equal(pipe(in), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(kind_of(in[0], in[1]), WT_WAIT_PIPES);
	assert_int_equal(kind_of(listening, -1), WT_WAIT_CLIENTS);
	assert_int_equal(kind_of(-1, listening), WT_WAIT_CLIENTS);
	assert_int_equal(kind_of(pair[0], pair[1]), WT_WAIT_FILES);
	assert_int_equal(kind_of(plain, -1), WT_WAIT_FILES);
	close(file);
	assert_int_equal(kind_of(file, -1), WT_WAIT_FILES);
	assert_int_equal(kind_of(-1, -1), WT_WAIT_FILES);
	assert_int_equal(participant_wait_for_files(NULL, 0), WT_WAIT_FILES);
	/* Whatever one of them is woken by. */
	assert_int_equal(kind_of(listening, in[0]), WT_WAIT_FILES);
	assert_int_equal(kind_of(in[0], listening), WT_WAIT_FILES);
	assert_int_equal(kind_of(in[0], pair[0]), WT_WAIT_FILES);
	assert_int_equal(kind_of(pair[0], in[0]), WT_WAIT_FILES);
	for (int i = 0; i < 2; i++) {
		close(in[i]);
		close(pair[i]);
	}
	close(listening);
	close(plain);
}

static void test_a_listener_that_waits_for_data_is_a_file(void **state)
{
	int fd = listener(), on = 1;

	(void) state;
	assert_int_equal(setsockopt(fd, IPPROTO_TCP, TCP_DEFER_ACCEPT, &on, sizeof(on)), 0);
	assert_int_equal(kind_of(fd, -1), WT_WAIT_FILES);
	close(fd);
}

static void test_many_files_are_not_asked_for(void **state)
{
	struct pollfd fds[5];
	int in[2];

	(void) state;
	assert_int_equal(pipe(in), 0);
	for (int i = 0; i < 5; i++)
		fds[i] = (struct pollfd) { .fd = in[0] };
	assert_int_equal(participant_wait_for_files(fds, 4), WT_WAIT_PIPES);
	assert_int_equal(participant_wait_for_files(fds, 5), WT_WAIT_FILES);
	close(in[0]);
	close(in[1]);
}

static void test_errno_stays(void **state)
{
	(void) state;
	errno = EINTR;
	kind_of(-1, STDERR_FILENO);
	participant_send_file(-1);
	participant_send_connect();
	assert_int_equal(errno, EINTR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds_of_files),
		cmocka_unit_test(test_a_listener_that_waits_for_data_is_a_file),
		cmocka_unit_test(test_many_files_are_not_asked_for),
		cmocka_unit_test(test_errno_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
