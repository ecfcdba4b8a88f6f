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

#include "lib/csv.h"

static char *written;
static size_t written_size;

static struct wt_csv csv_open(void)
{
	struct wt_csv csv = { .out = open_memstream(&written, &written_size) };

	if (!csv.out)
		fail_msg("Bail out! open_memstream");
	return csv;
}

static void csv_expect(struct wt_csv *csv, const char *expected)
{
	fclose(csv->out);
	assert_string_equal(written, expected);
	free(written);
}

static void test_write_quotes_only_where_needed(void **state)
{
	struct wt_csv csv = csv_open();

	(void) state;
	wt_csv_text(&csv, "plain text");
	wt_csv_text(&csv, "n[0-3,7]");
	wt_csv_text(&csv, "say \"hi\"");
	wt_csv_text(&csv, "two\nlines");
	wt_csv_text(&csv, "");
	wt_csv_text(&csv, NULL);
	wt_csv_end(&csv);
	csv_expect(&csv, "plain text,\"n[0-3,7]\",\"say \"\"hi\"\"\",\"two\nlines\",,\n");
}

static void test_write_numbers(void **state)
{
	struct wt_csv csv = csv_open();

	(void) state;
	wt_csv_uint(&csv, UINT64_MAX);
	wt_csv_seconds(&csv, 1.25);
	wt_csv_seconds(&csv, NAN);
	wt_csv_end(&csv);
	wt_csv_seconds(&csv, INFINITY);
	wt_csv_empty(&csv);
	wt_csv_seconds(&csv, -0.5);
	wt_csv_end(&csv);
	csv_expect(&csv, "18446744073709551615,1.250000,\n,,-0.500000\n");
}

static FILE *text_open(const char *text, size_t len)
{
	FILE *in = len ? fmemopen((void *) text, len, "r") : fopen("/dev/null", "r");

	if (!in)
		fail_msg("Bail out! cannot open text");
	return in;
}

static void test_read_good_rows(void **state)
{
	static const char text[] = "a,b,c\r\n\"x,y\",\"q\"\"q\",\"l1\nl2\"\n\n,\nlast,without newline";
	FILE *in = text_open(text, sizeof(text) - 1);
	struct wt_csv_row row = WT_CSV_ROW_INIT;

	(void) state;
	assert_int_equal(wt_csv_read(&row, in, "f", NULL), 1);
	assert_int_equal(row.count, 3);
	assert_string_equal(row.fields[2], "c");
	assert_int_equal(wt_csv_read(&row, in, "f", NULL), 1);
	assert_int_equal(row.count, 3);
	assert_int_equal(row.line, 2);
	assert_string_equal(row.fields[0], "x,y");
	assert_string_equal(row.fields[1], "q\"q");
	assert_string_equal(row.fields[2], "l1\nl2");
	assert_int_equal(wt_csv_read(&row, in, "f", NULL), 1);
	assert_int_equal(row.count, 1);
	assert_int_equal(row.line, 4);
	assert_string_equal(row.fields[0], "");
	assert_int_equal(wt_csv_read(&row, in, "f", NULL), 1);
	assert_int_equal(row.count, 2);
	assert_int_equal(wt_csv_read(&row, in, "f", NULL), 1);
	assert_string_equal(row.fields[1], "without newline");
	assert_int_equal(wt_csv_read(&row, in, "f", NULL), 0);
	assert_int_equal(wt_csv_read(&row, in, "f", NULL), 0);
	wt_csv_row_free(&row);
	fclose(in);
}

static void first_field_expect(const char *text, const char *field)
{
	FILE *in = text_open(text, strlen(text));
	struct wt_csv_row row = WT_CSV_ROW_INIT;

	assert_int_equal(wt_csv_read(&row, in, "f", NULL), 1);
	assert_int_equal(row.count, 2);
	assert_string_equal(row.fields[0], field);
	assert_string_equal(row.fields[1], "b");
	assert_int_equal(wt_csv_read(&row, in, "f", NULL), 1);
	assert_string_equal(row.fields[0], "\xef\xbb\xbf" "1");
	assert_int_equal(wt_csv_read(&row, in, "f", NULL), 0);
	wt_csv_row_free(&row);
	fclose(in);
}

static void test_byte_order_mark(void **state)
{
	FILE *in = text_open("\xef\xbb\xbf", 3);
	struct wt_csv_row row = WT_CSV_ROW_INIT;

	(void) state;
	first_field_expect("\xef\xbb\xbf" "job_id,b\n\xef\xbb\xbf" "1,2\n", "job_id");
	first_field_expect("\xef\xbb\xbf\"job_id\",b\n\xef\xbb\xbf" "1,2\n", "job_id");
	first_field_expect("\xef\xbb\xbf,b\n\xef\xbb\xbf" "1,2\n", "");
	first_field_expect("\xef\xbb" "job_id,b\n\xef\xbb\xbf" "1,2\n", "\xef\xbb" "job_id");
	first_field_expect("\"\xef\xbb\xbf\",b\n\xef\xbb\xbf" "1,2\n", "\xef\xbb\xbf");
	assert_int_equal(wt_csv_read(&row, in, "f", NULL), 0);
	wt_csv_row_free(&row);
	fclose(in);
}

static void read_expect_error(const char *text, size_t len, const char *message)
{
	FILE *in = text_open(text, len);
	struct wt_csv_row row = WT_CSV_ROW_INIT;
	struct wt_error err;
	int rc;

	do
		rc = wt_csv_read(&row, in, "f.csv", &err);
	while (rc == 1);
	assert_int_equal(rc, -1);
	assert_int_equal(errno, EINVAL);
	assert_string_equal(err.text, message);
	wt_csv_row_free(&row);
	fclose(in);
}

static void test_read_bad_rows(void **state)
{
	(void) state;
	read_expect_error("a\n\"open", 7, "f.csv:2: the file ends inside quotes");
	read_expect_error("\"a\"b\n", 5, "f.csv:1: text behind a closing quote");
	read_expect_error("a\"b\n", 4, "f.csv:1: a quote inside an unquoted field");
	read_expect_error("a\0b\n", 4, "f.csv:1: a NUL byte");
}

static void test_read_nothing(void **state)
{
	FILE *in = text_open("", 0);
	struct wt_csv_row row = WT_CSV_ROW_INIT;

	(void) state;
	assert_int_equal(wt_csv_read(&row, in, "f", NULL), 0);
	wt_csv_row_free(&row);
	fclose(in);
}

static void test_read_error_is_not_the_end(void **state)
{
	FILE *in = fopen("/", "r");
	struct wt_csv_row row = WT_CSV_ROW_INIT;
	struct wt_error err;

	(void) state;
	assert_non_null(in);
	assert_int_equal(wt_csv_read(&row, in, "dir", &err), -1);
	assert_int_equal(errno, EISDIR);
	assert_string_equal(err.text, "dir: cannot read: Is a directory");
	wt_csv_row_free(&row);
	fclose(in);
}

static void test_row_is_bounded(void **state)
{
	FILE *in = fopen("/dev/zero", "r");
	FILE *big = tmpfile();
	struct wt_csv_row row = WT_CSV_ROW_INIT;

	(void) state;
	assert_non_null(in);
	assert_non_null(big);
	assert_int_equal(wt_csv_read(&row, in, "zero", NULL), -1);
	for (size_t i = 0; i <= WT_CSV_ROW_MAX; i++)
		putc('a', big);
	rewind(big);
	assert_int_equal(wt_csv_read(&row, big, "big", NULL), -1);
	assert_int_equal(errno, EINVAL);
	wt_csv_row_free(&row);
	fclose(in);
	fclose(big);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_write_quotes_only_where_needed),
		cmocka_unit_test(test_write_numbers),
		cmocka_unit_test(test_read_good_rows),
		cmocka_unit_test(test_byte_order_mark),
		cmocka_unit_test(test_read_bad_rows),
		cmocka_unit_test(test_read_nothing),
		cmocka_unit_test(test_read_error_is_not_the_end),
		cmocka_unit_test(test_row_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
