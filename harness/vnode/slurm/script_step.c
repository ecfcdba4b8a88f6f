/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps that batch scripts ask for: what their sruns would send, and what they would make of the answers. */
#include "compat/message.h"
#include "harness/vnode/slurm/script_step.h"

#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/model_plan.h"

#define BUSY_AGAIN_US 60000000		/* srun's patience until it asks again unasked: at least that */
#define PROLOG_AGAIN_US 1000000

static int ask_pack(const struct wt_plan_item *item, uint32_t mark, const char *host, struct wt_bytes *bytes)
{
	char *copy = xmalloc(item->request_len + 1);
	job_step_create_request_msg_t *data;
	slurm_msg_t msg;
	buf_t *buffer;
	int rc = -1;

	memcpy(copy, item->request, item->request_len);
	/* Unpacked and packed again: only libslurm knows where in the bytes the fields lie that are known only now. */
	buffer = create_buf(copy, item->request_len);	/* takes it */
	wt_codec_request_init(&msg, REQUEST_JOB_STEP_CREATE, NULL);
	if (unpack_msg(&msg, buffer) == SLURM_SUCCESS) {
		data = msg.data;
		/* slurmctld keeps this number with the step, and so tells us after a lost answer which step is ours. */
		data->srun_pid = mark;
		xfree(data->host);
		data->host = xstrdup(host);
		rc = wt_codec_pack(&msg, bytes, NULL);
		slurm_free_job_step_create_request_msg(data);
	}
	free_buf(buffer);
	return rc;
}

int wt_script_pack(struct wt_daemon *daemon, const struct wt_outgoing_request *request, struct wt_bytes *bytes)
{
	const struct wt_plan_item *item = wt_model_script_step(daemon->model, request->job, request->first);
	job_step_info_request_msg_t data = {
		.step_id = { .job_id = request->job_id, .step_id = NO_VAL, .step_het_comp = NO_VAL }, .show_flags = SHOW_ALL,
	};
	slurm_msg_t msg;

	if (!item)
		return -1;
	if (request->kind == WT_SEND_SCRIPT_ASK)
		return ask_pack(item, wt_model_script_mark(daemon->model, request->job, request->first),
				wt_nodetable_name(daemon->nodes, request->node), bytes);
	wt_codec_request_init(&msg, REQUEST_JOB_STEP_INFO, &data);
	return wt_codec_pack(&msg, bytes, NULL);
}

/* The step is there: its nodes begin with it. */
static void step_begin(struct wt_daemon *daemon, const struct wt_outgoing_request *request, uint32_t step_id,
		       const char *nodes)
{
	compat_hostlist names = hostlist_create(nodes);
	uint32_t count = names ? (uint32_t) hostlist_count(names) : 0, known = 0;
	uint32_t *list = malloc((count + 1) * sizeof(*list));
	enum wt_rc rc = WT_RC_NO_MEMORY;
	wt_step_ref step;
	char *name;

	while (list && names && known < count && (name = hostlist_shift(names))) {
		list[known] = wt_nodetable_by_name(daemon->nodes, name);
		known += list[known] != WT_NODE_NONE;
		free(name);
	}
	if (list)
		rc = wt_model_script_created(daemon->model, wt_daemon_now_us(daemon), request->job, request->first, step_id,
					     list, known, &step);
	if (rc != WT_RC_SUCCESS)
		info("StepId=%u.%u: not begun: %s", request->job_id, step_id, slurm_strerror((int) wt_rpc_rc(rc)));
	else if (wt_step_client_add_none(&daemon->sruns, step, known, request->uid) < 0)
		error("StepId=%u.%u: no memory", request->job_id, step_id);
	daemon->counters.script_steps += rc == WT_RC_SUCCESS;
	free(list);
	if (names)
		hostlist_destroy(names);
}

/* As launch_common_create_job_step (). */
static void refusal_take(struct wt_daemon *daemon, const struct wt_outgoing_request *request, int rc)
{
	int64_t now_us = wt_daemon_now_us(daemon);

	if (compat_step_busy(rc)) {
		wt_model_script_busy(daemon->model, now_us, request->job, request->first, BUSY_AGAIN_US);
		return;
	}
	switch (rc) {
	case ESLURM_PROLOG_RUNNING:
		wt_model_script_busy(daemon->model, now_us, request->job, request->first, PROLOG_AGAIN_US);
		break;
	case ESLURM_IN_STANDBY_MODE: case ESLURM_IN_STANDBY_USE_BACKUP:
		wt_model_script_unsure(daemon->model, now_us, request->job, request->first);
		break;
	default:
		info("JobId=%u: unable to create a step of its script: %s", request->job_id, slurm_strerror(rc));
		wt_model_script_refused(daemon->model, now_us, request->job, request->first);
		break;
	}
}

/* It was made twice, because an answer was lost: the controller is told that it is over. */
static void orphan_end(struct wt_daemon *daemon, const struct wt_outgoing_request *request, const job_step_info_t *step)
{
	struct wt_outgoing_request complete = *request;
	compat_hostlist names = hostlist_create(step->nodes);

	complete.kind = WT_SEND_STEP_COMPLETE;
	/* No step of the model: its acknowledgement is of no use to anything here. */
	complete.step = 0;
	complete.step_id = step->step_id.step_id;
	complete.first = 0;
	complete.last = names && hostlist_count(names) > 0 ? (uint32_t) hostlist_count(names) - 1 : 0;
	complete.status = SIGKILL;
	info("StepId=%u.%u: its creation was not heard of: ended", request->job_id, complete.step_id);
	if (wt_requestq_push(&daemon->send.queues[WT_QUEUE_JOB], &complete) < 0)
		error("StepId=%u.%u: no memory", request->job_id, complete.step_id);
	if (names)
		hostlist_destroy(names);
}

static void list_look(struct wt_daemon *daemon, const struct wt_outgoing_request *request,
		      const job_step_info_response_msg_t *answer)
{
	uint32_t mark = wt_model_script_mark(daemon->model, request->job, request->first);
	const job_step_info_t *found = NULL;

	for (uint32_t i = 0; i < answer->job_step_count; i++) {
		const job_step_info_t *step = &answer->job_steps[i];

		if (step->step_id.job_id != request->job_id || step->state != JOB_RUNNING || !step->nodes)
			continue;
		if (step->srun_pid == mark && !found)
			found = step;
		else if (step->srun_pid == mark ||
			 wt_model_script_orphan(daemon->model, request->job, request->first, step->srun_pid,
						step->step_id.step_id))
			orphan_end(daemon, request, step);
	}
	if (found)
		step_begin(daemon, request, found->step_id.step_id, found->nodes);
	else
		wt_model_script_missing(daemon->model, wt_daemon_now_us(daemon), request->job, request->first);
}

static void code_take(struct wt_daemon *daemon, const struct wt_outgoing_request *request, int rc)
{
	if (request->kind == WT_SEND_SCRIPT_ASK)
		refusal_take(daemon, request, rc);
	else if (rc == ESLURM_IN_STANDBY_MODE || rc == ESLURM_IN_STANDBY_USE_BACKUP)
		wt_model_script_unsure(daemon->model, wt_daemon_now_us(daemon), request->job, request->first);
	else	/* it knows of no step, or not of the job, which it will say again */
		wt_model_script_missing(daemon->model, wt_daemon_now_us(daemon), request->job, request->first);
}

static void answer_take(struct wt_daemon *daemon, const struct wt_outgoing_request *request, const struct wt_msg *msg)
{
	const job_step_create_response_msg_t *created = msg->slurm.data;

	switch (msg->header.msg_type) {
	case RESPONSE_JOB_STEP_CREATE:
		step_begin(daemon, request, compat_created_step(created),
			   created->step_layout ? created->step_layout->node_list : "");
		break;
	case RESPONSE_JOB_STEP_INFO:
		list_look(daemon, request, msg->slurm.data);
		break;
	case RESPONSE_SLURM_RC:
		code_take(daemon, request, (int) ((return_code_msg_t *) msg->slurm.data)->return_code);
		break;
	case RESPONSE_SLURM_RC_MSG:
		code_take(daemon, request, (int) ((return_code2_msg_t *) msg->slurm.data)->return_code);
		break;
	default:
		wt_model_script_unsure(daemon->model, wt_daemon_now_us(daemon), request->job, request->first);
	}
}

void wt_script_done(struct wt_daemon *daemon, const struct wt_outgoing_request *request, const uint8_t *frame, size_t len)
{
	struct wt_error err;
	struct wt_msg msg;

	if (!frame || wt_codec_open(&msg, frame, len, true, &err) < 0) {
		wt_model_script_unsure(daemon->model, wt_daemon_now_us(daemon), request->job, request->first);
		return;
	}
	if (wt_codec_body(&msg, &err) == 0)
		answer_take(daemon, request, &msg);
	else
		wt_model_script_unsure(daemon->model, wt_daemon_now_us(daemon), request->job, request->first);
	wt_codec_close(&msg);
}
