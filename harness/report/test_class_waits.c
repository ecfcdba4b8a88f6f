/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>

#include "harness/report/class_waits.h"
#include "lib/test_cmocka.h"

static struct wt_job_record job(const char *id, const char *account, uint32_t cpus, double wait_s)
{
	return (struct wt_job_record) {
		.trace_id = (char *) id, .account = (char *) account, .partition = (char *) "p", .cpus = cpus,
		.submit_s = 100, .submit_latency_s = 0, .start_s = 100 + wait_s,
	};
}

static void pair_add(struct class_waits *w, struct wt_job_record *first, struct wt_job_record *here, size_t count)
{
	const struct wt_record a = { .jobs = first, .job_count = count }, b = { .jobs = here, .job_count = count };

	assert_int_equal(wt_class_waits_add(w, &a, &b), 0);
}

static const struct class_wait *find(const struct class_waits *w, const char *by, const char *value)
{
	for (size_t i = 0; i < w->count; i++)
		if (!strcmp(w->items[i].by, by) && !strcmp(w->items[i].value, value))
			return &w->items[i];
	fail_msg("there is no %s %s", by, value);
	return NULL;
}

/* Account a waits 10 s longer in each pair, b as long, c 4 to 6 s less: seldom clear. */
static void three_pairs(struct class_waits *w)
{
	for (size_t pair = 0; pair < 3; pair++) {
		double more = 0.01 * (double) pair;
		struct wt_job_record first[] = { job("1", "a", 1, 10), job("2", "b", 4, 20), job("3", "a", 4, 30),
						 job("4", "c", 9, 50), job("5", "c", 9, NAN) };
		/* in another order, as jobs are found by their id; 4 ran as another account, and counts as c's */
		struct wt_job_record here[] = { job("5", "c", 9, 3), job("4", "x", 9, 46 - (double) pair),
						job("1", "a", 1, 20 + more), job("3", "a", 4, 40 + more),
						job("2", "b", 4, 20) };

		pair_add(w, first, here, 5);
	}
	assert_int_equal(wt_class_waits_finish(w), 0);
}

static void who_waits_longer(void **state)
{
	struct class_waits w = { 0 };
	const struct class_wait *c;

	(void) state;
	three_pairs(&w);
	assert_int_equal(w.pairs, 3);
	assert_int_equal(w.unmatched, 0);
	assert_true(wt_class_waits_differ(&w));
	assert_string_equal(w.items[0].by, "all");
	assert_int_equal(w.items[0].jobs, 12);
	assert_int_equal(w.items[0].only_here, 3);
	/* (10 + 0 + 10 - 4) / 4, (10.01 + 0 + 10.01 - 5) / 4, ... */
	assert_float_equal(w.items[0].difference.mean, (16 + 15.02 + 14.04) / 12, 1e-9);
	c = find(&w, "account", "a");
	assert_int_equal(c->jobs, 6);
	assert_float_equal(c->first_s, 20, 1e-9);
	assert_float_equal(c->here_s, 30.01, 1e-9);
	assert_float_equal(c->difference.mean, 10.01, 1e-9);
	assert_float_equal(c->difference.ci95, 4.30265273 * 0.01 / sqrt(3), 1e-6);
	assert_int_equal(wt_class_wait_verdict(c), CLASS_LONGER);
	assert_int_equal(wt_class_wait_verdict(find(&w, "account", "b")), CLASS_SAME);
	c = find(&w, "account", "c");
	assert_int_equal(c->only_here, 3);
	assert_float_equal(c->difference.mean, -5, 1e-9);
	assert_true(c->p_holm >= wt_stats_p(&c->difference));
	wt_class_waits_clear(&w);
}

static void kinds_in_which_all_are_alike(void **state)
{
	struct class_waits w = { 0 };

	(void) state;
	three_pairs(&w);
	for (size_t i = 0; i < w.count; i++) {
		assert_string_not_equal(w.items[i].by, "partition");
		assert_string_not_equal(w.items[i].by, "qos");
	}
	assert_string_equal(w.items[w.count - 1].value, "9 to 32");
	assert_string_equal(w.items[w.count - 3].value, "1 CPU");
	wt_class_waits_clear(&w);
}

static void one_pair_tells_nothing_of_chance(void **state)
{
	struct wt_job_record first[] = { job("1", "a", 1, 10), job("2", NULL, 1, 20) };
	struct wt_job_record here[] = { job("1", "a", 1, 15), job("2", NULL, 1, 20) };
	struct class_waits w = { 0 };

	(void) state;
	pair_add(&w, first, here, 2);
	assert_int_equal(wt_class_waits_finish(&w), 0);
	assert_int_equal(wt_class_wait_verdict(find(&w, "account", "a")), CLASS_UNKNOWN);
	assert_float_equal(find(&w, "account", "a")->difference.mean, 5, 1e-9);
	assert_float_equal(find(&w, "account", "")->difference.mean, 0, 1e-9);
	wt_class_waits_clear(&w);
}

/* Nearly nothing is not longer, even where each run says the same. */
static void microseconds_are_the_same(void **state)
{
	struct class_waits w = { 0 };

	(void) state;
	for (int i = 0; i < 2; i++) {
		struct wt_job_record first[] = { job("1", "a", 1, 10), job("2", "b", 1, 20) };
		struct wt_job_record here[] = { job("1", "a", 1, 10.000005), job("2", "b", 1, 20.5) };

		pair_add(&w, first, here, 2);
	}
	assert_int_equal(wt_class_waits_finish(&w), 0);
	assert_int_equal(wt_class_wait_verdict(find(&w, "account", "a")), CLASS_SAME);
	assert_int_equal(wt_class_wait_verdict(find(&w, "account", "b")), CLASS_LONGER);
	wt_class_waits_clear(&w);
}

static void jobs_without_a_twin(void **state)
{
	struct wt_job_record first[] = { job("1", "a", 1, 10), job("2", "b", 1, 20), job("2", "b", 1, 30) };
	struct wt_job_record here[] = { job("2", "b", 1, 25), job("9", "b", 1, 20), job("8", "b", 1, 1) };
	struct class_waits w = { 0 }, none = { 0 };
	const struct wt_record empty = { .job_count = 0 };

	(void) state;
	pair_add(&w, first, here, 3);
	assert_int_equal(wt_class_waits_finish(&w), 0);
	assert_int_equal(w.unmatched, 4);
	assert_int_equal(w.count, 1);
	assert_float_equal(w.items[0].difference.mean, 5, 1e-9);
	assert_false(wt_class_waits_differ(&w));
	wt_class_waits_clear(&w);
	assert_int_equal(wt_class_waits_add(&none, &empty, &empty), 0);
	assert_int_equal(wt_class_waits_finish(&none), 0);
	assert_int_equal(none.count, 0);
	wt_class_waits_clear(&none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_waits_longer),
		cmocka_unit_test(kinds_in_which_all_are_alike),
		cmocka_unit_test(one_pair_tells_nothing_of_chance),
		cmocka_unit_test(microseconds_are_the_same),
		cmocka_unit_test(jobs_without_a_twin),
	};

	return cmocka_run_group_tests_name("class_waits", tests, NULL, NULL);
}
