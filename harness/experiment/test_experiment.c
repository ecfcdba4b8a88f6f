/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <stdio.h>

#include "harness/experiment/experiment.h"

static int parse(struct experiment *e, const char *text, struct wt_error *errp)
{
	return experiment_parse(e, "x/defer.yaml", text, strlen(text), errp);
}

/* Refused, with this in the message. */
static void refused(const char *text, const char *words)
{
	struct wt_error error = { "" };
	struct experiment e;

	assert_int_equal(parse(&e, text, &error), -1);
	assert_int_equal(errno, EINVAL);
	if (!strstr(error.text, words))
		fail_msg("'%s' is not in '%s'", words, error.text);
	experiment_clear(&e);
}

static const char *value_of(const struct experiment_settings *s, const char *section, const char *key)
{
	const struct experiment_setting *found = experiment_settings_find(s, section, key);

	assert_non_null(found);
	return found->value;
}

static void whole_file(void **state)
{
	static const char text[] =
		"title: What defer costs\nseed: 7\nrepeat: 4\nfigures: [start_rate_per_s, wait_mean_s]\n"
		"workload:\n  kind: burst\n  jobs: 100\n"
		"cluster: {nodes: 64, clock: virtual, keep: [Prolog, MailProg]}\n"
		"node: {loss: 0.1%}\n"
		"slurm.conf:\n  EpilogMsgTime: 2000\n  NodeName+: Gres=gpu:2\n"
		"run: {keep-going: yes}\n"
		"variants:\n  stock:\n  defer:\n    slurm.conf: {SchedulerParameters: defer, EpilogMsgTime: null}\n"
		"grid:\n  slurm.conf.EpilogMsgTime: [1, 200]\n  cluster.nodes: [64, 128]\n";
	struct wt_error error;
	struct experiment e;

	(void) state;
	assert_int_equal(parse(&e, text, &error), 0);
	assert_string_equal(e.title, "What defer costs");
	assert_int_equal(e.seed, 7);
	assert_int_equal(e.repeat, 4);
	assert_int_equal(e.figure_count, 2);
	assert_int_equal(e.figures[0], WT_FIG_START_RATE);
	assert_string_equal(value_of(&e.base, "cluster", "keep"), "Prolog,MailProg");
	assert_string_equal(value_of(&e.base, "node", "loss"), "0.1%");
	assert_string_equal(value_of(&e.base, "slurm.conf", "NodeName+"), "Gres=gpu:2");
	assert_string_equal(value_of(&e.base, "run", "keep-going"), "true");
	assert_int_equal(experiment_settings_find(&e.base, "workload", "jobs")->line, 7);
	assert_int_equal(e.variant_count, 2);
	assert_string_equal(e.variants[0].name, "stock");
	assert_int_equal(e.variants[0].changes.count, 0);
	assert_null(value_of(&e.variants[1].changes, "slurm.conf", "EpilogMsgTime"));
	assert_int_equal(e.axis_count, 2);
	assert_string_equal(e.axes[0].section, "slurm.conf");
	assert_string_equal(e.axes[0].values[1], "200");
	experiment_clear(&e);
}

static void a_release_of_slurm(void **state)
{
	static const char text[] = "slurm: 22.05\nvariants:\n  old:\n  new:\n    slurm: 24.11.5\n  none:\n"
				   "    cluster: {slurm: null}\ngrid:\n  cluster.slurm: [24.10, /opt/a]\n";
	struct wt_error error;
	struct experiment e;

	(void) state;
	assert_int_equal(parse(&e, text, &error), 0);
	assert_string_equal(value_of(&e.base, "cluster", "slurm"), "22.05");
	assert_string_equal(value_of(&e.variants[1].changes, "cluster", "slurm"), "24.11.5");
	assert_null(value_of(&e.variants[2].changes, "cluster", "slurm"));
	assert_string_equal(e.axes[0].values[0], "24.10");
	experiment_clear(&e);
	refused("slurm: [22.05, 24.11]\n", ":1: slurm: one value is expected, not a list");
	refused("slurm: ''\n", ":1: slurm: the value is empty");
	refused("variants:\n  a:\n    slrum: 24.11\n", "a variant has no 'slrum'");
}

static void what_is_wrong_is_named_with_its_line(void **state)
{
	(void) state;
	refused("", "the file is empty");
	refused("- a\n- b\n", ":1: an experiment: 'KEY: VALUE' lines are expected");
	refused("title: a\nworkloda:\n  kind: light\n", ":3: an experiment has no 'workloda'; did you mean 'workload'?");
	refused("cluster:\n  node: 4\n", ":2: cluster has no 'node'; did you mean 'nodes'?");
	refused("cluster:\n  nodes: [4]\n", ":2: nodes: one value is expected, not a list");
	refused("cluster:\n  nodes: {a: 4}\n", "one value is expected, not a mapping");
	refused("cluster:\n  nodes: ''\n", ":2: nodes: the value is empty");
	refused("cluster:\n  nodes: 4\n  nodes: 5\n", ":3: cluster: nodes stands there twice");
	refused("seed: -1\n", ":1: seed: give a whole number");
	refused("repeat: 0\n", ":1: repeat: give a whole number from 1 to 10000");
	refused("repeat: 10001\n", "from 1 to 10000");
	refused("slurm.conf: {EpilogMsgTime: 1, epilogmsgtime: 2}\n", ":1: slurm.conf: epilogmsgtime stands there twice");
	refused("slurm: 24.11\ncluster: {slurm: 23.11}\n", ":2: cluster: slurm stands there twice");
	refused("figures: [nonsense]\n", "'nonsense' is not a figure");
	refused("figures: [makespan_s, wait_mean_s, makespan_s]\n", ":1: figures: makespan_s stands there twice");
	refused("figures: makespan_s\n", "figures: a list is expected");
	refused("run:\n  keep-going: maybe\n", ":2: keep-going: give true or false");
	refused("cluster: {keep: [\"a,b\"]}\n", "has no comma");
	refused("slurm.conf: {\"A=B\": 1}\n", "is no name of a setting");
	refused("title: \"a\\nb\"\n", "title: a control character");
	refused("title: \"a\\0b\"\n", "title: a control character");
	refused("variants: {\"\\u202ea\": }\n", "variants: a control character");
	refused("a: b: c\n", ":1: ");
	refused("title: x\n---\ntitle: y\n", ":2: a second document begins");
	refused("title: [\n", ": ");
	refused("title: \xff\n", "byte ");
}

static void a_grid_that_is_wrong(void **state)
{
	(void) state;
	refused("grid: {nodes: [1]}\n", "give SECTION.KEY");
	refused("grid: {cluster.nodes: []}\n", "cluster.nodes has no values");
	refused("grid: {cluster.nodes: 4}\n", "a list is expected");
	refused("grid: {cluster.nodes: [4, 4]}\n", "the value '4' stands there twice");
	refused("grid: {cluster.nodes: [~, null]}\n", "the value 'null' stands there twice");
	refused("grid: {slurm.conf.SchedulerParameters.defer: [true, no]}\n", "give a value, or true for a word alone");
	refused("grid: {clutser.nodes: [4]}\n", "did you mean 'cluster'?");
	refused("grid: {cluster.nodse: [4]}\n", "did you mean 'nodes'?");
}

static void variants_that_are_wrong(void **state)
{
	(void) state;
	refused("variants: [a, b]\n", "'KEY: VALUE' lines are expected");
	refused("variants:\n  a:\n    title: b\n", "a variant has no 'title'");
	refused("variants:\n  '': {}\n", "a variant's name has 1 to 80 bytes");
	refused("variants:\n  a:\n  a:\n", "a stands there twice");
}

/* An alias that leads back to where it stands, and one that would be a mountain if it were unfolded. */
static void aliases_do_no_harm(void **state)
{
	(void) state;
	refused("variants: &v\n  a: *v\n", "a variant has no 'a'");
	refused("a: &a [x,x,x]\nb: &b [*a,*a,*a]\nc: &c [*b,*b,*b]\n", "an experiment has no 'a'");
}

/* A hundred thousand brackets: told at once, and with their line. */
static void depth_has_an_end(void **state)
{
	char *text = malloc(100100);

	(void) state;
	assert_non_null(text);
	strcpy(text, "title: x\nseed: ");
	memset(text + strlen("title: x\nseed: "), '[', 100000);
	text[strlen("title: x\nseed: ") + 100000] = '\0';
	refused(text, "2: more than 50 levels");
	free(text);
}

static void settings_are_replaced(void **state)
{
	static const struct experiment_setting more[] = {
		{ "slurm.conf", "EpilogMsgTime", "1", 5 },
		{ "slurm.conf", "epilogmsgtime", "2", 6 },
		{ "cluster", "Nodes", "8", 7 },
	};
	struct experiment_settings s = { 0 };

	(void) state;
	assert_int_equal(experiment_settings_put(&s, &(struct experiment_setting){ "cluster", "nodes", "4", 1 }), 0);
	assert_int_equal(experiment_settings_put(&s, &(struct experiment_setting){ "node", "nodes", "x", 2 }), 0);
	assert_int_equal(experiment_settings_put(&s, &(struct experiment_setting){ "cluster", "nodes", "8", 3 }), 0);
	assert_int_equal(s.count, 2);
	assert_string_equal(value_of(&s, "cluster", "nodes"), "8");
	assert_int_equal(experiment_settings_put(&s, &(struct experiment_setting){ "cluster", "nodes", NULL, 4 }), 0);
	assert_null(value_of(&s, "cluster", "nodes"));
	assert_null(experiment_settings_find(&s, "cluster", "memory"));
	/* Slurm's keys are the same in capitals; names of ours are not. */
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++)
		assert_int_equal(experiment_settings_put(&s, &more[i]), 0);
	assert_int_equal(s.count, 4);
	assert_string_equal(value_of(&s, "slurm.conf", "EPILOGMSGTIME"), "2");
	experiment_settings_clear(&s);
}

static void files_that_cannot_be_read(void **state)
{
	struct wt_error error;
	struct experiment e;

	(void) state;
	assert_int_equal(experiment_read(&e, "/no/such/file.yaml", &error), -1);
	assert_int_equal(errno, ENOENT);
	experiment_clear(&e);
	assert_int_equal(experiment_read(&e, "/", &error), -1);
	experiment_clear(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_file),
		cmocka_unit_test(a_release_of_slurm),
		cmocka_unit_test(what_is_wrong_is_named_with_its_line),
		cmocka_unit_test(a_grid_that_is_wrong),
		cmocka_unit_test(variants_that_are_wrong),
		cmocka_unit_test(aliases_do_no_harm),
		cmocka_unit_test(depth_has_an_end),
		cmocka_unit_test(settings_are_replaced),
		cmocka_unit_test(files_that_cannot_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
