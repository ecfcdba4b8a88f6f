/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/vnode/wire/power_notice.h"

#define S INT64_C(1000000)

struct notice_world {
	char folder[64], program[96], said[96];
	struct wt_notices *notices;
};

static int told_begin(void **state)
{
	struct notice_world *t = calloc(1, sizeof(*t));
	FILE *file;

	assert_non_null(t);
	strcpy(t->folder, "/tmp/wt-notice.XXXXXX");
	assert_non_null(mkdtemp(t->folder));
	snprintf(t->program, sizeof(t->program), "%s/program", t->folder);
	snprintf(t->said, sizeof(t->said), "%s/said", t->folder);
	file = fopen(t->program, "w");
	assert_non_null(file);
	/* Long lists by their length. */
	fprintf(file, "#!/bin/sh\nif [ ${#1} -gt 40 ]; then set -- ${#1} $2; fi\necho $# $1 $2 >>%s\n"
		"kill -TERM $$\n", t->said);
	fclose(file);
	assert_int_equal(chmod(t->program, 0755), 0);
	t->notices = wt_notices_create(t->program);
	assert_non_null(t->notices);
	*state = t;
	return 0;
}

static int told_end(void **state)
{
	struct notice_world *t = *state;

	wt_notices_destroy(t->notices);
	unlink(t->said);
	unlink(t->program);
	rmdir(t->folder);
	free(t);
	return 0;
}

/* All programs have ended, by the signal that they send themselves. */
static void expect(const struct notice_world *t, int programs, const char *text)
{
	char said[512] = "";
	FILE *file;
	int status;

	for (int i = 0; i < programs; i++) {
		assert_true(wait(&status) > 0);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
	}
	assert_true(wait(&status) < 0 && errno == ECHILD);
	file = fopen(t->said, "r");
	if (file) {
		assert_true(fread(said, 1, sizeof(said) - 1, file) < sizeof(said) - 1);
		fclose(file);
	}
	assert_string_equal(said, text);
	unlink(t->said);
}

static void test_nodes_are_told_together(void **state)
{
	struct notice_world *t = *state;

	assert_int_equal(wt_notices_send(t->notices, NULL), 0);
	expect(t, 0, "");
	assert_int_equal(wt_notices_add(t->notices, "n0", 120 * S, NULL), 0);
	assert_int_equal(wt_notices_add(t->notices, "n7", 120 * S + 999999, NULL), 0);
	expect(t, 0, "");
	assert_int_equal(wt_notices_send(t->notices, NULL), 0);
	expect(t, 1, "2 n0,n7 120\n");
	assert_int_equal(wt_notices_send(t->notices, NULL), 0);
	expect(t, 0, "");
}

static void test_another_time_is_another_call(void **state)
{
	struct notice_world *t = *state;

	assert_int_equal(wt_notices_add(t->notices, "n0", 120 * S, NULL), 0);
	assert_int_equal(wt_notices_add(t->notices, "n1", 30 * S, NULL), 0);
	expect(t, 1, "2 n0 120\n");
	assert_int_equal(wt_notices_send(t->notices, NULL), 0);
	expect(t, 1, "2 n1 30\n");
}

static void test_without_a_time(void **state)
{
	struct notice_world *t = *state;

	assert_int_equal(wt_notices_add(t->notices, "n0", 0, NULL), 0);
	assert_int_equal(wt_notices_add(t->notices, "n1", WT_NOTICE_NO_TIME, NULL), 0);
	expect(t, 1, "2 n0 0\n");
	assert_int_equal(wt_notices_add(t->notices, "n2", WT_NOTICE_NO_TIME, NULL), 0);
	assert_int_equal(wt_notices_send(t->notices, NULL), 0);
	expect(t, 1, "1 n1,n2\n");
}

static void test_long_lists_are_cut(void **state)
{
	struct notice_world *t = *state;
	char name[16];

	for (int i = 10000; i < 30000; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		assert_int_equal(wt_notices_add(t->notices, name, S, NULL), 0);
	}
	/* 9,362 names of six bytes and a comma are the most below 65,536. */
	for (int i = 0; i < 2; i++)
		wait(NULL);
	unlink(t->said);
	assert_int_equal(wt_notices_send(t->notices, NULL), 0);
	expect(t, 1, "2 8931 1\n");
}

/* The program begins with all signals as they are by default. */
static void test_signals_of_ours_are_not_its(void **state)
{
	struct notice_world *t = *state;
	sigset_t term;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	signal(SIGTERM, SIG_IGN);
	assert_int_equal(wt_notices_add(t->notices, "n0", 0, NULL), 0);
	assert_int_equal(wt_notices_send(t->notices, NULL), 0);
	expect(t, 1, "2 n0 0\n");
	signal(SIGTERM, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &term, NULL);
}

static void test_no_program(void **state)
{
	struct notice_world *t = *state;
	struct wt_error err;

	assert_int_equal(wt_notices_add(NULL, "n0", S, &err), 0);
	assert_int_equal(wt_notices_send(NULL, &err), 0);
	wt_notices_destroy(NULL);
	unlink(t->program);
	assert_int_equal(wt_notices_add(t->notices, "n0", S, &err), 0);
	assert_int_equal(wt_notices_send(t->notices, &err), -1);
	assert_non_null(strstr(err.text, t->program));
	expect(t, 0, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nodes_are_told_together, told_begin, told_end),
		cmocka_unit_test_setup_teardown(test_another_time_is_another_call, told_begin, told_end),
		cmocka_unit_test_setup_teardown(test_without_a_time, told_begin, told_end),
		cmocka_unit_test_setup_teardown(test_long_lists_are_cut, told_begin, told_end),
		cmocka_unit_test_setup_teardown(test_signals_of_ours_are_not_its, told_begin, told_end),
		cmocka_unit_test_setup_teardown(test_no_program, told_begin, told_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
