/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A scheduler that was killed has forgotten what it had not written down; and gives numbers again. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "straggler/test_spec_world.h"

static void killed_and_back(void)
{
	struct wt_spec_options options = wt_spec_defaults();
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	wt_spec_save(w.s, out);
	fclose(out);
	wt_spec_destroy(w.s);
	options.owner_uid = ADMIN;
	w.s = wt_spec_create(&options, NULL);
	assert_int_equal(wt_spec_load(w.s, text, len, NULL), 0);
	free(text);
}

/* The copy has ended and the original was completed, which killed its script; none of it is in the scheduler's file. */
static void test_winner_stands(void **state)
{
	uint32_t copy = with_copy();
	struct spec_world_job *original = &w.jobs[7];

	(void) state;
	run(60);
	assert_int_equal(w.completed, 1);
	original->state = WT_SPEC_RUNNING;
	w.jobs[copy - FIRST_JOB].state = WT_SPEC_RUNNING;
	w.jobs[copy - FIRST_JOB].duration_s = original->duration_s = 10000;
	killed_and_back();
	tell(FIRST_JOB + 7);
	tell(copy);
	second();
	assert_int_equal(w.completed, 2);
	run(2);
	assert_int_equal(w.cancelled, 1);	/* what has ended already */
	assert_int_equal(w.completed, 2);
}

/* The copy was never written down: it is as if there had been none. */
static void test_copy_forgotten(void **state)
{
	uint32_t copy;

	(void) state;
	w.jobs[7].duration_s = 400;
	for (int i = 0; i < 60 && !w.copies; i++) {
		w.unsaved = true;
		second();
	}
	assert_int_equal(w.copies, 1);
	copy = w.next - 1;
	run(10);		/* all others have ended: an attempt that begins now cannot be compared */
	for (uint32_t i = 0; i < TASK_COUNT; i++)
		w.jobs[i].state = i == 7 ? WT_SPEC_RUNNING : WT_SPEC_OK;
	killed_and_back();
	w.jobs[copy - FIRST_JOB].known = false;
	w.unsaved = false;
	tell(FIRST_JOB + 7);
	run(5);
	assert_int_equal(w.copies, 2);
	assert_int_equal(w.jobs[w.next - 1 - FIRST_JOB].number, 2);
}

/* One that was written down, and is gone because it ended long ago, counts. */
static void test_copy_remembered(void **state)
{
	uint32_t copy = with_copy();

	(void) state;
	w.jobs[7].duration_s = 400;
	run(2);
	killed_and_back();
	w.jobs[copy - FIRST_JOB].known = false;
	run(100);
	assert_int_equal(w.copies, 1);
}

/* The clock by which the scheduler stamps its file was set back: it seems to be of the future, and has nothing of what is
 * seen now. */
static void test_clock_set_back(void **state)
{
	uint32_t copy = with_copy();
	struct wt_spec_fact fact = { .job_id = copy, .state = WT_SPEC_RUNNING, .restart = 1, .seen_s = 600 };

	(void) state;
	wt_spec_saved(w.s, 0);		/* what stamps_clock () makes of it */
	wt_spec_fact(w.s, &fact, w.now_s, NULL);
	w.jobs[copy - FIRST_JOB].restart = 1;
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_WAIT);
	assert_true(wt_spec_save_wanted(w.s));
	/* seen before, at what is now a later time */
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, FIRST_JOB + 7, WT_COMMIT_ACQUIRE), PORT_WAIT);
	wt_spec_saved(w.s, 603);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, FIRST_JOB + 7, WT_COMMIT_ACQUIRE), PORT_WAIT);
	assert_int_equal(wt_spec_unknown(w.s), 2);	/* they are looked at again, in the new time */
	fact = (struct wt_spec_fact) { .job_id = FIRST_JOB + 7, .state = WT_SPEC_RUNNING, .seen_s = 601 };
	wt_spec_fact(w.s, &fact, w.now_s, NULL);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, FIRST_JOB + 7, WT_COMMIT_ACQUIRE), PORT_OK);
}

static struct wt_spec_fact other_users(uint32_t id)
{
	return (struct wt_spec_fact) { .job_id = id, .state = WT_SPEC_RUNNING, .policy = "on", .uid = ARRAY_OWNER + 1,
				       .array_job_id = FIRST_JOB,
				       .array_task_id = id - FIRST_JOB, .tasks = 2, .node = "n9",
				       .seen_s = (int64_t) w.now_s };
}

static uint64_t accepted(uint32_t id, double elapsed_s)
{
	w.now_s += 6;
	wt_spec_report(w.s, ARRAY_OWNER + 1, beat_of(id, .1, elapsed_s), w.now_s);
	return wt_spec_counters(w.s)->accepted;
}

/* The array's number is another user's array now: it is followed at once when the old one is known to have ended, and after
 * one look if not. */
static void test_array_again(void **state)
{
	struct wt_spec_fact fact;
	uint64_t before;

	(void) state;
	run(3);
	for (uint32_t i = 0; i < 3; i++)
		tell(FIRST_JOB + i);
	w.jobs[0].state = WT_SPEC_OK;
	tell(FIRST_JOB);
	fact = other_users(FIRST_JOB + 3);
	assert_int_equal(wt_spec_fact(w.s, &fact, w.now_s, NULL), -1);
	for (uint32_t i = 0; i < TASK_COUNT; i++)
		w.jobs[i].known = false;
	w.next = FIRST_JOB;
	run(1);
	assert_int_equal(wt_spec_fact(w.s, &fact, w.now_s, NULL), 0);
	before = wt_spec_counters(w.s)->accepted;
	assert_int_equal(accepted(FIRST_JOB + 3, 12), before + 1);
	assert_int_equal(wt_spec_check(w.s, NULL), 0);
}

/* And a job's number, when all is told of it. */
static void test_job_again(void **state)
{
	struct wt_spec_fact fact = other_users(FIRST_JOB + 1);
	struct port_message message = { .kind = PORT_COMMIT, .job_id = FIRST_JOB + 1, .operation = WT_COMMIT_ACQUIRE,
				.array_job_id = FIRST_JOB, .array_task_id = 1 };

	(void) state;
	run(3);
	for (uint32_t i = 0; i < 3; i++)
		tell(FIRST_JOB + i);
	wt_spec_fact(w.s, &fact, w.now_s, NULL);
	assert_int_equal(wt_spec_commit(w.s, ARRAY_OWNER, &message, w.now_s, NULL), PORT_UNKNOWN);
	assert_int_equal(wt_spec_check(w.s, NULL), 0);
}

/* The number of a copy that was never written down is another job's now, before the plugin has looked: of the same user, or
 * of another one. */
static void other_takes_number(uint32_t uid)
{
	struct wt_spec_fact fact = { .state = WT_SPEC_RUNNING, .policy = "on", .uid = uid, .tasks = 1, .node = "n9" };
	uint32_t copy, ids_full = 0;
	const uint32_t *ids;
	size_t count;

	w.unsaved = true;
	copy = with_copy();
	w.jobs[7].duration_s = 400;
	killed_and_back();
	w.jobs[copy - FIRST_JOB].known = false;
	tell(FIRST_JOB + 7);
	count = wt_spec_watch(w.s, w.now_s, &ids);
	for (size_t i = count - wt_spec_unknown(w.s); i < count; i++)
		ids_full += ids[i] == copy;
	assert_int_equal(ids_full, 1);		/* else it could not be told from the copy */
	fact.job_id = fact.array_job_id = copy;
	fact.seen_s = (int64_t) w.now_s;
	wt_spec_fact(w.s, &fact, w.now_s, NULL);
	wt_spec_fact(w.s, &fact, w.now_s, NULL);	/* what has ended made room */
	fact.state = WT_SPEC_OK;
	fact.seen_s = (int64_t) ++w.now_s;
	wt_spec_fact(w.s, &fact, w.now_s, NULL);
	second();
	assert_int_equal(w.completed, 0);
	assert_int_equal(w.cancelled, 0);
}

static void test_copy_number_again(void **state)
{
	(void) state;
	other_takes_number(ARRAY_OWNER);
}

static void test_copy_number_others(void **state)
{
	(void) state;
	other_takes_number(ARRAY_OWNER + 1);
}

/* Before it was looked at, nothing is done to a job that may only have the copy's number. */
static void test_copy_not_looked_at(void **state)
{
	struct wt_spec_action actions[4];
	uint32_t copy = with_copy();

	(void) state;
	w.jobs[7].state = WT_SPEC_FAILED;
	killed_and_back();
	tell(FIRST_JOB + 7);
	assert_int_equal(wt_spec_decide(w.s, w.now_s, actions, 4), 0);
	tell(copy);
	assert_int_equal(wt_spec_decide(w.s, w.now_s, actions, 4), 1);
	assert_int_equal(actions[0].kind, WT_SPEC_CANCEL);
}

/* What is behind the first group of a file, when numbers were given again: the last one has them, and the file can be
 * used. */
static void test_numbers_in_file(void **state)
{
	static const char head[] = "windtunnel-straggler 4\n",
		first[] = "task 100 7 1000 1 0 0 0 0 0 0 0\nattempt 107 1 0 0 0\nattempt 150 2 0 0 0\nend 3\n",
		job[] = "task 150 0 1000 0 150 0 aa 1 0 1 1\nattempt 150 1 0 0 0\nend 2\n",
		forgotten[] = "task 100 7 1000 0 0 0 0 0 0 0 0\nattempt 107 1 0 0 0\nend 2\n",
		other_user[] = "task 100 7 1001 0 107 0 bb 0 0 1 1\nattempt 107 1 0 0 0\nend 2\n";
	const char *const tails[] = { job, forgotten, other_user };
	struct port_message message = { .kind = PORT_COMMIT, .job_id = 107, .operation = WT_COMMIT_DONE, .instance = 0xbb,
				.array_job_id = 100,
				.array_task_id = 7, .acquisition = 1 };
	char text[1024];

	(void) state;
	snprintf(text, sizeof(text), "%s%s", head, first);
	for (int i = 0; i < 3; i++) {
		struct wt_spec_options options = wt_spec_defaults();

		strcat(text, tails[i]);
		wt_spec_destroy(w.s);
		w.s = wt_spec_create(&options, NULL);
		assert_int_equal(wt_spec_load(w.s, text, strlen(text), NULL), 0);
		assert_int_equal(wt_spec_check(w.s, NULL), 0);
	}
	assert_int_equal(wt_spec_commit(w.s, 1000, &message, w.now_s, NULL), PORT_DENIED);
	assert_int_equal(wt_spec_commit(w.s, 1001, &message, w.now_s, NULL), PORT_OK);
	snprintf(text, sizeof(text), "%s%s", head,
		 "task 100 7 1000 0 0 0 0 0 0 0 0\ntask 100 8 1001 0 0 0 0 0 0 0 0\nend 2\n");
	assert_int_equal(wt_spec_load(w.s, text, strlen(text), NULL), -1);	/* in one group that is damage */
}

/* A start that publishes two results has the right twice.  Both are written down: that one of them is given back after the
 * scheduler's death gives the right to no other attempt. */
static void test_both_rights_remembered(void **state)
{
	uint32_t copy = with_copy(), original = FIRST_JOB + 7;
	struct spec_world_job *j = &w.jobs[copy - FIRST_JOB];
	uint64_t first, later;

	(void) state;
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_OK);
	first = j->acquisition;
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_OK);
	later = j->acquisition;
	killed_and_back();
	tell(original);
	tell(copy);
	wt_spec_saved(w.s, (int64_t) w.now_s + 1);
	j->acquisition = first;
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_RELEASE), PORT_OK);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, original, WT_COMMIT_ACQUIRE), PORT_WAIT);
	j->acquisition = later;
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_RELEASE), PORT_OK);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, original, WT_COMMIT_ACQUIRE), PORT_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD(test_winner_stands), WORLD(test_copy_forgotten), WORLD(test_copy_remembered),
			WORLD(test_clock_set_back),
		WORLD(test_array_again), WORLD(test_job_again), WORLD(test_copy_number_again),
		WORLD(test_copy_number_others),
		WORLD(test_numbers_in_file), WORLD(test_copy_not_looked_at), WORLD(test_both_rights_remembered),
	};

	return cmocka_run_group_tests_name("spec_killed", tests, NULL, NULL);
}
