/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "topology/test_tree_fixture.h"
#include "topology/policy.h"
#include "topology/score.h"

static const char *const shapes[] = {
	"8", "4,3", "3/5,4", "4,3,4", "2/4/3,3/2,5", "6,4,3,3", "2/3,2/1/3,2/3,4", "2,2,2,2,2", "1,1,1", "1,40", "40,1,2",
	"18,18,4", "3,1/5,4/2,6",
};

#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

/* Leaves hang on different levels. */
static struct wt_tree *tree_uneven(void)
{
	static const char text[] =
		"SwitchName=a Nodes=n[0-4]\nSwitchName=b Nodes=n[5-7]\nSwitchName=c Nodes=n[8-15]\nSwitchName=d Nodes=n16\n"
		"SwitchName=e Nodes=n[17-22]\nSwitchName=m1 Switches=a,b\nSwitchName=m2 Switches=m1,c\n"
		"SwitchName=root Switches=m2,d,e\n";
	struct wt_tree *t = wt_tree_parse(text, sizeof(text) - 1, NULL);

	assert_non_null(t);
	return t;
}

/* What every choice must be: as many units as asked for, each node once and within what it has. */
static void choice_check(const struct wt_room *room, uint64_t units, const struct select_choice *choice)
{
	uint32_t nodes = wt_tree_nodes(wt_room_tree(room));
	uint8_t *used = calloc(nodes, 1);
	uint64_t sum = 0;

	for (size_t i = 0; i < choice->count; i++) {
		const struct wt_pick *p = &choice->picks[i];

		assert_true(p->node < nodes);
		assert_false(used[p->node]);
		used[p->node] = 1;
		assert_in_range(p->units, 1, wt_room_node(room, p->node));
		sum += p->units;
	}
	assert_int_equal(sum, units);
	free(used);
}

static void room_random(struct wt_room *room, uint32_t capacity, unsigned int *seed)
{
	uint32_t chance = 1 + rand_r(seed) % 99;

	for (uint32_t n = 0; n < wt_tree_nodes(wt_room_tree(room)); n++)
		wt_room_set(room, n, (uint32_t) rand_r(seed) % 100 < chance ? 1 + (uint32_t) rand_r(seed) % capacity : 0);
}

struct counts {
	int jobs, top_least, joint_least, excess_max;
};

/* What the choice touched, and by how many leaves more than there need be with as many switches above. */
static void choice_count(const struct wt_room *room, uint64_t units, const struct wt_verdict *v, struct counts *c)
{
	uint32_t levels = wt_tree_levels(wt_room_tree(room)), least[WT_TREE_LEVELS_MAX];

	if (v->whole_machine || levels == 1)
		return;
	c->jobs++;
	c->top_least += v->touched[levels - 2] == v->relative[levels - 2];
	c->joint_least += v->relative_all;
	if (levels != 3 || v->touched[0] <= v->relative[0])
		return;
	assert_int_equal(wt_score_joint(room, units, v->touched, least), 0);
	if ((int) (v->touched[0] - least[0]) > c->excess_max)
		c->excess_max = (int) (v->touched[0] - least[0]);
}

/* Choose for random jobs in random rooms, and look at what was touched. */
static void tree_try(const struct wt_tree *t, enum wt_tie tie, uint32_t capacity, int rounds, struct counts *c)
{
	const struct wt_select_options options = { .tie = tie };
	uint32_t *full = calloc(wt_tree_nodes(t), sizeof(*full)), *nodes = calloc(wt_tree_nodes(t), sizeof(*nodes));
	struct wt_room *room = wt_room_create(t);
	struct wt_select *select;
	struct wt_score *score;
	unsigned int seed = 17;

	for (uint32_t n = 0; n < wt_tree_nodes(t); n++)
		full[n] = capacity;
	select = wt_select_create(t, full, &options, NULL);
	score = wt_score_create(t, full, NULL);
	assert_true(select && score);
	for (int round = 0; round < rounds; round++) {
		struct select_request request;
		struct wt_verdict v;
		struct select_choice choice;

		room_random(room, capacity, &seed);
		if (!wt_room_total(room))
			continue;
		request = (struct select_request) { .units = 1 + (uint64_t) rand_r(&seed) % wt_room_total(room) };
		assert_int_equal(wt_select_pick(select, room, &request, &choice), 0);
		choice_check(room, request.units, &choice);
		for (size_t i = 0; i < choice.count; i++)
			nodes[i] = choice.picks[i].node;
		assert_int_equal(wt_score_job(score, room, nodes, choice.count, request.units, &v, NULL), 0);
		choice_count(room, request.units, &v, c);
	}
	wt_select_destroy(select);
	wt_score_destroy(score);
	wt_room_destroy(room);
	free(full);
	free(nodes);
}

/* The root's children are always the least possible; all levels together nearly always. */
static void test_touch_is_least(void **state)
{
	(void) state;
	for (size_t i = 0; i <= SHAPES; i++) {
		for (uint32_t capacity = 1; capacity <= 16; capacity += 15) {
			struct wt_tree *t = i < SHAPES ? tree_make(shapes[i]) : tree_uneven();
			struct counts c = { 0 };

			tree_try(t, WT_TIE_TOUCH, capacity, wt_tree_levels(t) > 3 ? 100 : 300, &c);
			assert_int_equal(c.top_least, c.jobs);
			if (c.joint_least < 0.9 * c.jobs || c.excess_max > 2)
				fail_msg("%s, %u units a node: %d of %d least, worst excess %d",
					 i < SHAPES ? shapes[i] : "uneven", capacity, c.joint_least, c.jobs,
					 c.excess_max);
			wt_tree_destroy(t);
		}
	}
}

/* Packing chooses otherwise, but legally and with the least number of the root's children. */
static void test_pack_is_legal(void **state)
{
	(void) state;
	for (size_t i = 0; i <= SHAPES; i++) {
		for (uint32_t capacity = 1; capacity <= 16; capacity += 15) {
			struct wt_tree *t = i < SHAPES ? tree_make(shapes[i]) : tree_uneven();
			struct counts c = { 0 };

			tree_try(t, WT_TIE_PACK, capacity, 50, &c);
			assert_int_equal(c.top_least, c.jobs);
			tree_try(t, WT_TIE_AUTO, capacity, 50, &c);
			assert_int_equal(c.top_least, c.jobs);
			wt_tree_destroy(t);
		}
	}
}

/* A golden case: two intermediate switches of 3 leaves of 4; what is free is drawn below. */
static void test_golden(void **state)
{
	static const struct {
		uint32_t free[6], units, first_leaf, touched0, touched1;
	} cases[] = {
		{ { 4, 4, 4, 4, 4, 4 }, 4, 0, 1, 1 },	/* idle: the first leaf */
		{ { 4, 4, 4, 0, 4, 4 }, 4, 4, 1, 1 },	/* the tighter switch */
		{ { 4, 2, 0, 4, 4, 4 }, 2, 1, 1, 1 },	/* the tighter leaf */
		{ { 2, 2, 2, 4, 1, 1 }, 4, 3, 1, 1 },	/* fewer leaves before the tighter switch */
		{ { 3, 3, 3, 4, 2, 2 }, 9, 0, 3, 1 },	/* one switch before fewer leaves */
		{ { 4, 1, 0, 4, 0, 0 }, 8, 3, 2, 2 },	/* two switches, the one with most room last */
	};
	const struct wt_select_options options = { .tie = WT_TIE_TOUCH };
	struct wt_tree *t = tree_make("4,3,2");
	struct wt_select *s = wt_select_create(t, NULL, &options, NULL);
	struct wt_room *room = wt_room_create(t);

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct select_request request = { .units = cases[i].units };
		uint32_t leaves = 0, groups = 0;
		struct select_choice choice;

		for (uint32_t n = 0; n < 24; n++)
			wt_room_set(room, n, n % 4 < cases[i].free[n / 4]);
		assert_int_equal(wt_select_pick(s, room, &request, &choice), 0);
		choice_check(room, cases[i].units, &choice);
		assert_int_equal(choice.picks[0].node / 4, cases[i].first_leaf);
		for (size_t p = 0; p < choice.count; p++) {
			leaves |= 1u << choice.picks[p].node / 4;
			groups |= 1u << choice.picks[p].node / 12;
		}
		assert_int_equal(__builtin_popcount(leaves), cases[i].touched0);
		assert_int_equal(__builtin_popcount(groups), cases[i].touched1);
	}
	wt_room_destroy(room);
	wt_select_destroy(s);
	wt_tree_destroy(t);
}

/* CPUs: the tightest node that holds a small job; the fullest nodes of a larger one, and the tightest for its rest. */
static void test_nodes_of_a_leaf(void **state)
{
	static const uint32_t free_cpus[] = { 16, 5, 3, 16, 4 };
	const struct wt_select_options options = { .tie = WT_TIE_TOUCH };
	uint32_t capacity[] = { 16, 16, 16, 16, 16 };
	struct wt_tree *t = tree_make("5");
	struct wt_select *s = wt_select_create(t, capacity, &options, NULL);
	struct wt_room *room = wt_room_create(t);
	struct select_request request = { .units = 4 };
	struct select_choice choice;

	(void) state;
	wt_room_fill(room, free_cpus);
	assert_int_equal(wt_select_pick(s, room, &request, &choice), 0);
	assert_int_equal(choice.count, 1);
	assert_int_equal(choice.picks[0].node, 4);
	request.units = 35;
	assert_int_equal(wt_select_pick(s, room, &request, &choice), 0);
	assert_int_equal(choice.count, 3);
	assert_int_equal(choice.picks[2].node, 2);
	assert_int_equal(choice.picks[2].units, 3);
	wt_room_destroy(room);
	wt_select_destroy(s);
	wt_tree_destroy(t);
}

/* By planned ends a job goes where it does not outlast its neighbours. */
static void test_ends(void **state)
{
	const struct wt_select_options options = { .tie = WT_TIE_TOUCH, .end_weight = 0.1 };
	struct wt_tree *t = tree_make("4,1,2");
	struct wt_select *s = wt_select_create(t, NULL, &options, NULL);
	struct wt_room *room = wt_room_create(t);
	double end_s[8] = { 1060, 1060, 0, 0, 2000, 2000, 0, 0 };
	struct select_request request = { .units = 2, .start_s = 1000, .end_s = 1900, .node_end_s = end_s };
	struct select_choice choice;

	(void) state;
	for (uint32_t n = 0; n < 8; n++)
		wt_room_set(room, n, !end_s[n]);
	assert_int_equal(wt_select_pick(s, room, &request, &choice), 0);
	assert_int_equal(choice.picks[0].node, 6);
	request.node_end_s = NULL;
	assert_int_equal(wt_select_pick(s, room, &request, &choice), 0);
	assert_int_equal(choice.picks[0].node, 2);
	wt_room_destroy(room);
	wt_select_destroy(s);
	wt_tree_destroy(t);
}

static void test_boundaries(void **state)
{
	const struct wt_select_options options = { .tie = WT_TIE_AUTO };
	struct wt_tree *t = tree_make("4,2"), *other = tree_make("4,2");
	struct wt_select *s = wt_select_create(t, NULL, &options, NULL);
	struct wt_room *room = wt_room_create(t), *foreign = wt_room_create(other);
	struct select_request request = { .units = 0 };
	struct select_choice choice;

	(void) state;
	assert_int_equal(wt_select_pick(s, room, &request, &choice), -1);
	assert_int_equal(errno, EINVAL);
	request.units = 1;
	assert_int_equal(wt_select_pick(s, room, &request, &choice), -1);
	assert_int_equal(errno, ENOSPC);
	assert_int_equal(wt_select_pick(s, foreign, &request, &choice), -1);
	assert_int_equal(errno, EINVAL);
	for (uint32_t n = 0; n < 8; n++)
		wt_room_set(room, n, 1);
	for (request.units = 1; request.units <= 8; request.units++) {
		assert_int_equal(wt_select_pick(s, room, &request, &choice), 0);
		choice_check(room, request.units, &choice);
	}
	assert_int_equal(wt_select_least(s, 0, 4), 1);
	assert_int_equal(wt_select_least(s, 0, 5), 2);
	assert_int_equal(wt_select_least(s, 1, 8), 1);
	assert_int_equal(wt_select_least(s, 1, 9), 0);
	wt_room_destroy(room);
	wt_room_destroy(foreign);
	wt_select_destroy(s);
	wt_tree_destroy(t);
	wt_tree_destroy(other);
}

static void test_bad_arguments(void **state)
{
	const struct wt_select_options options = { .tie = WT_TIE_AUTO }, odd = { .end_weight = -1 };
	uint32_t nothing[8] = { 0 };
	struct wt_tree *t = tree_make("4,2");
	struct wt_error err;

	(void) state;
	assert_null(wt_select_create(NULL, NULL, &options, &err));
	assert_null(wt_select_create(t, NULL, NULL, &err));
	assert_null(wt_select_create(t, NULL, &odd, &err));
	assert_null(wt_select_create(t, nothing, &options, &err));
	assert_non_null(strstr(err.text, "hold nothing"));
	errno = EIO;
	wt_select_destroy(NULL);
	wt_room_destroy(NULL);
	assert_int_equal(errno, EIO);
	wt_tree_destroy(t);
}

/* A room changed node by node is the room filled at once. */
static void test_room(void **state)
{
	struct wt_tree *t = tree_uneven();
	struct wt_room *a = wt_room_create(t), *b = wt_room_create(t);
	uint32_t units[64];
	unsigned int seed = 3;

	(void) state;
	for (int round = 0; round < 50; round++) {
		for (uint32_t n = 0; n < wt_tree_nodes(t); n++)
			wt_room_set(a, n, units[n] = (uint32_t) rand_r(&seed) % 17);
		if (round % 2)
			wt_room_copy(b, a);
		else
			wt_room_fill(b, units);
		for (uint32_t l = 0; l < wt_tree_levels(t); l++)
			for (uint32_t i = 0; i < wt_tree_switches(t, l); i++)
				assert_int_equal(wt_room_units(a, l, i), wt_room_units(b, l, i));
	}
	wt_room_destroy(a);
	wt_room_destroy(b);
	wt_tree_destroy(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_touch_is_least),
		cmocka_unit_test(test_pack_is_legal),
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_nodes_of_a_leaf),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_boundaries), cmocka_unit_test(test_bad_arguments),
		cmocka_unit_test(test_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
