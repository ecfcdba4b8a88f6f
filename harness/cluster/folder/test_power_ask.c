/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs of SuspendProgram and ResumeProgram are told, and that they come to an end. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/cluster/folder/power_programs.h"
#include "lib/fs.h"
#include "lib/test_cmocka.h"

struct nodes {			/* a folder with a socket, where the test stands in for the nodes' process */
	char dir[32];
	int fd;
};

static int setup(void **state)
{
	struct nodes *n = calloc(1, sizeof(*n));
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char path[64];

	assert_non_null(n);
	strcpy(n->dir, "/tmp/wt-test-XXXXXX");
	assert_non_null(mkdtemp(n->dir));
	snprintf(path, sizeof(path), "%s/nodes", n->dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/" WT_POWER_SOCKET, n->dir);
	n->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(n->fd >= 0);
	assert_int_equal(bind(n->fd, (const struct sockaddr *) &address, sizeof(address)), 0);
	assert_int_equal(listen(n->fd, 8), 0);
	*state = n;
	return 0;
}

static int teardown(void **state)
{
	struct nodes *n = *state;

	close(n->fd);
	wt_fs_remove_tree(n->dir, NULL);
	free(n);
	return 0;
}

/* One caller gets this answer, from a process of its own. */
static pid_t answer_once(const struct nodes *n, const char *answer)
{
	char line[64] = "";
	size_t len = 0;
	pid_t pid = fork();
	int fd;

	if (pid)
		return pid;
	fd = accept(n->fd, NULL, NULL);
	/* The whole line, which may come in pieces: who closes before its end is asked again. */
	while (fd >= 0 && !memchr(line, '\n', len)) {
		ssize_t n = recv(fd, line + len, sizeof(line) - len, 0);

		if (n <= 0)
			_exit(1);
		len += (size_t) n;
	}
	_exit(fd < 0 || send(fd, answer, strlen(answer), MSG_NOSIGNAL) < 0);
}

static void test_answers(void **state)
{
	const struct nodes *n = *state;
	struct wt_error err;
	char *answer = NULL;
	int status;
	pid_t pid = answer_once(n, "ok 2 n0=on n1=off\n");

	assert_int_equal(wt_power_ask(n->dir, "state n[0-1] 0", 60, &answer, &err), 0);
	assert_string_equal(answer, "2 n0=on n1=off");
	free(answer);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	pid = answer_once(n, "error there is no node n8\n");
	assert_int_equal(wt_power_ask(n->dir, "on n8 0", 60, NULL, &err), -1);
	assert_string_equal(err.text, "there is no node n8");
	assert_int_equal(waitpid(pid, &status, 0), pid);
}

static void test_a_process_that_is_silent(void **state)
{
	const struct nodes *n = *state;
	struct wt_error err;

	alarm(300);	/* without a limit it would wait for ever */
	assert_int_equal(wt_power_ask(n->dir, "on n0 0", 1, NULL, &err), -1);
	assert_int_equal(errno, ETIMEDOUT);
	assert_non_null(strstr(err.text, "does not answer"));
	alarm(0);
}

static void test_a_list_that_is_too_long(void **state)
{
	const struct nodes *n = *state;
	char *line = malloc((1u << 20) + 1);
	struct wt_error err;

	assert_non_null(line);
	memset(line, 'n', 1u << 20);
	line[1u << 20] = '\0';
	assert_int_equal(wt_power_ask(n->dir, line, 1, NULL, &err), -1);
	assert_int_equal(errno, E2BIG);
	free(line);
}

static void test_folders_without_virtual_nodes(void **state)
{
	const struct nodes *n = *state;
	struct wt_error err;
	char path[64];

	assert_int_equal(wt_power_folder_check(n->dir, &err), -1);
	assert_int_equal(errno, ENOENT);
	assert_non_null(strstr(err.text, "no emulated cluster"));
	snprintf(path, sizeof(path), "%s/cluster.json", n->dir);
	assert_int_equal(wt_fs_write(path, "{", 1, 0600, &err), 0);
	assert_int_equal(wt_power_folder_check(n->dir, &err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_answers, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_process_that_is_silent, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_list_that_is_too_long, setup, teardown),
		cmocka_unit_test_setup_teardown(test_folders_without_virtual_nodes, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
