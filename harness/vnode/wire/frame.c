/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/vnode/wire/frame.h"

#define GROW_FIRST 4096u

void wt_frame_init(struct wt_frame *frame, uint32_t limit)
{
	memset(frame, 0, sizeof(*frame));
	frame->limit = limit ? limit : WT_FRAME_DEFAULT_LIMIT;
}

void wt_frame_clear(struct wt_frame *frame)
{
	if (!frame)
		return;
	free(frame->body);
	wt_frame_init(frame, frame->limit);
}

bool wt_frame_complete(const struct wt_frame *frame)
{
	return frame->prefix_have == sizeof(frame->prefix) && frame->have == frame->length;
}

bool wt_frame_empty(const struct wt_frame *frame)
{
	return frame->prefix_have == 0;
}

static size_t prefix_feed(struct wt_frame *frame, const uint8_t *data, size_t len)
{
	size_t n = sizeof(frame->prefix) - frame->prefix_have;

	if (n > len)
		n = len;
	memcpy(frame->prefix + frame->prefix_have, data, n);
	frame->prefix_have += n;
	if (frame->prefix_have == sizeof(frame->prefix))
		frame->length = (uint32_t) frame->prefix[0] << 24 | (uint32_t) frame->prefix[1] << 16 |
				(uint32_t) frame->prefix[2] << 8 | frame->prefix[3];
	return n;
}

static int body_reserve(struct wt_frame *frame, uint32_t need)
{
	uint32_t capacity = frame->capacity ? frame->capacity : GROW_FIRST;
	uint8_t *body;

	if (need <= frame->capacity)
		return 0;
	/* By what has arrived, never by what the prefix promises: four bytes of a stranger shall not cost a gigabyte. */
	while (capacity < need)
		capacity = capacity > frame->length / 2 ? frame->length : capacity * 2;
	if (capacity > frame->length)
		capacity = frame->length;
	body = realloc(frame->body, capacity);
	if (!body)
		return -1;
	frame->body = body;
	frame->capacity = capacity;
	return 0;
}

long wt_frame_feed(struct wt_frame *frame, const void *data, size_t len)
{
	const uint8_t *bytes = data;
	size_t used = 0, n;

	if (frame->prefix_have < sizeof(frame->prefix)) {
		used = prefix_feed(frame, bytes, len);
		if (frame->prefix_have < sizeof(frame->prefix))
			return (long) used;
	}
	if (frame->length > frame->limit) {
		errno = EMSGSIZE;
		return -1;
	}
	if (frame->length < WT_FRAME_MIN) {
		errno = EBADMSG;
		return -1;
	}
	n = frame->length - frame->have;
	if (n > len - used)
		n = len - used;
	if (!n)
		return (long) used;
	if (body_reserve(frame, frame->have + (uint32_t) n) < 0)
		return -1;
	memcpy(frame->body + frame->have, bytes + used, n);
	frame->have += (uint32_t) n;
	return (long) (used + n);
}
