/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What arrives at the nodes: which users may ask, for which nodes, and one answer from each of them. */
#include "harness/vnode/slurm/rpc_call.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/vnode/model/hostnames.h"

/* slurmd's rules of authorisation, _rpc_* in Slurm 22.05's req.c. */
enum rule {
	CONTROLLER,		/* root or SlurmUser; others are answered ESLURM_USER_ID_MISSING */
	CONTROLLER_SILENT,	/* the same; others are not answered */
	OWNER,			/* or the job's owner: its handler decides */
	ANYBODY,
};

typedef void (*handler_f)(struct wt_daemon *, struct wt_call *, uint32_t node, struct wt_answer *);

struct rpc {
	uint16_t type;
	uint8_t rule;		/* enum rule */
	handler_f handle;
};

static uint64_t free_memory_mib(const struct wt_daemon *daemon, uint32_t node)
{
	return wt_nodetable_class(daemon->nodes, node)->memory_mib / 16 * 15;	/* a system of its own takes some */
}

static void rpc_ping(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer)
{
	ping_slurmd_resp_msg_t *data = xmalloc(sizeof(*data));

	data->cpu_load = 0;
	data->free_mem = free_memory_mib(daemon, node);
	answer->type = RESPONSE_PING_SLURMD;
	answer->data = data;
	/* slurmd answers the question like a ping, and registers by a message of its own. */
	if (call->msg.header.msg_type == REQUEST_NODE_REGISTRATION_STATUS)
		wt_registry_want(daemon->registration.registry, node);
}

static void rpc_health(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer)
{
	(void) daemon;
	(void) call;
	(void) node;
	wt_answer_rc(answer, SLURM_SUCCESS);
}

static void rpc_energy(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer)
{
	acct_gather_node_resp_msg_t *data;

	if (call->msg.header.msg_type == REQUEST_ACCT_GATHER_ENERGY)
		return;		/* no power sensors: a slurmd closes without an answer */
	data = xmalloc(sizeof(*data));
	data->node_name = xstrdup(wt_nodetable_name(daemon->nodes, node));
	data->sensor_cnt = 1;
	data->energy = acct_gather_energy_alloc(1);
	answer->type = RESPONSE_ACCT_GATHER_UPDATE;
	answer->data = data;
}

static void rpc_reconfigure(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer)
{
	(void) call;
	(void) answer;
	wt_reconfigure_want(daemon, node);
}

static void rpc_shutdown(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer)
{
	(void) call;
	(void) answer;
	/* It ends slurmd: only switching the node off and on brings another one (wt_registry_start ()). */
	wt_registry_stop(daemon->registration.registry, node);
	/* What it has still to tell other processes' nodes leaves before it ends: the loop looks. */
	daemon->serving.all_stopped = wt_power_control_all_stopped(daemon);
}

/* As slurmd's _get_step_list (). */
static char *step_list(const struct wt_daemon *daemon, uint32_t node)
{
	uint32_t job_ids[64], count = wt_model_batch_jobs(daemon->model, node, job_ids, 64);
	struct wt_step_name names[64];
	char *text = NULL, one[64];

	for (uint32_t i = 0; i < count && i < 64; i++)
		xstrfmtcat(text, "%s%u", text ? ", " : "", job_ids[i]);
	count = wt_model_node_steps(daemon->model, node, names, 64);
	for (uint32_t i = 0; i < count && i < 64; i++) {
		slurm_step_id_t id = {
			.job_id = names[i].job_id, .step_id = names[i].step_id, .step_het_comp = names[i].step_het_comp,
		};

		xstrfmtcat(text, "%s%s", text ? ", " : "",
			   log_build_step_id_str(&id, one, sizeof(one), STEP_ID_FLAG_NO_PREFIX));
	}
	return text ? text : xstrdup("NONE");
}

static void rpc_status(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer)
{
	const struct wt_node_class *hardware = wt_nodetable_class(daemon->nodes, node);
	int64_t booted_us = daemon->power.boots.booted_us[node];
	slurmd_status_t *data = xmalloc(sizeof(*data));

	(void) call;
	data->actual_cpus = hardware->cpus;
	data->actual_boards = hardware->boards;
	data->actual_sockets = hardware->sockets;
	data->actual_cores = hardware->cores;
	data->actual_threads = hardware->threads;
	data->actual_real_mem = hardware->memory_mib;
	data->actual_tmp_disk = hardware->tmp_disk_mib;
	data->booted = (booted_us ? booted_us : daemon->time.start_us) / 1000000;
	data->last_slurmctld_msg = daemon->serving.last_controller_us / 1000000;
	/* The same for all nodes: there is no other process. */
	data->pid = (uint32_t) getpid();
	data->hostname = xstrdup(wt_nodetable_name(daemon->nodes, node));
	data->slurmd_logfile = xstrdup("");
	data->step_list = step_list(daemon, node);
	data->version = xstrdup(SLURM_VERSION_STRING);
	answer->type = RESPONSE_SLURMD_STATUS;
	answer->data = data;
}

static void rpc_no_steps(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer)
{
	(void) daemon;
	(void) call;
	(void) node;
	wt_answer_rc(answer, ESLURM_INVALID_JOB_ID);	/* there is no such step on this node, and none can be asked */
}

static void rpc_unsupported(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer)
{
	(void) daemon;
	(void) node;
	if (!call->counters->unsupported++)
		info("%s: virtual nodes cannot do that yet; answered \"%s\"", call->counters->name,
		     slurm_strerror(ESLURM_NOT_SUPPORTED));
	wt_answer_rc(answer, ESLURM_NOT_SUPPORTED);
}

static void rpc_silent(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer)
{
	(void) daemon;
	(void) call;
	(void) node;
	(void) answer;		/* nothing to do, and slurmd does not answer */
}

static const struct rpc rpcs[] = {
	{ REQUEST_PING, CONTROLLER, rpc_ping },
	{ REQUEST_NODE_REGISTRATION_STATUS, CONTROLLER, rpc_ping },
	{ REQUEST_HEALTH_CHECK, CONTROLLER, rpc_health },
	{ REQUEST_ACCT_GATHER_UPDATE, CONTROLLER, rpc_energy },
	{ REQUEST_ACCT_GATHER_ENERGY, CONTROLLER, rpc_energy },
	{ REQUEST_RECONFIGURE, CONTROLLER_SILENT, rpc_reconfigure },
	{ REQUEST_RECONFIGURE_WITH_CONFIG, CONTROLLER_SILENT, rpc_reconfigure },
	{ REQUEST_SHUTDOWN, CONTROLLER_SILENT, rpc_shutdown },
	{ REQUEST_REBOOT_NODES, CONTROLLER_SILENT, wt_reboot_request },
	{ REQUEST_BATCH_JOB_LAUNCH, CONTROLLER, wt_rpc_launch },
	{ REQUEST_LAUNCH_PROLOG, CONTROLLER_SILENT, wt_rpc_prolog },
	{ REQUEST_TERMINATE_JOB, CONTROLLER, wt_rpc_terminate },
	{ REQUEST_KILL_TIMELIMIT, CONTROLLER, wt_rpc_timelimit },
	{ REQUEST_KILL_PREEMPTED, CONTROLLER, wt_rpc_timelimit },
	{ REQUEST_ABORT_JOB, CONTROLLER, wt_rpc_abort },
	{ REQUEST_SUSPEND_INT, CONTROLLER, wt_rpc_suspend },
	{ REQUEST_SIGNAL_TASKS, OWNER, wt_rpc_signal },
	{ REQUEST_TERMINATE_TASKS, OWNER, wt_rpc_terminate_step },
	{ REQUEST_JOB_NOTIFY, OWNER, rpc_silent },
	{ REQUEST_JOB_STEP_STAT, OWNER, wt_rpc_step_stat },
	{ REQUEST_JOB_STEP_PIDS, OWNER, wt_rpc_step_pids },
	{ REQUEST_STEP_COMPLETE, CONTROLLER, wt_rpc_step_complete },
	{ REQUEST_JOB_ID, ANYBODY, rpc_no_steps },
	{ REQUEST_DAEMON_STATUS, ANYBODY, rpc_status },
	{ REQUEST_LAUNCH_TASKS, OWNER, wt_rpc_launch_tasks },
	{ REQUEST_REATTACH_TASKS, OWNER, wt_rpc_reattach },
	{ REQUEST_FILE_BCAST, OWNER, rpc_unsupported },
	{ REQUEST_FORWARD_DATA, OWNER, rpc_unsupported },
	{ REQUEST_NETWORK_CALLERID, ANYBODY, rpc_unsupported },
};

/* Only handlers that look at the message need it unpacked. */
static bool body_wanted(const struct rpc *rpc)
{
	return rpc->handle != rpc_unsupported && rpc->handle != rpc_no_steps && rpc->handle != rpc_silent &&
	       rpc->handle != rpc_ping && rpc->handle != rpc_health && rpc->handle != rpc_energy &&
	       rpc->handle != wt_rpc_reattach && rpc->handle != rpc_reconfigure && rpc->handle != rpc_shutdown &&
	       rpc->handle != rpc_status && rpc->handle != wt_reboot_request;
}

static const struct rpc *rpc_find(uint16_t type)
{
	for (size_t i = 0; i < sizeof(rpcs) / sizeof(rpcs[0]); i++) {
		if (rpcs[i].type == type)
			return &rpcs[i];
	}
	return NULL;
}

static void node_answer(struct wt_daemon *daemon, struct wt_call *call, const struct rpc *rpc, uint32_t node,
			struct wt_answer *answer)
{
	memset(answer, 0, sizeof(*answer));
	call->counters->received++;
	if (!rpc) {
		call->counters->unsupported++;
		wt_answer_rc(answer, EINVAL);	/* as slurmd's default */
	} else if (rpc->rule <= CONTROLLER_SILENT && !call->privileged) {
		call->counters->refused++;
		if (rpc->rule == CONTROLLER)
			wt_answer_rc(answer, ESLURM_USER_ID_MISSING);
	} else {
		rpc->handle(daemon, call, node, answer);
	}
}

/* A node behind the first one of the message: exactly one entry, whatever happens. */
static void forwarded_answer(struct wt_daemon *daemon, struct wt_call *call, const struct rpc *rpc, const char *name,
			     compat_list list)
{
	uint32_t node = wt_nodetable_by_name(daemon->nodes, name);
	/* One entry for each node, whatever becomes of it: slurmctld counts them, and takes a missing one for a node
	 * that is down. */
	struct wt_answer answer = { 0 };

	if (node == WT_NODE_NONE) {
		answer.type = RESPONSE_FORWARD_FAILED;
		answer.err = SLURM_UNKNOWN_FORWARD_ADDR;
	} else if (!wt_nodetable_is_own(daemon->nodes, node)) {
		call->foreign[call->foreign_count++] = node;
		return;
	} else if (wt_registry_stopped(daemon->registration.registry, node) || wt_fault_lost(daemon, node)) {
		answer.type = RESPONSE_FORWARD_FAILED;
		answer.err = SLURM_COMMUNICATIONS_CONNECTION_ERROR;
	} else if (wt_fault_silent(daemon, node)) {
		answer.type = RESPONSE_FORWARD_FAILED;
		answer.err = SLURM_COMMUNICATIONS_CONNECTION_ERROR;
		wt_fault_unreachable(&daemon->serving);
	} else {
		node_answer(daemon, call, rpc, node, &answer);
		if (!answer.type) {
			answer.type = RESPONSE_FORWARD_FAILED;
			answer.err = SLURM_COMMUNICATIONS_RECEIVE_ERROR;	/* what a forwarder hears of a silent node */
		}
	}
	wt_forward_entry(list, name, &answer);
}

/* True when the list can be read, and names as many nodes as the header says. */
static bool forward_nodes_good(const struct wt_header *header)
{
	struct wt_hostnames names = { .text = header->forward_nodes };
	uint32_t count = 0;
	int rc;

	/* Stops one behind the header's number: a list of millions of names costs no more than it declares. */
	while ((rc = wt_hostnames_next(&names)) > 0 && count < header->forward_count)
		count++;
	return !rc && count == header->forward_count;
}

static int forwarded_answers(struct wt_daemon *daemon, struct wt_call *call, const struct rpc *rpc, uint32_t node,
			     compat_list *list)
{
	struct wt_hostnames names = { .text = call->msg.header.forward_nodes };
	compat_hostlist all;
	char *name;

	if (!call->msg.header.forward_count) {
		wt_fault_late(daemon, node, 0);
		return 0;
	}
	call->foreign = malloc(call->msg.header.forward_count * sizeof(*call->foreign));
	if (!call->foreign)
		return -1;
	if (forward_nodes_good(&call->msg.header)) {
		wt_fault_late(daemon, node, call->msg.header.forward_count);
		*list = list_create(destroy_data_info);
		while (wt_hostnames_next(&names) > 0)
			forwarded_answer(daemon, call, rpc, names.name, *list);
		return 0;
	}
	/* Slurm's own reader knows more forms, and ends the process, or takes all memory, when a
	 * hostile sender wants it to. */
	all = call->privileged ? hostlist_create(call->msg.header.forward_nodes) : NULL;
	if (!all || hostlist_count(all) != call->msg.header.forward_count) {
		if (all)
			hostlist_destroy(all);
		return -1;
	}
	wt_fault_late(daemon, node, call->msg.header.forward_count);
	*list = list_create(destroy_data_info);
	while ((name = hostlist_shift(all))) {
		forwarded_answer(daemon, call, rpc, name, *list);
		free(name);
	}
	hostlist_destroy(all);
	return 0;
}

static void answer_pack(struct wt_call *call, const struct wt_answer *own, compat_list others, struct wt_bytes *bytes)
{
	struct wt_error err;
	slurm_msg_t reply;

	wt_codec_reply_init(&reply, &call->msg, own->type, own->data);
	reply.ret_list = others;
	if (wt_codec_pack(&reply, bytes, &err) < 0)
		error("answer to %s", err.text);
}

static void call_serve(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_bytes *bytes)
{
	const struct rpc *rpc = rpc_find(call->msg.header.msg_type);
	struct wt_answer own;
	compat_list others = NULL;
	uid_t uid = call->msg.slurm.auth_uid;

	/* By the credential that munged has checked, not by what the message says of itself. */
	call->privileged = uid == 0 || uid == slurm_conf.slurm_user_id;
	call->counters = counters_rpc(&daemon->counters, rpc ? rpc->type : 0, rpc ? rpc_num2string(rpc->type) : "other");
	if (call->privileged)
		daemon->serving.last_controller_us = wt_daemon_now_us(daemon);
	if (rpc && body_wanted(rpc) && (call->privileged || rpc->rule > CONTROLLER_SILENT) &&
	    wt_codec_body(&call->msg, NULL) < 0) {
		daemon->counters.dropped[COUNTERS_DROP_BODY]++;
		return;
	}
	/* The first node's turn comes first: it prepares what is the same for all of them. */
	node_answer(daemon, call, rpc, node, &own);
	if (forwarded_answers(daemon, call, rpc, node, &others) < 0)
		daemon->counters.dropped[COUNTERS_DROP_HEADER]++;
	else if (call->foreign_count)
		daemon->serving.later = wt_forward_begin(daemon, call, node, &own, others);
	else if (own.type)
		answer_pack(call, &own, others, bytes);
	if (!call->foreign_count) {
		wt_codec_data_free(own.type, own.data);
		FREE_NULL_LIST(others);
	}
	free(call->foreign);
	wt_nodeset_clear(&call->kill.nodes);
	free((void *) call->launch.nodes);
	free(call->complaint);
}

void wt_rpc_serve(struct wt_daemon *daemon, const struct sockaddr_in *local, in_addr_t peer, const uint8_t *frame,
		  size_t len, struct wt_bytes *answer)
{
	uint32_t node = wt_nodetable_by_address(daemon->nodes, local->sin_addr.s_addr, ntohs(local->sin_port));
	struct wt_call call = { .peer = peer, .frame = frame, .len = len };
	struct wt_error err;

	/* In this order: what costs nothing first, and munged is not asked about messages that never arrive. */
	if (node == WT_NODE_NONE || !wt_nodetable_is_own(daemon->nodes, node) ||
	    wt_registry_stopped(daemon->registration.registry, node))
		return;		/* no node lives there */
	if (wt_fault_silent(daemon, node)) {
		wt_fault_unreachable(&daemon->serving);
		return;
	}
	if (wt_fault_lost(daemon, node))
		return;
	if (wt_codec_open(&call.msg, frame, len, false, &err) < 0) {
		daemon->counters.dropped[errno == EACCES ? COUNTERS_DROP_CREDENTIAL : COUNTERS_DROP_HEADER]++;
		debug("%s: dropped: %s", wt_nodetable_name(daemon->nodes, node), err.text);
		return;
	}
	if (call.msg.header.has_origin)
		call.peer = call.msg.header.origin;
	call_serve(daemon, &call, node, answer);
	wt_codec_close(&call.msg);
}
