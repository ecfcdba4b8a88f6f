/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What survives this process: out of the model and into it again. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/model_image.h"
#include "harness/vnode/model/model_private.h"

static void image_fill(const struct job *job, struct wt_job_image *image)
{
	*image = (struct wt_job_image){
		.job_id = job->job_id,
		.uid = job->uid,
		.array_job_id = job->array_job_id,
		.array_task_id = job->array_task_id,
		.batch_node = job->batch_node,
		.script = job->script,
		.pause = job->pause,
		.pending_signal = job->pending_signal,
		.probe = job->probe,
		.cancelled = job->cancelled,
		.wait_status = job->wait_status,
		.run_time_us = job->run_time_us,
		.run_until_us = job->run_until_us,
		.touched_us = job->touched_us,
		.revoked_s = job->revoked_s,
		.speculates = job->speculates,
		.restart = job->restart,
		.work_us = job->work_us,
		.total_us = job->total_us,
		.begun_us = job->begun_us,
	};
}

static void text_take(struct wt_str *from, uint8_t **bytes, size_t *len)
{
	*len = from->failed ? 0 : from->len;
	*bytes = (uint8_t *) from->text;
	*from = (struct wt_str) { 0 };
}

/* When memory is short, the script has none: it ends at the next restart. */
static void image_plan(const struct job *job, bool whole, struct wt_job_image *image)
{
	const struct wt_script_plan *plan = plan_of(job, &image->plan_fixed);
	struct wt_str text = { 0 };

	if (!plan || job->script == SCRIPT_NONE)
		return;
	if (whole) {
		wt_plan_pack(plan, &text);
		text_take(&text, &image->plan, &image->plan_len);
	}
	plan_state_pack(job, &text);
	text_take(&text, &image->plan_state, &image->plan_state_len);
}

void wt_job_image_clear(struct wt_job_image *image)
{
	free(image->plan);
	free(image->plan_state);
	image->plan = image->plan_state = NULL;
	image->plan_len = image->plan_state_len = 0;
}

static void image_nodes(const struct job *job, struct wt_job_image *image)
{
	image->nodes_given = true;
	if (job->script == SCRIPT_NONE)
		return;		/* its "terminate" brings them */
	image->nodes_hash = job->nodes_hash;
	/* Borrowed: it is written before anything changes the job. */
	image->nodes = job->nodes;
}

bool wt_model_changed(struct wt_model *model, struct wt_job_image *image)
{
	while (model->changed_count) {
		/* From the end, in no order: each image is of a job as it now is, and of each there is one. */
		struct job *job = &model->jobs[model->changed[--model->changed_count]];

		if (!job->changed)
			continue;	/* forgotten meanwhile */
		image_fill(job, image);
		if (job->nodes_changed)
			image_nodes(job, image);
		image_plan(job, job->nodes_changed, image);
		job->changed = job->nodes_changed = false;
		return true;
	}
	return false;
}

bool wt_model_image(const struct wt_model *model, uint32_t *at, struct wt_job_image *image)
{
	while (*at < model->job_used) {
		const struct job *job = &model->jobs[(*at)++];

		if (!job->job_id)
			continue;
		image_fill(job, image);
		image_nodes(job, image);
		image_plan(job, true, image);
		return true;
	}
	return false;
}

/* The ranges come from a file: sorted, apart from each other, inside the cluster, ranks in order. */
static bool nodes_good(const struct wt_model *model, const struct wt_nodeset *nodes)
{
	uint64_t next = 0;
	uint32_t rank = 0;

	for (uint32_t i = 0; i < nodes->range_count; i++) {
		const struct wt_node_range *range = &nodes->ranges[i];

		/* In 64 bits: the sum of two numbers of a damaged file may wrap in 32. */
		if (!range->count || range->first < next || (uint64_t) range->first + range->count > model->node_count ||
		    range->rank != rank)
			return false;
		next = (uint64_t) range->first + range->count;
		rank += range->count;
	}
	return rank == nodes->count;
}

static bool image_good(const struct wt_model *model, const struct wt_job_image *image)
{
	/* Each becomes an index, a state or a term of a sum: of a damaged file nothing else may get into the model. */
	return image->job_id && image->script < WT_IMAGE_SCRIPTS && image->pause < WT_IMAGE_PAUSES &&
	       image->pending_signal < WT_IMAGE_SIGNALS && image->probe <= WT_PROBE_STEP &&
	       (image->batch_node < model->node_count || (image->batch_node == WT_NODE_NONE &&
							  image->script == SCRIPT_NONE)) &&
	       image->run_time_us >= 0 && image->run_time_us <= JOB_BEHAVIOUR_MAX_RUN_TIME_US && image->run_until_us >= 0 &&
	       image->work_us >= 0 && image->work_us <= JOB_BEHAVIOUR_MAX_RUN_TIME_US && image->total_us >= 0 &&
	       image->total_us <= JOB_BEHAVIOUR_MAX_RUN_TIME_US && image->begun_us >= 0 && image->begun_us < INT64_MAX / 2 &&
	       image->touched_us >= 0 && image->touched_us < INT64_MAX / 2 && nodes_good(model, &image->nodes);
}

static int job_nodes_copy(struct wt_model *model, struct job *job, const struct wt_job_image *image)
{
	struct wt_nodeset copy = image->nodes;
	int rc;

	job_nodes_clear(model, job);
	if (!image->nodes_hash)
		return 0;
	/* One more: malloc (0) may return NULL. */
	copy.ranges = malloc((copy.range_count + 1) * sizeof(*copy.ranges));
	if (!copy.ranges)
		return -1;
	if (copy.range_count)
		memcpy(copy.ranges, image->nodes.ranges, copy.range_count * sizeof(*copy.ranges));
	/* No node counts as told: slurmctld repeats "terminate" to all that it still waits for. */
	rc = job_nodes_set(model, job, &copy, image->nodes_hash, true);
	wt_nodeset_clear(&copy);	/* empty when it was taken */
	return rc;
}

/* The script of before is gone; its plan goes on if the image has only its state. */
static int job_plan_restore(struct wt_model *model, struct job *job, const struct wt_job_image *image)
{
	struct wt_script_plan plan = { 0 };
	struct plan_run *before = job->run;

	/* Hidden from script_gone (), which would drop the plan. */
	job->run = NULL;
	script_gone(model, job);
	job->run = before;
	if (image->plan_len && wt_plan_unpack(&plan, image->plan, image->plan_len) < 0)
		return -1;
	if (image->plan_len || !image->plan_state_len)
		plan_drop(NULL, job);
	if (image->plan_len && plan_take(job, &plan, image->plan_fixed) < 0) {
		wt_script_plan_clear(&plan);
		return -1;
	}
	wt_script_plan_clear(&plan);
	return image->plan_state_len ? plan_state_unpack(job, image->plan_state, image->plan_state_len) : 0;
}

int wt_model_restore(struct wt_model *model, const struct wt_job_image *image)
{
	struct job *job;

	if (!image_good(model, image)) {
		errno = EINVAL;
		return -1;
	}
	job = job_find(model, image->job_id);
	if (!job)
		job = job_create(model, image->touched_us, image->job_id, image->uid);
	if (!job || (image->nodes_given && job_nodes_copy(model, job, image) < 0)) {
		errno = ENOMEM;
		return -1;
	}
	if (job_plan_restore(model, job, image) < 0)
		return -1;
	job->uid = image->uid;
	job->array_job_id = image->array_job_id;
	job->array_task_id = image->array_task_id;
	job->batch_node = image->batch_node;
	job->pause = image->pause;
	job->pending_signal = image->pending_signal;
	job->probe = image->probe;
	job->cancelled = image->cancelled;
	job->wait_status = image->wait_status;
	job->run_time_us = image->run_time_us;
	job->run_until_us = image->run_until_us;
	job->touched_us = image->touched_us;
	job->revoked_s = image->revoked_s;
	job->speculates = image->speculates;
	job->restart = image->restart;
	job->work_us = image->work_us;
	job->total_us = image->total_us;
	job->begun_us = image->begun_us;
	if (image->script == SCRIPT_NONE)
		job_nodes_clear(model, job);
	else
		script_listed(model, job, (enum script_state) image->script);
	return 0;
}

static void job_resume(struct wt_model *model, struct job *job, int64_t now_us)
{
	switch (job->script) {
	case SCRIPT_NONE:
		break;
	case SCRIPT_PROBING:
		/* Whether the probe was answered is not known, nor how much of a launch delay was left: it begins anew. */
		script_begin(model, job, now_us);
		break;
	case SCRIPT_RUNNING:
		if (job->run) {
			plan_resume(model, job, now_us);
			break;
		}
		if (job->pause != PAUSE_NONE)
			break;
		/* A script whose end fell into the time without this process ended then, not now. */
		if (job->run_until_us <= now_us)
			script_run_over(model, job, job->run_until_us);
		else
			job->run_timer = timer_arm(model, job, TIMER_RUN, job->run_until_us, job->batch_node);
		break;
	case SCRIPT_ENDED:
		/* It may have been told, and the answer lost with the process before: better twice than never. */
		action_add(model, job, WT_ACTION_BATCH_COMPLETE, job->batch_node, now_us);
		break;
	}
}

void wt_model_resume(struct wt_model *model, int64_t now_us)
{
	for (uint32_t i = 0; i < model->job_used; i++) {
		if (model->jobs[i].job_id)
			job_resume(model, &model->jobs[i], now_us);
	}
	steps_resume(model, now_us);
}
