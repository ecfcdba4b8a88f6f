/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which attempt may publish. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "straggler/test_spec_world.h"

static void test_commit(void **state)
{
	uint32_t copy = with_copy();

	(void) state;
	assert_int_equal(ask(PORT_COMMIT, 1001, copy, WT_COMMIT_ACQUIRE), PORT_DENIED);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_OK);
	assert_true(wt_spec_changed(w.s));
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, FIRST_JOB + 7, WT_COMMIT_ACQUIRE), PORT_WAIT);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, FIRST_JOB + 7, WT_COMMIT_DONE), PORT_LOST);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_RELEASE), PORT_OK);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, FIRST_JOB + 7, WT_COMMIT_ACQUIRE), PORT_OK);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_WAIT);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, FIRST_JOB + 7, WT_COMMIT_DONE), PORT_OK);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_LOST);
	run(60);	/* the copy ends well but has not published: it does not win */
	assert_int_equal(w.completed, 0);
}

static void test_commit_released(void **state)
{
	uint32_t copy = with_copy();

	(void) state;
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_OK);
	w.jobs[copy - FIRST_JOB].state = WT_SPEC_FAILED;
	second();
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, FIRST_JOB + 7, WT_COMMIT_ACQUIRE), PORT_OK);
	w.jobs[7].restart++;	/* requeued: the right was that of the earlier start */
	second();
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, FIRST_JOB + 7, WT_COMMIT_DONE), PORT_LOST);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, FIRST_JOB + 7, WT_COMMIT_ACQUIRE), PORT_OK);
}

/* A slurmctld that was killed starts the copy again whose start it had not saved: with the same number, and no restart more.
 *  The earlier start still runs until its node registers. */
static void test_commit_instances(void **state)
{
	uint32_t copy = with_copy();
	struct spec_world_job *j = &w.jobs[copy - FIRST_JOB];

	(void) state;
	j->instance = 1;
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_OK);
	j->instance = 2;
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_WAIT);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_DONE), PORT_LOST);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_RELEASE), PORT_OK);	/* of nothing */
	assert_int_equal(ask(PORT_EXIT, 0, copy, 0), PORT_OK);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, FIRST_JOB + 7, WT_COMMIT_ACQUIRE), PORT_WAIT);
	j->instance = 1;
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_DONE), PORT_OK);
	j->instance = 2;
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_LOST);
	j->instance = 1;
	/* a script may publish twice */
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_OK);
}

/* The right of a start that is not known any more: free when its slurmstepd says that it is dead, or when nothing is heard
 * of it. */
static void test_commit_stray(void **state)
{
	uint32_t copy = with_copy();
	struct spec_world_job *j = &w.jobs[copy - FIRST_JOB];

	(void) state;
	for (uint64_t start = 1; start <= 2; start++) {
		j->instance = start;
		assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_OK);
		j->instance = start + 1;
		assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_WAIT);
		if (start == 1) {
			j->instance = 1;
			j->state = WT_SPEC_PENDING;
			ask(PORT_EXIT, 0, copy, 9);
			j->state = WT_SPEC_RUNNING;
		}
	}
	w.now_s += 61;
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_OK);
	j->instance = 2;
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_DONE), PORT_LOST);
}

/* A job's number that was given again, to the copy of another task, is no right to publish for the first one's. */
static void test_commit_number_again(void **state)
{
	uint32_t copy = with_copy();
	struct port_message message = { .kind = PORT_COMMIT, .job_id = copy, .operation = WT_COMMIT_ACQUIRE, .instance = 1,
				.array_job_id = FIRST_JOB,
				.array_task_id = 8, .acquisition = 1 };

	(void) state;
	assert_int_equal(w.jobs[copy - FIRST_JOB].task, 7);
	assert_int_equal(wt_spec_commit(w.s, ARRAY_OWNER, &message, w.now_s, NULL), PORT_UNKNOWN);
	message.array_job_id = 1;
	message.array_task_id = 7;
	assert_int_equal(wt_spec_commit(w.s, ARRAY_OWNER, &message, w.now_s, NULL), PORT_UNKNOWN);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_OK);
}

/* A job that was cancelled while it publishes may do so until its processes are gone. */
static void test_commit_completing(void **state)
{
	uint32_t copy = with_copy();
	struct spec_world_job *j = &w.jobs[copy - FIRST_JOB];

	(void) state;
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_OK);
	j->state = WT_SPEC_CANCELLED;
	j->completing = true;
	run(3);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, FIRST_JOB + 7, WT_COMMIT_ACQUIRE), PORT_WAIT);
	run(80);	/* longer than ended jobs are looked at */
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, FIRST_JOB + 7, WT_COMMIT_ACQUIRE), PORT_WAIT);
	j->completing = false;
	run(1);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, FIRST_JOB + 7, WT_COMMIT_ACQUIRE), PORT_OK);
}

/* A copy that has published wins even if it comes to grief later. */
static void test_published_and_died(void **state)
{
	uint32_t copy = with_copy();

	(void) state;
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_OK);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_DONE), PORT_OK);
	w.jobs[copy - FIRST_JOB].known = false;
	run(3);
	assert_int_equal(w.completed, 1);
}

/* A start that a killed scheduler would not know of does not publish: it would be started again, or its number given to
 * another job. */
static void test_commit_saved(void **state)
{
	uint32_t copy = with_copy();
	uint64_t refused = wt_spec_counters(w.s)->commits_refused;

	(void) state;
	assert_false(wt_spec_save_wanted(w.s));
	w.unsaved = true;
	w.jobs[copy - FIRST_JOB].restart++;
	second();
	for (int i = 0; i < 3; i++, second()) {
		assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_WAIT);
		assert_true(wt_spec_save_wanted(w.s));
	}
	wt_spec_saved(w.s, (int64_t) w.now_s - 3);	/* the second in which it was seen: perhaps before */
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_WAIT);
	assert_true(wt_spec_save_wanted(w.s));
	wt_spec_saved(w.s, (int64_t) w.now_s - 2);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_OK);
	assert_int_equal(wt_spec_counters(w.s)->commits_refused, refused);
}

/* The scheduler's clock is set back by an hour: no attempt waits for an hour. */
static void test_commit_clock_back(void **state)
{
	uint32_t copy = with_copy();
	struct wt_spec_fact fact = { .job_id = copy, .state = WT_SPEC_RUNNING, .restart = 1, .seen_s = 7200 };

	(void) state;
	wt_spec_fact(w.s, &fact, w.now_s, NULL);
	w.jobs[copy - FIRST_JOB].restart = 1;
	wt_spec_saved(w.s, 3602);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_WAIT);
	fact.seen_s = 3601;
	wt_spec_fact(w.s, &fact, w.now_s, NULL);
	assert_false(wt_spec_save_wanted(w.s));
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_OK);
}

/* A user requeues an original that has failed: its copy, which was publishing then, may still be at it. */
static void test_requeued_beside_copy(void **state)
{
	uint32_t copy = with_copy();
	struct spec_world_job *original = &w.jobs[7], *other = &w.jobs[copy - FIRST_JOB];

	(void) state;
	other->duration_s = original->duration_s = 10000;
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_ACQUIRE), PORT_OK);
	original->state = WT_SPEC_FAILED;
	second();
	assert_int_equal(other->state, WT_SPEC_CANCELLED);
	other->completing = true;
	original->state = WT_SPEC_RUNNING;
	original->restart++;
	second();
	second();
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, FIRST_JOB + 7, WT_COMMIT_ACQUIRE), PORT_WAIT);
	other->completing = false;
	second();
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, FIRST_JOB + 7, WT_COMMIT_ACQUIRE), PORT_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD(test_commit), WORLD(test_commit_released), WORLD(test_commit_instances), WORLD(test_commit_stray),
		WORLD(test_commit_number_again), WORLD(test_commit_completing), WORLD(test_published_and_died),
		WORLD(test_commit_saved), WORLD(test_commit_clock_back),
		WORLD(test_requeued_beside_copy),
	};

	return cmocka_run_group_tests_name("spec_commit", tests, NULL, NULL);
}
