/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/vnode/wire/line_server.h"

struct lines_world {
	struct ev_loop *loop;
	struct wt_lines *lines;
	char folder[64], path[96];
};

/* "close" has no answer. */
static char *echo(void *arg, char *line)
{
	char *answer;

	(void) arg;
	if (strcmp(line, "close") == 0)
		return NULL;
	return asprintf(&answer, "heard %s", line) < 0 ? NULL : answer;
}

static int lines_open(void **state)
{
	struct lines_world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	*state = w;
	w->loop = ev_loop_new(0);
	strcpy(w->folder, "/tmp/wt-lines.XXXXXX");
	assert_non_null(mkdtemp(w->folder));
	snprintf(w->path, sizeof(w->path), "%s/s", w->folder);
	w->lines = wt_lines_create(w->loop, w->path, echo, NULL, NULL);
	return w->lines ? 0 : -1;
}

static int lines_close(void **state)
{
	struct lines_world *w = *state;

	wt_lines_destroy(w->lines);
	assert_int_equal(access(w->path, F_OK), -1);
	rmdir(w->folder);
	ev_loop_destroy(w->loop);
	free(w);
	return 0;
}

static int caller_connect(const struct lines_world *w)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	strcpy(name.sun_path, w->path);
	assert_int_equal(connect(fd, (struct sockaddr *) &name, sizeof(name)), 0);
	assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	return fd;
}

static void caller_say(int fd, const char *text)
{
	assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* Runs the loop until the caller has so many lines, or its connection is closed.  Their text is in 'out'. */
static void caller_hear(struct lines_world *w, int fd, int lines, char *out, size_t size)
{
	size_t len = 0;
	ssize_t n = -1;

	while (lines > 0 && n != 0) {
		ev_run(w->loop, EVRUN_NOWAIT);
		n = recv(fd, out + len, 1, 0);
		if (n > 0 && out[len++] == '\n')
			lines--;
		assert_true(len < size);
	}
	out[len] = '\0';
}

static void test_lines_are_answered_in_their_order(void **state)
{
	char out[256];
	int fd = caller_connect(*state);

	caller_say(fd, "one\ntwo\nthr");
	caller_hear(*state, fd, 2, out, sizeof(out));
	assert_string_equal(out, "heard one\nheard two\n");
	caller_say(fd, "ee\n\n");
	caller_hear(*state, fd, 2, out, sizeof(out));
	assert_string_equal(out, "heard three\nheard \n");
	caller_say(fd, "close\nafter\n");
	caller_hear(*state, fd, 1, out, sizeof(out));
	assert_string_equal(out, "");
	close(fd);
}

static void test_a_line_without_an_end_is_cut_off(void **state)
{
	struct lines_world *w = *state;
	char *much = malloc(1 << 16), out[8];
	int fd = caller_connect(w);
	size_t sent = 0;
	ssize_t n;

	memset(much, 'a', 1 << 16);
	while ((n = send(fd, much, 1 << 16, MSG_NOSIGNAL)) >= 0 || errno == EAGAIN) {
		sent += n > 0 ? (size_t) n : 0;
		assert_true(sent < 4 * (size_t) WT_LINES_MAX);
		ev_run(w->loop, EVRUN_NOWAIT);
	}
	assert_true(sent >= WT_LINES_MAX);
	assert_true(recv(fd, out, sizeof(out), 0) <= 0);
	free(much);
	close(fd);
}

/* Another user's connection is closed unheard, even where the socket's mode would let it in. */
static void test_other_users(void **state)
{
	struct lines_world *w = *state;
	int status;
	pid_t child;

	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(w->folder, 0755), 0);
	assert_int_equal(chmod(w->path, 0666), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		char byte;
		int fd;

		alarm(120);
		if (setgid(65534) < 0 || setuid(65534) < 0)
			_exit(2);
		fd = caller_connect(w);
		fcntl(fd, F_SETFL, 0);
		send(fd, "one\n", 4, MSG_NOSIGNAL);
		_exit(recv(fd, &byte, 1, 0) > 0);
	}
	while (waitpid(child, &status, WNOHANG) == 0)
		ev_run(w->loop, EVRUN_NOWAIT);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void stop(struct ev_loop *loop, ev_timer *timer, int events)
{
	(void) timer;
	(void) events;
	ev_break(loop, EVBREAK_ALL);
}

/* Without descriptors the loop rests instead of turning as fast as it can, and the caller is served afterwards. */
static void test_no_descriptors(void **state)
{
	struct lines_world *w = *state;
	struct rlimit limit, none;
	int fd = caller_connect(w);
	ev_timer timer;
	char out[32];

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit) { .rlim_cur = (rlim_t) fd + 1, .rlim_max = limit.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	ev_timer_init(&timer, stop, 0.35, 0.);
	ev_timer_start(w->loop, &timer);
	unsigned int before = ev_iteration(w->loop);
	ev_run(w->loop, 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_in_range(ev_iteration(w->loop) - before, 1, 20);
	caller_say(fd, "late\n");
	caller_hear(w, fd, 1, out, sizeof(out));
	assert_string_equal(out, "heard late\n");
	close(fd);
}

static void test_bad_paths(void **state)
{
	struct lines_world *w = *state;
	char longer[200];
	struct wt_error err;

	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_null(wt_lines_create(w->loop, longer, echo, NULL, &err));
	assert_int_equal(errno, ENAMETOOLONG);
	assert_null(wt_lines_create(w->loop, "/nonexistent/s", echo, NULL, NULL));
	wt_lines_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_lines_are_answered_in_their_order, lines_open, lines_close),
		cmocka_unit_test_setup_teardown(test_a_line_without_an_end_is_cut_off, lines_open, lines_close),
		cmocka_unit_test_setup_teardown(test_other_users, lines_open, lines_close),
		cmocka_unit_test_setup_teardown(test_no_descriptors, lines_open, lines_close),
		cmocka_unit_test_setup_teardown(test_bad_paths, lines_open, lines_close),
	};

	return cmocka_run_group_tests_name("line_server", tests, NULL, NULL);
}
