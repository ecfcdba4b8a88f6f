/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The model with delays, slow nodes and loss of power. */
#include "config.h"

#include "harness/vnode/model/test_world.h"
#include "harness/vnode/model/model_step.h"

static struct wt_settings settings;

static int begin(void **state)
{
	settings = (struct wt_settings) { 0 };
	return world_open(state);
}

static void test_launch_delay(void **state)
{
	struct node_world *w = *state;

	assert_int_equal(wt_settings_add(&settings, "launch-delay=2", NULL), 0);
	wt_model_faults(w->model, &settings, NULL);
	assert_int_equal(launch_with(w, 2, 0, false, WT_PROBE_PING), WT_RC_SUCCESS);
	expect_event(w, WT_EVENT_START, 0, 2);
	expect_nothing(w);
	assert_int_equal(listed(w, 0), 1);
	pass(w, 2 * SECOND_US - 1);
	expect_nothing(w);
	pass(w, 1);
	expect(w, WT_ACTION_PROBE, 0);
}

static void test_cancelled_before_it_began(void **state)
{
	struct node_world *w = *state;

	assert_int_equal(wt_settings_add(&settings, "launch-delay=20", NULL), 0);
	wt_model_faults(w->model, &settings, NULL);
	launch(w, 2);
	expect_event(w, WT_EVENT_START, 0, 2);
	terminate(w, 0, 2);
	expect_event(w, WT_EVENT_CANCEL, 0, 15);
	expect_event(w, WT_EVENT_END, 0, 128 + 15);
	expect(w, WT_ACTION_BATCH_COMPLETE, 0);
	pass(w, 100 * SECOND_US);
	expect_nothing(w);
}

static void test_end_delay(void **state)
{
	struct node_world *w = *state;
	struct wt_action action;

	assert_int_equal(wt_settings_add(&settings, "end-delay=2", NULL), 0);
	wt_model_faults(w->model, &settings, NULL);
	launch(w, 2);
	expect_event(w, WT_EVENT_START, 0, 2);
	terminate(w, 0, 2);
	expect_event(w, WT_EVENT_CANCEL, 0, 15);
	expect_event(w, WT_EVENT_END, 0, 128 + 15);
	expect_nothing(w);
	assert_int_equal(listed(w, 0), 1);	/* its slurmstepd is still there */
	pass(w, 2 * SECOND_US - 1);
	expect_nothing(w);
	pass(w, 1);
	action = expect(w, WT_ACTION_BATCH_COMPLETE, 0);
	pass(w, 10 * SECOND_US);
	expect_nothing(w);		/* the node waits for slurmstepd */
	wt_model_batch_acked(w->model, w->now_us, action.job);
	assert_int_equal(listed(w, 0), 0);
}

static void test_crash_before_the_end_is_told(void **state)
{
	struct node_world *w = *state;

	assert_int_equal(wt_settings_add(&settings, "end-delay=2", NULL), 0);
	wt_model_faults(w->model, &settings, NULL);
	launch(w, 2);
	expect_event(w, WT_EVENT_START, 0, 2);
	assert_int_equal(wt_model_signal(w->model, w->now_us, 0, WORLD_JOB, WT_TARGET_BATCH, 9, 0, true), WT_RC_SUCCESS);
	expect_event(w, WT_EVENT_CANCEL, 0, 9);
	expect_event(w, WT_EVENT_END, 0, 128 + 9);
	wt_model_crash(w->model, w->now_us, 0);
	pass(w, 10 * SECOND_US);
	expect_nothing(w);
	assert_int_equal(listed(w, 0), 0);
}

static void test_epilog_time(void **state)
{
	struct node_world *w = *state;
	struct wt_action action;

	assert_int_equal(wt_settings_add(&settings, "epilog-time=3", NULL), 0);
	wt_model_faults(w->model, &settings, NULL);
	action = run_to_end(w, 2);
	wt_model_batch_acked(w->model, w->now_us, action.job);
	assert_int_equal(terminate(w, 0, 2), WT_RC_SUCCESS);
	assert_int_equal(terminate(w, 1, 2), WT_RC_SUCCESS);
	expect_nothing(w);
	assert_int_equal(terminate(w, 1, 2), WT_RC_SUCCESS);	/* again: the Epilog does not run again */
	expect(w, WT_ACTION_EPILOG_COMPLETE, 1);
	pass(w, 3 * SECOND_US - 1);
	expect_nothing(w);
	pass(w, 1);
	expect(w, WT_ACTION_EPILOG_COMPLETE, 0);
	expect(w, WT_ACTION_EPILOG_COMPLETE, 1);
}

static void test_slow(void **state)
{
	static float factors[WORLD_NODES];
	struct node_world *w = *state;

	for (int i = 0; i < WORLD_NODES; i++)
		factors[i] = i == 3 ? 1.5F : 1;
	wt_model_faults(w->model, &settings, factors);
	launch(w, 4);		/* of 10 s, on nodes 0 to 3 */
	expect_event(w, WT_EVENT_START, 0, 4);
	pass(w, 15 * SECOND_US - 1);
	expect_nothing(w);
	pass(w, 1);
	expect_event(w, WT_EVENT_END, 0, 3);
}

static void test_crash_of_the_batch_host(void **state)
{
	struct node_world *w = *state;
	struct wt_action action;

	launch(w, 3);
	action = expect_event(w, WT_EVENT_START, 0, 3);
	wt_model_crash(w->model, w->now_us, 0);
	expect_event(w, WT_EVENT_END, 0, 128 + 9);
	expect_nothing(w);			/* the controller is not told */
	assert_int_equal(listed(w, 0), 0);
	expect_counts(w, 0, 2, 0);
	assert_false(wt_model_awaits(w->model, WT_ACTION_BATCH_COMPLETE, action.job, 0));
	pass(w, 20 * SECOND_US);
	expect_nothing(w);
	assert_int_equal(launch_with(w, 3, 1, false, WT_PROBE_NONE), WT_RC_SUCCESS);	/* requeued */
	expect_event(w, WT_EVENT_REQUEUE, 0, NAN);
	expect_event(w, WT_EVENT_START, 0, 3);
}

static void test_crash_of_another_node(void **state)
{
	struct node_world *w = *state;
	struct wt_action action = run_to_end(w, 3);

	assert_true(wt_model_awaits(w->model, WT_ACTION_BATCH_COMPLETE, action.job, 0));
	wt_model_crash(w->model, w->now_us, 1);
	assert_true(wt_model_awaits(w->model, WT_ACTION_BATCH_COMPLETE, action.job, 0));
	wt_model_batch_acked(w->model, w->now_us, action.job);
	terminate(w, 2, 3);
	action = expect(w, WT_ACTION_EPILOG_COMPLETE, 2);
	assert_true(wt_model_awaits(w->model, WT_ACTION_EPILOG_COMPLETE, action.job, 2));
	expect_counts(w, 0, 1, 1);
	wt_model_crash(w->model, w->now_us, 2);
	assert_false(wt_model_awaits(w->model, WT_ACTION_EPILOG_COMPLETE, action.job, 2));
	expect_counts(w, 0, 1, 0);
	assert_false(wt_model_awaits(w->model, WT_ACTION_PROBE, 0, 0));
	terminate(w, 0, 3);
	action = expect(w, WT_ACTION_EPILOG_COMPLETE, 0);
	wt_model_epilog_acked(w->model, w->now_us, action.job, 0);
	expect_event(w, WT_EVENT_RELEASE, 0, NAN);
	expect_counts(w, 0, 0, 0);
}

static wt_step_ref step_launch(struct node_world *w, uint32_t node)
{
	static const uint32_t nodes[] = { 0, 1 };
	const struct wt_step_launch launch = {
		.job_id = WORLD_JOB, .step_id = 0, .step_het_comp = UINT32_MAX, .uid = UID, .nodes = nodes, .node_count = 2,
		.run_time_us = 10 * SECOND_US,
	};
	wt_step_ref ref;
	uint32_t rank;

	assert_int_equal(wt_model_step_launch(w->model, w->now_us, node, &launch, &ref, &rank), WT_RC_SUCCESS);
	assert_int_equal(rank, node);
	return ref;
}

static void test_step_delayed_and_slow(void **state)
{
	static float factors[WORLD_NODES];
	struct node_world *w = *state;
	wt_step_ref ref;

	for (int i = 0; i < WORLD_NODES; i++)
		factors[i] = i == 1 ? 2 : 1;
	assert_int_equal(wt_settings_add(&settings, "launch-delay=3", NULL), 0);
	wt_model_faults(w->model, &settings, factors);
	ref = step_launch(w, 1);
	pass(w, 6 * SECOND_US - 1);	/* the delay, too, is twice as long */
	expect_nothing(w);
	pass(w, 1);
	expect(w, WT_ACTION_STEP_CONNECT, 1);
	wt_model_step_connected(w->model, w->now_us, ref, 1, true);
	expect(w, WT_ACTION_STEP_STARTED, 1);
	wt_model_step_sent(w->model, w->now_us, ref, 1, true);
	pass(w, 20 * SECOND_US - 1);
	expect_nothing(w);
	pass(w, 1);
	expect(w, WT_ACTION_STEP_CLOSE, 1);
}

static void test_crash_under_a_step(void **state)
{
	struct node_world *w = *state;
	struct wt_step_name name;
	wt_step_ref ref = step_launch(w, 0);

	step_launch(w, 1);
	expect(w, WT_ACTION_STEP_CONNECT, 0);
	expect(w, WT_ACTION_STEP_CONNECT, 1);
	assert_int_equal(wt_model_node_steps(w->model, 1, &name, 1), 1);
	wt_model_crash(w->model, w->now_us, 1);
	assert_int_equal(wt_model_node_steps(w->model, 1, &name, 1), 0);
	assert_int_equal(wt_model_node_steps(w->model, 0, &name, 1), 1);
	wt_model_step_connected(w->model, w->now_us, ref, 1, true);	/* too late */
	expect_nothing(w);
	pass(w, 100 * SECOND_US);
	expect_nothing(w);
}

#define FAULTS_TEST(f) cmocka_unit_test_setup_teardown(f, begin, world_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAULTS_TEST(test_launch_delay), FAULTS_TEST(test_cancelled_before_it_began), FAULTS_TEST(test_epilog_time),
		FAULTS_TEST(test_end_delay), FAULTS_TEST(test_crash_before_the_end_is_told),
		FAULTS_TEST(test_slow), FAULTS_TEST(test_crash_of_the_batch_host), FAULTS_TEST(test_crash_of_another_node),
		FAULTS_TEST(test_step_delayed_and_slow), FAULTS_TEST(test_crash_under_a_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
