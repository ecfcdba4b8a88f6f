/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes that lose power, and what is not waited for afterwards. */
#include "config.h"

#include <signal.h>

#include "harness/vnode/model/model_private.h"

bool wt_model_awaits(const struct wt_model *model, enum wt_action_kind kind, wt_job_ref ref, uint32_t node)
{
	const struct job *job = job_deref(model, ref);
	uint32_t rank;

	if (!job)
		return false;
	switch (kind) {
	case WT_ACTION_PROBE:
		return job->script == SCRIPT_PROBING;
	case WT_ACTION_BATCH_COMPLETE:
		return job->script == SCRIPT_ENDED;
	case WT_ACTION_SCRIPT_ASK: case WT_ACTION_SCRIPT_LOOK:
		return job->run && job->script == SCRIPT_RUNNING;
	case WT_ACTION_EPILOG_COMPLETE:
		return wt_nodeset_rank(&job->nodes, node, &rank) && bit_test(job->ending, rank);
	default:
		return true;
	}
}

/* No message is sent: srun hears of it from the controller, the parents in the tree wait for a while. */
static void node_steps_crash(struct wt_model *model, uint32_t node, int64_t now_us)
{
	struct node_load *load = &model->load[node];

	/* Always the first of the list: stepd_gone () takes it out. */
	while (load->step_head) {
		struct step *step = &model->steps[load->step_head - 1];
		uint32_t rank = load->step_rank;
		struct stepd *stepd = &step->stepds[rank];

		wt_timerq_cancel(model->timers, stepd->run_timer);
		wt_timerq_cancel(model->timers, stepd->next_timer);
		/* Before that no srun has been told how its tasks ended: they died with the node. */
		if (stepd->state < STEPD_WAITING)
			stepd->status = SIGKILL;
		/* Its slurmd is gone as well: stepd_gone () must not find one that goes on to the Epilog. */
		stepd->waited = false;
		stepd_gone(model, step, rank, now_us);
	}
}

void wt_model_crash(struct wt_model *model, int64_t now_us, uint32_t node)
{
	node_steps_crash(model, node, now_us);
	/* All jobs are looked at: a node keeps no list of those that it is but a part of, and failures are rare. */
	for (uint32_t i = 0; i < model->job_used; i++) {
		struct job *job = &model->jobs[i];

		if (!job->job_id)
			continue;
		if (job->batch_node == node && job->script != SCRIPT_NONE) {
			/* Its end is a row of events.csv, though no message will tell slurmctld of it. */
			if (script_alive(job))
				script_end(model, job, now_us, SIGKILL);
			script_gone(model, job);
			job->batch_waits = false;
		}
		/* It counts as neither allocated nor completing any more: no epilog message of this node will come. */
		node_told(model, job, node);
		node_released(model, job, node);
		job_settle(model, job);
	}
}
