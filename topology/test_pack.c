/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tie for many small jobs: which leaves, and what they are worth. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "topology/select_private.h"
#include "topology/test_tree_fixture.h"

#define CHILDREN 7	/* all sets of them are tried */

struct pack_fixture {
	struct wt_tree *t;
	struct wt_select *s;
	struct wt_room *room;
};

static void setting_make(struct pack_fixture *x, const char *arity, enum wt_tie tie)
{
	const struct wt_select_options options = { .tie = tie };

	x->t = tree_make(arity);
	x->s = wt_select_create(x->t, NULL, &options, NULL);
	x->room = wt_room_create(x->t);
	assert_true(x->s && x->room);
}

static void setting_clear(struct pack_fixture *x)
{
	wt_room_destroy(x->room);
	wt_select_destroy(x->s);
	wt_tree_destroy(x->t);
}

/* So many free nodes in each leaf of 'size'. */
static void leaves_set(struct pack_fixture *x, uint32_t size, const uint32_t *free_nodes)
{
	for (uint32_t n = 0; n < wt_tree_nodes(x->t); n++)
		wt_room_set(x->room, n, n % size < free_nodes[n / size]);
}

/* Ask for a job; what it takes of each leaf. */
static void job_ask(struct pack_fixture *x, uint64_t units, uint32_t *taken)
{
	const struct select_request request = { .units = units };
	struct select_choice choice;

	assert_int_equal(wt_select_pick(x->s, x->room, &request, &choice), 0);
	memset(taken, 0, wt_tree_switches(x->t, 0) * sizeof(*taken));
	for (size_t i = 0; i < choice.count; i++)
		taken[wt_tree_leaf(x->t, choice.picks[i].node)]++;
}

/* Jobs of 3 and of 8 nodes come, on leaves of 4: whole leaves are for the latter. */
static void test_whole_leaves_are_spared(void **state)
{
	static const uint32_t idle[] = { 4, 4, 4, 4, 4, 4, 4, 4 }, ragged[] = { 4, 4, 3, 3, 0, 0, 0, 0 };
	uint32_t taken[8];
	struct pack_fixture x;

	(void) state;
	setting_make(&x, "4,4,2", WT_TIE_PACK);
	leaves_set(&x, 4, idle);
	for (int i = 0; i < 20; i++) {
		job_ask(&x, 3, taken);
		job_ask(&x, 8, taken);
		assert_int_equal(taken[0] + taken[4], 4);
	}
	leaves_set(&x, 4, ragged);
	job_ask(&x, 6, taken);
	assert_int_equal(taken[2], 3);
	assert_int_equal(taken[3], 3);
	job_ask(&x, 3, taken);
	assert_int_equal(taken[2] + taken[3], 3);
	job_ask(&x, 7, taken);		/* two leaves, and no third one */
	assert_int_equal(taken[0] + taken[1] + taken[2] + taken[3], 7);
	assert_int_equal((taken[0] > 0) + (taken[1] > 0) + (taken[2] > 0) + (taken[3] > 0), 2);
	setting_clear(&x);
}

/* Of leaves that are worth the same the tightest. */
static void test_tightest(void **state)
{
	static const uint32_t ragged[] = { 4, 3, 2, 4, 0, 0, 0, 0 };
	uint32_t taken[8];
	struct pack_fixture x;

	(void) state;
	setting_make(&x, "4,4,2", WT_TIE_PACK);
	leaves_set(&x, 4, ragged);
	for (int i = 0; i < 3; i++)
		job_ask(&x, 2, taken);
	assert_int_equal(taken[2], 2);
	job_ask(&x, 1, taken);		/* the third node of a leaf, where a job of 2 has no use for it */
	assert_int_equal(taken[1], 1);
	setting_clear(&x);
}

/* A job that cannot have its least number of leaves takes what is of no use to others. */
static void test_scraps(void **state)
{
	static const uint32_t idle[] = { 4, 4, 4, 4, 4, 4, 4, 4 }, ragged[] = { 4, 1, 1, 1, 1, 1, 1, 1 };
	uint32_t taken[8];
	struct pack_fixture x;

	(void) state;
	setting_make(&x, "4,8,1", WT_TIE_PACK);
	leaves_set(&x, 4, idle);
	for (int i = 0; i < 20; i++)
		job_ask(&x, 4, taken);
	leaves_set(&x, 4, ragged);
	job_ask(&x, 5, taken);		/* two leaves suffice when nothing runs, and now, too */
	assert_int_equal(taken[0], 4);
	job_ask(&x, 6, taken);		/* two when nothing runs; three now: it has lost anyway, and spares the whole leaf */
	assert_int_equal(taken[0], 0);
	setting_clear(&x);
}

/* Nor does it when it can be on as few leaves as the room allows, and those are of little use to others. */
static void test_few_leaves_before_scraps(void **state)
{
	static const uint32_t idle[] = { 4, 4, 4, 4, 4, 4, 4, 4 }, ragged[] = { 3, 3, 1, 1, 1, 0, 0, 0 };
	uint32_t taken[8];
	struct pack_fixture x;

	(void) state;
	setting_make(&x, "4,8,1", WT_TIE_PACK);
	leaves_set(&x, 4, idle);
	for (int i = 0; i < 20; i++)
		job_ask(&x, 4, taken);
	leaves_set(&x, 4, ragged);
	assert_int_equal(x.s->leaves_now, 1);
	job_ask(&x, 4, taken);		/* one leaf when nothing runs, two now, four of scraps */
	assert_int_equal(x.s->leaves_now, 2);
	assert_int_equal((taken[0] > 0) + (taken[1] > 0) + taken[2] + taken[3] + taken[4], 2);
	setting_clear(&x);
}

/* A question about the future is answered by what is known, and leaves it as it is; what was asked elsewhere is learnt. */
static void test_what_is_noted(void **state)
{
	struct select_request request = { .units = 2, .imagined = 1 };
	struct select_choice choice;
	struct pack_fixture x;
	double share;

	(void) state;
	setting_make(&x, "4,3", WT_TIE_PACK);
	leaves_set(&x, 4, (const uint32_t[]) { 4, 4, 4 });
	assert_int_equal(wt_select_pick(x.s, x.room, &request, &choice), 0);
	assert_int_equal(choice.count, 2);
	request.units = 13;	/* more than there is */
	assert_int_equal(wt_select_pick(x.s, x.room, &request, &choice), -1);
	assert_int_equal(wt_mix_sizes(x.s->mix), 0);
	request = (struct select_request) { .units = 2 };
	assert_int_equal(wt_select_pick(x.s, x.room, &request, &choice), 0);
	assert_int_equal(wt_mix_sizes(x.s->mix), 1);
	wt_select_note(x.s, 3);
	assert_int_equal(wt_mix_sizes(x.s->mix), 2);
	assert_int_equal(wt_mix_size(x.s->mix, 1, &share), 3);
	setting_clear(&x);
	setting_make(&x, "4,3", WT_TIE_TOUCH);	/* remembers nothing */
	wt_select_note(x.s, 3);
	setting_clear(&x);
}

/* The least number of leaves by counts is that by sorting, also when nodes hold more than they should. */
static void test_leaves_now(void **state)
{
	unsigned int seed = 3;
	struct pack_fixture x;

	(void) state;
	setting_make(&x, "5,3,4", WT_TIE_PACK);
	for (int round = 0; round < 500; round++) {
		uint64_t sizes[12] = { 0 }, held = 0;
		struct select_request request = { .units = 1 };
		uint32_t least = 0;

		for (uint32_t n = 0; n < wt_tree_nodes(x.t); n++) {
			wt_room_set(x.room, n, rand_r(&seed) % 3 > 0);
			sizes[wt_tree_leaf(x.t, n)] += wt_room_node(x.room, n);
		}
		if (!wt_room_total(x.room))
			continue;
		request.units += (uint64_t) rand_r(&seed) % wt_room_total(x.room);
		sizes_sort(sizes, 12);
		while (held < request.units)
			held += sizes[least++];
		x.s->room = x.room;
		x.s->request = &request;
		assert_int_equal(leaves_now_count(x.s), least);
	}
	for (uint32_t n = 0; n < wt_tree_nodes(x.t); n++)
		wt_room_set(x.room, n, 7);
	x.s->request = &(struct select_request) { .units = 60 };
	assert_int_equal(leaves_now_count(x.s), 12);
	setting_clear(&x);
}

/* A switch of 8 free nodes and one of 12.  A job of 4 belongs on the first, unless two of 8 wait behind it. */
static void test_jobs_behind(void **state)
{
	static const uint32_t idle[] = { 4, 4, 4, 4, 4, 4, 4, 4 }, room[] = { 4, 4, 0, 0, 4, 4, 4, 0 };
	static const uint64_t eights[] = { 8, 8 }, large[] = { 17, 8, 8 }, twelve[] = { 12 };
	struct select_request request = { .units = 4 };
	struct select_choice choice;
	uint32_t taken[8];
	struct pack_fixture x;

	(void) state;
	setting_make(&x, "4,4,2", WT_TIE_PACK);
	leaves_set(&x, 4, idle);
	for (int i = 0; i < 20; i++)
		job_ask(&x, 4, taken);
	leaves_set(&x, 4, room);
	job_ask(&x, 4, taken);
	assert_int_equal(taken[0] + taken[1], 4);
	request.next_units = eights;
	request.next_count = 2;
	assert_int_equal(wt_select_pick(x.s, x.room, &request, &choice), 0);
	assert_true(choice.picks[0].node >= 16);
	assert_int_equal(next_lost(x.s, 2, 0, 4), 0);	/* children[0] is that of 12 */
	assert_int_equal(next_lost(x.s, 2, 1, 4), 1);
	request.next_units = large;		/* what cannot start now does not count, nor what waits behind it */
	request.next_count = 3;
	assert_int_equal(wt_select_pick(x.s, x.room, &request, &choice), 0);
	assert_true(choice.picks[0].node < 16);
	assert_int_equal(next_lost(x.s, 2, 1, 4), 0);
	request.next_units = twelve;
	request.next_count = 1;
	assert_int_equal(wt_select_pick(x.s, x.room, &request, &choice), 0);
	assert_true(choice.picks[0].node < 16);
	assert_int_equal(next_lost(x.s, 2, 0, 4), 1);
	assert_int_equal(next_lost(x.s, 2, 1, 4), 0);
	setting_clear(&x);
}

static double set_worth(const struct wt_select *s, const uint64_t *sizes, uint32_t count, uint32_t set, uint64_t units)
{
	uint64_t held = 0;
	double worth = 0;

	for (uint32_t i = 0; i < count; i++) {
		held += set >> i & 1 ? sizes[i] : 0;
		worth += set >> i & 1 ? s->leaf_value[sizes[i]] : 0;
	}
	return held < units ? INFINITY : worth - s->leaf_value[held - units];
}

/* The least that any set of 'k' leaves loses. */
static double least_worth(const struct wt_select *s, const uint64_t *sizes, uint32_t count, uint32_t k, uint64_t units)
{
	double least = INFINITY;

	for (uint32_t set = 1; set < UINT32_C(1) << count; set++)
		if ((uint32_t) __builtin_popcount(set) == k)
			least = fmin(least, set_worth(s, sizes, count, set, units));
	return least;
}

static uint64_t sizes_random(uint64_t *sizes, unsigned int *seed)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < CHILDREN; i++) {
		sizes[i] = 1 + (uint64_t) rand_r(seed) % 18;
		sum += sizes[i];
	}
	sizes_sort(sizes, CHILDREN);
	return sum;
}

/* Against all sets: never more leaves than needed, and nearly always the least loss. */
static void test_sets_are_best(void **state)
{
	unsigned int seed = 5;
	int rounds = 2000, best = 0;
	struct pack_fixture x;

	(void) state;
	setting_make(&x, "18,7,3", WT_TIE_PACK);
	for (int round = 0; round < rounds; round++) {
		uint64_t sizes[CHILDREN], units = 1 + (uint64_t) rand_r(&seed) % sizes_random(sizes, &seed), held = 0;
		uint32_t k, least = 0, members = 0;
		uint8_t in[CHILDREN];
		double lost;

		wt_mix_note(x.s->mix, 1 + (uint64_t) rand_r(&seed) % 90);
		leaf_values_fill(x.s);
		k = leaf_set_choose(x.s, sizes, CHILDREN, units, in, &lost);
		for (uint32_t i = 0; i < CHILDREN; i++) {
			members += in[i];
			held += in[i] ? sizes[i] : 0;
		}
		assert_int_equal(members, k);
		assert_true(held >= units);
		for (uint64_t sum = 0; sum < units; least++)
			sum += sizes[least];
		assert_int_equal(k, least);
		best += lost < least_worth(x.s, sizes, CHILDREN, k, units) + 1e-6;
		assert_in_range(leaf_scraps_choose(x.s, sizes, CHILDREN, units, in, &lost), k, CHILDREN);
	}
	if (best < 0.97 * rounds)
		fail_msg("the best set in %d of %d", best, rounds);
	setting_clear(&x);
}

/* Three switches of 3 free nodes each: any two hold a job of 6 and nothing more, but only two of them on a leaf each. */
static void test_a_set_that_just_holds_the_job(void **state)
{
	static const uint32_t free_nodes[] = { 0, 3, 2, 1, 0, 3 };
	uint32_t taken[6];
	struct pack_fixture x;

	(void) state;
	setting_make(&x, "3,2,3", WT_TIE_TOUCH);
	leaves_set(&x, 3, free_nodes);
	job_ask(&x, 6, taken);
	assert_int_equal(taken[1], 3);
	assert_int_equal(taken[5], 3);
	setting_clear(&x);
}

/* Leaves of several sizes, and a switch with more leaves than are searched. */
static void test_odd_trees(void **state)
{
	static const char *const arities[] = { "3/9,4,3", "1,1,1", "2,300,2", "5/1/2,7/3,2,2" };

	(void) state;
	for (size_t i = 0; i < sizeof(arities) / sizeof(arities[0]); i++) {
		unsigned int seed = 11;
		struct pack_fixture x;

		setting_make(&x, arities[i], WT_TIE_PACK);
		for (int round = 0; round < 200; round++) {
			uint32_t *taken = calloc(wt_tree_switches(x.t, 0), sizeof(*taken)), sum = 0;
			uint64_t units;

			for (uint32_t n = 0; n < wt_tree_nodes(x.t); n++)
				wt_room_set(x.room, n, rand_r(&seed) % 3 > 0);
			wt_room_set(x.room, 0, 1);
			units = 1 + (uint64_t) rand_r(&seed) % wt_room_total(x.room);
			job_ask(&x, units, taken);
			for (uint32_t leaf = 0; leaf < wt_tree_switches(x.t, 0); leaf++)
				sum += taken[leaf];
			assert_int_equal(sum, units);
			free(taken);
		}
		setting_clear(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_leaves_are_spared),
		cmocka_unit_test(test_tightest),
		cmocka_unit_test(test_scraps),
		cmocka_unit_test(test_few_leaves_before_scraps),
		cmocka_unit_test(test_what_is_noted),
		cmocka_unit_test(test_leaves_now),
		cmocka_unit_test(test_jobs_behind),
		cmocka_unit_test(test_sets_are_best),
		cmocka_unit_test(test_a_set_that_just_holds_the_job),
		cmocka_unit_test(test_odd_trees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
