/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that say of themselves that they are copies. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "straggler/spec.h"

static struct wt_spec *spec_of(uint32_t owner)
{
	struct wt_spec_options options = wt_spec_defaults();
	struct wt_spec *s;

	options.owner_uid = 990;
	s = wt_spec_create(&options, NULL);
	assert_non_null(s);
	for (uint32_t i = 0; i < 5; i++) {
		struct wt_spec_fact fact = { .job_id = 100 + i, .state = WT_SPEC_RUNNING, .policy = "on", .uid = owner,
					     .array_job_id = 100,
					     .array_task_id = i, .tasks = 5, .node = "n1", .seen_s = 1 };

		assert_int_equal(wt_spec_fact(s, &fact, 1, NULL), 0);
	}
	wt_spec_saved(s, 2);
	return s;
}

/* Job 'id' of 'uid' has ended well and says that it is attempt 2 of job 'of'; returns how many actions follow. */
static size_t claim(struct wt_spec *s, uint32_t uid, uint32_t id, uint32_t of)
{
	struct wt_spec_fact fact = { .job_id = id, .state = WT_SPEC_OK, .policy = "on", .copy_of = of, .number = 2,
				     .uid = uid,
				     .array_job_id = 100, .array_task_id = 3, .tasks = 5, .node = "n2" };
	struct wt_spec_action actions[4];
	size_t count;

	wt_spec_fact(s, &fact, 2, NULL);
	count = wt_spec_decide(s, 2, actions, 4);
	assert_int_equal(wt_spec_check(s, NULL), 0);
	if (count)
		assert_int_equal(actions[0].kind, WT_SPEC_COMPLETE);
	return count;
}

static void test_others(void **state)
{
	static const uint32_t owners[] = { 1000, 0 };	/* root's uid is no "nobody's" */

	(void) state;
	for (int i = 0; i < 2; i++) {
		struct wt_spec *s = spec_of(owners[i]);

		assert_int_equal(claim(s, 1001, 200, 103), 0);
		assert_int_equal(claim(s, 1001, 201, 999), 0);	/* of a job that is not known, in a known array */
		wt_spec_destroy(s);
	}
}

static void test_own(void **state)
{
	struct wt_spec *s = spec_of(1000);

	(void) state;
	assert_int_equal(claim(s, 1000, 200, 103), 1);
	wt_spec_destroy(s);
}

/* An array is its first user's: a job cannot slip into it by its number. */
static void test_array(void **state)
{
	struct wt_spec *s = spec_of(0);
	struct wt_spec_fact fact = { .job_id = 300, .state = WT_SPEC_RUNNING, .policy = "on", .uid = 1001,
				     .array_job_id = 100,
				     .array_task_id = 9, .tasks = 5 };
	struct port_message message = { .kind = PORT_COMMIT, .job_id = 103, .array_job_id = 100, .array_task_id = 3,
				.operation = WT_COMMIT_ACQUIRE, .acquisition = 1 };

	(void) state;
	assert_int_equal(wt_spec_fact(s, &fact, 2, NULL), -1);
	assert_int_equal(wt_spec_commit(s, 1001, &message, 2, NULL), PORT_DENIED);
	assert_int_equal(wt_spec_commit(s, 0, &message, 2, NULL), PORT_OK);
	wt_spec_destroy(s);
}

/* Nor does a copy tell how large its array is: its detector has memory for each task. */
static void test_size(void **state)
{
	struct wt_spec *s = spec_of(1000);
	struct wt_spec_fact fact = { .job_id = 300, .state = WT_SPEC_RUNNING, .policy = "on", .uid = 1000, .copy_of = 103,
				     .number = 2,
				     .array_job_id = 100, .array_task_id = 3, .tasks = 1000000, .node = "n2" };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	(void) state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(wt_spec_fact(s, &fact, 2, NULL), 0);
	wt_spec_show(s, WT_STATUS_JOBS, 1000, 0, 2, out);
	fclose(out);
	assert_non_null(strstr(text, "\"tasks\":5,"));
	free(text);
	wt_spec_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_others), cmocka_unit_test(test_own),
					    cmocka_unit_test(test_array),
					    cmocka_unit_test(test_size) };

	return cmocka_run_group_tests_name("spec_forged", tests, NULL, NULL);
}
