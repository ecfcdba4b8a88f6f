/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "topology/test_tree_fixture.h"
#include "topology/bound.h"
#include "topology/hindsight.h"
#include "topology/select.h"

#define JOBS_MAX 8
#define LEAVES_MAX 8
#define NODES_MAX 32

/* So many jobs of each size, as their least numbers of Curie's intermediate switches: how many are too many at once? */
static size_t excess_of(size_t count, uint64_t units, uint32_t least, size_t more, uint64_t more_units, uint32_t more_least)
{
	uint64_t sizes[16], all[64];
	uint32_t leasts[64];

	for (uint32_t i = 0; i < 16; i++)
		sizes[i] = i < 15 ? 324 : 180;
	for (size_t i = 0; i < count + more; i++) {
		all[i] = i < count ? units : more_units;
		leasts[i] = i < count ? least : more_least;
	}
	return wt_bound_excess(sizes, 16, all, leasts, count + more);
}

static void test_excess(void **state)
{
	(void) state;
	assert_int_equal(excess_of(31, 158, 1, 0, 0, 0), 0);	/* two to a switch, one in the small one */
	assert_int_equal(excess_of(15, 315, 1, 0, 0, 0), 0);
	assert_int_equal(excess_of(16, 315, 1, 0, 0, 0), 1);	/* the sixteenth would fit by the number of nodes */
	assert_int_equal(excess_of(8, 630, 2, 0, 0, 0), 1);
	assert_int_equal(excess_of(6, 483, 2, 13, 158, 1), 0);	/* a whole switch each, and 19 halves */
	assert_int_equal(excess_of(6, 483, 2, 14, 158, 1), 1);
	assert_int_equal(excess_of(1, 2520, 8, 1, 2520, 8), 1);
	assert_int_equal(excess_of(4, 1260, 4, 0, 0, 0), 1);
	/* One that has given back most of what it had is in nobody's way. */
	assert_int_equal(excess_of(15, 315, 1, 1, 300, 2), 0);
	assert_int_equal(excess_of(0, 0, 0, 0, 0, 0), 0);
}

/* ---- every placement of a small record ---------------------------------------------------------------------------- */

struct small_record {
	struct wt_replay_job jobs[JOBS_MAX];
	uint32_t nodes[JOBS_MAX][NODES_MAX];
	double release_s[JOBS_MAX][NODES_MAX];
	size_t count;
};

struct small_step {
	double time_s;
	uint32_t job;
	int taken;	/* nodes; given back: -1 each */
};

struct placement_search {
	const struct wt_tree *tree;
	const struct small_record *record;
	struct small_step steps[JOBS_MAX * (NODES_MAX + 1)];
	size_t step_count;
	uint32_t free_nodes[LEAVES_MAX];
	uint32_t has[JOBS_MAX][LEAVES_MAX];
	uint32_t least[JOBS_MAX][WT_TREE_LEVELS_MAX];
	uint32_t level;		/* looked at; the root's: all */
	size_t best, enough;
};

static void step_search(struct placement_search *s, size_t at, size_t optimal, size_t left);

static int is_optimal(const struct placement_search *s, uint32_t job)
{
	uint32_t levels = wt_tree_levels(s->tree) - 1;

	for (uint32_t l = 0; l < levels; l++) {
		uint32_t touched = 0, marks = 0;

		for (uint32_t leaf = 0; leaf < wt_tree_switches(s->tree, 0); leaf++) {
			uint32_t sw = leaf;

			for (uint32_t up = 0; up < l; up++)
				sw = wt_tree_parent(s->tree, up, sw);
			if (s->has[job][leaf])
				marks |= UINT32_C(1) << sw;
		}
		touched = (uint32_t) __builtin_popcount(marks);
		if ((s->level == levels || s->level == l) && touched > s->least[job][l])
			return 0;
	}
	return 1;
}

/* All ways to lay what is left of a job on the leaves from this one on. */
static void leaf_search(struct placement_search *s, size_t at, uint32_t leaf, uint32_t rest, size_t optimal, size_t left)
{
	uint32_t job = s->steps[at].job, most;

	if (s->best == s->enough || optimal + left <= s->best)
		return;
	if (!rest || leaf == wt_tree_switches(s->tree, 0)) {
		if (!rest)
			step_search(s, at + 1, optimal + (size_t) is_optimal(s, job), left - 1);
		return;
	}
	most = s->free_nodes[leaf] < rest ? s->free_nodes[leaf] : rest;
	for (uint32_t n = most + 1; n-- > 0;) {
		s->has[job][leaf] = n;
		s->free_nodes[leaf] -= n;
		leaf_search(s, at, leaf + 1, rest - n, optimal, left);
		s->free_nodes[leaf] += n;
	}
	s->has[job][leaf] = 0;
}

static void step_search(struct placement_search *s, size_t at, size_t optimal, size_t left)
{
	uint32_t leaf = 0, job;

	if (at == s->step_count) {
		s->best = optimal > s->best ? optimal : s->best;
		return;
	}
	job = s->steps[at].job;
	if (s->steps[at].taken > 0) {
		leaf_search(s, at, 0, (uint32_t) s->steps[at].taken, optimal, left);
		return;
	}
	/* One way of giving back is enough: what it finds is a placement in any case. */
	while (!s->has[job][leaf])
		leaf++;
	s->has[job][leaf]--;
	s->free_nodes[leaf]++;
	step_search(s, at + 1, optimal, left);
	s->has[job][leaf]++;
	s->free_nodes[leaf]--;
}

static int small_step_order(const void *a, const void *b)
{
	const struct small_step *x = a, *y = b;

	if (x->time_s != y->time_s)
		return x->time_s < y->time_s ? -1 : 1;
	return x->taken != y->taken ? x->taken - y->taken : (x->job > y->job) - (x->job < y->job);
}

static void search_init(struct placement_search *s, const struct wt_tree *t, const struct small_record *r)
{
	struct wt_select *select = wt_select_create(t, NULL, &(struct wt_select_options) { .tie = WT_TIE_TOUCH }, NULL);

	assert_non_null(select);
	*s = (struct placement_search) { .tree = t, .record = r };
	for (uint32_t leaf = 0; leaf < wt_tree_switches(t, 0); leaf++)
		s->free_nodes[leaf] = wt_tree_switch_nodes(t, 0, leaf).count;
	for (uint32_t job = 0; job < r->count; job++) {
		const struct wt_replay_job *j = &r->jobs[job];

		for (uint32_t l = 0; l + 1 < wt_tree_levels(t); l++)
			s->least[job][l] = wt_select_least(select, l, j->units);
		s->steps[s->step_count++] = (struct small_step) { j->start_s, job, (int) j->node_count };
		for (uint32_t n = 0; n < j->node_count; n++)
			s->steps[s->step_count++] = (struct small_step) { j->release_s[n], job, -1 };
	}
	qsort(s->steps, s->step_count, sizeof(*s->steps), small_step_order);
	wt_select_destroy(select);
}

/* Jobs at random on nodes at random; they end all at once, or one node after the other. */
static void record_random(struct small_record *r, const struct wt_tree *t, unsigned int *seed)
{
	uint32_t nodes = wt_tree_nodes(t);
	double free_s[NODES_MAX] = { 0 }, now_s = 0;

	memset(r, 0, sizeof(*r));
	while (r->count < JOBS_MAX) {
		struct wt_replay_job *j = &r->jobs[r->count];
		uint32_t size = 1 + (uint32_t) rand_r(seed) % (nodes - 1), start = (uint32_t) rand_r(seed) % nodes, have = 0;
		double end_s = now_s + 2 + rand_r(seed) % 9, step_s = rand_r(seed) % 3 ? 0 : 0.5;

		for (uint32_t i = 0; i < nodes && have < size; i++)
			if (free_s[(start + i) % nodes] <= now_s)
				r->nodes[r->count][have++] = (start + i) % nodes;
		now_s++;
		if (have < size)
			continue;
		for (uint32_t n = 0; n < size; n++)
			free_s[r->nodes[r->count][n]] = r->release_s[r->count][n] = end_s + n * step_s;
		*j = (struct wt_replay_job) {
			.start_s = now_s - 1, .units = size, .nodes = r->nodes[r->count],
			.release_s = r->release_s[r->count], .node_count = size,
		};
		r->count++;
	}
}

/* The search is none that finds more than there is. */
static size_t searched(const struct wt_tree *t, const struct small_record *r, size_t best)
{
	uint64_t found, again;

	assert_int_equal(wt_hindsight(t, NULL, r->jobs, r->count, 300, 7, &found, NULL), 0);
	assert_int_equal(wt_hindsight(t, NULL, r->jobs, r->count, 300, 7, &again, NULL), 0);
	assert_int_equal(found, again);
	assert_true(found <= best);
	return found == best;
}

/* No placement at all has more jobs optimal than the bound, and often one has as many. */
static void test_nothing_beats_it(void **state)
{
	static const char *const shapes[] = { "2,2,2", "3,2,2", "3/2,2,2", "2,3,2", "4,2,2", "2,2/1,3" };
	unsigned int seed = 4711;
	size_t cases = 0, reached = 0, losses = 0, found = 0;
	int rounds = 240;

	(void) state;
	for (int round = 0; round < rounds; round++) {
		struct wt_tree *t = tree_make(shapes[round % 6]);
		struct placement_search s;
		struct small_record r;
		struct wt_bound b;

		record_random(&r, t, &seed);
		assert_int_equal(wt_bound(t, NULL, r.jobs, r.count, &b, NULL), 0);
		search_init(&s, t, &r);
		for (s.level = 0; s.level < wt_tree_levels(t); s.level++) {
			size_t bound = s.level < b.levels ? b.absolute[s.level] : b.absolute_all;

			s.best = 0;
			s.enough = r.count + 1;		/* so that more than the bound would be found */
			step_search(&s, 0, 0, r.count);
			assert_true(s.best <= bound);
			cases++;
			reached += s.best == bound;
			losses += bound < r.count;
			if (s.level + 2 == wt_tree_levels(t))
				found += searched(t, &r, s.best);
		}
		wt_tree_destroy(t);
	}
	print_message("%zu bounds: %zu reached, %zu below the number of jobs; %zu of %d found\n", cases, reached, losses,
		      found, rounds);
	assert_true(reached * 100 > cases * 60);
	assert_true(losses * 100 > cases * 10);
	assert_true(found * 100 > (size_t) rounds * 80);
}

/* ---- records of other kinds --------------------------------------------------------------------------------------- */

static void test_record(void **state)
{
	static const uint32_t left[] = { 0, 1, 2, 3, 4, 5 }, right[] = { 6, 7, 8, 9, 10, 11 }, cross[] = { 3, 4 };
	static const double end[] = { 9, 9, 9, 9, 9, 9 };
	/* In leaves of 4: each needs two of the three, and what both leave is there twice. */
	struct wt_replay_job jobs[] = {
		{ .start_s = 0, .units = 6, .nodes = left, .release_s = end, .node_count = 6 },
		{ .start_s = 1, .units = 6, .nodes = right, .release_s = end, .node_count = 6 },
		{ .start_s = 10, .units = 12, .nodes = left, .release_s = end, .node_count = 6 },
		{ .start_s = 1, .nodes = cross, .node_count = 2, .out_of_service = 1 },
	};
	struct wt_tree *t = tree_make("4,3,1");
	struct wt_bound b;

	(void) state;
	assert_int_equal(wt_bound(t, NULL, jobs, 4, &b, NULL), 0);
	assert_int_equal(b.jobs, 2);	/* the third has the whole machine */
	assert_int_equal(b.absolute[0], 2);
	jobs[1].units = jobs[1].node_count = 5;
	jobs[1].node_count = 7;
	jobs[1].nodes = (const uint32_t[]) { 6, 7, 8, 9, 10, 11, 99 };
	assert_int_equal(wt_bound(t, NULL, jobs, 4, &b, NULL), -1);
	assert_int_equal(errno, EINVAL);
	jobs[1].node_count = 0;
	assert_int_equal(wt_bound(t, NULL, jobs, 4, &b, NULL), -1);
	/* Two jobs on one node: nothing is claimed of that moment. */
	jobs[1] = (struct wt_replay_job) { .start_s = 1, .units = 2, .nodes = cross, .release_s = end, .node_count = 2 };
	assert_int_equal(wt_bound(t, NULL, jobs, 4, &b, NULL), 0);
	assert_int_equal(b.moments, 2);
	wt_tree_destroy(t);
}

/* CPUs of shared nodes: a leaf of 8, of which two jobs of 5 cannot have one each with a third of 5 beside them. */
static void test_shared_nodes(void **state)
{
	static const uint32_t nodes[] = { 0, 1, 2, 3 }, capacity[] = { 4, 4, 4, 4 };
	static const uint32_t first[] = { 4, 1 }, second[] = { 3, 2 }, third[] = { 2, 3 };
	static const double end[] = { 9, 9 };
	const struct wt_replay_job jobs[] = {
		{ .start_s = 0, .units = 5, .nodes = nodes, .release_s = end, .node_count = 2, .node_units = first },
		{ .start_s = 0, .units = 5, .nodes = nodes + 1, .release_s = end, .node_count = 2, .node_units = second },
		{ .start_s = 0, .units = 5, .nodes = nodes + 2, .release_s = end, .node_count = 2, .node_units = third },
	};
	struct wt_tree *t = tree_make("2,2");
	struct wt_bound b;

	(void) state;
	assert_int_equal(wt_bound(t, capacity, jobs, 2, &b, NULL), 0);
	assert_int_equal(b.absolute[0], 2);
	assert_int_equal(wt_bound(t, capacity, jobs, 3, &b, NULL), 0);
	assert_int_equal(b.absolute[0], 2);
	assert_int_equal(b.absolute_all, 2);
	assert_int_equal(b.tight[0], 1);
	wt_tree_destroy(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_excess), cmocka_unit_test(test_nothing_beats_it), cmocka_unit_test(test_record),
		cmocka_unit_test(test_shared_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
