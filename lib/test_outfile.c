/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "lib/outfile.h"

static char folder[] = "/tmp/wt-outfile.XXXXXX";

static int folder_make(void **state)
{
	(void) state;
	return mkdtemp(folder) ? chdir(folder) : -1;
}

static int folder_remove(void **state)
{
	(void) state;
	unlink("file");
	return chdir("/") == 0 ? rmdir(folder) : -1;	/* fails when a temporary file was left behind */
}

static int text_write(FILE *out, const void *arg, struct wt_error *errp)
{
	(void) errp;
	fputs(arg, out);
	return 0;
}

static int text_then_fail(FILE *out, const void *arg, struct wt_error *errp)
{
	fputs(arg, out);
	return wt_error_set(errp, EDOM, "no more");
}

static void file_expect(const char *expected)
{
	char text[64] = "";
	FILE *in = fopen("file", "r");

	assert_non_null(in);
	assert_int_equal(fread(text, 1, sizeof(text) - 1, in), strlen(expected));
	fclose(in);
	assert_string_equal(text, expected);
}

static size_t entries(void)
{
	DIR *dir = opendir(".");
	size_t count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

static void test_writes_and_replaces(void **state)
{
	struct stat st;
	mode_t mask = umask(027);

	(void) state;
	assert_int_equal(wt_outfile_write("file", text_write, "one\n", NULL), 0);
	umask(mask);
	file_expect("one\n");
	assert_int_equal(stat("file", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_int_equal(wt_outfile_write("file", text_write, "two\n", NULL), 0);
	file_expect("two\n");
	assert_int_equal(entries(), 1);
}

static void test_failure_keeps_the_old_file(void **state)
{
	struct wt_error err;

	(void) state;
	assert_int_equal(wt_outfile_write("file", text_write, "old\n", NULL), 0);
	assert_int_equal(wt_outfile_write("file", text_then_fail, "new\n", &err), -1);
	assert_int_equal(errno, EDOM);
	assert_string_equal(err.text, "file: no more");
	file_expect("old\n");
	assert_int_equal(entries(), 1);
}

static void test_left_over_is_replaced(void **state)
{
	char name[64];
	FILE *out;

	(void) state;
	snprintf(name, sizeof(name), "file.%ld.new", (long) getpid());
	out = fopen(name, "w");
	assert_non_null(out);
	fclose(out);
	assert_int_equal(wt_outfile_write("file", text_write, "x", NULL), 0);
	file_expect("x");
	assert_int_equal(entries(), 1);
}

static int write_then_die(FILE *out, const void *arg, struct wt_error *errp)
{
	(void) arg;
	(void) errp;
	fputs("half", out);
	fflush(out);
	kill(getpid(), SIGKILL);
	return 0;
}

static int file_touch(const char *name)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	return fd;
}

static void test_what_a_killed_writer_left_is_removed(void **state)
{
	char name[64];
	struct stat st;
	int status;
	pid_t pid;

	(void) state;
	assert_int_equal(wt_outfile_write("file", text_write, "old", NULL), 0);
	pid = fork();
	if (!pid) {
		wt_outfile_write("file", write_then_die, NULL, NULL);
		_exit(0);
	}
	assert_true(pid > 0 && waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
	file_expect("old");
	snprintf(name, sizeof(name), "file.%ld.new", (long) pid);
	assert_int_equal(stat(name, &st), 0);
	assert_int_equal(entries(), 2);
	assert_int_equal(wt_outfile_write("file", text_write, "new", NULL), 0);
	file_expect("new");
	assert_int_equal(entries(), 1);
}

static int inner_write(FILE *out, const void *arg, struct wt_error *errp)
{
	(void) errp;
	assert_int_equal(entries(), 2);		/* the file, and what we write */
	fputs(arg, out);
	return 0;
}

/* Another writer's file, which holds its lock, and names that only look like one. */
static void test_what_is_in_use_stays(void **state)
{
	static const char *const others[] = { "file.1.new.old", "file..new", "file.1x.new", "file2.1.new", "fil.1.new" };
	int fd = file_touch("file.1.new");

	(void) state;
	assert_int_equal(flock(fd, LOCK_EX), 0);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		close(file_touch(others[i]));
	assert_int_equal(mkdir("file.2.new", 0700), 0);
	assert_int_equal(symlink("file2.1.new", "file.3.new"), 0);
	assert_int_equal(mkfifo("file.4.new", 0600), 0);
	assert_int_equal(wt_outfile_write("./file", text_write, "new", NULL), 0);
	assert_int_equal(entries(), 10);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_int_equal(unlink(others[i]), 0);
	assert_int_equal(rmdir("file.2.new"), 0);
	assert_int_equal(unlink("file.3.new"), 0);
	assert_int_equal(unlink("file.4.new"), 0);
	close(fd);
	assert_int_equal(wt_outfile_write("./file", inner_write, "newer", NULL), 0);
	file_expect("newer");
	assert_int_equal(entries(), 1);
}

static void test_no_such_folder(void **state)
{
	struct wt_error err;

	(void) state;
	assert_int_equal(wt_outfile_write("nowhere/file", text_write, "x", &err), -1);
	assert_int_equal(errno, ENOENT);
	assert_string_equal(err.text, "nowhere/file: cannot create a file beside it: No such file or directory");
	assert_int_equal(mkdir("sub", 0755), 0);
	assert_int_equal(wt_outfile_write("sub", text_write, "x", &err), -1);
	assert_int_equal(rmdir("sub"), 0);
	assert_int_equal(entries(), 1);
}

static int full_write(FILE *out, const void *arg, struct wt_error *errp)
{
	FILE *full = fopen("/dev/full", "w");
	int rc;

	(void) arg;
	(void) errp;
	assert_non_null(full);
	rc = dup2(fileno(full), fileno(out));
	assert_true(rc >= 0);
	fclose(full);
	fputs("does not fit", out);
	return 0;
}

static void test_full_disk_is_loud(void **state)
{
	struct wt_error err;

	(void) state;
	assert_int_equal(wt_outfile_write("file", text_write, "kept", NULL), 0);
	assert_int_equal(wt_outfile_write("file", full_write, NULL, &err), -1);
	assert_int_equal(errno, ENOSPC);
	assert_string_equal(err.text, "file: cannot write: No space left on device");
	file_expect("kept");
	assert_int_equal(entries(), 1);
}

/* Run by root, a file in the place of /dev/full or /dev/stdout would take that away from the whole machine. */
static void test_a_device_is_written_to(void **state)
{
	struct wt_error err;
	struct stat st;
	char text[8] = "";
	int fd;

	(void) state;
	assert_int_equal(mkfifo("pipe", 0600), 0);
	fd = open("pipe", O_RDONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	assert_int_equal(wt_outfile_write("pipe", text_write, "piped", &err), 0);
	assert_int_equal(read(fd, text, sizeof(text) - 1), 5);
	assert_string_equal(text, "piped");
	close(fd);
	assert_true(lstat("pipe", &st) == 0 && S_ISFIFO(st.st_mode));
	assert_int_equal(unlink("pipe"), 0);
	assert_int_equal(symlink("/dev/full", "link"), 0);
	assert_int_equal(wt_outfile_write("link", text_write, "lost", &err), -1);
	assert_int_equal(errno, ENOSPC);
	assert_true(stat("link", &st) == 0 && S_ISCHR(st.st_mode));
	assert_int_equal(unlink("link"), 0);
}

static void test_a_link_stays(void **state)
{
	struct stat st;

	(void) state;
	assert_int_equal(wt_outfile_write("file", text_write, "old", NULL), 0);
	assert_int_equal(symlink("file", "link"), 0);
	assert_int_equal(wt_outfile_write("link", text_write, "new", NULL), 0);
	assert_true(lstat("link", &st) == 0 && S_ISLNK(st.st_mode));
	file_expect("new");
	assert_int_equal(unlink("link"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_device_is_written_to),
		cmocka_unit_test(test_a_link_stays),
		cmocka_unit_test(test_writes_and_replaces),
		cmocka_unit_test(test_failure_keeps_the_old_file),
		cmocka_unit_test(test_left_over_is_replaced),
		cmocka_unit_test(test_what_a_killed_writer_left_is_removed),
		cmocka_unit_test(test_what_is_in_use_stays),
		cmocka_unit_test(test_no_such_folder),
		cmocka_unit_test(test_full_disk_is_loud),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
