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

#include "lib/table.h"

static char *table_text(const struct wt_table *table, const char *indent)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	wt_table_print(table, out, indent);
	fclose(out);
	return text;
}

static void test_columns_are_aligned(void **state)
{
	struct wt_table *table = wt_table_create("lrl");
	char *text;

	(void) state;
	assert_non_null(table);
	assert_int_equal(wt_table_cell(table, "makespan"), 0);
	assert_int_equal(wt_table_cell(table, "%.1f", 1197.0), 0);
	assert_int_equal(wt_table_cell(table, "s"), 0);
	assert_int_equal(wt_table_cell(table, "wait"), 0);
	assert_int_equal(wt_table_cell(table, "3.5"), 0);
	assert_int_equal(wt_table_cell(table, "%s", ""), 0);
	assert_int_equal(wt_table_cell(table, "short row"), 0);
	text = table_text(table, "  ");
	assert_string_equal(text, "  makespan   1197.0  s\n  wait          3.5\n  short row\n");
	free(text);
	wt_table_destroy(table);
}

/* Names of two bytes a letter take no more room than others. */
static void test_letters_of_several_bytes(void **state)
{
	struct wt_table *table = wt_table_create("lr");
	char *text;

	(void) state;
	assert_int_equal(wt_table_cell(table, "gr\xc3\xb6\xc3\x9f" "er"), 0);
	assert_int_equal(wt_table_cell(table, "\xe2\x88\x92" "5"), 0);
	assert_int_equal(wt_table_cell(table, "larger"), 0);
	assert_int_equal(wt_table_cell(table, "12"), 0);
	text = table_text(table, "");
	assert_string_equal(text, "gr\xc3\xb6\xc3\x9f" "er  \xe2\x88\x92" "5\nlarger  12\n");
	free(text);
	wt_table_destroy(table);
}

static void test_many_cells(void **state)
{
	struct wt_table *table = wt_table_create("r");
	char *text;

	(void) state;
	for (int i = 0; i < 500; i++)
		assert_int_equal(wt_table_cell(table, "%d", i), 0);
	text = table_text(table, "");
	assert_int_equal(strlen(text), 500 * 4);
	assert_memory_equal(text, "  0\n  1\n", 8);
	free(text);
	wt_table_destroy(table);
}

static void test_empty_and_bad(void **state)
{
	struct wt_table *table = wt_table_create("l");
	char *text = table_text(table, "  ");

	(void) state;
	assert_string_equal(text, "");
	free(text);
	wt_table_destroy(table);
	assert_null(wt_table_create(""));
	assert_int_equal(errno, EINVAL);
	assert_null(wt_table_create("lx"));
	assert_null(wt_table_create(NULL));
	errno = ENOENT;
	wt_table_destroy(NULL);
	assert_int_equal(errno, ENOENT);
}

static void test_narrow_terminal(void **state)
{
	static const char *const cells[] = { "NAME", "STATUS", "NODES", "FOLDER", "demo", "up", "1024",
					     "/tmp/windtunnel-0/demo" };
	struct wt_table *table = wt_table_create("llrl");
	char *text;

	(void) state;
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++)
		assert_int_equal(wt_table_cell(table, "%s", cells[i]), 0);
	setenv("COLUMNS", "40", 1);
	text = table_text(table, "");
	assert_string_equal(text, "NAME  STATUS  NODES\n    FOLDER\ndemo  up       1024\n    /tmp/windtunnel-0/demo\n");
	free(text);
	setenv("COLUMNS", "80", 1);
	text = table_text(table, "");
	assert_string_equal(text, "NAME  STATUS  NODES  FOLDER\ndemo  up       1024  /tmp/windtunnel-0/demo\n");
	free(text);
	unsetenv("COLUMNS");
	wt_table_destroy(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns_are_aligned), cmocka_unit_test(test_letters_of_several_bytes),
		cmocka_unit_test(test_many_cells),
		cmocka_unit_test(test_narrow_terminal),
		cmocka_unit_test(test_empty_and_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
