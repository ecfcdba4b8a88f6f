/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wt_fs and wt_json: both are about files. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

#include "lib/fs.h"
#include "lib/json.h"

static char base[] = "/tmp/wt-test-fs.XXXXXX";

static const char *in_base(const char *name)
{
	static char path[4][256];
	static unsigned int next;
	char *p = path[next++ % 4];

	snprintf(p, sizeof(path[0]), "%s/%s", base, name);
	return p;
}

static int flags_errno;		/* what rename (2) with a flag fails with; 0: it does what it is for */

/* In the place of libc's: some file systems know no flag of it. */
int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned int flags)
{
	if (flags && flags_errno) {
		errno = flags_errno;
		return -1;
	}
	return (int) syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
}

static int group_setup(void **state)
{
	(void) state;
	return mkdtemp(base) ? 0 : -1;
}

static int group_teardown(void **state)
{
	(void) state;
	return wt_fs_remove_tree(base, NULL);
}

static void test_write_then_read(void **state)
{
	const char *path = in_base("f");
	struct stat st;
	char *text;
	size_t len;

	(void) state;
	assert_int_equal(wt_fs_write(path, "first", 5, 0644, NULL), 0);
	assert_int_equal(wt_fs_write(path, "a\0b", 3, 0400, NULL), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0400);
	assert_int_equal(wt_fs_read(path, 3, &text, &len, NULL), 0);
	assert_int_equal(len, 3);
	assert_memory_equal(text, "a\0b", 4);
	free(text);
}

static void test_read_refuses(void **state)
{
	struct wt_error err;
	char *text;

	(void) state;
	assert_int_equal(wt_fs_read(in_base("missing"), 9, &text, NULL, &err), -1);
	assert_int_equal(errno, ENOENT);
	assert_non_null(strstr(err.text, "missing"));
	assert_int_equal(wt_fs_write(in_base("long"), "12345", 5, 0600, NULL), 0);
	assert_int_equal(wt_fs_read(in_base("long"), 4, &text, NULL, &err), -1);
	assert_int_equal(errno, EFBIG);
	assert_int_equal(wt_fs_read(base, 4, &text, NULL, &err), -1);
	assert_int_equal(errno, EISDIR);
}

static void test_lines(void **state)
{
	const char *text = "one\n\n12345678\nlast";
	FILE *in = fmemopen((void *) (uintptr_t) text, strlen(text), "r");
	char *line = NULL;
	size_t size = 0;

	(void) state;
	assert_int_equal(wt_fs_line(in, &line, &size, 9), 4);
	assert_string_equal(line, "one\n");
	assert_int_equal(wt_fs_line(in, &line, &size, 9), 1);
	assert_int_equal(wt_fs_line(in, &line, &size, 9), 9);	/* the newline counts */
	assert_string_equal(line, "12345678\n");
	assert_int_equal(wt_fs_line(in, &line, &size, 9), 4);
	assert_string_equal(line, "last");
	errno = EIO;
	assert_int_equal(wt_fs_line(in, &line, &size, 9), -1);
	assert_int_equal(errno, 0);
	rewind(in);
	assert_int_equal(wt_fs_line(in, &line, &size, 3), -1);
	assert_int_equal(errno, EFBIG);
	free(line);
	fclose(in);
}

/* A pipe without a writer would be waited for; /dev/zero has no end. */
static void test_regular_only(void **state)
{
	const char *const paths[] = { in_base("pipe"), in_base("link"), "/" };
	struct wt_error err;
	char *text;

	(void) state;
	assert_int_equal(mkfifo(paths[0], 0600), 0);
	assert_int_equal(symlink("/dev/zero", paths[1]), 0);
	for (size_t i = 0; i < 3; i++) {
		errno = 0;
		assert_int_equal(wt_fs_read_regular(paths[i], 4096, &text, NULL, &err), -1);
		assert_int_equal(errno, EINVAL);
		assert_non_null(strstr(err.text, "is not a regular file"));
		assert_null(wt_fs_stream_regular(paths[i], NULL));
		assert_null(wt_json_load(paths[i], NULL));
	}
	assert_int_equal(wt_fs_open_regular("/nowhere/at/all", &err), -1);
	assert_int_equal(errno, ENOENT);
}

static void test_no_links(void **state)
{
	char *file = strdup(in_base("unlinked")), *text;
	struct wt_error err;
	FILE *in;

	(void) state;
	assert_int_equal(wt_fs_write(file, "abc", 3, 0600, NULL), 0);
	assert_int_equal(wt_fs_read_unlinked(file, 3, &text, NULL, NULL), 0);
	assert_string_equal(text, "abc");
	free(text);
	assert_int_equal(symlink(file, in_base("linked")), 0);
	assert_int_equal(wt_fs_read_unlinked(in_base("linked"), 3, &text, NULL, &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, "linked: is a link"));
	assert_int_equal(wt_fs_read_unlinked(in_base("no file"), 3, &text, NULL, NULL), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(wt_fs_read_unlinked("/", 3, &text, NULL, NULL), -1);
	assert_null(wt_fs_stream_unlinked(in_base("linked"), &err));
	assert_non_null(strstr(err.text, "linked: is a link"));
	in = wt_fs_stream_unlinked(file, &err);
	assert_non_null(in);
	assert_int_equal(getc(in), 'a');
	fclose(in);
	free(file);
}

static void test_tail(void **state)
{
	char *text;

	(void) state;
	assert_int_equal(wt_fs_write(in_base("t"), "12345", 5, 0600, NULL), 0);
	assert_int_equal(wt_fs_read_tail(in_base("t"), 2, &text, NULL, NULL), 0);
	assert_string_equal(text, "45");
	free(text);
	assert_int_equal(wt_fs_read_tail(in_base("t"), 100, &text, NULL, NULL), 0);
	assert_string_equal(text, "12345");
	free(text);
}

static void test_write_into_nothing(void **state)
{
	struct wt_error err;

	(void) state;
	assert_int_equal(wt_fs_write(in_base("no/where"), "x", 1, 0600, &err), -1);
	assert_int_equal(errno, ENOENT);
}

static void test_trees(void **state)
{
	struct wt_error err;
	struct stat st;

	(void) state;
	umask(077);
	assert_int_equal(wt_fs_make_dir(in_base("d"), 0755, NULL), 0);
	assert_int_equal(stat(in_base("d"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	assert_int_equal(wt_fs_make_dir(in_base("d"), 0755, &err), -1);
	assert_int_equal(errno, EEXIST);
	assert_int_equal(wt_fs_make_dir(in_base("d/e"), 0700, NULL), 0);
	assert_int_equal(wt_fs_write(in_base("d/e/f"), "", 0, 0600, NULL), 0);
	assert_int_equal(wt_fs_write(in_base("kept"), "", 0, 0600, NULL), 0);
	assert_int_equal(symlink("../kept", in_base("d/link")), 0);
	assert_int_equal(wt_fs_remove_tree(in_base("d"), NULL), 0);
	assert_int_equal(access(in_base("d"), F_OK), -1);
	assert_int_equal(access(in_base("kept"), F_OK), 0);
	assert_int_equal(wt_fs_remove_tree(in_base("d"), NULL), 0);
}

static void test_move_folder(void **state)
{
	static const int errnos[] = { 0, EINVAL, ENOSYS };

	(void) state;
	for (size_t i = 0; i < sizeof(errnos) / sizeof(errnos[0]); i++) {
		struct wt_error err;

		flags_errno = errnos[i];
		assert_int_equal(wt_fs_make_dir(in_base("from"), 0755, NULL), 0);
		assert_int_equal(wt_fs_write(in_base("from/f"), "x", 1, 0600, NULL), 0);
		assert_int_equal(wt_fs_make_dir(in_base("to"), 0755, NULL), 0);	/* an empty one is not replaced, either */
		assert_int_equal(wt_fs_move_folder(in_base("from"), in_base("to"), &err), -1);
		assert_int_equal(errno, EEXIST);
		assert_int_equal(access(in_base("from/f"), F_OK), 0);
		assert_int_equal(wt_fs_remove_tree(in_base("to"), NULL), 0);
		assert_int_equal(wt_fs_move_folder(in_base("none"), in_base("to"), &err), -1);
		assert_int_equal(errno, ENOENT);
		assert_int_equal(access(in_base("to"), F_OK), -1);
		assert_int_equal(wt_fs_move_folder(in_base("from"), in_base("to"), &err), 0);
		assert_int_equal(access(in_base("to/f"), F_OK), 0);
		assert_int_equal(access(in_base("from"), F_OK), -1);
		assert_int_equal(wt_fs_remove_tree(in_base("to"), NULL), 0);
	}
	flags_errno = 0;
}

static void test_json(void **state)
{
	json_t *v = json_pack("{s:s, s:i, s:f}", "name", "x", "n", 3, "r", 0.5);
	const char *path = in_base("j.json");
	struct wt_error err;
	int64_t n = 0;
	double r = 0;

	(void) state;
	assert_int_equal(wt_json_save(path, v, NULL), 0);
	json_decref(v);
	v = wt_json_load(path, &err);
	assert_non_null(v);
	assert_string_equal(wt_json_string(v, "name", path, NULL), "x");
	assert_int_equal(wt_json_integer(v, "n", path, &n, NULL), 0);
	assert_int_equal(n, 3);
	assert_int_equal(wt_json_number(v, "r", path, &r, NULL), 0);
	assert_true(r == 0.5);
	assert_int_equal(wt_json_number(v, "n", path, &r, NULL), 0);
	assert_null(wt_json_string(v, "n", path, &err));
	assert_non_null(strstr(err.text, "'n' must be a string"));
	assert_int_equal(wt_json_integer(v, "r", path, &n, &err), -1);
	assert_int_equal(wt_json_number(v, "none", path, &r, &err), -1);
	json_decref(v);
}

static void test_json_refuses(void **state)
{
	const char *path = in_base("bad.json");
	struct wt_error err;

	(void) state;
	assert_null(wt_json_load(in_base("missing.json"), &err));
	assert_int_equal(errno, ENOENT);
	assert_int_equal(wt_fs_write(path, "{\n\"a\":", 6, 0600, NULL), 0);
	assert_null(wt_json_load(path, &err));
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, "bad.json:2: not JSON"));
	assert_int_equal(wt_fs_write(path, "[1]", 3, 0600, NULL), 0);
	assert_null(wt_json_load(path, &err));
	assert_int_equal(wt_json_save(path, NULL, &err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_write_then_read),
		cmocka_unit_test(test_read_refuses),
		cmocka_unit_test(test_lines), cmocka_unit_test(test_regular_only), cmocka_unit_test(test_no_links),
		cmocka_unit_test(test_tail),
		cmocka_unit_test(test_write_into_nothing),
		cmocka_unit_test(test_trees),
		cmocka_unit_test(test_move_folder),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_json_refuses),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
