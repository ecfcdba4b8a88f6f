/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <slurm/slurm_errno.h>

#include "compat/client.h"
#include "harness/run/submit.h"
#include "harness/run/world_request.h"

static const uint64_t flag_bits[WT_WORLD_FLAG_COUNT] = {
	[WT_WORLD_MAINT] = RESERVE_FLAG_MAINT, [WT_WORLD_IGNORE_JOBS] = RESERVE_FLAG_IGN_JOBS,
	[WT_WORLD_OVERLAP] = RESERVE_FLAG_OVERLAP, [WT_WORLD_FLEX] = RESERVE_FLAG_FLEX,
	[WT_WORLD_MAGNETIC] = RESERVE_FLAG_MAGNETIC, [WT_WORLD_STATIC_ALLOC] = RESERVE_FLAG_STATIC,
	[WT_WORLD_NO_HOLD_JOBS] = RESERVE_FLAG_NO_HOLD_JOBS,
};

static uint64_t flags_of(const char *text)
{
	uint64_t bits = 0;

	while (text && *text) {
		size_t len = strcspn(text, ",");
		enum wt_world_flag flag;

		if (wt_world_flag_parse(text, len, &flag) == 0)
			bits |= flag_bits[flag];
		text += len + (text[len] == ',');
	}
	return bits;
}

void world_reservation(const struct wt_world_event *event, const char *nodes, double made_s, int64_t now_s,
		       resv_desc_msg_t *msg, uint32_t count[2])
{
	double start_s = made_s + event->start_after_s;

	slurm_init_resv_desc_msg(msg);
	msg->name = event->text[WT_WORLD_NAME];
	msg->start_time = start_s > (double) now_s ? (time_t) start_s : (time_t) now_s;
	msg->end_time = (time_t) ceil(start_s + event->duration_s);
	msg->users = event->text[WT_WORLD_USERS];
	msg->accounts = event->text[WT_WORLD_ACCOUNTS];
	msg->partition = event->text[WT_WORLD_PARTITION];
	msg->flags = flags_of(event->text[WT_WORLD_FLAGS]);
	if (nodes)
		msg->node_list = (char *) nodes;
	else
		compat_reservation_count(msg, event->count, count);
}

static int reserve(const struct wt_world_event *event, const char *nodes, double made_s, int64_t now_s)
{
	uint32_t count[2] = { 0 };
	resv_desc_msg_t msg;
	char *name;

	world_reservation(event, nodes, made_s, now_s, &msg, count);
	errno = 0;
	name = slurm_create_reservation(&msg);
	free(name);
	return name ? 0 : errno ? errno : SLURM_ERROR;
}

static int unreserve(const struct wt_world_event *event)
{
	reservation_name_msg_t msg = { .name = event->text[WT_WORLD_NAME] };

	errno = 0;
	return slurm_delete_reservation(&msg) ? errno : 0;
}

static int node_update(const struct wt_world_event *event, const char *nodes)
{
	static const uint32_t states[WT_WORLD_KINDS] = {
		[WT_WORLD_DOWN] = NODE_STATE_DOWN, [WT_WORLD_DRAIN] = NODE_STATE_DRAIN, [WT_WORLD_RESUME] = NODE_RESUME,
	};
	const char *reason = event->text[WT_WORLD_REASON];
	update_node_msg_t msg;

	slurm_init_update_node_msg(&msg);
	msg.node_names = (char *) nodes;
	msg.node_state = states[event->kind];
	if (event->kind != WT_WORLD_RESUME) {
		msg.reason = (char *) (reason ? reason : wt_world_kind_name(event->kind));
		compat_reason_uid(&msg, getuid());
	}
	errno = 0;
	return slurm_update_node(&msg) ? errno : 0;
}

int world_request(const struct wt_world_event *event, const char *nodes, double made_s, int64_t now_s)
{
	if (event->kind == WT_WORLD_RESERVE)
		return reserve(event, nodes, made_s, now_s);
	return event->kind == WT_WORLD_UNRESERVE ? unreserve(event) : node_update(event, nodes);
}

bool world_request_final(int errnum)
{
	/* Of a reservation it is an answer, not a state that passes by itself. */
	return !errnum || errnum == ESLURM_NODES_BUSY || wt_submit_classify(errnum) == WT_SUBMIT_REFUSED;
}

bool world_request_already(enum wt_world_kind kind, int errnum)
{
	return (kind == WT_WORLD_RESUME && errnum == ESLURM_INVALID_NODE_STATE) ||
	       (kind == WT_WORLD_UNRESERVE && errnum == ESLURM_RESERVATION_INVALID);
}

bool world_request_repeated(enum wt_world_kind kind, int errnum)
{
	return world_request_already(kind, errnum) || (kind == WT_WORLD_RESERVE && errnum == ESLURM_RESERVATION_NAME_DUP);
}
