/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of steps, and which of them have a slurmstepd on a node. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/model_private.h"

wt_step_ref step_ref(const struct wt_model *model, const struct step *step)
{
	return (uint64_t) step->generation << 32 | (uint32_t) (step - model->steps);
}

struct step *step_deref(const struct wt_model *model, wt_step_ref ref)
{
	uint32_t slot = (uint32_t) ref;

	if (slot >= model->step_used || !model->steps[slot].job_id || model->steps[slot].generation != ref >> 32)
		return NULL;
	return &model->steps[slot];
}

struct step *step_find(const struct wt_model *model, uint32_t job_id, uint32_t step_id, uint32_t het_comp)
{
	const struct job *job = job_find(model, job_id);

	for (uint32_t at = job ? job->steps : 0; at; at = model->steps[at - 1].next) {
		struct step *step = &model->steps[at - 1];

		/* The components of a heterogeneous job have steps of the same number. */
		if (step->step_id == step_id && step->het_comp == het_comp)
			return step;
	}
	return NULL;
}

static uint32_t node_at(const struct step *step, uint32_t place, uint32_t *rank)
{
	*rank = step->by_node ? step->by_node[place] : place;
	return step->stepds[*rank].node;
}

struct stepd *stepd_find(const struct step *step, uint32_t node, uint32_t *rank)
{
	/* A message names a node and not its rank, and a step may have all nodes of the cluster: a search by halves. */
	uint32_t low = 0, high = step->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2, found = node_at(step, middle, rank);

		if (found == node)
			return &step->stepds[*rank];
		if (found < node)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static int by_node_compare(const void *a, const void *b, void *stepds)
{
	const struct stepd *all = stepds;
	uint32_t x = all[*(const uint32_t *) a].node, y = all[*(const uint32_t *) b].node;

	return (x > y) - (x < y);
}

/* Steps with an arbitrary distribution of tasks have their nodes in the user's order. */
static int step_nodes_order(struct step *step)
{
	bool sorted = true;

	for (uint32_t i = 1; i < step->count; i++)
		sorted = sorted && step->stepds[i - 1].node < step->stepds[i].node;
	if (sorted)
		return 0;
	step->by_node = malloc(step->count * sizeof(*step->by_node));
	if (!step->by_node)
		return -1;
	for (uint32_t i = 0; i < step->count; i++)
		step->by_node[i] = i;
	qsort_r(step->by_node, step->count, sizeof(*step->by_node), by_node_compare, step->stepds);
	return 0;
}

static void step_clear(struct step *step)
{
	free(step->stepds);
	free(step->by_node);
	step->stepds = NULL;
	step->by_node = NULL;
	step->job_id = 0;
}

static struct step *step_slot(struct wt_model *model)
{
	if (model->step_free) {
		struct step *step = &model->steps[model->step_free - 1];

		model->step_free = step->next;
		return step;
	}
	if (model->step_used == model->step_capacity) {
		uint32_t capacity = model->step_capacity ? model->step_capacity * 2 : 64;
		/* From here on pointers to steps may be void: what lasts longer than a call is a slot or a ref. */
		struct step *steps = realloc(model->steps, capacity * sizeof(*steps));

		if (!steps)
			return NULL;
		model->steps = steps;
		model->step_capacity = capacity;
	}
	memset(&model->steps[model->step_used], 0, sizeof(struct step));
	return &model->steps[model->step_used++];
}

static void forget_arm(struct wt_model *model, const struct step *step, int64_t deadline_us)
{
	struct wt_timer timer = {
		.deadline_us = deadline_us, .kind = TIMER_STEP_FORGET, .a = (uint32_t) (step - model->steps),
		.b = (uint64_t) step->generation << 32,
	};

	wt_timerq_arm(model->timers, &timer);
}

static int step_fill(struct step *step, const struct wt_step_launch *launch)
{
	step->stepds = calloc(launch->node_count, sizeof(*step->stepds));
	if (!step->stepds)
		return -1;
	step->count = launch->node_count;
	for (uint32_t i = 0; i < step->count; i++) {
		step->stepds[i].node = launch->nodes[i];
		step->stepds[i].holder = i;
	}
	return step_nodes_order(step);
}

struct step *step_create(struct wt_model *model, int64_t now_us, const struct wt_step_launch *launch)
{
	struct job *job = job_find(model, launch->job_id);
	struct step *step;
	uint32_t generation;

	/* A job of salloc has no script here: its first step is the first that is heard of it. */
	if (!job)
		job = job_create(model, now_us, launch->job_id, launch->uid);
	step = job ? step_slot(model) : NULL;
	if (!step)
		return NULL;
	/* It survives the slot's next use, so that timers and answers of the step before find nothing. */
	generation = step->generation + 1;
	*step = (struct step) {
		.job_id = launch->job_id, .step_id = launch->step_id, .het_comp = launch->step_het_comp, .uid = launch->uid,
		.io = launch->io, .generation = generation ? generation : 1, .touched_us = now_us,
	};
	if (step_fill(step, launch) < 0) {
		step_clear(step);
		step->next = model->step_free;
		model->step_free = (uint32_t) (step - model->steps) + 1;
		return NULL;
	}
	step->next = job->steps;
	job->steps = (uint32_t) (step - model->steps) + 1;
	forget_arm(model, step, now_us + model->conf.forget_s * 1000000LL);
	return step;
}

void step_forget(struct wt_model *model, struct step *step, int64_t now_us)
{
	struct job *job = job_find(model, step->job_id);
	uint32_t slot = (uint32_t) (step - model->steps) + 1, *at = job ? &job->steps : NULL;

	/* First, because it names the step by what is cleared below. */
	step_action(model, step, WT_ACTION_STEP_FREE, 0, now_us);
	while (at && *at && *at != slot)
		at = &model->steps[*at - 1].next;
	if (at && *at)
		*at = step->next;
	step_clear(step);
	step->next = model->step_free;
	model->step_free = slot;
}

void step_forget_due(struct wt_model *model, struct step *step, int64_t now_us)
{
	/* While one of its slurmstepds lives, it has an end to tell. */
	int64_t until_us = (step->alive ? now_us : step->touched_us) + model->conf.forget_s * 1000000LL;

	if (until_us > now_us)
		forget_arm(model, step, until_us);
	else
		step_forget(model, step, now_us);
}

void steps_destroy(struct wt_model *model)
{
	for (uint32_t i = 0; i < model->step_used; i++)
		step_clear(&model->steps[i]);
	free(model->steps);
	free(model->stepd_changes);
}

struct wt_action *step_action(struct wt_model *model, const struct step *step, enum wt_action_kind kind, uint32_t rank,
			      int64_t now_us)
{
	const struct job *job = job_find(model, step->job_id);
	uint32_t before = model->action_count;
	struct wt_action *action;

	if (!job)
		return NULL;
	action_add(model, job, kind, step->stepds[rank].node, now_us);
	if (model->action_count == before)
		return NULL;
	action = action_last(model);
	action->step = step_ref(model, step);
	action->rank = action->first = action->last = rank;
	action->step_id = step->step_id;
	action->step_het_comp = step->het_comp;
	action->uid = step->uid;
	action->status = step->stepds[rank].status;
	return action;
}

void stepd_list(struct wt_model *model, struct step *step, uint32_t rank)
{
	struct stepd *stepd = &step->stepds[rank];
	struct node_load *load = &model->load[stepd->node];

	stepd->next = load->step_head;
	stepd->next_rank = load->step_rank;
	load->step_head = (uint32_t) (step - model->steps) + 1;
	load->step_rank = rank;
	step->alive++;
	model->counts.stepds_running++;
}

void stepd_changed(struct wt_model *model, struct step *step, uint32_t rank)
{
	if (step->stepds[rank].changed)
		return;
	if (model->stepd_change_count == model->stepd_change_capacity) {
		uint32_t capacity = model->stepd_change_capacity ? model->stepd_change_capacity * 2 : 64;
		struct stepd_change *changes = realloc(model->stepd_changes, capacity * sizeof(*changes));

		if (!changes)
			return;		/* its next change may be noted */
		model->stepd_changes = changes;
		model->stepd_change_capacity = capacity;
	}
	step->stepds[rank].changed = true;
	model->stepd_changes[model->stepd_change_count++] = (struct stepd_change) {
		.slot = (uint32_t) (step - model->steps), .rank = rank,
	};
}

/* What srun returns for such tasks: their exit code, or 128 and the signal. */
static uint32_t srun_status(uint32_t status)
{
	if (status == WT_STEP_IO_FAILED)
		return 1;
	return status & 0x7f ? 128 + (status & 0x7f) : status >> 8 & 0xff;
}

uint32_t step_status(const struct step *step)
{
	uint32_t worst = 0;

	/* Of all its tasks srun returns the highest. */
	for (uint32_t i = 0; i < step->count; i++)
		if (srun_status(step->stepds[i].status) > worst)
			worst = srun_status(step->stepds[i].status);
	return worst;
}

/* The slurmstepd is gone: its node no longer lists it, and need no longer wait for it. */
void stepd_gone(struct wt_model *model, struct step *step, uint32_t rank, int64_t now_us)
{
	struct stepd *stepd = &step->stepds[rank];
	struct node_load *load = &model->load[stepd->node];
	uint32_t slot = (uint32_t) (step - model->steps) + 1, *at = &load->step_head, *at_rank = &load->step_rank;
	struct job *job = job_find(model, step->job_id);

	while (*at && (*at != slot || *at_rank != rank)) {
		struct stepd *other = &model->steps[*at - 1].stepds[*at_rank];

		at = &other->next;
		at_rank = &other->next_rank;
	}
	if (*at) {
		*at = stepd->next;
		*at_rank = stepd->next_rank;
	}
	stepd->state = STEPD_GONE;
	stepd_changed(model, step, rank);
	step->alive--;
	step->touched_us = now_us;
	model->counts.stepds_running--;
	/* Last, when the node no longer lists it: what is called looks at that list. */
	if (stepd->waited && job)
		model->steps_gone(model, job, now_us, stepd->node, stepd->told_us);
	stepd->waited = false;
	if (job && job->run && !step->alive)
		model->step_gone(model, job, step, now_us);
}

uint32_t wt_model_node_steps(const struct wt_model *model, uint32_t node, struct wt_step_name *names, uint32_t max)
{
	uint32_t count = 0, at = model->load[node].step_head, rank = model->load[node].step_rank;

	while (at) {
		const struct step *step = &model->steps[at - 1];

		if (count < max)
			names[count] = (struct wt_step_name) {
				.job_id = step->job_id, .step_id = step->step_id, .step_het_comp = step->het_comp,
			};
		count++;
		at = step->stepds[rank].next;
		rank = step->stepds[rank].next_rank;
	}
	return count;
}

uint32_t node_steps_each(struct wt_model *model, uint32_t job_id, uint32_t node, stepd_f f, int64_t us, int number)
{
	uint32_t sum = 0, at = model->load[node].step_head, rank = model->load[node].step_rank;

	while (at) {
		struct step *step = &model->steps[at - 1];
		/* Read before the call, which may take this one out of the list. */
		uint32_t next = step->stepds[rank].next, next_rank = step->stepds[rank].next_rank;

		if (step->job_id == job_id)
			sum += f(model, step, rank, us, number);
		at = next;
		rank = next_rank;
	}
	return sum;
}

static uint32_t wait_one(struct wt_model *model, struct step *step, uint32_t rank, int64_t told_us, int unused)
{
	(void) model;
	(void) unused;
	step->stepds[rank].waited = true;
	step->stepds[rank].told_us = told_us;
	return 1;
}

bool node_steps_wait(struct wt_model *model, uint32_t job_id, uint32_t node, int64_t told_us)
{
	return node_steps_each(model, job_id, node, wait_one, told_us, 0);
}

static bool node_steps_any(const struct wt_model *model, uint32_t job_id, uint32_t node, bool waited)
{
	for (uint32_t at = model->load[node].step_head, rank = model->load[node].step_rank; at;) {
		const struct step *step = &model->steps[at - 1];

		if (step->job_id == job_id && (step->stepds[rank].waited || !waited))
			return true;
		at = step->stepds[rank].next;
		rank = step->stepds[rank].next_rank;
	}
	return false;
}

bool node_steps_known(const struct wt_model *model, uint32_t job_id, uint32_t node)
{
	return node_steps_any(model, job_id, node, false);
}

bool node_steps_waited(const struct wt_model *model, uint32_t job_id, uint32_t node)
{
	return node_steps_any(model, job_id, node, true);
}
