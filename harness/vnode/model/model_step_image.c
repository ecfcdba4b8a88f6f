/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of a step survives this process: out of the model and into it again. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/model_image.h"
#include "harness/vnode/model/model_private.h"

static bool stepd_alive(const struct stepd *stepd)
{
	return stepd->state != STEPD_ABSENT && stepd->state != STEPD_GONE;
}

/* False: no memory. */
static bool step_fill(const struct wt_model *model, struct step *step, bool nodes, struct wt_step_image *image)
{
	*image = (struct wt_step_image) {
		.job_id = step->job_id, .step_id = step->step_id, .step_het_comp = step->het_comp, .uid = step->uid,
		.count = step->count, .io = step->io, .touched_us = step->touched_us, .ref = step_ref(model, step),
	};
	/* A step's nodes never change: they are written once, the states of its slurmstepds often. */
	if (!nodes)
		return true;
	image->nodes = malloc(step->count * sizeof(*image->nodes));
	for (uint32_t i = 0; image->nodes && i < step->count; i++)
		image->nodes[i] = step->stepds[i].node;
	step->given = image->nodes != NULL;
	return step->given;
}

static void stepd_fill(const struct step *step, uint32_t rank, struct wt_stepd_image *image)
{
	const struct stepd *stepd = &step->stepds[rank];

	*image = (struct wt_stepd_image) {
		.job_id = step->job_id, .step_id = step->step_id, .step_het_comp = step->het_comp, .rank = rank,
		.state = stepd->state, .pause = stepd->pause, .pending_signal = stepd->pending_signal, .over = stepd->over,
		.status = stepd->status, .below = stepd->below, .holder = stepd->holder, .run_us = stepd->run_us,
	};
}

bool wt_model_stepd_changed(struct wt_model *model, struct wt_step_image *image, struct wt_stepd_image *stepd)
{
	while (model->stepd_change_count) {
		const struct stepd_change *change = &model->stepd_changes[model->stepd_change_count - 1];
		struct step *step = &model->steps[change->slot];
		uint32_t rank = change->rank;

		model->stepd_change_count--;
		if (!step->job_id || rank >= step->count || !step->stepds[rank].changed)
			continue;	/* forgotten meanwhile */
		if (!step_fill(model, step, !step->given, image))
			continue;
		stepd_fill(step, rank, stepd);
		step->stepds[rank].changed = false;
		return true;
	}
	return false;
}

bool wt_model_step_image(struct wt_model *model, uint32_t *at, struct wt_step_image *image)
{
	while (*at < model->step_used) {
		struct step *step = &model->steps[(*at)++];

		/* One whose slurmstepds are all gone has nothing left to tell: it need not outlive the process. */
		if (step->job_id && step->alive)
			return step_fill(model, step, true, image);
	}
	return false;
}

bool wt_model_stepd_image(const struct wt_model *model, wt_step_ref ref, uint32_t rank, struct wt_stepd_image *image)
{
	const struct step *step = step_deref(model, ref);

	if (!step || rank >= step->count ||
	    (step->stepds[rank].state == STEPD_ABSENT && step->stepds[rank].holder == rank))
		return false;
	stepd_fill(step, rank, image);
	return true;
}

static bool step_good(const struct wt_model *model, const struct wt_step_image *image)
{
	bool good = image->job_id && image->count && image->count <= model->node_count && image->touched_us >= 0 &&
		    image->touched_us < INT64_MAX / 2;
	/* Twice the same node would be two slurmstepds of one step on it, and stepd_find () would find only one. */
	uint8_t *seen = good ? calloc(model->node_count, 1) : NULL;

	for (uint32_t i = 0; seen && good && i < image->count; i++)
		good = image->nodes[i] < model->node_count && !seen[image->nodes[i]]++;
	good = good && seen;
	free(seen);
	return good;
}

int wt_model_step_restore(struct wt_model *model, const struct wt_step_image *image, wt_step_ref *ref)
{
	const struct wt_step_launch launch = {
		.job_id = image->job_id, .step_id = image->step_id, .step_het_comp = image->step_het_comp, .uid = image->uid,
		.io = image->io, .nodes = image->nodes, .node_count = image->count,
	};
	struct step *step;

	if (!step_good(model, image)) {
		errno = EINVAL;
		return -1;
	}
	step = step_find(model, image->job_id, image->step_id, image->step_het_comp);
	/* The journal tells of it again, as after a compaction: what was restored before is void. */
	for (uint32_t i = 0; step && i < step->count; i++) {
		if (stepd_alive(&step->stepds[i]))
			stepd_gone(model, step, i, image->touched_us);
	}
	if (step)
		step_forget(model, step, image->touched_us);
	step = step_create(model, image->touched_us, &launch);
	if (!step) {
		errno = ENOMEM;
		return -1;
	}
	step->given = true;
	*ref = step_ref(model, step);
	return 0;
}

static bool stepd_good(const struct step *step, const struct wt_stepd_image *image)
{
	/* Of another process's slurmstepd is known, at most, who has heard of its end. */
	return image->rank < step->count && (image->state > STEPD_ABSENT || image->holder != image->rank) &&
	       image->state <= STEPD_GONE && image->pause < WT_IMAGE_PAUSES &&
	       image->pending_signal < WT_IMAGE_SIGNALS && image->holder < step->count &&
	       image->run_us >= 0 && image->run_us < INT64_MAX / 2;
}

int wt_model_stepd_restore(struct wt_model *model, const struct wt_stepd_image *image)
{
	struct step *step = step_find(model, image->job_id, image->step_id, image->step_het_comp);
	struct stepd *stepd;

	if (!step || !stepd_good(step, image)) {
		errno = EINVAL;
		return -1;
	}
	stepd = &step->stepds[image->rank];
	if (image->state == STEPD_ABSENT) {
		stepd->holder = image->holder;
		return 0;
	}
	if (!stepd_alive(stepd))
		stepd_list(model, step, image->rank);
	stepd->state = image->state;
	stepd->pause = image->pause;
	stepd->pending_signal = image->pending_signal;
	stepd->over = image->over;
	stepd->status = image->status;
	stepd->below = image->below;
	stepd->holder = image->holder;
	stepd->run_us = image->run_us;
	/* Listed and then taken out, so that the counts go the one way that they always go. */
	if (image->state == STEPD_GONE)
		stepd_gone(model, step, image->rank, step->touched_us);
	stepd->changed = false;
	return 0;
}

/* How many it has not heard of: model_private.h.  Less than none while it does not wait yet, as in stepd_tree_enter (). */
static uint32_t untold_count(const struct step *step, uint32_t rank, const struct wt_steptree *place)
{
	uint32_t untold = step->stepds[rank].state == STEPD_WAITING ? place->children : 0;

	/* The slurmstepds below a rank in the tree have the ranks behind it. */
	for (uint32_t i = rank + 1; i <= rank + place->children; i++)
		untold -= step->stepds[i].holder == rank;
	return untold;
}

static void stepd_resume(struct wt_model *model, struct step *step, uint32_t rank, int64_t now_us)
{
	struct stepd *stepd = &step->stepds[rank];
	struct wt_steptree place;

	/* run_us is a moment while tasks run: those that should have ended meanwhile end at once. */
	if (stepd_tasks_run(stepd) && stepd->pause == PAUSE_NONE)
		stepd_run_arm(model, step, rank);
	switch (stepd->state) {
	case STEPD_CONNECTING:
		stepd_launch(model, step, rank, now_us);
		break;
	case STEPD_STARTING:
		stepd_started_add(model, step, rank, now_us);
		break;
	case STEPD_CLOSING:
		step_action(model, step, WT_ACTION_STEP_CLOSE, rank, now_us);
		break;
	case STEPD_EXITING:
		step_action(model, step, WT_ACTION_STEP_EXIT, rank, now_us);
		break;
	case STEPD_WAITING:
		wt_steptree_place(rank, step->count, &place);
		if (stepd->untold)
			/* How long it has waited already is not in the image: it waits anew. */
			stepd_next_arm(model, step, rank, now_us + stepd_children_wait_us(&place));
		else
			stepd_tree_go_on(model, step, rank, now_us);
		break;
	case STEPD_TELLING:
		stepd_tell(model, step, rank, now_us);
		break;
	}
}

void steps_resume(struct wt_model *model, int64_t now_us)
{
	for (uint32_t i = 0; i < model->step_used; i++) {
		struct step *step = &model->steps[i];

		/* All of them first: stepd_resume () may count down what is untold of a parent. */
		for (uint32_t rank = 0; step->job_id && rank < step->count; rank++) {
			struct wt_steptree place;

			wt_steptree_place(rank, step->count, &place);
			step->stepds[rank].untold = untold_count(step, rank, &place);
		}
		for (uint32_t rank = 0; step->job_id && rank < step->count; rank++)
			stepd_resume(model, step, rank, now_us);
	}
}
