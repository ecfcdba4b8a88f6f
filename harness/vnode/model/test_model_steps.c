/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "harness/vnode/model/test_world.h"

#include <signal.h>

#include "harness/vnode/model/model_step.h"

enum { STEP = 5, TREE = 60 };

static wt_step_ref step_ref;

static enum wt_rc launch_step(struct node_world *w, uint32_t node, uint32_t count)
{
	uint32_t nodes[WORLD_NODES], rank;
	const struct wt_step_launch step = {
		.job_id = WORLD_JOB, .step_id = STEP, .step_het_comp = UINT32_MAX, .uid = UID, .io = true, .nodes = nodes,
		.node_count = count, .run_time_us = 10 * SECOND_US, .wait_status = 3 << 8,
	};

	for (uint32_t i = 0; i < count; i++)
		nodes[i] = i;
	return wt_model_step_launch(w->model, w->now_us, node, &step, &step_ref, &rank);
}

static struct wt_action expect_step(struct node_world *w, enum wt_action_kind kind, uint32_t rank)
{
	struct wt_action action = expect(w, kind, rank);

	assert_int_equal(action.rank, rank);
	assert_true(action.step == step_ref);
	assert_int_equal(action.step_id, STEP);
	return action;
}

static void start_step(struct node_world *w, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(launch_step(w, i, count), WT_RC_SUCCESS);
		expect_step(w, WT_ACTION_STEP_CONNECT, i);
		wt_model_step_connected(w->model, w->now_us, step_ref, i, true);
		assert_int_equal(expect_step(w, WT_ACTION_STEP_STARTED, i).status, 0);
		wt_model_step_sent(w->model, w->now_us, step_ref, i, true);
	}
	expect_nothing(w);
}

static void end_tasks(struct node_world *w, uint32_t rank, uint32_t status)
{
	expect_step(w, WT_ACTION_STEP_CLOSE, rank);
	wt_model_step_closed(w->model, w->now_us, step_ref, rank);
	assert_int_equal(expect_step(w, WT_ACTION_STEP_EXIT, rank).status, status);
	wt_model_step_sent(w->model, w->now_us, step_ref, rank, true);
}

static void expect_complete(struct node_world *w, uint32_t rank, uint32_t first, uint32_t last, uint32_t status)
{
	struct wt_action action = expect_step(w, WT_ACTION_STEP_COMPLETE, rank);

	assert_int_equal(action.first, first);
	assert_int_equal(action.last, last);
	assert_int_equal(action.status, status);
}

static uint32_t steps_listed(struct node_world *w, uint32_t node)
{
	struct wt_step_name name;
	uint32_t count = wt_model_node_steps(w->model, node, &name, 1);

	if (count)
		assert_true(name.job_id == WORLD_JOB && name.step_id == STEP && name.step_het_comp == UINT32_MAX);
	return count;
}

static enum wt_rc signal_step(struct node_world *w, uint32_t node, int signal, uint32_t uid)
{
	const struct wt_step_name name = { .job_id = WORLD_JOB, .step_id = STEP, .step_het_comp = UINT32_MAX };

	return wt_model_step_signal(w->model, w->now_us, node, &name, signal, uid, uid == 0);
}

static void test_small_step(void **state)
{
	struct node_world *w = *state;
	struct wt_model_counts counts;

	start_step(w, 1);
	assert_int_equal(launch_step(w, 0, 1), WT_RC_REPLAYED);
	assert_int_equal(launch_step(w, 9, 1), WT_RC_INVALID_NODE);
	pass(w, 10 * SECOND_US - 1);
	expect_nothing(w);
	assert_int_equal(steps_listed(w, 0), 1);
	pass(w, 1);
	end_tasks(w, 0, 3 << 8);
	expect_complete(w, 0, 0, 0, 3 << 8);
	expect_nothing(w);
	assert_int_equal(steps_listed(w, 0), 1);	/* until the controller knows */
	wt_model_step_acked(w->model, w->now_us, step_ref, 0);
	assert_int_equal(steps_listed(w, 0), 0);
	assert_int_equal(launch_step(w, 0, 1), WT_RC_REPLAYED);	/* still: the credential lives */
	pass(w, 300 * SECOND_US);
	expect_step(w, WT_ACTION_STEP_FREE, 0);
	expect_nothing(w);
	pass(w, 600 * SECOND_US);
	wt_model_counts(w->model, &counts);
	assert_int_equal(counts.jobs_known, 0);
	assert_int_equal(counts.stepds_running, 0);
	assert_int_equal(wt_timerq_count(w->timers), 0);
	assert_int_equal(launch_step(w, 0, 1), WT_RC_SUCCESS);
}

/* Fewer than 7 nodes: each tells the controller. */
static void test_no_tree(void **state)
{
	struct node_world *w = *state;

	start_step(w, 2);
	pass(w, 10 * SECOND_US);
	expect_step(w, WT_ACTION_STEP_CLOSE, 0);
	end_tasks(w, 1, 3 << 8);
	expect_complete(w, 1, 1, 1, 3 << 8);
	wt_model_step_closed(w->model, w->now_us, step_ref, 0);
	expect_step(w, WT_ACTION_STEP_EXIT, 0);
	wt_model_step_sent(w->model, w->now_us, step_ref, 0, true);
	expect_complete(w, 0, 0, 0, 3 << 8);
	expect_nothing(w);
}

static void all_close(struct node_world *w, uint32_t but)
{
	pass(w, 10 * SECOND_US);
	for (uint32_t i = 0; i < TREE; i++)
		expect_step(w, WT_ACTION_STEP_CLOSE, i);
	for (uint32_t i = 0; i < TREE; i++) {
		if (i == but)
			continue;
		wt_model_step_closed(w->model, w->now_us, step_ref, i);
		expect_step(w, WT_ACTION_STEP_EXIT, i);
		wt_model_step_sent(w->model, w->now_us, step_ref, i, true);
	}
}

static void test_tree(void **state)
{
	struct node_world *w = *state;

	start_step(w, TREE);
	all_close(w, TREE);
	expect_complete(w, 0, 0, TREE - 1, 3 << 8);	/* one message for all */
	expect_nothing(w);
	assert_int_equal(steps_listed(w, 1), 0);
	assert_int_equal(steps_listed(w, 0), 1);
	wt_model_step_acked(w->model, w->now_us, step_ref, 0);
	assert_int_equal(steps_listed(w, 0), 0);
}

/* Rank 1 has the ranks 2 to 57 below it; the root waits 60 s and 3 s for each of three levels, rank 1 only two. */
static void test_late_child(void **state)
{
	struct node_world *w = *state;

	start_step(w, TREE);
	all_close(w, 20);
	expect_nothing(w);
	pass(w, 66 * SECOND_US - 1);
	assert_int_equal(steps_listed(w, 1), 1);
	pass(w, 1);	/* rank 1 gives up and tells the root, which goes on waiting */
	assert_int_equal(steps_listed(w, 1), 0);
	expect_nothing(w);
	pass(w, 3 * SECOND_US);
	expect_complete(w, 0, 0, 19, 3 << 8);
	expect_complete(w, 0, 21, TREE - 1, 3 << 8);
	expect_nothing(w);
	wt_model_step_acked(w->model, w->now_us, step_ref, 0);
	assert_int_equal(steps_listed(w, 0), 1);
	wt_model_step_acked(w->model, w->now_us, step_ref, 0);
	assert_int_equal(steps_listed(w, 0), 0);
	/* No node above rank 20 is left: it tries for 4 s, then turns to the controller. */
	wt_model_step_closed(w->model, w->now_us, step_ref, 20);
	expect_step(w, WT_ACTION_STEP_EXIT, 20);
	wt_model_step_sent(w->model, w->now_us, step_ref, 20, true);
	pass(w, 4 * SECOND_US - 1);
	expect_nothing(w);
	pass(w, 1);
	expect_complete(w, 20, 20, 20, 3 << 8);
	expect_nothing(w);
}

static void test_signals_and_suspension(void **state)
{
	struct node_world *w = *state;

	assert_int_equal(signal_step(w, 0, SIGINT, UID), WT_RC_INVALID_JOB_ID);
	start_step(w, 2);
	assert_int_equal(signal_step(w, 2, SIGINT, UID), WT_RC_INVALID_JOB_ID);
	assert_int_equal(signal_step(w, 0, SIGINT, UID + 1), WT_RC_USER_ID_MISSING);
	assert_int_equal(signal_step(w, 0, 0, UID), WT_RC_SUCCESS);
	assert_int_equal(signal_step(w, 0, 994, UID), WT_RC_SUCCESS);
	pass(w, 4 * SECOND_US);
	wt_model_suspend(w->model, w->now_us, 1, WORLD_JOB, true);
	assert_int_equal(signal_step(w, 1, SIGINT, UID), WT_RC_NOT_RUNNING);
	assert_int_equal(signal_step(w, 0, SIGINT, UID), WT_RC_SUCCESS);
	end_tasks(w, 0, SIGINT);
	expect_complete(w, 0, 0, 0, SIGINT);
	pass(w, 100 * SECOND_US);
	expect_nothing(w);
	wt_model_suspend(w->model, w->now_us, 1, WORLD_JOB, false);
	assert_int_equal(signal_step(w, 1, SIGSTOP, UID), WT_RC_SUCCESS);
	pass(w, 100 * SECOND_US);
	assert_int_equal(wt_model_signal(w->model, w->now_us, 1, WORLD_JOB, WT_TARGET_STEPS, SIGCONT, UID, false),
			 WT_RC_SUCCESS);
	pass(w, 6 * SECOND_US - 1);
	expect_nothing(w);
	pass(w, 1);
	end_tasks(w, 1, 3 << 8);
}

/* The tasks die before srun has heard that they live: the order stays the same. */
static void test_killed_at_the_start(void **state)
{
	struct node_world *w = *state;

	assert_int_equal(launch_step(w, 0, 1), WT_RC_SUCCESS);
	expect_step(w, WT_ACTION_STEP_CONNECT, 0);
	wt_model_step_connected(w->model, w->now_us, step_ref, 0, true);
	expect_step(w, WT_ACTION_STEP_STARTED, 0);
	assert_int_equal(signal_step(w, 0, SIGKILL, 0), WT_RC_SUCCESS);
	expect_nothing(w);
	wt_model_step_sent(w->model, w->now_us, step_ref, 0, true);
	end_tasks(w, 0, SIGKILL);
	expect_complete(w, 0, 0, 0, SIGKILL);
}

static void test_srun_is_gone(void **state)
{
	struct node_world *w = *state;
	static const int64_t delays_ms[] = { 100, 200, 400, 800, 800 };

	assert_int_equal(launch_step(w, 0, 1), WT_RC_SUCCESS);
	expect_step(w, WT_ACTION_STEP_CONNECT, 0);
	wt_model_step_connected(w->model, w->now_us, step_ref, 0, false);
	assert_true(expect_step(w, WT_ACTION_STEP_STARTED, 0).status == WT_STEP_IO_FAILED);
	for (size_t i = 0; i < 5; i++) {
		wt_model_step_sent(w->model, w->now_us, step_ref, 0, false);
		pass(w, delays_ms[i] * 1000 - 1);
		expect_nothing(w);
		pass(w, 1);
		expect_step(w, WT_ACTION_STEP_STARTED, 0);
	}
	wt_model_step_sent(w->model, w->now_us, step_ref, 0, false);
	expect_complete(w, 0, 0, 0, WT_STEP_IO_FAILED);
	expect_nothing(w);
}

/* The node is released when the last slurmstepd of the job is gone. */
static void test_terminate_waits(void **state)
{
	struct node_world *w = *state;

	start_step(w, 1);
	assert_int_equal(terminate(w, 0, 1), WT_RC_SUCCESS);
	assert_int_equal(terminate(w, 0, 1), WT_RC_SUCCESS);
	end_tasks(w, 0, SIGTERM);
	expect_complete(w, 0, 0, 0, SIGTERM);
	pass(w, 30 * SECOND_US);
	expect_nothing(w);
	expect_counts(w, 0, 0, 1);
	wt_model_step_acked(w->model, w->now_us, step_ref, 0);
	pass(w, SECOND_US);
	wt_model_epilog_acked(w->model, w->now_us, expect(w, WT_ACTION_EPILOG_COMPLETE, 0).job, 0);
	expect_event(w, WT_EVENT_RELEASE, 0, NAN);
	expect_counts(w, 0, 0, 0);
	assert_int_equal(launch_step(w, 0, 1), WT_RC_REPLAYED);
}

/* A batch job with a step: both must be gone. */
static void test_terminate_waits_for_both(void **state)
{
	struct node_world *w = *state;
	struct wt_action batch;

	launch(w, 1);
	expect_event(w, WT_EVENT_START, 0, 1);
	start_step(w, 1);
	assert_int_equal(terminate(w, 0, 1), WT_RC_SUCCESS);
	expect_event(w, WT_EVENT_CANCEL, 0, SIGTERM);
	expect_event(w, WT_EVENT_END, 0, 128 + SIGTERM);
	batch = expect(w, WT_ACTION_BATCH_COMPLETE, 0);
	end_tasks(w, 0, SIGTERM);
	expect_complete(w, 0, 0, 0, SIGTERM);
	wt_model_batch_acked(w->model, w->now_us, batch.job);
	pass(w, 30 * SECOND_US);
	expect_nothing(w);
	wt_model_step_acked(w->model, w->now_us, step_ref, 0);
	pass(w, SECOND_US);
	expect(w, WT_ACTION_EPILOG_COMPLETE, 0);
	expect_nothing(w);
}

static void test_without_epilog(void **state)
{
	struct node_world *w = *state;

	start_step(w, 2);
	assert_int_equal(terminate(w, 0, 3), WT_RC_SUCCESS);
	expect_step(w, WT_ACTION_STEP_CLOSE, 0);
	assert_int_equal(terminate(w, 2, 3), WT_RC_ALREADY_COMPLETE);	/* the step is not there */
	expect_event(w, WT_EVENT_RELEASE, 2, NAN);
	assert_int_equal(terminate(w, 0, 3), WT_RC_SUCCESS);	/* it still waits */
	expect_nothing(w);
}

static void test_user_order(void **state)
{
	struct node_world *w = *state;
	const uint32_t nodes[] = { 9, 3, 5 };
	const struct wt_step_launch step = {
		.job_id = WORLD_JOB, .step_id = STEP, .uid = UID, .nodes = nodes, .node_count = 3,
	};
	wt_step_ref ref, other;
	uint32_t rank;

	for (uint32_t i = 0; i < 3; i++) {
		assert_int_equal(wt_model_step_launch(w->model, w->now_us, nodes[i], &step, i ? &other : &ref, &rank),
				 WT_RC_SUCCESS);
		assert_int_equal(rank, i);
		assert_int_equal(expect(w, WT_ACTION_STEP_CONNECT, nodes[i]).rank, i);
	}
	assert_true(ref == other);
}

/* What srun hears of the start again is that it went well, not how the tasks will end. */
static void test_start_told_again(void **state)
{
	struct node_world *w = *state;

	assert_int_equal(launch_step(w, 0, 1), WT_RC_SUCCESS);
	expect_step(w, WT_ACTION_STEP_CONNECT, 0);
	wt_model_step_connected(w->model, w->now_us, step_ref, 0, true);
	assert_int_equal(expect_step(w, WT_ACTION_STEP_STARTED, 0).status, 0);
	wt_model_step_sent(w->model, w->now_us, step_ref, 0, false);
	pass(w, SECOND_US / 10);
	assert_int_equal(expect_step(w, WT_ACTION_STEP_STARTED, 0).status, 0);
}

static void test_old_names(void **state)
{
	struct node_world *w = *state;

	wt_model_step_connected(w->model, w->now_us, 0, 0, true);
	wt_model_step_sent(w->model, w->now_us, 12345, 0, true);
	start_step(w, 1);
	wt_model_step_closed(w->model, w->now_us, step_ref, 0);	/* not now */
	wt_model_step_acked(w->model, w->now_us, step_ref, 0);
	wt_model_step_acked(w->model, w->now_us, step_ref, 7);
	wt_model_step_closed(w->model, w->now_us, step_ref + (UINT64_C(1) << 32), 0);
	expect_nothing(w);
	assert_int_equal(steps_listed(w, 0), 1);
}

/* The nodes 'first' to 'last' of a step of TREE nodes are ours; their tasks run and end. */
static void own_part_ends(struct node_world *w, uint32_t first, uint32_t last)
{
	wt_model_own(w->model, first, last - first + 1);
	for (uint32_t i = first; i <= last; i++) {
		assert_int_equal(launch_step(w, i, TREE), WT_RC_SUCCESS);
		expect_step(w, WT_ACTION_STEP_CONNECT, i);
		wt_model_step_connected(w->model, w->now_us, step_ref, i, true);
		expect_step(w, WT_ACTION_STEP_STARTED, i);
		wt_model_step_sent(w->model, w->now_us, step_ref, i, true);
	}
	pass(w, 10 * SECOND_US);
	for (uint32_t i = first; i <= last; i++)
		expect_step(w, WT_ACTION_STEP_CLOSE, i);
	for (uint32_t i = first; i <= last; i++) {
		wt_model_step_closed(w->model, w->now_us, step_ref, i);
		expect_step(w, WT_ACTION_STEP_EXIT, i);
		wt_model_step_sent(w->model, w->now_us, step_ref, i, true);
	}
}

static enum wt_rc hear(struct node_world *w, uint32_t node, uint32_t first, uint32_t last, uint32_t status)
{
	const struct wt_step_heard heard = {
		.name = { .job_id = WORLD_JOB, .step_id = STEP, .step_het_comp = UINT32_MAX },
		.first = first, .last = last, .status = status,
	};

	return wt_model_step_heard(w->model, w->now_us, node, &heard);
}

/* Of the 60 ranks the first 30 are ours: 26 has 27 to 33 below it, 1 has 2 to 57, 0 all. */
static void test_children_of_other_processes(void **state)
{
	struct node_world *w = *state;

	assert_int_equal(hear(w, 26, 30, 30, 0), WT_RC_INVALID_JOB_ID);
	own_part_ends(w, 0, 29);
	expect_nothing(w);
	assert_int_equal(hear(w, 26, 26, 30, 0), WT_RC_INVALID_JOB_ID);
	assert_int_equal(hear(w, 26, 33, 34, 0), WT_RC_INVALID_JOB_ID);
	assert_int_equal(hear(w, 26, 31, 30, 0), WT_RC_INVALID_JOB_ID);
	assert_int_equal(hear(w, 26, 30, UINT32_MAX, 0), WT_RC_INVALID_JOB_ID);
	assert_int_equal(hear(w, 40, 41, 41, 0), WT_RC_INVALID_JOB_ID);
	assert_int_equal(hear(w, 26, 30, 30, 0), WT_RC_SUCCESS);
	for (int i = 0; i < 5; i++)	/* the answer was lost */
		assert_int_equal(hear(w, 26, 30, 30, 0), WT_RC_SUCCESS);
	assert_int_equal(steps_listed(w, 26), 1);
	assert_int_equal(hear(w, 26, 31, 33, 0), WT_RC_SUCCESS);
	assert_int_equal(steps_listed(w, 26), 0);	/* told rank 1 */
	assert_int_equal(hear(w, 26, 31, 33, 0), WT_RC_NOT_RUNNING);
	assert_int_equal(hear(w, 1, 34, 57, 5 << 8), WT_RC_SUCCESS);
	assert_int_equal(steps_listed(w, 1), 0);
	expect_nothing(w);
	assert_int_equal(hear(w, 0, 58, 59, 0), WT_RC_SUCCESS);
	expect_complete(w, 0, 0, TREE - 1, 5 << 8);
	expect_nothing(w);
	wt_model_step_acked(w->model, w->now_us, step_ref, 0);
	assert_int_equal(steps_listed(w, 0), 0);
}

/* A process that is gone tells nothing: as with slurmstepds that are. */
static void test_children_that_are_silent(void **state)
{
	struct node_world *w = *state;

	own_part_ends(w, 0, 29);
	assert_int_equal(hear(w, 0, 59, 59, 0), WT_RC_SUCCESS);
	pass(w, 69 * SECOND_US - 1);
	expect_nothing(w);
	pass(w, 1);
	expect_complete(w, 0, 0, 29, 3 << 8);
	expect_complete(w, 0, 59, 59, 3 << 8);
	expect_nothing(w);
}

static void expect_tell(struct node_world *w, uint32_t rank, uint32_t last, uint32_t target)
{
	struct wt_action action = expect_step(w, WT_ACTION_STEP_TELL, rank);

	assert_int_equal(action.first, rank);
	assert_int_equal(action.last, last);
	assert_int_equal(action.target, target);
	assert_int_equal(action.status, 3 << 8);
}

/* Five times, a second apart, then the controller is told. */
static void test_parent_of_another_process(void **state)
{
	struct node_world *w = *state;

	own_part_ends(w, 26, 33);
	for (int i = 0; i < 5; i++) {
		expect_tell(w, 26, 33, 1);
		expect_nothing(w);
		wt_model_step_told(w->model, w->now_us, step_ref, 26, false);
		wt_model_step_told(w->model, w->now_us, step_ref, 26, false);	/* nothing was asked */
		expect_nothing(w);
		pass(w, SECOND_US);
	}
	expect_complete(w, 26, 26, 33, 3 << 8);
	wt_model_step_told(w->model, w->now_us, 0, 26, true);
	wt_model_step_acked(w->model, w->now_us, step_ref, 26);
	assert_int_equal(steps_listed(w, 26), 0);
	expect_nothing(w);
}

static void test_parent_of_another_process_hears(void **state)
{
	struct node_world *w = *state;

	own_part_ends(w, 58, 59);	/* 58 has 59 below it */
	expect_tell(w, 58, 59, 0);
	wt_model_step_told(w->model, w->now_us, step_ref, 58, false);
	pass(w, SECOND_US);
	expect_tell(w, 58, 59, 0);
	wt_model_step_told(w->model, w->now_us, step_ref, 58, true);
	assert_int_equal(steps_listed(w, 58), 0);
	pass(w, 20 * SECOND_US);
	expect_nothing(w);
}

/* Nodes of other processes are the job's, and not counted here. */
static void test_nodes_of_other_processes(void **state)
{
	struct node_world *w = *state;

	wt_model_own(w->model, 0, 100);
	assert_int_equal(launch(w, 150), WT_RC_SUCCESS);
	expect_event(w, WT_EVENT_START, 0, 150);
	expect_counts(w, 1, 100, 0);
	assert_int_equal(terminate(w, 99, 150), WT_RC_SUCCESS);
	expect_counts(w, 1, 99, 1);
	pass(w, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		EPILOG_TEST(test_small_step), EPILOG_TEST(test_no_tree), EPILOG_TEST(test_tree),
			EPILOG_TEST(test_late_child),
		EPILOG_TEST(test_signals_and_suspension), EPILOG_TEST(test_killed_at_the_start),
		EPILOG_TEST(test_srun_is_gone),
		EPILOG_TEST(test_terminate_waits), EPILOG_TEST(test_terminate_waits_for_both),
		BARE_TEST(test_without_epilog),
		EPILOG_TEST(test_user_order), EPILOG_TEST(test_old_names),
		EPILOG_TEST(test_start_told_again),
		EPILOG_TEST(test_children_of_other_processes), EPILOG_TEST(test_children_that_are_silent),
		EPILOG_TEST(test_parent_of_another_process), EPILOG_TEST(test_parent_of_another_process_hears),
		EPILOG_TEST(test_nodes_of_other_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
