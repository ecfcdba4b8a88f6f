/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "harness/cluster/conf/conf.h"

static void expect_text(const struct wt_conf *conf, const char *want)
{
	char *text = wt_conf_print(conf);

	assert_string_equal(text, want);
	free(text);
}

/* "KEY=VALUE" or "KEY+=VALUE" */
static int apply(struct wt_conf *conf, const char *setting, struct wt_error *errp)
{
	const char *eq = strchr(setting, '=');
	bool append = eq > setting && eq[-1] == '+';
	char *key = strndup(setting, (size_t) (eq - setting) - append);
	int rc = append ? wt_conf_append(conf, key, eq + 1, errp) : wt_conf_set(conf, key, eq + 1, errp);

	free(key);
	return rc;
}

static void test_set_replaces_without_regard_to_case(void **state)
{
	struct wt_conf *c = wt_conf_create();

	(void) state;
	assert_int_equal(wt_conf_set(c, "Epilog", "/bin/true", NULL), 0);
	assert_int_equal(wt_conf_set(c, "TreeWidth", "50", NULL), 0);
	assert_int_equal(apply(c, "epilog=/bin/false", NULL), 0);
	expect_text(c, "Epilog=/bin/false\nTreeWidth=50\n");
	assert_string_equal(wt_conf_get(c, "EPILOG"), "/bin/false");
	assert_null(wt_conf_get(c, "Prolog"));
	assert_int_equal(apply(c, "Epilog=", NULL), 0);
	assert_int_equal(apply(c, "Prolog=", NULL), 0);
	expect_text(c, "TreeWidth=50\n");
	wt_conf_destroy(c);
}

static void test_append(void **state)
{
	struct wt_conf *c = wt_conf_create();

	(void) state;
	assert_int_equal(apply(c, "SchedulerParameters+=defer", NULL), 0);
	assert_int_equal(apply(c, "schedulerparameters+=bf_interval=5", NULL), 0);
	expect_text(c, "SchedulerParameters=defer,bf_interval=5\n");
	assert_int_equal(apply(c, "SchedulerParameters+=BF_Interval=300,bf_window=60", NULL), 0);
	expect_text(c, "SchedulerParameters=defer,BF_Interval=300,bf_window=60\n");
	assert_int_equal(apply(c, "SchedulerParameters+=defer", NULL), 0);
	expect_text(c, "SchedulerParameters=BF_Interval=300,bf_window=60,defer\n");
	assert_int_equal(apply(c, "SchedulerParameters=defer,bf_interval=5", NULL), 0);
	wt_conf_destroy(c);
}

static void test_repeatable_keys(void **state)
{
	struct wt_conf *c = wt_conf_create();
	struct wt_error err;

	(void) state;
	assert_int_equal(apply(c, "PartitionName+=MaxTime=1", &err), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(wt_conf_set(c, "PartitionName", "main Nodes=ALL", NULL), 0);
	assert_int_equal(apply(c, "PartitionName=debug Nodes=n0", NULL), 0);
	assert_int_equal(apply(c, "PartitionName=main Nodes=n1", NULL), 0);
	assert_int_equal(apply(c, "PartitionName=default State=UP", NULL), 0);
	assert_int_equal(apply(c, "PartitionName+=MaxTime=1", NULL), 0);
	expect_text(c, "PartitionName=default State=UP\nPartitionName=main Nodes=n1 MaxTime=1\n"
		       "PartitionName=debug Nodes=n0 MaxTime=1\n");
	assert_int_equal(apply(c, "PartitionName=", &err), -1);
	wt_conf_destroy(c);
}

static void test_quotes_and_escapes(void **state)
{
	struct wt_conf *c = wt_conf_create();

	(void) state;
	assert_int_equal(apply(c, "Epilog=/a b/#1\\x", NULL), 0);
	expect_text(c, "Epilog=\"/a b/\\#1\\\\x\"\n");
	wt_conf_destroy(c);
}

static void test_lines_are_found_by_name(void **state)
{
	struct wt_conf *c = wt_conf_create();

	(void) state;
	assert_int_equal(apply(c, "PartitionName=a Nodes=n0", NULL), 0);
	assert_int_equal(apply(c, "PartitionName=ab Nodes=n1", NULL), 0);
	assert_string_equal(wt_conf_get_named(c, "partitionname", "ab"), "ab Nodes=n1");
	assert_string_equal(wt_conf_get_named(c, "PartitionName", "a"), "a Nodes=n0");
	assert_null(wt_conf_get_named(c, "PartitionName", "b"));
	assert_null(wt_conf_get_named(c, "NodeSet", "a"));
	wt_conf_destroy(c);
}

static void test_nonsense_is_refused(void **state)
{
	static const char *const bad[] = { "=", "+=x", "=x", "K-y=1", "9Key=1", "Key =1", "Key=a\nb", "Key=\x01",
					   "NodeName= x", "NodeName=" };
	struct wt_conf *c = wt_conf_create();
	struct wt_error err;

	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err.text[0] = '\0';
		assert_int_equal(apply(c, bad[i], &err), -1);
		assert_int_equal(errno, EINVAL);
		assert_true(err.text[0] != '\0');
	}
	expect_text(c, "");
	wt_conf_destroy(c);
	wt_conf_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set_replaces_without_regard_to_case),
		cmocka_unit_test(test_append),
		cmocka_unit_test(test_repeatable_keys),
		cmocka_unit_test(test_quotes_and_escapes),
		cmocka_unit_test(test_lines_are_found_by_name),
		cmocka_unit_test(test_nonsense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
