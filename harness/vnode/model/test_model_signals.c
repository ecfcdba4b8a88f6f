/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "harness/vnode/model/test_world.h"

#include <signal.h>

static void test_probe_delays_the_run_time(void **state)
{
	struct node_world *w = *state;
	struct wt_action probe;

	launch_with(w, 1, 0, false, WT_PROBE_JOB);
	expect_event(w, WT_EVENT_START, 0, 1);
	probe = expect(w, WT_ACTION_PROBE, 0);
	assert_int_equal(probe.probe, WT_PROBE_JOB);
	pass(w, 30 * SECOND_US);
	expect_nothing(w);
	wt_model_probe_done(w->model, w->now_us, probe.job, 30.);
	expect_event(w, WT_EVENT_PROBE, 0, 30.);
	wt_model_probe_done(w->model, w->now_us, probe.job, 30.);
	expect_nothing(w);
	pass(w, 10 * SECOND_US - 1);
	expect_nothing(w);
	pass(w, 1);
	expect_event(w, WT_EVENT_END, 0, 3);
	expect(w, WT_ACTION_BATCH_COMPLETE, 0);
}

static enum wt_rc signalled(struct node_world *w, enum wt_signal_target target, int signal, uint32_t uid)
{
	return wt_model_signal(w->model, w->now_us, 0, WORLD_JOB, target, signal, uid, uid == 0);
}

static void test_signals(void **state)
{
	struct node_world *w = *state;

	assert_int_equal(signalled(w, WT_TARGET_BATCH, SIGUSR1, 0), WT_RC_INVALID_JOB_ID);
	launch(w, 1);
	expect_event(w, WT_EVENT_START, 0, 1);
	assert_int_equal(wt_model_signal(w->model, w->now_us, 1, WORLD_JOB, WT_TARGET_BATCH, SIGTERM, 0, true),
			 WT_RC_INVALID_JOB_ID);		/* another node */
	assert_int_equal(signalled(w, WT_TARGET_BATCH, SIGTERM, UID + 1), WT_RC_USER_ID_MISSING);
	assert_int_equal(signalled(w, WT_TARGET_OTHER_STEP, SIGTERM, UID), WT_RC_INVALID_JOB_ID);
	assert_int_equal(signalled(w, WT_TARGET_STEPS, SIGTERM, UID), WT_RC_SUCCESS);
	assert_int_equal(signalled(w, WT_TARGET_BATCH, 0, UID), WT_RC_SUCCESS);
	assert_int_equal(signalled(w, WT_TARGET_BATCH, SIGCHLD, UID), WT_RC_SUCCESS);
	assert_int_equal(signalled(w, WT_TARGET_BATCH, 994, UID), WT_RC_SUCCESS);
	expect_nothing(w);
	assert_int_equal(signalled(w, WT_TARGET_BATCH, SIGUSR1, UID), WT_RC_SUCCESS);
	expect_event(w, WT_EVENT_CANCEL, 0, SIGUSR1);
	expect_event(w, WT_EVENT_END, 0, 128 + SIGUSR1);
	expect(w, WT_ACTION_BATCH_COMPLETE, 0);
	assert_int_equal(signalled(w, WT_TARGET_BATCH, SIGTERM, UID), WT_RC_NOT_RUNNING);
	expect_nothing(w);
}

static void test_kill_wait(void **state)
{
	struct node_world *w = *state;
	struct wt_launch request = {
		.job_id = WORLD_JOB, .uid = UID, .nodes = nodes_of(0, 1), .nodes_hash = 1,
		.behaviour = { .run_time_us = 100 * SECOND_US, .ignores_term = true },
	};

	assert_int_equal(wt_model_launch(w->model, w->now_us, 0, &request), WT_RC_SUCCESS);
	expect_event(w, WT_EVENT_START, 0, 1);
	assert_int_equal(signalled(w, WT_TARGET_BATCH, SIGTERM, UID), WT_RC_SUCCESS);
	expect_nothing(w);
	assert_int_equal(terminate(w, 0, 1), WT_RC_SUCCESS);
	assert_int_equal(terminate(w, 0, 1), WT_RC_SUCCESS);	/* the slurmd is at it */
	pass(w, 30 * SECOND_US - 1);
	expect_nothing(w);
	pass(w, 1);
	expect_event(w, WT_EVENT_CANCEL, 0, SIGKILL);
	expect_event(w, WT_EVENT_END, 0, 128 + SIGKILL);
	wt_model_batch_acked(w->model, w->now_us, expect(w, WT_ACTION_BATCH_COMPLETE, 0).job);
	pass(w, SECOND_US);
	expect(w, WT_ACTION_EPILOG_COMPLETE, 0);
	expect_nothing(w);
}

static void test_stop_and_continue(void **state)
{
	struct node_world *w = *state;

	launch(w, 1);
	expect_event(w, WT_EVENT_START, 0, 1);
	pass(w, 4 * SECOND_US);
	signalled(w, WT_TARGET_BATCH, SIGSTOP, UID);
	pass(w, 100 * SECOND_US);
	expect_nothing(w);
	signalled(w, WT_TARGET_BATCH, SIGCONT, UID);
	pass(w, 6 * SECOND_US - 1);
	expect_nothing(w);
	signalled(w, WT_TARGET_BATCH, SIGSTOP, UID);
	signalled(w, WT_TARGET_BATCH, SIGUSR2, UID);	/* waits */
	expect_nothing(w);
	signalled(w, WT_TARGET_BATCH, SIGCONT, UID);
	expect_event(w, WT_EVENT_CANCEL, 0, SIGUSR2);
	expect_event(w, WT_EVENT_END, 0, 128 + SIGUSR2);
	expect(w, WT_ACTION_BATCH_COMPLETE, 0);
}

static void test_suspend(void **state)
{
	struct node_world *w = *state;

	launch(w, 1);
	expect_event(w, WT_EVENT_START, 0, 1);
	pass(w, 4 * SECOND_US);
	wt_model_suspend(w->model, w->now_us, 0, WORLD_JOB, true);
	assert_int_equal(signalled(w, WT_TARGET_BATCH, SIGUSR1, UID), WT_RC_NOT_RUNNING);
	pass(w, 100 * SECOND_US);
	wt_model_suspend(w->model, w->now_us, 0, WORLD_JOB, false);
	pass(w, 6 * SECOND_US - 1);
	expect_nothing(w);
	wt_model_suspend(w->model, w->now_us, 0, WORLD_JOB, true);
	assert_int_equal(terminate(w, 0, 1), WT_RC_SUCCESS);
	expect_event(w, WT_EVENT_CANCEL, 0, SIGKILL);	/* no nice end for what is suspended */
	expect_event(w, WT_EVENT_END, 0, 128 + SIGKILL);
	expect(w, WT_ACTION_BATCH_COMPLETE, 0);
	expect_nothing(w);
}

static void test_suspended_during_the_probe(void **state)
{
	struct node_world *w = *state;
	struct wt_action probe;

	launch_with(w, 1, 0, false, WT_PROBE_PING);
	expect_event(w, WT_EVENT_START, 0, 1);
	probe = expect(w, WT_ACTION_PROBE, 0);
	wt_model_suspend(w->model, w->now_us, 0, WORLD_JOB, true);
	wt_model_probe_done(w->model, w->now_us, probe.job, .5);
	expect_event(w, WT_EVENT_PROBE, 0, .5);
	pass(w, 100 * SECOND_US);
	expect_nothing(w);
	wt_model_suspend(w->model, w->now_us, 0, WORLD_JOB, false);
	pass(w, 10 * SECOND_US);
	expect_event(w, WT_EVENT_END, 0, 3);
	expect(w, WT_ACTION_BATCH_COMPLETE, 0);
}

static void test_abort_tells_nobody(void **state)
{
	struct node_world *w = *state;
	struct wt_kill kill;

	launch(w, 2);
	expect_event(w, WT_EVENT_START, 0, 2);
	for (uint32_t node = 0; node < 2; node++) {
		kill = kill_of(w, 2, false);
		assert_int_equal(wt_model_abort(w->model, w->now_us, node, &kill), WT_RC_SUCCESS);
	}
	expect_event(w, WT_EVENT_CANCEL, 0, SIGKILL);
	expect_event(w, WT_EVENT_END, 0, 128 + SIGKILL);
	pass(w, 60 * SECOND_US);
	expect_nothing(w);
	expect_counts(w, 0, 0, 0);
	assert_int_equal(listed(w, 0), 0);
}

static void test_jobs_are_forgotten(void **state)
{
	struct node_world *w = *state;
	struct wt_model_counts counts;
	struct wt_action end = run_to_end(w, 2);

	pass(w, 1000 * SECOND_US);	/* not while the end is unknown to the controller */
	wt_model_counts(w->model, &counts);
	assert_int_equal(counts.jobs_known, 1);
	wt_model_batch_acked(w->model, w->now_us, end.job);
	pass(w, 241 * SECOND_US);
	wt_model_counts(w->model, &counts);
	assert_int_equal(counts.jobs_known, 0);
	expect_counts(w, 0, 0, 0);
	assert_int_equal(terminate(w, 1, 2), WT_RC_SUCCESS);	/* of a job unknown by now: still answered and told */
	expect(w, WT_ACTION_EPILOG_COMPLETE, 1);
	expect_nothing(w);
}

static void test_many_jobs(void **state)
{
	struct node_world *w = *state;
	struct wt_model_counts counts;
	struct wt_action action;
	uint32_t ends = 0;

	for (uint32_t i = 0; i < 5000; i++) {
		struct wt_launch launch = {
			.job_id = 1 + i * 3, .array_task_id = UINT32_MAX, .nodes = nodes_of(i % WORLD_NODES, 1),
			.nodes_hash = 1, .behaviour = { .run_time_us = i * 1000 },
		};

		assert_int_equal(wt_model_launch(w->model, w->now_us, i % WORLD_NODES, &launch), WT_RC_SUCCESS);
	}
	expect_counts(w, 5000, WORLD_NODES, 0);
	assert_int_equal(wt_model_batch_jobs(w->model, 0, NULL, 0), 25);
	pass(w, 10 * SECOND_US);
	while (wt_model_action(w->model, &action)) {
		if (action.kind == WT_ACTION_BATCH_COMPLETE) {
			wt_model_batch_acked(w->model, w->now_us, action.job);
			ends++;
		}
	}
	assert_int_equal(ends, 5000);
	pass(w, 1000 * SECOND_US);
	wt_model_counts(w->model, &counts);
	assert_int_equal(counts.jobs_known, 0);
	expect_counts(w, 0, 0, 0);
	assert_int_equal(wt_timerq_count(w->timers), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		EPILOG_TEST(test_probe_delays_the_run_time), EPILOG_TEST(test_signals),
		EPILOG_TEST(test_kill_wait), EPILOG_TEST(test_stop_and_continue), EPILOG_TEST(test_suspend),
		EPILOG_TEST(test_suspended_during_the_probe), EPILOG_TEST(test_abort_tells_nobody),
		EPILOG_TEST(test_jobs_are_forgotten), EPILOG_TEST(test_many_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
