/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "wt_conf.h"

static void expect_text(const struct wt_conf *conf, const char *want)
{
	char *text = wt_conf_print(conf);

	assert_string_equal(text, want);
	free(text);
}

static void test_set_replaces_without_regard_to_case(void **state)
{
	struct wt_conf *c = wt_conf_create();

	(void) state;
	assert_int_equal(wt_conf_set(c, "Epilog", "/bin/true", NULL), 0);
	assert_int_equal(wt_conf_set(c, "TreeWidth", "50", NULL), 0);
	assert_int_equal(wt_conf_apply(c, "epilog=/bin/false", NULL), 0);
	expect_text(c, "Epilog=/bin/false\nTreeWidth=50\n");
	assert_string_equal(wt_conf_get(c, "EPILOG"), "/bin/false");
	assert_null(wt_conf_get(c, "Prolog"));
	assert_int_equal(wt_conf_apply(c, "Epilog=", NULL), 0);
	assert_int_equal(wt_conf_apply(c, "Prolog=", NULL), 0);
	expect_text(c, "TreeWidth=50\n");
	wt_conf_destroy(c);
}

static void test_append(void **state)
{
	struct wt_conf *c = wt_conf_create();

	(void) state;
	assert_int_equal(wt_conf_apply(c, "SchedulerParameters+=defer", NULL), 0);
	assert_int_equal(wt_conf_apply(c, "schedulerparameters+=bf_interval=5", NULL), 0);
	expect_text(c, "SchedulerParameters=defer,bf_interval=5\n");
	wt_conf_destroy(c);
}

static void test_repeatable_keys(void **state)
{
	struct wt_conf *c = wt_conf_create();
	struct wt_error err;

	(void) state;
	assert_int_equal(wt_conf_apply(c, "PartitionName+=MaxTime=1", &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(wt_conf_set(c, "PartitionName", "main Nodes=ALL", NULL), 0);
	assert_int_equal(wt_conf_apply(c, "PartitionName=debug Nodes=n0", NULL), 0);
	assert_int_equal(wt_conf_apply(c, "PartitionName=main Nodes=n1", NULL), 0);
	assert_int_equal(wt_conf_apply(c, "PartitionName=default State=UP", NULL), 0);
	assert_int_equal(wt_conf_apply(c, "PartitionName+=MaxTime=1", NULL), 0);
	expect_text(c, "PartitionName=default State=UP\nPartitionName=main Nodes=n1 MaxTime=1\n"
		       "PartitionName=debug Nodes=n0 MaxTime=1\n");
	assert_int_equal(wt_conf_apply(c, "PartitionName=", &err), -1);
	wt_conf_destroy(c);
}

static void test_quotes_and_escapes(void **state)
{
	struct wt_conf *c = wt_conf_create(), *again = wt_conf_create();
	char *text;

	(void) state;
	assert_int_equal(wt_conf_apply(c, "Epilog=/a b/#1\\x", NULL), 0);
	expect_text(c, "Epilog=\"/a b/\\#1\\\\x\"\n");
	text = wt_conf_print(c);
	assert_int_equal(wt_conf_merge(again, text, "x", NULL), 0);
	expect_text(again, text);
	free(text);
	wt_conf_destroy(c);
	wt_conf_destroy(again);
}

static void test_nonsense_is_refused(void **state)
{
	static const char *const bad[] = { "", "=", "+=x", "=x", "Key", "K-y=1", "9Key=1", "Key =1", "Key=a\nb", "Key=\x01",
					   "NodeName= x", "NodeName=" };
	struct wt_conf *c = wt_conf_create();
	struct wt_error err;

	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err.text[0] = '\0';
		assert_int_equal(wt_conf_apply(c, bad[i], &err), -1);
		assert_int_equal(errno, EINVAL);
		assert_true(err.text[0] != '\0');
	}
	expect_text(c, "");
	wt_conf_destroy(c);
	wt_conf_destroy(NULL);
}

static void test_merge(void **state)
{
	static const char text[] =
		"# a comment = nothing\n"
		"\n"
		"  TreeWidth = 16   KillWait=5 # tail\r\n"
		"SchedulerParameters=defer,\\\n"
		"bf_interval=7\n"
		"Epilog=\"/a b\" Prolog=/x\\#y\n"
		"# ignored \\\n"
		"NodeName=DEFAULT Weight=3\n"
		"MinJobAge=9";
	struct wt_conf *c = wt_conf_create();

	(void) state;
	assert_int_equal(wt_conf_set(c, "treewidth", "50", NULL), 0);
	assert_int_equal(wt_conf_set(c, "NodeName", "n[0-3]", NULL), 0);
	assert_int_equal(wt_conf_merge(c, text, "f", NULL), 0);
	expect_text(c, "treewidth=16\nNodeName=DEFAULT Weight=3\nNodeName=n[0-3]\nKillWait=5\n"
		       "SchedulerParameters=defer,bf_interval=7\nEpilog=\"/a b\"\nProlog=/x\\#y\nMinJobAge=9\n");
	wt_conf_destroy(c);
}

static void test_merge_refuses(void **state)
{
	struct wt_conf *c = wt_conf_create();
	struct wt_error err;

	(void) state;
	assert_int_equal(wt_conf_merge(c, "A=1\nnonsense\n", "my.conf", &err), -1);
	assert_string_equal(err.text, "my.conf:2: 'nonsense' is not KEY=VALUE");
	assert_int_equal(wt_conf_merge(c, "include /etc/x\n", "my.conf", &err), -1);
	assert_non_null(strstr(err.text, "my.conf:1: Include"));
	assert_int_equal(wt_conf_merge(c, "A=1 B\n", "my.conf", &err), -1);
	assert_int_equal(wt_conf_merge(c, "", "my.conf", &err), 0);
	wt_conf_destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set_replaces_without_regard_to_case),
		cmocka_unit_test(test_append),
		cmocka_unit_test(test_repeatable_keys),
		cmocka_unit_test(test_quotes_and_escapes),
		cmocka_unit_test(test_nonsense_is_refused),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_merge_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
