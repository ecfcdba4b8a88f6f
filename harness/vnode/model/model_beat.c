/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How fast scripts get on, and what they would tell of it. */
#include "config.h"

#include "harness/vnode/model/model_private.h"
#include "harness/vnode/model/speed.h"

static struct wt_speed speed_of(const struct wt_model *model, const struct job *job)
{
	return (struct wt_speed) {
		.settings = model->settings, .job_id = job->job_id, .restart = job->restart, .work_us = job->work_us,
	};
}

/* One that gets stuck does not end by itself: its user, or its time limit, has to end it. */
void speed_fill(const struct wt_model *model, struct job *job)
{
	struct wt_speed speed = speed_of(model, job);
	int64_t run_time_us = wt_speed_hang_us(&speed) < 0 ? wt_speed_run_time_us(&speed) : JOB_BEHAVIOUR_MAX_RUN_TIME_US;

	job->total_us = run_time_us < JOB_BEHAVIOUR_MAX_RUN_TIME_US ? run_time_us : JOB_BEHAVIOUR_MAX_RUN_TIME_US;
}

static void beat_add(struct wt_model *model, const struct job *job, int64_t now_us, double progress, bool ended)
{
	/* action_add () adds nothing when memory is short: then there is no action to fill in. */
	uint32_t before = model->action_count;

	action_add(model, job, WT_ACTION_BEAT, job->batch_node, now_us);
	if (model->action_count > before) {
		struct wt_action *action = action_last(model);

		action->restart = job->restart;
		action->elapsed_us = now_us - job->begun_us;
		action->value = progress;
		action->ended = ended;
	}
}

void beat_begin(struct wt_model *model, struct job *job, int64_t now_us)
{
	if (job->begun_us)
		return;		/* it goes on after a stop */
	job->begun_us = now_us;
	if (job->speculates)
		beat_add(model, job, now_us, 0, false);
}

/* As the agent of a real node: of scripts that fail or are killed it says nothing. */
void beat_end(struct wt_model *model, const struct job *job, int64_t now_us)
{
	if (job->speculates && job->begun_us && !job->wait_status)
		beat_add(model, job, now_us, 1, true);
}

static int64_t run_so_far_us(const struct job *job, int64_t now_us)
{
	/* A script that is stopped has what is left in run_time_us, one that runs has the time of its end. */
	int64_t left_us = job->pause == PAUSE_NONE ? job->run_until_us - now_us : job->run_time_us;

	return left_us > 0 && left_us < job->total_us ? job->total_us - left_us : left_us > 0 ? 0 : job->total_us;
}

static bool beat_fill(const struct wt_model *model, const struct job *job, int64_t now_us, struct wt_model_beat *beat)
{
	struct wt_speed speed = speed_of(model, job);
	int64_t run_us = run_so_far_us(job, now_us), hang_us = wt_speed_hang_us(&speed);

	/* One that is stuck does not call progress (): its silence is what tells it from a slow one. */
	if (hang_us >= 0 && run_us >= hang_us)
		return false;
	*beat = (struct wt_model_beat) {
		.job_id = job->job_id, .restart = job->restart, .elapsed_us = now_us - job->begun_us,
		.progress = wt_speed_progress(&speed, run_us),
	};
	return true;
}

uint32_t wt_model_beats(const struct wt_model *model, int64_t now_us, uint32_t node, struct wt_model_beat *beats,
			uint32_t max, uint32_t *alive)
{
	uint32_t count = 0;

	*alive = 0;
	for (uint32_t at = model->load[node].batch_head; at; at = model->jobs[at - 1].next_batch) {
		const struct job *job = &model->jobs[at - 1];
		struct wt_model_beat beat;

		if (!job->speculates || job->script != SCRIPT_RUNNING)
			continue;
		++*alive;
		if (job->pause != PAUSE_NONE || !beat_fill(model, job, now_us, &beat))
			continue;
		if (count < max)
			beats[count] = beat;
		count++;
	}
	return count;
}
