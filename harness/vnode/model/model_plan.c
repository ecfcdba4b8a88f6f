/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Batch scripts that ask for steps: their items, one after the other and beside each other. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/model_plan.h"
#include "harness/vnode/model/model_private.h"

#define LOOK_AFTER_US 1000000	/* after a lost answer */
#define DOUBT_AFTER_US 5000000	/* "busy" after a lost answer: the step that it was about may be what keeps it busy */
#define WOKEN_AT_ONCE 8		/* of steps that wait for others: slurmctld's step_retry_count */
#define MARK_ITEMS WT_PLAN_ITEMS_MAX

enum part_state {		/* of one item */
	PART_NONE, PART_SPAN, PART_ASKED, PART_LOOKED, PART_BUSY, PART_UNSURE, PART_RUNS,
	PART_TO_ASK, PART_TO_LOOK,	/* when the question before it is answered */
	PART_OVER
};

struct plan_part {
	uint8_t state;
	uint32_t step_id;	/* PART_RUNS */
	int64_t until_us;	/* of a timer; what is left of it while the script is stopped */
	wt_timer_id timer;
};

struct plan_run {
	struct wt_script_plan plan;
	struct plan_part *parts;
	uint32_t at;		/* the item that the script is at; 'count': it is over */
	uint8_t status;		/* of the command before */
	bool fixed;		/* the environment says how the script ends */
	bool advancing;
	bool doubtful;		/* an answer was lost: the controller may have steps that the nodes do not know */
	bool asked;		/* a question is on its way: one at a time, so that steps are made in the script's order */
};

int plan_take(struct job *job, struct wt_script_plan *plan, bool fixed)
{
	struct plan_run *run;

	/* Of a life before, whose timers are void by the job's generation: none has to be cancelled. */
	plan_drop(NULL, job);
	/* A script that asks for no steps needs none of this: it is one span of time. */
	if (!plan->steps)
		return 0;
	run = calloc(1, sizeof(*run));
	if (run)
		run->parts = calloc(plan->count, sizeof(*run->parts));
	if (!run || !run->parts) {
		free(run);
		errno = ENOMEM;
		return -1;
	}
	run->plan = *plan;
	run->fixed = fixed;
	*plan = (struct wt_script_plan) { 0 };
	job->run = run;
	return 0;
}

void plan_drop(struct wt_model *model, struct job *job)
{
	struct plan_run *run = job->run;

	if (!run)
		return;
	for (uint32_t i = 0; model && i < run->plan.count; i++)
		wt_timerq_cancel(model->timers, run->parts[i].timer);
	wt_script_plan_clear(&run->plan);
	free(run->parts);
	free(run);
	job->run = NULL;
}

static bool part_waits(const struct plan_part *part)
{
	return part->state == PART_SPAN || part->state == PART_BUSY || part->state == PART_UNSURE;
}

static bool part_active(const struct plan_part *part)
{
	return part->state != PART_NONE && part->state != PART_OVER;
}

static bool script_goes(const struct job *job)
{
	return job->run && job->script == SCRIPT_RUNNING && job->pause == PAUSE_NONE;
}

static void part_arm(struct wt_model *model, struct job *job, uint32_t item)
{
	struct plan_part *part = &job->run->parts[item];

	wt_timerq_cancel(model->timers, part->timer);
	part->timer = job->pause == PAUSE_NONE ? timer_arm(model, job, TIMER_PLAN, part->until_us, item) : 0;
}

static void part_wait(struct wt_model *model, struct job *job, uint32_t item, enum part_state state, int64_t now_us,
		      int64_t delay_us)
{
	struct plan_part *part = &job->run->parts[item];

	part->state = (uint8_t) state;
	/* While the script is stopped no time passes for it: what is left is kept, until plan_begin () adds the time. */
	part->until_us = job->pause == PAUSE_NONE ? now_us + delay_us : delay_us;
	part_arm(model, job, item);
	job_changed(model, job);
}

static void part_ask(struct wt_model *model, struct job *job, uint32_t item, int64_t now_us, enum part_state state)
{
	struct plan_part *part = &job->run->parts[item];
	uint32_t before = model->action_count;

	wt_timerq_cancel(model->timers, part->timer);
	part->timer = 0;
	job_changed(model, job);
	if (job->run->asked) {
		part->state = state == PART_ASKED ? PART_TO_ASK : PART_TO_LOOK;
		return;
	}
	job->run->asked = true;
	part->state = (uint8_t) state;
	action_add(model, job, state == PART_ASKED ? WT_ACTION_SCRIPT_ASK : WT_ACTION_SCRIPT_LOOK, job->batch_node, now_us);
	if (model->action_count > before)
		action_last(model)->first = item;
	else
		part_wait(model, job, item, PART_UNSURE, now_us, LOOK_AFTER_US);	/* no memory: later */
	job->run->asked = model->action_count > before;
}

/* The question on its way is answered: the next one, in the script's order. */
static void questions_go_on(struct wt_model *model, struct job *job, int64_t now_us)
{
	struct plan_run *run = job->run;

	run->asked = false;
	for (uint32_t i = 0; i < run->plan.count && !run->asked; i++) {
		if (run->parts[i].state == PART_TO_ASK)
			part_ask(model, job, i, now_us, PART_ASKED);
		else if (run->parts[i].state == PART_TO_LOOK)
			part_ask(model, job, i, now_us, PART_LOOKED);
	}
}

static bool item_begins(const struct plan_run *run, const struct wt_plan_item *item)
{
	/* && goes on after a success, || after a failure. */
	return item->when == WT_PLAN_ALWAYS || (item->when == WT_PLAN_AND) == !run->status;
}

static bool waits_for_others(const struct plan_run *run)
{
	for (uint32_t i = 0; i < run->at; i++)
		if (part_active(&run->parts[i]))
			return true;
	return false;
}

/* Begin the item that the script is at.  False: the script goes no further for now. */
static bool item_begin(struct wt_model *model, struct job *job, int64_t now_us)
{
	struct plan_run *run = job->run;
	const struct wt_plan_item *item = &run->plan.items[run->at];

	switch (item->kind) {
	case WT_PLAN_STATUS:
		run->status = item->status;
		break;
	case WT_PLAN_SPAN:
		part_wait(model, job, run->at, PART_SPAN, now_us, run_time_slowed(model, job, item->run_time_us));
		break;
	case WT_PLAN_STEP:
		part_ask(model, job, run->at, now_us, PART_ASKED);
		break;
	case WT_PLAN_WAIT:
		if (waits_for_others(run))
			return false;
		/* The shell's wait without operands returns 0, whatever those it waited for did. */
		run->status = 0;
		break;
	case WT_PLAN_EXIT:
		/* "exit" without a number keeps the status of the command before it. */
		run->status = item->keeps ? run->status : item->status;
		run->at = run->plan.count;
		return true;
	}
	if (!item->background && (item->kind == WT_PLAN_SPAN || item->kind == WT_PLAN_STEP))
		return false;
	/* To the shell a command that it puts into the background has succeeded. */
	if (item->background)
		run->status = 0;
	run->at = item->ends && run->status ? run->plan.count : run->at + 1;
	return true;
}

static void plan_advance(struct wt_model *model, struct job *job, int64_t now_us)
{
	struct plan_run *run = job->run;

	/* plan_resume () puts parts back, and comes here by item_over (): the script stays where it is until all are. */
	if (!script_goes(job) || run->advancing)
		return;
	run->advancing = true;
	while (run->at < run->plan.count) {
		if (run->parts[run->at].state != PART_NONE)
			break;		/* it is under way */
		if (!item_begins(run, &run->plan.items[run->at]))
			run->at++;
		else if (!item_begin(model, job, now_us))
			break;
	}
	run->advancing = false;
	job_changed(model, job);
	if (run->at < run->plan.count)
		return;
	/* A shell exits with the status of its last command. */
	if (!run->fixed)
		job->wait_status = (uint16_t) (run->status << 8);
	model->script_over(model, job, now_us);
}

static void item_over(struct wt_model *model, struct job *job, uint32_t item, int64_t now_us, uint8_t status)
{
	struct plan_run *run = job->run;
	const struct wt_plan_item *what = &run->plan.items[item];

	wt_timerq_cancel(model->timers, run->parts[item].timer);
	run->parts[item] = (struct plan_part) { .state = PART_OVER };
	/* One in the background leaves the script where it is: it gives no status, and ends nothing. */
	if (item == run->at) {
		run->status = what->hides ? 0 : status;
		run->at = what->ends && run->status ? run->plan.count : run->at + 1;
	}
	job_changed(model, job);
	plan_advance(model, job, now_us);
}

void plan_begin(struct wt_model *model, struct job *job, int64_t now_us)
{
	struct plan_run *run = job->run;

	for (uint32_t i = 0; i < run->plan.count; i++) {	/* stopped when it was about to begin, or later */
		if (!part_waits(&run->parts[i]))
			continue;
		run->parts[i].until_us += now_us;
		part_arm(model, job, i);
	}
	plan_advance(model, job, now_us);
}

void plan_pause(struct wt_model *model, struct job *job, int64_t now_us)
{
	struct plan_run *run = job->run;

	for (uint32_t i = 0; i < run->plan.count; i++) {
		struct plan_part *part = &run->parts[i];

		if (!part_waits(part))
			continue;
		wt_timerq_cancel(model->timers, part->timer);
		part->timer = 0;
		part->until_us = part->until_us > now_us ? part->until_us - now_us : 0;
	}
}

void plan_timer(struct wt_model *model, struct job *job, int64_t now_us, uint32_t item)
{
	struct plan_part *part;

	if (!script_goes(job) || item >= job->run->plan.count)
		return;
	part = &job->run->parts[item];
	part->timer = 0;
	if (part->state == PART_SPAN)
		item_over(model, job, item, now_us, 0);
	else if (part->state == PART_BUSY)
		part_ask(model, job, item, now_us, PART_ASKED);
	else if (part->state == PART_UNSURE)
		part_ask(model, job, item, now_us, PART_LOOKED);
}

/* Those that have been told "busy" may find room now. */
static void busy_wake(struct wt_model *model, struct job *job, int64_t now_us)
{
	struct plan_run *run = job->run;
	uint32_t woken = 0;

	for (uint32_t i = 0; script_goes(job) && i < run->plan.count && woken < WOKEN_AT_ONCE; i++) {
		if (run->parts[i].state != PART_BUSY)
			continue;
		part_ask(model, job, i, now_us, PART_ASKED);
		woken++;
	}
}

/* The script goes on when the controller, too, knows of the end: the next srun needs longer to begin than that. */
void plan_step_gone(struct wt_model *model, struct job *job, const struct step *step, int64_t now_us)
{
	/* Before the script goes on: those that have waited ask before those that it begins next. */
	busy_wake(model, job, now_us);
	for (uint32_t i = 0; job->run && i < job->run->plan.count; i++) {
		if (job->run->parts[i].state == PART_RUNS && job->run->parts[i].step_id == step->step_id) {
			item_over(model, job, i, now_us, (uint8_t) step_status(step));
			return;
		}
	}
}

static struct job *job_asking(const struct wt_model *model, wt_job_ref ref, uint32_t item)
{
	struct job *job = job_deref(model, ref);

	if (!job || !job->run || job->script != SCRIPT_RUNNING || item >= job->run->plan.count ||
	    (job->run->parts[item].state != PART_ASKED && job->run->parts[item].state != PART_LOOKED))
		return NULL;
	return job;
}

const struct wt_plan_item *wt_model_script_step(const struct wt_model *model, wt_job_ref ref, uint32_t item)
{
	const struct job *job = job_asking(model, ref, item);

	return job ? &job->run->plan.items[item] : NULL;
}

uint32_t wt_model_script_mark(const struct wt_model *model, wt_job_ref ref, uint32_t item)
{
	const struct job *job = job_deref(model, ref);

	/* Never 0, and of each life another one: steps of a run before a requeue must not be taken for those of this one. */
	return job ? (job->restart + 1) * MARK_ITEMS + item : 0;
}

enum wt_rc wt_model_script_created(struct wt_model *model, int64_t now_us, wt_job_ref ref, uint32_t item, uint32_t step_id,
				   const uint32_t *nodes, uint32_t node_count, wt_step_ref *step)
{
	struct job *job = job_asking(model, ref, item);
	const struct wt_plan_item *what = job ? &job->run->plan.items[item] : NULL;
	struct wt_step_launch launch = {
		.step_id = step_id, .step_het_comp = WT_STEP_NO_COMPONENT, .nodes = nodes, .node_count = node_count,
	};
	struct step *before;
	bool suspended;
	uint32_t rank;
	enum wt_rc rc = WT_RC_SUCCESS;

	if (!job)
		return WT_RC_INVALID_JOB_ID;
	launch.job_id = job->job_id;
	launch.uid = job->uid;
	launch.run_time_us = what->run_time_us;
	launch.wait_status = what->wait_status;
	launch.ignores_term = what->ignores_term;
	suspended = job->pause == PAUSE_SUSPENDED;
	before = step_find(model, job->job_id, step_id, WT_STEP_NO_COMPONENT);
	if (before && !before->alive)	/* of the life before: a job that is requeued counts its steps from 0 again */
		step_forget(model, before, now_us);
	for (uint32_t i = 0; i < node_count && rc == WT_RC_SUCCESS; i++)
		rc = wt_model_step_launch(model, now_us, nodes[i], &launch, step, &rank);
	if (rc != WT_RC_SUCCESS || !node_count) {
		wt_model_script_refused(model, now_us, ref, item);
		return rc == WT_RC_SUCCESS ? WT_RC_INVALID_NODE : rc;
	}
	job->run->parts[item].state = PART_RUNS;
	job->run->parts[item].step_id = step_id;
	job_changed(model, job);
	questions_go_on(model, job, now_us);
	/* The answer was on its way when the job was suspended: at that moment there was no such step to suspend. */
	for (uint32_t i = 0; suspended && i < node_count; i++)
		node_steps_suspend(model, job->job_id, nodes[i], now_us, true);
	return WT_RC_SUCCESS;
}

void wt_model_script_busy(struct wt_model *model, int64_t now_us, wt_job_ref ref, uint32_t item, int64_t retry_us)
{
	struct job *job = job_asking(model, ref, item);

	if (!job)
		return;
	/* srun --immediate: it gives up where others ask again. */
	if (job->run->plan.items[item].immediate) {
		wt_model_script_refused(model, now_us, ref, item);
		return;
	}
	if (job->run->doubtful)
		part_wait(model, job, item, PART_UNSURE, now_us, retry_us < DOUBT_AFTER_US ? retry_us : DOUBT_AFTER_US);
	else
		part_wait(model, job, item, PART_BUSY, now_us, retry_us);
	questions_go_on(model, job, now_us);
}

void wt_model_script_unsure(struct wt_model *model, int64_t now_us, wt_job_ref ref, uint32_t item)
{
	struct job *job = job_asking(model, ref, item);

	if (!job)
		return;
	job->run->doubtful = true;
	part_wait(model, job, item, PART_UNSURE, now_us, LOOK_AFTER_US);
	questions_go_on(model, job, now_us);
}

bool wt_model_script_orphan(const struct wt_model *model, wt_job_ref ref, uint32_t item, uint32_t mark, uint32_t step_id)
{
	const struct job *job = job_asking(model, ref, item);
	uint32_t first = wt_model_script_mark(model, ref, 0), other = mark - first;

	if (!job || mark < first || other >= job->run->plan.count || other == item)
		return false;
	if (job->run->parts[other].state == PART_RUNS)
		return job->run->parts[other].step_id != step_id;
	return job->run->parts[other].state == PART_OVER;	/* else it will be looked for itself */
}

void wt_model_script_missing(struct wt_model *model, int64_t now_us, wt_job_ref ref, uint32_t item)
{
	struct job *job = job_asking(model, ref, item);

	if (!job)
		return;
	/* slurmctld has no step of this mark: the request may be sent again without making it twice. */
	job->run->parts[item].state = PART_TO_ASK;
	questions_go_on(model, job, now_us);
}

void wt_model_script_refused(struct wt_model *model, int64_t now_us, wt_job_ref ref, uint32_t item)
{
	struct job *job = job_asking(model, ref, item);

	if (!job)
		return;
	job->run->parts[item].state = PART_OVER;
	questions_go_on(model, job, now_us);
	/* 1 is what srun exits with when it gets no step. */
	item_over(model, job, item, now_us, 1);
}

const struct wt_script_plan *plan_of(const struct job *job, bool *fixed)
{
	*fixed = job->run && job->run->fixed;
	return job->run ? &job->run->plan : NULL;
}

static void put32(struct wt_str *out, uint32_t number)
{
	const char bytes[4] = { (char) (number >> 24), (char) (number >> 16), (char) (number >> 8), (char) number };

	wt_str_add_bytes(out, bytes, 4);
}

static uint32_t get32(const uint8_t *at)
{
	return (uint32_t) at[0] << 24 | (uint32_t) at[1] << 16 | (uint32_t) at[2] << 8 | at[3];
}

enum { STATE_HEAD = 5, STATE_PART = 17 };

void plan_state_pack(const struct job *job, struct wt_str *out)
{
	const struct plan_run *run = job->run;

	put32(out, run->at);
	wt_str_add_bytes(out, (const char *) &run->status, 1);
	for (uint32_t i = 0; i < run->plan.count; i++) {
		const struct plan_part *part = &run->parts[i];

		if (!part_active(part))
			continue;
		put32(out, i);
		wt_str_add_bytes(out, (const char *) &part->state, 1);
		put32(out, part->step_id);
		put32(out, (uint32_t) ((uint64_t) part->until_us >> 32));
		put32(out, (uint32_t) part->until_us);
	}
}

int plan_state_unpack(struct job *job, const uint8_t *bytes, size_t len)
{
	struct plan_run *run = job->run;

	errno = EINVAL;
	if (!run || len < STATE_HEAD || (len - STATE_HEAD) % STATE_PART || get32(bytes) > run->plan.count)
		return -1;
	run->at = get32(bytes);
	run->status = bytes[4];
	memset(run->parts, 0, run->plan.count * sizeof(*run->parts));
	for (const uint8_t *at = bytes + STATE_HEAD; at < bytes + len; at += STATE_PART) {
		uint32_t item = get32(at);
		struct plan_part *part = item < run->plan.count ? &run->parts[item] : NULL;
		uint8_t kind = part ? run->plan.items[item].kind : 0, state = at[4];

		/* A span waits for a time, all else is about a step; and behind the item that the script is at nothing has
		 * begun. */
		if (!part || state == PART_NONE || state >= PART_OVER || item > run->at ||
		    kind != (state == PART_SPAN ? WT_PLAN_SPAN : WT_PLAN_STEP))
			return -1;
		part->state = state;
		part->step_id = get32(at + 5);
		part->until_us = (int64_t) ((uint64_t) get32(at + 9) << 32 | get32(at + 13));
		if (part->until_us < 0 || part->until_us >= INT64_MAX / 2)
			return -1;
	}
	return 0;
}

void plan_resume(struct wt_model *model, struct job *job, int64_t now_us)
{
	struct plan_run *run = job->run;

	/* A part that is over would advance the script past others that are not yet in their old state. */
	run->advancing = true;		/* until all is as it was */
	for (uint32_t i = 0; i < run->plan.count; i++) {
		struct plan_part *part = &run->parts[i];
		const struct step *step;

		if (part_waits(part)) {
			part_arm(model, job, i);
		} else if (part->state == PART_ASKED || part->state == PART_LOOKED || part->state == PART_TO_LOOK) {
			/* The answer went to the process before this one: slurmctld may have made the step. */
			run->doubtful = true;
			part_ask(model, job, i, now_us, PART_LOOKED);
		} else if (part->state == PART_TO_ASK) {
			part_ask(model, job, i, now_us, PART_ASKED);
		} else if (part->state == PART_RUNS) {
			step = step_find(model, job->job_id, part->step_id, WT_STEP_NO_COMPONENT);
			if (!step || !step->alive)
				item_over(model, job, i, now_us, step ? (uint8_t) step_status(step) : 0);
		}
	}
	run->advancing = false;
	plan_advance(model, job, now_us);
}
