/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The contents of what the nodes send. */
#include "compat/message.h"
#include "harness/vnode/slurm/node_process.h"
#include "harness/vnode/slurm/script_step.h"

static int step_create_pack(const struct wt_outgoing_request *request, struct wt_bytes *bytes)
{
	job_step_create_request_msg_t data = {
		.step_id = { .job_id = request->job_id, .step_id = NO_VAL, .step_het_comp = NO_VAL },
		.user_id = request->uid, .min_nodes = 1, .max_nodes = 1, .cpu_count = 1, .num_tasks = 1,
		.cpu_freq_min = NO_VAL, .cpu_freq_max = NO_VAL, .cpu_freq_gov = NO_VAL, .relative = NO_VAL16,
		.resv_port_cnt = NO_VAL16, .task_dist = SLURM_DIST_CYCLIC, .plane_size = NO_VAL16,
		.ntasks_per_tres = NO_VAL16, .threads_per_core = NO_VAL16, .time_limit = NO_VAL,
		.name = "probe", .host = "localhost", .flags = SSF_OVERLAP_FORCE, .immediate = 1,
		.pn_min_memory = NO_VAL64,
	};
	slurm_msg_t msg;

	compat_step_request_init(&data);
	wt_codec_request_init(&msg, REQUEST_JOB_STEP_CREATE, &data);
	return wt_codec_pack(&msg, bytes, NULL);
}

static int probe_pack(const struct wt_outgoing_request *request, struct wt_bytes *bytes)
{
	job_id_msg_t job = { COMPAT_JOB_ID(request->job_id) };
	slurm_msg_t msg;

	if (request->probe == WT_PROBE_STEP)
		return step_create_pack(request, bytes);
	if (request->probe == WT_PROBE_JOB)
		wt_codec_request_init(&msg, REQUEST_JOB_INFO_SINGLE, &job);
	else
		wt_codec_request_init(&msg, REQUEST_PING, NULL);
	return wt_codec_pack(&msg, bytes, NULL);
}

static int step_complete_pack(const struct wt_outgoing_request *request, struct wt_bytes *bytes)
{
	step_complete_msg_t data = {
		.step_id = { .job_id = request->job_id, .step_id = request->step_id, .step_het_comp = NO_VAL },
		.range_first = request->first, .range_last = request->last, .step_rc = request->status,
	};
	slurm_msg_t msg;

	if (request->step)
		data.step_id.step_het_comp = request->step_het_comp;
	wt_codec_request_init(&msg, REQUEST_STEP_COMPLETE, &data);
	return wt_codec_pack(&msg, bytes, NULL);
}

static int batch_complete_pack(const struct wt_outgoing_request *request, char *name, struct wt_bytes *bytes)
{
	complete_batch_script_msg_t data = {
		COMPAT_JOB_ID(request->job_id), .job_rc = request->wait_status, .slurm_rc = SLURM_SUCCESS, .node_name = name,
		.user_id = request->uid,
	};
	slurm_msg_t msg;

	wt_codec_request_init(&msg, REQUEST_COMPLETE_BATCH_SCRIPT, &data);
	return wt_codec_pack(&msg, bytes, NULL);
}

static int epilog_complete_pack(const struct wt_outgoing_request *request, char *name, struct wt_bytes *bytes)
{
	epilog_complete_msg_t data = { COMPAT_JOB_ID(request->job_id), .return_code = SLURM_SUCCESS, .node_name = name };
	slurm_msg_t msg;

	wt_codec_request_init(&msg, MESSAGE_EPILOG_COMPLETE, &data);
	return wt_codec_pack(&msg, bytes, NULL);
}

static int prolog_complete_pack(const struct wt_outgoing_request *request, char *name, struct wt_bytes *bytes)
{
	compat_prolog_complete_msg data = {
		COMPAT_JOB_ID(request->job_id), .node_name = name, .prolog_rc = request->status,
	};
	slurm_msg_t msg;

	wt_codec_request_init(&msg, REQUEST_COMPLETE_PROLOG, &data);
	return wt_codec_pack(&msg, bytes, NULL);
}

/* As slurmd's _launch_job_fail (). */
static int launch_fail_pack(const struct wt_outgoing_request *request, struct wt_bytes *bytes)
{
	requeue_msg_t data = { COMPAT_JOB_ID(request->job_id) };
	slurm_msg_t msg;

	data.flags = xstrcasestr(slurm_conf.sched_params, "nohold_on_prolog_fail") ? JOB_PENDING :
		     (uint32_t) JOB_REQUEUE_HOLD | JOB_LAUNCH_FAILED;
	wt_codec_request_init(&msg, REQUEST_JOB_REQUEUE, &data);
	return wt_codec_pack(&msg, bytes, NULL);
}

/* As slurm_notify_job (), of a job whose Prolog has failed. */
static int notify_pack(const struct wt_outgoing_request *request, const char *name, struct wt_bytes *bytes)
{
	char text[300];
	job_notify_msg_t data = {
		.message = text, .step_id = { .job_id = request->job_id, .step_id = NO_VAL, .step_het_comp = NO_VAL },
	};
	slurm_msg_t msg;

	snprintf(text, sizeof(text), "Prolog failure on node %s", name);
	wt_codec_request_init(&msg, REQUEST_JOB_NOTIFY, &data);
	return wt_codec_pack(&msg, bytes, NULL);
}

/* As slurm_kill_job (job_id, SIGKILL, 0). */
static int kill_job_pack(const struct wt_outgoing_request *request, struct wt_bytes *bytes)
{
	char id[16];
	job_step_kill_msg_t data = {
		.sjob_id = id, .signal = SIGKILL,
		.step_id = { .job_id = NO_VAL, .step_id = NO_VAL, .step_het_comp = NO_VAL },
	};
	slurm_msg_t msg;

	snprintf(id, sizeof(id), "%u", request->job_id);
	wt_codec_request_init(&msg, REQUEST_KILL_JOB, &data);
	return wt_codec_pack(&msg, bytes, NULL);
}

int wt_pack_request(struct wt_daemon *daemon, const struct wt_outgoing_request *request, struct wt_bytes *bytes,
		    bool *answered)
{
	char *name = (char *) wt_nodetable_name(daemon->nodes, request->node);	/* Slurm's structs have no const */

	*answered = request->kind != WT_SEND_EPILOG_COMPLETE;
	switch (request->kind) {
	case WT_SEND_REGISTRATION: return wt_registration_pack(daemon, request, bytes);
	case WT_SEND_PROBE: return probe_pack(request, bytes);
	case WT_SEND_BATCH_COMPLETE: return batch_complete_pack(request, name, bytes);
	case WT_SEND_EPILOG_COMPLETE: return epilog_complete_pack(request, name, bytes);
	case WT_SEND_LAUNCH_FAIL: return launch_fail_pack(request, bytes);
	case WT_SEND_PROLOG_COMPLETE: return prolog_complete_pack(request, name, bytes);
	case WT_SEND_NOTIFY: return notify_pack(request, name, bytes);
	case WT_SEND_KILL_JOB: return kill_job_pack(request, bytes);
	case WT_SEND_FAULT: return wt_registration_pack(daemon, request, bytes);
	case WT_SEND_SCRIPT_ASK: case WT_SEND_SCRIPT_LOOK: return wt_script_pack(daemon, request, bytes);
	case WT_SEND_STEP_COMPLETE: case WT_SEND_STEP_TELL: return step_complete_pack(request, bytes);
	}
	return -1;
}
