/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "topology/test_tree_fixture.h"
#include "topology/replay.h"

#define JOB(start, size, on, until, count, gave)                                                                            \
	{                                                                                                                   \
		.start_s = (start), .units = (size), .nodes = (on), .release_s = (until), .node_count = (count),            \
		.node_units = (gave)                                                                                        \
	}

/* Completing nodes are not free: the second job could not have had the first one's leaf. */
static void test_replay(void **state)
{
	static const uint32_t first[] = { 0, 1, 2, 3 }, second[] = { 4, 8 }, third[] = { 1, 2 };
	static const double early[] = { 10, 10, 10, 14 }, end[] = { 30, 30 };
	const struct wt_replay_job jobs[] = {
		JOB(0, 4, first, early, 4, NULL), JOB(12, 2, second, end, 2, NULL), JOB(12.5, 2, third, end, 2, NULL),
	};
	struct wt_tree *t = tree_make("4,2,2");
	struct wt_room *room = wt_room_create(t);
	struct wt_replay_job broken = jobs[0];
	struct wt_replay_result r;
	struct wt_error err;

	(void) state;
	assert_int_equal(wt_replay(t, NULL, jobs, 3, INFINITY, &r, room, &err), 0);
	assert_int_equal(r.tally.jobs, 3);
	assert_int_equal(r.overlaps, 0);
	assert_int_equal(r.tally.absolute[0], 2);
	assert_int_equal(r.tally.absolute[1], 2);
	assert_int_equal(wt_room_total(room), 16);
	assert_int_equal(wt_replay(t, NULL, jobs, 3, 12.2, &r, room, NULL), 0);
	assert_int_equal(r.tally.jobs, 2);
	assert_int_equal(wt_room_total(room), 13);
	assert_int_equal(wt_room_node(room, 3), 0);
	assert_int_equal(wt_room_node(room, 2), 1);
	assert_int_equal(wt_replay(t, NULL, jobs, 3, -1, NULL, room, NULL), 0);
	assert_int_equal(wt_room_total(room), 16);
	broken.node_count = 0;
	assert_int_equal(wt_replay(t, NULL, &broken, 1, INFINITY, &r, NULL, &err), -1);
	broken = jobs[0];
	broken.start_s = NAN;
	assert_int_equal(wt_replay(t, NULL, &broken, 1, INFINITY, &r, NULL, &err), -1);
	wt_room_destroy(room);
	wt_tree_destroy(t);
}

struct seen {
	size_t moments, jobs;
	double until_s[8];
	uint64_t free_units[8];
	uint32_t touched[4];
};

static void until_see(void *arg, double until_s, const struct wt_room *room)
{
	struct seen *seen = arg;

	seen->until_s[seen->moments] = until_s;
	seen->free_units[seen->moments++] = wt_room_total(room);
}

static void job_see(void *arg, size_t job, const struct wt_verdict *verdict)
{
	struct seen *seen = arg;

	seen->touched[job] = verdict->touched[0];
	seen->jobs++;
}

/* Each moment is told once, with what was free before it; each job with its verdict; and the sums are theirs. */
static void test_replay_watched(void **state)
{
	static const uint32_t first[] = { 0, 1, 2, 3 }, second[] = { 4, 8 };
	static const double early[] = { 10, 10, 10, 14 }, end[] = { 30, 30 };
	static const double until_s[] = { 0, 10, 12, 14, 30, INFINITY };
	static const uint64_t free_units[] = { 16, 12, 15, 13, 14, 16 };
	const struct wt_replay_job jobs[] = { JOB(0, 4, first, early, 4, NULL), JOB(12, 2, second, end, 2, NULL) };
	struct wt_tree *t = tree_make("4,2,2");
	struct seen seen = { 0 };
	const struct wt_replay_watch watch = { &seen, until_see, job_see }, nothing = { 0 };
	struct wt_replay_result r;

	(void) state;
	assert_int_equal(wt_replay_watched(t, NULL, jobs, 2, &r, &watch, NULL), 0);
	assert_int_equal(seen.moments, 6);
	for (size_t i = 0; i < seen.moments; i++) {
		assert_true(seen.until_s[i] == until_s[i]);
		assert_int_equal(seen.free_units[i], free_units[i]);
	}
	assert_int_equal(seen.jobs, 2);
	assert_int_equal(seen.touched[0], 1);
	assert_int_equal(seen.touched[1], 2);
	assert_int_equal(r.tally.touched_sum[0], 3);
	assert_int_equal(r.tally.absolute_sum[0], 2);
	assert_int_equal(r.tally.relative_sum[0], 2);
	assert_int_equal(r.tally.touched_sum[1], 3);
	assert_int_equal(wt_replay_watched(t, NULL, jobs, 2, &r, &nothing, NULL), 0);
	wt_tree_destroy(t);
}

/* Shared nodes: two jobs on one node; a third where nothing is left is an overlap of the records. */
static void test_replay_shared(void **state)
{
	static const uint32_t node[] = { 1 };
	static const double end[] = { 20 };
	const struct wt_replay_job jobs[] = {
		JOB(0, 10, node, end, 1, NULL), JOB(1, 6, node, end, 1, NULL), JOB(2, 1, node, end, 1, NULL),
	};
	uint32_t capacity[] = { 16, 16, 16, 16 };
	struct wt_tree *t = tree_make("2,2");
	struct wt_room *room = wt_room_create(t);
	struct wt_replay_result r;

	(void) state;
	assert_int_equal(wt_replay(t, capacity, jobs, 2, 5, &r, room, NULL), 0);
	assert_int_equal(wt_room_node(room, 1), 0);
	assert_int_equal(r.overlaps, 0);
	assert_int_equal(wt_replay(t, capacity, jobs, 3, 5, &r, room, NULL), 0);
	assert_int_equal(wt_room_node(room, 1), 0);
	assert_int_equal(r.overlaps, 1);
	assert_int_equal(r.tally.absolute_all, 3);
	assert_int_equal(wt_replay(t, capacity, jobs, 3, INFINITY, &r, room, NULL), 0);
	assert_int_equal(wt_room_total(room), 64);
	wt_room_destroy(room);
	wt_tree_destroy(t);
}

/* Two nodes gave 3 and 13 CPUs, as the record says, not 15 and 1: the next job of 13 fits on the first one. */
static void test_replay_exact(void **state)
{
	static const uint32_t nodes[] = { 0, 1 }, gave[] = { 3, 13 }, rest[] = { 13 }, nothing[] = { 0, 16 };
	static const double end[] = { 20, 20 };
	struct wt_replay_job jobs[] = {
		JOB(0, 16, nodes, end, 2, gave), JOB(1, 13, nodes, end, 1, rest),
	};
	uint32_t capacity[] = { 16, 16, 16, 16 };
	struct wt_tree *t = tree_make("2,2");
	struct wt_room *room = wt_room_create(t);
	struct wt_replay_result r;

	(void) state;
	assert_int_equal(wt_replay(t, capacity, jobs, 2, 5, &r, room, NULL), 0);
	assert_int_equal(r.overlaps, 0);
	assert_int_equal(wt_room_node(room, 0), 0);
	assert_int_equal(wt_room_node(room, 1), 3);
	jobs[0].node_units = NULL;
	assert_int_equal(wt_replay(t, capacity, jobs, 2, 5, &r, room, NULL), 0);
	assert_int_equal(r.overlaps, 1);
	jobs[0].node_units = nothing;
	assert_int_equal(wt_replay(t, capacity, jobs, 2, 5, &r, room, NULL), -1);
	wt_room_destroy(room);
	wt_tree_destroy(t);
}

/* Four nodes are free below one leaf each pair; two nodes of different leaves are the best of what was offered, and the free
 * ones would have allowed better. */
static void test_replay_offered(void **state)
{
	static const uint32_t nodes[] = { 1, 2 }, offered[] = { 1, 2 }, ones[] = { 1, 1 }, none[] = { 1, 0 },
		far[] = { 1, 4 };
	static const double end[] = { 20, 20 };
	struct wt_replay_job jobs[] = {
		{ .start_s = 0, .units = 2, .nodes = nodes, .release_s = end, .node_count = 2, .offer_nodes = offered,
		  .offer_units = ones,
		  .offer_count = 2 },
	};
	struct wt_tree *t = tree_make("2,2");
	struct wt_replay_result r;

	(void) state;
	assert_int_equal(wt_replay(t, NULL, jobs, 1, 5, &r, NULL, NULL), 0);
	assert_int_equal(r.tally.jobs, 1);
	assert_int_equal(r.tally.relative[0], 0);
	assert_int_equal(r.offered.relative[0], 1);
	assert_int_equal(r.offered.relative_all, 1);
	assert_int_equal(r.offered.absolute[0], 0);
	assert_int_equal(r.not_offered, 0);
	jobs[0].offer_count = 1;	/* its own nodes were among them, whatever the log says */
	assert_int_equal(wt_replay(t, NULL, jobs, 1, 5, &r, NULL, NULL), 0);
	assert_int_equal(r.offered.relative_all, 1);
	jobs[0].offer_count = 0;
	assert_int_equal(wt_replay(t, NULL, jobs, 1, 5, &r, NULL, NULL), 0);
	assert_int_equal(r.offered.relative_all, 0);
	assert_int_equal(r.not_offered, 1);
	jobs[0].offer_count = 2;
	jobs[0].offer_units = none;
	assert_int_equal(wt_replay(t, NULL, jobs, 1, 5, &r, NULL, NULL), -1);
	jobs[0].offer_units = ones;
	jobs[0].offer_nodes = far;
	assert_int_equal(wt_replay(t, NULL, jobs, 1, 5, &r, NULL, NULL), -1);
	wt_tree_destroy(t);
}

/* Jobs of the whole machine stay out of the count even when the record says that something was not free. */
static void test_replay_whole_machine(void **state)
{
	static const uint32_t all[] = { 0, 1, 2, 3 }, one[] = { 0 };
	static const double end[] = { 20, 20, 20, 20 };
	const struct wt_replay_job jobs[] = { JOB(0, 3, one, end, 1, NULL), JOB(10, 64, all, end, 4, NULL) };
	uint32_t capacity[] = { 16, 16, 16, 16 };
	struct wt_tree *t = tree_make("2,2");
	struct wt_replay_result r;

	(void) state;
	assert_int_equal(wt_replay(t, capacity, jobs, 2, 30, &r, NULL, NULL), 0);
	assert_int_equal(r.tally.jobs, 1);
	wt_tree_destroy(t);
}

/* A start that the record has before the releases of its nodes is believed; those releases free nothing any more. */
static void test_replay_crossed(void **state)
{
	static const uint32_t all[] = { 0, 1, 2 };
	static const double late[] = { 10.01, 10.01, 10.01 }, end[] = { 20, 20, 20 };
	const struct wt_replay_job jobs[] = { JOB(0, 3, all, late, 3, NULL), JOB(10, 3, all, end, 3, NULL) };
	struct wt_tree *t = tree_make("2,2");
	struct wt_room *room = wt_room_create(t);
	struct wt_replay_result r;

	(void) state;
	assert_int_equal(wt_replay(t, NULL, jobs, 2, 15, &r, room, NULL), 0);
	assert_int_equal(r.tally.jobs, 2);
	assert_int_equal(r.overlaps, 3);
	assert_int_equal(wt_room_total(room), 1);
	assert_int_equal(wt_replay(t, NULL, jobs, 2, 21, &r, room, NULL), 0);
	assert_int_equal(wt_room_total(room), 4);
	wt_room_destroy(room);
	wt_tree_destroy(t);
}

/* A node that went down, and one that was drained under a job, are not free for jobs that come later, nor of the same
 * moment. */
static void test_replay_out_of_service(void **state)
{
	static const uint32_t first[] = { 0, 1 }, second[] = { 3, 4 }, away[] = { 0, 2 };
	static const double early[] = { 10, 10 }, end[] = { 30, 30 };
	struct wt_replay_job jobs[] = {
		JOB(0, 2, first, early, 2, NULL), { .start_s = 5, .nodes = away, .node_count = 2, .out_of_service = 1 },
		JOB(15, 2, second, end, 2, NULL),
	};
	struct wt_tree *t = tree_make("2,2,2");
	struct wt_room *room = wt_room_create(t);
	struct wt_replay_result r;

	(void) state;
	assert_int_equal(wt_replay(t, NULL, jobs, 3, INFINITY, &r, room, NULL), 0);
	assert_int_equal(r.tally.jobs, 2);
	assert_int_equal(r.overlaps, 0);
	assert_int_equal(wt_room_total(room), 6);
	assert_int_equal(wt_room_node(room, 0), 0);
	assert_int_equal(r.tally.relative[0], 1);	/* 4 and 5, or 6 and 7, are one leaf each */
	jobs[1].nodes = (const uint32_t[]) { 2, 5, 6, 0 };
	jobs[1].node_count = 4;
	jobs[1].start_s = 15;
	assert_int_equal(wt_replay(t, NULL, jobs, 3, 20, &r, room, NULL), 0);
	assert_int_equal(r.tally.relative[0], 2);	/* no leaf has two */
	assert_int_equal(wt_room_total(room), 2);
	assert_int_equal(wt_replay(t, NULL, jobs, 1, 20, &r, room, NULL), 0);
	assert_int_equal(wt_room_total(room), 8);
	jobs[1].node_count = 0;
	assert_int_equal(wt_replay(t, NULL, jobs, 3, 20, &r, room, NULL), -1);
	wt_room_destroy(room);
	wt_tree_destroy(t);
}

#define MANY 3000

struct many {
	uint32_t nodes[MANY][2];
	double release_s[MANY][2];
	struct wt_replay_job jobs[MANY];
};

/* Jobs of one and two nodes, one behind the other on each node: a free one is given back at a time that many have. */
static void many_fill(struct many *m, uint32_t nodes)
{
	double free_s[16] = { 0 };
	unsigned int seed = 7;

	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t count = 1 + (uint32_t) rand_r(&seed) % 2, node = (uint32_t) rand_r(&seed) % (nodes - 1);
		double start_s = count == 2 ? fmax(free_s[node], free_s[node + 1]) : free_s[node];

		for (uint32_t n = 0; n < count; n++) {
			m->nodes[i][n] = node + n;
			m->release_s[i][n] = free_s[node + n] = start_s + 1 + rand_r(&seed) % 3;
		}
		m->jobs[i] = (struct wt_replay_job) JOB(start_s, count, m->nodes[i], m->release_s[i], count, NULL);
	}
}

static uint64_t many_held(const struct many *m, double at_s)
{
	uint64_t held = 0;

	for (uint32_t i = 0; i < MANY; i++)
		for (uint32_t n = 0; n < m->jobs[i].node_count; n++)
			held += m->jobs[i].start_s <= at_s && m->jobs[i].release_s[n] > at_s;
	return held;
}

/* At each moment what is free is what no job holds; the order of the jobs in the record does not count. */
static void test_replay_many(void **state)
{
	struct wt_tree *t = tree_make("4,2,2");
	struct wt_room *room = wt_room_create(t);
	struct many *m = calloc(1, sizeof(*m));
	struct wt_replay_result r;

	(void) state;
	assert_non_null(m);
	many_fill(m, wt_tree_nodes(t));
	for (uint32_t i = 0; i < MANY / 2; i++) {
		struct wt_replay_job job = m->jobs[i];

		m->jobs[i] = m->jobs[MANY - 1 - i];
		m->jobs[MANY - 1 - i] = job;
	}
	for (double at_s = 0; at_s < 300; at_s++) {
		assert_int_equal(wt_replay(t, NULL, m->jobs, MANY, at_s, NULL, room, NULL), 0);
		assert_int_equal(wt_room_total(room), wt_tree_nodes(t) - many_held(m, at_s));
	}
	assert_int_equal(wt_replay(t, NULL, m->jobs, MANY, INFINITY, &r, room, NULL), 0);
	assert_int_equal(r.tally.jobs, MANY);
	assert_int_equal(r.overlaps, 0);
	assert_int_equal(wt_room_total(room), wt_tree_nodes(t));
	free(m);
	wt_room_destroy(room);
	wt_tree_destroy(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replay),
		cmocka_unit_test(test_replay_watched),
		cmocka_unit_test(test_replay_shared),
		cmocka_unit_test(test_replay_exact),
		cmocka_unit_test(test_replay_offered),
		cmocka_unit_test(test_replay_whole_machine),
		cmocka_unit_test(test_replay_crossed),
		cmocka_unit_test(test_replay_out_of_service),
		cmocka_unit_test(test_replay_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
