/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long things take on nodes that are not perfect. */
#include "config.h"

#include <math.h>

#include "harness/vnode/model/model_private.h"

void wt_model_faults(struct wt_model *model, const struct wt_settings *settings, const float *factors)
{
	model->settings = settings;
	model->factors = factors;
}

static double factor_of(const struct wt_model *model, uint32_t node)
{
	return model->factors ? (double) model->factors[node] : 1;
}

static int64_t delay_draw(const struct wt_model *model, const struct wt_delay *delay, enum wt_draw what, uint32_t job_id,
			  uint32_t life, uint32_t node)
{
	double draw;

	if (delay->kind == WT_DELAY_NONE)
		return 0;
	/* By what it is about and not from a stream: the delay is the same in whichever order messages arrive. */
	draw = wt_settings_draw(model->settings, what, job_id, (uint64_t) life << 32 | node);
	return (int64_t) ((double) wt_delay_us(delay, draw) * factor_of(model, node));
}

int64_t launch_delay_us(const struct wt_model *model, const struct job *job)
{
	if (!model->settings)
		return 0;
	return delay_draw(model, &model->settings->launch, WT_DRAW_LAUNCH, job->job_id, job->generation, job->batch_node);
}

int64_t end_delay_us(const struct wt_model *model, const struct job *job)
{
	if (!model->settings)
		return 0;
	return delay_draw(model, &model->settings->end, WT_DRAW_END, job->job_id, job->generation, job->batch_node);
}

int64_t epilog_delay_us(const struct wt_model *model, const struct job *job, uint32_t node)
{
	/* The setting is the run time of the Epilog: without one there is nothing that could take it. */
	if (!model->settings || !model->conf.epilog)
		return 0;
	return delay_draw(model, &model->settings->epilog, WT_DRAW_EPILOG, job->job_id, job->generation, node);
}

int64_t step_launch_delay_us(const struct wt_model *model, const struct step *step, uint32_t rank)
{
	if (!model->settings)
		return 0;
	/* ~step_id: a step draws from other numbers than its job's script, whose lives are counted from 1. */
	return delay_draw(model, &model->settings->launch, WT_DRAW_LAUNCH, step->job_id, ~step->step_id,
			  step->stepds[rank].node);
}

static int64_t slowed(int64_t run_time_us, double factor)
{
	/* Compared as a double: the product may be more than an int64_t holds. */
	double slow_us = (double) run_time_us * factor;

	return slow_us < (double) JOB_BEHAVIOUR_MAX_RUN_TIME_US ? (int64_t) slow_us : JOB_BEHAVIOUR_MAX_RUN_TIME_US;
}

int64_t run_time_slowed_on(const struct wt_model *model, int64_t run_time_us, uint32_t node)
{
	return model->factors ? slowed(run_time_us, factor_of(model, node)) : run_time_us;
}

/* A parallel job is as slow as its slowest node. */
int64_t run_time_slowed(const struct wt_model *model, const struct job *job, int64_t run_time_us)
{
	double factor = 1;

	if (!model->factors)
		return run_time_us;
	for (uint32_t r = 0; r < job->nodes.range_count; r++) {
		const struct wt_node_range *range = &job->nodes.ranges[r];

		for (uint32_t i = 0; i < range->count; i++)
			factor = fmax(factor, factor_of(model, range->first + i));
	}
	return slowed(run_time_us, factor);
}
