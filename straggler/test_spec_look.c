/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which jobs are looked up, and how often. */
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

#include "straggler/spec_private.h"

#define FIRST 1000u
#define TASKS 100u
#define OWNER 7u

static struct wt_spec *s;
static double now_s;
static unsigned int looks[TASKS];

static void fact(uint32_t task, enum wt_spec_state state, bool completing)
{
	struct wt_spec_fact f = { .job_id = FIRST + task, .state = state, .policy = "on", .uid = OWNER,
				  .array_job_id = FIRST,
				  .array_task_id = task, .tasks = TASKS, .completing = completing, .node = "n1" };

	assert_int_equal(wt_spec_fact(s, &f, now_s, NULL), 0);
}

static void report(uint32_t task, uint32_t flags)
{
	static struct port_message message;
	double elapsed_s = now_s - 1000;

	message = (struct port_message) { .kind = PORT_REPORT, .count = 1, .node = "n1" };
	message.records[0] = (struct beat_record) { FIRST + task, 0, flags, (uint64_t) (elapsed_s * 1e6), elapsed_s / 1e4 };
	assert_int_equal(wt_spec_report(s, 0, &message, now_s), PORT_OK);
}

/* All report each 6 s, but from 'quiet' on. */
static void seconds(unsigned int count, uint32_t quiet)
{
	memset(looks, 0, sizeof(looks));
	for (unsigned int i = 0; i < count; i++) {
		struct wt_spec_action action;
		const uint32_t *ids;
		size_t found;

		now_s++;
		for (uint32_t task = 0; task < quiet; task++) {
			if (((uint32_t) now_s + task) % 6 == 0)
				report(task, 0);
		}
		found = wt_spec_watch(s, now_s, &ids);
		for (size_t at = 0; at < found; at++)
			looks[ids[at] - FIRST]++;
		assert_int_equal(wt_spec_decide(s, now_s, &action, 1), 0);
		assert_int_equal(wt_spec_check(s, NULL), 0);
	}
}

static int begin(void **state)
{
	struct wt_spec_options options = wt_spec_defaults();

	(void) state;
	options.policy.copies = 0;	/* no copies: what is told here is no world */
	s = wt_spec_create(&options, NULL);
	assert_non_null(s);
	now_s = 1000;
	for (uint32_t task = 0; task < TASKS; task++)
		fact(task, WT_SPEC_RUNNING, false);
	seconds(10, TASKS);
	return 0;
}

static int end(void **state)
{
	wt_spec_destroy(s);
	return state == NULL;
}

/* Their agents tell what matters; that each is looked at now and then is for what agents do not know. */
static void test_calm(void **state)
{
	(void) state;
	seconds(WT_SPEC_LOOK_S, TASKS);
	for (uint32_t task = 0; task < TASKS; task++)
		assert_int_equal(looks[task], 1);
}

static void test_silent(void **state)
{
	(void) state;
	seconds(13, TASKS - 1);		/* two windows */
	seconds(5 * SPEC_CALM_TURNS, TASKS - 1);
	assert_int_equal(looks[TASKS - 1], 5);
	assert_true(looks[0] <= 1);
	seconds(6, TASKS);		/* it is back */
	seconds(WT_SPEC_LOOK_S, TASKS);
	assert_int_equal(looks[TASKS - 1], 1);
}

/* Told once for an array, when the scheduler has been asked and says that it runs. */
static void test_silent_told(void **state)
{
	struct wt_spec_silent silent;

	(void) state;
	assert_false(wt_spec_silent(s, &silent));
	seconds(24, TASKS - 2);		/* a silence of 20 s, and a turn; they were heard of in the last window */
	assert_false(wt_spec_silent(s, &silent));
	seconds(8 + SPEC_CALM_TURNS, TASKS - 2);
	assert_true(wt_spec_silent(s, &silent));
	assert_in_range(silent.job_id, FIRST + TASKS - 2, FIRST + TASKS - 1);
	assert_int_equal(silent.array_job_id, FIRST);
	assert_int_equal(silent.array_task_id, silent.job_id - FIRST);
	assert_string_equal(silent.node, "n1");
	assert_true(silent.silence_s > 30 && silent.silence_s <= 47);
	seconds(50, 0);			/* all of them now */
	assert_false(wt_spec_silent(s, &silent));
}

/* Not of one whose end the scheduler tells when it is asked. */
static void test_silent_ended(void **state)
{
	struct wt_spec_silent silent;

	(void) state;
	seconds(20, TASKS - 1);
	fact(TASKS - 1, WT_SPEC_OK, false);
	seconds(30, TASKS - 1);
	assert_false(wt_spec_silent(s, &silent));
}

static void test_end(void **state)
{
	(void) state;
	now_s += 2;
	report(5, BEAT_END);
	report(6, BEAT_END);
	seconds(4, 0);
	assert_int_equal(looks[5], 4);		/* until the scheduler says so, too */
	fact(5, WT_SPEC_OK, true);
	seconds(4, 0);
	assert_int_equal(looks[5], 4);		/* until its nodes have said that all is gone */
	fact(5, WT_SPEC_OK, false);
	seconds(4, 0);
	assert_int_equal(looks[5], 0);
	assert_int_equal(looks[6], 4);
	fact(6, WT_SPEC_GONE, false);
	seconds(4, 0);
	assert_int_equal(looks[6], 0);
}

/* It never said a word: the scheduler's own is taken. */
static void test_end_unheard(void **state)
{
	(void) state;
	fact(5, WT_SPEC_OK, false);
	assert_int_equal(spec_attempt_find(s, FIRST + 5)->file, SPEC_KEEN);
	seconds(5, TASKS);
	assert_int_equal(spec_attempt_find(s, FIRST + 5)->file, SPEC_UNFILED);
}

/* Ids that fall together in the table are each there once, and each leaves alone. */
static void test_lookups(void **state)
{
	const uint32_t ids[] = { 77, 77 + SPEC_LOOKUPS_MAX, 77 + 2 * SPEC_LOOKUPS_MAX };

	(void) state;
	for (int twice = 0; twice < 2; twice++) {
		for (size_t i = 0; i < 3; i++)
			spec_lookup_add(s, ids[i], now_s);
	}
	assert_int_equal(wt_spec_unknown(s), 3);
	spec_lookup_remove(s, ids[1]);
	spec_lookup_remove(s, ids[1]);
	spec_lookup_remove(s, 78);
	assert_int_equal(wt_spec_unknown(s), 2);
	spec_lookup_remove(s, ids[0]);
	spec_lookup_remove(s, ids[2]);
	assert_int_equal(wt_spec_unknown(s), 0);
	for (uint32_t i = 0; i < SPEC_LOOKUPS_MAX + 5; i++)
		spec_lookup_add(s, 100000 + i, now_s);
	assert_int_equal(wt_spec_unknown(s), SPEC_LOOKUPS_MAX);
}

/* A user who tells of jobs that there are none leaves room for what agents tell of. */
static void test_lookups_of_user(void **state)
{
	struct port_message message = { .kind = PORT_REPORT, .count = 1 };
	const uint32_t *ids;
	size_t count;

	(void) state;
	for (uint32_t i = 0; i < 2 * SPEC_LOOKUPS_MAX; i++) {
		message.records[0] = (struct beat_record) { .job_id = 100000 + i, .progress = .5 };
		wt_spec_report(s, OWNER + 1, &message, now_s);
	}
	message.records[0].job_id = 77;
	wt_spec_report(s, 0, &message, now_s);
	count = wt_spec_watch(s, now_s, &ids);
	assert_int_equal(ids[count - 1], 77);
}

static void early(uint32_t uid, uint32_t job_id, uint32_t restart, double progress)
{
	struct port_message message = { .kind = PORT_REPORT, .count = 1, .node = "n1" };

	message.records[0] = (struct beat_record) { .job_id = job_id, .restart = restart, .elapsed_us = 9000000,
						    .progress = progress };
	wt_spec_report(s, uid, &message, now_s);
}

static const struct spec_attempt *known(uint32_t job_id, uint32_t restart)
{
	struct wt_spec_fact f = { .job_id = job_id, .state = WT_SPEC_RUNNING, .policy = "on", .uid = OWNER,
				  .array_job_id = 77, .array_task_id = job_id, .tasks = 3, .restart = restart,
				  .node = "n1" };

	assert_int_equal(wt_spec_fact(s, &f, now_s, NULL), 0);
	return spec_attempt_find(s, job_id);
}

/* What was reported before the job, or this start of it, was looked up counts all the same: a task may report once in an
 * hour. */
static void test_first_report(void **state)
{
	const struct spec_attempt *a;

	(void) state;
	early(0, 77, 0, .25);
	early(OWNER + 1, 77, 0, .75);		/* does not replace what its agent says */
	early(OWNER + 1, 78, 0, .75);
	early(0, 78, 0, .25);
	early(OWNER + 1, 79, 0, .75);		/* of another user's job */
	a = known(77, 0);
	assert_true(a->heard && a->progress == .25 && a->elapsed_s == 9);
	a = known(78, 0);
	assert_true(a->heard && a->progress == .25);
	a = known(79, 0);
	assert_false(a->heard);
	early(0, 77, 1, .5);			/* requeued */
	assert_true(spec_attempt_find(s, 77)->progress == .25);
	a = known(77, 1);
	assert_true(a->heard && a->progress == .5);
	early(0, 77, 2, .5);			/* of a start that never was */
	assert_true(known(77, 1)->progress == .5 && known(77, 3)->heard == false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_calm, begin, end),
		cmocka_unit_test_setup_teardown(test_silent, begin, end),
		cmocka_unit_test_setup_teardown(test_silent_told, begin, end),
		cmocka_unit_test_setup_teardown(test_silent_ended, begin, end),
		cmocka_unit_test_setup_teardown(test_end, begin, end),
		cmocka_unit_test_setup_teardown(test_end_unheard, begin, end),
		cmocka_unit_test_setup_teardown(test_lookups, begin, end),
		cmocka_unit_test_setup_teardown(test_lookups_of_user, begin, end),
		cmocka_unit_test_setup_teardown(test_first_report, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
