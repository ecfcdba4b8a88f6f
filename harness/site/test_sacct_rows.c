/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>

#include "harness/site/sacct_record.h"
#include "harness/site/sacct_rows.h"
#include "lib/test_cmocka.h"

#define HEAD "JobID\037" "JobName\037" "State\037" "Submit\037\n"

static FILE *stream(const char *text, size_t len)
{
	FILE *in = fmemopen((void *) text, len, "r");

	assert_non_null(in);
	return in;
}

static void open_fails(const char *text, const char *why)
{
	FILE *in = stream(text, strlen(text));
	struct wt_sacct_rows rows;
	struct wt_error err;

	assert_int_equal(wt_sacct_rows_open(&rows, in, "f", &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_non_null(strstr(err.text, why));
	wt_sacct_rows_clear(&rows);
	fclose(in);
}

static void test_header(void **state)
{
	(void) state;
	open_fails("\n", "no header of sacct");
	open_fails("JobID|State|\n", "field Submit");
	open_fails("1|2|3\n", "field");
}

static void test_newlines(void **state)
{
	static const char text[] = HEAD "1\037two\nlines\037FAILED\037" "5\037\n\n2\037x\037" "COMPLETED\037" "6\037\n";
	FILE *in = stream(text, sizeof(text) - 1);
	struct wt_sacct_rows rows;

	(void) state;
	assert_int_equal(wt_sacct_rows_open(&rows, in, "f", NULL), 0);
	assert_int_equal(wt_sacct_rows_next(&rows, NULL), 1);
	assert_string_equal(wt_sacct_get(&rows, WT_SACCT_NAME), "two\nlines");
	assert_string_equal(wt_sacct_get(&rows, WT_SACCT_USER), "");
	assert_false(wt_sacct_has(&rows, WT_SACCT_USER));
	assert_int_equal(rows.line, 2);
	assert_int_equal(wt_sacct_rows_next(&rows, NULL), 1);
	assert_string_equal(wt_sacct_get(&rows, WT_SACCT_SUBMIT), "6");
	assert_int_equal(rows.line, 5);
	assert_int_equal(wt_sacct_rows_next(&rows, NULL), 0);
	wt_sacct_rows_clear(&rows);
	fclose(in);
}

/* Reads all: "1" for a record with this id, "!LINE" for one that is none. */
static void expect(const char *text, size_t len, const char *want)
{
	FILE *in = stream(text, len);
	struct wt_sacct_rows rows;
	char got[256] = "";
	int rc;

	assert_int_equal(wt_sacct_rows_open(&rows, in, "f", NULL), 0);
	while ((rc = wt_sacct_rows_next(&rows, NULL)) != 0 && strlen(got) < 200) {
		char *end = got + strlen(got);

		if (rc > 0)
			snprintf(end, 32, "%s ", wt_sacct_get(&rows, WT_SACCT_JOB_ID));
		else
			snprintf(end, 32, "!%zu ", rows.line);
	}
	assert_string_equal(got, want);
	wt_sacct_rows_clear(&rows);
	fclose(in);
}

#define EXPECT(text, want) expect(text, sizeof(text) - 1, want)

static void test_broken(void **state)
{
	(void) state;
	/* A line that has lost its end costs no other one. */
	EXPECT(HEAD "1\037x\037" "FAILED\n2\037x\037" "A\037" "6\037\n3\037x\037" "A\037" "7\037\n", "!2 2 3 ");
	EXPECT(HEAD "1\037x\n2\037x\037" "A\037" "6\037\n", "!2 2 ");
	EXPECT(HEAD "1\037x\037" "A\037" "5\037more\037\n2\037x\037" "A\037" "6\037\n", "!2 2 ");
	EXPECT(HEAD "1\037x\037" "A\037" "5\037" "text\n2\037x\037" "A\037" "6\037\n", "!2 2 ");
	EXPECT(HEAD "1\037x\037" "A\037" "5\037\n2\037x\037", "1 !3 ");
	EXPECT(HEAD "1\037\0\037" "A\037" "5\037\n2\037x\037" "A\037" "6\037\n", "!2 2 ");
	/* Lines without a delimiter belong to the record before, unless the first field may have newlines. */
	EXPECT(HEAD "1\037x\njunk\n\nmore\n2\037x\ny\037" "A\037" "6\037\n3\037x\n", "!2 2 !8 ");
	EXPECT("JobName\037" "JobID\037" "State\037" "Submit\037\n"
	       "x\037" "1\037\037\037\037\na\nb\037" "2\037" "A\037" "6\037\n",
	       "!2 2 ");
	EXPECT("JobID|JobName|State|Submit\n1|a|b|5\n2|a|b|c|5\n3|a|b\n4|a|b|5\r\n", "1 !3 !4 4 ");
}

/* Each is read once, and not a thousand times. */
static void test_junk(void **state)
{
	enum { LINES = 200000 };
	static const char head[] = HEAD, line[] = "junk\n", record[] = "7\037x\037" "A\037" "6\037\n";
	char *text = malloc(sizeof(head) + LINES * (sizeof(line) - 1) + sizeof(record)), *end = stpcpy(text, head);

	(void) state;
	for (int i = 0; i < LINES; i++)
		end = stpcpy(end, line);
	end = stpcpy(end, record);
	for (int first = 0; first < 2; first++) {
		FILE *in = stream(text, (size_t) (end - text));
		struct wt_sacct_rows rows;
		int rc, refused = 0;

		assert_int_equal(wt_sacct_rows_open(&rows, in, "f", NULL), 0);
		rows.lost = first;
		while ((rc = wt_sacct_rows_next(&rows, NULL)) < 0)
			refused++;
		assert_in_range(refused, 1, LINES / 7 + 1);
		assert_int_equal(rc, 1);
		assert_string_equal(wt_sacct_get(&rows, WT_SACCT_JOB_ID), "7");
		assert_int_equal(rows.line, LINES + 2);
		wt_sacct_rows_clear(&rows);
		fclose(in);
	}
	free(text);
}

static void test_times(void **state)
{
	bool zoneless = false;

	(void) state;
	assert_float_equal(wt_sacct_time("1700000000", &zoneless), 1700000000, 0);
	assert_false(zoneless);
	assert_float_equal(wt_sacct_time("1970-01-02T00:00:01", &zoneless), 86401, 0);
	assert_true(zoneless);
	assert_true(__builtin_isnan(wt_sacct_time("Unknown", &zoneless)));
	assert_true(__builtin_isnan(wt_sacct_time("", &zoneless)));
	assert_true(__builtin_isnan(wt_sacct_time("99999999999999999999999", &zoneless)));
}

static void test_tres(void **state)
{
	static const char tres[] = "billing=4,cpu=12,gres/gpu:a100=2,gres/gpu=2,mem=48G,node=2";

	(void) state;
	assert_float_equal(wt_sacct_tres(tres, "cpu"), 12, 0);
	assert_float_equal(wt_sacct_tres(tres, "mem"), 49152, 0);
	assert_float_equal(wt_sacct_tres(tres, "gres/gpu"), 2, 0);
	assert_true(__builtin_isnan(wt_sacct_tres(tres, "pu")));
	assert_true(__builtin_isnan(wt_sacct_tres("", "cpu")));
	assert_true(__builtin_isnan(wt_sacct_tres("cpu=", "cpu")));
}

static int id_add(const char *id, void *arg, struct wt_error *errp)
{
	(void) errp;
	strncat(arg, id, 100);
	strcat(arg, " ");
	return 0;
}

static void test_ids(void **state)
{
	static const char *const bad[] = { "", "x", "1_[", "1_[3-1]", "1_[1-2", "1_[1,..]", "1_[1,...", "1_[1,...2]",
					   "1.batch", "1 2", "1_[2-4:0]", "1_[1-9999999999]" };
	char ids[256] = "";

	(void) state;
	assert_int_equal(wt_sacct_ids("12", 1001, id_add, ids, NULL), 0);
	assert_int_equal(wt_sacct_ids("12_3", 1001, id_add, ids, NULL), 0);
	assert_int_equal(wt_sacct_ids("12+1", 1001, id_add, ids, NULL), 0);
	assert_int_equal(wt_sacct_ids("12_[1,4-8:2%3]", 1001, id_add, ids, NULL), 0);
	assert_string_equal(ids, "12 12_3 12.1 12_1 12_4 12_6 12_8 ");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char some[1 << 16] = "";
		struct wt_error err;

		assert_int_equal(wt_sacct_ids(bad[i], 1001, id_add, some, &err), -1);
		assert_int_equal(errno, EINVAL);
	}
}

/* sacct cuts lists of tasks; slurm.conf says how many there can be. */
static void test_ids_that_are_not_all(void **state)
{
	char ids[256] = "", many[1 << 16] = "";

	(void) state;
	assert_int_equal(wt_sacct_ids("12_[1,3-5:2,...]", 1001, id_add, ids, NULL), WT_SACCT_IDS_CUT);
	assert_int_equal(wt_sacct_ids("13_[1,2...%4]", 1001, id_add, ids, NULL), WT_SACCT_IDS_CUT);
	assert_int_equal(wt_sacct_ids("14_[2-...]", 1001, id_add, ids, NULL), WT_SACCT_IDS_CUT);
	assert_int_equal(wt_sacct_ids("15_[1,4-999999999]", 6, id_add, ids, NULL), WT_SACCT_IDS_BEYOND);
	assert_int_equal(wt_sacct_ids("16_[0-1,0-1,0-1]", 3, id_add, ids, NULL), WT_SACCT_IDS_BEYOND);
	assert_int_equal(wt_sacct_ids("17_[0]", 0, id_add, ids, NULL), WT_SACCT_IDS_BEYOND);
	assert_string_equal(ids, "12_1 12_3 12_5 13_1 15_1 15_4 15_5 16_0 16_1 16_0 ");
	assert_int_equal(wt_sacct_ids("1_[0-1000]", 1001, id_add, many, NULL), WT_SACCT_IDS_ALL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header), cmocka_unit_test(test_newlines), cmocka_unit_test(test_broken),
		cmocka_unit_test(test_junk),
		cmocka_unit_test(test_times), cmocka_unit_test(test_tres), cmocka_unit_test(test_ids),
		cmocka_unit_test(test_ids_that_are_not_all),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
