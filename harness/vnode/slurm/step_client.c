/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sruns of steps: from the launch, and out of the journal and into it. */
#include "compat/credential.h"
#include "harness/vnode/slurm/rpc_call.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct wt_step_client *wt_step_client_find(const struct wt_sruns *sruns, wt_step_ref step)
{
	uint32_t slot = (uint32_t) step;	/* the model's; a later step in it has another reference */

	return slot < sruns->count && sruns->all[slot].step == step ? &sruns->all[slot] :
		NULL;
}

void wt_step_client_clear(struct wt_step_client *client)
{
	free(client->resp_ports);
	free(client->io_ports);
	free(client->task_offsets);
	free(client->task_ids);
	free(client->key);
	free(client->conns);
	free(client->complaint);
	memset(client, 0, sizeof(*client));
}

static void *copy(const void *data, size_t size)
{
	void *bytes = malloc(size ? size : 1);

	if (bytes && size)
		memcpy(bytes, data, size);
	return bytes;
}

/* Whose output srun wants to see; the rest goes to files, or nowhere.  As slurmstepd's _expand_stdio_filename () and
 * _init_task_stdio_fds (). */
static int64_t output_task(const launch_tasks_request_msg_t *req, const char *name, bool out)
{
	char *end;
	long task;

	if (req->flags & LAUNCH_PTY)
		return out ? 0 : WT_STEP_NO_TASK;
	if (!name)
		return WT_STEP_ALL_TASKS;
	task = strtol(name, &end, 10);
	if (*name && !*end && task >= 0)
		return (uint32_t) task < req->ntasks ? task : WT_STEP_ALL_TASKS;
	return req->flags & LAUNCH_LABEL_IO && strcmp(name, "/dev/null") ? WT_STEP_ALL_TASKS : WT_STEP_NO_TASK;
}

static int tasks_copy(struct wt_step_client *client, const launch_tasks_request_msg_t *req)
{
	uint32_t total = 0;

	client->task_offsets = calloc(req->nnodes + 1, sizeof(*client->task_offsets));
	for (uint32_t i = 0; client->task_offsets && i < req->nnodes; i++)
		client->task_offsets[i + 1] = total += req->tasks_to_launch[i];
	client->task_ids = malloc((total + 1) * sizeof(*client->task_ids));
	if (!client->task_offsets || !client->task_ids)
		return -1;
	for (uint32_t i = 0; i < req->nnodes; i++) {
		if (req->tasks_to_launch[i])
			memcpy(client->task_ids + client->task_offsets[i], req->global_task_ids[i],
			       req->tasks_to_launch[i] * sizeof(*client->task_ids));
	}
	return 0;
}

static int client_fill(struct wt_step_client *client, const struct wt_call *call)
{
	const launch_tasks_request_msg_t *req = call->msg.slurm.data;
	const char *key = compat_cred_signature(req->cred, &client->key_len);

	client->key = copy(key, client->key_len);
	client->count = req->nnodes;
	client->address = call->peer;
	client->version = call->msg.header.version;
	client->uid = compat_launch_uid(req);
	client->flags = req->flags;
	client->resp_port_count = req->num_resp_port;
	/* Copies: the message goes with the call, the step may live for days. */
	client->resp_ports = copy(req->resp_port, req->num_resp_port * sizeof(*req->resp_port));
	client->io_port_count = req->num_io_port;
	client->io_ports = copy(req->io_port, req->num_io_port * sizeof(*req->io_port));
	client->stdout_task = output_task(req, req->ofname, true);
	client->stderr_task = output_task(req, req->efname, false);
	client->conns = calloc(req->nnodes, sizeof(*client->conns));
	client->complaint = call->complaint ? strdup(call->complaint) : NULL;
	if (!client->key || !client->resp_ports || !client->io_ports || !client->conns)
		return -1;
	return tasks_copy(client, req);
}

/* The place for this step's client, empty; NULL: no memory. */
static struct wt_step_client *client_place(struct wt_sruns *sruns, wt_step_ref step)
{
	uint32_t slot = (uint32_t) step;

	if (slot >= sruns->count) {
		/* Doubled: the model fills its slots one by one, and each would be a copy of them all. */
		uint32_t count = slot < 32 ? 64 : slot * 2;
		struct wt_step_client *clients = realloc(sruns->all, count * sizeof(*clients));

		if (!clients)
			return NULL;
		memset(clients + sruns->count, 0, (count - sruns->count) * sizeof(*clients));
		sruns->all = clients;
		sruns->count = count;
	}
	wt_step_client_clear(&sruns->all[slot]);	/* of a step that is forgotten */
	return &sruns->all[slot];
}

int wt_step_client_add(struct wt_sruns *sruns, wt_step_ref step, const struct wt_call *call)
{
	struct wt_step_client *client;

	if (wt_step_client_find(sruns, step))
		return 0;
	client = client_place(sruns, step);
	if (!client)
		return -1;
	if (client_fill(client, call) < 0) {
		wt_step_client_clear(client);
		errno = ENOMEM;
		return -1;
	}
	client->step = step;
	return 0;
}

/* Of a step that a batch script has asked for: no ports, and no tasks of which a client wants to hear. */
int wt_step_client_add_none(struct wt_sruns *sruns, wt_step_ref step, uint32_t node_count, uint32_t uid)
{
	struct wt_step_client *client = client_place(sruns, step);

	if (!client)
		return -1;
	client->count = node_count;
	client->version = SLURM_PROTOCOL_VERSION;
	client->uid = uid;
	client->stdout_task = client->stderr_task = WT_STEP_NO_TASK;
	client->task_offsets = calloc(node_count + 1, sizeof(*client->task_offsets));
	client->task_ids = calloc(1, sizeof(*client->task_ids));
	client->conns = calloc(node_count + 1, sizeof(*client->conns));
	if (!client->task_offsets || !client->task_ids || !client->conns) {
		wt_step_client_clear(client);
		errno = ENOMEM;
		return -1;
	}
	client->step = step;
	return 0;
}

void wt_step_client_pack(void *arg, wt_step_ref step, struct wt_str *out)
{
	const struct wt_step_client *client = wt_step_client_find(arg, step);
	buf_t *buffer;

	if (!client)
		return;
	buffer = init_buf(0);
	pack32(client->count, buffer);
	pack32(client->address, buffer);
	pack16(client->version, buffer);
	pack32(client->uid, buffer);
	pack32(client->flags, buffer);
	pack64((uint64_t) client->stdout_task, buffer);
	pack64((uint64_t) client->stderr_task, buffer);
	pack16_array(client->resp_ports, client->resp_port_count, buffer);
	pack16_array(client->io_ports, client->io_port_count, buffer);
	pack32_array(client->task_offsets, client->count + 1, buffer);
	pack32_array(client->task_ids, client->task_offsets[client->count], buffer);
	packmem((char *) client->key, client->key_len, buffer);
	/* Last, so that a journal of a process that did not know it can be read as well. */
	packstr(client->complaint, buffer);
	wt_str_add_bytes(out, get_buf_data(buffer), get_buf_offset(buffer));
	free_buf(buffer);
}

static bool offsets_good(const struct wt_step_client *client, uint32_t offset_count, uint32_t task_count)
{
	if (!client->count || offset_count != client->count + 1 || client->task_offsets[0])
		return false;
	for (uint32_t i = 0; i < client->count; i++) {
		if (client->task_offsets[i] > client->task_offsets[i + 1])
			return false;
	}
	return client->task_offsets[client->count] == task_count;
}

/* Slurm's unpack functions allocate with xmalloc (), everything here with malloc (). */
static void *xcopy(void *data, size_t size)
{
	void *bytes = data ? copy(data, size) : NULL;

	xfree(data);
	return bytes;
}

static int client_unpack(struct wt_step_client *client, buf_t *buffer)
{
	uint32_t resp_count, io_count, offset_count = 0, task_count = 0;
	uint16_t *resp_ports = NULL, *io_ports = NULL;
	uint32_t *offsets = NULL, *tasks = NULL;
	uint64_t out_task, err_task;
	char *key = NULL, *complaint = NULL;
	uint32_t complaint_len;

	/* Each safe_unpack...() leaves for unpack_error when the bytes end early; the caller frees what was taken. */
	safe_unpack32(&client->count, buffer);
	safe_unpack32(&client->address, buffer);
	safe_unpack16(&client->version, buffer);
	safe_unpack32(&client->uid, buffer);
	safe_unpack32(&client->flags, buffer);
	safe_unpack64(&out_task, buffer);
	safe_unpack64(&err_task, buffer);
	safe_unpack16_array(&resp_ports, &resp_count, buffer);
	client->resp_ports = xcopy(resp_ports, resp_count * sizeof(*resp_ports));
	client->resp_port_count = client->resp_ports ? (uint16_t) resp_count : 0;
	safe_unpack16_array(&io_ports, &io_count, buffer);
	client->io_ports = xcopy(io_ports, io_count * sizeof(*io_ports));
	client->io_port_count = client->io_ports ? (uint16_t) io_count : 0;
	safe_unpack32_array(&offsets, &offset_count, buffer);
	client->task_offsets = xcopy(offsets, offset_count * sizeof(*offsets));
	safe_unpack32_array(&tasks, &task_count, buffer);
	client->task_ids = xcopy(tasks, task_count * sizeof(*tasks));
	safe_unpackmem_xmalloc(&key, &client->key_len, buffer);
	client->key = xcopy(key, client->key_len);
	if (remaining_buf(buffer)) {	/* of a version that has it */
		safe_unpackstr_xmalloc(&complaint, &complaint_len, buffer);
		client->complaint = xcopy(complaint, complaint_len);
	}
	client->stdout_task = (int64_t) out_task;
	client->stderr_task = (int64_t) err_task;
	client->conns = calloc(client->count + 1, sizeof(*client->conns));
	return client->task_offsets && client->conns && offsets_good(client, offset_count, task_count) ? 0 : -1;

unpack_error:
	return -1;
}

void wt_step_client_unpack(void *arg, wt_step_ref step, const void *bytes, size_t len)
{
	struct wt_step_client *client = len ? client_place(arg, step) : NULL;
	buf_t *buffer;
	char *data;

	if (!client)
		return;
	data = xmalloc(len);
	memcpy(data, bytes, len);
	buffer = create_buf(data, (uint32_t) len);	/* takes it */
	if (client_unpack(client, buffer) < 0) {
		error("the journal does not tell the srun of a step: it is not told how its tasks end");
		wt_step_client_clear(client);
	} else {
		client->step = step;
	}
	free_buf(buffer);
}
