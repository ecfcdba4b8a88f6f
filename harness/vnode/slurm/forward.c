/* SPDX-License-Identifier: GPL-2.0-or-later */
/* To the nodes of other processes. */
#include "harness/vnode/slurm/forward.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/nodegroups.h"
#include "harness/vnode/slurm/rpc_call.h"
#include "harness/vnode/slurm/slurmconf.h"

#define MAX_IN_FLIGHT 1024	/* a host that hangs holds some of them for long */
/* Of MessageTimeout, which is what the one that asked may wait for us. */
#define TIMEOUT_SHARE 0.8
#define REFUSALS_MAX 8		/* so many nodes that refuse at once: there is no process */
#define AT_ONCE_US 1000000	/* later than that a refusal is a host that cannot be reached */

struct part {		/* the nodes of one process */
	uint32_t first, count;	/* in forward->groups.nodes; those before 'first' have failed */
	uint32_t refusals;
	int64_t tried_us;
};

struct wt_forward {
	struct wt_forward *next;
	uint64_t id;
	uint32_t source;	/* the node that forwards */
	struct wt_header header;
	uint8_t *frame;
	size_t len;
	in_addr_t origin;
	slurm_msg_t reply;	/* msg_type 0: there is none */
	compat_list answers;
	int64_t delay_us, begun_us;
	struct wt_nodegroups groups;
	struct part *parts;	/* by group */
	uint32_t open;		/* groups that have not ended */
};

void wt_forward_entry(compat_list list, const char *name, const struct wt_answer *answer)
{
	ret_data_info_t *entry = xmalloc(sizeof(*entry));

	entry->type = answer->type;
	entry->err = answer->err;
	entry->data = answer->data;
	entry->node_name = xstrdup(name);
	list_append(list, entry);
}

static void failed_add(const struct wt_daemon *daemon, struct wt_forward *f, uint32_t node, uint32_t err)
{
	const struct wt_answer answer = { .type = RESPONSE_FORWARD_FAILED, .err = err };

	wt_forward_entry(f->answers, wt_nodetable_name(daemon->nodes, node), &answer);
}

static struct wt_forward *forward_find(const struct wt_forwards *forwards, uint64_t id)
{
	struct wt_forward *f = forwards->all;

	while (f && f->id != id)
		f = f->next;
	return f;
}

static void forward_free(struct wt_forward *f)
{
	wt_codec_data_free(f->reply.msg_type, f->reply.data);
	FREE_NULL_LIST(f->answers);
	wt_nodegroups_clear(&f->groups);
	free(f->parts);
	free(f->frame);
	free(f);
}

static void forward_end(struct wt_daemon *daemon, struct wt_forward *f)
{
	struct wt_server_answer answer = { .delay_s = (double) f->delay_us / 1e6 };
	struct wt_forward **at = &daemon->forwards.all;
	struct wt_bytes bytes = { 0 };
	struct wt_error err;

	while (*at != f)
		at = &(*at)->next;
	*at = f->next;
	f->reply.ret_list = f->answers;
	if (f->reply.msg_type && wt_codec_pack(&f->reply, &bytes, &err) < 0)
		error("answer to %s", err.text);
	answer.data = bytes.data;
	answer.len = bytes.len;
	if (f->reply.msg_type)
		wt_server_answer_later(daemon->serving.server, f->id, &answer);
	forward_free(f);
}

static void part_end(struct wt_daemon *daemon, struct wt_forward *f)
{
	if (!--f->open)
		forward_end(daemon, f);
}

static void part_fail(struct wt_daemon *daemon, struct wt_forward *f, struct part *part, uint32_t err)
{
	daemon->counters.forward_failures++;
	while (part->count) {
		failed_add(daemon, f, f->groups.nodes[part->first++], err);
		part->count--;
	}
	part_end(daemon, f);
}

static void part_queue(struct wt_daemon *daemon, struct wt_forward *f, uint32_t number)
{
	const struct wt_outgoing_request request = {
		.kind = WT_SEND_FORWARD, .node = f->source, .job = f->id, .first = number,
	};

	f->parts[number].tried_us = wt_daemon_now_us(daemon);
	if (wt_requestq_push(&daemon->forwards.queue, &request) < 0)
		part_fail(daemon, f, &f->parts[number], SLURM_COMMUNICATIONS_CONNECTION_ERROR);
}

/* ---- the answers ---- */

static bool in_part(const struct wt_forward *f, const struct part *part, const uint8_t *heard, uint32_t node, uint32_t *at)
{
	/* They come in the order in which they were asked: the place behind the one before, nearly always. */
	for (uint32_t i = 0; i < part->count; i++) {
		uint32_t place = (*at + i) % part->count;

		if (f->groups.nodes[part->first + place] != node)
			continue;
		*at = place;
		return !heard[place];
	}
	return false;
}

/* Of each node one entry: slurmctld and srun count them. */
static void answers_take(struct wt_daemon *daemon, struct wt_forward *f, const struct part *part, struct wt_msg *msg,
			 uint8_t *heard)
{
	uint32_t at = 0;
	ret_data_info_t *entry;

	if (wt_codec_body(msg, NULL) == 0) {
		const struct wt_answer head = { .type = msg->slurm.msg_type, .data = msg->slurm.data };

		wt_forward_entry(f->answers, wt_nodetable_name(daemon->nodes, f->groups.nodes[part->first]), &head);
		msg->slurm.data = NULL;
		heard[0] = 1;
	}
	while (msg->answers && (entry = list_pop(msg->answers))) {
		uint32_t node = entry->node_name ? wt_nodetable_by_name(daemon->nodes, entry->node_name) : WT_NODE_NONE;

		if (node != WT_NODE_NONE && in_part(f, part, heard, node, &at)) {
			heard[at] = 1;
			list_append(f->answers, entry);
		} else {
			destroy_data_info(entry);
		}
	}
}

static void answered(struct wt_daemon *daemon, struct wt_forward *f, struct part *part, const uint8_t *frame, size_t len)
{
	uint8_t *heard = calloc((size_t) part->count + 1, 1);
	struct wt_error err;
	struct wt_msg msg;

	if (!heard || wt_codec_open_answers(&msg, frame, len, &err) < 0) {
		if (heard)
			error("answer of the nodes of another host: %s", err.text);
		free(heard);
		part_fail(daemon, f, part, SLURM_COMMUNICATIONS_RECEIVE_ERROR);
		return;
	}
	answers_take(daemon, f, part, &msg, heard);
	for (uint32_t i = 0; i < part->count; i++)
		if (!heard[i])
			failed_add(daemon, f, f->groups.nodes[part->first + i], SLURM_COMMUNICATIONS_RECEIVE_ERROR);
	wt_codec_close(&msg);
	free(heard);
	part_end(daemon, f);
}

/* The first of the nodes has not answered; as slurmd's forwarder, it is given up and the next one tried, unless that is in
 * vain: the process is not there, or its host cannot be reached, or there is no time left. */
static void unanswered(struct wt_daemon *daemon, struct wt_forward *f, uint32_t number, bool refused)
{
	struct part *part = &f->parts[number];
	int64_t now_us = wt_daemon_now_us(daemon);
	uint32_t err = refused ? SLURM_COMMUNICATIONS_CONNECTION_ERROR : SLURM_COMMUNICATIONS_RECEIVE_ERROR;
	double timeout_s = TIMEOUT_SHARE * wt_slurmconf_message_timeout_s();

	part->refusals += refused;
	if (!f->reply.msg_type) {	/* it is a message that nobody answers: closing is all there is to hear */
		part_end(daemon, f);
	} else if (part->count == 1 || part->refusals >= REFUSALS_MAX ||
		   (refused && now_us - part->tried_us > AT_ONCE_US) ||
		   (double) (now_us - f->begun_us) / 1e6 >= timeout_s) {
		part_fail(daemon, f, part, err);
	} else {
		failed_add(daemon, f, f->groups.nodes[part->first++], err);
		part->count--;
		part_queue(daemon, f, number);
	}
}

/* ---- connections ---- */

static bool forward_next(void *arg, struct wt_outgoing_request *request)
{
	struct wt_daemon *daemon = arg;

	return wt_requestq_pop(&daemon->forwards.queue, request);
}

/* The nodes behind the first one, as a list; xmalloc ()'ed. */
static char *rest_print(const struct wt_daemon *daemon, const struct wt_forward *f, const struct part *part)
{
	compat_hostlist names = hostlist_create(NULL);
	char *text;

	for (uint32_t i = 1; names && i < part->count; i++)
		hostlist_push_host(names, wt_nodetable_name(daemon->nodes, f->groups.nodes[part->first + i]));
	text = names ? hostlist_ranged_string_xmalloc(names) : xstrdup("");
	if (names)
		hostlist_destroy(names);
	return text;
}

static int forward_pack(void *arg, const struct wt_outgoing_request *request, uint8_t **data, size_t *len, bool *expected)
{
	struct wt_daemon *daemon = arg;
	const struct wt_forward *f;
	struct wt_bytes bytes;
	char *rest;

	*expected = true;
	if (request->kind != WT_SEND_FORWARD) {
		if (wt_pack_request(daemon, request, &bytes, expected) < 0)
			return -1;
		*data = bytes.data;
		*len = bytes.len;
		return 0;
	}
	f = forward_find(&daemon->forwards, request->job);
	rest = rest_print(daemon, f, &f->parts[request->first]);
	*data = wt_header_forward(&f->header, f->frame, f->len, rest, (uint16_t) (f->parts[request->first].count - 1),
				  f->origin, len);
	xfree(rest);
	daemon->counters.forwarded++;
	return *data ? 0 : -1;
}

static bool forward_target(void *arg, const struct wt_outgoing_request *request, struct sockaddr_in *target)
{
	const struct wt_daemon *daemon = arg;
	uint32_t node = request->target;

	if (request->kind == WT_SEND_FORWARD) {
		const struct wt_forward *f = forward_find(&daemon->forwards, request->job);

		node = f->groups.nodes[f->parts[request->first].first];
	}
	*target = (struct sockaddr_in) {
		.sin_family = AF_INET, .sin_addr.s_addr = daemon->nodes->addresses[node],
		.sin_port = htons(daemon->nodes->ports[node]),
	};
	return true;
}

static in_addr_t forward_source(void *arg, const struct wt_outgoing_request *request)
{
	const struct wt_daemon *daemon = arg;

	return daemon->nodes->addresses[request->node];
}

static void forward_done(void *arg, const struct wt_outgoing_request *request, enum wt_outcome outcome,
			 const uint8_t *frame, size_t len)
{
	struct wt_daemon *daemon = arg;
	struct wt_forward *f;
	uint32_t unused;

	if (request->kind != WT_SEND_FORWARD) {
		bool good = outcome == WT_OUTCOME_ANSWERED && wt_send_answer(frame, len, &unused) == SLURM_SUCCESS;

		wt_model_step_told(daemon->model, wt_daemon_now_us(daemon), request->step, request->rank, good);
		return;
	}
	f = forward_find(&daemon->forwards, request->job);
	if (outcome == WT_OUTCOME_ANSWERED)
		answered(daemon, f, &f->parts[request->first], frame, len);
	else
		unanswered(daemon, f, request->first, outcome == WT_OUTCOME_REFUSED);
}

void wt_forward_queue(struct wt_daemon *daemon, const struct wt_outgoing_request *request)
{
	if (wt_requestq_push(&daemon->forwards.queue, request) < 0)
		wt_model_step_told(daemon->model, wt_daemon_now_us(daemon), request->step, request->rank, false);
}

/* ---- begin and end ---- */

static struct wt_forward *forward_make(struct wt_daemon *daemon, const struct wt_call *call, uint32_t node)
{
	struct wt_forward *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->id = ++daemon->forwards.last_id;
	f->source = node;
	f->header = call->msg.header;
	f->origin = call->peer;
	f->delay_us = daemon->serving.answer_delay_us;
	f->begun_us = wt_daemon_now_us(daemon);
	f->len = call->len;
	f->frame = malloc(call->len);
	if (!f->frame || wt_nodegroups_make(&f->groups, call->foreign, call->foreign_count, daemon->nodes->addresses) < 0 ||
	    !(f->parts = calloc(f->groups.count, sizeof(*f->parts)))) {
		wt_nodegroups_clear(&f->groups);
		free(f->frame);
		free(f);
		return NULL;
	}
	memcpy(f->frame, call->frame, call->len);
	for (uint32_t i = 0; i < f->groups.count; i++)
		f->parts[i] = (struct part) { .first = f->groups.groups[i].first, .count = f->groups.groups[i].count };
	return f;
}

uint64_t wt_forward_begin(struct wt_daemon *daemon, const struct wt_call *call, uint32_t node, struct wt_answer *own,
			  compat_list others)
{
	struct wt_forward *f = forward_make(daemon, call, node);
	uint64_t id = f && own->type ? f->id : 0;

	if (!f) {	/* whoever asked hears nothing, and asks again */
		error("no memory to forward %s", rpc_num2string(call->msg.header.msg_type));
		wt_codec_data_free(own->type, own->data);
		FREE_NULL_LIST(others);
		return 0;
	}
	wt_codec_reply_init(&f->reply, &call->msg, own->type, own->data);
	f->answers = others ? others : list_create(destroy_data_info);
	f->next = daemon->forwards.all;
	daemon->forwards.all = f;
	/* One more than there are: none of them ends the message while others are still to be queued. */
	f->open = f->groups.count + 1;
	for (uint32_t i = 0; i < f->groups.count; i++)
		part_queue(daemon, f, i);
	if (f->open == 1)	/* all have failed already: there was no memory */
		id = 0;
	part_end(daemon, f);
	return id;
}

bool wt_forward_busy(const struct wt_forwards *forwards)
{
	return forwards->all || forwards->queue.count;
}

int wt_forward_init(struct wt_daemon *daemon, struct wt_error *errp)
{
	const struct wt_outgoing_calls calls = {
		.next = forward_next, .pack = forward_pack, .done = forward_done, .source = forward_source,
		.target = forward_target, .arg = daemon,
	};
	const struct wt_outgoing_conf conf = {
		.max_in_flight = MAX_IN_FLIGHT, .timeout_s = TIMEOUT_SHARE * wt_slurmconf_message_timeout_s(),
	};

	daemon->forwards.outgoing = wt_outgoing_create(daemon->time.loop, &conf, &calls);
	return daemon->forwards.outgoing ? 0 : wt_error_errno(errp, ENOMEM, "connections to other hosts' nodes");
}

void wt_forward_fini(struct wt_forwards *forwards)
{
	wt_outgoing_destroy(forwards->outgoing);
	wt_requestq_clear(&forwards->queue);
	while (forwards->all) {
		struct wt_forward *next = forwards->all->next;

		forward_free(forwards->all);
		forwards->all = next;
	}
}
