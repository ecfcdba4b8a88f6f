/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How fast scripts get on, and what the model tells of it. */
#include "config.h"

#include "harness/vnode/model/test_world.h"
#include "harness/vnode/model/speed.h"

static const struct wt_settings noisy = { .noise = 0.5, .seed = 3 }, stuck = { .hang = 0.25 };

static void test_even(void **state)
{
	const struct wt_speed speed = { .job_id = 1, .work_us = 10 * SECOND_US }, nothing = { .job_id = 1 };

	(void) state;
	assert_true(wt_speed_run_time_us(&speed) == 10 * SECOND_US);
	assert_true(wt_speed_hang_us(&speed) == -1);
	assert_true(wt_speed_progress(&speed, 0) == 0);
	assert_true(wt_speed_progress(&speed, -1) == 0);
	assert_true(wt_speed_progress(&speed, 5 * SECOND_US) == 0.5);
	assert_true(wt_speed_progress(&speed, 11 * SECOND_US) == 1);
	assert_true(wt_speed_run_time_us(&nothing) == 0);
	assert_true(wt_speed_progress(&nothing, 0) == 1);
}

static void test_noise(void **state)
{
	double sum = 0;

	(void) state;
	for (uint32_t job = 1; job <= 1000; job++) {
		struct wt_speed speed = { .settings = &noisy, .job_id = job, .work_us = 60 * SECOND_US };
		int64_t run_us = wt_speed_run_time_us(&speed);
		double before = 0;

		assert_in_range(run_us, 40 * SECOND_US, 120 * SECOND_US);
		for (int i = 0; i <= 40; i++) {
			double progress = wt_speed_progress(&speed, run_us * i / 40);

			assert_true(progress >= before && progress <= 1);
			before = progress;
		}
		assert_true(before > 0.999999);
		assert_true(wt_speed_progress(&speed, run_us - SECOND_US) < 1);
		sum += (double) run_us / 1e6;
		speed.restart = 1;
		assert_true(wt_speed_run_time_us(&speed) != run_us);	/* another life, other draws */
		speed.restart = 0;
		assert_true(wt_speed_run_time_us(&speed) == run_us);	/* the same life, the same */
	}
	assert_in_range(sum, 60000, 66000);	/* slower intervals last longer: a little above the work */
}

static void test_long(void **state)
{
	struct wt_speed speed = { .settings = &noisy, .job_id = 5, .work_us = JOB_BEHAVIOUR_MAX_RUN_TIME_US };

	(void) state;
	assert_in_range(wt_speed_run_time_us(&speed), JOB_BEHAVIOUR_MAX_RUN_TIME_US / 10 * 9,
			JOB_BEHAVIOUR_MAX_RUN_TIME_US / 10 * 12);
}

static void test_stuck(void **state)
{
	uint32_t count = 0;

	(void) state;
	for (uint32_t job = 1; job <= 10000; job++) {
		const struct wt_speed speed = { .settings = &stuck, .job_id = job, .work_us = 60 * SECOND_US };
		int64_t hang_us = wt_speed_hang_us(&speed);

		assert_true(hang_us >= -1 && hang_us < 60 * SECOND_US);
		count += hang_us >= 0;
	}
	assert_in_range(count, 2300, 2700);
}

static enum wt_rc launch_speculating(struct node_world *w, uint32_t job_id, uint16_t wait_status)
{
	struct wt_launch launch = {
		.job_id = job_id, .uid = UID, .array_task_id = UINT32_MAX, .restart_count = 2, .speculates = true,
			.nodes = nodes_of(0, 1),
		.nodes_hash = 1, .behaviour = { .run_time_us = 10 * SECOND_US, .wait_status = wait_status },
	};

	enum wt_rc rc = wt_model_launch(w->model, w->now_us, 0, &launch);

	expect_event(w, WT_EVENT_REQUEUE, 0, NAN);
	return rc;
}

static void expect_beat(struct node_world *w, int64_t elapsed_us, double progress, bool ended)
{
	struct wt_action action = expect(w, WT_ACTION_BEAT, 0);

	assert_true(action.elapsed_us == elapsed_us && action.value == progress && action.ended == ended);
	assert_int_equal(action.restart, 2);
}

static uint32_t beats(struct node_world *w, struct wt_model_beat *beat, uint32_t *alive)
{
	return wt_model_beats(w->model, w->now_us, 0, beat, 1, alive);
}

static void test_beats(void **state)
{
	struct node_world *w = *state;
	struct wt_model_beat beat;
	uint32_t alive;

	assert_int_equal(launch_speculating(w, WORLD_JOB, 0), WT_RC_SUCCESS);
	expect_event(w, WT_EVENT_START, 0, 1);
	expect_beat(w, 0, 0, false);
	pass(w, 4 * SECOND_US);
	assert_int_equal(beats(w, &beat, &alive), 1);
	assert_int_equal(alive, 1);
	assert_true(beat.job_id == WORLD_JOB && beat.restart == 2);
	assert_true(beat.elapsed_us == 4 * SECOND_US && beat.progress == 0.4);
	wt_model_suspend(w->model, w->now_us, 0, WORLD_JOB, true);
	pass(w, 3 * SECOND_US);
	assert_int_equal(beats(w, &beat, &alive), 0);	/* stopped: it says nothing */
	assert_int_equal(alive, 1);
	wt_model_suspend(w->model, w->now_us, 0, WORLD_JOB, false);
	pass(w, SECOND_US);
	assert_int_equal(beats(w, &beat, &alive), 1);
	assert_true(beat.elapsed_us == 8 * SECOND_US && beat.progress == 0.5);
	pass(w, 5 * SECOND_US);
	expect_beat(w, 13 * SECOND_US, 1, true);
	expect_event(w, WT_EVENT_END, 0, 0);
	assert_int_equal(beats(w, &beat, &alive), 0);
	assert_int_equal(alive, 0);
}

static void test_silent_ends(void **state)
{
	struct node_world *w = *state;
	struct wt_model_beat beat;
	uint32_t alive;

	assert_int_equal(launch_speculating(w, WORLD_JOB, 3 << 8), WT_RC_SUCCESS);
	expect_event(w, WT_EVENT_START, 0, 1);
	expect_beat(w, 0, 0, false);
	pass(w, 10 * SECOND_US);
	expect_event(w, WT_EVENT_END, 0, 3);	/* it has failed */
	assert_int_equal(beats(w, &beat, &alive), 0);
}

static void test_stuck_is_silent(void **state)
{
	static const struct wt_settings all_stuck = { .hang = 1 };
	struct node_world *w = *state;
	struct wt_model_beat beat;
	uint32_t alive;

	wt_model_faults(w->model, &all_stuck, NULL);
	assert_int_equal(launch_speculating(w, WORLD_JOB, 0), WT_RC_SUCCESS);
	expect_event(w, WT_EVENT_START, 0, 1);
	expect_beat(w, 0, 0, false);
	pass(w, 1000 * SECOND_US);
	expect_nothing(w);	/* it does not end */
	assert_int_equal(beats(w, &beat, &alive), 0);
	assert_int_equal(alive, 1);
	wt_model_signal(w->model, w->now_us, 0, WORLD_JOB, WT_TARGET_BATCH, 9, 0, true);
	expect_event(w, WT_EVENT_CANCEL, 0, 9);
	expect_event(w, WT_EVENT_END, 0, 137);
	wt_model_faults(w->model, NULL, NULL);
}

static void test_others_say_nothing(void **state)
{
	struct node_world *w = *state;
	struct wt_model_beat beat;
	uint32_t alive;

	assert_int_equal(launch(w, 1), WT_RC_SUCCESS);
	expect_event(w, WT_EVENT_START, 0, 1);
	expect_nothing(w);
	assert_int_equal(beats(w, &beat, &alive), 0);
	assert_int_equal(alive, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_even), cmocka_unit_test(test_noise), cmocka_unit_test(test_long),
			cmocka_unit_test(test_stuck),
		EPILOG_TEST(test_beats), EPILOG_TEST(test_silent_ends), EPILOG_TEST(test_stuck_is_silent),
		EPILOG_TEST(test_others_say_nothing),
	};

	return cmocka_run_group_tests_name("speed", tests, NULL, NULL);
}
