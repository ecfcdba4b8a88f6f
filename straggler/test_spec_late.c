/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The right to publish, and messages that arrive late or twice: munge takes a credential for minutes. */
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

/* One and the same message, as often as it arrives. */
static enum port_code arrives(uint32_t id, enum port_commit operation, uint64_t acquisition)
{
	const struct spec_world_job *j = &w.jobs[id - FIRST_JOB];
	struct port_message message = { .kind = PORT_COMMIT, .job_id = id, .operation = operation, .restart = j->restart,
				.instance = j->instance,
				.array_job_id = FIRST_JOB, .array_task_id = j->task, .acquisition = acquisition };

	w.newest = 0;
	return wt_spec_commit(w.s, ARRAY_OWNER, &message, w.now_s, &w.newest);
}

/* The scheduler is started again, and reads what was saved. */
static void restart(void)
{
	struct wt_spec_options options = wt_spec_defaults();
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	wt_spec_save(w.s, out);
	fclose(out);
	wt_spec_destroy(w.s);
	options.owner_uid = ADMIN;
	w.s = wt_spec_create(&options, NULL);
	assert_int_equal(wt_spec_load(w.s, text, len, NULL), 0);
	free(text);
	second();
}

static uint32_t copy_with_instances(void)
{
	uint32_t copy = with_copy();

	w.jobs[copy - FIRST_JOB].instance = 0xc0;
	w.jobs[7].instance = 0x07;
	return copy;
}

/* A first publication fails and gives the right back; a second one begins; then the first one's word comes again. */
static void test_release(void **state)
{
	for (int again = 0; again < 2; again++) {
		uint32_t copy = copy_with_instances();

		assert_int_equal(arrives(copy, WT_COMMIT_ACQUIRE, 1), PORT_OK);
		assert_int_equal(arrives(copy, WT_COMMIT_RELEASE, 1), PORT_OK);
		assert_int_equal(arrives(copy, WT_COMMIT_ACQUIRE, 2), PORT_OK);
		if (again)
			restart();
		assert_int_equal(arrives(copy, WT_COMMIT_RELEASE, 1), PORT_OK);	/* it has nothing any more */
		assert_int_equal(arrives(ORIGINAL, WT_COMMIT_ACQUIRE, 1), PORT_WAIT);
		assert_int_equal(arrives(copy, WT_COMMIT_DONE, 1), PORT_LOST);
		assert_int_equal(arrives(ORIGINAL, WT_COMMIT_ACQUIRE, 1), PORT_WAIT);
		assert_int_equal(arrives(copy, WT_COMMIT_DONE, 2), PORT_OK);
		assert_int_equal(arrives(copy, WT_COMMIT_DONE, 2), PORT_OK);
		assert_int_equal(arrives(copy, WT_COMMIT_RELEASE, 2), PORT_OK);	/* of what is published */
		assert_int_equal(arrives(ORIGINAL, WT_COMMIT_ACQUIRE, 1), PORT_LOST);
		world_end(state);
		world_start(state);
	}
}

/* An attempt that has given the right back, or given up, does not get it by a question that was under way. */
static void test_acquire(void **state)
{
	for (int again = 0; again < 2; again++) {
		uint32_t copy = copy_with_instances();

		assert_int_equal(arrives(copy, WT_COMMIT_ACQUIRE, 5), PORT_OK);
		assert_int_equal(arrives(ORIGINAL, WT_COMMIT_ACQUIRE, 9), PORT_WAIT);
		assert_int_equal(arrives(ORIGINAL, WT_COMMIT_RELEASE, 9), PORT_OK);	/* its time is over */
		assert_int_equal(arrives(copy, WT_COMMIT_RELEASE, 5), PORT_OK);
		if (again)
			restart();
		assert_int_equal(arrives(copy, WT_COMMIT_ACQUIRE, 5), PORT_OLD);
		assert_int_equal(w.newest, 5);
		assert_int_equal(arrives(copy, WT_COMMIT_ACQUIRE, 4), PORT_OLD);
		assert_int_equal(arrives(ORIGINAL, WT_COMMIT_ACQUIRE, 9), PORT_OLD);
		assert_int_equal(w.newest, 9);
		assert_int_equal(arrives(ORIGINAL, WT_COMMIT_ACQUIRE, 10), PORT_OK);
		assert_int_equal(arrives(copy, WT_COMMIT_ACQUIRE, 6), PORT_WAIT);
		world_end(state);
		world_start(state);
	}
}

/* Two of one attempt: each has the right until it gives its own back, whichever was first; what either publishes counts. */
static void test_two(void **state)
{
	uint32_t copy = copy_with_instances();

	(void) state;
	assert_int_equal(arrives(copy, WT_COMMIT_ACQUIRE, 2), PORT_OK);
	assert_int_equal(arrives(copy, WT_COMMIT_ACQUIRE, 3), PORT_OK);
	assert_int_equal(arrives(copy, WT_COMMIT_ACQUIRE, 2), PORT_OK);	/* asked again */
	assert_int_equal(arrives(copy, WT_COMMIT_ACQUIRE, 1), PORT_OLD);
	assert_int_equal(w.newest, 3);
	/* one that gave up before its question arrived */
	assert_int_equal(arrives(copy, WT_COMMIT_RELEASE, 4), PORT_OK);
	assert_int_equal(arrives(copy, WT_COMMIT_ACQUIRE, 4), PORT_OLD);
	assert_int_equal(arrives(copy, WT_COMMIT_DONE, 4), PORT_LOST);
	for (int again = 0; again < 2; again++) {	/* the second one's command fails */
		assert_int_equal(arrives(copy, WT_COMMIT_RELEASE, 3), PORT_OK);
		assert_int_equal(arrives(ORIGINAL, WT_COMMIT_ACQUIRE, 1), PORT_WAIT);
		assert_int_equal(arrives(copy, WT_COMMIT_DONE, 3), PORT_LOST);
		assert_int_equal(arrives(copy, WT_COMMIT_ACQUIRE, 3), PORT_OLD);
		restart();
	}
	assert_int_equal(arrives(copy, WT_COMMIT_DONE, 2), PORT_OK);
	assert_int_equal(arrives(ORIGINAL, WT_COMMIT_ACQUIRE, 1), PORT_LOST);
}

/* When all have given it back it is free; of more than can be told apart it is not known. */
static void test_many(void **state)
{
	uint32_t copy;

	for (uint64_t many = 8; many <= 9; many++) {
		copy = copy_with_instances();
		for (uint64_t i = 1; i <= many; i++)
			assert_int_equal(arrives(copy, WT_COMMIT_ACQUIRE, i), PORT_OK);
		restart();
		for (uint64_t i = many; i >= 1; i--) {
			assert_int_equal(arrives(ORIGINAL, WT_COMMIT_ACQUIRE, 1), PORT_WAIT);
			assert_int_equal(arrives(copy, WT_COMMIT_RELEASE, i), PORT_OK);
		}
		assert_int_equal(arrives(ORIGINAL, WT_COMMIT_ACQUIRE, 1), many == 8 ? PORT_OK : PORT_WAIT);
		assert_int_equal(ask(PORT_EXIT, 0, copy, 9), PORT_OK);	/* until the start is dead */
		assert_int_equal(arrives(ORIGINAL, WT_COMMIT_ACQUIRE, 1), PORT_OK);
		world_end(state);
		world_start(state);
	}
}

/* A start of which its slurmstepd has said that it is dead asks no more, and the next one of the attempt does. */
static void test_dead(void **state)
{
	uint32_t copy = copy_with_instances();

	(void) state;
	assert_int_equal(arrives(copy, WT_COMMIT_ACQUIRE, 1), PORT_OK);
	assert_int_equal(ask(PORT_EXIT, 0, copy, 9), PORT_OK);
	restart();
	assert_int_equal(arrives(copy, WT_COMMIT_ACQUIRE, 1), PORT_OLD);
	assert_int_equal(arrives(copy, WT_COMMIT_ACQUIRE, UINT64_MAX), PORT_OLD);
	assert_true(w.newest == UINT64_MAX);
	w.jobs[copy - FIRST_JOB].instance++;
	assert_int_equal(arrives(copy, WT_COMMIT_ACQUIRE, 1), PORT_OK);
	w.jobs[copy - FIRST_JOB].instance--;
	assert_int_equal(arrives(copy, WT_COMMIT_RELEASE, 1), PORT_OK);
	assert_int_equal(arrives(ORIGINAL, WT_COMMIT_ACQUIRE, 1), PORT_WAIT);
}

static void load(const char *text)
{
	struct wt_spec_options options = wt_spec_defaults();

	w.jobs[7].instance = 0x07;
	wt_spec_destroy(w.s);
	w.s = wt_spec_create(&options, NULL);
	assert_int_equal(wt_spec_load(w.s, text, strlen(text), NULL), 0);
}

/* Before version 4 of the file there were no numbers, and before version 5 only the first and the newest: the start that
 * had the right has it. */
static void test_file_before(void **state)
{
	(void) state;
	load("windtunnel-straggler 4\ntask 100 7 1000 1 107 0 7 0 0 2 5\nattempt 107 1 0 0 0\n"
	     "attempt 120 2 0 0 0\nend 3\n");
	assert_int_equal(arrives(ORIGINAL, WT_COMMIT_RELEASE, 5), PORT_OK);
	assert_int_equal(arrives(ORIGINAL, WT_COMMIT_DONE, 5), PORT_LOST);
	assert_int_equal(arrives(ORIGINAL, WT_COMMIT_DONE, 2), PORT_OK);
	load("windtunnel-straggler 3\ntask 100 7 1000 1 107 0 7 0 0\nattempt 107 1 0\nattempt 120 2 0\nend 3\n");
	assert_int_equal(arrives(ORIGINAL, WT_COMMIT_ACQUIRE, 3), PORT_OK);
	assert_int_equal(arrives(ORIGINAL, WT_COMMIT_DONE, 3), PORT_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD(test_release), WORLD(test_acquire), WORLD(test_two), WORLD(test_many), WORLD(test_dead),
		WORLD(test_file_before),
	};

	return cmocka_run_group_tests_name("spec_late", tests, NULL, NULL);
}
