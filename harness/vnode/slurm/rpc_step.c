/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Launches of steps, by their owner's srun. */
#include "compat/credential.h"
#include "compat/message.h"
#include "harness/vnode/slurm/rpc_call.h"

#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>

#include "harness/vnode/model/program.h"

/* Of the credential, which the controller has signed: the list is to be trusted. */
static int nodes_expand(const struct wt_daemon *daemon, const char *text, struct wt_step_launch *launch)
{
	compat_hostlist names = hostlist_create(text);
	compat_hostlist_iterator iterator = names ? hostlist_iterator_create(names) : NULL;
	uint32_t count = names ? (uint32_t) hostlist_count(names) : 0, *nodes = malloc((count + 1) * sizeof(*nodes));
	char *name;

	while (nodes && iterator && launch->node_count < count && (name = hostlist_next(iterator))) {
		nodes[launch->node_count++] = wt_nodetable_by_name(daemon->nodes, name);
		free(name);
	}
	if (iterator)
		hostlist_iterator_destroy(iterator);
	if (names)
		hostlist_destroy(names);
	launch->nodes = nodes;
	return nodes && count ? 0 : -1;
}

static uint32_t arg_check(const struct wt_daemon *daemon, const launch_tasks_request_msg_t *req, const slurm_cred_arg_t *arg,
			  struct wt_step_launch *launch)
{
	if (arg->step_id.job_id != req->step_id.job_id || arg->step_id.step_id != req->step_id.step_id ||
	    arg->uid != compat_launch_uid(req) || arg->gid != compat_launch_gid(req))
		return ESLURMD_INVALID_JOB_CREDENTIAL;
	/* Ranks are counted in the list that srun sends, rights in that of the credential: they are the same. */
	if (xstrcmp(arg->step_hostlist, req->complete_nodelist))
		return ESLURM_INVALID_NODE_NAME;
	if (nodes_expand(daemon, arg->step_hostlist, launch) < 0)
		return COMPAT_FORK_FAILED;
	return launch->node_count == req->nnodes ? SLURM_SUCCESS : ESLURM_INVALID_NODE_NAME;
}

/* As slurmd's _rpc_launch_tasks () and _check_job_credential (), for all nodes of the message at once. */
static uint32_t launch_check(struct wt_daemon *daemon, struct wt_call *call)
{
	const launch_tasks_request_msg_t *req = call->msg.slurm.data;
	slurm_cred_arg_t *arg;
	uint32_t rc;

	if (!call->privileged && call->msg.slurm.auth_uid != compat_launch_uid(req))
		return ESLURM_USER_ID_MISSING;
	if (req->flags & LAUNCH_NO_ALLOC)	/* srun --no-allocate: there is no credential */
		return call->privileged ? ESLURM_NOT_SUPPORTED : ESLURM_ACCESS_DENIED;
	if (compat_srun_too_old(call->msg.header.version))	/* their input and output connects in another way */
		return SLURM_PROTOCOL_VERSION_ERROR;
	rc = (uint32_t) compat_cred_verify(req->cred, &arg);
	if (rc != SLURM_SUCCESS)
		return rc;
	rc = arg_check(daemon, req, arg, &call->launch);
	slurm_cred_unlock_args(req->cred);
	return rc;
}

/* With the rights of the user: what he may not see is none of his business.  Other threads of this process keep theirs. */
static void program_look(const struct wt_rpc_command *command, struct wt_program *program)
{
	int uid, gid;

	memset(program, 0, sizeof(*program));
	if (command->hidden || !command->argc || !command->argv[0] || !*command->argv[0])
		return;
	gid = setfsgid(command->gid);
	uid = setfsuid(command->uid);
	wt_program_look(program, command->argv[0], command->cwd ? command->cwd : "/", command->environment,
			command->environment_count);
	setfsuid((uid_t) uid);
	setfsgid((gid_t) gid);
}

void rpc_behaviour_read(const struct wt_daemon *daemon, const struct wt_rpc_command *command,
			struct job_behaviour *behaviour, char **complaint)
{
	struct wt_program program;

	program_look(command, &program);
	job_behaviour_read_command(behaviour, command->environment, command->environment_count, command->argv, command->argc,
				&(struct job_behaviour_program) { .own = program.own, .script = program.script },
				daemon->options.default_run_time_us);
	if (program.error) {
		behaviour->run_time_us = 0;
		behaviour->wait_status = (uint16_t) (program.error << 8);
		*complaint = strdup(program.complaint);
	}
	wt_program_clear(&program);
}

static void behaviour_read(const struct wt_daemon *daemon, const launch_tasks_request_msg_t *req, struct wt_call *call,
		      struct job_behaviour *behaviour)
{
	const struct wt_rpc_command command = {
		.uid = compat_launch_uid(req), .gid = compat_launch_gid(req), .argv = req->argv, .argc = req->argc,
		.cwd = req->cwd,
		.environment = req->env, .environment_count = req->envc,
		.hidden = req->flags & LAUNCH_MULTI_PROG || req->container,
	};

	rpc_behaviour_read(daemon, &command, behaviour, &call->complaint);
}

static void launch_prepare(struct wt_daemon *daemon, struct wt_call *call)
{
	launch_tasks_request_msg_t *req = call->msg.slurm.data;
	struct job_behaviour behaviour;

	call->launch_ready = true;
	call->launch_rc = launch_check(daemon, call);
	if (call->launch_rc != SLURM_SUCCESS) {
		call->counters->refused++;
		info("StepId=%u.%u: launch by uid %u refused: %s", req->step_id.job_id, req->step_id.step_id,
		     call->msg.slurm.auth_uid, slurm_strerror((int) call->launch_rc));
		return;
	}
	behaviour_read(daemon, req, call, &behaviour);
	if (behaviour.ignored) {
		daemon->counters.ignored_variables++;
		info("StepId=%u.%u: a WINDTUNNEL_ variable or an operand of sleep makes no sense and is ignored",
		     req->step_id.job_id, req->step_id.step_id);
	}
	call->launch.job_id = req->step_id.job_id;
	call->launch.step_id = req->step_id.step_id;
	call->launch.step_het_comp = req->step_id.step_het_comp;
	call->launch.uid = compat_launch_uid(req);
	call->launch.io = req->num_io_port && req->io_port[0];
	call->launch.run_time_us = behaviour.run_time_us;
	call->launch.wait_status = behaviour.wait_status;
	call->launch.ignores_term = behaviour.ignores_term;
	call->launch.revoked = compat_cred_revoked(req->cred, req->step_id.job_id,
						     wt_model_revoked_s(daemon->model, req->step_id.job_id));
}

/* What --node makes of a launch that is right: slurmd runs the Prolog in it, unless that ran when the job got its nodes. */
static uint32_t launch_refusal(struct wt_daemon *daemon, const launch_tasks_request_msg_t *req, uint32_t node)
{
	uint32_t job_id = req->step_id.job_id, het_job_id = req->het_job_id;

	if (wt_fault_refuses(&daemon->faults, true, job_id, node)) {
		if (slurm_conf.prolog_flags & PROLOG_FLAG_ALLOC)
			return ESLURMD_CREDENTIAL_REVOKED;
		wt_send_launch_fail(daemon, node, job_id, het_job_id && het_job_id != NO_VAL ? het_job_id : job_id,
				    ESLURMD_PROLOG_FAILED, false);
		return ESLURMD_PROLOG_FAILED;
	}
	return wt_fault_refuses(&daemon->faults, false, job_id, node) ? (uint32_t) SLURM_ERROR : SLURM_SUCCESS;
}

void wt_rpc_launch_tasks(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer)
{
	wt_step_ref step;
	uint32_t rank, rc;

	if (!call->launch_ready)
		launch_prepare(daemon, call);
	rc = call->launch_rc;
	if (rc == SLURM_SUCCESS)
		rc = launch_refusal(daemon, call->msg.slurm.data, node);
	if (rc == SLURM_SUCCESS)
		rc = wt_rpc_rc(wt_model_step_launch(daemon->model, wt_daemon_now_us(daemon), node, &call->launch, &step,
						    &rank));
	/* After the launch, which gives the ref.  Without memory for it the step runs, and its srun is not told. */
	if (rc == SLURM_SUCCESS && wt_step_client_add(&daemon->sruns, step, call) < 0)
		error("StepId=%u.%u: no memory for its srun's addresses", call->launch.job_id, call->launch.step_id);
	wt_answer_rc(answer, rc);
}

void wt_rpc_reattach(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer)
{
	reattach_tasks_response_msg_t *data = xmalloc(sizeof(*data));

	call->counters->unsupported++;
	data->return_code = ESLURM_NOT_SUPPORTED;	/* tasks that print nothing: there is nothing to attach to */
	data->node_name = xstrdup(wt_nodetable_name(daemon->nodes, node));
	answer->type = RESPONSE_REATTACH_TASKS;
	answer->data = data;
}

/* From the slurmstepds below this node's in the tree of a step: only root's or SlurmUser's are listened to. */
void wt_rpc_step_complete(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer)
{
	const step_complete_msg_t *req = call->msg.slurm.data;
	const struct wt_step_heard heard = {
		.name = { .job_id = req->step_id.job_id, .step_id = req->step_id.step_id,
			  .step_het_comp = req->step_id.step_het_comp },
		.first = req->range_first, .last = req->range_last,
		.status = req->step_rc == ESLURMD_IO_ERROR ? WT_STEP_IO_FAILED : req->step_rc,
	};

	wt_answer_rc(answer, wt_rpc_rc(wt_model_step_heard(daemon->model, wt_daemon_now_us(daemon), node, &heard)));
}
