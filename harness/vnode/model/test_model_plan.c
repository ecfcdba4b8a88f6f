/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scripts that ask for steps: what the model asks the controller, and how it takes the answers. */
#include "harness/vnode/model/test_world.h"

#include <signal.h>
#include <stdlib.h>

#include "harness/vnode/model/model_image.h"
#include "harness/vnode/model/model_plan.h"

static struct wt_plan_item span(int64_t seconds, bool background)
{
	return (struct wt_plan_item) { .kind = WT_PLAN_SPAN, .run_time_us = seconds * SECOND_US, .background = background };
}

static struct wt_plan_item a_step(int64_t seconds, uint16_t wait_status, bool background)
{
	return (struct wt_plan_item) {
		.kind = WT_PLAN_STEP, .run_time_us = seconds * SECOND_US, .wait_status = wait_status,
		.background = background,
	};
}

static const struct wt_plan_item wait_item = { .kind = WT_PLAN_WAIT };

/* WORLD_JOB on nodes 0 to 3 does these. */
static enum wt_rc plan_launch(struct node_world *w, const struct wt_plan_item *items, size_t count, uint32_t restarts)
{
	struct wt_launch launch = {
		.job_id = WORLD_JOB, .uid = UID, .array_task_id = UINT32_MAX, .restart_count = restarts,
		.nodes = nodes_of(0, 4), .nodes_hash = 4, .behaviour = { .run_time_us = 10 * SECOND_US },
	};

	for (size_t i = 0; i < count; i++)
		assert_int_equal(wt_plan_add(&launch.plan, &items[i]), 0);
	return wt_model_launch(w->model, w->now_us, 0, &launch);
}

static void plan_begin_here(struct node_world *w, const struct wt_plan_item *items, size_t count)
{
	assert_int_equal(plan_launch(w, items, count, 0), WT_RC_SUCCESS);
	expect_event(w, WT_EVENT_START, 0, 4);
}

#define PLAN_BEGIN(w, ...) \
	do { \
		const struct wt_plan_item items[] = { __VA_ARGS__ }; \
		plan_begin_here(w, items, sizeof(items) / sizeof(items[0])); \
	} while (0)

static struct wt_action expect_ask(struct node_world *w, enum wt_action_kind kind, uint32_t item)
{
	struct wt_action action = expect(w, kind, 0);

	assert_int_equal(action.first, item);
	assert_non_null(wt_model_script_step(w->model, action.job, item));
	return action;
}

static wt_step_ref made(struct node_world *w, const struct wt_action *ask, uint32_t step_id, uint32_t node)
{
	wt_step_ref ref;

	assert_int_equal(wt_model_script_created(w->model, w->now_us, ask->job, ask->first, step_id, &node, 1, &ref),
			 WT_RC_SUCCESS);
	return ref;
}

/* What an srun would see of a step of one node, up to its running. */
static void step_starts(struct node_world *w, wt_step_ref ref, uint32_t node)
{
	expect(w, WT_ACTION_STEP_CONNECT, node);
	wt_model_step_connected(w->model, w->now_us, ref, 0, true);
	expect(w, WT_ACTION_STEP_STARTED, node);
	wt_model_step_sent(w->model, w->now_us, ref, 0, true);
}

static void step_ends(struct node_world *w, wt_step_ref ref, uint32_t node)
{
	expect(w, WT_ACTION_STEP_CLOSE, node);
	wt_model_step_closed(w->model, w->now_us, ref, 0);
	expect(w, WT_ACTION_STEP_EXIT, node);
	wt_model_step_sent(w->model, w->now_us, ref, 0, true);
	expect(w, WT_ACTION_STEP_COMPLETE, node);
	wt_model_step_acked(w->model, w->now_us, ref, 0);
}

static void script_told(struct node_world *w, uint16_t wait_status)
{
	struct wt_action action;

	expect_event(w, WT_EVENT_END, 0, wait_status & 0x7f ? 128 + (wait_status & 0x7f) : wait_status >> 8);
	action = expect(w, WT_ACTION_BATCH_COMPLETE, 0);
	assert_int_equal(action.wait_status, wait_status);
	wt_model_batch_acked(w->model, w->now_us, action.job);
}

static void script_ends(struct node_world *w, uint16_t wait_status)
{
	script_told(w, wait_status);
	expect_nothing(w);
}

static void test_one_after_the_other(void **state)
{
	struct node_world *w = *state;
	struct wt_action ask;
	wt_step_ref ref;

	PLAN_BEGIN(w, span(2, false), a_step(3, 0, false), a_step(1, 5 << 8, false));
	expect_nothing(w);
	pass(w, 2 * SECOND_US);
	ask = expect_ask(w, WT_ACTION_SCRIPT_ASK, 1);
	expect_nothing(w);
	ref = made(w, &ask, 0, 1);
	assert_null(wt_model_script_step(w->model, ask.job, 1));
	step_starts(w, ref, 1);
	pass(w, 3 * SECOND_US);
	step_ends(w, ref, 1);
	ask = expect_ask(w, WT_ACTION_SCRIPT_ASK, 2);
	ref = made(w, &ask, 1, 2);
	step_starts(w, ref, 2);
	pass(w, SECOND_US);
	step_ends(w, ref, 2);
	script_ends(w, 5 << 8);
	assert_int_equal(w->now_us, BEGIN_US + 6 * SECOND_US);
}

/* One question at a time, in the script's order; the second step has no room until the first has ended. */
static void test_busy(void **state)
{
	struct node_world *w = *state;
	struct wt_action ask;
	wt_step_ref ref;

	PLAN_BEGIN(w, a_step(3, 0, true), a_step(1, 0, true), wait_item);
	ask = expect_ask(w, WT_ACTION_SCRIPT_ASK, 0);
	ref = made(w, &ask, 0, 1);
	expect(w, WT_ACTION_STEP_CONNECT, 1);
	ask = expect_ask(w, WT_ACTION_SCRIPT_ASK, 1);
	wt_model_script_busy(w->model, w->now_us, ask.job, 1, 60 * SECOND_US);
	wt_model_step_connected(w->model, w->now_us, ref, 0, true);
	expect(w, WT_ACTION_STEP_STARTED, 1);
	wt_model_step_sent(w->model, w->now_us, ref, 0, true);
	pass(w, 3 * SECOND_US - 1);
	expect_nothing(w);
	pass(w, 1);
	step_ends(w, ref, 1);
	ask = expect_ask(w, WT_ACTION_SCRIPT_ASK, 1);	/* there may be room now */
	wt_model_script_busy(w->model, w->now_us, ask.job, 1, 60 * SECOND_US);
	pass(w, 60 * SECOND_US - 1);
	expect_nothing(w);
	pass(w, 1);
	ask = expect_ask(w, WT_ACTION_SCRIPT_ASK, 1);
	wt_model_script_refused(w->model, w->now_us, ask.job, 1);
	script_ends(w, 0);	/* wait's */
}

static void test_lost_answer(void **state)
{
	struct node_world *w = *state;
	struct wt_action ask, look;
	wt_step_ref ref;
	uint32_t mark;

	PLAN_BEGIN(w, a_step(3, 0, false));
	ask = expect_ask(w, WT_ACTION_SCRIPT_ASK, 0);
	mark = wt_model_script_mark(w->model, ask.job, 0);
	wt_model_script_unsure(w->model, w->now_us, ask.job, 0);
	pass(w, SECOND_US);
	look = expect_ask(w, WT_ACTION_SCRIPT_LOOK, 0);
	assert_int_equal(wt_model_script_mark(w->model, look.job, 0), mark);
	wt_model_script_unsure(w->model, w->now_us, look.job, 0);	/* this one, too */
	pass(w, SECOND_US);
	look = expect_ask(w, WT_ACTION_SCRIPT_LOOK, 0);
	wt_model_script_missing(w->model, w->now_us, look.job, 0);
	ask = expect_ask(w, WT_ACTION_SCRIPT_ASK, 0);
	wt_model_script_unsure(w->model, w->now_us, ask.job, 0);
	pass(w, SECOND_US);
	look = expect_ask(w, WT_ACTION_SCRIPT_LOOK, 0);
	ref = made(w, &look, 0, 3);
	step_starts(w, ref, 3);
	pass(w, 3 * SECOND_US);
	step_ends(w, ref, 3);
	script_ends(w, 0);
}

/* The question whose answer was lost has made a step after all: what keeps the next one busy is looked for. */
static void test_busy_in_doubt(void **state)
{
	struct node_world *w = *state;
	struct wt_action ask, look;
	uint32_t mark;

	PLAN_BEGIN(w, a_step(3, 0, true), a_step(3, 0, false));
	ask = expect_ask(w, WT_ACTION_SCRIPT_ASK, 0);
	mark = wt_model_script_mark(w->model, ask.job, 0);
	wt_model_script_unsure(w->model, w->now_us, ask.job, 0);
	ask = expect_ask(w, WT_ACTION_SCRIPT_ASK, 1);
	assert_false(wt_model_script_orphan(w->model, ask.job, 1, mark, 0));	/* will be looked for itself */
	assert_false(wt_model_script_orphan(w->model, ask.job, 1, mark + 1, 0));	/* its own */
	assert_false(wt_model_script_orphan(w->model, ask.job, 1, mark + 2, 0));
	assert_false(wt_model_script_orphan(w->model, ask.job, 1, mark - 1, 0));	/* of another life */
	wt_model_script_refused(w->model, w->now_us, ask.job, 1);
	script_ends(w, 1 << 8);
	pass(w, SECOND_US);
	expect_nothing(w);
	PLAN_BEGIN(w, a_step(3, 0, false));
	ask = expect_ask(w, WT_ACTION_SCRIPT_ASK, 0);
	wt_model_script_unsure(w->model, w->now_us, ask.job, 0);
	pass(w, SECOND_US);
	look = expect_ask(w, WT_ACTION_SCRIPT_LOOK, 0);
	wt_model_script_missing(w->model, w->now_us, look.job, 0);
	ask = expect_ask(w, WT_ACTION_SCRIPT_ASK, 0);
	wt_model_script_busy(w->model, w->now_us, ask.job, 0, 60 * SECOND_US);
	pass(w, 5 * SECOND_US);
	expect_ask(w, WT_ACTION_SCRIPT_LOOK, 0);
}

/* A requeued job counts its steps from 0 again, while its node remembers those of before. */
static void test_requeued(void **state)
{
	struct node_world *w = *state;
	const struct wt_plan_item items[] = { a_step(3, 0, false) };
	struct wt_action ask;
	uint32_t mark;
	wt_step_ref ref;

	PLAN_BEGIN(w, a_step(3, 0, false));
	ask = expect_ask(w, WT_ACTION_SCRIPT_ASK, 0);
	mark = wt_model_script_mark(w->model, ask.job, 0);
	ref = made(w, &ask, 0, 1);
	step_starts(w, ref, 1);
	wt_model_crash(w->model, w->now_us, 0);
	expect_event(w, WT_EVENT_END, 0, 137);
	wt_model_crash(w->model, w->now_us, 1);
	expect_nothing(w);
	pass(w, 2 * SECOND_US);
	assert_int_equal(plan_launch(w, items, 1, 1), WT_RC_SUCCESS);
	expect_event(w, WT_EVENT_REQUEUE, 0, NAN);
	expect_event(w, WT_EVENT_START, 0, 4);
	assert_null(wt_model_script_step(w->model, ask.job, 0));	/* the question of before */
	ask = expect_ask(w, WT_ACTION_SCRIPT_ASK, 0);
	assert_int_not_equal(wt_model_script_mark(w->model, ask.job, 0), mark);
	ref = made(w, &ask, 0, 1);
	expect(w, WT_ACTION_STEP_FREE, 1);
	step_starts(w, ref, 1);
	pass(w, 3 * SECOND_US);
	step_ends(w, ref, 1);
	script_ends(w, 0);
}

static void test_killed(void **state)
{
	struct node_world *w = *state;
	struct wt_action ask;
	wt_step_ref ref;
	uint32_t node = 1;

	PLAN_BEGIN(w, a_step(3, 0, true), a_step(3, 0, false));
	ask = expect_ask(w, WT_ACTION_SCRIPT_ASK, 0);
	ref = made(w, &ask, 0, 1);
	expect(w, WT_ACTION_STEP_CONNECT, 1);
	ask = expect_ask(w, WT_ACTION_SCRIPT_ASK, 1);
	wt_model_step_connected(w->model, w->now_us, ref, 0, true);
	expect(w, WT_ACTION_STEP_STARTED, 1);
	wt_model_step_sent(w->model, w->now_us, ref, 0, true);
	assert_int_equal(terminate(w, 0, 4), WT_RC_SUCCESS);
	expect_event(w, WT_EVENT_CANCEL, 0, SIGTERM);
	script_told(w, SIGTERM);
	expect(w, WT_ACTION_EPILOG_COMPLETE, 0);
	assert_int_equal(wt_model_script_created(w->model, w->now_us, ask.job, 1, 1, &node, 1, &ref), WT_RC_INVALID_JOB_ID);
	pass(w, 3 * SECOND_US - 1);
	expect_nothing(w);
	pass(w, 1);
	expect(w, WT_ACTION_STEP_CLOSE, 1);	/* its own node has not been told yet */
}

static void test_stopped(void **state)
{
	struct node_world *w = *state;
	struct wt_action ask;
	wt_step_ref ref;

	PLAN_BEGIN(w, span(4, false), a_step(3, 0, false));
	pass(w, SECOND_US);
	wt_model_suspend(w->model, w->now_us, 0, WORLD_JOB, true);
	pass(w, 50 * SECOND_US);
	expect_nothing(w);
	wt_model_suspend(w->model, w->now_us, 0, WORLD_JOB, false);
	pass(w, 3 * SECOND_US - 1);
	expect_nothing(w);
	pass(w, 1);
	ask = expect_ask(w, WT_ACTION_SCRIPT_ASK, 1);
	wt_model_suspend(w->model, w->now_us, 0, WORLD_JOB, true);
	ref = made(w, &ask, 0, 1);
	step_starts(w, ref, 1);
	pass(w, 50 * SECOND_US);
	expect_nothing(w);
	wt_model_suspend(w->model, w->now_us, 0, WORLD_JOB, false);
	wt_model_suspend(w->model, w->now_us, 1, WORLD_JOB, false);
	pass(w, 3 * SECOND_US);
	step_ends(w, ref, 1);
	script_ends(w, 0);
}

static void images_copy(struct wt_model *from, struct wt_model *to)
{
	struct wt_job_image job;
	struct wt_step_image step;
	struct wt_stepd_image stepd;
	wt_step_ref ref;

	for (uint32_t at = 0; wt_model_image(from, &at, &job); wt_job_image_clear(&job))
		assert_int_equal(wt_model_restore(to, &job), 0);
	for (uint32_t at = 0; wt_model_step_image(from, &at, &step); free(step.nodes)) {
		assert_int_equal(wt_model_step_restore(to, &step, &ref), 0);
		for (uint32_t rank = 0; rank < step.count; rank++)
			if (wt_model_stepd_image(from, step.ref, rank, &stepd))
				assert_int_equal(wt_model_stepd_restore(to, &stepd), 0);
	}
}

static void goes_on(struct node_world *w)
{
	struct wt_action ask = expect_ask(w, WT_ACTION_SCRIPT_LOOK, 3);	/* was it made? */
	wt_step_ref ref;

	wt_model_script_missing(w->model, w->now_us, ask.job, 3);
	ask = expect_ask(w, WT_ACTION_SCRIPT_ASK, 3);
	wt_model_script_refused(w->model, w->now_us, ask.job, 3);
	pass(w, 20 * SECOND_US - 1);
	expect_nothing(w);
	pass(w, 1);
	ref = expect(w, WT_ACTION_STEP_CLOSE, 1).step;
	wt_model_step_closed(w->model, w->now_us, ref, 0);
	expect(w, WT_ACTION_STEP_EXIT, 1);
	wt_model_step_sent(w->model, w->now_us, ref, 0, true);
	expect(w, WT_ACTION_STEP_COMPLETE, 1);
	wt_model_step_acked(w->model, w->now_us, ref, 0);
	ask = expect_ask(w, WT_ACTION_SCRIPT_ASK, 1);
	ref = made(w, &ask, 1, 2);
	step_starts(w, ref, 2);
	pass(w, SECOND_US);
	step_ends(w, ref, 2);
	expect_nothing(w);
	pass(w, SECOND_US);
	script_ends(w, 0);
}

/* The process dies while one step runs, one is asked for, one has no room and a span of time passes. */
static void test_restart(void **state)
{
	struct node_world *w = *state, *after;
	struct wt_action ask;
	wt_step_ref ref;
	void *fresh;

	PLAN_BEGIN(w, a_step(30, 0, true), a_step(1, 0, true), span(20, true), a_step(1, 4 << 8, true), wait_item,
		   span(1, false));
	ask = expect_ask(w, WT_ACTION_SCRIPT_ASK, 0);
	ref = made(w, &ask, 0, 1);
	expect(w, WT_ACTION_STEP_CONNECT, 1);
	ask = expect_ask(w, WT_ACTION_SCRIPT_ASK, 1);
	wt_model_script_busy(w->model, w->now_us, ask.job, 1, 60 * SECOND_US);
	ask = expect_ask(w, WT_ACTION_SCRIPT_ASK, 3);
	wt_model_step_connected(w->model, w->now_us, ref, 0, true);
	expect(w, WT_ACTION_STEP_STARTED, 1);
	wt_model_step_sent(w->model, w->now_us, ref, 0, true);
	pass(w, 10 * SECOND_US);
	assert_int_equal(world_open(&fresh), 0);
	after = fresh;
	after->now_us = w->now_us;
	images_copy(w->model, after->model);
	wt_model_resume(after->model, after->now_us);
	goes_on(after);
	world_close(&fresh);
}

/* The script waits for a step that runs on, or has ended meanwhile. */
static void restart_waiting(struct node_world *w, struct node_world *after)
{
	struct wt_action ask;
	wt_step_ref ref;

	PLAN_BEGIN(w, a_step(30, 0, true), wait_item, span(1, false));
	ask = expect_ask(w, WT_ACTION_SCRIPT_ASK, 0);
	ref = made(w, &ask, 0, 1);
	step_starts(w, ref, 1);
	pass(w, 10 * SECOND_US);
	after->now_us = w->now_us;
	images_copy(w->model, after->model);
	wt_model_resume(after->model, after->now_us);
	pass(after, 20 * SECOND_US - 1);
	expect_nothing(after);
	pass(after, 1);
	ref = expect(after, WT_ACTION_STEP_CLOSE, 1).step;
	wt_model_step_closed(after->model, after->now_us, ref, 0);
	expect(after, WT_ACTION_STEP_EXIT, 1);
	wt_model_step_sent(after->model, after->now_us, ref, 0, true);
	expect(after, WT_ACTION_STEP_COMPLETE, 1);
	wt_model_step_acked(after->model, after->now_us, ref, 0);
	pass(after, SECOND_US);
	script_ends(after, 0);
}

static void test_restart_waits(void **state)
{
	void *fresh;

	assert_int_equal(world_open(&fresh), 0);
	restart_waiting(*state, fresh);
	world_close(&fresh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		EPILOG_TEST(test_one_after_the_other), EPILOG_TEST(test_busy), EPILOG_TEST(test_lost_answer),
		EPILOG_TEST(test_busy_in_doubt),
		EPILOG_TEST(test_requeued), EPILOG_TEST(test_killed), EPILOG_TEST(test_stopped), EPILOG_TEST(test_restart),
		EPILOG_TEST(test_restart_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
