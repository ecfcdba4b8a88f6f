/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The batch step: from its launch to its end. */
#include "config.h"

#include <math.h>
#include <signal.h>

#include "harness/vnode/model/model_private.h"

static void script_start(struct wt_model *model, struct job *job, int64_t now_us)
{
	/* Also the way back from a stop: beat_begin () tells the first beginning only. */
	job->script = SCRIPT_RUNNING;
	beat_begin(model, job, now_us);
	job_changed(model, job);
	/* Suspended while it started: its time runs from the resume on. */
	if (job->pause != PAUSE_NONE)
		return;
	if (job->run) {
		plan_begin(model, job, now_us);
		return;
	}
	job->run_until_us = now_us + job->run_time_us;
	job->run_timer = timer_arm(model, job, TIMER_RUN, job->run_until_us, job->batch_node);
}

/* A new life of a job id: refs and timers of the old one are void. */
static void job_renew(struct wt_model *model, struct job *job, int64_t now_us)
{
	job_nodes_clear(model, job);
	/* 0 is no generation: a ref of 0 never points to a job. */
	job->generation = job->generation + 1 ? job->generation + 1 : 1;
	job->revoked_s = 0;
	job->cancelled = false;
	job->batch_waits = false;
	timer_arm(model, job, TIMER_FORGET, now_us + model->conf.forget_s * 1000000LL, 0);
}

/* The node has a batch step from now on. */
void script_listed(struct wt_model *model, struct job *job, enum script_state script)
{
	struct node_load *load = &model->load[job->batch_node];

	job->script = (uint8_t) script;
	job->next_batch = load->batch_head;
	load->batch_head = (uint32_t) (job - model->jobs) + 1;
	if (script_alive(job))
		model->counts.jobs_running++;
}

static void script_fill(struct wt_model *model, struct job *job, uint32_t node, const struct wt_launch *launch)
{
	job->uid = launch->uid;
	job->array_job_id = launch->array_job_id;
	job->array_task_id = launch->array_task_id;
	job->batch_node = node;
	job->probe = launch->behaviour.probe;
	job->wait_status = launch->behaviour.wait_status;
	job->ignores_term = launch->behaviour.ignores_term;
	job->restart = launch->restart_count;
	job->speculates = launch->speculates;
	job->begun_us = 0;
	job->work_us = run_time_slowed(model, job, launch->behaviour.run_time_us);
	speed_fill(model, job);
	/* run_time_us is what is left, and shrinks with each stop; total_us stays, for the progress that is told. */
	job->run_time_us = job->total_us;
	job->pause = PAUSE_NONE;
	job->pending_signal = 0;
	/* The journal needs the nodes and the plan of this life in place of those of the one before. */
	job->nodes_changed = true;
	script_listed(model, job, SCRIPT_PROBING);
	job_changed(model, job);
}

/* The script's process is there. */
void script_begin(struct wt_model *model, struct job *job, int64_t now_us)
{
	if (job->probe == WT_PROBE_NONE)
		script_start(model, job, now_us);
	else
		action_add(model, job, WT_ACTION_PROBE, job->batch_node, now_us);
}

static enum wt_rc launch_checked(struct wt_model *model, int64_t now_us, uint32_t node, struct wt_launch *launch)
{
	struct job *job = job_find(model, launch->job_id);
	double node_count = launch->nodes.count;
	int64_t delay_us;

	/* A launch that arrives twice (slurmctld repeats it when the answer was lost) must not run twice. */
	if (job && job->script != SCRIPT_NONE) {
		action_add(model, job, WT_ACTION_LAUNCH_FAIL, node, now_us);
		return WT_RC_DUPLICATE_JOB_ID;
	}
	/* The kill of this job has overtaken its launch. */
	if (job && launch->revoked)
		return WT_RC_REVOKED;
	if (launch->fails)
		return WT_RC_FAILS;
	if (job)
		job_renew(model, job, now_us);
	else
		job = job_create(model, now_us, launch->job_id, launch->uid);
	if (!job || job_nodes_set(model, job, &launch->nodes, launch->nodes_hash, true) < 0)
		return WT_RC_NO_MEMORY;
	job->touched_us = now_us;
	if (plan_take(job, &launch->plan, launch->status_given) < 0)
		return WT_RC_NO_MEMORY;
	script_fill(model, job, node, launch);
	if (launch->restart_count)
		event_add(model, job, WT_EVENT_REQUEUE, node, now_us, NAN);
	event_add(model, job, WT_EVENT_START, node, now_us, node_count);
	delay_us = launch_delay_us(model, job);
	if (delay_us)
		job->run_timer = timer_arm(model, job, TIMER_LAUNCH, now_us + delay_us, node);
	else
		script_begin(model, job, now_us);
	return WT_RC_SUCCESS;
}

enum wt_rc wt_model_launch(struct wt_model *model, int64_t now_us, uint32_t node, struct wt_launch *launch)
{
	enum wt_rc rc = launch_checked(model, now_us, node, launch);

	/* Ours whatever came of it: callers do not have to know how far the launch got. */
	wt_nodeset_clear(&launch->nodes);	/* empty when they were taken */
	wt_script_plan_clear(&launch->plan);
	return rc;
}

void wt_model_probe_done(struct wt_model *model, int64_t now_us, wt_job_ref ref, double latency_s)
{
	struct job *job = job_deref(model, ref);

	/* The answer of a probe may be of an earlier life of the job, or come when it was cancelled meanwhile. */
	if (!job || job->script != SCRIPT_PROBING)
		return;
	event_add(model, job, WT_EVENT_PROBE, job->batch_node, now_us, latency_s);
	script_start(model, job, now_us);
}

void script_end(struct wt_model *model, struct job *job, int64_t now_us, uint16_t wait_status)
{
	int signal = wait_status & 0x7f;

	wt_timerq_cancel(model->timers, job->run_timer);
	job->run_timer = 0;
	job->script = SCRIPT_ENDED;
	job->wait_status = wait_status;
	job->touched_us = now_us;
	beat_end(model, job, now_us);
	model->counts.jobs_running--;
	job_changed(model, job);
	/* As a shell tells it: 128 and the signal. */
	event_add(model, job, WT_EVENT_END, job->batch_node, now_us, signal ? 128 + signal : wait_status >> 8);
}

/* slurmstepd notices the end, and tells it. */
static void script_end_tell(struct wt_model *model, struct job *job, int64_t now_us)
{
	int64_t delay_us = end_delay_us(model, job);

	if (delay_us)
		job->run_timer = timer_arm(model, job, TIMER_END, now_us + delay_us, job->batch_node);
	else
		action_add(model, job, WT_ACTION_BATCH_COMPLETE, job->batch_node, now_us);
}

void script_run_over(struct wt_model *model, struct job *job, int64_t now_us)
{
	if (job->script != SCRIPT_RUNNING)
		return;
	script_end(model, job, now_us, job->wait_status);
	script_end_tell(model, job, now_us);
}

/* The slurmstepd is gone: the node no longer lists the step. */
void script_gone(struct wt_model *model, struct job *job)
{
	uint32_t slot = (uint32_t) (job - model->jobs) + 1, *at;

	if (job->script == SCRIPT_NONE)
		return;
	if (script_alive(job))
		model->counts.jobs_running--;
	wt_timerq_cancel(model->timers, job->run_timer);
	job->run_timer = 0;
	plan_drop(model, job);
	at = &model->load[job->batch_node].batch_head;
	while (*at && *at != slot)
		at = &model->jobs[*at - 1].next_batch;
	if (*at)
		*at = job->next_batch;
	job->script = SCRIPT_NONE;
	job_changed(model, job);
}

static void script_die(struct wt_model *model, struct job *job, int64_t now_us, int signal)
{
	if (!job->cancelled) {
		job->cancelled = true;
		event_add(model, job, WT_EVENT_CANCEL, job->batch_node, now_us, signal);
	}
	script_end(model, job, now_us, (uint16_t) signal);
	script_end_tell(model, job, now_us);
}

static void script_pause(struct wt_model *model, struct job *job, int64_t now_us, enum pause_state pause)
{
	if (job->script == SCRIPT_RUNNING && job->pause == PAUSE_NONE) {
		wt_timerq_cancel(model->timers, job->run_timer);
		job->run_timer = 0;
		job->run_time_us = job->run_until_us > now_us ? job->run_until_us - now_us : 0;
		if (job->run)
			plan_pause(model, job, now_us);
	}
	job->pause = (uint8_t) pause;
	job_changed(model, job);
}

static void script_continue(struct wt_model *model, struct job *job, int64_t now_us)
{
	if (job->pause == PAUSE_NONE)
		return;
	job->pause = PAUSE_NONE;
	job_changed(model, job);
	/* The kernel delivers what was held back before the process runs on. */
	if (job->pending_signal)
		script_die(model, job, now_us, job->pending_signal);
	else if (job->script == SCRIPT_RUNNING)
		script_start(model, job, now_us);
}

/* What the default disposition of a signal does to a shell and its sleep. */
enum wt_rc script_signal(struct wt_model *model, struct job *job, int64_t now_us, int signal)
{
	if (!script_alive(job) || (job->pause == PAUSE_SUSPENDED && signal != SIGKILL && signal <= LAST_SIGNAL))
		return WT_RC_NOT_RUNNING;
	switch (signal) {
	case 0: case SIGCHLD: case SIGURG: case SIGWINCH:
		break;
	case SIGSTOP: case SIGTSTP: case SIGTTIN: case SIGTTOU:
		script_pause(model, job, now_us, PAUSE_STOPPED);
		break;
	case SIGCONT:
		script_continue(model, job, now_us);
		break;
	default:
		if (signal < 0 || signal > LAST_SIGNAL || (signal == SIGTERM && job->ignores_term))
			break;		/* Slurm's own numbers only write to the job's log */
		/* The kernel keeps a signal to a stopped process until SIGCONT; only SIGKILL ends it at once. */
		if (job->pause == PAUSE_STOPPED && signal != SIGKILL) {
			job->pending_signal = (uint8_t) signal;
			job_changed(model, job);
		} else {
			script_die(model, job, now_us, signal);
		}
		break;
	}
	return WT_RC_SUCCESS;
}

enum wt_rc wt_model_signal(struct wt_model *model, int64_t now_us, uint32_t node, uint32_t job_id,
			   enum wt_signal_target target, int signal, uint32_t uid, bool privileged)
{
	struct job *job = job_find(model, job_id);
	bool batch = job && job->script != SCRIPT_NONE && job->batch_node == node;

	if (!batch && !node_steps_known(model, job_id, node))
		return WT_RC_INVALID_JOB_ID;
	/* After the job was found: slurmd tells strangers, too, which ids it does not know. */
	if (uid != job->uid && !privileged)
		return WT_RC_USER_ID_MISSING;
	if (target == WT_TARGET_OTHER_STEP)
		return WT_RC_INVALID_JOB_ID;
	if (target == WT_TARGET_STEPS) {
		node_steps_signal(model, job_id, node, now_us, signal);
		return WT_RC_SUCCESS;
	}
	return batch ? script_signal(model, job, now_us, signal) : WT_RC_SUCCESS;
}

enum wt_rc wt_model_batch_look(const struct wt_model *model, uint32_t node, uint32_t job_id, uint32_t uid, bool privileged)
{
	const struct job *job = job_find(model, job_id);

	if (!job || job->script == SCRIPT_NONE || job->batch_node != node || !script_alive(job))
		return WT_RC_INVALID_JOB_ID;
	return uid == job->uid || privileged ? WT_RC_SUCCESS : WT_RC_USER_ID_MISSING;
}

void wt_model_suspend(struct wt_model *model, int64_t now_us, uint32_t node, uint32_t job_id, bool suspend)
{
	struct job *job = job_find(model, job_id);

	node_steps_suspend(model, job_id, node, now_us, suspend);
	if (!job || job->batch_node != node || !script_alive(job))
		return;
	if (suspend)
		script_pause(model, job, now_us, PAUSE_SUSPENDED);
	else
		script_continue(model, job, now_us);
}
