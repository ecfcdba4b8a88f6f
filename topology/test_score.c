/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "topology/test_tree_fixture.h"
#include "topology/score.h"

static struct wt_tree *tree_uneven(void)
{
	static const char text[] = "SwitchName=a Nodes=n[0-4]\nSwitchName=b Nodes=n[5-7]\nSwitchName=c Nodes=n[8-13]\n"
				   "SwitchName=d Nodes=n14\nSwitchName=e Nodes=n[15-18]\nSwitchName=m1 Switches=a,b\n"
				   "SwitchName=m2 Switches=m1,c\nSwitchName=root Switches=m2,d,e\n";
	struct wt_tree *t = wt_tree_parse(text, sizeof(text) - 1, NULL);

	assert_non_null(t);
	return t;
}

static uint32_t ancestor(const struct wt_tree *t, uint32_t leaf, uint32_t level)
{
	for (uint32_t l = 0; l < level; l++)
		leaf = wt_tree_parent(t, l, leaf);
	return leaf;
}

/* Every set of leaves is tried: the least numbers on each level alone, and on all together. */
static void least_exhaustive(const struct wt_room *room, uint64_t units, uint32_t *alone, uint32_t *together)
{
	const struct wt_tree *t = wt_room_tree(room);
	uint32_t leaves = wt_tree_switches(t, 0), levels = wt_tree_levels(t) - 1;

	memset(alone, 0xff, levels * sizeof(*alone));
	memset(together, 0xff, levels * sizeof(*together));
	for (uint32_t set = 1; set < 1u << leaves; set++) {
		uint32_t touched[WT_TREE_LEVELS_MAX], marks[WT_TREE_LEVELS_MAX] = { 0 };
		uint64_t held = 0;
		int order = 0;

		for (uint32_t leaf = 0; leaf < leaves; leaf++) {
			if (!(set >> leaf & 1))
				continue;
			held += wt_room_units(room, 0, leaf);
			for (uint32_t l = 0; l < levels; l++)
				marks[l] |= 1u << ancestor(t, leaf, l);
		}
		if (held < units)
			continue;
		for (uint32_t l = levels; l-- > 0;) {
			touched[l] = (uint32_t) __builtin_popcount(marks[l]);
			if (touched[l] < alone[l])
				alone[l] = touched[l];
			if (!order && touched[l] != together[l])
				order = touched[l] < together[l] ? -1 : 1;
		}
		if (order < 0)
			memcpy(together, touched, levels * sizeof(*together));
	}
}

static void room_random(struct wt_room *room, uint32_t capacity, unsigned int *seed)
{
	uint32_t chance = 1 + (uint32_t) rand_r(seed) % 99;

	for (uint32_t n = 0; n < wt_tree_nodes(wt_room_tree(room)); n++)
		wt_room_set(room, n, (uint32_t) rand_r(seed) % 100 < chance ? 1 + (uint32_t) rand_r(seed) % capacity : 0);
}

static void test_least_is_exact(void **state)
{
	static const char *const shapes[] = { "3,4", "4,3,4", "2/4/3,3/2,5", "2,2,2,2", "3/1,2/1,2,3", "2,2,2,2,1" };

	(void) state;
	for (size_t i = 0; i <= sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct wt_tree *t = i < sizeof(shapes) / sizeof(shapes[0]) ? tree_make(shapes[i]) : tree_uneven();
		uint32_t levels = wt_tree_levels(t) - 1;
		struct wt_room *room = wt_room_create(t);
		unsigned int seed = (unsigned int) i;

		for (int round = 0; round < 60; round++) {
			uint32_t alone[WT_TREE_LEVELS_MAX], together[WT_TREE_LEVELS_MAX], least[WT_TREE_LEVELS_MAX];
			uint32_t bound[WT_TREE_LEVELS_MAX];
			uint64_t units;

			room_random(room, 1 + (uint32_t) (round % 2) * 9, &seed);
			if (!wt_room_total(room))
				continue;
			units = 1 + (uint64_t) rand_r(&seed) % wt_room_total(room);
			least_exhaustive(room, units, alone, together);
			for (uint32_t l = 0; l < levels; l++)
				bound[l] = wt_tree_switches(t, l);
			assert_int_equal(wt_score_joint(room, units, bound, least), 0);
			assert_memory_equal(least, together, levels * sizeof(*least));
			assert_int_equal(wt_score_joint(room, units, together, least), 0);
			assert_memory_equal(least, together, levels * sizeof(*least));
			together[levels - 1]--;
			assert_int_equal(wt_score_joint(room, units, together, least), -1);
			assert_int_equal(errno, ENOENT);
		}
		wt_room_destroy(room);
		wt_tree_destroy(t);
	}
}

/* Verdicts on random placements agree with the exhaustive search. */
static void test_verdicts_are_exact(void **state)
{
	struct wt_tree *t = tree_make("2/4/3,3/2,5");
	struct wt_room *room = wt_room_create(t), *idle = wt_room_create(t);
	struct wt_score *score = wt_score_create(t, NULL, NULL);
	uint32_t levels = wt_tree_levels(t) - 1;
	unsigned int seed = 5;

	(void) state;
	for (uint32_t n = 0; n < wt_tree_nodes(t); n++)
		wt_room_set(idle, n, 1);
	for (int round = 0; round < 100; round++) {
		uint32_t alone[WT_TREE_LEVELS_MAX], together[WT_TREE_LEVELS_MAX], nodes[64], count = 0, wanted;
		struct wt_verdict v;

		room_random(room, 1, &seed);
		if (!wt_room_total(room))
			continue;
		wanted = 1 + (uint32_t) rand_r(&seed) % (uint32_t) wt_room_total(room);
		for (uint32_t n = (uint32_t) rand_r(&seed) % wt_tree_nodes(t); count < wanted; n++)
			if (wt_room_node(room, n % wt_tree_nodes(t)))
				nodes[count++] = n % wt_tree_nodes(t);
		if (wanted == wt_tree_nodes(t))
			continue;
		assert_int_equal(wt_score_job(score, room, nodes, count, count, &v, NULL), 0);
		assert_false(v.guessed);
		least_exhaustive(room, count, alone, together);
		assert_memory_equal(v.relative, alone, levels * sizeof(*alone));
		assert_int_equal(v.relative_all, !memcmp(v.touched, together, levels * sizeof(*together)));
		least_exhaustive(idle, count, alone, together);
		assert_memory_equal(v.absolute, alone, levels * sizeof(*alone));
	}
	wt_score_destroy(score);
	wt_room_destroy(room);
	wt_room_destroy(idle);
	wt_tree_destroy(t);
}

/* A placement on Curie whose figures can be counted by hand. */
static void test_golden(void **state)
{
	struct wt_tree *t = wt_tree_curie(NULL);
	struct wt_room *room = wt_room_create(t);
	struct wt_score *score = wt_score_create(t, NULL, NULL);
	uint32_t nodes[400];
	struct wt_score_tally tally = { 0 };
	struct wt_verdict v;

	(void) state;
	for (uint32_t n = 0; n < 5040; n++)
		wt_room_set(room, n, n < 36 || n >= 330);	/* two leaves of the first switch, and beyond it */
	for (uint32_t n = 0; n < 72; n++)
		nodes[n] = n < 36 ? n : 300 + n;	/* leaf 18 has 12 free: 2 + 3 leaves, 2 switches */
	assert_int_equal(wt_score_job(score, room, nodes, 72, 72, &v, NULL), 0);
	assert_int_equal(v.touched[0], 5);
	assert_int_equal(v.absolute[0], 4);
	assert_int_equal(v.touched[1], 2);
	assert_int_equal(v.absolute[1], 1);
	assert_int_equal(v.relative[1], 1);
	assert_false(v.relative_all);
	wt_score_add(&tally, t, &v);
	for (uint32_t n = 0; n < 36; n++)
		nodes[n] = n;
	assert_int_equal(wt_score_job(score, room, nodes, 36, 36, &v, NULL), 0);
	assert_true(v.relative_all);
	wt_score_add(&tally, t, &v);
	assert_int_equal(tally.jobs, 2);
	assert_int_equal(tally.levels, 2);
	assert_int_equal(tally.absolute_all, 1);
	assert_int_equal(tally.relative_all, 1);
	wt_score_destroy(score);
	wt_room_destroy(room);
	wt_tree_destroy(t);
}

static void test_bad_jobs(void **state)
{
	struct wt_tree *t = tree_make("2,2");
	struct wt_room *room = wt_room_create(t);
	struct wt_score *score = wt_score_create(t, NULL, NULL);
	uint32_t nodes[] = { 0, 1, 2, 3 }, far[] = { 4 }, bound[] = { 2 }, least[1];
	struct wt_score_tally tally = { 0 };
	struct wt_verdict v;
	struct wt_error err;

	(void) state;
	assert_int_equal(wt_score_job(score, room, nodes, 1, 1, &v, &err), -1);	/* nothing is free */
	for (uint32_t n = 0; n < 4; n++)
		wt_room_set(room, n, 1);
	assert_int_equal(wt_score_job(score, room, nodes, 0, 1, &v, &err), -1);
	assert_int_equal(wt_score_job(score, room, nodes, 1, 0, &v, &err), -1);
	assert_int_equal(wt_score_job(score, room, far, 1, 1, &v, &err), -1);
	assert_non_null(strstr(err.text, "node 4"));
	assert_int_equal(wt_score_job(score, room, nodes, 4, 4, &v, &err), 0);
	assert_true(v.whole_machine);
	wt_score_add(&tally, t, &v);
	assert_int_equal(tally.jobs, 0);
	assert_int_equal(wt_score_joint(room, 5, bound, least), -1);
	assert_null(wt_score_create(NULL, NULL, &err));
	wt_score_destroy(NULL);
	wt_score_destroy(score);
	wt_room_destroy(room);
	wt_tree_destroy(t);
}

/* Shared nodes: a record may say that a job got more of a node than was free there. */
static void test_more_than_was_free(void **state)
{
	static const uint32_t capacity[] = { 4, 4, 4, 4, 4, 4, 4, 4 }, nodes[] = { 0 };
	struct wt_tree *t = tree_make("2,2,2");
	struct wt_room *room = wt_room_create(t);
	struct wt_score *score = wt_score_create(t, capacity, NULL);
	struct wt_verdict v;

	(void) state;
	wt_room_set(room, 0, 3);
	wt_room_set(room, 2, 3);
	assert_int_equal(wt_score_job(score, room, nodes, 1, 4, &v, NULL), 0);
	assert_int_equal(v.touched[0], 1);
	assert_int_equal(v.relative[0], 2);
	assert_int_equal(v.relative_all, 1);
	assert_int_equal(v.guessed, 1);
	wt_score_destroy(score);
	wt_room_destroy(room);
	wt_tree_destroy(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_least_is_exact),
		cmocka_unit_test(test_verdicts_are_exact),
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_bad_jobs),
		cmocka_unit_test(test_more_than_was_free),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
