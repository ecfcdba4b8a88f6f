/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "wt_test.h"

#include <math.h>
#include <signal.h>

#include "wt_model.h"

enum { NODES = 200, JOB = 7, UID = 1000 };

struct world {
	struct wt_timerq *timers;
	struct wt_model *model;
	int64_t now_us;
};

static const int64_t begin_us = 1700000000000000;
static const int64_t second_us = 1000000;

static int world_open_conf(void **state, const struct wt_model_conf *conf)
{
	struct world *w = calloc(1, sizeof(*w));

	w->timers = wt_timerq_create();
	w->model = wt_model_create(NODES, conf, w->timers);
	w->now_us = begin_us;
	*state = w;
	return 0;
}

static int world_open(void **state)
{
	const struct wt_model_conf conf = { .epilog = true, .epilog_msg_time_us = 2000, .forget_s = 120 };

	return world_open_conf(state, &conf);
}

static int world_open_bare(void **state)
{
	const struct wt_model_conf conf = { .epilog = false, .epilog_msg_time_us = 2000, .forget_s = 120 };

	return world_open_conf(state, &conf);
}

static int world_close(void **state)
{
	struct world *w = *state;

	wt_model_destroy(w->model);
	wt_model_destroy(NULL);
	wt_timerq_destroy(w->timers);
	free(w);
	return 0;
}

static struct wt_nodeset nodes_of(uint32_t first, uint32_t count)
{
	uint32_t numbers[NODES];
	struct wt_nodeset set;

	for (uint32_t i = 0; i < count; i++)
		numbers[i] = first + i;
	assert_int_equal(wt_nodeset_fill(&set, numbers, count), 0);
	return set;
}

static enum wt_rc launch_with(struct world *w, uint32_t count, uint32_t restarts, bool revoked, enum wt_probe probe)
{
	struct wt_launch launch = {
		.job_id = JOB, .uid = UID, .array_task_id = UINT32_MAX, .restart_count = restarts, .revoked = revoked,
		.nodes = nodes_of(0, count), .nodes_hash = count,
		.spec = { .run_time_us = 10 * second_us, .wait_status = 3 << 8, .probe = (uint8_t) probe },
	};

	return wt_model_launch(w->model, w->now_us, 0, &launch);
}

static enum wt_rc launch(struct world *w, uint32_t count)
{
	return launch_with(w, count, 0, false, WT_PROBE_NONE);
}

static struct wt_kill kill_of(struct world *w, uint32_t count, bool closes)
{
	struct wt_kill kill = {
		.job_id = JOB, .uid = UID, .time_s = w->now_us / second_us, .nodes_hash = count, .closes = closes,
	};

	if (!wt_model_knows_nodes(w->model, JOB, count))
		kill.nodes = nodes_of(0, count);
	return kill;
}

static enum wt_rc terminate(struct world *w, uint32_t node, uint32_t count)
{
	struct wt_kill kill = kill_of(w, count, false);

	return wt_model_terminate(w->model, w->now_us, node, &kill);
}

static enum wt_rc timelimit(struct world *w, uint32_t node, uint32_t count)
{
	struct wt_kill kill = kill_of(w, count, true);

	return wt_model_terminate(w->model, w->now_us, node, &kill);
}

/* Let time pass; every timer fires at its own deadline. */
static void pass(struct world *w, int64_t us)
{
	int64_t until_us = w->now_us + us, deadline_us;
	struct wt_timer timer;

	while (wt_timerq_next(w->timers, &deadline_us) && deadline_us <= until_us) {
		if (deadline_us > w->now_us)
			w->now_us = deadline_us;
		if (wt_timerq_pop(w->timers, w->now_us, &timer))
			wt_model_timer(w->model, w->now_us, &timer);
	}
	w->now_us = until_us;
}

static struct wt_action expect(struct world *w, enum wt_action_kind kind, uint32_t node)
{
	struct wt_action action;

	assert_true(wt_model_action(w->model, &action));
	assert_int_equal(action.kind, kind);
	assert_int_equal(action.node, node);
	assert_int_equal(action.job_id, JOB);
	return action;
}

static struct wt_action expect_event(struct world *w, enum wt_event event, uint32_t node, double value)
{
	struct wt_action action = expect(w, WT_ACTION_EVENT, node);

	assert_int_equal(action.event, event);
	assert_true(isnan(value) ? isnan(action.value) : action.value == value);
	return action;
}

static void expect_nothing(struct world *w)
{
	struct wt_action action;

	assert_false(wt_model_action(w->model, &action));
}

static void expect_counts(struct world *w, uint32_t running, uint32_t allocated, uint32_t completing)
{
	struct wt_model_counts counts;

	wt_model_counts(w->model, &counts);
	assert_int_equal(counts.jobs_running, running);
	assert_int_equal(counts.nodes_allocated, allocated);
	assert_int_equal(counts.nodes_completing, completing);
}

static uint32_t listed(struct world *w, uint32_t node)
{
	uint32_t job_ids[4];
	uint32_t count = wt_model_batch_jobs(w->model, node, job_ids, 4);

	if (count)
		assert_int_equal(job_ids[0], JOB);
	return count;
}

static struct wt_action run_to_end(struct world *w, uint32_t count)
{
	struct wt_action action;

	assert_int_equal(launch(w, count), WT_RC_SUCCESS);
	expect_event(w, WT_EVENT_START, 0, count);
	expect_nothing(w);
	expect_counts(w, 1, count, 0);
	pass(w, 10 * second_us - 1);
	expect_nothing(w);
	assert_int_equal(listed(w, 0), 1);
	assert_int_equal(listed(w, 1), 0);
	pass(w, 1);
	action = expect_event(w, WT_EVENT_END, 0, 3);
	assert_int_equal(action.time_us, begin_us + 10 * second_us);
	action = expect(w, WT_ACTION_BATCH_COMPLETE, 0);
	assert_int_equal(action.wait_status, 3 << 8);
	expect_nothing(w);
	assert_int_equal(listed(w, 0), 1);	/* until the controller knows */
	return action;
}

static void test_life_without_epilog(void **state)
{
	struct world *w = *state;
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
	struct world *w = *state;
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
	struct world *w = *state;
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
	struct world *w = *state;
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

static void test_cancel_running(void **state)
{
	struct world *w = *state;
	struct wt_action action;

	launch(w, 2);
	expect_event(w, WT_EVENT_START, 0, 2);
	pass(w, second_us);
	assert_int_equal(terminate(w, 0, 2), WT_RC_SUCCESS);
	expect_event(w, WT_EVENT_CANCEL, 0, SIGTERM);
	expect_event(w, WT_EVENT_END, 0, 128 + SIGTERM);
	action = expect(w, WT_ACTION_BATCH_COMPLETE, 0);
	assert_int_equal(action.wait_status, SIGTERM);
	expect_nothing(w);
	assert_int_equal(terminate(w, 0, 2), WT_RC_SUCCESS);	/* a slurmd that waits does not begin anew */
	expect_nothing(w);
	pass(w, 60 * second_us);
	expect_nothing(w);		/* in particular, the run time's timer is gone */
	wt_model_batch_acked(w->model, w->now_us, action.job);
	pass(w, second_us);
	expect(w, WT_ACTION_EPILOG_COMPLETE, 0);
	expect_nothing(w);
}

static void test_cancel_without_epilog(void **state)
{
	struct world *w = *state;
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
	struct world *w = *state;
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
	struct world *w = *state;

	launch(w, 2);
	expect_event(w, WT_EVENT_START, 0, 2);
	assert_int_equal(launch(w, 2), WT_RC_DUPLICATE_JOB_ID);
	expect(w, WT_ACTION_LAUNCH_FAIL, 0);
	expect_nothing(w);
	expect_counts(w, 1, 2, 0);
}

static void test_killed_before_launch(void **state)
{
	struct world *w = *state;

	assert_int_equal(wt_model_revoked_s(w->model, JOB), 0);
	assert_int_equal(terminate(w, 0, 2), WT_RC_SUCCESS);
	assert_int_equal(wt_model_revoked_s(w->model, JOB), begin_us / second_us);
	expect(w, WT_ACTION_EPILOG_COMPLETE, 0);
	assert_int_equal(launch_with(w, 2, 0, true, WT_PROBE_NONE), WT_RC_REVOKED);
	expect_nothing(w);
	assert_int_equal(launch_with(w, 2, 0, false, WT_PROBE_NONE), WT_RC_SUCCESS);	/* a younger credential */
	expect_event(w, WT_EVENT_START, 0, 2);
	assert_int_equal(wt_model_revoked_s(w->model, JOB), 0);
}

static void test_requeue_makes_old_refs_and_timers_void(void **state)
{
	struct world *w = *state;
	struct wt_action end = run_to_end(w, 100);

	wt_model_batch_acked(w->model, w->now_us, end.job);
	assert_int_equal(terminate(w, 50, 100), WT_RC_SUCCESS);		/* its message waits for its turn */
	assert_int_equal(launch_with(w, 100, 1, false, WT_PROBE_NONE), WT_RC_SUCCESS);
	expect_event(w, WT_EVENT_REQUEUE, 0, NAN);
	expect_event(w, WT_EVENT_START, 0, 100);
	expect_counts(w, 1, 100, 0);
	pass(w, second_us);
	expect_nothing(w);
	wt_model_batch_acked(w->model, w->now_us, end.job);
	wt_model_epilog_acked(w->model, w->now_us, end.job, 50);
	wt_model_probe_done(w->model, w->now_us, end.job, 1.);
	expect_nothing(w);
	assert_int_equal(listed(w, 0), 1);
}

static void test_probe_delays_the_run_time(void **state)
{
	struct world *w = *state;
	struct wt_action probe;

	launch_with(w, 1, 0, false, WT_PROBE_JOB);
	expect_event(w, WT_EVENT_START, 0, 1);
	probe = expect(w, WT_ACTION_PROBE, 0);
	assert_int_equal(probe.probe, WT_PROBE_JOB);
	pass(w, 30 * second_us);
	expect_nothing(w);
	wt_model_probe_done(w->model, w->now_us, probe.job, 30.);
	expect_event(w, WT_EVENT_PROBE, 0, 30.);
	wt_model_probe_done(w->model, w->now_us, probe.job, 30.);
	expect_nothing(w);
	pass(w, 10 * second_us - 1);
	expect_nothing(w);
	pass(w, 1);
	expect_event(w, WT_EVENT_END, 0, 3);
	expect(w, WT_ACTION_BATCH_COMPLETE, 0);
}

static enum wt_rc signalled(struct world *w, enum wt_signal_target target, int signal, uint32_t uid)
{
	return wt_model_signal(w->model, w->now_us, 0, JOB, target, signal, uid, uid == 0);
}

static void test_signals(void **state)
{
	struct world *w = *state;

	assert_int_equal(signalled(w, WT_TARGET_BATCH, SIGUSR1, 0), WT_RC_INVALID_JOB_ID);
	launch(w, 1);
	expect_event(w, WT_EVENT_START, 0, 1);
	assert_int_equal(wt_model_signal(w->model, w->now_us, 1, JOB, WT_TARGET_BATCH, SIGTERM, 0, true),
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

static void test_stop_and_continue(void **state)
{
	struct world *w = *state;

	launch(w, 1);
	expect_event(w, WT_EVENT_START, 0, 1);
	pass(w, 4 * second_us);
	signalled(w, WT_TARGET_BATCH, SIGSTOP, UID);
	pass(w, 100 * second_us);
	expect_nothing(w);
	signalled(w, WT_TARGET_BATCH, SIGCONT, UID);
	pass(w, 6 * second_us - 1);
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
	struct world *w = *state;

	launch(w, 1);
	expect_event(w, WT_EVENT_START, 0, 1);
	pass(w, 4 * second_us);
	wt_model_suspend(w->model, w->now_us, 0, JOB, true);
	assert_int_equal(signalled(w, WT_TARGET_BATCH, SIGUSR1, UID), WT_RC_NOT_RUNNING);
	pass(w, 100 * second_us);
	wt_model_suspend(w->model, w->now_us, 0, JOB, false);
	pass(w, 6 * second_us - 1);
	expect_nothing(w);
	wt_model_suspend(w->model, w->now_us, 0, JOB, true);
	assert_int_equal(terminate(w, 0, 1), WT_RC_SUCCESS);
	expect_event(w, WT_EVENT_CANCEL, 0, SIGKILL);	/* no nice end for what is suspended */
	expect_event(w, WT_EVENT_END, 0, 128 + SIGKILL);
	expect(w, WT_ACTION_BATCH_COMPLETE, 0);
	expect_nothing(w);
}

static void test_suspended_during_the_probe(void **state)
{
	struct world *w = *state;
	struct wt_action probe;

	launch_with(w, 1, 0, false, WT_PROBE_PING);
	expect_event(w, WT_EVENT_START, 0, 1);
	probe = expect(w, WT_ACTION_PROBE, 0);
	wt_model_suspend(w->model, w->now_us, 0, JOB, true);
	wt_model_probe_done(w->model, w->now_us, probe.job, .5);
	expect_event(w, WT_EVENT_PROBE, 0, .5);
	pass(w, 100 * second_us);
	expect_nothing(w);
	wt_model_suspend(w->model, w->now_us, 0, JOB, false);
	pass(w, 10 * second_us);
	expect_event(w, WT_EVENT_END, 0, 3);
	expect(w, WT_ACTION_BATCH_COMPLETE, 0);
}

static void test_abort_tells_nobody(void **state)
{
	struct world *w = *state;
	struct wt_kill kill;

	launch(w, 2);
	expect_event(w, WT_EVENT_START, 0, 2);
	for (uint32_t node = 0; node < 2; node++) {
		kill = kill_of(w, 2, false);
		assert_int_equal(wt_model_abort(w->model, w->now_us, node, &kill), WT_RC_SUCCESS);
	}
	expect_event(w, WT_EVENT_CANCEL, 0, SIGKILL);
	expect_event(w, WT_EVENT_END, 0, 128 + SIGKILL);
	pass(w, 60 * second_us);
	expect_nothing(w);
	expect_counts(w, 0, 0, 0);
	assert_int_equal(listed(w, 0), 0);
}

static void test_jobs_are_forgotten(void **state)
{
	struct world *w = *state;
	struct wt_model_counts counts;
	struct wt_action end = run_to_end(w, 2);

	pass(w, 1000 * second_us);	/* not while the end is unknown to the controller */
	wt_model_counts(w->model, &counts);
	assert_int_equal(counts.jobs_known, 1);
	wt_model_batch_acked(w->model, w->now_us, end.job);
	pass(w, 241 * second_us);
	wt_model_counts(w->model, &counts);
	assert_int_equal(counts.jobs_known, 0);
	expect_counts(w, 0, 0, 0);
	assert_int_equal(terminate(w, 1, 2), WT_RC_SUCCESS);	/* of a job unknown by now: still answered and told */
	expect(w, WT_ACTION_EPILOG_COMPLETE, 1);
	expect_nothing(w);
}

static void test_many_jobs(void **state)
{
	struct world *w = *state;
	struct wt_model_counts counts;
	struct wt_action action;
	uint32_t ends = 0;

	for (uint32_t i = 0; i < 5000; i++) {
		struct wt_launch launch = {
			.job_id = 1 + i * 3, .array_task_id = UINT32_MAX, .nodes = nodes_of(i % NODES, 1), .nodes_hash = 1,
			.spec = { .run_time_us = i * 1000 },
		};

		assert_int_equal(wt_model_launch(w->model, w->now_us, i % NODES, &launch), WT_RC_SUCCESS);
	}
	expect_counts(w, 5000, NODES, 0);
	assert_int_equal(wt_model_batch_jobs(w->model, 0, NULL, 0), 25);
	pass(w, 10 * second_us);
	while (wt_model_action(w->model, &action)) {
		if (action.kind == WT_ACTION_BATCH_COMPLETE) {
			wt_model_batch_acked(w->model, w->now_us, action.job);
			ends++;
		}
	}
	assert_int_equal(ends, 5000);
	pass(w, 1000 * second_us);
	wt_model_counts(w->model, &counts);
	assert_int_equal(counts.jobs_known, 0);
	expect_counts(w, 0, 0, 0);
	assert_int_equal(wt_timerq_count(w->timers), 0);
}

#define EPILOG_TEST(f) cmocka_unit_test_setup_teardown(f, world_open, world_close)
#define BARE_TEST(f) cmocka_unit_test_setup_teardown(f, world_open_bare, world_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BARE_TEST(test_life_without_epilog), EPILOG_TEST(test_life_with_epilog), EPILOG_TEST(test_stagger),
		EPILOG_TEST(test_terminate_twice), EPILOG_TEST(test_cancel_running), BARE_TEST(test_cancel_without_epilog),
		BARE_TEST(test_time_limit_always_tells), EPILOG_TEST(test_time_limit_always_tells),
		EPILOG_TEST(test_duplicate_launch), EPILOG_TEST(test_killed_before_launch),
		EPILOG_TEST(test_requeue_makes_old_refs_and_timers_void), EPILOG_TEST(test_probe_delays_the_run_time),
		EPILOG_TEST(test_signals), EPILOG_TEST(test_stop_and_continue), EPILOG_TEST(test_suspend),
		EPILOG_TEST(test_suspended_during_the_probe), EPILOG_TEST(test_abort_tells_nobody),
		EPILOG_TEST(test_jobs_are_forgotten), EPILOG_TEST(test_many_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
