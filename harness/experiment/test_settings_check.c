/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <errno.h>
#include <string.h>

#include "harness/experiment/settings_check.h"

#define KINDS                                                                                                              \
	"esp, light, parallel-light, burst, spaced, lublin, mapreduce, swf:FILE, batsim:FILE, jobs:FILE, dax:FILE and "    \
	"wfcommons:FILE"

static int check(const char *text, struct wt_error *error)
{
	struct experiment e;
	int rc, saved;

	*error = (struct wt_error){ "" };
	if (experiment_parse(&e, "x.yaml", text, strlen(text), error) < 0)
		fail_msg("%s", error->text);
	rc = settings_check(&e, error);
	saved = errno;
	experiment_clear(&e);
	errno = saved;
	return rc;
}

static void taken(void **state)
{
	static const char *const good[] = {
		"cluster: {nodes: 4}\n",
		"slurm.conf: {EpilogMsgTime: 1, epilog: '', SchedulerParameters: \"defer,bf_interval=30\"}\n",
		"slurm.conf: {SchedulerParameters+: \"bestfit_wait=0:20, defer\", SchedulerParameters.bf_interval: 3}\n",
		"slurm.conf: {SchedulerParameters.word_of_a_newer_release: true}\n",
		"slurm.conf: {SchedulerParameters: ''}\nvariants: {a: {slurm.conf: {SchedulerParameters: null}}}\n",
		"grid: {slurm.conf.EpilogMsgTime: [1, 2, null]}\n",
		"workload: {kind: light}\nvariants: {a: {workload: {kind: 'swf:a:b.swf'}}, b: {workload: {kind: lublin}}}\n",
		"workload: {kind: mapreduce, maps: 400, speculate: \"on\"}\n",
		"cluster: {nodes: 4}\nvariants: {a: {cluster: {plugin: bestfit}}}\ngrid: {cluster.nodes: [4, 8]}\n",
	};
	struct wt_error error;

	(void) state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (check(good[i], &error) < 0)
			fail_msg("%s", error.text);
}

static const struct {
	const char *text, *says;
} bad[] = {
	{ "title: t\nslurm.conf:\n  EpilogMsgTimee: 1\n",
	  "x.yaml:3: slurm.conf has no 'EpilogMsgTimee'; did you mean 'EpilogMsgTime'?" },
	{ "slurm.conf: {Zzzzzzzzzzzz: 1}\n", "x.yaml:1: slurm.conf has no 'Zzzzzzzzzzzz'" },
	{ "slurm.conf:\n  SchedulerParameters: defer,bf_intervall=3\n",
	  "x.yaml:2: SchedulerParameters has no 'bf_intervall'; did you mean 'bf_interval'?" },
	{ "slurm.conf:\n  SchedulerParameters+: defr\n",
	  "x.yaml:2: SchedulerParameters has no 'defr'; did you mean 'defer'?" },
	{ "variants:\n  a:\n  b:\n    slurm.conf:\n      SchedulerParameters.bf_intervall: 3\n",
	  "x.yaml:5: SchedulerParameters has no 'bf_intervall'; did you mean 'bf_interval'?" },
	{ "cluster: {nodes: 4}\ngrid:\n  slurm.conf.TreeWidht: [2, 3]\n",
	  "x.yaml:3: slurm.conf has no 'TreeWidht'; did you mean 'TreeWidth'?" },
	{ "grid:\n  slurm.conf.SchedulerParameters: [defer, defr]\n",
	  "x.yaml:2: SchedulerParameters has no 'defr'; did you mean 'defer'?" },
	{ "workload:\n  kind: light-esp\n", "x.yaml:2: workload: kind: 'light-esp' is none of " KINDS },
	{ "workload: {kind: swf}\n", "x.yaml:1: workload: kind: 'swf' is none of " KINDS },
	{ "workload: {kind: 'light:x'}\n",
	  "x.yaml:1: workload: kind: 'light:x' is none of " KINDS "; did you mean 'light'?" },
	{ "workload: {kind: 'swf:'}\n", "x.yaml:1: workload: kind: 'swf:' is none of " KINDS },
	{ "workload: {kind: burts}\n", "x.yaml:1: workload: kind: 'burts' is none of " KINDS "; did you mean 'burst'?" },
	{ "grid:\n  workload.kind: [light, lihgt]\n",
	  "x.yaml:2: workload: kind: 'lihgt' is none of " KINDS "; did you mean 'light'?" },
	{ "variants:\n  a:\n  b: {cluster: {nodes: 16}}\ngrid: {cluster.nodes: [4, 8]}\n",
	  "x.yaml:3: variant 'b' sets cluster.nodes, and the grid would take its place: leave one of them out" },
	{ "variants:\n  b: {slurm.conf: {epilogmsgtime: null}}\ngrid: {slurm.conf.EpilogMsgTime: [4, 8]}\n",
	  "x.yaml:2: variant 'b' sets slurm.conf.EpilogMsgTime, and the grid would take its place: leave one of them "
	  "out" },
	{ "grid:\n  slurm.conf.EpilogMsgTime: [4, 8]\n  slurm.conf.epilogmsgtime: [5, 6]\n",
	  "x.yaml:3: grid: slurm.conf.epilogmsgtime stands there twice" },
	{ "slurm.conf: {AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA: 1}\n",
	  "x.yaml:1: slurm.conf has no 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'" },
};

static void refused(void **state)
{
	struct wt_error error;

	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(check(bad[i].text, &error), -1);
		assert_int_equal(errno, EINVAL);
		assert_string_equal(error.text, bad[i].says);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(taken),
		cmocka_unit_test(refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
