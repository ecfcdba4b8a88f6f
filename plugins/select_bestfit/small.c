/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select_bestfit/small.h"

#include "plugins/select_bestfit/decide.h"
#include "plugins/select_bestfit/job_rules.h"
#include "plugins/select_bestfit/offer.h"
#include "plugins/select_bestfit/plans.h"
#include "plugins/select_bestfit/question.h"
#include "plugins/select_bestfit/queue.h"
#include "lib/clock.h"

static uint16_t cr_type_of(const part_record_t *part)
{
	uint16_t type = slurm_conf.select_type_param;

	if (part->cr_type && (type & (CR_SOCKET | CR_CORE)))
		type = (uint16_t) ((type & ~(CR_SOCKET | CR_CORE | CR_MEMORY)) | part->cr_type);
	return type;
}

/* Jobs for which counts of free cores and memory say where they fit. */
static bool is_countable(const struct job_test *c)
{
	const struct job_details *d = c->job->details;
	const part_record_t *part = c->job->part_ptr;
	uint16_t cr_type;

	if (!job_is_plain(c->job) || c->preemptable || c->excluded_cores || !part || !d->min_nodes ||
	    part->max_cpus_per_node != INFINITE)
		return false;
	cr_type = cr_type_of(part);
	if (part->max_share > 1 || (cr_type & (CR_SOCKET | CR_ONE_TASK_PER_CORE)) || c->job->gres_list_req)
		return false;	/* part->max_share: shared cores; SHARED_FORCE is a high bit of it */
	if (slurm_conf.preempt_mode & PREEMPT_MODE_GANG)
		return false;
	return job_refusal(c->job, cr_type, false, c->req_nodes) == BESTFIT_CHOSEN;
}

static void kind_fill(const struct job_test *c, int shape, const struct bestfit_want *want, bool whole,
		      struct supply_kind *kind)
{
	uint64_t memory = c->job->details->pn_min_memory;
	const struct supply_shape *s = supply_shape_at(shape);

	memset(kind, 0, sizeof(*kind));
	kind->memory_counts = cr_type_of(c->job->part_ptr) & CR_MEMORY;
	if (kind->memory_counts) {
		kind->memory = memory & ~MEM_PER_CPU;
		kind->memory_per_cpu = memory & MEM_PER_CPU;
	}
	kind->each = want->each;
	kind->by_cpus = want->by_cpus;
	kind->shape = (uint32_t) shape;
	kind->cpus_per_core = common_cpus_per_core(c->job->details, (int) s->sample);
	kind->empty = c->mode == SELECT_MODE_TEST_ONLY;
	kind->whole = kind->memory_of_all = whole;
	kind->reserved = c->job->part_ptr->max_share == 0;
}

/* Before choose_nodes () the least number of nodes does not reflect --ntasks-per-node yet. */
static void numbers_read(const struct job_test *c, struct bestfit_job *job)
{
	const struct job_details *d = c->job->details;

	job_read(c->job, job);
	job->refused = BESTFIT_CHOSEN;
	job->imagined = c->mode == SELECT_MODE_WILL_RUN;
	job->min_nodes = c->min_nodes;
	job->max_nodes = c->max_nodes ? c->max_nodes : UINT32_MAX;
	job->req_nodes = c->req_nodes;
	if (d->ntasks_per_node && d->num_tasks && d->num_tasks != NO_VAL) {
		uint32_t nodes = (d->num_tasks + d->ntasks_per_node - 1) / d->ntasks_per_node;

		job->min_nodes = nodes > job->min_nodes ? nodes : job->min_nodes;
	}
}

/* Whatever Slurm tries, each node gives at most its free cores, and nothing when it has none: too few in all is too few, and
 * so is all of as many nodes as the job may have. */
static bool is_hopeless(const struct job_test *c, const struct supply_kind *kind, const struct bestfit_job *job)
{
	uint64_t most = (uint64_t) job->max_nodes * supply_shape_at((int) kind->shape)->cores_used * kind->cpus_per_core;
	struct supply_kind any;
	const struct wt_room *room;

	if (most < job->min_cpus)
		return true;

	memcpy(&any, kind, sizeof(any));	/* with what lies between its fields */
	any.each = 1;
	/* The CPUs for which there is too little memory may be more than Slurm would count (--ntasks-per-socket). */
	any.memory_of_all = false;
	room = supply_room(&any, c->map);
	/* With 'each' of 1 the room counts all that is free, also where it is no whole task: a bound, not a choice. */
	return room && wt_room_total(room) < (kind->by_cpus ? job->min_cpus : job->min_nodes);
}

/* By the counts, of which the choice is made. */
static void offer_read(const struct wt_room *room, const struct bestfit_want *want, bool whole)
{
	const struct switches *sw = supply_switches();

	offer_forget();
	for (uint32_t i = 0; i < wt_tree_nodes(wt_room_tree(room)); i++) {
		uint32_t n = sw->slurm_of[i], units = wt_room_node(room, i);

		if (units && n < (uint32_t) node_record_count)
			offer_add(n, want->by_cpus ? units : whole ? node_record_table_ptr[n]->cpus : want->each);
	}
}

static enum bestfit_reason choose(const struct job_test *c, uint32_t *chosen, struct small *small)
{
	const struct switches *sw = supply_switches();
	struct bestfit_job next[WT_SELECT_NEXT_MAX];
	int shape = supply_shape_find(c->map);
	enum bestfit_reason reason;
	const struct wt_room *room;
	struct bestfit_want want;
	struct bestfit_job job;
	struct select_choice choice;

	if (shape < 0)
		return BESTFIT_MIXED;
	numbers_read(c, &job);
	job.next = next;
	job.next_count = queue_next(c->job, c->mode, next);
	reason = bestfit_want(&job, supply_shape_at(shape)->cores_used * supply_shape_at(shape)->threads, &want);
	if (reason != BESTFIT_CHOSEN)
		return reason;
	kind_fill(c, shape, &want, job.whole, &small->kind);
	room = supply_room(&small->kind, c->map);
	if (!room)
		return BESTFIT_ERROR;
	if (offer_wanted())
		offer_read(room, &want, job.whole);
	if (!job.imagined)
		decide_note(&want);
	reason = bestfit_pick(supply_bestfit(), &job, &want, room, &choice);
	small->hopeless = reason == BESTFIT_FEW && is_hopeless(c, &small->kind, &job);
	if (reason != BESTFIT_CHOSEN)
		return reason;
	small->chosen = chosen;
	small->map = bit_alloc(node_record_count);
	for (small->count = 0; small->count < choice.count; small->count++) {
		chosen[small->count] = sw->slurm_of[choice.picks[small->count].node];
		bit_set(small->map, chosen[small->count]);
	}
	return BESTFIT_CHOSEN;
}

static struct plans plans;

void small_plan(const struct job_test *c, enum wt_tie tie)
{
	struct bestfit_job job;
	struct bestfit_want want;
	int shape;

	if (tie == WT_TIE_TOUCH || !is_countable(c) || !supply_ready(tie, question_configs()))
		return;
	shape = supply_shape_find(c->map);
	if (shape < 0)
		return;
	numbers_read(c, &job);
	job.next_count = 0;
	if (bestfit_want(&job, supply_shape_at(shape)->cores_used * supply_shape_at(shape)->threads, &want) ==
	    BESTFIT_CHOSEN)
		plans_add(&plans, &want);
}

void small_plans_learn(enum wt_tie tie)
{
	bool ready = plans_count(&plans) && supply_ready(tie, question_configs());

	for (size_t i = 0; ready && i < plans_count(&plans); i++) {
		bestfit_note(supply_bestfit(), plans_at(&plans, i));
		decide_note(plans_at(&plans, i));
	}
	plans_forget(&plans);
}

bool small_choose(const struct job_test *c, enum wt_tie tie, uint32_t *chosen, struct small *small)
{
	int64_t began_us = wt_clock_now_us(wt_clock_real());

	if (!is_countable(c) || !question_weights_plain(c->job, c->map) || !supply_ready(tie, question_configs()) ||
	    choose(c, chosen, small) != BESTFIT_CHOSEN)
		return false;
	decide_count_chosen(wt_clock_now_us(wt_clock_real()) - began_us);
	return true;
}
