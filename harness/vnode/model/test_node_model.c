/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "harness/vnode/model/test_world.h"

#include <signal.h>

static void test_life_without_epilog(void **state)
{
	struct node_world *w = *state;
	struct wt_action end = run_to_end(w, 3);

	wt_model_batch_acked(w->model, w->now_us, end.job);
	assert_int_equal(listed(w, 0), 0);
	for (uint32_t node = 0; node < 3; node++) {
		assert_int_equal(terminate(w, node, 3), WT_RC_ALREADY_COMPLETE);
		expect_event(w, WT_EVENT_RELEASE, node, NAN);
		expect_counts(w, 0, 2 - node, 0);
	}
	expect_nothing(w);
}

static void test_life_with_epilog(void **state)
{
	struct node_world *w = *state;
	struct wt_action end = run_to_end(w, 2), told;

	/* The controller is faster with "terminate" than with its answer: the batch host's slurmd waits and looks. */
	assert_int_equal(terminate(w, 0, 2), WT_RC_SUCCESS);
	assert_int_equal(terminate(w, 1, 2), WT_RC_SUCCESS);
	told = expect(w, WT_ACTION_EPILOG_COMPLETE, 1);
	expect_nothing(w);
	expect_counts(w, 0, 0, 2);
	pass(w, 5000);
	wt_model_batch_acked(w->model, w->now_us, end.job);
	expect_nothing(w);
	pass(w, 14999);
	expect_nothing(w);
	pass(w, 1);
	expect(w, WT_ACTION_EPILOG_COMPLETE, 0);
	wt_model_epilog_acked(w->model, w->now_us, told.job, 1);
	expect_event(w, WT_EVENT_RELEASE, 1, NAN);
	wt_model_epilog_acked(w->model, w->now_us, told.job, 1);	/* twice is once */
	expect_nothing(w);
	wt_model_epilog_acked(w->model, w->now_us, told.job, 0);
	expect_event(w, WT_EVENT_RELEASE, 0, NAN);
	expect_counts(w, 0, 0, 0);
}

static void test_stagger(void **state)
{
	struct node_world *w = *state;
	struct wt_action end = run_to_end(w, 100), action;
	int64_t told_us;

	wt_model_batch_acked(w->model, w->now_us, end.job);
	pass(w, 1234);
	told_us = w->now_us;
	for (uint32_t node = 0; node < 100; node++)
		assert_int_equal(terminate(w, node, 100), WT_RC_SUCCESS);
	expect_nothing(w);
	expect_counts(w, 0, 0, 100);
	for (uint32_t i = 0; i < 100; i++) {	/* cycle: 200 ms; each node at its own place of it */
		while (!wt_model_action(w->model, &action))
			pass(w, 1);
		assert_int_equal(action.kind, WT_ACTION_EPILOG_COMPLETE);
		assert_int_equal(w->now_us % 200000, action.node * 2000);
		wt_model_epilog_acked(w->model, w->now_us, action.job, action.node);
		expect_event(w, WT_EVENT_RELEASE, action.node, NAN);
	}
	assert_true(w->now_us - told_us < 200000);
	expect_nothing(w);
	expect_counts(w, 0, 0, 0);
}

/* The first pass through slurmd is over before the delay: a repeated "terminate" sends a second message. */
static void test_terminate_twice(void **state)
{
	struct node_world *w = *state;
	struct wt_action end = run_to_end(w, 100);

	wt_model_batch_acked(w->model, w->now_us, end.job);
	assert_int_equal(terminate(w, 99, 100), WT_RC_SUCCESS);
	assert_int_equal(terminate(w, 99, 100), WT_RC_SUCCESS);
	expect_counts(w, 0, 99, 1);
	pass(w, 200000);
	expect(w, WT_ACTION_EPILOG_COMPLETE, 99);
	end = expect(w, WT_ACTION_EPILOG_COMPLETE, 99);
	wt_model_epilog_acked(w->model, w->now_us, end.job, 99);
	expect_event(w, WT_EVENT_RELEASE, 99, NAN);
	/* Once more after its release: again a message, so that a controller that missed the first is served. */
	assert_int_equal(terminate(w, 99, 100), WT_RC_SUCCESS);
	pass(w, 200000);
	expect(w, WT_ACTION_EPILOG_COMPLETE, 99);
	expect_nothing(w);
}

/* A registration while the job completes makes slurmctld kill it once more, there alone, with this node as the only one. */
static void test_terminate_names_one_node(void **state)
{
	struct node_world *w = *state;
	struct wt_action end = run_to_end(w, 3), told;
	struct wt_kill kill = { .job_id = WORLD_JOB, .uid = UID, .time_s = w->now_us / SECOND_US, .nodes_hash = 77,
				.nodes = nodes_of(0, 1) };

	wt_model_batch_acked(w->model, w->now_us, end.job);
	for (uint32_t node = 0; node < 3; node++)
		assert_int_equal(terminate(w, node, 3), WT_RC_SUCCESS);
	expect_counts(w, 0, 0, 3);
	assert_int_equal(wt_model_terminate(w->model, w->now_us, 0, &kill), WT_RC_SUCCESS);
	expect_counts(w, 0, 0, 3);
	pass(w, SECOND_US);
	while (wt_model_action(w->model, &told))
		assert_int_equal(told.kind, WT_ACTION_EPILOG_COMPLETE);
	for (uint32_t node = 0; node < 3; node++) {
		wt_model_epilog_acked(w->model, w->now_us, told.job, node);
		expect_event(w, WT_EVENT_RELEASE, node, NAN);
	}
	expect_nothing(w);
	expect_counts(w, 0, 0, 0);
}

static void test_cancel_running(void **state)
{
	struct node_world *w = *state;
	struct wt_action action;

	launch(w, 2);
	expect_event(w, WT_EVENT_START, 0, 2);
	pass(w, SECOND_US);
	assert_int_equal(terminate(w, 0, 2), WT_RC_SUCCESS);
	expect_event(w, WT_EVENT_CANCEL, 0, SIGTERM);
	expect_event(w, WT_EVENT_END, 0, 128 + SIGTERM);
	action = expect(w, WT_ACTION_BATCH_COMPLETE, 0);
	assert_int_equal(action.wait_status, SIGTERM);
	expect_nothing(w);
	assert_int_equal(terminate(w, 0, 2), WT_RC_SUCCESS);	/* a slurmd that waits does not begin anew */
	expect_nothing(w);
	pass(w, 60 * SECOND_US);
	expect_nothing(w);		/* in particular, the run time's timer is gone */
	wt_model_batch_acked(w->model, w->now_us, action.job);
	pass(w, SECOND_US);
	expect(w, WT_ACTION_EPILOG_COMPLETE, 0);
	expect_nothing(w);
}

static void test_cancel_without_epilog(void **state)
{
	struct node_world *w = *state;
	struct wt_action action;

	launch(w, 2);
	expect_event(w, WT_EVENT_START, 0, 2);
	assert_int_equal(terminate(w, 1, 2), WT_RC_ALREADY_COMPLETE);
	expect_event(w, WT_EVENT_RELEASE, 1, NAN);
	assert_int_equal(terminate(w, 0, 2), WT_RC_SUCCESS);	/* there was a script to kill */
	expect_event(w, WT_EVENT_CANCEL, 0, SIGTERM);
	expect_event(w, WT_EVENT_END, 0, 128 + SIGTERM);
	action = expect(w, WT_ACTION_BATCH_COMPLETE, 0);
	wt_model_batch_acked(w->model, w->now_us, action.job);
	expect(w, WT_ACTION_EPILOG_COMPLETE, 0);
	expect_nothing(w);
}

static void test_time_limit_always_tells(void **state)
{
	struct node_world *w = *state;
	struct wt_action action;

	launch(w, 2);
	expect_event(w, WT_EVENT_START, 0, 2);
	assert_int_equal(timelimit(w, 1, 2), WT_RC_SUCCESS);
	action = expect(w, WT_ACTION_EPILOG_COMPLETE, 1);	/* although there is no epilog */
	wt_model_epilog_acked(w->model, w->now_us, action.job, 1);
	expect_event(w, WT_EVENT_RELEASE, 1, NAN);
	assert_int_equal(timelimit(w, 0, 2), WT_RC_SUCCESS);
	expect_event(w, WT_EVENT_CANCEL, 0, SIGTERM);
	expect_event(w, WT_EVENT_END, 0, 128 + SIGTERM);
	action = expect(w, WT_ACTION_BATCH_COMPLETE, 0);
	wt_model_batch_acked(w->model, w->now_us, action.job);
	expect(w, WT_ACTION_EPILOG_COMPLETE, 0);
	expect_nothing(w);
}

static void test_duplicate_launch(void **state)
{
	struct node_world *w = *state;

	launch(w, 2);
	expect_event(w, WT_EVENT_START, 0, 2);
	assert_int_equal(launch(w, 2), WT_RC_DUPLICATE_JOB_ID);
	expect(w, WT_ACTION_LAUNCH_FAIL, 0);
	expect_nothing(w);
	expect_counts(w, 1, 2, 0);
}

static void test_killed_before_launch(void **state)
{
	struct node_world *w = *state;

	assert_int_equal(wt_model_revoked_s(w->model, WORLD_JOB), 0);
	assert_int_equal(terminate(w, 0, 2), WT_RC_SUCCESS);
	assert_int_equal(wt_model_revoked_s(w->model, WORLD_JOB), BEGIN_US / SECOND_US);
	expect(w, WT_ACTION_EPILOG_COMPLETE, 0);
	assert_int_equal(launch_with(w, 2, 0, true, WT_PROBE_NONE), WT_RC_REVOKED);
	expect_nothing(w);
	assert_int_equal(launch_with(w, 2, 0, false, WT_PROBE_NONE), WT_RC_SUCCESS);	/* a younger credential */
	expect_event(w, WT_EVENT_START, 0, 2);
	assert_int_equal(wt_model_revoked_s(w->model, WORLD_JOB), 0);
}

static void test_requeue_makes_old_refs_and_timers_void(void **state)
{
	struct node_world *w = *state;
	struct wt_action end = run_to_end(w, 100);

	wt_model_batch_acked(w->model, w->now_us, end.job);
	assert_int_equal(terminate(w, 50, 100), WT_RC_SUCCESS);		/* its message waits for its turn */
	assert_int_equal(launch_with(w, 100, 1, false, WT_PROBE_NONE), WT_RC_SUCCESS);
	expect_event(w, WT_EVENT_REQUEUE, 0, NAN);
	expect_event(w, WT_EVENT_START, 0, 100);
	expect_counts(w, 1, 100, 0);
	pass(w, SECOND_US);
	expect_nothing(w);
	wt_model_batch_acked(w->model, w->now_us, end.job);
	wt_model_epilog_acked(w->model, w->now_us, end.job, 50);
	wt_model_probe_done(w->model, w->now_us, end.job, 1.);
	expect_nothing(w);
	assert_int_equal(listed(w, 0), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BARE_TEST(test_life_without_epilog), EPILOG_TEST(test_life_with_epilog), EPILOG_TEST(test_stagger),
		EPILOG_TEST(test_terminate_twice), EPILOG_TEST(test_terminate_names_one_node),
		EPILOG_TEST(test_cancel_running), BARE_TEST(test_cancel_without_epilog),
		BARE_TEST(test_time_limit_always_tells), EPILOG_TEST(test_time_limit_always_tells),
		EPILOG_TEST(test_duplicate_launch), EPILOG_TEST(test_killed_before_launch),
		EPILOG_TEST(test_requeue_makes_old_refs_and_timers_void),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
