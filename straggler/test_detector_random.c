/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random histories: after each step every invariant holds, and what is flagged is what a plain search over all tasks,
 * written from the formulas, flags. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "straggler/straggler.h"

#define TASKS 24
#define STEPS 1500

static uint64_t random_state;

static double random_unit(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (random_state >> 11) / 9007199254740992.0;
}

struct plain {		/* one task as the search sees it */
	bool heard, progress, ended, flagged;
	double received_s, start_s, elapsed_s, done, speed;
};

static double plain_duration_s(enum wt_straggler_method method, const struct plain *p, double now_s)
{
	if (p->ended)
		return p->elapsed_s;
	return (method == WT_STRAGGLER_RATE ? now_s - p->start_s : p->elapsed_s) / p->done;
}

/* The formulas of straggler.h, for SCORE, RATE, R1 and R2. */
static double plain_limit(enum wt_straggler_method method, const struct plain *p, double now_s)
{
	double sum = 0, square = 0, mean, k = 0;

	for (int i = 0; i < TASKS; i++) {
		double value = method == WT_STRAGGLER_SCORE ? p[i].done : plain_duration_s(method, &p[i], now_s);

		if (!p[i].progress)
			continue;
		sum += value;
		k++;
	}
	mean = sum / k;
	if (method == WT_STRAGGLER_SCORE)
		return mean - 0.2;
	if (method != WT_STRAGGLER_R2)
		return 1.2 * mean;
	for (int i = 0; i < TASKS; i++)
		if (p[i].progress)
			square += pow(plain_duration_s(method, &p[i], now_s) - mean, 2);
	return k < 3 ? NAN : 1.2 * (mean + 3 * sqrt(square / (k - 1)) / sqrt(k) * sqrt(1 - k / TASKS));
}

static bool plain_is_slow(enum wt_straggler_method method, const struct plain *p, double now_s, double limit)
{
	if (!p->progress || p->ended || p->flagged)
		return false;
	return method == WT_STRAGGLER_SCORE ? p->done <= limit : plain_duration_s(method, p, now_s) >= limit;
}

static void step_heartbeat(struct wt_straggler *s, struct plain *all, double now_s)
{
	uint32_t task = random_unit() * TASKS;
	struct plain *p = &all[task];
	double elapsed_s = now_s - p->start_s;
	struct wt_heartbeat hb = { .task = task, .received_s = now_s, .sent_s = now_s, .elapsed_s = elapsed_s };

	if (p->ended || elapsed_s <= p->elapsed_s)
		return;
	hb.progress = p->done + (elapsed_s - p->elapsed_s) * p->speed * (0.5 + random_unit());
	hb.end = hb.progress >= 1;
	hb.progress = hb.end ? 1 : hb.progress;
	assert_int_equal(wt_straggler_heartbeat(s, &hb, NULL), 1);
	*p = (struct plain) { true, true, hb.end, p->flagged, now_s, p->start_s, elapsed_s, hb.progress, p->speed };
}

static void step_forget(struct wt_straggler *s, struct plain *all, double now_s)
{
	uint32_t task = random_unit() * TASKS;

	assert_int_equal(wt_straggler_forget(s, task, NULL), 0);
	all[task] = (struct plain) { .start_s = now_s, .speed = (0.3 + random_unit()) / 60 };
}

/* Where a value lies within rounding of the limit, either answer is right. */
static void step_detect(struct wt_straggler *s, enum wt_straggler_method method, struct plain *all, double now_s)
{
	double limit = plain_limit(method, all, now_s), got = wt_straggler_limit(s, now_s);
	size_t count, next = 0;
	const uint32_t *found = wt_straggler_detect(s, now_s, &count);

	assert_true(isnan(limit) ? isnan(got) : fabs(got - limit) < 1e-9 * (1 + fabs(limit)));
	for (uint32_t i = 0; i < TASKS; i++) {
		bool flagged = next < count && found[next] == i;

		next += flagged;
		if (plain_is_slow(method, &all[i], now_s, limit * (1 + 1e-9)) ==
		    plain_is_slow(method, &all[i], now_s, limit * (1 - 1e-9)))
			assert_int_equal(flagged, plain_is_slow(method, &all[i], now_s, limit));
		all[i].flagged = all[i].flagged || flagged;
	}
	assert_int_equal(next, count);
}

static void run_history(enum wt_straggler_method method, uint64_t seed)
{
	struct wt_straggler_options options = wt_straggler_defaults(method, TASKS);
	struct plain all[TASKS] = { 0 };
	struct wt_straggler *s;
	struct wt_error err = { "" };

	options.wait_end = false;
	s = wt_straggler_create(&options, NULL);
	assert_non_null(s);
	random_state = seed;
	for (int i = 0; i < TASKS; i++)
		all[i] = (struct plain) { .start_s = random_unit() * 10, .speed = (0.3 + random_unit()) / 60 };
	for (int i = 0; i < STEPS; i++) {
		double now_s = 10 + i * 0.25, what = random_unit();

		if (what < 0.7)
			step_heartbeat(s, all, now_s);
		else if (what < 0.72)
			step_forget(s, all, now_s);
		else if (method != WT_STRAGGLER_FRESH)
			step_detect(s, method, all, now_s);
		else
			wt_straggler_detect(s, now_s, &(size_t) { 0 });
		if (wt_straggler_check(s, &err) < 0)
			fail_msg("step %d: %s", i, err.text);
	}
	wt_straggler_destroy(s);
}

static void test_histories(void **state)
{
	(void) state;
	for (int method = 0; method < WT_STRAGGLER_METHODS; method++)
		for (uint64_t seed = 1; seed <= 20; seed++)
			run_history(method, seed);
}

/* FRESH, step by step: a task is flagged exactly when its view says so, whatever the heaps skip. */
static void test_fresh_flags_what_its_view_shows(void **state)
{
	struct wt_straggler_options options = wt_straggler_defaults(WT_STRAGGLER_FRESH, TASKS);
	struct plain all[TASKS] = { 0 };
	struct wt_straggler *s = wt_straggler_create(&options, NULL);
	struct wt_straggler_view view;

	(void) state;
	assert_non_null(s);
	random_state = 7;
	for (int i = 0; i < TASKS; i++)
		all[i] = (struct plain) { .start_s = random_unit() * 10, .speed = (0.3 + random_unit()) / 200 };
	for (int i = 0; i < STEPS; i++) {
		double now_s = 10 + i * 0.5, limit;
		bool slow[TASKS];
		size_t count;

		step_heartbeat(s, all, now_s);
		limit = wt_straggler_limit(s, now_s);
		for (uint32_t t = 0; t < TASKS; t++) {
			assert_int_equal(wt_straggler_view(s, t, now_s, &view, NULL), 0);
			slow[t] = view.state == WT_STRAGGLER_RUNNING && view.duration_s - view.margin_s >= limit;
		}
		wt_straggler_detect(s, now_s, &count);
		for (uint32_t t = 0; t < TASKS; t++) {
			assert_int_equal(wt_straggler_view(s, t, now_s, &view, NULL), 0);
			assert_true(!slow[t] || view.flagged);
		}
	}
	wt_straggler_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_histories),
		cmocka_unit_test(test_fresh_flags_what_its_view_shows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
