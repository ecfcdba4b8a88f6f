/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Untrusted bytes of a connection: cut into frames, then the header of each frame decoded.  The first byte of the input says
 * how many bytes arrive at a time. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "harness/vnode/wire/frame.h"
#include "lib/fuzz.h"
#include "harness/vnode/wire/header.h"

enum { LIMIT = 1 << 14, OLDEST = 36 << 8 };

static void require(int condition)
{
	if (!condition)
		abort();
}

/* What header.h promises about a header that was accepted. */
static void header_check(const uint8_t *body, uint32_t len)
{
	struct wt_header h;

	if (wt_header_decode(&h, body, len, OLDEST, WT_HEADER_VERSION_22_05) < 0)
		return;
	require(h.version >= OLDEST && h.version <= WT_HEADER_VERSION_22_05);
	require(h.auth_offset < h.body_offset && h.body_offset <= len && len - h.body_offset == h.body_length);
	require(!h.forward_nodes == !h.forward_count);
	if (h.forward_nodes)
		require(h.forward_nodes + strlen(h.forward_nodes) < (const char *) body + len);
}

/* What goes on can be read by the one that it goes to. */
static void forward_check(const uint8_t *body, uint32_t len)
{
	struct wt_header h, on;
	uint8_t *frame;
	size_t size;

	if (wt_header_decode(&h, body, len, OLDEST, WT_HEADER_VERSION_24_11) < 0)
		return;
	frame = wt_header_forward(&h, body, len, h.forward_nodes, h.forward_count, 1, &size);
	require(frame && wt_header_decode(&on, frame + 4, size - 4, OLDEST, WT_HEADER_VERSION_24_11) == 0);
	require(on.msg_type == h.msg_type && on.forward_count == h.forward_count && on.body_length == h.body_length);
	require(size - 4 - on.auth_offset == len - h.auth_offset);
	free(frame);
}

static void answers_check(const uint8_t *body, uint32_t len)
{
	struct wt_header h;

	if (wt_header_decode_answers(&h, body, len, OLDEST, WT_HEADER_VERSION_24_11) < 0)
		return;
	require(h.auth_offset <= h.body_offset && h.body_offset <= len && len - h.body_offset == h.body_length);
	require(h.answers_offset < h.auth_offset || h.bare);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wt_frame frame;
	size_t step = size ? data[0] + 1u : 1, at = 1;

	wt_frame_init(&frame, LIMIT);
	while (at < size) {
		size_t len = size - at < step ? size - at : step;
		long used = wt_frame_feed(&frame, data + at, len);

		if (used < 0)
			break;
		require((size_t) used == len || ((size_t) used < len && wt_frame_complete(&frame)));
		at += (size_t) used;
		if (wt_frame_complete(&frame)) {
			require(frame.have == frame.length && frame.have <= LIMIT && frame.have >= WT_FRAME_MIN);
			header_check(frame.body, frame.have);
			forward_check(frame.body, frame.have);
			answers_check(frame.body, frame.have);
			wt_frame_clear(&frame);
			require(wt_frame_empty(&frame));
		}
	}
	wt_frame_clear(&frame);
	return 0;
}

static size_t put(uint8_t *buf, size_t at, const void *bytes, size_t len)
{
	memcpy(buf + at, bytes, len);
	return at + len;
}

/* Messages as slurmctld sends them: plain, with nodes to forward to, with an address of origin, two in one stream. */
size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
#define CREDENTIAL "\0\0\0\145" "\0\0\0\013" "MUNGE:xyz:\0"
#define BODY "\0\0\0\4" "body"
#define START "\46\0" "\1\2" "\3\360" "\0\0\0\10"	/* version, flags, REQUEST_PING, length of the body */
	static const char plain[] = START "\0\0" "\0\0" "\0\0" CREDENTIAL BODY;
	static const char forward[] = START "\0\2" "\0\0\0\7n[1-2]\0" "\0\0\47\20" "\0\62" "\0\0" "\0\0" CREDENTIAL BODY;
	static const char origin[] = START "\0\0" "\0\0" "\0\2" "\177\0\0\1\22\64" CREDENTIAL BODY;
	static const struct {
		const char *bytes;
		uint8_t len;
	} seeds[] = { { plain, sizeof(plain) - 1 }, { forward, sizeof(forward) - 1 }, { origin, sizeof(origin) - 1 } };
	size_t at = 0;

	if (index > 3 || size < 512)
		return 0;
	buf[at++] = index == 1 ? 0 : 255;
	for (unsigned int i = index < 3 ? index : 0; i <= (index < 3 ? index : 2); i++) {
		at = put(buf, at, (uint8_t[]) { 0, 0, 0, seeds[i].len }, 4);
		at = put(buf, at, seeds[i].bytes, seeds[i].len);
	}
	return at;
}
