/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <stdlib.h>
#include <string.h>

#include "harness/report/advice_missing.h"

static bool measured(const char *a, const char *b, const char *name)
{
	struct wt_case items[2] = { { .options = (char *) a, .set.count = 3 }, { .options = (char *) b, .set.count = 3 } };
	struct wt_cases cases = { .items = items, .count = 2 };

	for (size_t i = 0; i < advice_setting_count; i++)
		if (!strcmp(advice_settings[i].name, name))
			return advice_measured(&cases, &advice_settings[i]);
	fail_msg("no setting %s", name);
	return false;
}

static void test_settings(void **state)
{
	(void) state;
	assert_true(measured("--nodes=4\n--set=EpilogMsgTime=1\n", "--nodes=4\n--set=EpilogMsgTime=2\n", "EpilogMsgTime"));
	assert_true(measured("--nodes=4\n", "--set=epilogmsgtime=2\n", "EpilogMsgTime"));
	assert_false(measured("--set=EpilogMsgTime=2\n--nodes=4\n", "--set=EpilogMsgTime=2\n--nodes=8\n", "EpilogMsgTime"));
	assert_true(measured("--nodes=4\n", "--nodes=4\n--topology=/t.conf\n", "topology"));
	assert_false(measured("--set=TopologyParam=x\n", "--workload=jobs:/topology/x\n", "topology"));
	assert_true(measured("--plugin=bestfit\n", "", "plugin"));
	assert_false(measured("", "", "plugin"));
	assert_false(measured("", "--nodes=8", "TreeWidth"));
}

static void test_words(void **state)
{
	static const char with[] = "--set=SchedulerParameters=defer,bf_interval=30\n";

	(void) state;
	assert_true(measured("--set=SchedulerParameters=bf_interval=30\n", with, "defer"));
	assert_false(measured("--set=SchedulerParameters=bf_interval=30\n", with, "bf_interval"));
	assert_true(measured("--set=SchedulerParameters+=bf_interval=60\n", with, "bf_interval"));
	assert_false(measured("--set=SchedulerParameters=defer_batch\n", "", "defer"));
	assert_false(measured("--set=SchedulerParameters=bf_window_linear=3\n", "", "bf_window"));
	/* the last word holds */
	assert_false(measured("--set=SchedulerParameters=bf_window=9\n--set=SchedulerParameters+=bf_window=5\n",
			      "--set=SchedulerParameters+=bf_window=5\n", "bf_window"));
}

static void test_cases_without_runs_tell_nothing(void **state)
{
	struct wt_case items[3] = { { .options = "--set=TreeWidth=2\n", .set.count = 3 },
				    { .options = "--set=TreeWidth=3\n" }, { .set.count = 1 } };
	struct wt_cases cases = { .items = items, .count = 3 };

	(void) state;
	for (size_t i = 0; i < advice_setting_count; i++)
		assert_false(advice_measured(&cases, &advice_settings[i]));
	cases.count = 0;
	assert_false(advice_measured(&cases, &advice_settings[0]));
	assert_null(advice_site(&cases));
}

static void test_site(void **state)
{
	struct wt_case one = { .options = "--workload=jobs:/s/--site=x\n--site=/s/my site\n--clock=virtual\n" };
	struct wt_cases cases = { .items = &one, .count = 1 };
	char *site = advice_site(&cases);

	(void) state;
	assert_string_equal(site, "/s/my site");
	free(site);
	one.options = "--nodes=4\n";
	assert_null(advice_site(&cases));
	one.options = NULL;
	assert_null(advice_site(&cases));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_cases_without_runs_tell_nothing),
		cmocka_unit_test(test_site),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
