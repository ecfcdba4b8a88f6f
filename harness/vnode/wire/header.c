/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "harness/vnode/wire/header.h"

#define AUTH_BYTES_MIN 9		/* of a credential: kind, length and one byte */
#define AUTH_BYTES_MAX 65536	/* looked for so far: munge's have some hundred bytes */
#define FORWARD_BYTES 64	/* of a header without names: the fixed parts are fewer */

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

static void origin_take(struct header_cursor *c, struct wt_header *header)
{
	uint16_t family = take16(c);

	if (family == AF_INET) {
		header->origin = take32(c);	/* slurm_pack_addr () packs the number that stands in memory */
		header->has_origin = true;
		take16(c);
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
	header->forward_tree_width = take16(c);
	if (header->version >= WT_HEADER_VERSION_23_11 && header->flags & WT_HEADER_ADDRESSES)
		skip_string(c);
	if (header->version >= WT_HEADER_VERSION_24_11)
		header->forward_tree_depth = take16(c);
}

static int fail(int errnum)
{
	errno = errnum;
	return -1;
}

/* From the version to the number of answers. */
static int start_take(struct header_cursor *c, struct wt_header *header, uint16_t oldest, uint16_t newest, uint16_t *answers)
{
	memset(header, 0, sizeof(*header));
	header->version = take16(c);
	if (c->bad)
		return fail(EBADMSG);
	if (header->version < oldest || header->version > newest)
		return fail(EPROTONOSUPPORT);
	header->flags = take16(c);
	/* Of older Slurms: the message index, which nothing here needs. */
	if (header->version < WT_HEADER_VERSION_22_05)
		take16(c);
	header->msg_type = take16(c);
	header->body_length = take32(c);
	forward_take(c, header);
	header->answers_offset = (uint32_t) c->pos;
	*answers = take16(c);
	header->bare = header->version >= WT_HEADER_VERSION_23_11 && header->flags & WT_HEADER_BARE;
	return c->bad ? fail(EBADMSG) : 0;
}

int wt_header_decode(struct wt_header *header, const void *data, size_t len, uint16_t oldest, uint16_t newest)
{
	struct header_cursor c = { .data = data, .len = len };
	uint16_t answers;

	if (start_take(&c, header, oldest, newest, &answers) < 0)
		return -1;
	if (answers)
		return fail(ENOTSUP);
	origin_take(&c, header);
	header->auth_offset = (uint32_t) c.pos;
	if (!header->bare && take32(&c) != WT_HEADER_AUTH_MUNGE)
		return fail(c.bad ? EBADMSG : ENOTSUP);
	if (!header->bare)
		take_string(&c);
	if (c.bad || header->body_length != c.len - c.pos)
		return fail(EBADMSG);
	header->body_offset = (uint32_t) c.pos;
	return 0;
}

/* A credential that ends at 'end': its kind, its length, its text. */
static bool auth_at(const uint8_t *data, size_t at, size_t end)
{
	struct header_cursor c = { .data = data, .len = end, .pos = at };

	return take32(&c) == WT_HEADER_AUTH_MUNGE && take_string(&c) && c.pos == end;
}

int wt_header_decode_answers(struct wt_header *header, const void *data, size_t len, uint16_t oldest, uint16_t newest)
{
	struct header_cursor c = { .data = data, .len = len };
	uint16_t answers;
	size_t at, lowest;

	if (start_take(&c, header, oldest, newest, &answers) < 0)
		return -1;
	if (header->forward_count || header->body_length > len - c.pos)
		return fail(EBADMSG);
	header->body_offset = header->auth_offset = (uint32_t) (len - header->body_length);
	if (header->bare)
		return 0;
	if (header->body_offset - c.pos < AUTH_BYTES_MIN)
		return fail(EBADMSG);
	/* No byte of a credential's text is 0, but for its end: the kind's are the last that can be found before it. */
	lowest = header->body_offset - c.pos > AUTH_BYTES_MAX ? header->body_offset - AUTH_BYTES_MAX : c.pos;
	for (at = header->body_offset - AUTH_BYTES_MIN; !auth_at(data, at, header->body_offset); at--)
		if (at == lowest)
			return fail(EBADMSG);
	header->auth_offset = (uint32_t) at;
	return 0;
}

static uint8_t *put(uint8_t *at, const void *bytes, size_t len)
{
	memcpy(at, bytes, len);
	return at + len;
}

static uint8_t *put16(uint8_t *at, uint16_t v)
{
	return put(at, (uint8_t[]) { (uint8_t) (v >> 8), (uint8_t) v }, 2);
}

static uint8_t *put32(uint8_t *at, uint32_t v)
{
	return put16(put16(at, (uint16_t) (v >> 16)), (uint16_t) v);
}

static uint8_t *forward_put(uint8_t *at, const struct wt_header *header, const char *nodes, uint16_t count)
{
	at = put16(at, count);
	if (!count)
		return at;
	at = put32(at, (uint32_t) strlen(nodes) + 1);
	at = put(at, nodes, strlen(nodes) + 1);
	at = put32(at, header->forward_timeout_ms);
	at = put16(at, header->forward_tree_width);
	return header->version >= WT_HEADER_VERSION_24_11 ? put16(at, header->forward_tree_depth) : at;
}

uint8_t *wt_header_forward(const struct wt_header *header, const void *data, size_t len, const char *nodes, uint16_t count,
			   uint32_t origin, size_t *size)
{
	size_t rest = len - header->auth_offset;
	uint8_t *bytes = malloc(4 + FORWARD_BYTES + (count ? strlen(nodes) + 1 : 0) + rest), *at = bytes;

	if (!bytes)
		return NULL;
	at = put16(at + 4, header->version);
	at = put16(at, header->flags & (uint16_t) ~WT_HEADER_ADDRESSES);	/* whoever reads it has its own slurm.conf */
	if (header->version < WT_HEADER_VERSION_22_05)
		at = put16(at, 0);
	at = put16(at, header->msg_type);
	at = put32(at, header->body_length);
	at = forward_put(at, header, nodes, count);
	at = put16(at, 0);	/* no answers */
	at = put16(put32(put16(at, AF_INET), origin), 0);
	at = put(at, (const uint8_t *) data + header->auth_offset, rest);
	*size = (size_t) (at - bytes);
	put32(bytes, (uint32_t) (*size - 4));
	return bytes;
}
