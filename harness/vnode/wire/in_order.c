/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <arpa/inet.h>
#include <string.h>

#include "harness/vnode/wire/header.h"
#include "harness/vnode/wire/in_order.h"

void wt_turn_read(struct wt_turn *turn, const uint8_t *frame, size_t len, in_addr_t address)
{
	struct wt_header header;

	*turn = (struct wt_turn) { .kind = UINT16_MAX, .body = frame, .body_len = len, .address = ntohl(address) };
	/* Of any version: whether it is understood is not the question here, and what is not has its turn as well. */
	if (wt_header_decode(&header, frame, len, 0, UINT16_MAX) < 0)
		return;
	turn->kind = header.msg_type;
	turn->body = frame + header.body_offset;
	turn->body_len = len - header.body_offset;
}

bool wt_turn_before(const struct wt_turn *a, const struct wt_turn *b)
{
	size_t common = a->body_len < b->body_len ? a->body_len : b->body_len;
	int order;

	if (a->kind != b->kind)
		return a->kind < b->kind;
	order = common ? memcmp(a->body, b->body, common) : 0;
	if (order)
		return order < 0;
	if (a->body_len != b->body_len)
		return a->body_len < b->body_len;
	return a->address < b->address;
}
