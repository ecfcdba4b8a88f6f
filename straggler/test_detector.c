/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cases computed by hand. */
#include "config.h"

#include "lib/test_cmocka.h"

#include <math.h>

#include "straggler/straggler.h"

static struct wt_straggler *make(enum wt_straggler_method method, uint32_t tasks)
{
	struct wt_straggler_options options = wt_straggler_defaults(method, tasks);
	struct wt_straggler *s = wt_straggler_create(&options, NULL);

	assert_non_null(s);
	return s;
}

/* A heartbeat of a task that started at 0, on the way for no time. */
static void beat(struct wt_straggler *s, uint32_t task, double elapsed_s, double progress)
{
	struct wt_heartbeat hb = {
		.task = task, .received_s = elapsed_s, .sent_s = elapsed_s, .elapsed_s = elapsed_s,
		.progress = progress, .end = progress == 1,
	};

	assert_int_equal(wt_straggler_heartbeat(s, &hb, NULL), 1);
	assert_int_equal(wt_straggler_check(s, NULL), 0);
}

static void expect(struct wt_straggler *s, double now_s, int task)
{
	size_t count;
	const uint32_t *found = wt_straggler_detect(s, now_s, &count);

	assert_int_equal(wt_straggler_check(s, NULL), 0);
	if (task < 0) {
		assert_null(found);
		assert_int_equal(count, 0);
		return;
	}
	assert_non_null(found);
	assert_int_equal(count, 1);
	assert_int_equal(found[0], task);
}

static double duration_s(const struct wt_straggler *s, uint32_t task, double now_s)
{
	struct wt_straggler_view view;

	assert_int_equal(wt_straggler_view(s, task, now_s, &view, NULL), 0);
	return view.duration_s;
}

static void test_score_compares_with_the_mean_score(void **state)
{
	struct wt_straggler *s = make(WT_STRAGGLER_SCORE, 4);

	(void) state;
	beat(s, 3, 0, 0);			/* only heartbeat 0: neither averaged nor flagged */
	beat(s, 0, 6, 0.75);
	beat(s, 1, 6, 0.5);
	beat(s, 2, 6, 0.25);
	assert_float_equal(wt_straggler_limit(s, 6), 0.3, 1e-12);
	expect(s, 6, -1);			/* nothing has ended */
	wt_straggler_open(s);
	expect(s, 6, 2);
	expect(s, 7, -1);			/* once is enough */
	beat(s, 0, 8, 1);			/* (1 + .5 + .25) / 3 - .2 = .3833 */
	expect(s, 8, -1);
	beat(s, 3, 12, 0.1);			/* (1 + .5 + .25 + .1) / 4 - .2 = .2625 */
	expect(s, 12, 3);
	wt_straggler_destroy(s);
}

static void test_score_at_the_boundary_is_flagged(void **state)
{
	struct wt_straggler_options options = wt_straggler_defaults(WT_STRAGGLER_SCORE, 2);
	struct wt_straggler *s;

	(void) state;
	options.score_gap = 0.25;		/* exact in binary */
	options.wait_end = false;
	s = wt_straggler_create(&options, NULL);
	assert_non_null(s);
	beat(s, 0, 6, 0.75);
	beat(s, 1, 6, 0.25);
	expect(s, 6, 1);
	wt_straggler_destroy(s);
}

static void test_rate_takes_stale_news_for_slowness(void **state)
{
	struct wt_straggler *s = make(WT_STRAGGLER_RATE, 3);

	(void) state;
	beat(s, 0, 6, 0.3);			/* both are on their way to 20 s */
	beat(s, 1, 6, 0.3);
	assert_float_equal(duration_s(s, 0, 6), 20, 1e-9);
	assert_float_equal(duration_s(s, 0, 12), 40, 1e-9);
	beat(s, 0, 12, 0.6);
	wt_straggler_open(s);
	assert_float_equal(wt_straggler_limit(s, 12), 1.2 * (20 + 40) / 2, 1e-9);
	expect(s, 12, 1);
	beat(s, 0, 20, 1);
	assert_float_equal(duration_s(s, 0, 90), 20, 0);
	wt_straggler_destroy(s);
}

static void test_rate_believes_the_wall_clock(void **state)
{
	struct wt_straggler *s = make(WT_STRAGGLER_RATE, 1);
	struct wt_heartbeat hb = { .received_s = 106, .sent_s = 104, .elapsed_s = 6, .progress = 0.5 };

	(void) state;
	assert_int_equal(wt_straggler_heartbeat(s, &hb, NULL), 1);
	assert_float_equal(duration_s(s, 0, 106), 16, 1e-9);	/* (106 - 98) / .5 */
	wt_straggler_destroy(s);
}

static void test_r1_does_not_age(void **state)
{
	struct wt_straggler *s = make(WT_STRAGGLER_R1, 2);

	(void) state;
	beat(s, 0, 6, 0.6);
	beat(s, 1, 6, 0.3);
	assert_float_equal(duration_s(s, 1, 6), 20, 1e-9);
	assert_float_equal(duration_s(s, 1, 60), 20, 1e-9);
	expect(s, 60, -1);
	beat(s, 0, 10, 1);			/* opens: 20 >= 1.2 (10 + 20) / 2 */
	expect(s, 60, 1);
	wt_straggler_destroy(s);
}

static void test_r2_waits_for_knowledge_of_the_spread(void **state)
{
	struct wt_straggler *s = make(WT_STRAGGLER_R2, 4);

	(void) state;
	beat(s, 0, 6, 6 / 10.0);
	beat(s, 1, 6, 6 / 10.0);
	assert_true(isnan(wt_straggler_limit(s, 6)));
	expect(s, 6, -1);
	beat(s, 2, 6, 6 / 13.0);
	/* mean 11, sd sqrt (3), 3 sqrt (3) / sqrt (3) sqrt (1 - 3/4) = 1.5 */
	assert_float_equal(wt_straggler_limit(s, 6), 1.2 * 12.5, 1e-9);
	expect(s, 6, -1);
	beat(s, 3, 6, 6 / 10.0);
	assert_float_equal(wt_straggler_limit(s, 6), 1.2 * 10.75, 1e-9);
	expect(s, 6, 2);
	wt_straggler_destroy(s);
}

static void test_fresh_weighs_the_recent_rate(void **state)
{
	struct wt_straggler *s = make(WT_STRAGGLER_FRESH, 4);
	struct wt_straggler_view view;

	(void) state;
	beat(s, 0, 0, 0);
	beat(s, 0, 6, 0.3);
	assert_float_equal(duration_s(s, 0, 6), 20, 1e-9);
	beat(s, 0, 12, 0.4);
	assert_float_equal(duration_s(s, 0, 12), 30, 1e-9);
	beat(s, 0, 18, 0.5);	/* r = (.5 / 18 + .2 / 12) / 2 = 1 / 45 */
	assert_int_equal(wt_straggler_view(s, 0, 18, &view, NULL), 0);
	assert_float_equal(view.duration_s, 18 + 22.5, 1e-9);
	assert_float_equal(view.margin_s, 0.15 * sqrt(6 * 22.5 * (1 + 22.5 / 18)), 1e-9);
	assert_int_equal(view.state, WT_STRAGGLER_RUNNING);
	assert_float_equal(view.silence_s, 0, 0);
	wt_straggler_destroy(s);
}

static void test_fresh_learns_the_noise(void **state)
{
	struct wt_straggler *s = make(WT_STRAGGLER_FRESH, 8);
	struct wt_straggler_view view;

	(void) state;
	for (uint32_t i = 0; i < 8; i++) {	/* rates .01 and .02 a second around .015: deviations 1/9 each */
		beat(s, i, 6, 0.06);
		beat(s, i, 12, 0.18);
	}
	assert_int_equal(wt_straggler_view(s, 0, 12, &view, NULL), 0);
	/* r = .015, R = .82 / .015; sigma^2 = 8 (2 / 9) / 8 freedoms */
	assert_float_equal(view.margin_s,
			   sqrt(2 / 9.0) * sqrt(6 * (0.82 / 0.015) * (1 + 0.82 / 0.015 / 12)), 1e-9);
	wt_straggler_destroy(s);
}

static void test_heartbeats_in_a_hurry_make_no_step(void **state)
{
	struct wt_straggler *s = make(WT_STRAGGLER_FRESH, 1);

	(void) state;
	for (int i = 1; i <= 60; i++)
		beat(s, 0, i * 0.1, i * 0.001);	/* 100 s to go; anchors at 3 s and 6 s */
	assert_float_equal(duration_s(s, 0, 6), 100, 1e-6);
	beat(s, 0, 6.1, 0.5);			/* a leap: r = (.5 / 6.1 + .5 / 6.1) / 2, the anchor before is 0 */
	assert_float_equal(duration_s(s, 0, 6.1), 12.2, 1e-6);
	wt_straggler_destroy(s);
}

static void test_silence_counts_after_x(void **state)
{
	struct wt_straggler *s = make(WT_STRAGGLER_FRESH, 3);
	struct wt_straggler_view view;

	(void) state;
	for (uint32_t i = 0; i < 3; i++)
		beat(s, i, 6, 0.1);		/* 60 s each: limit 72 */
	beat(s, 0, 20, 0.5);			/* 40 s each: mean 140 / 3, limit 56 at k = n */
	beat(s, 1, 20, 0.5);
	beat(s, 2, 20, 0.5);
	assert_float_equal(wt_straggler_limit(s, 40), 48, 1e-9);
	expect(s, 40, -1);			/* silent for 20 s, not longer */
	beat(s, 0, 39, 0.97);
	beat(s, 1, 39, 0.97);
	assert_int_equal(wt_straggler_view(s, 2, 40, &view, NULL), 0);
	assert_float_equal(view.duration_s, 40, 1e-9);
	assert_int_equal(wt_straggler_view(s, 2, 40.5, &view, NULL), 0);
	assert_float_equal(view.duration_s, 40 + 14.5, 1e-9);
	assert_float_equal(view.silence_s, 20.5, 1e-9);
	expect(s, 40.5, 2);
	wt_straggler_destroy(s);
}

static void test_start_without_progress_is_flagged_in_the_end(void **state)
{
	struct wt_straggler *s = make(WT_STRAGGLER_FRESH, 4);

	(void) state;
	beat(s, 3, 0, 0);
	expect(s, 100, -1);			/* nothing to compare with */
	for (uint32_t i = 0; i < 3; i++)
		beat(s, i, 200, 1);		/* max (20, 6 + .2 * 200) = 46 */
	expect(s, 45.9, -1);
	expect(s, 46.1, 3);
	wt_straggler_destroy(s);
}

static void test_no_progress_for_longer_than_others_take(void **state)
{
	struct wt_straggler *s = make(WT_STRAGGLER_FRESH, 4);

	(void) state;
	for (uint32_t i = 0; i < 3; i++)
		beat(s, i, 20, 1);		/* limit 24 */
	beat(s, 3, 23, 0);
	expect(s, 23, -1);
	beat(s, 3, 24.5, 0);
	expect(s, 24.5, 3);
	wt_straggler_destroy(s);
}

static void test_infinite_silence_is_patience(void **state)
{
	struct wt_straggler_options options = wt_straggler_defaults(WT_STRAGGLER_FRESH, 4);
	struct wt_straggler *s;

	(void) state;
	options.silence_s = INFINITY;
	s = wt_straggler_create(&options, NULL);
	assert_non_null(s);
	for (uint32_t i = 0; i < 4; i++)
		beat(s, i, 6, 0.5);
	expect(s, 1e6, -1);
	wt_straggler_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_score_compares_with_the_mean_score),
		cmocka_unit_test(test_score_at_the_boundary_is_flagged),
		cmocka_unit_test(test_rate_takes_stale_news_for_slowness),
		cmocka_unit_test(test_rate_believes_the_wall_clock),
		cmocka_unit_test(test_r1_does_not_age),
		cmocka_unit_test(test_r2_waits_for_knowledge_of_the_spread),
		cmocka_unit_test(test_fresh_weighs_the_recent_rate),
		cmocka_unit_test(test_fresh_learns_the_noise),
		cmocka_unit_test(test_heartbeats_in_a_hurry_make_no_step),
		cmocka_unit_test(test_silence_counts_after_x),
		cmocka_unit_test(test_start_without_progress_is_flagged_in_the_end),
		cmocka_unit_test(test_no_progress_for_longer_than_others_take),
		cmocka_unit_test(test_infinite_silence_is_patience),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
