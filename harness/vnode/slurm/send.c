/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the nodes send to the controller: order, retries, and what becomes of the answers. */
#include "compat/message.h"
#include "harness/vnode/slurm/node_process.h"

#include <errno.h>

#include "harness/vnode/slurm/script_step.h"
#include "harness/vnode/slurm/slurmconf.h"

/* slurmstepd's RETRY_DELAY between two tries of the batch complete message; an epilog message is sent by slurmd once, and
 * again when the controller repeats its "terminate": here sooner, so that a broken connection costs no minutes. */
static const int64_t retry_delay_us[WT_QUEUES] = { [WT_QUEUE_JOB] = 15000000, [WT_QUEUE_EPILOG] = 1000000 };

#define REFUSED_PAUSE_S 0.25	/* slurmd: 1 s; here one node tries for all */

static int queue_of(uint8_t kind)
{
	return kind == WT_SEND_EPILOG_COMPLETE ? WT_QUEUE_EPILOG : WT_QUEUE_JOB;
}

void wt_send_queue(struct wt_send *send, const struct wt_outgoing_request *request)
{
	if (wt_requestq_push(&send->queues[queue_of(request->kind)], request) < 0)
		error("JobId=%u: no memory for a message to the controller", request->job_id);
}

bool wt_send_waits(const struct wt_daemon *daemon)
{
	const struct wt_send *send = &daemon->send;

	return wt_outgoing_ready(send->outgoing) &&
	       (send->queues[WT_QUEUE_JOB].count || send->queues[WT_QUEUE_EPILOG].count ||
		wt_registry_waits(daemon->registration.registry));
}

static bool any_request(struct wt_daemon *daemon, struct wt_outgoing_request *request)
{
	/* Ends of jobs first: as long as they wait their nodes stay taken, while a registration is only a report. */
	for (int i = 0; i < WT_QUEUES; i++) {
		if (wt_requestq_pop(&daemon->send.queues[i], request))
			return true;
	}
	*request = (struct wt_outgoing_request) { .kind = WT_SEND_REGISTRATION };
	return wt_registry_next(daemon->registration.registry, &request->node);
}

static void failed(struct wt_daemon *daemon, const struct wt_outgoing_request *request);

/* Messages of nodes without power do not exist; lost ones have failed.  slurmd tells of an epilog once. */
static bool next_request(void *arg, struct wt_outgoing_request *request)
{
	struct wt_daemon *daemon = arg;

	/* A loop, not recursion: each node of thousands without power may have a message here. */
	while ((daemon->send.may || !daemon->time.in_order) && any_request(daemon, request)) {
		if (wt_fault_void(daemon, request)) {
			if (request->kind == WT_SEND_REGISTRATION)
				wt_registry_forget(daemon->registration.registry, request->node);
		} else if (!wt_fault_lost(daemon, request->node)) {
			daemon->send.may = false;
			return true;
		} else if (request->kind != WT_SEND_EPILOG_COMPLETE) {
			failed(daemon, request);
		}
	}
	return false;
}

static int pack(void *arg, const struct wt_outgoing_request *request, uint8_t **data, size_t *len, bool *answered)
{
	struct wt_daemon *daemon = arg;
	struct wt_bytes bytes;

	if (wt_pack_request(daemon, request, &bytes, answered) < 0)
		return -1;
	daemon->counters.sent++;
	*data = bytes.data;
	*len = bytes.len;
	return 0;
}

static in_addr_t source(void *arg, const struct wt_outgoing_request *request)
{
	const struct wt_daemon *daemon = arg;

	return daemon->nodes->addresses[request->node];
}

static void retry_later(struct wt_daemon *daemon, const struct wt_outgoing_request *request)
{
	int q = queue_of(request->kind);
	struct wt_outgoing_request again = *request;
	struct wt_timer timer = { .kind = WT_TIMER_RETRY, .deadline_us = wt_daemon_now_us(daemon) + retry_delay_us[q] };

	daemon->counters.retried++;
	again.time_us = timer.deadline_us;
	if (wt_requestq_push(&daemon->send.retries[q], &again) < 0 || !wt_timerq_arm(daemon->time.timers, &timer))
		error("JobId=%u: no memory for a message to the controller", request->job_id);
}

void wt_send_retry(struct wt_send *send, int64_t now_us)
{
	struct wt_outgoing_request request;

	/* Of a queue all wait equally long: the first is the first that is due. */
	for (int q = 0; q < WT_QUEUES; q++) {
		const struct wt_outgoing_request *first;

		while ((first = wt_requestq_peek(&send->retries[q])) && first->time_us <= now_us &&
		       wt_requestq_pop(&send->retries[q], &request))
			wt_requestq_push(&send->queues[q], &request);
	}
}

/* Nothing was sent: the request goes back to where it was. */
static void refused(struct wt_daemon *daemon, const struct wt_outgoing_request *request)
{
	daemon->counters.refused_connections++;
	if (request->kind == WT_SEND_REGISTRATION)
		wt_registry_put_back(daemon->registration.registry, request->node);
	else if (wt_requestq_push_front(&daemon->send.queues[queue_of(request->kind)], request) < 0)
		error("JobId=%u: no memory for a message to the controller", request->job_id);
}

static void registration_failed(struct wt_daemon *daemon, uint32_t node)
{
	uint32_t delay_s = wt_registry_failed_s(daemon->registration.registry, node);
	struct wt_timer timer = {
		.kind = WT_TIMER_REGISTER, .a = node, .deadline_us = wt_daemon_now_us(daemon) + delay_s * 1000000LL,
	};

	daemon->counters.retried++;
	if (!wt_timerq_arm(daemon->time.timers, &timer))
		wt_registry_want(daemon->registration.registry, node);
}

static void probe_done(struct wt_daemon *daemon, const struct wt_outgoing_request *request, bool good, uint32_t step_id)
{
	int64_t now_us = wt_daemon_now_us(daemon);

	/* A probe that made a step has to end it: slurmctld would count it as running. */
	if (good && request->probe == WT_PROBE_STEP) {
		struct wt_outgoing_request complete = *request;

		complete.kind = WT_SEND_STEP_COMPLETE;
		complete.step_id = step_id;
		wt_send_queue(&daemon->send, &complete);
	}
	wt_model_probe_done(daemon->model, now_us, request->job,
			    good ? (double) (now_us - request->time_us) / 1e6 : -1.);
}

static void registration_acked(struct wt_daemon *daemon, uint32_t node)
{
	wt_registry_acked(daemon->registration.registry, node);
	wt_power_registered(daemon->power.power, wt_daemon_now_us(daemon), node);
	wt_fault_registered(daemon);
}

/* The answer's return code, or what stands for it: -1 when it is no answer at all. */
int wt_send_answer(const uint8_t *frame, size_t len, uint32_t *step_id)
{
	struct wt_error err;
	struct wt_msg msg;
	int rc = -1;

	if (wt_codec_open(&msg, frame, len, true, &err) < 0) {
		debug("answer of the controller: %s", err.text);
		return -1;
	}
	switch (msg.header.msg_type) {
	case RESPONSE_NODE_REGISTRATION:
	case RESPONSE_JOB_INFO:
		rc = SLURM_SUCCESS;	/* what else they say is of no use here */
		break;
	case RESPONSE_SLURM_RC:
		if (wt_codec_body(&msg, &err) == 0)
			rc = (int) ((return_code_msg_t *) msg.slurm.data)->return_code;
		break;
	case RESPONSE_SLURM_RC_MSG:
		if (wt_codec_body(&msg, &err) == 0)
			rc = (int) ((return_code2_msg_t *) msg.slurm.data)->return_code;
		break;
	case RESPONSE_JOB_STEP_CREATE:
		if (wt_codec_body(&msg, &err) < 0)
			break;
		*step_id = compat_created_step(msg.slurm.data);
		rc = SLURM_SUCCESS;
		break;
	}
	wt_codec_close(&msg);
	return rc;
}

static bool standby(int rc)
{
	return rc == ESLURM_IN_STANDBY_MODE || rc == ESLURM_IN_STANDBY_USE_BACKUP;
}

static bool is_script(const struct wt_outgoing_request *request)
{
	return request->kind == WT_SEND_SCRIPT_ASK || request->kind == WT_SEND_SCRIPT_LOOK;
}

static void failed(struct wt_daemon *daemon, const struct wt_outgoing_request *request)
{
	if (request->kind == WT_SEND_REGISTRATION)
		registration_failed(daemon, request->node);
	else if (request->kind == WT_SEND_PROBE)
		probe_done(daemon, request, false, 0);
	else if (is_script(request))
		wt_script_done(daemon, request, NULL, 0);
	else
		retry_later(daemon, request);
}

/* As slurmd's _rpc_prolog () and _launch_job_fail (): the Prolog's end, then the requeue (or, of a job that cannot be
 * requeued, a word to it and its end), then the registration by which slurmctld drains the node. */
static void fail_goes_on(struct wt_daemon *daemon, const struct wt_outgoing_request *request, int rc)
{
	struct wt_outgoing_request next = *request;

	next.time_us = wt_daemon_now_us(daemon);
	if (request->kind == WT_SEND_PROLOG_COMPLETE) {
		next.kind = WT_SEND_LAUNCH_FAIL;
		next.job_id = request->step_id;		/* of a heterogeneous job: the first component */
	} else if (request->kind == WT_SEND_LAUNCH_FAIL && (rc == ESLURM_DISABLED || rc == ESLURM_BATCH_ONLY)) {
		next.kind = request->status == ESLURMD_PROLOG_FAILED ? WT_SEND_NOTIFY : WT_SEND_KILL_JOB;
	} else if (request->kind == WT_SEND_NOTIFY) {
		next.kind = WT_SEND_KILL_JOB;
	} else if (request->status == ESLURMD_PROLOG_FAILED) {
		next.kind = WT_SEND_FAULT;
	} else {
		return;
	}
	wt_send_queue(&daemon->send, &next);
}

void wt_send_launch_fail(struct wt_daemon *daemon, uint32_t node, uint32_t job_id, uint32_t requeue_id, uint32_t status,
			 bool prolog_awaited)
{
	struct wt_outgoing_request request = {
		.kind = prolog_awaited ? WT_SEND_PROLOG_COMPLETE : WT_SEND_LAUNCH_FAIL, .node = node, .status = status,
		.job_id = prolog_awaited ? job_id : requeue_id, .step_id = requeue_id,
	};

	info("JobId=%u: %s on %s", job_id, slurm_strerror((int) status), wt_nodetable_name(daemon->nodes, node));
	wt_send_queue(&daemon->send, &request);
}

static void done(void *arg, const struct wt_outgoing_request *request, enum wt_outcome outcome, const uint8_t *frame,
		 size_t len)
{
	struct wt_daemon *daemon = arg;
	uint32_t step_id = 0;
	int rc = SLURM_SUCCESS;

	if (outcome == WT_OUTCOME_REFUSED) {
		refused(daemon, request);
		return;
	}
	if (outcome == WT_OUTCOME_ANSWERED && is_script(request)) {
		wt_script_done(daemon, request, frame, len);
		return;
	}
	/* That one is never answered: that slurmctld has closed the connection is all there is. */
	if (outcome == WT_OUTCOME_ANSWERED && request->kind != WT_SEND_EPILOG_COMPLETE)
		rc = wt_send_answer(frame, len, &step_id);
	/* A backup controller that is not in charge took nothing: as if it had not been there. */
	if (outcome == WT_OUTCOME_FAILED || rc == -1 || standby(rc)) {
		failed(daemon, request);
		return;
	}
	if (rc != SLURM_SUCCESS && rc != ESLURM_ALREADY_DONE)
		debug("%s: the controller answers kind %u, JobId=%u: %s", wt_nodetable_name(daemon->nodes, request->node),
		      request->kind, request->job_id, slurm_strerror(rc));
	if (request->kind == WT_SEND_REGISTRATION)
		registration_acked(daemon, request->node);
	else if (request->kind == WT_SEND_PROBE)
		probe_done(daemon, request, rc == SLURM_SUCCESS, step_id);
	else if (request->kind == WT_SEND_BATCH_COMPLETE)
		wt_model_batch_acked(daemon->model, wt_daemon_now_us(daemon), request->job);
	else if (request->kind == WT_SEND_STEP_COMPLETE && request->step)
		wt_model_step_acked(daemon->model, wt_daemon_now_us(daemon), request->step, request->rank);
	else if ((request->kind == WT_SEND_PROLOG_COMPLETE && request->status) || request->kind == WT_SEND_LAUNCH_FAIL ||
		 request->kind == WT_SEND_NOTIFY || request->kind == WT_SEND_KILL_JOB)
		fail_goes_on(daemon, request, rc);
	else if (request->kind == WT_SEND_EPILOG_COMPLETE)
		wt_model_epilog_acked(daemon->model, wt_daemon_now_us(daemon), request->job, request->node);
}

int wt_send_targets(struct wt_send *send, struct wt_error *errp)
{
	struct sockaddr_in targets[WT_OUTGOING_MAX_TARGETS];
	uint32_t count = 0;

	/* Primary first, then its backups, as slurm.conf names them. */
	while (count < WT_OUTGOING_MAX_TARGETS && wt_slurmconf_controller(count, &targets[count], errp) == 0)
		count++;
	if (!count)
		return -1;
	wt_outgoing_targets(send->outgoing, targets, count);
	return 0;
}

int wt_send_init(struct wt_daemon *daemon, struct wt_error *errp)
{
	const struct wt_outgoing_calls calls = {
		.next = next_request, .pack = pack, .done = done, .source = source, .arg = daemon,
	};
	const struct wt_outgoing_conf conf = {
		.max_in_flight = daemon->options.max_in_flight, .timeout_s = wt_slurmconf_message_timeout_s(),
		.refused_pause_s = REFUSED_PAUSE_S,
	};

	daemon->send.outgoing = wt_outgoing_create(daemon->time.loop, &conf, &calls);
	if (!daemon->send.outgoing)
		return wt_error_errno(errp, ENOMEM, "outgoing requests");
	return wt_send_targets(&daemon->send, errp);
}

void wt_send_turn(struct wt_send *send)
{
	send->may = true;
	wt_outgoing_kick(send->outgoing);
	send->may = false;
}

void wt_send_fini(struct wt_send *send)
{
	wt_outgoing_destroy(send->outgoing);
	for (int i = 0; i < WT_QUEUES; i++) {
		wt_requestq_clear(&send->queues[i]);
		wt_requestq_clear(&send->retries[i]);
	}
}
