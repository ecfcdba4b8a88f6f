/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <cmocka.h>

#include "workload/trace_file.h"

/* RFC 6234's test vector: SHA-256 of "abc". */
#define ABC_SUM "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define EMPTY_SUM "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static int memory_file(const void *bytes, size_t len)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), (ssize_t) len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

/* 'bytes' as gzip packs them, all but the last 'less' bytes of that. */
static int packed_file(const void *bytes, size_t len, size_t less)
{
	int fd = memfd_create("test", MFD_CLOEXEC);
	gzFile out = gzdopen(dup(fd), "wb");
	off_t size;

	assert_non_null(out);
	assert_int_equal(gzwrite(out, bytes, (unsigned int) len), (int) len);
	assert_int_equal(gzclose(out), Z_OK);
	size = lseek(fd, 0, SEEK_END);
	assert_int_equal(ftruncate(fd, size - (off_t) less), 0);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static void expect_text(int fd, const char *text, const char *wanted_sum)
{
	struct wt_trace_file file;
	char buf[64], sum[WT_TRACE_SUM_SIZE];
	size_t len;

	assert_int_equal(wt_trace_file_take(&file, fd, NULL), 0);
	len = fread(buf, 1, sizeof(buf), file.in);
	assert_int_equal(len, strlen(text));
	assert_null(wt_trace_file_damage(&file));
	assert_memory_equal(buf, text, len);
	assert_int_equal(wt_trace_file_close(&file, sum, NULL), 0);
	assert_string_equal(sum, wanted_sum);
}

static void test_plain_and_packed(void **state)
{
	(void) state;
	expect_text(memory_file("abc", 3), "abc", ABC_SUM);
	expect_text(packed_file("abc", 3, 0), "abc", ABC_SUM);
	expect_text(memory_file("", 0), "", EMPTY_SUM);
	expect_text(packed_file("", 0, 0), "", EMPTY_SUM);
}

/* What was not read is part of the checksum, too. */
static void test_rest(void **state)
{
	struct wt_trace_file file;
	char sum[WT_TRACE_SUM_SIZE];

	(void) state;
	assert_int_equal(wt_trace_file_take(&file, packed_file("abc", 3, 0), NULL), 0);
	assert_int_equal(getc(file.in), 'a');
	assert_int_equal(wt_trace_file_close(&file, sum, NULL), 0);
	assert_string_equal(sum, ABC_SUM);
	assert_int_equal(wt_trace_file_close(&file, sum, NULL), 0);	/* closed already */
}

static void expect_look(int fd, int first, const char *text, const char *wanted_sum)
{
	struct wt_trace_file file;
	char buf[64], sum[WT_TRACE_SUM_SIZE];
	size_t len;

	assert_int_equal(wt_trace_file_take(&file, fd, NULL), 0);
	assert_int_equal(wt_trace_file_look(&file), first);
	len = fread(buf, 1, sizeof(buf), file.in);
	assert_int_equal(len, strlen(text));
	assert_memory_equal(buf, text, len);
	assert_int_equal(wt_trace_file_close(&file, sum, NULL), 0);
	if (wanted_sum)
		assert_string_equal(sum, wanted_sum);
}

/* A look takes nothing away but a byte order mark, also where bytes come one by one. */
static void test_look(void **state)
{
	int ends[2];

	(void) state;
	expect_look(memory_file("abc", 3), 'a', "abc", ABC_SUM);
	expect_look(packed_file("abc", 3, 0), 'a', "abc", ABC_SUM);
	expect_look(memory_file("\n \t\r\n;x", 7), ';', "\n \t\r\n;x", NULL);
	expect_look(memory_file("\xef\xbb\xbf\n{", 5), '{', "\n{", NULL);
	expect_look(memory_file("\xef\xbb", 2), 0xef, "\xef\xbb", NULL);
	expect_look(memory_file(" \n", 2), EOF, " \n", NULL);
	expect_look(memory_file("", 0), EOF, "", EMPTY_SUM);
	assert_int_equal(pipe(ends), 0);
	for (const char *c = "\xef\xbb\xbf\n<"; *c; c++)
		assert_int_equal(write(ends[1], c, 1), 1);
	close(ends[1]);
	expect_look(ends[0], '<', "\n<", NULL);
}

/* More blanks than are looked at: nothing of the file is lost. */
static void test_look_far(void **state)
{
	static char blanks[70000];
	struct wt_trace_file file;
	size_t len = 0;

	(void) state;
	memset(blanks, ' ', sizeof(blanks));
	blanks[sizeof(blanks) - 1] = 'x';
	assert_int_equal(wt_trace_file_take(&file, packed_file(blanks, sizeof(blanks), 0), NULL), 0);
	assert_int_equal(wt_trace_file_look(&file), EOF);
	while (getc(file.in) != EOF)
		len++;
	assert_int_equal(len, sizeof(blanks));
	assert_int_equal(wt_trace_file_close(&file, NULL, NULL), 0);
}

static void expect_damaged(int fd, size_t line, const char *damage)
{
	struct wt_trace_file file;
	struct wt_error err;
	char buf[65536], sum[WT_TRACE_SUM_SIZE];

	assert_int_equal(wt_trace_file_take(&file, fd, NULL), 0);
	while (fread(buf, 1, sizeof(buf), file.in) > 0)
		;
	assert_true(ferror(file.in));
	assert_string_equal(wt_trace_file_damage(&file), damage);
	assert_in_range(wt_trace_file_line(&file), line, line + 1);
	assert_int_equal(wt_trace_file_close(&file, sum, &err), -1);
	assert_int_equal(errno, EIO);
}

static void test_damaged(void **state)
{
	static const char cut_off[] = "it is packed, and ends in the middle: fetch it once more";
	static char text[100000];
	char bytes[4096];
	int fd;
	ssize_t len;

	(void) state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = i % 1000 == 999 ? '\n' : (char) ('a' + i * i % 17);
	/* in the middle, and of its own checksum: all lines were there */
	expect_damaged(packed_file(text, sizeof(text), 9), sizeof(text) / 1000, cut_off);
	expect_damaged(packed_file(text, sizeof(text), 4), sizeof(text) / 1000, cut_off);
	fd = packed_file(text, sizeof(text), 0);
	len = pread(fd, bytes, sizeof(bytes), 0);
	assert_true(len > 100);
	bytes[50] ^= 0x55;
	assert_int_equal(pwrite(fd, bytes, (size_t) len, 0), len);
	expect_damaged(fd, 1, "it is packed, and damaged: fetch it once more");
}

/* A reader that needs no more than the text does not see that gzip's checksum is cut off. */
static void test_end(void **state)
{
	struct wt_trace_file file;
	struct wt_error err = { "mine" };
	char sum[WT_TRACE_SUM_SIZE];

	(void) state;
	assert_int_equal(wt_trace_file_take(&file, packed_file("a\nb", 3, 4), NULL), 0);
	assert_int_equal(getc(file.in), 'a');
	assert_int_equal(wt_trace_file_end(&file, "t.gz", 0, sum, &err), -1);
	assert_int_equal(errno, EIO);
	assert_string_equal(err.text, "t.gz:2: it is packed, and ends in the middle: fetch it once more");
	assert_int_equal(wt_trace_file_take(&file, packed_file("abc", 3, 0), NULL), 0);
	assert_int_equal(wt_trace_file_end(&file, "t.gz", 0, sum, &err), 0);
	assert_string_equal(sum, ABC_SUM);
	wt_error_set(&err, EINVAL, "t.gz:1: no");
	assert_int_equal(wt_trace_file_take(&file, packed_file("abc", 3, 0), NULL), 0);
	assert_int_equal(wt_trace_file_end(&file, "t.gz", -1, sum, &err), -1);
	assert_string_equal(err.text, "t.gz:1: no");
}

static void test_none(void **state)
{
	struct wt_trace_file file;
	struct wt_error err;

	(void) state;
	assert_int_equal(wt_trace_file_open(&file, "/nonexistent/trace.swf", &err), -1);
	assert_int_equal(errno, ENOENT);
	assert_string_equal(err.text, "/nonexistent/trace.swf: No such file or directory");
	assert_int_equal(wt_trace_file_close(&file, NULL, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain_and_packed), cmocka_unit_test(test_rest), cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_look), cmocka_unit_test(test_look_far),
		cmocka_unit_test(test_end), cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests_name("trace_file", tests, NULL, NULL);
}
