/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include "harness/experiment/experiment_plan.h"
#include "harness/experiment/vary.h"

static struct vary fresh(void)
{
	return (struct vary) { .site = "/tmp/o'site", .command = "windtunnel try o\nsite", .seed = 7, .repeat = 3 };
}

static void axis_is(const char *text, const char *section, const char *key, size_t count)
{
	struct vary v = fresh();
	struct wt_error error;

	if (wt_vary_axis(&v, text, &error) < 0)
		fail_msg("%s", error.text);
	assert_string_equal(v.axes[0].section, section);
	assert_string_equal(v.axes[0].key, key);
	assert_int_equal(v.axes[0].value_count, count);
	wt_vary_clear(&v);
}

static void names(void **state)
{
	(void) state;
	axis_is("bf_interval=30,120,300", "slurm.conf", "SchedulerParameters.bf_interval", 3);
	axis_is("BF_Window=1,2", "slurm.conf", "SchedulerParameters.bf_window", 2);
	axis_is("SchedulerParameters.bf_of_tomorrow=1", "slurm.conf", "SchedulerParameters.bf_of_tomorrow", 1);
	axis_is("defer=site,true", "slurm.conf", "SchedulerParameters.defer", 2);
	axis_is("EpilogMsgTime=2000,", "slurm.conf", "EpilogMsgTime", 2);
	axis_is("epilogmsgtime=1", "slurm.conf", "epilogmsgtime", 1);
	axis_is("SchedulerParameters=defer,bf_continue;;site", "slurm.conf", "SchedulerParameters", 3);
	axis_is("NodeName+=Weight=5,Weight=6", "slurm.conf", "NodeName+", 2);
	axis_is("slurm.conf.Anything=1", "slurm.conf", "Anything", 1);
	axis_is("PreemptParameters.reclaim_licenses=true", "slurm.conf", "PreemptParameters.reclaim_licenses", 1);
	axis_is("plugin=site,bestfit", "cluster", "plugin", 2);
	axis_is("node.loss=0.1%,1%", "node", "loss", 2);
	axis_is("workload.perturb=uniform 1,uniform 5", "workload", "perturb", 2);
}

static void refused(const char *text, const char *words)
{
	struct vary v = fresh();
	struct wt_error error = { "" };

	assert_int_equal(wt_vary_axis(&v, text, &error), -1);
	assert_int_equal(errno, EINVAL);
	if (!strstr(error.text, words))
		fail_msg("%s: %s", text, error.text);
	wt_vary_clear(&v);
}

static void names_that_are_none(void **state)
{
	(void) state;
	refused("", "give NAME=VALUE");
	refused("=3", "give NAME=VALUE");
	refused("bf_interval=3\nNodeName=n0", "'bf_interval=3...': a newline, or another control character");
	refused("bf_interval\t=3", "a newline, or another control character");
	refused("bf_interval", "give NAME=VALUE");
	refused("Epilogue=3,4", "'Epilogue' is neither a key of slurm.conf");
	refused("bf_intervall=3", "did you mean 'bf_interval'?");
	refused("deffer=3", "did you mean 'defer'?");
	refused("cluster.nodse=3", "cluster has no 'nodse'");
	refused("slurm.conf.=3", "is neither");
	refused(".=3", "is neither");
	refused("bf_interval=3,3", "the value '3' stands there twice");
	refused("bf_interval=site,site", "the value 'site' stands there twice");
}

static void file_refused(const char *one, const char *setting, const char *words)
{
	struct vary v = fresh();
	struct wt_error error = { "" };

	if (one)
		assert_int_equal(wt_vary_axis(&v, one, &error), 0);
	if (setting)
		assert_int_equal(wt_vary_setting(&v, setting, &error), 0);
	assert_null(wt_vary_file(&v, &error));
	assert_non_null(strstr(error.text, words));
	wt_vary_clear(&v);
}

static void files_that_cannot_be(void **state)
{
	struct vary v = fresh();
	struct wt_error error;

	(void) state;
	file_refused(NULL, NULL, "give two values at least");
	file_refused("bf_interval=3", NULL, "give two values at least");
	file_refused("bf_interval=3,4", "bf_interval=5", "is varied, and set for all cases");
	assert_int_equal(wt_vary_setting(&v, "Epilogue=3", &error), -1);
	assert_int_equal(wt_vary_axis(&v, "bf_interval=3,4", &error), 0);
	assert_int_equal(wt_vary_axis(&v, "SchedulerParameters.bf_interval=5", &error), -1);
	assert_non_null(strstr(error.text, "is named twice"));
	wt_vary_clear(&v);
}

/* The file is one that experiments read, with what was asked for. */
static void the_file(void **state)
{
	struct vary v = fresh();
	struct experiment_plan plan;
	struct wt_error error;
	struct experiment e;
	char *text;

	(void) state;
	assert_int_equal(wt_vary_axis(&v, "bf_interval=site,30", &error), 0);
	assert_int_equal(wt_vary_axis(&v, "Epilog=it's: #1,", &error), 0);
	assert_int_equal(wt_vary_setting(&v, "perturb=uniform 9", &error), 0);
	assert_int_equal(wt_vary_setting(&v, "perturb=uniform 5", &error), 0);
	assert_int_equal(wt_vary_setting(&v, "charge=cpu", &error), 0);
	text = wt_vary_file(&v, &error);
	assert_non_null(text);
	assert_int_equal(strncmp(text, "# windtunnel try o?site\n", 24), 0);
	if (experiment_parse(&e, "/x/experiment.yaml", text, strlen(text), &error) < 0 ||
	    experiment_plan_make(&plan, &e, NULL, &error) < 0)
		fail_msg("%s\n%s", error.text, text);
	assert_int_equal(plan.count, 4);
	assert_int_equal(e.seed, 7);
	assert_int_equal(e.repeat, 3);
	assert_int_equal(e.figures[0], WT_FIG_WAIT_MEAN);
	assert_string_equal(e.title, "bf_interval and Epilog on o'site: who waits longer, and who less?");
	assert_string_equal(plan.cases[0].name, "bf_interval as it is, Epilog it's: #1");
	assert_string_equal(plan.cases[3].name, "bf_interval 30, Epilog (none)");
	assert_string_equal(plan.cases[3].options[0], "--workload=jobs:/tmp/o'site/jobs.jsonl");
	assert_string_equal(plan.cases[3].options[1], "--perturb=uniform 5");
	assert_string_equal(plan.cases[3].options[4], "--charge=cpu");
	assert_string_equal(plan.cases[3].options[5], "--set=SchedulerParameters+=bf_interval=30");
	free(text);
	experiment_plan_clear(&plan);
	experiment_clear(&e);
	wt_vary_clear(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names), cmocka_unit_test(names_that_are_none), cmocka_unit_test(files_that_cannot_be),
		cmocka_unit_test(the_file),
	};

	return cmocka_run_group_tests_name("vary", tests, NULL, NULL);
}
