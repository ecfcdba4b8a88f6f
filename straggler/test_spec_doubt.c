/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was saved is lost: which attempts may publish, and which not. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "straggler/test_spec_world.h"

#define ORIGINAL (FIRST_JOB + 7)

static struct wt_spec *empty(uint32_t attempts_max)
{
	struct wt_spec_options options = wt_spec_defaults();

	options.owner_uid = ADMIN;
	options.attempts_max = attempts_max;
	return wt_spec_create(&options, NULL);
}

/* A scheduler that comes back with no file of ours. */
static int lost(void)
{
	int doubted;

	wt_spec_destroy(w.s);
	w.s = empty(200000);
	wt_spec_doubt(w.s, true);
	for (uint32_t id = FIRST_JOB; id < w.next; id++)
		tell(id);
	doubted = wt_spec_doubted(w.s, NULL);
	wt_spec_doubt(w.s, false);
	wt_spec_saved(w.s, (int64_t) w.now_s + 1);
	return doubted;
}

static void reloaded(void)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	wt_spec_save(w.s, out);
	fclose(out);
	wt_spec_destroy(w.s);
	w.s = empty(1);		/* a limit that was lowered takes nothing from what was given */
	assert_int_equal(wt_spec_load(w.s, text, len, NULL), 0);
	free(text);
	for (uint32_t id = FIRST_JOB; id < w.next; id++)
		tell(id);
	wt_spec_saved(w.s, (int64_t) w.now_s + 1);
}

static enum port_code acquire(uint32_t id)
{
	return ask(PORT_COMMIT, ARRAY_OWNER, id, WT_COMMIT_ACQUIRE);
}

/* The copy has the right, or has even published. */
static uint32_t copy_published(bool done)
{
	uint32_t copy = with_copy();

	w.jobs[copy - FIRST_JOB].duration_s = w.jobs[7].duration_s = 10000;
	assert_int_equal(acquire(copy), PORT_OK);
	if (done)
		assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_DONE), PORT_OK);
	return copy;
}

static void test_two_alive(void **state)
{
	uint32_t copy = copy_published(false);

	(void) state;
	assert_int_equal(lost(), 15);	/* the others have ended */
	for (int i = 0; i < 3; i++) {
		assert_int_equal(acquire(ORIGINAL), PORT_WAIT);
		assert_int_equal(i ? acquire(copy) : PORT_WAIT, PORT_WAIT);
		second();
		if (i)
			reloaded();
	}
	w.jobs[copy - FIRST_JOB].state = WT_SPEC_FAILED;	/* it had asked: it has not published */
	w.jobs[copy - FIRST_JOB].completing = true;
	second();
	assert_int_equal(acquire(ORIGINAL), PORT_WAIT);
	w.jobs[copy - FIRST_JOB].completing = false;
	second();
	assert_int_equal(acquire(ORIGINAL), PORT_OK);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, ORIGINAL, WT_COMMIT_DONE), PORT_OK);
}

/* What has ended without asking may have published. */
static void test_published_and_died(void **state)
{
	uint32_t copy = copy_published(true);

	(void) state;
	lost();
	assert_int_equal(acquire(ORIGINAL), PORT_WAIT);
	w.jobs[copy - FIRST_JOB].state = WT_SPEC_CANCELLED;
	second();
	for (int i = 0; i < 3; i++) {
		assert_int_equal(acquire(ORIGINAL), PORT_WAIT);
		reloaded();
	}
	w.jobs[copy - FIRST_JOB].known = false;	/* the controller does not know it any more */
	second();
	reloaded();
	assert_int_equal(acquire(ORIGINAL), PORT_WAIT);
	w.jobs[7].state = WT_SPEC_FAILED;
	second();
	w.jobs[7].state = WT_SPEC_RUNNING;	/* its user has looked, and wants all of it again */
	w.jobs[7].restart++;
	second();
	wt_spec_saved(w.s, (int64_t) w.now_s + 1);
	assert_int_equal(acquire(ORIGINAL), PORT_OK);
}

/* The copy that had published ends well: it has won, as ever. */
static void test_published_and_ended(void **state)
{
	uint32_t copy = copy_published(true);

	(void) state;
	lost();
	w.jobs[copy - FIRST_JOB].state = WT_SPEC_OK;
	second();
	assert_int_equal(w.completed, 1);
	assert_int_equal(acquire(ORIGINAL), PORT_LOST);
}

/* One that asked in vain and ended well all the same has not published. */
static void test_asked_and_ended(void **state)
{
	uint32_t copy = copy_published(false);

	(void) state;
	lost();
	assert_int_equal(acquire(copy), PORT_WAIT);
	w.jobs[copy - FIRST_JOB].state = WT_SPEC_OK;
	run(3);
	assert_int_equal(w.completed, 0);
	assert_int_equal(acquire(ORIGINAL), PORT_OK);
}

/* It had the right when the file was lost, and says that it has published, or that it will not. */
static void test_holders_word(void **state)
{
	uint32_t copy = copy_published(false);

	(void) state;
	lost();
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_DONE), PORT_OK);
	assert_int_equal(acquire(ORIGINAL), PORT_LOST);
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, ORIGINAL, WT_COMMIT_DONE), PORT_LOST);
	lost();		/* what it gives back is one acquisition; that it asks again shows that it is not publishing */
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, copy, WT_COMMIT_RELEASE), PORT_OK);
	assert_int_equal(acquire(copy), PORT_WAIT);
	w.jobs[copy - FIRST_JOB].state = WT_SPEC_FAILED;
	second();
	assert_int_equal(acquire(ORIGINAL), PORT_OK);
}

static enum port_code of_acquisition(uint32_t id, enum port_commit operation, uint64_t acquisition)
{
	w.jobs[id - FIRST_JOB].acquisition = acquisition;
	return ask(PORT_COMMIT, ARRAY_OWNER, id, operation);
}

/* The copy has two wt-commit, both with the right, when the file is lost; one of them gives its own back, or said so before
 * and is late.  The other one may go on to publish, and says so, or cannot any more. */
static void test_one_of_two_gives_back(void **state)
{
	for (int said = 0; said < 2; said++) {
		uint32_t copy = copy_published(false);
		uint64_t first = w.jobs[copy - FIRST_JOB].acquisition;

		assert_int_equal(acquire(copy), PORT_OK);
		lost();
		assert_int_equal(of_acquisition(copy, WT_COMMIT_RELEASE, first), PORT_OK);
		assert_int_equal(acquire(ORIGINAL), PORT_WAIT);
		reloaded();
		assert_int_equal(of_acquisition(copy, WT_COMMIT_DONE, first), PORT_LOST);
		if (said)
			assert_int_equal(of_acquisition(copy, WT_COMMIT_DONE, first + 1), PORT_OK);
		w.jobs[copy - FIRST_JOB].state = WT_SPEC_FAILED;
		second();
		assert_int_equal(acquire(ORIGINAL), said ? PORT_LOST : PORT_WAIT);
		world_end(state);
		world_start(state);
	}
}

/* A start that had begun asks anew and gets the right: its earlier wt-commit may still have it, and what that one publishes
 * counts; that the new one fails leaves the right with it until the start has ended. */
static void test_asked_beside_another(void **state)
{
	(void) state;
	run(3);
	w.jobs[3].instance = 5;
	assert_int_equal(acquire(FIRST_JOB + 3), PORT_OK);
	lost();
	w.acquisition += 10;
	assert_int_equal(acquire(FIRST_JOB + 3), PORT_OK);
	reloaded();
	assert_int_equal(ask(PORT_COMMIT, ARRAY_OWNER, FIRST_JOB + 3, WT_COMMIT_RELEASE), PORT_OK);
	w.jobs[3].instance = 6;		/* as another attempt: it would get a right that was given back */
	assert_int_equal(acquire(FIRST_JOB + 3), PORT_WAIT);
	w.jobs[3].instance = 5;
	assert_int_equal(of_acquisition(FIRST_JOB + 3, WT_COMMIT_DONE, 1), PORT_OK);
}

/* An original whose process has failed waits for its copy, which waits for it only as long as it may have published. */
static void test_failed_and_waits(void **state)
{
	uint32_t copy = copy_published(false);

	(void) state;
	for (int asked = 0; asked < 2; asked++) {
		lost();
		assert_int_equal(asked ? acquire(ORIGINAL) : PORT_WAIT, PORT_WAIT);
		assert_int_equal(ask(PORT_EXIT, 0, ORIGINAL, 1), PORT_WAIT);
		assert_int_equal(acquire(copy), asked ? PORT_OK : PORT_WAIT);
	}
}

/* A task that has begun once, with one attempt, asks: it has not published, and no other can have.  Not so when it began
 * before. */
static void test_one_alive(void **state)
{
	(void) state;
	run(3);
	w.jobs[4].restart = 1;
	w.jobs[5].state = WT_SPEC_PENDING;
	assert_int_equal(lost(), TASK_COUNT - 1);
	assert_int_equal(acquire(FIRST_JOB + 3), PORT_OK);
	assert_int_equal(acquire(FIRST_JOB + 4), PORT_WAIT);
	w.jobs[5].state = WT_SPEC_RUNNING;
	/* the right was that of the start before; and one that asks no more is requeued */
	w.jobs[3].restart = w.jobs[6].restart = 1;
	for (uint32_t i = 3; i < 7; i++)
		tell(FIRST_JOB + i);
	wt_spec_saved(w.s, (int64_t) w.now_s + 1);
	assert_int_equal(acquire(FIRST_JOB + 3), PORT_OK);
	assert_int_equal(acquire(FIRST_JOB + 5), PORT_OK);
	assert_int_equal(acquire(FIRST_JOB + 6), PORT_WAIT);
}

/* No copies of what is in doubt. */
static void test_no_copies(void **state)
{
	(void) state;
	w.jobs[7].duration_s = 180;
	run(3);
	lost();
	run(100);
	assert_int_equal(w.copies, 0);
}

/* Whose copy it is, is the submitter's word: another user's does not keep a task from publishing. */
static void test_foreign_copy(void **state)
{
	struct wt_spec_fact forged = { .job_id = 90, .state = WT_SPEC_RUNNING, .policy = "on", .uid = ARRAY_OWNER + 1,
				       .copy_of = FIRST_JOB + 3, .number = 2,
				       .array_job_id = FIRST_JOB, .array_task_id = 3, .tasks = TASK_COUNT, .node = "n9" };

	(void) state;
	run(3);
	wt_spec_destroy(w.s);
	w.s = empty(200000);
	wt_spec_doubt(w.s, true);
	for (uint32_t id = FIRST_JOB; id < w.next; id++)
		tell(id);
	wt_spec_fact(w.s, &forged, w.now_s, NULL);
	wt_spec_doubt(w.s, false);
	wt_spec_saved(w.s, (int64_t) w.now_s + 1);
	assert_int_equal(acquire(FIRST_JOB + 3), PORT_OK);
}

/* An array in doubt that is forgotten goes from the saved text, too: else its number, given anew, would still be in doubt
 * when that is read again. */
static void test_forgotten(void **state)
{
	struct wt_spec_action action;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	(void) state;
	w.next = FIRST_JOB + 1;
	assert_int_equal(lost(), 1);
	w.jobs[0].known = false;
	tell(FIRST_JOB);
	wt_spec_save(w.s, out);
	fclose(out);
	free(text);
	assert_false(wt_spec_changed(w.s));
	w.now_s += 1000;
	assert_int_equal(wt_spec_decide(w.s, w.now_s, &action, 1), 0);
	assert_true(wt_spec_changed(w.s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD(test_two_alive), WORLD(test_published_and_died), WORLD(test_published_and_ended),
			WORLD(test_asked_and_ended),
		WORLD(test_holders_word), WORLD(test_one_of_two_gives_back), WORLD(test_asked_beside_another),
		WORLD(test_failed_and_waits), WORLD(test_one_alive), WORLD(test_no_copies),
		WORLD(test_foreign_copy), WORLD(test_forgotten),
	};

	return cmocka_run_group_tests_name("spec_doubt", tests, NULL, NULL);
}
