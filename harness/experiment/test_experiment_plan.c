/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <stdio.h>

#include "harness/experiment/engine.h"
#include "harness/experiment/experiment_plan.h"

static void plan_of(struct experiment_plan *plan, struct experiment *e, const char *text, const char *only)
{
	struct wt_error error;

	if (experiment_parse(e, "dir/file.yaml", text, strlen(text), &error) < 0 ||
	    experiment_plan_make(plan, e, only, &error) < 0)
		fail_msg("%s", error.text);
}

static void done(struct experiment_plan *plan, struct experiment *e)
{
	experiment_plan_clear(plan);
	experiment_clear(e);
}

/* All options of a case with a blank before each. */
static const char *words(const struct experiment_case *c)
{
	static char text[1024];

	snprintf(text, sizeof(text), "%s", c->verb);
	for (size_t i = 0; i < c->option_count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " %s", c->options[i]);
	return text;
}

static void nothing_is_changed(void **state)
{
	struct experiment_plan plan;
	struct experiment e;

	(void) state;
	plan_of(&plan, &e, "workload: {kind: light, burst: 5}\ncluster: {nodes: 4, topology: t.conf, conf: /abs}\n", NULL);
	assert_int_equal(plan.count, 1);
	assert_string_equal(plan.cases[0].name, "all");
	assert_string_equal(plan.cases[0].folder, "all");
	assert_string_equal(words(&plan.cases[0]),
			    "esp --variant=light --burst=5 --nodes=4 --topology=dir/t.conf --conf=/abs");
	done(&plan, &e);
}

static void variants_and_a_grid(void **state)
{
	struct experiment_plan plan;
	struct experiment e;

	(void) state;
	plan_of(&plan, &e,
		"workload: {kind: \"swf:a.swf.gz\"}\nslurm.conf: {A: 1, B: 2}\nnode: {loss: 1%}\n"
		"variants:\n  x:\n  y: {slurm.conf: {A: null}, cluster: {keep: [P, Q]}, run: {keep-going: true}}\n"
		"grid: {slurm.conf.B: [3, ''], cluster.nodes: [4, 8]}\n",
		"y");
	assert_int_equal(plan.count, 8);
	assert_string_equal(plan.cases[0].name, "x, B 3, nodes 4");
	assert_string_equal(plan.cases[1].folder, "x_B=3_nodes=8");
	assert_false(plan.cases[0].wanted);
	assert_string_equal(plan.cases[6].name, "y, B (none), nodes 4");
	assert_true(plan.cases[6].wanted);
	assert_string_equal(words(&plan.cases[0]),
			    "run --workload=swf:dir/a.swf.gz --set=A=1 --set=B=3 --node=loss=1% --nodes=4");
	assert_string_equal(
		words(&plan.cases[7]),
		"run --workload=swf:dir/a.swf.gz --set=B= --node=loss=1% --keep=P --keep=Q --keep-going --nodes=8");
	done(&plan, &e);
}

/* One word of a list, and the site's own value in a grid. */
static void words_of_a_list(void **state)
{
	struct experiment_plan plan;
	struct experiment e;

	(void) state;
	plan_of(&plan, &e, "workload: {kind: light}\nslurm.conf: {SchedulerParameters.bf_window: 60}\n"
		"grid:\n  slurm.conf.SchedulerParameters.bf_interval: [null, 30]\n"
		"  slurm.conf.SchedulerParameters.defer: [~, true]\n", NULL);
	assert_int_equal(plan.count, 4);
	assert_string_equal(plan.cases[0].name, "bf_interval as it is, defer as it is");
	assert_string_equal(plan.cases[0].folder, "bf_interval=as-it-is_defer=as-it-is");
	assert_string_equal(words(&plan.cases[0]), "esp --variant=light --set=SchedulerParameters+=bf_window=60");
	assert_string_equal(plan.cases[3].name, "bf_interval 30, defer true");
	assert_string_equal(words(&plan.cases[3]), "esp --variant=light --set=SchedulerParameters+=bf_window=60 "
			    "--set=SchedulerParameters+=bf_interval=30 --set=SchedulerParameters+=defer");
	done(&plan, &e);
}

static void nodes_that_are_switched_and_billed(void **state)
{
	struct experiment_plan plan;
	struct experiment e;

	(void) state;
	plan_of(&plan, &e, "workload: {kind: light}\ncluster: {nodes: 4}\nelastic: {boot: 'gamma:90,20'}\n"
		"cost: {price: 0.5, 'n[0-1,3]:price': 2}\ngrid: {elastic.boot: [5, 6]}\n", NULL);
	assert_int_equal(plan.count, 2);
	assert_string_equal(words(&plan.cases[1]), "esp --variant=light --nodes=4 --elastic=boot=6 --cost=price=0.5 "
			    "--cost=n[0-1,3]:price=2");
	done(&plan, &e);
}

static void folders_are_tame_and_unlike(void **state)
{
	struct experiment_plan plan;
	struct experiment e;

	(void) state;
	plan_of(&plan, &e, "workload: {kind: esp}\nvariants: {../a b: , '..-a/b': , '-x': , '.y': }\n", NULL);
	assert_string_equal(plan.cases[0].folder, "-.-a-b");
	assert_string_equal(plan.cases[1].folder, "-.-a-b-2");
	assert_string_equal(plan.cases[2].folder, "-x");
	assert_string_equal(plan.cases[3].folder, "-y");
	done(&plan, &e);
	/* What lies beside them has a name, too. */
	plan_of(&plan, &e, "workload: {kind: esp}\nvariants: {logs: , index.sqlite: , report.html: , .lock: }\n", NULL);
	assert_string_equal(plan.cases[0].folder, "logs-2");
	assert_string_equal(plan.cases[1].folder, "index.sqlite-2");
	assert_string_equal(plan.cases[2].folder, "report.html-2");
	assert_string_equal(plan.cases[3].folder, "-lock");
	done(&plan, &e);
}

static void plans_that_cannot_be(void **state)
{
	static const char no_kind[] = "cluster: {nodes: 4}\n", kind[] = "workload: {kind: light}\n";
	struct experiment_plan plan;
	struct wt_error error;
	struct experiment e;
	char big[16384] = "workload: {kind: light}\ngrid:\n";

	(void) state;
	assert_int_equal(experiment_parse(&e, "f", no_kind, strlen(no_kind), &error), 0);
	assert_int_equal(experiment_plan_make(&plan, &e, NULL, &error), -1);
	assert_non_null(strstr(error.text, "the workload has no kind"));
	done(&plan, &e);
	assert_int_equal(experiment_parse(&e, "f", kind, strlen(kind), &error), 0);
	assert_int_equal(experiment_plan_make(&plan, &e, "z", &error), -1);
	assert_non_null(strstr(error.text, "no variant 'z'"));
	done(&plan, &e);
	for (int axis = 0; axis < 2; axis++) {
		strcat(big, axis ? "  cluster.memory: [" : "  cluster.nodes: [");
		for (int i = 1; i <= 40; i++)
			snprintf(big + strlen(big), 16, i < 40 ? "%d," : "%d]\n", i);
	}
	assert_int_equal(experiment_parse(&e, "f", big, strlen(big), &error), 0);
	assert_int_equal(experiment_plan_make(&plan, &e, NULL, &error), -1);
	assert_non_null(strstr(error.text, "more than 1000 cases"));
	done(&plan, &e);
}

static size_t wanted_by(const char *only)
{
	struct experiment_plan plan;
	struct experiment e;
	size_t count = 0;

	plan_of(&plan, &e,
		"workload: {kind: light}\nvariants: {'a*': , a: , 'a[1]': }\n"
		"grid: {cluster.nodes: [4, 64]}\n",
		only);
	for (size_t i = 0; i < plan.count; i++)
		count += plan.cases[i].wanted;
	done(&plan, &e);
	return count;
}

static void cases_by_name(void **state)
{
	(void) state;
	assert_int_equal(wanted_by(NULL), 6);
	assert_int_equal(wanted_by("a"), 2);
	assert_int_equal(wanted_by("a[1]"), 2);
	assert_int_equal(wanted_by("a, nodes 4"), 1);
	assert_int_equal(wanted_by("a[1], nodes 64"), 1);
	assert_int_equal(wanted_by("*, nodes 64"), 3);
	assert_int_equal(wanted_by("a*"), 2);
	assert_int_equal(wanted_by("?, nodes *"), 2);
}

/* Side by side only where one run cannot change what another one measures. */
static void jobs_at_once(void **state)
{
	static const struct {
		const char *cluster;
		double free_mib;
		unsigned int jobs;
	} cases[] = {
		{ "nodes: 64, clock: virtual, charge: none", 1e6, 8 },
		{ "nodes: 64, clock: virtual, charge: 'cpu:2'", 1e6, 8 },
		{ "nodes: 64, clock: virtual", 1e6, 1 },
		{ "nodes: 64, clock: virtual, charge: real", 1e6, 1 },
		{ "nodes: 64", 1e6, 1 },
		{ "nodes: 64, clock: virtual, charge: none", 100, 1 },
		{ "nodes: 64, clock: virtual, charge: none", 1300, 3 },
	};

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct experiment_plan plan;
		struct experiment e;
		char text[256];

		snprintf(text, sizeof(text), "workload: {kind: light}\ncluster: {%s}\n", cases[i].cluster);
		plan_of(&plan, &e, text, NULL);
		assert_int_equal(engine_jobs(&plan, 8, cases[i].free_mib), cases[i].jobs);
		done(&plan, &e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_changed),
		cmocka_unit_test(variants_and_a_grid),
		cmocka_unit_test(cases_by_name),
		cmocka_unit_test(words_of_a_list),
		cmocka_unit_test(nodes_that_are_switched_and_billed),
		cmocka_unit_test(folders_are_tame_and_unlike),
		cmocka_unit_test(plans_that_cannot_be),
		cmocka_unit_test(jobs_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
