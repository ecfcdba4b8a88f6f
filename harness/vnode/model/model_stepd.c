/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The life of one slurmstepd: its tasks, what it tells srun, and how it passes on its end. */
#include "config.h"

#include <signal.h>
#include <stdlib.h>

#include "harness/vnode/model/model_private.h"

/* slurmstepd's mgr.c */
#define SRUN_RETRY_FIRST_US 100000	/* _send_srun_resp_msg (): doubled up to eight times that */
#define SRUN_RETRIES 5			/* and one more for each 1,024 nodes */
#define EXIT_SPREAD_NODES 500		/* larger steps: _random_sleep () */
#define EXIT_SPREAD_MAX_MS 5000
#define CHILDREN_WAIT_S 60		/* REVERSE_TREE_CHILDREN_TIMEOUT, and 3 s for each level below */
#define CHILDREN_WAIT_LEVEL_S 3
#define PARENT_TRIES 5			/* REVERSE_TREE_PARENT_RETRY, 1 s apart */
#define PARENT_RETRY_US 1000000

static void timer_step_arm(struct wt_model *model, const struct step *step, uint32_t rank, uint32_t kind,
			   int64_t deadline_us, wt_timer_id *id)
{
	struct wt_timer timer = {
		.deadline_us = deadline_us, .kind = kind, .a = (uint32_t) (step - model->steps),
		.b = (uint64_t) step->generation << 32 | rank,
	};

	/* One timer of each kind: the one that it replaces must not fire. */
	wt_timerq_cancel(model->timers, *id);
	*id = wt_timerq_arm(model->timers, &timer);
}

void stepd_next_arm(struct wt_model *model, struct step *step, uint32_t rank, int64_t deadline_us)
{
	timer_step_arm(model, step, rank, TIMER_STEP_NEXT, deadline_us, &step->stepds[rank].next_timer);
}

void stepd_run_arm(struct wt_model *model, struct step *step, uint32_t rank)
{
	timer_step_arm(model, step, rank, TIMER_STEP_RUN, step->stepds[rank].run_us, &step->stepds[rank].run_timer);
}

static void run_arm(struct wt_model *model, struct step *step, uint32_t rank, int64_t now_us)
{
	step->stepds[rank].run_us += now_us;
	stepd_run_arm(model, step, rank);
}

bool stepd_tasks_run(const struct stepd *stepd)
{
	return !stepd->over && (stepd->state == STEPD_STARTING || stepd->state == STEPD_RUNNING);
}

static void stepd_enter(struct wt_model *model, struct step *step, uint32_t rank, int64_t now_us, enum stepd_state state,
			enum wt_action_kind kind)
{
	step->stepds[rank].state = (uint8_t) state;
	step->stepds[rank].tries = 0;
	step_action(model, step, kind, rank, now_us);
}

void stepd_launch(struct wt_model *model, struct step *step, uint32_t rank, int64_t now_us)
{
	int64_t delay_us = step_launch_delay_us(model, step, rank);

	if (!delay_us) {
		stepd_enter(model, step, rank, now_us, STEPD_CONNECTING, WT_ACTION_STEP_CONNECT);
		return;
	}
	step->stepds[rank].state = STEPD_CONNECTING;
	stepd_next_arm(model, step, rank, now_us + delay_us);
}

enum wt_rc wt_model_step_launch(struct wt_model *model, int64_t now_us, uint32_t node, const struct wt_step_launch *launch,
				wt_step_ref *ref, uint32_t *rank)
{
	struct step *step = step_find(model, launch->job_id, launch->step_id, launch->step_het_comp);
	struct stepd *stepd;

	if (launch->revoked)
		return WT_RC_REVOKED;
	if (!step)
		step = step_create(model, now_us, launch);
	if (!step)
		return WT_RC_NO_MEMORY;
	stepd = stepd_find(step, node, rank);
	if (!stepd)
		return WT_RC_INVALID_NODE;
	/* srun sends a launch again when its answer was lost; the credential may be used once. */
	if (stepd->state != STEPD_ABSENT)
		return WT_RC_REPLAYED;
	*ref = step_ref(model, step);
	stepd->run_us = run_time_slowed_on(model, launch->run_time_us, node);
	stepd->status = launch->wait_status;
	stepd->ignores_term = launch->ignores_term;
	stepd_list(model, step, *rank);
	step->touched_us = now_us;
	stepd_changed(model, step, *rank);
	stepd_launch(model, step, *rank, now_us);
	return WT_RC_SUCCESS;
}

/* The status is that of the start, not of the tasks. */
void stepd_started_add(struct wt_model *model, struct step *step, uint32_t rank, int64_t now_us)
{
	struct wt_action *action = step_action(model, step, WT_ACTION_STEP_STARTED, rank, now_us);

	if (action && action->status != WT_STEP_IO_FAILED)
		action->status = 0;
}

void wt_model_step_connected(struct wt_model *model, int64_t now_us, wt_step_ref ref, uint32_t rank, bool good)
{
	struct step *step = step_deref(model, ref);
	struct stepd *stepd = step && rank < step->count ? &step->stepds[rank] : NULL;

	if (!stepd || stepd->state != STEPD_CONNECTING)
		return;
	/* As slurmstepd: without its srun it starts no tasks, and tells an error of input and output. */
	if (!good) {
		stepd->over = true;
		stepd->status = WT_STEP_IO_FAILED;
	}
	stepd->state = STEPD_STARTING;
	stepd->tries = 0;
	stepd_changed(model, step, rank);
	stepd_started_add(model, step, rank, now_us);
	/* Run time is counted from here: slurmstepd starts no task before it is connected to srun. */
	if (stepd_tasks_run(stepd) && stepd->pause == PAUSE_NONE)
		run_arm(model, step, rank, now_us);
}

static void tasks_over(struct wt_model *model, struct step *step, uint32_t rank, int64_t now_us)
{
	struct stepd *stepd = &step->stepds[rank];

	wt_timerq_cancel(model->timers, stepd->run_timer);
	stepd->over = true;
	stepd_changed(model, step, rank);
	/* Before that the message of the start is under way; message_sent () goes on when it has arrived. */
	if (stepd->state == STEPD_RUNNING)
		stepd_enter(model, step, rank, now_us, STEPD_CLOSING, WT_ACTION_STEP_CLOSE);
}

static void message_sent(struct wt_model *model, struct step *step, uint32_t rank, int64_t now_us)
{
	struct stepd *stepd = &step->stepds[rank];

	if (stepd->state == STEPD_EXITING || stepd->status == WT_STEP_IO_FAILED) {
		stepd_tree_enter(model, step, rank, now_us);
		return;
	}
	/* The tasks may have ended while srun was being told of their start. */
	stepd->state = STEPD_RUNNING;
	if (stepd->over)
		tasks_over(model, step, rank, now_us);
}

void wt_model_step_sent(struct wt_model *model, int64_t now_us, wt_step_ref ref, uint32_t rank, bool good)
{
	struct step *step = step_deref(model, ref);
	struct stepd *stepd = step && rank < step->count ? &step->stepds[rank] : NULL;

	if (!stepd || (stepd->state != STEPD_STARTING && stepd->state != STEPD_EXITING))
		return;
	stepd_changed(model, step, rank);
	/* After the last try slurmstepd goes on without srun: its node must become free. */
	if (good || stepd->tries >= SRUN_RETRIES + step->count / 1024) {
		message_sent(model, step, rank, now_us);
	} else {
		stepd_next_arm(model, step, rank, now_us + (SRUN_RETRY_FIRST_US << (stepd->tries < 3 ? stepd->tries : 3)));
		stepd->tries++;
	}
}

/* All slurmstepds of a large step would tell srun at once. */
static int64_t exit_spread_us(const struct wt_model *model, const struct step *step, uint32_t rank)
{
	uint64_t most_ms = (uint64_t) model->conf.tcp_timeout_s * step->count;
	struct drand48_data random;
	long number;

	if (step->count <= EXIT_SPREAD_NODES)
		return 0;
	if (most_ms > EXIT_SPREAD_MAX_MS)
		most_ms = EXIT_SPREAD_MAX_MS;
	/* Seeded by job and rank, not by a stream: the delay is the same in each run, whichever slurmstepd is asked
	 * first. */
	srand48_r((long) step->job_id + rank, &random);
	lrand48_r(&random, &number);
	return number % (int64_t) (most_ms + 1) * 1000;
}

void wt_model_step_closed(struct wt_model *model, int64_t now_us, wt_step_ref ref, uint32_t rank)
{
	struct step *step = step_deref(model, ref);
	struct stepd *stepd = step && rank < step->count ? &step->stepds[rank] : NULL;
	int64_t delay_us;

	if (!stepd || stepd->state != STEPD_CLOSING)
		return;
	delay_us = exit_spread_us(model, step, rank);
	stepd_changed(model, step, rank);
	stepd->state = STEPD_EXITING;
	stepd->tries = 0;
	if (delay_us)
		stepd_next_arm(model, step, rank, now_us + delay_us);
	else
		step_action(model, step, WT_ACTION_STEP_EXIT, rank, now_us);
}

/* A message for each range of ranks whose word has not gone elsewhere, in as few ranges as there are. */
static void tell(struct wt_model *model, struct step *step, uint32_t rank, uint32_t children, enum wt_action_kind kind,
		 uint32_t target, int64_t now_us)
{
	struct stepd *stepd = &step->stepds[rank];
	struct wt_action *action;

	stepd->untold = 0;
	stepd->unheard = false;
	for (uint32_t i = rank; i <= rank + children; i++) {
		uint32_t first = i;

		if (step->stepds[i].holder != rank)
			continue;
		while (i < rank + children && step->stepds[i + 1].holder == rank)
			i++;
		action = step_action(model, step, kind, rank, now_us);
		if (!action)
			continue;
		action->target = target;
		action->first = first;
		action->last = i;
		stepd->untold++;
	}
}

/* The greatest status of all below is the step's. */
static void below_take(struct wt_model *model, struct step *step, uint32_t rank, uint32_t status)
{
	if (status <= step->stepds[rank].below)
		return;
	step->stepds[rank].below = status;
	stepd_changed(model, step, rank);
}

static void tell_parent(struct wt_model *model, struct step *step, uint32_t rank, const struct wt_steptree *place,
			int64_t now_us)
{
	struct stepd *parent = &step->stepds[place->parent];

	for (uint32_t i = rank; i <= rank + place->children; i++) {
		if (step->stepds[i].holder == rank) {
			step->stepds[i].holder = place->parent;
			stepd_changed(model, step, i);
			parent->untold--;
		}
	}
	below_take(model, step, place->parent, step->stepds[rank].status);
	stepd_gone(model, step, rank, now_us);
	if (parent->state == STEPD_WAITING && !parent->untold)
		stepd_tree_go_on(model, step, place->parent, now_us);
}

/* Another process has its slurmstepd: those of scripts' steps, which run here on whatever nodes, are never absent. */
static bool elsewhere(const struct wt_model *model, const struct stepd *stepd)
{
	return !node_is_own(model, stepd->node) && stepd->state == STEPD_ABSENT;
}

static bool listens(const struct stepd *stepd)
{
	/* One that tells already does not any more; one that never was (launch lost) does not at all. */
	return stepd->state > STEPD_ABSENT && stepd->state < STEPD_TELLING;
}

enum wt_rc wt_model_step_heard(struct wt_model *model, int64_t now_us, uint32_t node, const struct wt_step_heard *heard)
{
	struct step *step = step_find(model, heard->name.job_id, heard->name.step_id, heard->name.step_het_comp);
	uint32_t rank;
	struct stepd *stepd = step ? stepd_find(step, node, &rank) : NULL;
	struct wt_steptree place;

	if (!stepd || stepd->state == STEPD_ABSENT)
		return WT_RC_INVALID_JOB_ID;
	wt_steptree_place(rank, step->count, &place);
	if (heard->first <= rank || heard->first > heard->last || heard->last > rank + place.children)
		return WT_RC_INVALID_JOB_ID;
	if (!listens(stepd))
		return WT_RC_NOT_RUNNING;
	for (uint32_t i = heard->first; i <= heard->last; i++) {
		/* It may come again, when the answer was lost; and nobody tells what a slurmstepd of ours has to. */
		if (step->stepds[i].holder != i || !elsewhere(model, &step->stepds[i]))
			continue;
		step->stepds[i].holder = rank;
		stepd_changed(model, step, i);
		stepd->untold--;
	}
	below_take(model, step, rank, heard->status);
	if (stepd->state == STEPD_WAITING && !stepd->untold)
		stepd_tree_go_on(model, step, rank, now_us);
	return WT_RC_SUCCESS;
}

void wt_model_step_told(struct wt_model *model, int64_t now_us, wt_step_ref ref, uint32_t rank, bool good)
{
	struct step *step = step_deref(model, ref);
	struct stepd *stepd = step && rank < step->count ? &step->stepds[rank] : NULL;

	if (!stepd || stepd->state != STEPD_TELLING || !stepd->untold)
		return;
	stepd->unheard = stepd->unheard || !good;
	if (--stepd->untold)
		return;
	if (!stepd->unheard) {
		stepd_gone(model, step, rank, now_us);
	} else {
		stepd->tries++;
		stepd_next_arm(model, step, rank, now_us + PARENT_RETRY_US);
	}
}

void stepd_tell(struct wt_model *model, struct step *step, uint32_t rank, int64_t now_us)
{
	struct stepd *stepd = &step->stepds[rank], *parent = NULL;
	struct wt_steptree place;

	wt_steptree_place(rank, step->count, &place);
	if (place.parent != WT_STEPTREE_NO_PARENT)
		parent = &step->stepds[place.parent];
	if (parent && elsewhere(model, parent) && stepd->tries < PARENT_TRIES) {
		wt_timerq_cancel(model->timers, stepd->next_timer);
		tell(model, step, rank, place.children, WT_ACTION_STEP_TELL, parent->node, now_us);
	} else if (parent && listens(parent)) {
		tell_parent(model, step, rank, &place, now_us);
	} else if (parent && !elsewhere(model, parent) && ++stepd->tries < PARENT_TRIES) {
		stepd_next_arm(model, step, rank, now_us + PARENT_RETRY_US);
	} else {
		wt_timerq_cancel(model->timers, stepd->next_timer);
		tell(model, step, rank, place.children, WT_ACTION_STEP_COMPLETE, WT_NODE_NONE, now_us);
	}
}

/* The children have been heard, or waited for long enough. */
void stepd_tree_go_on(struct wt_model *model, struct step *step, uint32_t rank, int64_t now_us)
{
	struct stepd *stepd = &step->stepds[rank];

	wt_timerq_cancel(model->timers, stepd->next_timer);
	stepd_changed(model, step, rank);
	stepd->state = STEPD_TELLING;
	stepd->tries = 0;
	if (!(stepd->status & 0x7f) && stepd->below > stepd->status)
		stepd->status = stepd->below;	/* tasks that died of a signal hide those below: _get_exit_code () */
	stepd_tell(model, step, rank, now_us);
}

int64_t stepd_children_wait_us(const struct wt_steptree *place)
{
	return (CHILDREN_WAIT_S + CHILDREN_WAIT_LEVEL_S * (int64_t) (place->max_depth - place->depth)) * 1000000;
}

void stepd_tree_enter(struct wt_model *model, struct step *step, uint32_t rank, int64_t now_us)
{
	struct stepd *stepd = &step->stepds[rank];
	struct wt_steptree place;

	wt_steptree_place(rank, step->count, &place);
	stepd->state = STEPD_WAITING;
	stepd_changed(model, step, rank);
	stepd->untold += place.children;	/* less those that were quicker: they have been counted down from 0 */
	if (!stepd->untold) {
		stepd_tree_go_on(model, step, rank, now_us);
		return;
	}
	stepd_next_arm(model, step, rank, now_us + stepd_children_wait_us(&place));
}

void wt_model_step_acked(struct wt_model *model, int64_t now_us, wt_step_ref ref, uint32_t rank)
{
	struct step *step = step_deref(model, ref);
	struct stepd *stepd = step && rank < step->count ? &step->stepds[rank] : NULL;

	if (stepd && stepd->state == STEPD_TELLING && stepd->untold && !--stepd->untold)
		stepd_gone(model, step, rank, now_us);
}

static void stepd_timer(struct wt_model *model, struct step *step, uint32_t rank, uint32_t kind, int64_t now_us)
{
	switch (step->stepds[rank].state) {
	case STEPD_CONNECTING:
		step_action(model, step, WT_ACTION_STEP_CONNECT, rank, now_us);
		break;
	case STEPD_STARTING:
		if (kind == TIMER_STEP_RUN)
			tasks_over(model, step, rank, now_us);
		else
			stepd_started_add(model, step, rank, now_us);
		break;
	case STEPD_RUNNING:
		if (kind == TIMER_STEP_RUN)
			tasks_over(model, step, rank, now_us);
		break;
	case STEPD_EXITING:
		step_action(model, step, WT_ACTION_STEP_EXIT, rank, now_us);
		break;
	case STEPD_WAITING:
		stepd_tree_go_on(model, step, rank, now_us);
		break;
	case STEPD_TELLING:
		stepd_tell(model, step, rank, now_us);
		break;
	}
}

void steps_timer(struct wt_model *model, int64_t now_us, const struct wt_timer *timer)
{
	struct step *step = step_deref(model, (timer->b & ~(uint64_t) UINT32_MAX) | timer->a);

	if (step && timer->kind == TIMER_STEP_FORGET)
		step_forget_due(model, step, now_us);
	else if (step)
		stepd_timer(model, step, (uint32_t) timer->b, timer->kind, now_us);
}

static void tasks_pause(struct wt_model *model, struct stepd *stepd, int64_t now_us, enum pause_state pause)
{
	/* From here on run_us is what is left, not when it is over. */
	if (stepd_tasks_run(stepd) && stepd->pause == PAUSE_NONE) {
		wt_timerq_cancel(model->timers, stepd->run_timer);
		stepd->run_us = stepd->run_us > now_us ? stepd->run_us - now_us : 0;
	}
	stepd->pause = (uint8_t) pause;
}

static void tasks_die(struct wt_model *model, struct step *step, uint32_t rank, int64_t now_us, int signal)
{
	step->stepds[rank].status = (uint32_t) signal;
	tasks_over(model, step, rank, now_us);
}

static void tasks_continue(struct wt_model *model, struct step *step, uint32_t rank, int64_t now_us)
{
	struct stepd *stepd = &step->stepds[rank];

	if (stepd->pause == PAUSE_NONE)
		return;
	stepd->pause = PAUSE_NONE;
	if (stepd->pending_signal)
		tasks_die(model, step, rank, now_us, stepd->pending_signal);
	else if (stepd_tasks_run(stepd))
		run_arm(model, step, rank, now_us);
}

/* As script_signal (): the tasks, too, have the default dispositions. */
static enum wt_rc stepd_signal(struct wt_model *model, struct step *step, uint32_t rank, int64_t now_us, int signal)
{
	struct stepd *stepd = &step->stepds[rank];

	if (stepd->over || stepd->state == STEPD_ABSENT || stepd->state > STEPD_RUNNING ||
	    (stepd->pause == PAUSE_SUSPENDED && signal != SIGKILL && signal <= LAST_SIGNAL))
		return WT_RC_NOT_RUNNING;
	stepd_changed(model, step, rank);
	switch (signal) {
	case 0: case SIGCHLD: case SIGURG: case SIGWINCH:
		break;
	case SIGSTOP: case SIGTSTP: case SIGTTIN: case SIGTTOU:
		tasks_pause(model, stepd, now_us, PAUSE_STOPPED);
		break;
	case SIGCONT:
		tasks_continue(model, step, rank, now_us);
		break;
	default:
		if (signal < 0 || signal > LAST_SIGNAL || (signal == SIGTERM && stepd->ignores_term))
			break;
		if (stepd->pause == PAUSE_STOPPED && signal != SIGKILL)
			stepd->pending_signal = (uint8_t) signal;
		else
			tasks_die(model, step, rank, now_us, signal);
		break;
	}
	return WT_RC_SUCCESS;
}

static uint32_t signal_one(struct wt_model *model, struct step *step, uint32_t rank, int64_t now_us, int signal)
{
	return stepd_signal(model, step, rank, now_us, signal) == WT_RC_SUCCESS;
}

/* Steps of a script run in its process, also on nodes of others: these ask their own process about the job, and there it has
 * none.  They end, stop and go on with the script. */
static void script_steps_each(struct wt_model *model, uint32_t job_id, uint32_t node, stepd_f f, int64_t now_us, int number)
{
	const struct job *job = model->own_count < model->node_count ? job_find(model, job_id) : NULL;

	if (!job || job->batch_node != node)
		return;
	for (uint32_t r = 0; r < job->nodes.range_count; r++)
		for (uint32_t i = 0; i < job->nodes.ranges[r].count; i++)
			if (!node_is_own(model, job->nodes.ranges[r].first + i))
				node_steps_each(model, job_id, job->nodes.ranges[r].first + i, f, now_us, number);
}

uint32_t node_steps_signal(struct wt_model *model, uint32_t job_id, uint32_t node, int64_t now_us, int signal)
{
	script_steps_each(model, job_id, node, signal_one, now_us, signal);
	return node_steps_each(model, job_id, node, signal_one, now_us, signal);
}

static void stepd_suspend(struct wt_model *model, struct step *step, uint32_t rank, int64_t now_us, bool suspend)
{
	struct stepd *stepd = &step->stepds[rank];

	if (stepd->over || stepd->state == STEPD_ABSENT || stepd->state > STEPD_RUNNING)
		return;
	stepd_changed(model, step, rank);
	if (suspend)
		tasks_pause(model, stepd, now_us, PAUSE_SUSPENDED);
	else
		tasks_continue(model, step, rank, now_us);
}

static uint32_t suspend_one(struct wt_model *model, struct step *step, uint32_t rank, int64_t now_us, int suspend)
{
	stepd_suspend(model, step, rank, now_us, suspend);
	return 1;
}

void node_steps_suspend(struct wt_model *model, uint32_t job_id, uint32_t node, int64_t now_us, bool suspend)
{
	script_steps_each(model, job_id, node, suspend_one, now_us, suspend);
	node_steps_each(model, job_id, node, suspend_one, now_us, suspend);
}

enum wt_rc wt_model_step_signal(struct wt_model *model, int64_t now_us, uint32_t node, const struct wt_step_name *name,
				int signal, uint32_t uid, bool privileged)
{
	struct step *step = step_find(model, name->job_id, name->step_id, name->step_het_comp);
	uint32_t rank;
	const struct stepd *stepd = step ? stepd_find(step, node, &rank) : NULL;

	if (!stepd || stepd->state == STEPD_ABSENT || stepd->state == STEPD_GONE)
		return WT_RC_INVALID_JOB_ID;
	/* After the step was found, as slurmd does it: a stranger hears of an id that is unknown that it is. */
	if (uid != step->uid && !privileged)
		return WT_RC_USER_ID_MISSING;
	return stepd_signal(model, step, rank, now_us, signal);
}
