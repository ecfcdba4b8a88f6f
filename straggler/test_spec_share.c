/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How many copies one user may have while others want some, too. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "straggler/spec.h"

enum { USERS = 3, TASKS = 40, SLOW = 12, COPIES = 12, FAST_S = 60, SLOW_S = 600 };

static struct wt_spec *s;
static double now_s, began_s[USERS];
static uint32_t copies[USERS], next_id, of_first[COPIES], of_first_count;

static uint32_t id_of(uint32_t user, uint32_t task)
{
	return 1000 * (user + 1) + task;
}

static int begin(void **state)
{
	struct wt_spec_options options = wt_spec_defaults();

	(void) state;
	options.copies_max = COPIES;
	options.policy.share = 1;
	s = wt_spec_create(&options, NULL);
	now_s = 1000;
	memset(began_s, 0, sizeof(began_s));
	memset(copies, 0, sizeof(copies));
	next_id = 9000;
	of_first_count = 0;
	return s ? 0 : -1;
}

static int end(void **state)
{
	(void) state;
	wt_spec_destroy(s);
	return 0;
}

static void tell(uint32_t user, uint32_t task, enum wt_spec_state what)
{
	struct wt_spec_fact fact = { .job_id = id_of(user, task), .state = what, .policy = "share=1", .uid = 1000 + user,
				     .array_job_id = id_of(user, 0),
				     .array_task_id = task, .tasks = TASKS, .run_time_s = now_s - began_s[user],
				     .node = "n1", .seen_s = 1 };

	assert_int_equal(wt_spec_fact(s, &fact, now_s, NULL), 0);
}

static void array_start(uint32_t user)
{
	began_s[user] = now_s;
	for (uint32_t task = 0; task < TASKS; task++)
		tell(user, task, WT_SPEC_RUNNING);
}

static void array_second(uint32_t user)
{
	double elapsed_s = now_s - began_s[user];

	for (uint32_t task = 0; task < TASKS; task++) {
		double duration_s = task < SLOW ? SLOW_S : FAST_S;
		struct port_message message = { .kind = PORT_REPORT, .node = "n1", .count = 1 };

		if (elapsed_s == duration_s)
			tell(user, task, WT_SPEC_OK);
		if (elapsed_s >= duration_s || (uint32_t) elapsed_s % 6 != task % 6)
			continue;
		message.records[0] = (struct beat_record) { id_of(user, task), 0, 0, (uint64_t) (elapsed_s * 1e6),
							    elapsed_s / duration_s };
		wt_spec_report(s, 0, &message, now_s);
	}
}

static void run(double seconds)
{
	struct wt_spec_action actions[64];

	for (double end_s = now_s + seconds; now_s < end_s; now_s++) {
		size_t count;

		for (uint32_t user = 0; user < USERS; user++) {
			if (began_s[user] > 0)
				array_second(user);
		}
		count = wt_spec_decide(s, now_s, actions, 64);
		for (size_t i = 0; i < count; i++) {
			if (actions[i].kind != WT_SPEC_COPY)
				continue;
			copies[actions[i].uid - 1000]++;
			if (actions[i].uid == 1000)
				of_first[of_first_count++] = next_id;
			wt_spec_copied(s, &actions[i], next_id++, NULL, now_s);
		}
	}
}

/* One user alone has half; a later one has his share at once, and more as others' copies end. */
static void test_share(void **state)
{
	(void) state;
	array_start(0);
	run(80);
	assert_int_equal(copies[0], COPIES / 2);
	array_start(1);
	run(80);
	assert_int_equal(copies[0], COPIES / 2);
	assert_int_equal(copies[1], COPIES / 4);
	array_start(2);
	run(80);
	assert_in_range(copies[2], 1, 2);
	for (uint32_t i = 0; i < 4; i++) {
		struct wt_spec_fact gone = { .job_id = of_first[i], .state = WT_SPEC_GONE };

		wt_spec_fact(s, &gone, now_s, NULL);
	}
	run(80);
	assert_in_range(copies[0], COPIES / 2, COPIES / 2 + 1);
	assert_in_range(copies[1], COPIES / 4, COPIES / 4 + 2);
	assert_in_range(copies[2], 2, 4);
}

/* MaxAttempts has room for two copies: a third would not be followed. */
static void test_room_for_two(void **state)
{
	struct wt_spec_options options = wt_spec_defaults();

	(void) state;
	wt_spec_destroy(s);
	options.policy.share = 1;
	options.copies_max = COPIES;
	options.attempts_max = TASKS + 2;
	s = wt_spec_create(&options, NULL);
	assert_non_null(s);
	array_start(0);
	run(80);
	assert_int_equal(copies[0], 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(test_share, begin, end),
					    cmocka_unit_test_setup_teardown(test_room_for_two, begin, end) };

	return cmocka_run_group_tests_name("spec_share", tests, NULL, NULL);
}
