/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a job on its nodes: from "terminate", or the controller's acknowledgement of the script's end, to the release
 * of each. */
#include "config.h"

#include <math.h>
#include <signal.h>

#include "harness/vnode/model/model_private.h"
#include "harness/vnode/model/stagger.h"

void node_stagger(struct wt_model *model, struct job *job, int64_t now_us, uint32_t node)
{
	uint32_t rank, delay_us;

	/* slurmd spreads the epilog messages of a job over time by the rank of its node, so that they do not all
	 * arrive at once. */
	if (!wt_nodeset_rank(&job->nodes, node, &rank))
		rank = job->nodes.count;	/* what slurmd's search ends with */
	delay_us = wt_stagger_delay_us(now_us, rank, job->nodes.count, model->conf.epilog_msg_time_us);
	if (delay_us)
		timer_arm(model, job, TIMER_EPILOG, now_us + delay_us, node);
	else
		action_add(model, job, WT_ACTION_EPILOG_COMPLETE, node, now_us);
}

void node_epilog(struct wt_model *model, struct job *job, int64_t now_us, uint32_t node)
{
	int64_t delay_us = epilog_delay_us(model, job, node);

	if (delay_us)
		timer_arm(model, job, TIMER_EPILOG_RUN, now_us + delay_us, node);
	else
		node_stagger(model, job, now_us, node);
}

/* A slurmd that was told at 'told_us' waits until the job's slurmstepds are gone, looking at them from time to time. */
void node_look(struct wt_model *model, struct job *job, int64_t now_us, uint32_t node, int64_t told_us)
{
	int64_t look_us = wt_stagger_poll_us(told_us, now_us);

	/* Until slurmctld has acknowledged the script's end its slurmstepd lives; wt_model_batch_acked () comes here
	 * again. */
	if (job->batch_node == node && job->script != SCRIPT_NONE) {
		job->batch_waits = true;
		job->told_us = told_us;
	} else if (node_steps_wait(model, job->job_id, node, told_us)) {
		return;
	} else if (look_us <= now_us) {
		node_epilog(model, job, now_us, node);
	} else {
		timer_arm(model, job, TIMER_POLL, look_us, node);
	}
}

static void node_poll(struct wt_model *model, struct job *job, int64_t now_us)
{
	if (!job->batch_waits)
		return;
	job->batch_waits = false;
	node_look(model, job, now_us, job->batch_node, job->told_us);
}

void wt_model_batch_acked(struct wt_model *model, int64_t now_us, wt_job_ref ref)
{
	struct job *job = job_deref(model, ref);

	/* The message may have been sent twice: the second answer finds the script gone. */
	if (!job || job->script != SCRIPT_ENDED)
		return;
	/* slurmd forgets a job some time after its last message, not after its launch. */
	job->touched_us = now_us;
	script_gone(model, job);
	node_poll(model, job, now_us);
}

/* A kill that a registration has brought about, or that is sent again, names only the nodes that it is for: kill_job_on_node
 * (), abort_job_on_node () and re_kill_job () of slurmctld.  The others are still the job's. */
static bool names_part(const struct job *job, const struct wt_kill *kill)
{
	uint32_t rank;

	if (!job->nodes_hash || kill->nodes.count > job->nodes.count)
		return false;
	for (uint32_t r = 0; r < kill->nodes.range_count; r++)
		for (uint32_t i = 0; i < kill->nodes.ranges[r].count; i++)
			if (!wt_nodeset_rank(&job->nodes, kill->nodes.ranges[r].first + i, &rank))
				return false;
	return kill->nodes.count > 0;
}

static struct job *job_told(struct wt_model *model, int64_t now_us, struct wt_kill *kill)
{
	struct job *job = job_find(model, kill->job_id);

	/* Also for a job of which no launch has arrived: there has to be a place that remembers the revocation. */
	if (!job)
		job = job_create(model, now_us, kill->job_id, kill->uid);
	if (!job)
		return NULL;
	/* Not as allocated: of a job that is known by its kill alone no node was ever counted. */
	if (job->nodes_hash != kill->nodes_hash && !names_part(job, kill) &&
	    job_nodes_set(model, job, &kill->nodes, kill->nodes_hash, false) < 0)
		return NULL;
	job->touched_us = now_us;
	/* The controller's own times: a launch that was sent before the kill and arrives after it must not start, a
	 * later start of the same id must. */
	if (!job->revoked_s || (kill->start_time_s && job->revoked_s < kill->start_time_s))
		job->revoked_s = kill->time_s;
	job_changed(model, job);
	return job;
}

/* True when there was something to signal. */
static bool steps_kill(struct wt_model *model, const struct job *job, int64_t now_us, uint32_t node)
{
	uint32_t job_id = job->job_id;

	/* Suspended tasks refuse SIGCONT, so that it tells them from those that may end nicely. */
	if (node_steps_signal(model, job_id, node, now_us, SIGCONT))
		return node_steps_signal(model, job_id, node, now_us, SIGTERM);
	return node_steps_signal(model, job_id, node, now_us, SIGKILL);	/* suspended: no nice end */
}

static bool script_kill(struct wt_model *model, struct job *job, int64_t now_us, uint32_t node)
{
	if (job->batch_node != node || !script_alive(job))
		return false;
	if (job->pause == PAUSE_SUSPENDED) {
		script_signal(model, job, now_us, SIGKILL);	/* slurmd does not bother with a nice end */
	} else {
		/* First, because a stopped script would keep the SIGTERM for later. */
		script_signal(model, job, now_us, SIGCONT);
		script_signal(model, job, now_us, SIGTERM);
	}
	return true;
}

/* A script or step that has not ended at SIGTERM is killed KillWait later: slurmd's _pause_for_job_completion () and
 * _terminate_all_steps (). */
static void kill_later(struct wt_model *model, const struct job *job, int64_t now_us, uint32_t node)
{
	bool alive = job->batch_node == node && script_alive(job);

	/* Signal 0 reaches whatever is alive, and does nothing to it. */
	if (alive || node_steps_signal(model, job->job_id, node, now_us, 0))
		timer_arm(model, job, TIMER_KILL, now_us + model->conf.kill_wait_s * INT64_C(1000000), node);
}

void node_kill(struct wt_model *model, struct job *job, int64_t now_us, uint32_t node)
{
	if (job->batch_node == node && script_alive(job))
		script_signal(model, job, now_us, SIGKILL);
	node_steps_signal(model, job->job_id, node, now_us, SIGKILL);
}

static enum wt_rc terminate(struct wt_model *model, int64_t now_us, uint32_t node, struct wt_kill *kill)
{
	struct job *job = job_told(model, now_us, kill);
	bool signalled, first;

	if (!job)
		return WT_RC_NO_MEMORY;
	/* slurmctld repeats "terminate" until the node is released; slurmd remembers that one of its threads waits
	 * already. */
	if ((job->batch_waits && job->batch_node == node) || node_steps_waited(model, job->job_id, node))
		return WT_RC_SUCCESS;	/* another thread of this slurmd is at it */
	first = node_told(model, job, node);
	signalled = script_kill(model, job, now_us, node);
	signalled = steps_kill(model, job, now_us, node) || signalled;
	/* Nothing to kill and no Epilog: slurmd says so in its answer, which releases the node without another
	 * message. */
	if (!signalled && !model->conf.epilog && !kill->closes) {
		event_add(model, job, WT_EVENT_RELEASE, node, now_us, NAN);
		job_settle(model, job);
		return WT_RC_ALREADY_COMPLETE;
	}
	/* Before any timer: what fires later asks whether the node is ending. */
	node_ending(model, job, node);
	kill_later(model, job, now_us, node);
	if (job->batch_node == node && job->script != SCRIPT_NONE && (signalled || model->conf.epilog)) {
		job->batch_waits = true;
		job->told_us = now_us;
	} else if ((signalled || model->conf.epilog) && node_steps_wait(model, job->job_id, node, now_us)) {
		;	/* the last of them goes on */
	} else if (first) {
		node_epilog(model, job, now_us, node);
	} else {	/* an Epilog runs once for a job */
		node_stagger(model, job, now_us, node);
	}
	return WT_RC_SUCCESS;
}

enum wt_rc wt_model_terminate(struct wt_model *model, int64_t now_us, uint32_t node, struct wt_kill *kill)
{
	enum wt_rc rc = terminate(model, now_us, node, kill);

	/* Whatever became of it: callers need not know whether the list was taken; then it is empty. */
	wt_nodeset_clear(&kill->nodes);
	return rc;
}

/* The controller does not know the job: kill it, and send no message. */
enum wt_rc wt_model_abort(struct wt_model *model, int64_t now_us, uint32_t node, struct wt_kill *kill)
{
	struct job *job = job_told(model, now_us, kill);

	wt_nodeset_clear(&kill->nodes);
	if (!job)
		return WT_RC_NO_MEMORY;
	node_told(model, job, node);
	if (job->batch_node == node && job->script != SCRIPT_NONE) {
		if (script_alive(job)) {
			event_add(model, job, WT_EVENT_CANCEL, node, now_us, SIGKILL);
			script_end(model, job, now_us, SIGKILL);
		}
		script_gone(model, job);
		node_poll(model, job, now_us);
	}
	node_steps_signal(model, job->job_id, node, now_us, SIGKILL);	/* these do tell the controller */
	job_settle(model, job);
	return WT_RC_SUCCESS;
}

void wt_model_epilog_acked(struct wt_model *model, int64_t now_us, wt_job_ref ref, uint32_t node)
{
	struct job *job = job_deref(model, ref);

	if (!job || !node_released(model, job, node))
		return;
	job->touched_us = now_us;
	/* Only now: a node is free for slurmctld when it has read the epilog message, and that is what a run measures. */
	event_add(model, job, WT_EVENT_RELEASE, node, now_us, NAN);
	job_settle(model, job);
}
