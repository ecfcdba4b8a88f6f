/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of jobs and steps outlives the process: told once, taken by a new model, refused when it cannot be. */
#include "config.h"

#include "harness/vnode/model/test_world.h"

#include <errno.h>

#include "harness/vnode/model/model_image.h"

enum { MANY = 200, STEP = 5 };

static void launch_many(struct node_world *w)
{
	for (uint32_t i = 0; i < MANY; i++) {
		struct wt_launch launch = {
			.job_id = 1000 + i, .uid = UID, .array_task_id = UINT32_MAX, .nodes = nodes_of(i % WORLD_NODES, 1),
			.nodes_hash = 1 + i, .behaviour = { .run_time_us = (1 + i) * SECOND_US },
		};

		assert_int_equal(wt_model_launch(w->model, w->now_us, i % WORLD_NODES, &launch), WT_RC_SUCCESS);
	}
}

static uint32_t changes_take(struct node_world *w, uint32_t *seen)
{
	struct wt_job_image image;
	uint32_t count = 0;

	while (wt_model_changed(w->model, &image)) {
		assert_in_range(image.job_id, 1000, 1000 + MANY - 1);
		seen[image.job_id - 1000]++;
		wt_job_image_clear(&image);
		count++;
	}
	return count;
}

/* However many have changed, and however often: each is told once, and then only those that change again. */
static void test_each_change_is_told_once(void **state)
{
	struct node_world *w = *state;
	uint32_t seen[MANY] = { 0 };
	struct wt_action action;

	launch_many(w);
	assert_int_equal(changes_take(w, seen), MANY);
	for (uint32_t i = 0; i < MANY; i++)
		assert_int_equal(seen[i], 1);
	assert_int_equal(changes_take(w, seen), 0);
	pass(w, 3 * SECOND_US);		/* the first three end */
	assert_int_equal(changes_take(w, seen), 3);
	assert_true(seen[0] == 2 && seen[1] == 2 && seen[2] == 2 && seen[3] == 1);
	while (wt_model_action(w->model, &action))
		;
}

/* Another model in a world of its own, at the same time, which has taken all jobs of the first. */
static struct node_world *successor(struct node_world *w)
{
	struct wt_job_image image;
	struct node_world *next;
	void *state;
	uint32_t at = 0;

	assert_int_equal(world_open(&state), 0);
	next = state;
	next->now_us = w->now_us;
	while (wt_model_image(w->model, &at, &image)) {
		assert_int_equal(wt_model_restore(next->model, &image), 0);
		wt_job_image_clear(&image);
	}
	return next;
}

/* A job that ran when the process ended goes on: its end comes when it is due, and on the same nodes. */
static void test_a_running_job_goes_on(void **state)
{
	struct node_world *w = *state, *next;
	struct wt_action action;
	void *next_state;

	assert_int_equal(launch(w, 3), WT_RC_SUCCESS);
	expect_event(w, WT_EVENT_START, 0, 3);
	pass(w, 4 * SECOND_US);
	next_state = next = successor(w);
	wt_model_resume(next->model, next->now_us);
	expect_nothing(next);		/* its start was told before */
	expect_counts(next, 1, 3, 0);
	assert_int_equal(listed(next, 0), 1);
	assert_true(wt_model_knows_nodes(next->model, WORLD_JOB, 3));
	pass(next, 6 * SECOND_US - 1);
	expect_nothing(next);
	pass(next, 1);
	action = expect_event(next, WT_EVENT_END, 0, 3);
	assert_int_equal(action.time_us, BEGIN_US + 10 * SECOND_US);
	assert_int_equal(expect(next, WT_ACTION_BATCH_COMPLETE, 0).wait_status, 3 << 8);
	world_close(&next_state);
}

/* Of a job whose time was over while no process was there the end is told with the time at which it was due; an end that was
 * not acknowledged is told again. */
static void test_ends_while_away(void **state)
{
	struct node_world *w = *state, *next, *third;
	void *next_state, *third_state;

	assert_int_equal(launch(w, 2), WT_RC_SUCCESS);
	expect_event(w, WT_EVENT_START, 0, 2);
	next_state = next = successor(w);
	next->now_us += 60 * SECOND_US;
	wt_model_resume(next->model, next->now_us);
	assert_int_equal(expect_event(next, WT_EVENT_END, 0, 3).time_us, BEGIN_US + 10 * SECOND_US);
	expect(next, WT_ACTION_BATCH_COMPLETE, 0);
	third_state = third = successor(next);
	wt_model_resume(third->model, third->now_us);
	assert_int_equal(expect(third, WT_ACTION_BATCH_COMPLETE, 0).wait_status, 3 << 8);
	expect_nothing(third);
	world_close(&third_state);
	world_close(&next_state);
}

static const struct wt_job_image good = {
	.job_id = WORLD_JOB, .uid = UID, .array_task_id = UINT32_MAX, .batch_node = WORLD_NODES - 1, .script = 2,
	.nodes_given = true, .nodes_hash = 1, .run_time_us = SECOND_US, .run_until_us = BEGIN_US, .touched_us = BEGIN_US,
};

static int restore(struct node_world *w, const struct wt_job_image *image, uint32_t first, uint32_t count, uint32_t rank)
{
	struct wt_node_range range = { .first = first, .count = count, .rank = rank };
	struct wt_job_image with = *image;

	with.nodes = (struct wt_nodeset) { .count = count, .ranges = &range, .range_count = 1 };
	errno = 0;
	return wt_model_restore(w->model, &with);
}

/* Numbers come from a file that anything may have happened to: the last good one is taken, the first bad one is not. */
static void test_bad_images_are_refused(void **state)
{
	struct node_world *w = *state;
	struct wt_job_image bad[12];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		bad[i] = good;
	bad[0].job_id = 0;
	bad[1].script = WT_IMAGE_SCRIPTS;
	bad[2].pause = WT_IMAGE_PAUSES;
	bad[3].pending_signal = WT_IMAGE_SIGNALS;
	bad[4].probe = WT_PROBE_STEP + 1;
	bad[5].batch_node = WORLD_NODES;
	bad[6].batch_node = WT_NODE_NONE;	/* and yet its script runs */
	bad[7].run_time_us = -1;
	bad[8].run_until_us = -1;
	bad[9].touched_us = -1;
	bad[10].work_us = -1;
	bad[11].begun_us = INT64_MAX / 2;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (restore(w, &bad[i], 0, 1, 0) == 0 || errno != EINVAL)
			fail_msg("image %zu was taken", i);
	}
	assert_int_equal(restore(w, &good, 0, 0, 0), -1);
	assert_int_equal(restore(w, &good, WORLD_NODES - 1, 2, 0), -1);
	assert_int_equal(restore(w, &good, 0, 1, 1), -1);
	assert_int_equal(restore(w, &good, WORLD_NODES - 1, 1, 0), 0);
	assert_int_equal(restore(w, &good, 0, WORLD_NODES, 0), 0);
}

static int step_restore(struct node_world *w, uint32_t job_id, uint32_t *nodes, uint32_t count)
{
	const struct wt_step_image step = {
		.job_id = job_id, .step_id = STEP, .step_het_comp = UINT32_MAX, .uid = UID, .count = count, .nodes = nodes,
		.touched_us = BEGIN_US,
	};
	wt_step_ref ref;

	errno = 0;
	return wt_model_step_restore(w->model, &step, &ref);
}

static void test_bad_steps_are_refused(void **state)
{
	struct node_world *w = *state;
	struct wt_stepd_image stepd = { .job_id = WORLD_JOB, .step_id = STEP, .step_het_comp = UINT32_MAX, .state = 1 };
	uint32_t nodes[] = { 0, 1, WORLD_NODES - 1 }, twice[] = { 4, 5, 4 }, outside[] = { WORLD_NODES };

	assert_int_equal(step_restore(w, 0, nodes, 3), -1);
	assert_int_equal(step_restore(w, WORLD_JOB, nodes, 0), -1);
	assert_int_equal(step_restore(w, WORLD_JOB, twice, 3), -1);
	assert_int_equal(step_restore(w, WORLD_JOB, outside, 1), -1);
	assert_int_equal(wt_model_stepd_restore(w->model, &stepd), -1);	/* of no step that is known */
	assert_int_equal(step_restore(w, WORLD_JOB, nodes, 3), 0);
	stepd.rank = 3;
	assert_int_equal(wt_model_stepd_restore(w->model, &stepd), -1);
	stepd.rank = 2;
	stepd.holder = 3;
	assert_int_equal(wt_model_stepd_restore(w->model, &stepd), -1);
	stepd.holder = 2;
	stepd.run_us = -1;
	assert_int_equal(wt_model_stepd_restore(w->model, &stepd), -1);
	stepd.run_us = 0;
	stepd.state = 0;		/* absent: nothing to tell */
	assert_int_equal(wt_model_stepd_restore(w->model, &stepd), -1);
	stepd.state = 1;
	assert_int_equal(wt_model_stepd_restore(w->model, &stepd), 0);
}

/* As with jobs, of a step on all nodes; its nodes are told with the first of them only. */
static void test_each_stepd_is_told_once(void **state)
{
	struct node_world *w = *state;
	uint32_t nodes[WORLD_NODES], rank, with_nodes = 0, count = 0, seen[WORLD_NODES] = { 0 };
	const struct wt_step_launch launch = {
		.job_id = WORLD_JOB, .step_id = STEP, .step_het_comp = UINT32_MAX, .uid = UID, .nodes = nodes,
		.node_count = WORLD_NODES, .run_time_us = SECOND_US,
	};
	struct wt_step_image step;
	struct wt_stepd_image stepd;
	wt_step_ref ref;

	for (uint32_t i = 0; i < WORLD_NODES; i++)
		nodes[i] = i;
	for (uint32_t i = 0; i < WORLD_NODES; i++)
		assert_int_equal(wt_model_step_launch(w->model, w->now_us, i, &launch, &ref, &rank), WT_RC_SUCCESS);
	for (; wt_model_stepd_changed(w->model, &step, &stepd); count++) {
		with_nodes += step.nodes != NULL;
		free(step.nodes);
		assert_in_range(stepd.rank, 0, WORLD_NODES - 1);
		assert_int_equal(seen[stepd.rank]++, 0);
	}
	assert_int_equal(count, WORLD_NODES);
	assert_int_equal(with_nodes, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		EPILOG_TEST(test_each_change_is_told_once),
		EPILOG_TEST(test_a_running_job_goes_on),
		EPILOG_TEST(test_ends_while_away),
		EPILOG_TEST(test_bad_images_are_refused),
		EPILOG_TEST(test_bad_steps_are_refused),
		EPILOG_TEST(test_each_stepd_is_told_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
