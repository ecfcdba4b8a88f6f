/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The model as a whole: its beginning and end, and its timers. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "harness/vnode/model/model_private.h"

struct wt_model *wt_model_create(uint32_t node_count, const struct wt_model_conf *conf, struct wt_timerq *timers)
{
	struct wt_model *model = calloc(1, sizeof(*model));

	if (!model)
		return NULL;
	model->conf = *conf;
	model->timers = timers;
	model->node_count = node_count;
	model->own_count = UINT32_MAX;
	/* Pointers, so that the files of steps and plans stand below those of jobs and call upwards without a circle. */
	model->steps_gone = node_look;
	model->script_over = script_run_over;
	model->step_gone = plan_step_gone;
	/* A power of two: bucket_of () takes the low bits of the hash. */
	model->bucket_count = 1024;
	model->load = calloc(node_count ? node_count : 1, sizeof(*model->load));
	model->buckets = calloc(model->bucket_count, sizeof(*model->buckets));
	if (!model->load || !model->buckets) {
		wt_model_destroy(model);
		return NULL;
	}
	return model;
}

void wt_model_destroy(struct wt_model *model)
{
	int saved_errno = errno;

	if (model) {
		for (uint32_t i = 0; i < model->job_used; i++) {
			/* Not job_nodes_clear (): the counts that it would keep right go, too. */
			wt_nodeset_clear(&model->jobs[i].nodes);
			plan_drop(NULL, &model->jobs[i]);
			free(model->jobs[i].untold);
			free(model->jobs[i].ending);
		}
		steps_destroy(model);
		free(model->jobs);
		free(model->load);
		free(model->buckets);
		free(model->actions);
		free(model->changed);
		free(model);
	}
	errno = saved_errno;
}

void wt_model_own(struct wt_model *model, uint32_t first, uint32_t count)
{
	model->own_first = first;
	model->own_count = count;
}

void wt_model_configure(struct wt_model *model, const struct wt_model_conf *conf)
{
	model->conf = *conf;
}

static void forget_or_wait(struct wt_model *model, struct job *job, int64_t now_us)
{
	int64_t until_us = job->touched_us + model->conf.forget_s * 1000000LL;

	/* What still runs or ends, or has steps that point to it, is not forgotten, however long nothing was heard of it. */
	if (job->script != SCRIPT_NONE || job->ending_count || job->steps)
		until_us = now_us + model->conf.forget_s * 1000000LL;
	if (until_us > now_us) {
		timer_arm(model, job, TIMER_FORGET, until_us, 0);
	} else {
		script_gone(model, job);
		job_forget(model, job);
	}
}

static void script_timer(struct wt_model *model, struct job *job, int64_t now_us, uint32_t kind, uint32_t node)
{
	/* It has fired: cancelling it later would hit another timer, if its number were used again. */
	job->run_timer = 0;
	if (kind == TIMER_LAUNCH && job->script == SCRIPT_PROBING)
		script_begin(model, job, now_us);
	else if (kind == TIMER_END && job->script == SCRIPT_ENDED)
		action_add(model, job, WT_ACTION_BATCH_COMPLETE, node, now_us);
}

void wt_model_timer(struct wt_model *model, int64_t now_us, const struct wt_timer *timer)
{
	struct job *job = job_deref(model, (timer->b & ~(uint64_t) UINT32_MAX) | timer->a);
	uint32_t node = (uint32_t) timer->b;

	/* A timer of a step names a slot of the other table. */
	if (timer->kind >= TIMER_STEP_RUN && timer->kind != TIMER_PLAN) {
		steps_timer(model, now_us, timer);
		return;
	}
	if (!job)
		return;		/* of a life that is over */
	switch (timer->kind) {
	case TIMER_RUN:
		script_run_over(model, job, now_us);
		break;
	case TIMER_EPILOG:
		action_add(model, job, WT_ACTION_EPILOG_COMPLETE, node, now_us);
		break;
	case TIMER_POLL:
		node_epilog(model, job, now_us, node);
		break;
	case TIMER_EPILOG_RUN:
		node_stagger(model, job, now_us, node);
		break;
	case TIMER_LAUNCH: case TIMER_END:
		script_timer(model, job, now_us, timer->kind, node);
		break;
	case TIMER_PLAN:
		plan_timer(model, job, now_us, node);
		break;
	case TIMER_KILL:
		node_kill(model, job, now_us, node);
		break;
	case TIMER_FORGET:
		forget_or_wait(model, job, now_us);
		break;
	}
}
