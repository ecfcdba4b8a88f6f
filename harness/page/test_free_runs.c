/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "lib/test_cmocka.h"

#include <stdbool.h>
#include <stdio.h>

#include "harness/page/test_gantt_reader.h"

#define NODES_MAX 700

static unsigned int seed = 1;

static void lists_clear(struct number_list lists[FREE_RUNS_LISTS])
{
	for (int list = 0; list < FREE_RUNS_LISTS; list++)
		number_list_clear(&lists[list]);
}

static void list_expect(const struct number_list *list, const uint32_t *values, size_t count)
{
	assert_int_equal(list->count, count);
	if (count)
		assert_memory_equal(list->values, values, count * sizeof(*values));
}
#define expect(list, ...)                                                                                                   \
	list_expect(&lists[list], (const uint32_t[]){ __VA_ARGS__ },                                                        \
		    sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

static void test_the_next_free_nodes_cost_one_number(void **state)
{
	struct number_list lists[FREE_RUNS_LISTS] = { 0 };
	struct free_runs runs;

	(void) state;
	assert_int_equal(free_runs_init(&runs, 200), 0);
	free_runs_write(&runs, &(struct gantt_range){ 0, 70 }, 1, false, lists);
	free_runs_write(&runs, &(struct gantt_range){ 70, 70 }, 1, false, lists);
	free_runs_give(&runs, (struct gantt_range){ 0, 70 });
	/* All of the first run, and the begin of the second. */
	free_runs_write(&runs, (const struct gantt_range[]){ { 0, 70 }, { 140, 5 } }, 2, false, lists);
	expect(FREE_RUNS_MODE, 0, 0, 0);
	assert_int_equal(lists[FREE_RUNS_SKIP].count + lists[FREE_RUNS_GAP].count, 0);
	free_runs_clear(&runs);
	lists_clear(lists);
}

static void test_other_places_are_told(void **state)
{
	struct number_list lists[FREE_RUNS_LISTS] = { 0 };
	struct free_runs runs;

	(void) state;
	assert_int_equal(free_runs_init(&runs, 300), 0);
	free_runs_take(&runs, (struct gantt_range){ 10, 1 });
	free_runs_take(&runs, (struct gantt_range){ 128, 10 });
	/* Runs: 0-9, 11-127, 138-299. */
	free_runs_write(&runs, (const struct gantt_range[]){ { 3, 4 }, { 64, 64 }, { 140, 2 }, { 160, 1 } }, 4, false,
			lists);
	expect(FREE_RUNS_MODE, 8);
	expect(FREE_RUNS_SKIP, 0, 1, 0, 0);
	expect(FREE_RUNS_OFFSET, 3, 53, 2, 18);
	expect(FREE_RUNS_LENGTH, 4, 0, 2, 0);
	free_runs_clear(&runs);
	lists_clear(lists);
}

static void test_a_node_that_is_not_free_is_no_error(void **state)
{
	struct number_list lists[FREE_RUNS_LISTS] = { 0 };
	struct free_runs runs;

	(void) state;
	assert_int_equal(free_runs_init(&runs, 64), 0);
	free_runs_write(&runs, &(struct gantt_range){ 0, 64 }, 1, false, lists);
	free_runs_write(&runs, (const struct gantt_range[]){ { 1, 2 }, { 63, 1 } }, 2, false, lists);
	free_runs_write(&runs, &(struct gantt_range){ 5, 1 }, 1, true, lists);
	expect(FREE_RUNS_MODE, 0, 5, 3);
	expect(FREE_RUNS_GAP, 1, 60, 5);
	expect(FREE_RUNS_GAP_LENGTH, 2, 0, 0);
	free_runs_clear(&runs);
	lists_clear(lists);
}

static void test_no_nodes_at_all(void **state)
{
	struct number_list lists[FREE_RUNS_LISTS] = { 0 };
	struct free_runs runs;

	(void) state;
	assert_int_equal(free_runs_init(&runs, 0), 0);
	free_runs_write(&runs, NULL, 0, false, lists);
	expect(FREE_RUNS_MODE, 0);
	free_runs_clear(&runs);
	lists_clear(lists);
}

static uint32_t draw(uint32_t below)
{
	return (uint32_t) rand_r(&seed) % below;
}

/* Ranges of random lengths and gaps; with 'free' only of nodes that no job has. */
static size_t ranges_draw(struct gantt_range *ranges, const uint8_t *busy, uint32_t nodes, bool free)
{
	uint8_t wanted[NODES_MAX] = { 0 };
	size_t count = 0;

	for (uint32_t node = draw(nodes), left = 1 + draw(nodes); left && node < nodes;
	     left--, node += 1 + (draw(4) ? 0 : draw(9)))
		wanted[node] = !free || !busy[node];
	for (uint32_t node = 0; node < nodes; node++) {
		if (!wanted[node])
			continue;
		if (node && wanted[node - 1])
			ranges[count - 1].count++;
		else
			ranges[count++] = (struct gantt_range){ node, 1 };
	}
	return count;
}

struct placed {
	size_t count;
	uint32_t nodes;
	struct gantt_range ranges[NODES_MAX];
};

static void placed_end(struct free_runs *runs, struct slow_runs *slow, const struct placed *job)
{
	for (size_t k = 0; k < job->count; k++) {
		free_runs_give(runs, job->ranges[k]);
		memset(slow->busy + job->ranges[k].first, 0, job->ranges[k].count);
	}
}

/* Jobs come and go at random; what was written for each is read back before the next. */
static void schedule_check(uint32_t nodes, bool shared)
{
	static struct placed jobs[20];
	struct number_list lists[FREE_RUNS_LISTS] = { 0 };
	struct slow_runs slow = { .busy = calloc(nodes, 1), .node_count = nodes, .lists = lists };
	struct gantt_range back[NODES_MAX];
	struct free_runs runs;

	memset(jobs, 0, sizeof(jobs));
	assert_non_null(slow.busy);
	assert_int_equal(free_runs_init(&runs, nodes), 0);
	for (int round = 0; round < 200; round++) {
		struct placed *job = &jobs[draw(20)];

		placed_end(&runs, &slow, job);
		job->count = ranges_draw(job->ranges, slow.busy, nodes, !shared || draw(3));
		job->nodes = 0;
		for (size_t k = 0; k < job->count; k++)
			job->nodes += job->ranges[k].count;
		free_runs_write(&runs, job->ranges, job->count, shared && draw(5) == 0, lists);
		assert_int_equal(slow_runs_read(&slow, job->nodes, back), job->count);
		assert_memory_equal(back, job->ranges, job->count * sizeof(*back));
	}
	for (int list = 0; list < FREE_RUNS_LISTS; list++)
		assert_int_equal(slow.at[list], lists[list].count);
	free(slow.busy);
	free_runs_clear(&runs);
	lists_clear(lists);
}

static void test_random_schedules_come_back(void **state)
{
	(void) state;
	for (int round = 0; round < 100; round++) {
		uint32_t nodes = round < 10 ? 1 + draw(3) : 1 + draw(NODES_MAX - 1);

		schedule_check(nodes, round % 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_next_free_nodes_cost_one_number), cmocka_unit_test(test_other_places_are_told),
		cmocka_unit_test(test_a_node_that_is_not_free_is_no_error), cmocka_unit_test(test_no_nodes_at_all),
		cmocka_unit_test(test_random_schedules_come_back),
	};

	if (getenv("T_SEED"))
		seed = (unsigned int) strtoul(getenv("T_SEED"), NULL, 10);
	fprintf(stderr, "# T_SEED=%u\n", seed);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
