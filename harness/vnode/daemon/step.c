/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the model's steps and their sruns: connections, and messages in both directions. */
#include "harness/vnode/daemon/daemon.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compat/message.h"
#include "harness/vnode/slurm/slurmconf.h"

#define FIRST_PID 1000			/* of tasks that are no processes */
#define CLOSE_TIMEOUT_S 300.		/* slurmstepd's _wait_for_io () */
#define CONNECT_TIMEOUT_S 30.
#define WORDS_MAX 1024			/* that srun takes in one message: MAX_MSG_LEN of its io_hdr.h */

static bool output_wanted(int64_t whose, uint32_t task)
{
	return whose == WT_STEP_ALL_TASKS || whose == task;
}

static uint32_t output_count(const struct wt_step_client *client, uint32_t rank, int64_t whose)
{
	uint32_t count = 0;

	for (uint32_t i = client->task_offsets[rank]; i < client->task_offsets[rank + 1]; i++)
		count += output_wanted(whose, client->task_ids[i]);
	return count;
}

static void step_connect(struct wt_daemon *daemon, struct wt_step_client *client, const struct wt_action *action)
{
	struct sockaddr_in target = { .sin_family = AF_INET };
	struct wt_stepio_hello hello = { .version = SLURM_PROTOCOL_VERSION, .rank = action->rank };
	uint8_t *bytes;

	if (client && client->io_port_count)
		target.sin_port = htons(client->io_ports[action->rank % client->io_port_count]);
	if (client && !target.sin_port) {	/* srun wants none */
		wt_model_step_connected(daemon->model, wt_daemon_now_us(daemon), action->step, action->rank, true);
		return;
	}
	bytes = client ? malloc(WT_STEPIO_HELLO_SIZE(client->key_len)) : NULL;
	if (bytes) {
		target.sin_addr.s_addr = client->address;
		hello.key = client->key;
		hello.key_len = client->key_len;
		hello.stdout_count = output_count(client, action->rank, client->stdout_task);
		hello.stderr_count = output_count(client, action->rank, client->stderr_task);
		wt_stepio_hello_pack(bytes, &hello);
		client->conns[action->rank] = wt_stepio_open(daemon->sruns.io, action->step, action->rank,
							     daemon->nodes->addresses[action->node], &target, bytes,
							     WT_STEPIO_HELLO_SIZE(client->key_len));
	}
	free(bytes);
	/* The model waits for an answer to each action: where no connection can tell it, this does. */
	if (!client || !client->conns[action->rank])
		wt_model_step_connected(daemon->model, wt_daemon_now_us(daemon), action->step, action->rank, false);
}

/* Returns their length, at most WORDS_MAX. */
static size_t words_print(char words[WORDS_MAX + 1], const char *node, const char *complaint)
{
	char name[128];
	size_t len;

	if (!complaint)
		return 0;
	compat_stepd_name(name, sizeof(name), node);
	snprintf(words, WORDS_MAX, "%s error: %s", name, complaint);
	len = strlen(words);
	words[len++] = '\n';
	return len;
}

/* As slurmstepd's own words in the place of a program that cannot be run. */
static uint8_t *words_pack(uint8_t *at, const char *words, size_t len, int64_t whose, uint32_t task, uint32_t local_task)
{
	if (!len || !output_wanted(whose, task))
		return at;
	wt_stepio_header_pack(at, WT_STEPIO_STDERR, (uint16_t) task, (uint16_t) local_task, (uint32_t) len);
	memcpy(at + WT_STEPIO_HEADER_SIZE, words, len);
	return at + WT_STEPIO_HEADER_SIZE + len;
}

static uint8_t *end_pack(uint8_t *at, uint16_t type, int64_t whose, uint32_t task, uint32_t local_task)
{
	if (!output_wanted(whose, task))
		return at;
	wt_stepio_header_pack(at, type, (uint16_t) task, (uint16_t) local_task, 0);
	return at + WT_STEPIO_HEADER_SIZE;
}

static void step_close(struct wt_daemon *daemon, struct wt_step_client *client, const struct wt_action *action)
{
	struct wt_stepio_conn *conn = client ? client->conns[action->rank] : NULL;
	uint32_t first = conn ? client->task_offsets[action->rank] : 0;
	uint32_t count = conn ? client->task_offsets[action->rank + 1] - first : 0;
	char words[WORDS_MAX + 1];
	size_t len = conn ? words_print(words, wt_nodetable_name(daemon->nodes, action->node), client->complaint) : 0;
	uint8_t *bytes = conn ? malloc(count * (3 * WT_STEPIO_HEADER_SIZE + len) + 1) : NULL, *at = bytes;

	for (uint32_t i = 0; bytes && i < count; i++) {
		at = words_pack(at, words, len, client->stderr_task, client->task_ids[first + i], i);
		at = end_pack(at, WT_STEPIO_STDOUT, client->stdout_task, client->task_ids[first + i], i);
		at = end_pack(at, WT_STEPIO_STDERR, client->stderr_task, client->task_ids[first + i], i);
	}
	if (!bytes || wt_stepio_close(conn, bytes, (size_t) (at - bytes)) < 0)
		wt_model_step_closed(daemon->model, wt_daemon_now_us(daemon), action->step, action->rank);
	free(bytes);
}

static void step_send(struct wt_daemon *daemon, const struct wt_step_client *client, const struct wt_action *action,
		      uint8_t kind)
{
	struct wt_outgoing_request request = {
		.kind = kind, .node = action->node, .job_id = action->job_id, .step_id = action->step_id, .uid = action->uid,
		.step = action->step, .step_het_comp = action->step_het_comp, .rank = action->rank, .first = action->first,
		.last = action->last, .target = action->target, .time_us = action->time_us,
		.status = action->status == WT_STEP_IO_FAILED ? ESLURMD_IO_ERROR : action->status,
	};

	/* The end goes to slurmctld, among the ends of jobs; the rest goes to the srun, which may be gone. */
	if (kind == WT_SEND_STEP_COMPLETE)
		wt_send_queue(&daemon->send, &request);
	else if (kind == WT_SEND_STEP_TELL && !wt_fault_lost(daemon, request.node))
		wt_forward_queue(daemon, &request);
	else if (kind == WT_SEND_STEP_TELL)
		wt_model_step_told(daemon->model, wt_daemon_now_us(daemon), action->step, action->rank, false);
	else if (client && !client->resp_port_count)
		wt_model_step_sent(daemon->model, wt_daemon_now_us(daemon), action->step, action->rank, true);
	else if (wt_fault_lost(daemon, request.node) || wt_requestq_push(&daemon->sruns.queue, &request) < 0)
		wt_model_step_sent(daemon->model, wt_daemon_now_us(daemon), action->step, action->rank, false);
}

void wt_step_action(struct wt_daemon *daemon, const struct wt_action *action)
{
	struct wt_step_client *client = wt_step_client_find(&daemon->sruns, action->step);

	switch (action->kind) {
	case WT_ACTION_STEP_CONNECT:
		step_connect(daemon, client, action);
		break;
	case WT_ACTION_STEP_STARTED:
		step_send(daemon, client, action, WT_SEND_STEP_STARTED);
		break;
	case WT_ACTION_STEP_CLOSE:
		step_close(daemon, client, action);
		break;
	case WT_ACTION_STEP_EXIT:
		step_send(daemon, client, action, WT_SEND_STEP_EXIT);
		break;
	case WT_ACTION_STEP_COMPLETE:
		step_send(daemon, client, action, WT_SEND_STEP_COMPLETE);
		break;
	case WT_ACTION_STEP_TELL:
		step_send(daemon, client, action, WT_SEND_STEP_TELL);
		break;
	case WT_ACTION_STEP_FREE:
		if (client)
			wt_step_client_clear(client);
		break;
	}
}

static void connected(void *arg, uint64_t step, uint32_t rank, bool good)
{
	struct wt_daemon *daemon = arg;

	wt_model_step_connected(daemon->model, wt_daemon_now_us(daemon), step, rank, good);
}

static void closed(void *arg, uint64_t step, uint32_t rank)
{
	struct wt_daemon *daemon = arg;

	wt_model_step_closed(daemon->model, wt_daemon_now_us(daemon), step, rank);
}

static void ended(void *arg, uint64_t step, uint32_t rank)
{
	const struct wt_daemon *daemon = arg;
	struct wt_step_client *client = wt_step_client_find(&daemon->sruns, step);

	/* The connection frees itself; the step may be forgotten already, and its client with it. */
	if (client)
		client->conns[rank] = NULL;
}

static bool client_next(void *arg, struct wt_outgoing_request *request)
{
	struct wt_daemon *daemon = arg;

	return wt_requestq_pop(&daemon->sruns.queue, request);
}

static bool client_target(void *arg, const struct wt_outgoing_request *request, struct sockaddr_in *target)
{
	const struct wt_daemon *daemon = arg;
	const struct wt_step_client *client = wt_step_client_find(&daemon->sruns, request->step);

	if (!client || !client->resp_port_count)
		return false;
	*target = (struct sockaddr_in) {
		.sin_family = AF_INET, .sin_addr.s_addr = client->address,
		/* srun listens on several ports, so that the connections of a large step do not overflow one queue. */
		.sin_port = htons(client->resp_ports[request->rank % client->resp_port_count]),
	};
	return true;
}

static in_addr_t client_source(void *arg, const struct wt_outgoing_request *request)
{
	const struct wt_daemon *daemon = arg;

	return daemon->nodes->addresses[request->node];
}

static int client_msg_pack(const struct wt_step_client *client, uint16_t type, void *data, struct wt_bytes *bytes)
{
	slurm_msg_t msg;

	wt_codec_request_init(&msg, type, data);
	/* srun may be of another version than slurmctld; and only its own user may open the credential. */
	msg.protocol_version = client->version;
	slurm_msg_set_r_uid(&msg, client->uid);
	return wt_codec_pack(&msg, bytes, NULL);
}

static int started_pack(struct wt_daemon *daemon, const struct wt_step_client *client,
			const struct wt_outgoing_request *request, const slurm_step_id_t *id, struct wt_bytes *bytes)
{
	uint32_t first = client->task_offsets[request->rank], count = client->task_offsets[request->rank + 1] - first;
	uint32_t *pids = malloc((count + 1) * sizeof(*pids));
	launch_tasks_response_msg_t data = {
		.step_id = *id, .return_code = request->status, .count_of_pids = count, .local_pids = pids,
		.task_ids = client->task_ids + first,
		.node_name = (char *) wt_nodetable_name(daemon->nodes, request->node),
	};
	int rc = -1;

	for (uint32_t i = 0; pids && i < count; i++)
		pids[i] = FIRST_PID + i;
	if (pids)
		rc = client_msg_pack(client, RESPONSE_LAUNCH_TASKS, &data, bytes);
	free(pids);
	return rc;
}

static int client_pack(void *arg, const struct wt_outgoing_request *request, uint8_t **frame, size_t *len, bool *answered)
{
	struct wt_daemon *daemon = arg;
	const struct wt_step_client *client = wt_step_client_find(&daemon->sruns, request->step);
	const slurm_step_id_t id = {
		.job_id = request->job_id, .step_id = request->step_id, .step_het_comp = request->step_het_comp,
	};
	struct wt_bytes bytes;
	int rc;

	/* The step has ended meanwhile, and its srun is forgotten: nothing is left to be told. */
	*answered = true;
	if (!client)
		return -1;
	if (request->kind == WT_SEND_STEP_STARTED) {
		rc = started_pack(daemon, client, request, &id, &bytes);
	} else {
		uint32_t first = client->task_offsets[request->rank];
		task_exit_msg_t data = {
			.num_tasks = client->task_offsets[request->rank + 1] - first, .task_id_list = client->task_ids +
				first,
			.return_code = request->status, .step_id = id,
		};

		rc = client_msg_pack(client, MESSAGE_TASK_EXIT, &data, &bytes);
	}
	if (rc < 0)
		return -1;
	*frame = bytes.data;
	*len = bytes.len;
	return 0;
}

static void client_done(void *arg, const struct wt_outgoing_request *request, enum wt_outcome outcome, const uint8_t *frame,
			size_t len)
{
	struct wt_daemon *daemon = arg;
	uint32_t unused;
	bool good = outcome == WT_OUTCOME_ANSWERED && wt_send_answer(frame, len, &unused) == SLURM_SUCCESS;

	wt_model_step_sent(daemon->model, wt_daemon_now_us(daemon), request->step, request->rank, good);
}

int wt_step_init(struct wt_daemon *daemon, struct wt_error *errp)
{
	const struct wt_outgoing_calls calls = {
		.next = client_next, .pack = client_pack, .done = client_done, .source = client_source,
		.target = client_target, .arg = daemon,
	};
	const struct wt_outgoing_conf conf = {
		.max_in_flight = daemon->options.max_in_flight, .timeout_s = wt_slurmconf_message_timeout_s(),
	};
	const struct wt_stepio_calls io_calls = { .connected = connected, .closed = closed, .ended = ended, .arg = daemon };
	const struct wt_stepio_conf io_conf = {
		.max_connections = 65536, .connect_timeout_s = CONNECT_TIMEOUT_S, .close_timeout_s = CLOSE_TIMEOUT_S,
	};

	daemon->sruns.outgoing = wt_outgoing_create(daemon->time.loop, &conf, &calls);
	daemon->sruns.io = wt_stepio_create(daemon->time.loop, &io_conf, &io_calls);
	if (!daemon->sruns.outgoing || !daemon->sruns.io)
		return wt_error_errno(errp, ENOMEM, "connections to clients");
	return 0;
}

void wt_step_fini(struct wt_sruns *sruns)
{
	wt_outgoing_destroy(sruns->outgoing);
	wt_stepio_destroy(sruns->io);
	wt_requestq_clear(&sruns->queue);
	for (uint32_t i = 0; i < sruns->count; i++)
		wt_step_client_clear(&sruns->all[i]);
	free(sruns->all);
}
