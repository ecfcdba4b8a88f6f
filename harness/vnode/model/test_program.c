/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fs.h"
#include "harness/vnode/model/program.h"

static char top[] = "/tmp/wt-program.XXXXXX", program_path[64], own_path[64];

static void file_make(const char *name, const char *text, size_t len, mode_t mode)
{
	char path[80];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	assert_int_equal(wt_fs_write(path, text, len, 0600, NULL), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static int setup(void **state)
{
	(void) state;
	if (!mkdtemp(top))
		return -1;
	snprintf(program_path, sizeof(program_path), "PATH=/nowhere:%s/bin:/usr/bin:/bin", top);
	snprintf(own_path, sizeof(own_path), "%s/bin", top);
	if (mkdir(own_path, 0755) < 0)
		return -1;
	file_make("script", "#! /bin/sh -e\nsleep 3\n", 22, 0755);
	file_make("bin/tool", "\x7f" "ELF\0\0", 6, 0755);
	file_make("bad", "#!/no/such/sh -x\nsleep 3\n", 26, 0755);
	file_make("text", "plain text\n", 11, 0755);
	file_make("empty", "", 0, 0755);
	file_make("noexec", "#!/bin/sh\n", 10, 0644);
	return 0;
}

static int teardown(void **state)
{
	(void) state;
	return wt_fs_remove_tree(top, NULL);
}

static void look(struct wt_program *p, const char *command, int error, bool own)
{
	char *environment[] = { NULL, program_path };

	wt_program_look(p, command, top, environment, 2);
	if (p->error != error || p->own != own)
		fail_msg("%s: error %d, own %d (%s)", command, p->error, p->own, p->complaint);
	assert_true(!*p->complaint == !error);
}

static void expect(const char *command, int error, bool own, const char *complaint)
{
	struct wt_program p;
	char want[300];

	look(&p, command, error, own);
	snprintf(want, sizeof(want), complaint, top);
	assert_string_equal(p.complaint, want);
	wt_program_clear(&p);
}

static void test_good(void **state)
{
	struct wt_program p;

	(void) state;
	look(&p, "./script", 0, true);
	assert_string_equal(p.script, "#! /bin/sh -e\nsleep 3\n");
	wt_program_clear(&p);
	assert_null(p.script);
	expect("tool", 0, true, "");
	expect("bin/tool", 0, true, "");	/* not in PATH: beneath the task's folder */
	expect("/bin/sh", 0, false, "");
	expect("sleep", 0, false, "");
}

/* The words are those of a real slurmstepd. */
static void test_bad(void **state)
{
	(void) state;
	expect("./no-such-program", ENOENT, true, "execve(): %s/./no-such-program: No such file or directory");
	expect("no-such-program", ENOENT, true, "execve(): no-such-program: No such file or directory");
	expect("/no/such", ENOENT, true, "execve(): /no/such: No such file or directory");
	expect("./script/x", ENOTDIR, true, "execve(): %s/./script/x: Not a directory");
	expect("/tmp", EACCES, true, "execve(): /tmp: Permission denied");
	expect("/dev/null", EACCES, true, "execve(): /dev/null: Permission denied");
	expect("./noexec", EACCES, true, "execve(): %s/./noexec: Permission denied");
	expect("./text", ENOEXEC, true, "execve(): %s/./text: Exec format error");
	expect("./empty", ENOEXEC, true, "execve(): %s/./empty: Exec format error");
	expect("./bad", ENOENT, true, "execve(): bad interpreter(/no/such/sh -x): No such file or directory");
}

static void test_odd(void **state)
{
	struct wt_program p;
	char longest[2 * PATH_MAX];

	(void) state;
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	wt_program_look(&p, longest, top, NULL, 0);
	wt_program_clear(&p);
	longest[0] = '/';
	wt_program_look(&p, longest, top, NULL, 0);
	wt_program_clear(&p);
	longest[300] = '\0';
	wt_program_look(&p, longest, top, NULL, 0);
	assert_int_equal(p.error, ENAMETOOLONG);
	wt_program_look(&p, "./x", "/no/such/folder", NULL, 0);
	assert_int_equal(p.error, ENOENT);
	assert_string_equal(p.complaint, "execve(): /tmp/./x: No such file or directory");
	wt_program_look(&p, "", top, NULL, 0);
	wt_program_clear(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_good), cmocka_unit_test(test_bad),
					    cmocka_unit_test(test_odd) };

	return cmocka_run_group_tests(tests, setup, teardown);
}
