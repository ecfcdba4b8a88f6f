/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "harness/vnode/wire/header.h"

struct header_cursor {
	const uint8_t *data;
	size_t len, pos;
	int bad;
};

static const uint8_t *take(struct header_cursor *c, size_t n)
{
	const uint8_t *p = c->data + c->pos;

	if (c->bad || n > c->len - c->pos) {
		c->bad = 1;
		return NULL;
	}
	c->pos += n;
	return p;
}

static uint16_t take16(struct header_cursor *c)
{
	const uint8_t *p = take(c, 2);

	return p ? (uint16_t) (p[0] << 8 | p[1]) : 0;
}

static uint32_t take32(struct header_cursor *c)
{
	const uint8_t *p = take(c, 4);

	return p ? (uint32_t) p[0] << 24 | (uint32_t) p[1] << 16 | (uint32_t) p[2] << 8 | p[3] : 0;
}

/* A packed string: length with its terminator, then the bytes.  It must be terminated, and only at its end. */
static const char *take_string(struct header_cursor *c)
{
	uint32_t len = take32(c);
	const uint8_t *p = take(c, len);

	if (!p || !len || memchr(p, '\0', len) != p + len - 1) {
		c->bad = 1;
		return NULL;
	}
	return (const char *) p;
}

/* A string that is not needed here, or none. */
static void skip_string(struct header_cursor *c)
{
	take(c, take32(c));
}

static void skip_address(struct header_cursor *c)
{
	uint16_t family = take16(c);

	if (family == AF_INET) {
		take(c, 4 + 2);
	} else if (family == AF_INET6) {
		if (take32(c) != 16)
			c->bad = 1;
		take(c, 16 + 2);
	}
}

/* The nodes behind the one that the frame is sent to. */
static void forward_take(struct header_cursor *c, struct wt_header *header)
{
	header->forward_count = take16(c);
	if (!header->forward_count)
		return;
	header->forward_nodes = take_string(c);
	header->forward_timeout_ms = take32(c);
	take16(c);	/* tree width: there is no tree here */
	if (header->version >= WT_HEADER_VERSION_23_11 && header->flags & WT_HEADER_ADDRESSES)
		skip_string(c);
	if (header->version >= WT_HEADER_VERSION_24_11)
		take16(c);	/* tree depth */
}

static int fail(int errnum)
{
	errno = errnum;
	return -1;
}

int wt_header_decode(struct wt_header *header, const void *data, size_t len, uint16_t oldest, uint16_t newest)
{
	struct header_cursor c = { .data = data, .len = len };
	uint16_t answers;

	memset(header, 0, sizeof(*header));
	header->version = take16(&c);
	if (c.bad)
		return fail(EBADMSG);
	if (header->version < oldest || header->version > newest)
		return fail(EPROTONOSUPPORT);
	header->flags = take16(&c);
	/* Of older Slurms: the message index, which nothing here needs. */
	if (header->version < WT_HEADER_VERSION_22_05)
		take16(&c);
	header->msg_type = take16(&c);
	header->body_length = take32(&c);
	forward_take(&c, header);
	answers = take16(&c);
	if (c.bad)
		return fail(EBADMSG);
	if (answers)
		return fail(ENOTSUP);
	skip_address(&c);
	header->auth_offset = (uint32_t) c.pos;
	header->bare = header->version >= WT_HEADER_VERSION_23_11 && header->flags & WT_HEADER_BARE;
	if (!header->bare && take32(&c) != WT_HEADER_AUTH_MUNGE)
		return fail(c.bad ? EBADMSG : ENOTSUP);
	if (!header->bare)
		take_string(&c);
	if (c.bad || header->body_length != c.len - c.pos)
		return fail(EBADMSG);
	header->body_offset = (uint32_t) c.pos;
	return 0;
}
