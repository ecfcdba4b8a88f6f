/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests about jobs: translate between Slurm's messages and the model. */
#include "compat/credential.h"
#include "harness/vnode/slurm/rpc_call.h"

#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/script.h"
#include "harness/vnode/slurm/script_request.h"
#include "straggler/protocol/jobs_env.h"

/* What sbatch --speculate leaves with a job, for slurmctld's plugin and slurmstepd's. */
static bool speculates(const batch_job_launch_msg_t *req)
{
	for (uint32_t i = 0; i < req->spank_job_env_size; i++) {
		if (req->spank_job_env[i] && !strncmp(req->spank_job_env[i], JOBS_POLICY "=", sizeof(JOBS_POLICY)))
			return true;
	}
	return false;
}

static void ignored_count(struct wt_daemon *daemon, const struct wt_launch *launch)
{
	static const char *const names[] = {
		WT_JOB_ENV_RUN_TIME, WT_JOB_ENV_EXIT_CODE, WT_JOB_ENV_FAIL, WT_JOB_ENV_PROBE, "sleep",
		WT_JOB_ENV_IGNORE_TERM,
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!(launch->behaviour.ignored >> i & 1))
			continue;
		daemon->counters.ignored_variables++;
		info("JobId=%u: its %s cannot be understood and is ignored", launch->job_id, names[i]);
	}
}

static uint32_t requeue_id(uint32_t job_id, uint32_t het_job_id)
{
	return het_job_id && het_job_id != NO_VAL ? het_job_id : job_id;
}

/* With PrologFlags=Alloc the launch is confirmed and waits for the Prolog, which a message of its own has begun; when it
 * fails, wt_rpc_prolog () tells, and the launch is silently forgotten. */
static bool prolog_tells(void)
{
	return slurm_conf.prolog_flags & PROLOG_FLAG_ALLOC;
}

void wt_rpc_launch(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer)
{
	batch_job_launch_msg_t *req = call->msg.slurm.data;
	uint32_t job_id = compat_job_id(req);
	int64_t now_us = wt_daemon_now_us(daemon);
	struct wt_launch launch = {
		.job_id = job_id, .uid = compat_batch_uid(req), .restart_count = req->restart_cnt,
		.array_job_id = req->array_task_id == NO_VAL ? 0 : req->array_job_id,
		.array_task_id = req->array_task_id == NO_VAL ? UINT32_MAX : req->array_task_id,
		.nodes_hash = wt_model_text_hash(req->nodes), .speculates = speculates(req),
	};
	const struct job_behaviour_place place = { launch.array_task_id, wt_nodetable_name(daemon->nodes, node) };
	bool prolog_fails = wt_fault_refuses(&daemon->faults, true, job_id, node);
	enum wt_rc rc;

	launch.fails = prolog_fails || wt_fault_refuses(&daemon->faults, false, job_id, node);
	job_behaviour_read(&launch.behaviour, req->environment, req->envc, req->script, &place,
			   daemon->options.default_run_time_us);
	ignored_count(daemon, &launch);
	if (!launch.speculates && wt_script_mentions_srun(req->script))
		wt_script_plan_make(daemon, req, &launch);
	/* Asked of the model, because libslurmfull's list of revoked credentials is one for all nodes of this process. */
	launch.revoked = compat_cred_revoked(req->cred, job_id, wt_model_revoked_s(daemon->model, job_id));
	if (wt_daemon_nodeset(daemon, req->nodes, &launch.nodes) < 0) {
		wt_script_plan_clear(&launch.plan);
		rc = WT_RC_NO_MEMORY;
	} else {
		rc = wt_model_launch(daemon->model, now_us, node, &launch);
	}
	if (rc == WT_RC_FAILS && !(prolog_fails && prolog_tells()))
		wt_send_launch_fail(daemon, node, job_id, requeue_id(job_id, req->het_job_id),
				    prolog_fails ? ESLURMD_PROLOG_FAILED : ESLURMD_CREATE_BATCH_DIR_ERROR, false);
	else if (rc != WT_RC_SUCCESS && rc != WT_RC_FAILS)
		info("JobId=%u: launch on %s refused: %s", job_id, wt_nodetable_name(daemon->nodes, node),
		     slurm_strerror((int) wt_rpc_rc(rc)));
	wt_answer_rc(answer, wt_rpc_rc(rc));
}

void wt_rpc_prolog(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer)
{
	const prolog_launch_msg_t *req = call->msg.slurm.data;
	uint32_t job_id = compat_job_id(req);
	struct wt_outgoing_request request = {
		.kind = WT_SEND_PROLOG_COMPLETE, .node = node,
		.job_id = job_id,	/* of this component, also in a heterogeneous job */
	};

	bool awaited = !(slurm_conf.prolog_flags & PROLOG_FLAG_NOHOLD);

	wt_answer_rc(answer, SLURM_SUCCESS);
	if (wt_fault_refuses(&daemon->faults, true, job_id, node))
		wt_send_launch_fail(daemon, node, job_id, requeue_id(job_id, req->het_job_id),
				    ESLURMD_PROLOG_FAILED, awaited);
	else if (awaited)
		wt_send_queue(&daemon->send, &request);
}

/* slurmctld's re_kill_job () names no nodes: such a message is for those that it is sent to.  xmalloc ()'ed. */
static char *kill_names(const struct wt_daemon *daemon, const struct wt_call *call, uint32_t node)
{
	const kill_job_msg_t *req = call->msg.slurm.data;
	const char *others = call->msg.header.forward_count ? call->msg.header.forward_nodes : NULL;

	if (req->nodes && *req->nodes)
		return xstrdup(req->nodes);
	return xstrdup_printf("%s%s%s", wt_nodetable_name(daemon->nodes, node), others ? "," : "", others ? others : "");
}

/* A message is answered for each of its nodes in turn: what is the same for all of them is made for the first, and kept. */
static struct wt_kill *kill_prepare(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, bool closes)
{
	kill_job_msg_t *req = call->msg.slurm.data;
	char *names;

	if (call->kill_ready && (call->kill.nodes.count || wt_model_knows_nodes(daemon->model, call->kill.job_id,
										call->kill.nodes_hash)))
		return &call->kill;
	names = kill_names(daemon, call, node);
	if (!call->kill_ready) {
		call->kill = (struct wt_kill) {
			.job_id = req->step_id.job_id, .uid = req->job_uid, .time_s = req->time,
			.start_time_s = req->start_time, .nodes_hash = wt_model_text_hash(names), .closes = closes,
		};
		call->kill_ready = true;
	}
	if (!wt_model_knows_nodes(daemon->model, call->kill.job_id, call->kill.nodes_hash))
		wt_daemon_nodeset(daemon, names, &call->kill.nodes);
	xfree(names);
	return &call->kill;
}

void wt_rpc_terminate(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer)
{
	wt_answer_rc(answer, wt_rpc_rc(wt_model_terminate(daemon->model, wt_daemon_now_us(daemon), node,
							 kill_prepare(daemon, call, node, false))));
}

static enum wt_rc step_signal(struct wt_daemon *daemon, const struct wt_call *call, uint32_t node, const slurm_step_id_t *id,
			      int signal)
{
	const struct wt_step_name name = {
		.job_id = id->job_id, .step_id = id->step_id, .step_het_comp = id->step_het_comp,
	};

	return wt_model_step_signal(daemon->model, wt_daemon_now_us(daemon), node, &name, signal, call->msg.slurm.auth_uid,
				    call->privileged);
}

void wt_rpc_timelimit(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer)
{
	kill_job_msg_t *req = call->msg.slurm.data;

	if (req->step_id.step_id != NO_VAL) {
		/* As slurmd: a stopped task could not heed the SIGTERM. */
		step_signal(daemon, call, node, &req->step_id, SIGCONT);
		step_signal(daemon, call, node, &req->step_id, SIGTERM);
	} else
		wt_model_terminate(daemon->model, wt_daemon_now_us(daemon), node, kill_prepare(daemon, call, node, true));
	wt_answer_rc(answer, SLURM_SUCCESS);
}

void wt_rpc_abort(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer)
{
	wt_answer_rc(answer, wt_rpc_rc(wt_model_abort(daemon->model, wt_daemon_now_us(daemon), node,
						     kill_prepare(daemon, call, node, false))));
}

static void refused_count(struct wt_call *call, enum wt_rc rc)
{
	if (rc == WT_RC_USER_ID_MISSING)
		call->counters->refused++;
}

void wt_rpc_signal(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer)
{
	signal_tasks_msg_t *req = call->msg.slurm.data;
	enum wt_signal_target target = WT_TARGET_OTHER_STEP;
	enum wt_rc rc;
	int signal;

	if (req->flags & (KILL_FULL_JOB | KILL_JOB_BATCH) || req->step_id.step_id == SLURM_BATCH_SCRIPT)
		target = WT_TARGET_BATCH;
	else if (req->flags & KILL_STEPS_ONLY)
		target = WT_TARGET_STEPS;
	signal = req->signal == SIG_TERM_KILL ? SIGTERM : req->signal;
	if (target == WT_TARGET_OTHER_STEP)
		rc = step_signal(daemon, call, node, &req->step_id, signal);
	else
		rc = wt_model_signal(daemon->model, wt_daemon_now_us(daemon), node, req->step_id.job_id, target, signal,
				     call->msg.slurm.auth_uid, call->privileged);
	if (rc == WT_RC_NOT_RUNNING && req->flags & (KILL_FULL_JOB | KILL_JOB_BATCH))
		rc = WT_RC_SUCCESS;	/* slurmd does not look at what became of it */
	refused_count(call, rc);
	wt_answer_rc(answer, wt_rpc_rc(rc));
}

void wt_rpc_terminate_step(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer)
{
	signal_tasks_msg_t *req = call->msg.slurm.data;
	enum wt_rc rc;

	if (req->step_id.step_id != SLURM_BATCH_SCRIPT)
		rc = step_signal(daemon, call, node, &req->step_id, SIGKILL);
	else
		rc = wt_model_signal(daemon->model, wt_daemon_now_us(daemon), node, req->step_id.job_id, WT_TARGET_BATCH,
				     SIGKILL,
				     call->msg.slurm.auth_uid, call->privileged);
	if (rc == WT_RC_NOT_RUNNING && req->step_id.step_id != SLURM_BATCH_SCRIPT)
		rc = WT_RC_SUCCESS;	/* its slurmstepd is there, and its tasks are gone already */

	refused_count(call, rc);
	wt_answer_rc(answer, wt_rpc_rc(rc));
}

void wt_rpc_suspend(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer)
{
	suspend_int_msg_t *req = call->msg.slurm.data;
	bool known = req->op == SUSPEND_JOB || req->op == RESUME_JOB;

	if (known)
		wt_model_suspend(daemon->model, wt_daemon_now_us(daemon), node, compat_job_id(req), req->op == SUSPEND_JOB);
	wt_answer_rc(answer, known ? SLURM_SUCCESS : ESLURM_NOT_SUPPORTED);
}

/* As slurmd's _rpc_stat_jobacct () and _rpc_list_pids (): the users who may ask are those who may signal, and 0 is no
 * signal. */
static enum wt_rc step_look(struct wt_daemon *daemon, struct wt_call *call, uint32_t node)
{
	const slurm_step_id_t *id = call->msg.slurm.data;
	enum wt_rc rc;

	if (id->step_id == SLURM_BATCH_SCRIPT)
		rc = wt_model_batch_look(daemon->model, node, id->job_id, call->msg.slurm.auth_uid, call->privileged);
	else
		rc = step_signal(daemon, call, node, id, 0);
	if (rc == WT_RC_NOT_RUNNING)
		rc = WT_RC_SUCCESS;	/* it begins, ends or is suspended: there is an slurmstepd */
	refused_count(call, rc);
	return rc;
}

/* Of no process. */
static job_step_pids_t *pids_make(const struct wt_daemon *daemon, uint32_t node)
{
	job_step_pids_t *pids = xmalloc(sizeof(*pids));

	pids->node_name = xstrdup(wt_nodetable_name(daemon->nodes, node));
	return pids;
}

/* No tasks and no figures: what an slurmstepd says that has jobacct_gather/none, which gathers nothing. */
void wt_rpc_step_stat(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer)
{
	enum wt_rc rc = step_look(daemon, call, node);
	job_step_stat_t *data;

	if (rc != WT_RC_SUCCESS) {
		wt_answer_rc(answer, wt_rpc_rc(rc));
		return;
	}
	data = xmalloc(sizeof(*data));
	data->return_code = SLURM_SUCCESS;
	data->step_pids = pids_make(daemon, node);
	answer->type = RESPONSE_JOB_STEP_STAT;
	answer->data = data;
}

void wt_rpc_step_pids(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer)
{
	enum wt_rc rc = step_look(daemon, call, node);

	if (rc != WT_RC_SUCCESS) {
		wt_answer_rc(answer, wt_rpc_rc(rc));
		return;
	}
	answer->type = RESPONSE_JOB_STEP_PIDS;
	answer->data = pids_make(daemon, node);
}
