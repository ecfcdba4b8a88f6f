/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plugins/select_bestfit/bestfit.h"

#define NODES 72	/* 2 switches of 6 leaves of 6 nodes */
#define CPUS 4

static struct bestfit *bestfit_make(uint32_t unknown)
{
	const struct wt_tree_shape shape = { .arity = "6,6,2" };
	uint32_t cpus[NODES];
	struct bestfit *b;

	for (uint32_t n = 0; n < NODES; n++)
		cpus[n] = n == unknown ? 0 : CPUS;
	b = bestfit_create(wt_tree_fat(&shape, NULL), cpus, WT_TIE_TOUCH, NULL);
	assert_non_null(b);
	return b;
}

/* Nodes first ... first + count - 1, all CPUs free. */
static size_t span_add(struct bestfit_node *nodes, size_t at, uint32_t first, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		nodes[at + i] = (struct bestfit_node) { .node = first + i, .avail_cpus = CPUS, .cpus = CPUS, .weight = 1 };
	return at + count;
}

static struct bestfit_job whole_job(uint32_t nodes)
{
	return (struct bestfit_job) { .whole = true, .min_nodes = nodes, .max_nodes = nodes, .req_nodes = nodes,
				      .min_cpus = nodes, .tasks = nodes, .cpus_per_task = 1 };
}

static void test_whole_nodes(void **state)
{
	struct bestfit *b = bestfit_make(WT_TREE_NONE);
	struct bestfit_node nodes[NODES];
	struct bestfit_job job = whole_job(5);
	struct select_choice choice;
	size_t count = span_add(nodes, 0, 3, 3);	/* 3 of leaf 0 */

	(void) state;
	count = span_add(nodes, count, 7, 5);	/* 5 of leaf 1 */
	count = span_add(nodes, count, 12, 6);	/* leaf 2, whole */
	assert_int_equal(bestfit_choose(b, &job, nodes, count, &choice), BESTFIT_CHOSEN);
	assert_int_equal(choice.count, 5);
	for (size_t i = 0; i < choice.count; i++)
		assert_in_range(choice.picks[i].node, 7, 11);	/* the tightest leaf that holds all */
	job = whole_job(14);
	assert_int_equal(bestfit_choose(b, &job, nodes, count, &choice), BESTFIT_ALL);
	job = whole_job(15);
	assert_int_equal(bestfit_choose(b, &job, nodes, count, &choice), BESTFIT_FEW);
	job = whole_job(1);
	job.max_nodes = UINT32_MAX;
	job.min_cpus = 5 * CPUS - 1;	/* -n alone: as many nodes as its CPUs need */
	assert_int_equal(bestfit_choose(b, &job, nodes, count, &choice), BESTFIT_CHOSEN);
	assert_int_equal(choice.count, 5);
	job.max_nodes = 4;
	assert_int_equal(bestfit_choose(b, &job, nodes, count, &choice), BESTFIT_RANGE);
	bestfit_destroy(b);
}

/* Jobs behind this one, in its unit: up to one that asks for something else, and no more than are looked at. */
static void test_jobs_behind(void **state)
{
	struct bestfit_job next[WT_SELECT_NEXT_MAX + 1], job = whole_job(2);
	struct bestfit_want want;

	(void) state;
	job.next = next;
	for (uint32_t i = 0; i <= WT_SELECT_NEXT_MAX; i++)
		next[i] = whole_job(i + 1);
	assert_int_equal(bestfit_want(&job, CPUS, &want), BESTFIT_CHOSEN);
	assert_int_equal(want.next_count, 0);
	job.next_count = WT_SELECT_NEXT_MAX + 1;
	assert_int_equal(bestfit_want(&job, CPUS, &want), BESTFIT_CHOSEN);
	assert_int_equal(want.next_count, WT_SELECT_NEXT_MAX);
	for (uint32_t i = 0; i < WT_SELECT_NEXT_MAX; i++)
		assert_int_equal(want.next_units[i], i + 1);
	next[1].min_cpus = 5 * CPUS;	/* -n: the nodes that its CPUs need */
	next[1].max_nodes = UINT32_MAX;
	next[3] = (struct bestfit_job) { .min_nodes = 1, .max_nodes = UINT32_MAX, .min_cpus = 6, .tasks = 6,
					 .cpus_per_task = 1 };
	assert_int_equal(bestfit_want(&job, CPUS, &want), BESTFIT_CHOSEN);
	assert_int_equal(want.next_count, 3);
	assert_int_equal(want.next_units[1], 5);
}

static void test_cpus(void **state)
{
	struct bestfit *b = bestfit_make(WT_TREE_NONE);
	struct bestfit_job job = { .min_nodes = 1, .max_nodes = UINT32_MAX, .req_nodes = 1, .min_cpus = 6, .tasks = 6,
				   .cpus_per_task = 1 };
	struct bestfit_node nodes[NODES];
	struct select_choice choice;
	size_t count = span_add(nodes, 0, 0, 6);

	(void) state;
	count = span_add(nodes, count, 6, 2);
	nodes[7].avail_cpus = 2;	/* leaf 1 holds exactly the job */
	assert_int_equal(bestfit_choose(b, &job, nodes, count, &choice), BESTFIT_CHOSEN);
	assert_int_equal(choice.count, 2);
	assert_in_range(choice.picks[0].node, 6, 7);
	assert_in_range(choice.picks[1].node, 6, 7);
	job.cpus_per_task = 3;		/* whole tasks: leaf 1 holds one only */
	job.tasks = 2;
	assert_int_equal(bestfit_choose(b, &job, nodes, count, &choice), BESTFIT_CHOSEN);
	assert_in_range(choice.picks[0].node, 0, 5);
	job.max_nodes = 1;		/* and no node holds both */
	assert_int_equal(bestfit_choose(b, &job, nodes, count, &choice), BESTFIT_FEW);
	job.cpus_per_task = CPUS + 1;
	job.max_nodes = UINT32_MAX;
	assert_int_equal(bestfit_choose(b, &job, nodes, count, &choice), BESTFIT_FEW);
	bestfit_destroy(b);
}

static void test_several_nodes(void **state)
{
	struct bestfit *b = bestfit_make(WT_TREE_NONE);
	struct bestfit_job job = { .min_nodes = 2, .max_nodes = 2, .req_nodes = 2, .min_cpus = 5, .tasks = 5,
				   .cpus_per_task = 1 };
	struct bestfit_node nodes[NODES];
	struct select_choice choice;
	size_t count = span_add(nodes, 0, 0, 6);

	(void) state;
	count = span_add(nodes, count, 6, 3);
	nodes[6].avail_cpus = 2;	/* not half of five */
	assert_int_equal(bestfit_choose(b, &job, nodes, count, &choice), BESTFIT_CHOSEN);
	assert_int_equal(choice.count, 2);
	for (size_t i = 0; i < 2; i++)
		assert_in_range(choice.picks[i].node, 7, 8);
	job.max_nodes = 20;
	job.req_nodes = 20;		/* fewer than wished for, but possible: Slurm's */
	assert_int_equal(bestfit_choose(b, &job, nodes, count, &choice), BESTFIT_RANGE);
	bestfit_destroy(b);
}

static void test_weights(void **state)
{
	struct bestfit *b = bestfit_make(WT_TREE_NONE);
	struct bestfit_job job = whole_job(3);
	struct bestfit_node nodes[NODES];
	struct select_choice choice;
	size_t count = span_add(nodes, 0, 0, 18);

	(void) state;
	for (size_t i = 0; i < 10; i++)		/* the lightest: 2 of leaf 1, all of leaf 2 */
		nodes[i].weight = i % 2 ? 7 : 9;
	assert_int_equal(bestfit_choose(b, &job, nodes, count, &choice), BESTFIT_CHOSEN);
	for (size_t i = 0; i < choice.count; i++)
		assert_in_range(choice.picks[i].node, 12, 17);
	job = whole_job(2);
	assert_int_equal(bestfit_choose(b, &job, nodes, count, &choice), BESTFIT_CHOSEN);
	for (size_t i = 0; i < choice.count; i++)
		assert_in_range(choice.picks[i].node, 10, 11);
	for (uint32_t size = 8; size <= 19; size++) {	/* all of the lightest, and more */
		job = whole_job(size);
		assert_int_equal(bestfit_choose(b, &job, nodes, count, &choice), BESTFIT_MIXED);
	}
	bestfit_destroy(b);
}

static void test_most_leaves(void **state)
{
	struct bestfit *b = bestfit_make(WT_TREE_NONE);
	struct bestfit_job job = whole_job(8);
	struct bestfit_node nodes[NODES];
	struct select_choice choice;
	size_t count = 0;

	(void) state;
	/* switch 0: 3 of each of 3 leaves; switch 1: a leaf, and one more node */
	for (uint32_t leaf = 0; leaf < 3; leaf++)
		count = span_add(nodes, count, leaf * 6, 3);
	count = span_add(nodes, count, 36, 7);
	for (uint32_t most = 0; most < 5; most++) {
		job.most_leaves = most;
		assert_int_equal(bestfit_choose(b, &job, nodes, count, &choice),
				 most && most < 3 ? BESTFIT_SWITCHES : BESTFIT_CHOSEN);
	}
	bestfit_destroy(b);
}

static void test_refused(void **state)
{
	struct bestfit *b = bestfit_make(9);
	struct bestfit_job job = whole_job(2);
	struct bestfit_node nodes[NODES];
	struct select_choice choice;
	size_t count = span_add(nodes, 0, 0, 4);

	(void) state;
	job.refused = BESTFIT_GRES;
	assert_int_equal(bestfit_choose(b, &job, nodes, count, &choice), BESTFIT_GRES);
	job.refused = BESTFIT_CHOSEN;
	assert_int_equal(bestfit_choose(b, &job, nodes, 0, &choice), BESTFIT_FEW);
	nodes[3].cpus = 8;
	assert_int_equal(bestfit_choose(b, &job, nodes, count, &choice), BESTFIT_MIXED);
	nodes[3].cpus = CPUS;
	nodes[3].node = WT_TREE_NONE;
	assert_int_equal(bestfit_choose(b, &job, nodes, count, &choice), BESTFIT_OUTSIDE);
	nodes[3].node = 9;		/* in the tree, unknown to Slurm */
	assert_int_equal(bestfit_choose(b, &job, nodes, count, &choice), BESTFIT_OUTSIDE);
	nodes[3].node = 3;
	assert_int_equal(bestfit_choose(b, &job, nodes, count, &choice), BESTFIT_CHOSEN);
	bestfit_destroy(b);
	bestfit_destroy(NULL);
}

static void test_touched(void **state)
{
	struct bestfit *b = bestfit_make(WT_TREE_NONE);
	const struct wt_tree *t = bestfit_tree(b);
	const uint32_t near[] = { 4, 5, 6, 35 }, far[] = { 4, 5, 36 };
	uint32_t a[WT_TREE_LEVELS_MAX], c[WT_TREE_LEVELS_MAX];

	(void) state;
	bestfit_touched(t, near, 4, a);
	bestfit_touched(t, far, 3, c);
	assert_int_equal(a[0], 3);
	assert_int_equal(a[1], 1);
	assert_int_equal(a[2], 1);
	assert_int_equal(c[0], 2);
	assert_int_equal(c[1], 2);
	assert_true(bestfit_compare(t, a, c) < 0);
	assert_true(bestfit_compare(t, c, a) > 0);
	assert_int_equal(bestfit_compare(t, a, a), 0);
	bestfit_destroy(b);
}

static void test_beyond(void **state)
{
	struct bestfit *b = bestfit_make(WT_TREE_NONE);
	const uint32_t one[] = { 4 }, two_leaves[] = { 4, 5, 6, 35 }, two_switches[] = { 4, 5, 36 };
	bool usable[NODES];
	struct bestfit_placement p = { .nodes = one, .count = 1, .usable = usable, .cpus_per_task = 1 };

	(void) state;
	memset(usable, true, sizeof(usable));
	assert_int_equal(bestfit_beyond(b, &p), 0);
	p.nodes = two_leaves;
	p.count = 4;
	assert_int_equal(bestfit_beyond(b, &p), 1);
	p.nodes = two_switches;
	p.count = 3;
	assert_int_equal(bestfit_beyond(b, &p), 3);
	/* 13 CPUs, 4 a node: four nodes. */
	p.by_cpus = true;
	p.cpus = 13;
	assert_int_equal(bestfit_beyond(b, &p), 3);
	p.cpus = 6 * CPUS + 1;	/* more than a leaf */
	assert_int_equal(bestfit_beyond(b, &p), 2);
	p.cpus_per_task = 3;	/* a leaf holds 18 of them then, and 19 are in sight */
	p.cpus = 19;
	assert_int_equal(bestfit_beyond(b, &p), 2);
	/* No choice could give it three nodes below one leaf, nor below one switch. */
	p = (struct bestfit_placement) { .nodes = two_switches, .count = 3, .usable = usable, .cpus_per_task = 1 };
	for (uint32_t n = 0; n < NODES; n++)
		usable[n] = n % 6 < 2;
	assert_int_equal(bestfit_beyond(b, &p), 2);
	for (uint32_t n = 0; n < NODES; n++)
		usable[n] = n == 4 || n == 5 || n == 36;
	assert_int_equal(bestfit_beyond(b, &p), 0);
	bestfit_destroy(b);
}

/* Two nodes on two leaves: worth a wait for nodes that bring both onto one, not for others. */
static void test_fewer_soon(void **state)
{
	static const uint32_t nodes[] = { 0, 36 };
	struct bestfit *b = bestfit_make(WT_TREE_NONE);
	bool now[NODES] = { false }, soon[NODES] = { false };
	const struct bestfit_placement p = { .nodes = nodes, .count = 2, .usable = now, .cpus_per_task = 1 };

	(void) state;
	now[0] = now[36] = soon[0] = soon[36] = true;
	assert_int_equal(bestfit_fewer_soon(b, &p, soon), 0);
	soon[6] = true;		/* another leaf of the first one's switch */
	assert_int_equal(bestfit_fewer_soon(b, &p, soon), 2);
	soon[1] = true;
	assert_int_equal(bestfit_fewer_soon(b, &p, soon), 3);
	now[1] = true;		/* what could be had now is not waited for */
	assert_int_equal(bestfit_fewer_soon(b, &p, soon), 0);
	bestfit_destroy(b);
}

/* Leaves that give unequally much: the job lies on two where one of them alone could hold it, whichever of them that is. */
static void test_beyond_of_uneven_leaves(void **state)
{
	static const uint32_t nodes[] = { 0, 6 };
	struct bestfit *b = bestfit_make(WT_TREE_NONE);
	bool usable[NODES];
	struct bestfit_placement p = { .nodes = nodes, .count = 2, .usable = usable, .cpus_per_task = 1 };

	(void) state;
	for (uint32_t n = 0; n < NODES; n++)
		usable[n] = n == 0 || (n >= 6 && n < 12);
	assert_int_equal(bestfit_beyond(b, &p), 1);
	for (uint32_t n = 0; n < NODES; n++)
		usable[n] = n < 6 || n == 6;
	assert_int_equal(bestfit_beyond(b, &p), 1);
	for (uint32_t n = 0; n < NODES; n++)	/* one leaf just holds it */
		usable[n] = n == 0 || n == 6 || n == 7;
	assert_int_equal(bestfit_beyond(b, &p), 1);
	bestfit_destroy(b);
}

/* Sizes are learnt from what starts or is submitted, here or elsewhere, and not from plans: these are answered as before. */
static void test_what_is_learnt(void **state)
{
	struct bestfit_want want = { .each = 1, .units = 3 }, cpus = { .by_cpus = true, .each = 1, .units = 5 };
	struct bestfit *b = bestfit_make(WT_TREE_NONE);
	struct bestfit_job job = whole_job(3);
	struct bestfit_node nodes[NODES];
	struct select_choice choice;
	size_t count = span_add(nodes, 0, 0, NODES), first;

	(void) state;
	job.imagined = true;
	assert_int_equal(bestfit_choose(b, &job, nodes, count, &choice), BESTFIT_CHOSEN);
	first = choice.picks[0].node;
	bestfit_note(b, &want);
	bestfit_note(b, &cpus);
	assert_int_equal(bestfit_choose(b, &job, nodes, count, &choice), BESTFIT_CHOSEN);
	assert_int_equal(choice.count, 3);
	assert_int_equal(choice.picks[0].node, first);
	job.min_nodes = job.max_nodes = job.req_nodes = NODES + 1;
	assert_int_equal(bestfit_choose(b, &job, nodes, count, &choice), BESTFIT_FEW);
	bestfit_destroy(b);
}

/* Each word is the value of its number: enums and lists of words are written apart. */
static void test_words_of_settings(void **state)
{
	static const struct { const char *text; int mode, tie, quick, offers, will_run, one_weight; } cases[] = {
		{ "bestfit=off,bestfit_tie=touch,bestfit_quick=off,bestfit_offers=off", BESTFIT_OFF, WT_TIE_TOUCH,
		  BESTFIT_QUICK_OFF, false, true, false },
		{ "bestfit=shadow,bestfit_tie=pack,bestfit_quick=on,bestfit_offers=on,bestfit_will_run=on,"
		  "bestfit_one_weight=on",
		  BESTFIT_SHADOW, WT_TIE_PACK, BESTFIT_QUICK_ON, true, true, true },
		{ "bestfit=on,bestfit_tie=auto,bestfit_quick=verify,Bestfit_Will_Run=Off,bestfit_one_weight=off", BESTFIT_ON,
		  WT_TIE_AUTO, BESTFIT_QUICK_VERIFY, false, false, false },
	};
	struct bestfit_settings s;

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(bestfit_settings_parse(cases[i].text, &s, NULL), 0);
		assert_int_equal(s.mode, cases[i].mode);
		assert_int_equal(s.tie, cases[i].tie);
		assert_int_equal(s.quick, cases[i].quick);
		assert_int_equal(s.offers, cases[i].offers);
		assert_int_equal(s.will_run, cases[i].will_run);
		assert_int_equal(s.one_weight, cases[i].one_weight);
	}
}

/* What is wrong is named, and the plugin stays off. */
static void test_bad_settings(void **state)
{
	static const char *const bad[] = {
		"bestfit",
		"bestfit=",
		"bestfit=yes",
		"bestfit_tie=best",
		"bestfit_report=many",
		"bestfit_report=12345678901",
		"bestfit_quick=fast",
		"bestfit_offers=1",
		"bestfit_will_run=verify",
		"bestfit_will_run",
		"bestfit_will_ru=on",
		"bestfit_one_weight=1",
		"bestfit_tie",
		"bestfit_offers",
		"bestfits=on",
		"bestfit=on,bestfit_waits=1",
		"bestfit_",
		"bestfit_wait=",
		"bestfit_wait_completing=",
		"bestfit_wait_completing=1s",
		"bestfit_wait=:1",
		"bestfit_wait=1:",
		"bestfit_wait=-1",
		"bestfit_wait=1s",
		"bestfit_wait=86401",
		"bestfit_wait=1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1:1"
	};
	struct bestfit_settings s;
	struct wt_error err;

	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(bestfit_settings_parse(bad[i], &s, &err), -1);
		assert_int_equal(errno, EINVAL);
		assert_int_equal(s.mode, BESTFIT_OFF);
		assert_non_null(strstr(err.text, "bestfit"));
	}
}

static void test_waits_of_settings(void **state)
{
	struct bestfit_settings s;

	(void) state;
	assert_int_equal(bestfit_settings_parse("bestfit=on,bestfit_wait=0:20,defer", &s, NULL), 0);
	assert_int_equal(s.wait_s[0], 0);
	assert_int_equal(s.wait_s[1], 20);
	assert_int_equal(s.wait_s[WT_TREE_LEVELS_MAX - 1], 20);
	assert_true(bestfit_settings_wait(&s));
	assert_int_equal(bestfit_settings_parse("bestfit=on,bestfit_wait_completing=6:8", &s, NULL), 0);
	assert_int_equal(s.wait_s[1], 0);
	assert_int_equal(s.completing_s[0], 6);
	assert_int_equal(s.completing_s[2], 8);
	assert_true(bestfit_settings_wait(&s));
	assert_int_equal(bestfit_settings_parse("bestfit=shadow,bestfit_wait=86400", &s, NULL), 0);
	assert_int_equal(s.wait_s[0], 86400);
	assert_false(bestfit_settings_wait(&s));
}

static void test_good_settings(void **state)
{
	struct bestfit_settings s;

	(void) state;
	assert_int_equal(bestfit_settings_parse(NULL, &s, NULL), 0);
	assert_int_equal(s.mode, BESTFIT_OFF);
	assert_int_equal(s.tie, WT_TIE_AUTO);
	assert_int_equal(bestfit_settings_parse("bf_interval=5", &s, NULL), 0);
	assert_int_equal(s.mode, BESTFIT_OFF);
	assert_int_equal(bestfit_settings_parse("bf_interval=5,BestFit=Shadow,bestfit_tie=pack,bestfit_report=0", &s, NULL),
			 0);
	assert_int_equal(s.mode, BESTFIT_SHADOW);
	assert_int_equal(s.tie, WT_TIE_PACK);
	assert_int_equal(s.report_decisions, 0);
	assert_int_equal(bestfit_settings_parse("bestfit=on,defer", &s, NULL), 0);
	assert_int_equal(s.mode, BESTFIT_ON);
	assert_false(bestfit_settings_wait(&s));
	assert_int_equal(bestfit_settings_parse("bestfit=shadow", &s, NULL), 0);
	assert_int_equal(s.quick, BESTFIT_QUICK_ON);
	assert_false(s.quick_given);	/* bestfit=off alone is off */
	assert_int_equal(bestfit_settings_parse("bestfit=on,bestfit_quick=verify", &s, NULL), 0);
	assert_int_equal(s.quick, BESTFIT_QUICK_VERIFY);
	assert_int_equal(bestfit_settings_parse("bestfit=off,bestfit_quick=on", &s, NULL), 0);
	assert_true(s.quick_given);
	assert_int_equal(bestfit_settings_parse("bestfit_quick=on,bestfit=what", &s, NULL), -1);
	assert_false(s.quick_given);
	assert_false(s.offers);
	assert_int_equal(bestfit_settings_parse("bestfit=on,bestfit_offers=on", &s, NULL), 0);
	assert_true(s.offers);
	assert_int_equal(bestfit_settings_parse("bestfit=on,bestfit_offers=off", &s, NULL), 0);
	assert_false(s.offers);
}

static void test_counters(void **state)
{
	struct bestfit_counters c = { .decisions = 3, .time_sum_us = 30, .time_max_us = 20, .unplaced = 1 }, none = { 0 };
	char text[BESTFIT_COUNTERS_SIZE], tiny[8];

	(void) state;
	bestfit_counters_format(&none, text, sizeof(text));
	assert_non_null(strstr(text, " chosen=0 unplaced=0 "));	/* reasons that never came are not named */
	assert_non_null(strstr(text, " mean-us=0 max-us=0"));
	c.reasons[BESTFIT_CHOSEN] = 2;
	c.reasons[BESTFIT_GRES] = 1;
	bestfit_counters_format(&c, text, sizeof(text));
	assert_non_null(strstr(text, "decisions=3 "));
	assert_non_null(strstr(text, " chosen=2 gres=1 unplaced=1 "));
	assert_non_null(strstr(text, " mean-us=10 max-us=20"));
	assert_null(strstr(text, "spread"));
	bestfit_counters_format(&c, tiny, sizeof(tiny));
	assert_int_equal(strlen(tiny), sizeof(tiny) - 1);
	memset(&c, 0xff, sizeof(c));
	bestfit_counters_format(&c, text, sizeof(text));
	assert_true(strlen(text) < sizeof(text) - 1);	/* the plugin's buffer holds the longest line */
	for (size_t i = 0; i < BESTFIT_REASONS; i++)
		assert_non_null(bestfit_reason_names[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_nodes),
		cmocka_unit_test(test_jobs_behind),
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_several_nodes),
		cmocka_unit_test(test_weights), cmocka_unit_test(test_most_leaves), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_touched),
		cmocka_unit_test(test_beyond), cmocka_unit_test(test_beyond_of_uneven_leaves),
		cmocka_unit_test(test_fewer_soon),
		cmocka_unit_test(test_what_is_learnt),
		cmocka_unit_test(test_words_of_settings),
		cmocka_unit_test(test_waits_of_settings),
		cmocka_unit_test(test_good_settings), cmocka_unit_test(test_bad_settings),
		cmocka_unit_test(test_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
