/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <stdio.h>

#include "harness/upgrade/upgrade_records.h"

static const char two_jobs[] =
	"JobId=10 JobName=a b=c Priority=7 Reason=None OS=Linux 6.1 #1 SMP AllocNode:Sid=h:1 ReqB:S:C:T=0:0:*:* Power= \n"
	"JobId=9 JobName=x CPUs/Task=1  Socks/Node=* Comment=\n";

static void parse(struct upgrade_records *records, enum upgrade_kind kind, const char *text)
{
	struct wt_error error;

	assert_int_equal(upgrade_records_parse(records, kind, text, strlen(text), &error), 0);
}

static void fields_and_order(void **state)
{
	struct upgrade_records r;

	(void) state;
	parse(&r, UPGRADE_JOB, two_jobs);
	assert_int_equal(r.count, 2);
	assert_string_equal(r.items[0].key, "9"); /* as numbers */
	assert_string_equal(upgrade_record_get(&r.items[0], "CPUs/Task"), "1");
	assert_string_equal(upgrade_record_get(&r.items[0], "Comment"), "");
	assert_string_equal(upgrade_record_get(&r.items[1], "JobName"), "a b=c");
	assert_string_equal(upgrade_record_get(&r.items[1], "OS"), "Linux 6.1 #1 SMP");
	assert_string_equal(upgrade_record_get(&r.items[1], "AllocNode:Sid"), "h:1");
	assert_string_equal(upgrade_record_get(&r.items[1], "Power"), "");
	assert_null(upgrade_record_get(&r.items[1], "Nothing"));
	assert_null(upgrade_record_get(NULL, "JobId"));
	assert_false(r.items[1].odd);
	upgrade_records_clear(&r);
}

static void no_records(void **state)
{
	struct upgrade_records r;

	(void) state;
	parse(&r, UPGRADE_JOB, "No jobs in the system\n");
	assert_int_equal(r.count, 0);
	upgrade_records_clear(&r);
	parse(&r, UPGRADE_RESERVATION, "");
	assert_int_equal(r.count, 0);
	upgrade_records_clear(&r);
	parse(&r, UPGRADE_NODE, "NodeName=");
	assert_int_equal(r.count, 1);
	assert_string_equal(r.items[0].key, "");
	upgrade_records_clear(&r);
}

static void refused_texts(void **state)
{
	struct upgrade_records r;
	struct wt_error error;

	(void) state;
	assert_int_equal(upgrade_records_parse(&r, UPGRADE_JOB, "slurm_load_jobs error\n", 22, &error), -1);
	assert_int_equal(errno, EINVAL);
	upgrade_records_clear(&r);
	assert_int_equal(upgrade_records_parse(&r, UPGRADE_JOB, "NodeName=n1\n", 12, &error), -1);
	upgrade_records_clear(&r);
	assert_int_equal(upgrade_records_parse(&r, UPGRADE_JOB, "JobId=1\0JobId=2", 15, &error), -1);
	assert_int_equal(errno, EINVAL);
	upgrade_records_clear(&r);
	assert_int_equal(upgrade_records_parse(&r, UPGRADE_JOB, NULL, 0, NULL), -1);
	assert_int_equal(errno, EINVAL);
	upgrade_records_clear(&r);
}

/* A comment may have lines, and words that look like fields: nothing may be concluded from these. */
static void comments(void **state)
{
	struct upgrade_records r;

	(void) state;
	parse(&r, UPGRADE_JOB, "JobId=1 JobName=evil JobState=COMPLETED JobState=RUNNING Comment=two\nlines\nJobId=2 A=1\n");
	assert_int_equal(r.count, 2);
	assert_true(r.items[0].odd);
	assert_string_equal(upgrade_record_get(&r.items[0], "JobState"), "COMPLETED JobState=RUNNING");
	assert_string_equal(upgrade_record_get(&r.items[0], "Comment"), "two lines");
	assert_false(r.items[1].odd);
	upgrade_records_clear(&r);
}

static void many_fields(void **state)
{
	char *text = malloc(64 * (UPGRADE_FIELDS_MAX + 10)), *at = text;
	struct upgrade_records r;
	char name[32];

	(void) state;
	assert_non_null(text);
	at += sprintf(at, "JobId=1");
	for (int i = 1; i <= UPGRADE_FIELDS_MAX; i++)
		at += sprintf(at, " F%d=%d", i, i);
	parse(&r, UPGRADE_JOB, text);
	assert_int_equal(r.items[0].field_count, UPGRADE_FIELDS_MAX);
	snprintf(name, sizeof(name), "F%d", UPGRADE_FIELDS_MAX);
	assert_null(upgrade_record_get(&r.items[0], name));
	snprintf(name, sizeof(name), "F%d", UPGRADE_FIELDS_MAX - 1);
	assert_non_null(strstr(upgrade_record_get(&r.items[0], name), "F256=256"));
	upgrade_records_clear(&r);
	free(text);
}

static void tasks(void **state)
{
	(void) state;
	assert_int_equal(upgrade_tasks_count("3"), 1);
	assert_int_equal(upgrade_tasks_count("3-6%2"), 4);
	assert_int_equal(upgrade_tasks_count("1,5-9:2"), 4);
	assert_int_equal(upgrade_tasks_count("0-0"), 1);
	assert_int_equal(upgrade_tasks_count("0-100000000"), 100000001);
	assert_int_equal(upgrade_tasks_count("0-100000001"), 0);
	assert_int_equal(upgrade_tasks_count("6-3"), 0);
	assert_int_equal(upgrade_tasks_count("1-9:0"), 0);
	assert_int_equal(upgrade_tasks_count("1,"), 0);
	assert_int_equal(upgrade_tasks_count(""), 0);
	assert_int_equal(upgrade_tasks_count("1,2..."), 0);
	assert_int_equal(upgrade_tasks_count("-1"), 0);
	assert_int_equal(upgrade_tasks_count(NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_and_order), cmocka_unit_test(no_records),  cmocka_unit_test(refused_texts),
		cmocka_unit_test(comments),         cmocka_unit_test(many_fields), cmocka_unit_test(tasks),
	};

	return cmocka_run_group_tests_name("upgrade_records", tests, NULL, NULL);
}
