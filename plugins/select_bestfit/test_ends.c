/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "plugins/select_bestfit/capacity.h"
#include "plugins/select_bestfit/ends.h"

#define JOBS_MAX 500

/* Jobs by their ends, and what was asked for: "-" before a job passed over, "T" for a test. */
struct ends_script {
	int64_t ends_s[JOBS_MAX];
	bool passed[JOBS_MAX];
	size_t fits_at;		/* the test that says yes, from 1; 0: none */
	size_t breaks_at;	/* the job that cannot be taken, from 1; 0: none */
	size_t taken, tests;
	char said[4096];
};

static void say(struct ends_script *s, const char *what)
{
	size_t used = strlen(s->said);

	snprintf(s->said + used, sizeof(s->said) - used, "%s%s", used ? " " : "", what);
}

static int64_t script_end_s(void *arg, size_t job)
{
	return ((struct ends_script *) arg)->ends_s[job];
}

static bool script_overlaps(void *arg, size_t job)
{
	return !((struct ends_script *) arg)->passed[job];
}

static bool script_take(void *arg, size_t job)
{
	struct ends_script *s = arg;
	char number[32];

	snprintf(number, sizeof(number), "%zu", job);
	s->taken++;
	if (s->taken <= 50)
		say(s, number);
	return job + 1 != s->breaks_at;
}

static bool script_test(void *arg)
{
	struct ends_script *s = arg;

	say(s, "T");
	return ++s->tests == s->fits_at;
}

static enum ends_answer script_search(struct ends_script *s, size_t jobs, int growth_s, size_t *last)
{
	const struct ends_asked asked = { .end_s = script_end_s, .overlaps = script_overlaps, .take = script_take,
					  .test = script_test, .arg = s };

	*last = SIZE_MAX;
	return ends_search(&asked, jobs, growth_s, last);
}

static void assert_search(struct ends_script *s, size_t jobs, int growth_s, enum ends_answer answer, const char *said)
{
	size_t last;

	assert_int_equal(script_search(s, jobs, growth_s, &last), answer);
	assert_string_equal(s->said, said);
}

/* The base is 1020: an end on a multiple of 30 goes to the next one. */
static void test_a_batch_ends_at_its_window(void **state)
{
	struct ends_script at = { .ends_s = { 990, 1050 } }, beyond = { .ends_s = { 990, 1051 } };
	struct ends_script odd = { .ends_s = { 991, 1051 } };

	(void) state;
	assert_search(&at, 2, 0, ENDS_NEVER, "0 1 T");
	assert_search(&beyond, 2, 0, ENDS_NEVER, "0 T 1 T");
	assert_search(&odd, 2, 0, ENDS_NEVER, "0 T 1 T");
}

static void test_the_window_doubles_until_the_next_is_inside(void **state)
{
	/* base 30: after the first test 30 + 60 holds 90, not 91, which needs 30 + 120 */
	struct ends_script once = { .ends_s = { 1, 61, 90, 91 } }, twice = { .ends_s = { 1, 91, 150, 151 } };

	(void) state;
	assert_search(&once, 4, 0, ENDS_NEVER, "0 T 1 2 T 3 T");
	assert_search(&twice, 4, 0, ENDS_NEVER, "0 T 1 2 T 3 T");
}

static void test_the_window_grows_by_a_step(void **state)
{
	/* base 30, windows 30, 40, 50 */
	struct ends_script s = { .ends_s = { 1, 61, 70, 71, 80, 81 } };

	(void) state;
	assert_search(&s, 6, 10, ENDS_NEVER, "0 T 1 2 T 3 4 T 5 T");
}

static void test_the_first_fit_is_the_end_of_the_last_taken(void **state)
{
	struct ends_script s = { .ends_s = { 1, 100, 200, 400 }, .fits_at = 2 };
	size_t last;

	(void) state;
	assert_int_equal(script_search(&s, 4, 0, &last), ENDS_FOUND);
	assert_string_equal(s.said, "0 T 1 T");
	assert_int_equal(last, 1);
}

/* It is not taken, and sets no base; but its end closes the batch before it. */
static void test_a_job_elsewhere_is_passed_over(void **state)
{
	struct ends_script first = { .ends_s = { 1, 300, 330 }, .passed = { true } };
	struct ends_script closes = { .ends_s = { 1, 100, 101 }, .passed = { false, true } };
	struct ends_script behind = { .ends_s = { 1, 2, 1000 }, .passed = { false, true } };
	struct ends_script all = { .ends_s = { 1, 2 }, .passed = { true, true } };
	struct ends_script tail = { .ends_s = { 1, 500 }, .passed = { false, true } };

	(void) state;
	assert_search(&first, 3, 0, ENDS_NEVER, "1 2 T");
	assert_search(&closes, 3, 0, ENDS_NEVER, "0 T 2 T");
	/* 1 came next and was inside: 2 is taken beyond the window */
	assert_search(&behind, 3, 0, ENDS_NEVER, "0 2 T");
	assert_search(&all, 2, 0, ENDS_NEVER, "");
	/* no test after a batch that took nothing */
	assert_search(&tail, 2, 0, ENDS_NEVER, "0 T");
}

/* The first of a batch is taken wherever it ends, so equal ends may be split. */
static void test_equal_ends_may_be_split(void **state)
{
	struct ends_script s = { .ends_s = { 1, 5000, 5000, 5000 } };

	(void) state;
	assert_search(&s, 4, 0, ENDS_NEVER, "0 T 1 2 3 T");
	memset(&s, 0, sizeof(s));
	s.ends_s[1] = s.ends_s[2] = 61;
	assert_search(&s, 3, 0, ENDS_NEVER, "0 T 1 2 T");
}

static void assert_many(size_t jobs, size_t tests, int64_t last_end_s)
{
	struct ends_script s = { .said = "" };
	size_t last;

	for (size_t i = 0; i < jobs; i++)
		s.ends_s[i] = 7;
	s.ends_s[jobs] = last_end_s;
	assert_int_equal(script_search(&s, jobs + 1, 0, &last), ENDS_NEVER);
	assert_int_equal(s.taken, jobs + 1);
	assert_int_equal(s.tests, tests);
}

static void test_no_test_after_more_than_201(void **state)
{
	(void) state;
	/* the next is beyond the window: the batch ends there, and is tested, whatever its size */
	assert_many(201, 2, 1000);
	assert_many(202, 2, 1000);
	assert_many(403, 2, 1000);
	/* all in one window: the 202nd cuts the batch, and only what comes after is tested */
	assert_many(201, 1, 8);
	assert_many(202, 1, 8);
	assert_many(404, 1, 8);
}

/* A batch that was cut leaves the window as it is, and the first of the next is taken although it is beyond. */
static void test_a_cut_batch_leaves_the_window(void **state)
{
	struct ends_script s = { .said = "" };
	size_t last;

	(void) state;
	for (size_t i = 0; i < 203; i++)
		s.ends_s[i] = i < 202 ? 7 : 60;
	s.ends_s[203] = 61;
	s.passed[202] = true;
	assert_int_equal(script_search(&s, 204, 0, &last), ENDS_NEVER);
	assert_int_equal(s.tests, 1);
	assert_int_equal(s.taken, 203);
}

static void test_what_cannot_be_followed(void **state)
{
	struct ends_script broken = { .ends_s = { 1, 100 }, .breaks_at = 2 }, far = { .ends_s = { 1, INT64_C(1) << 31 } };
	struct ends_script near = { .ends_s = { 1, 30 + ENDS_WINDOW_S * 4 } };

	(void) state;
	assert_search(&broken, 2, 0, ENDS_UNKNOWN, "0 T 1");
	assert_search(&far, 2, 0, ENDS_UNKNOWN, "0");
	assert_search(&near, 2, 0, ENDS_NEVER, "0 T 1 T");
	memset(far.said, 0, sizeof(far.said));
	assert_search(&far, 2, -60, ENDS_UNKNOWN, "0");
	memset(far.said, 0, sizeof(far.said));
	assert_search(&far, 0, 0, ENDS_NEVER, "");
}

static const struct capacity_node node = { .memory_mib = 1000, .memory_used_mib = 400, .free = 6, .busy = 2, .cores = 8,
					   .threads = 2, .state = 1 };

static uint32_t cpus_of(struct capacity_want want)
{
	return capacity_cpus(&node, &want);
}

static void test_cpus_of_a_node(void **state)
{
	struct capacity_want want = { 0 };

	(void) state;
	assert_int_equal(cpus_of((struct capacity_want) { 0 }), 12);
	assert_int_equal(cpus_of((struct capacity_want) { .cpus_per_core = 1 }), 6);
	assert_int_equal(cpus_of((struct capacity_want) { .node_cpus = 12 }), 12);
	assert_int_equal(cpus_of((struct capacity_want) { .node_cpus = 13 }), 0);
	assert_int_equal(cpus_of((struct capacity_want) { .whole = true }), 0);
	assert_int_equal(cpus_of((struct capacity_want) { .alone = true }), 0);
	/* memory: 600 are free */
	assert_int_equal(cpus_of((struct capacity_want) { .memory_mib = 601 }), 12);
	assert_int_equal(cpus_of((struct capacity_want) { .memory_counts = true, .memory_mib = 600 }), 12);
	assert_int_equal(cpus_of((struct capacity_want) { .memory_counts = true, .memory_mib = 601 }), 0);
	assert_int_equal(cpus_of((struct capacity_want) { .memory_counts = true }), 0);
	want.memory_counts = true;
	want.memory_mib = want.memory_per_cpu_mib = 100;
	assert_int_equal(cpus_of(want), 6);
	want.node_cpus = 7;
	assert_int_equal(cpus_of(want), 0);
	assert_true(capacity_offers(&node, &want));	/* its free cores have 12 */
	want.node_cpus = 13;
	assert_false(capacity_offers(&node, &want));
}

static void test_nodes_that_pass_without_cores(void **state)
{
	struct capacity_node n = { .memory_mib = 1000, .memory_used_mib = 400, .busy = 8, .cores = 8, .threads = 1,
				   .state = 1 };
	const struct capacity_want any = { .node_cpus = 99, .whole = true }, alone = { .alone = true };
	const struct capacity_want memory = { .memory_counts = true, .memory_mib = 601 };

	(void) state;
	assert_true(capacity_passes(&n, &any));
	assert_false(capacity_passes(&n, &alone));
	assert_false(capacity_passes(&n, &memory));
	n.state = CAPACITY_ALONE;
	assert_false(capacity_passes(&n, &any));
}

static void test_states_of_a_node(void **state)
{
	struct capacity_node idle = { .memory_mib = 1000, .free = 8, .cores = 8, .threads = 1 }, n = idle;
	const struct capacity_want any = { 0 }, whole = { .whole = true }, alone = { .alone = true };
	const struct capacity_want all_memory = { .memory_counts = true };

	(void) state;
	assert_int_equal(capacity_cpus(&idle, &any), 8);
	assert_int_equal(capacity_cpus(&idle, &whole), 8);
	assert_int_equal(capacity_cpus(&idle, &alone), 8);
	assert_int_equal(capacity_cpus(&idle, &all_memory), 8);
	/* a job whose cores are in no row: they look free, but the node is in use */
	n.state = 1;
	assert_int_equal(capacity_cpus(&n, &whole), 8);
	assert_int_equal(capacity_cpus(&n, &alone), 0);
	n.state = CAPACITY_ALONE - 1;
	assert_int_equal(capacity_cpus(&n, &any), 8);
	n.state = CAPACITY_ALONE;
	assert_int_equal(capacity_cpus(&n, &any), 0);
	/* only a core of the system is taken */
	n = idle;
	n.busy = 1;
	assert_int_equal(capacity_cpus(&n, &whole), 8);
	assert_int_equal(capacity_cpus(&n, &alone), 0);
	n = idle;
	n.free = 0;
	assert_int_equal(capacity_cpus(&n, &any), 0);
	n = idle;
	n.free = 20;		/* counted twice: a bound all the same */
	assert_int_equal(capacity_cpus(&n, &any), 8);
	n.memory_used_mib = 2000;
	assert_int_equal(capacity_cpus(&n, &all_memory), 0);
}

static void test_what_a_node_has_at_least(void **state)
{
	struct capacity_want want = { .simple = true };

	(void) state;
	assert_int_equal(capacity_least(&node, &want), 16);	/* with all cores free */
	want.task_cpus = 3;
	assert_int_equal(capacity_least(&node, &want), 15);
	want.most_cpus = 4;
	assert_int_equal(capacity_least(&node, &want), 3);
	want.node_cpus = 4;
	assert_int_equal(capacity_least(&node, &want), 0);
	want = (struct capacity_want) { .simple = true, .memory_counts = true, .memory_mib = 1, .memory_per_cpu_mib = 100 };
	assert_int_equal(capacity_least(&node, &want), 5);	/* 6, but by cores of two */
	want.whole = true;
	assert_int_equal(capacity_least(&node, &want), 0);
	want.memory_per_cpu_mib = 10;
	assert_int_equal(capacity_least(&node, &want), 16);
	want.memory_mib = 601;
	assert_int_equal(capacity_least(&node, &want), 0);
	want = (struct capacity_want) { .simple = false };
	assert_int_equal(capacity_least(&node, &want), 0);
	want = (struct capacity_want) { .simple = true, .memory_counts = true, .memory_mib = 1, .memory_per_cpu_mib = 600 };
	assert_int_equal(capacity_least(&node, &want), 0);
}

static void test_a_job_gives_back(void **state)
{
	struct capacity_node n = node;
	const struct capacity_taken ran = { .memory_mib = 300, .cores = 2, .cores_for_jobs = 1, .state = 1, .in_row = true };
	const struct capacity_taken suspended = { .memory_mib = 300, .cores = 2, .cores_for_jobs = 2, .state = 1 };

	(void) state;
	capacity_give(&n, &suspended);
	assert_int_equal(n.memory_used_mib, 100);
	assert_int_equal(n.free, 6);
	assert_int_equal(n.state, 1);
	capacity_give(&n, &ran);
	assert_int_equal(n.memory_used_mib, 0);		/* never below */
	assert_int_equal(n.free, 7);
	assert_int_equal(n.busy, 0);
	assert_int_equal(n.state, 0);
	capacity_give(&n, &ran);
	assert_int_equal(n.state, 0);
	assert_int_equal(n.busy, -2);
}

static void test_sums(void **state)
{
	struct capacity_sum sum = { 0 };

	(void) state;
	assert_true(capacity_suffices(&sum, 0, 0));
	assert_false(capacity_suffices(&sum, 1, 0));
	capacity_add(&sum, 0, 4);
	capacity_add(&sum, 0, 0);
	assert_true(capacity_suffices(&sum, 4, 1));
	assert_false(capacity_suffices(&sum, 5, 1));
	assert_false(capacity_suffices(&sum, 4, 2));
	capacity_add(&sum, 4, 6);
	assert_int_equal(sum.nodes, 1);
	assert_int_equal(sum.cpus, 6);
	capacity_add(&sum, 6, 0);
	assert_int_equal(sum.nodes, 0);
	assert_int_equal(sum.cpus, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_batch_ends_at_its_window),
		cmocka_unit_test(test_the_window_doubles_until_the_next_is_inside),
		cmocka_unit_test(test_the_window_grows_by_a_step),
		cmocka_unit_test(test_the_first_fit_is_the_end_of_the_last_taken),
		cmocka_unit_test(test_a_job_elsewhere_is_passed_over), cmocka_unit_test(test_equal_ends_may_be_split),
		cmocka_unit_test(test_no_test_after_more_than_201), cmocka_unit_test(test_a_cut_batch_leaves_the_window),
		cmocka_unit_test(test_what_cannot_be_followed),
		cmocka_unit_test(test_cpus_of_a_node), cmocka_unit_test(test_nodes_that_pass_without_cores),
		cmocka_unit_test(test_states_of_a_node), cmocka_unit_test(test_what_a_node_has_at_least),
		cmocka_unit_test(test_a_job_gives_back), cmocka_unit_test(test_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
