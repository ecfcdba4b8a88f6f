/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/other_program.h"

static void test_in(void **state)
{
	char *path;

	(void) state;
	path = wt_program_in("/nonexistent::/bin:/usr/bin", "sh");
	assert_string_equal(path, "/bin/sh");
	free(path);
	assert_null(wt_program_in("/nonexistent:/", "sh"));
	assert_null(wt_program_in("", "sh"));
	assert_null(wt_program_in(NULL, "sh"));
	/* What a folder that is not absolute leads to depends on where one stands. */
	assert_int_equal(chdir("/bin"), 0);
	assert_null(wt_program_in(".", "sh"));
	assert_null(wt_program_in(":", "sh"));
}

static int ask(const char *script, size_t max, char **said)
{
	char *const argv[] = { (char *) "/bin/sh", (char *) "-c", (char *) script, NULL };
	char *const env[] = { (char *) "WORD=given", NULL };

	return wt_program_ask(argv, env, max, said, NULL);
}

static void test_said(void **state)
{
	char *said;

	(void) state;
	assert_int_equal(ask("echo $WORD; echo more >&2; exit 3", 1000, &said), 3);
	assert_string_equal(said, "given\nmore\n");
	free(said);
	assert_int_equal(ask("cat", 1000, &said), 0);	/* nothing to read, and it does not wait for us */
	assert_string_equal(said, "");
	free(said);
	assert_int_equal(ask("kill -9 $$", 1000, &said), 128 + 9);
	free(said);
}

/* What is more than is wanted is read, too, or it would wait for ever. */
static void test_long(void **state)
{
	char *said;

	(void) state;
	assert_int_equal(ask("i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i + 1)); done", 5, &said), 0);
	assert_string_equal(said, "01234");
	free(said);
}

static void test_none(void **state)
{
	char *const argv[] = { (char *) "/nonexistent/program", NULL };
	struct wt_error err;
	char *said;

	(void) state;
	assert_int_equal(wt_program_ask(argv, argv + 1, 10, &said, &err), -1);
	assert_int_equal(errno, ENOENT);
	assert_null(said);
	assert_non_null(strstr(err.text, "/nonexistent/program"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in), cmocka_unit_test(test_said), cmocka_unit_test(test_long),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests_name("other_program", tests, NULL, NULL);
}
