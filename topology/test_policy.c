/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Models of stock Slurm, the mix of sizes, and the simulation. */
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
#include "topology/mix.h"
#include "topology/simulate.h"

/* Two intermediate switches of three leaves of four nodes; which leaves each model uses, in order. */
static const struct {
	const char *policy;
	uint32_t free[6], units;
	const char *leaves;
} cases[] = {
	/* 22.05: the tightest leaf that fits; else under the tighter parent that fits, the fuller leaf */
	{ "fine", { 4, 2, 4, 4, 4, 4 }, 2, "1" },
	{ "fine", { 4, 2, 2, 4, 4, 4 }, 7, "0 1 2" },
	/* ... but a leaf that holds what is left elsewhere is not closer: it stays under the same parent */
	{ "fine", { 4, 4, 4, 1, 4, 4 }, 9, "4 5 3" },
	/* 2.4: the lowest switch that fits, then its leaves by best fit; over the root, leaves of any parent */
	{ "fine-2.4", { 4, 2, 2, 4, 4, 4 }, 7, "0 1 2" },
	{ "fine-2.4", { 4, 2, 1, 4, 4, 4 }, 5, "0 2" },
	{ "fine-2.4", { 4, 1, 1, 4, 3, 1 }, 12, "0 3 4 1" },
	/* ... and of leaves that hold the rest equally well the first */
	{ "fine-2.4", { 2, 4, 2, 4, 4, 4 }, 5, "1 0" },
	/* medium: inside a switch by node number */
	{ "medium", { 1, 4, 4, 4, 4, 4 }, 6, "0 1 2" },
	{ "medium", { 2, 4, 4, 1, 4, 4 }, 9, "3 4 5" },
	{ "flat", { 0, 1, 4, 4, 4, 4 }, 6, "1 2 3" },
	/* none: the tightest run of consecutive nodes */
	{ "none", { 4, 4, 0, 4, 0, 3 }, 3, "5" },
	{ "none", { 0, 4, 0, 4, 4, 0 }, 10, "3 4 1" },
};

static void leaves_list(const struct select_choice *choice, char *text)
{
	uint32_t last = UINT32_MAX;

	*text = '\0';
	for (size_t i = 0; i < choice->count; i++) {
		uint32_t leaf = choice->picks[i].node / 4;

		if (leaf != last)
			sprintf(text + strlen(text), "%s%u", *text ? " " : "", leaf);
		last = leaf;
	}
}

static void test_stock_models(void **state)
{
	struct wt_tree *t = tree_make("4,3,2");
	struct wt_room *room = wt_room_create(t);

	(void) state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wt_policy *p = wt_policy_create(cases[i].policy, t, NULL, 0, NULL);
		struct select_request request = { .units = cases[i].units };
		struct select_choice choice;
		char leaves[256];

		for (uint32_t n = 0; n < 24; n++)
			wt_room_set(room, n, n % 4 < cases[i].free[n / 4]);
		assert_int_equal(wt_policy_pick(p, room, &request, cases[i].units, &choice), 0);
		leaves_list(&choice, leaves);
		if (strcmp(leaves, cases[i].leaves))
			fail_msg("case %zu, %s: leaves %s, not %s", i, cases[i].policy, leaves, cases[i].leaves);
		wt_policy_destroy(p);
	}
	wt_room_destroy(room);
	wt_tree_destroy(t);
}

/* Property: each policy hands out what was asked for, of what is there, whatever the tree, the unit and the job. */
static void test_all_policies_are_legal(void **state)
{
	static const char *const shapes[] = { "8", "4,3", "3/5,4/2,3", "4,3,2,2" };
	unsigned int seed = 9;

	(void) state;
	for (size_t i = 0; i < 4 * 9; i++) {
		struct wt_tree *t = tree_make(shapes[i % 4]);
		const char *name = wt_policy_names[i / 4] ? wt_policy_names[i / 4] : "bestfit";
		struct wt_policy *p = wt_policy_create(name, t, NULL, 0, NULL);
		struct wt_room *room = wt_room_create(t);

		for (int round = 0; round < 100; round++) {
			uint32_t cpus = round % 2 ? 8 : 1, nodes = wt_tree_nodes(t), free_nodes = 0, used[256] = { 0 };
			struct select_request request;
			struct select_choice choice;
			uint64_t sum = 0;

			for (uint32_t n = 0; n < nodes; n++) {
				wt_room_set(room, n, (uint32_t) rand_r(&seed) % (cpus + 1));
				free_nodes += wt_room_node(room, n) > 0;
			}
			request = (struct select_request) { .units = 1 + (uint64_t) rand_r(&seed) % (nodes * cpus) };
			if (wt_policy_pick(p, room, &request, cpus == 1 ? (uint32_t) request.units : 1, &choice) < 0) {
				assert_int_equal(errno, ENOSPC);
				assert_true(request.units > wt_room_total(room));
				continue;
			}
			for (size_t c = 0; c < choice.count; c++) {
				assert_false(used[choice.picks[c].node]++);
				assert_in_range(choice.picks[c].units, 1, wt_room_node(room, choice.picks[c].node));
				sum += choice.picks[c].units;
			}
			assert_int_equal(sum, request.units);
		}
		wt_policy_destroy(p);
		wt_room_destroy(room);
		wt_tree_destroy(t);
	}
}

static void test_policy_boundaries(void **state)
{
	struct wt_tree *t = tree_make("4,2");
	struct wt_room *room = wt_room_create(t);
	struct wt_stock *s;
	struct select_choice choice;
	struct wt_error err;

	(void) state;
	assert_null(wt_policy_create("psychic", t, NULL, 0, &err));
	assert_non_null(strstr(err.text, "bestfit-touch"));
	wt_policy_destroy(NULL);
	assert_null(wt_stock_create(t, WT_STOCK_NONE, 2, &err));
	assert_null(wt_stock_create(NULL, WT_STOCK_NONE, 0, &err));
	wt_stock_destroy(NULL);
	s = wt_stock_create(t, WT_STOCK_22_05, 0, &err);
	assert_int_equal(wt_stock_pick(s, room, 0, 0, &choice), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(wt_stock_pick(s, room, 2, 3, &choice), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(wt_stock_pick(s, room, 1, 1, &choice), -1);
	assert_int_equal(errno, ENOSPC);
	/* eight CPUs on two nodes at least: one stays for the second */
	wt_room_set(room, 4, 16);
	wt_room_set(room, 5, 16);
	assert_int_equal(wt_stock_pick(s, room, 8, 2, &choice), 0);
	assert_int_equal(choice.count, 2);
	assert_int_equal(choice.picks[0].units, 7);
	wt_stock_destroy(s);
	wt_room_destroy(room);
	wt_tree_destroy(t);
}

static void test_mix(void **state)
{
	struct wt_mix *mix = wt_mix_create(100);

	(void) state;
	assert_int_equal(wt_mix_waste(mix, 15), 0);
	assert_false(wt_mix_mostly_below(mix, 100));
	wt_mix_note(mix, 0);
	wt_mix_note(mix, 16);
	wt_mix_note(mix, 49);
	assert_int_equal(wt_mix_waste(mix, 15), 15);
	assert_int_equal(wt_mix_waste(mix, 16), 0);
	assert_int_equal(wt_mix_waste(mix, 47), 15);
	assert_int_equal(wt_mix_waste(mix, 50), 1);	/* 49 */
	assert_int_equal(wt_mix_waste(mix, 66), 1);	/* 49 + 16 */
	assert_int_equal(wt_mix_waste(mix, 101), 0);	/* beyond what it knows */
	assert_true(wt_mix_mostly_below(mix, 16));
	wt_mix_note(mix, 49);
	assert_false(wt_mix_mostly_below(mix, 16));
	/* more sizes than are remembered: the one not seen for longest goes */
	for (uint64_t size = 50; size < 50 + WT_MIX_SIZES_MAX - 1; size++)
		wt_mix_note(mix, size);
	assert_int_equal(wt_mix_waste(mix, 16), 16);
	assert_int_equal(wt_mix_waste(mix, 49), 0);
	for (int i = 0; i < 3000; i++)
		wt_mix_note(mix, 3);
	assert_true(wt_mix_mostly_below(mix, 3));
	wt_mix_destroy(mix);
	wt_mix_destroy(NULL);
	assert_null(wt_mix_create(0));
	assert_int_equal(errno, EINVAL);
	assert_null(wt_mix_create(UINT32_MAX));
}

/* Four nodes; the head waits for all of them, a short small job may pass it, a long one may not. */
struct sim_world {
	struct wt_sim_job jobs[4];
	struct wt_tree *t;
	struct wt_policy *p;
	struct wt_sim_machine m;
	struct wt_sim_result r;
};

static int sim_world_open(void **state)
{
	static struct sim_world w;

	w = (struct sim_world) { .jobs = {
		{ .submit_s = 0, .run_time_s = 10, .time_limit_s = 10, .units = 2, .nodes_min = 2 },
		{ .submit_s = 1, .run_time_s = 5, .time_limit_s = 5, .units = 4, .nodes_min = 4 },
		{ .submit_s = 2, .run_time_s = 20, .time_limit_s = 20, .units = 1, .nodes_min = 1 },
		{ .submit_s = 3, .run_time_s = 6, .time_limit_s = 7, .units = 2, .nodes_min = 2 },
	} };
	w.t = tree_make("2,2");
	w.p = wt_policy_create("bestfit", w.t, NULL, 0.1, NULL);
	w.m.tree = w.t;
	*state = &w;
	return 0;
}

static int sim_world_close(void **state)
{
	struct sim_world *w = *state;

	wt_policy_destroy(w->p);
	wt_tree_destroy(w->t);
	return 0;
}

static void simulate(struct sim_world *w)
{
	struct wt_error err;

	if (wt_simulate(&w->m, w->p, w->jobs, 4, &w->r, &err) < 0)
		fail_msg("%s", err.text);
}

static void test_simulation(void **state)
{
	struct sim_world *w = *state;
	const struct wt_sim_job *jobs = w->jobs;

	simulate(w);
	assert_true(jobs[0].start_s == 0);
	assert_true(jobs[3].start_s == 3);	/* backfilled: ends with the first at the latest */
	assert_true(jobs[1].start_s == 10);
	assert_true(jobs[2].start_s == 15);
	assert_true(w->r.makespan_s == 35);
	assert_int_equal(w->r.tally.jobs, 3);	/* without the one of the whole machine */
	assert_int_equal(w->r.tally.absolute_all, 3);
	assert_true(w->r.utilization > 0.514 && w->r.utilization < 0.515);	/* (20 + 20 + 20 + 12) / 140 */
	assert_true(w->r.wait_mean_s == (0 + 9 + 13 + 0) / 4.0);
}

/* The clock of a simulation begins with its first job, whenever that is. */
static void test_simulation_begins_with_its_first_job(void **state)
{
	struct sim_world *w = *state;

	for (int i = 0; i < 4; i++)
		w->jobs[i].submit_s += 1000;
	simulate(w);
	assert_true(w->jobs[0].start_s == 1000);
	assert_true(w->jobs[1].start_s == 1010);
	assert_true(w->r.makespan_s == 35);
	assert_true(w->r.utilization > 0.514 && w->r.utilization < 0.515);
	assert_true(w->r.wait_mean_s == (0 + 9 + 13 + 0) / 4.0);
}

/* A node becomes free each second after a job's end: the head waits for the last of four. */
static void test_simulation_of_releases(void **state)
{
	struct sim_world *w = *state;

	w->m.release_step_s = 1;
	simulate(w);
	assert_true(w->jobs[1].start_s == 12);
	assert_true(w->jobs[2].start_s == 21);
	assert_true(w->r.makespan_s == 41);
}

/* Looked at every 4 s while jobs wait (at 1, 5, 9, ...), by backfill at 5 and not before 25. */
static void test_simulation_of_cycles(void **state)
{
	struct sim_world *w = *state;
	const struct wt_sim_job *jobs = w->jobs;

	w->m.cycle_period_s = 4;
	w->m.backfill_period_s = 20;
	simulate(w);
	assert_true(jobs[0].start_s == 0);
	assert_true(jobs[1].start_s == 13);	/* the first one has ended at 10 */
	assert_true(jobs[2].start_s == 21);
	assert_true(jobs[3].start_s == 21);	/* it may not delay the head at 5 */
}

/* The second of three that wait passes the first: the third one keeps its place behind that. */
static void test_simulation_of_backfill_in_the_middle(void **state)
{
	struct wt_sim_job jobs[] = {
		{ .submit_s = 0, .run_time_s = 10, .time_limit_s = 10, .units = 2, .nodes_min = 2 },
		{ .submit_s = 0, .run_time_s = 4, .time_limit_s = 4, .units = 2, .nodes_min = 2 },
		{ .submit_s = 1, .run_time_s = 5, .time_limit_s = 5, .units = 4, .nodes_min = 4 },
		{ .submit_s = 2, .run_time_s = 5, .time_limit_s = 5, .units = 2, .nodes_min = 2 },
		{ .submit_s = 3, .run_time_s = 20, .time_limit_s = 20, .units = 1, .nodes_min = 1 },
	};
	struct sim_world *w = *state;
	struct wt_error err;

	assert_int_equal(wt_simulate(&w->m, w->p, jobs, 5, &w->r, &err), 0);
	assert_true(jobs[3].start_s == 4);
	assert_true(jobs[2].start_s == 10);
	assert_true(jobs[4].start_s == 15);
	assert_true(w->r.makespan_s == 35);
}

static void test_simulation_refuses(void **state)
{
	struct sim_world *w = *state;
	struct wt_error err;

	w->jobs[3].submit_s = 1;	/* before the one in front of it */
	assert_int_equal(wt_simulate(&w->m, w->p, w->jobs, 4, &w->r, &err), -1);
	w->jobs[3].submit_s = 3;
	w->jobs[3].units = 5;		/* more than there are */
	assert_int_equal(wt_simulate(&w->m, w->p, w->jobs, 4, &w->r, &err), -1);
	assert_int_equal(wt_simulate(&w->m, w->p, w->jobs, 0, &w->r, &err), -1);
}

/* Two leaves with one free node each: a job of two waits for a leaf, but not for ever. */
static void test_waiting(void **state)
{
	struct wt_sim_job jobs[] = {
		{ .submit_s = 0, .run_time_s = 9, .time_limit_s = 9, .units = 3, .nodes_min = 3 },
		{ .submit_s = 0, .run_time_s = 50, .time_limit_s = 50, .units = 3, .nodes_min = 3 },
		{ .submit_s = 1, .run_time_s = 5, .time_limit_s = 5, .units = 2, .nodes_min = 2 },
	};
	struct wt_tree *t = tree_make("4,2");
	struct wt_policy *p = wt_policy_create("bestfit-touch", t, NULL, 0, NULL);
	struct wt_sim_machine m = { .tree = t };
	struct wt_sim_result r;

	(void) state;
	assert_int_equal(wt_simulate(&m, p, jobs, 3, &r, NULL), 0);
	assert_true(jobs[2].start_s == 1);
	assert_int_equal(r.tally.absolute_all, 2);
	m.wait_s[0] = 20;
	assert_int_equal(wt_simulate(&m, p, jobs, 3, &r, NULL), 0);
	assert_true(jobs[2].start_s == 9);
	assert_int_equal(r.tally.absolute_all, 3);
	m.wait_s[0] = 2.5;
	assert_int_equal(wt_simulate(&m, p, jobs, 3, &r, NULL), 0);
	assert_true(jobs[2].start_s == 3.5);
	assert_int_equal(r.tally.jobs, 3);
	wt_policy_destroy(p);
	wt_tree_destroy(t);
}

/* Only what completes is waited for: the second job's leaf is not. */
static void test_waiting_for_completing_nodes(void **state)
{
	struct wt_sim_job jobs[] = {
		{ .submit_s = 0, .run_time_s = 9, .time_limit_s = 9, .units = 3, .nodes_min = 3 },
		{ .submit_s = 0, .run_time_s = 50, .time_limit_s = 50, .units = 3, .nodes_min = 3 },
		{ .submit_s = 1, .run_time_s = 5, .time_limit_s = 5, .units = 2, .nodes_min = 2 },
	};
	struct wt_tree *t = tree_make("4,2");
	struct wt_policy *p = wt_policy_create("bestfit-touch", t, NULL, 0, NULL);
	struct wt_sim_machine m = { .tree = t, .release_step_s = 1, .completing_wait_s = { 20 } };
	struct wt_sim_result r;

	(void) state;
	assert_int_equal(wt_simulate(&m, p, jobs, 3, &r, NULL), 0);
	assert_true(jobs[2].start_s == 1);
	jobs[2].submit_s = 9.5;
	assert_int_equal(wt_simulate(&m, p, jobs, 3, &r, NULL), 0);
	assert_true(jobs[2].start_s == 12);
	assert_int_equal(r.tally.absolute_all, 3);
	m.completing_wait_s[0] = 0.25;
	assert_int_equal(wt_simulate(&m, p, jobs, 3, &r, NULL), 0);
	assert_true(jobs[2].start_s == 9.75);
	assert_int_equal(r.tally.absolute_all, 2);
	wt_policy_destroy(p);
	wt_tree_destroy(t);
}

#define SIM_TEST(f) cmocka_unit_test_setup_teardown(f, sim_world_open, sim_world_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stock_models),
		cmocka_unit_test(test_all_policies_are_legal),
		cmocka_unit_test(test_policy_boundaries),
		cmocka_unit_test(test_mix),
		SIM_TEST(test_simulation), SIM_TEST(test_simulation_begins_with_its_first_job),
		SIM_TEST(test_simulation_of_releases), SIM_TEST(test_simulation_of_cycles),
		SIM_TEST(test_simulation_of_backfill_in_the_middle), SIM_TEST(test_simulation_refuses),
		cmocka_unit_test(test_waiting), cmocka_unit_test(test_waiting_for_completing_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
