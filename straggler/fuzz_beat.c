/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whatever is read as a message must, written again, give the same bytes. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "straggler/beat.h"
#include "lib/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct wt_beat beat;
	static uint8_t again[WT_BEAT_BODY_MAX];
	struct wt_beat_session opened;
	struct wt_beat_reply reply;
	unsigned int flags, version, kind;
	uint64_t session, newest;

	if (wt_beat_decode(&beat, data, size, NULL) == 0) {
		int len = wt_beat_encode(&beat, again, sizeof(again), NULL);

		if (len < 0 || (size_t) len != size || memcmp(again, data, size))
			abort();
	}
	if (wt_beat_keyed_read(data, size, &session, &flags, NULL) == 0 &&
	    (wt_beat_keyed_head(session, flags, again, sizeof(again), NULL) != WT_BEAT_KEYED_HEAD || memcmp(again, data,
	    WT_BEAT_KEYED_HEAD) ||
	     size < WT_BEAT_KEYED_HEAD + WT_BEAT_MAC))
		abort();
	if (wt_beat_version(data, size, &version, &kind) && wt_beat_refuse(version, kind, again, sizeof(again),
									   NULL) < WT_BEAT_REPLY_HEAD)
		abort();
	if (wt_beat_session_read(&opened, data, size, NULL) == 0) {
		wt_beat_session_write(&opened, again);
		if (size != WT_BEAT_SESSION_TEXT || memcmp(again, data, size))
			abort();
	}
	if (wt_beat_newest_read(&newest, data, size, NULL) == 0) {
		wt_beat_newest_write(newest, again);
		if (size != WT_BEAT_NEWEST_TEXT || memcmp(again, data, size))
			abort();
	}
	if (wt_beat_reply_decode(&reply, data, size, NULL) == 0 && reply.text_len + WT_BEAT_REPLY_HEAD != size)
		abort();
	return 0;
}

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	static struct wt_beat beat;
	int len;

	memset(&beat, 0, sizeof(beat));
	if (index >= 15 && index < 18) {	/* keyed frames around a body */
		len = wt_beat_keyed_head(index, index & 1, buf, size, NULL);
		return wt_fuzz_seed(index - 15, buf + len, size - (size_t) len) + (size_t) len;
	}
	beat.kind = WT_BEAT_REPORT + index % 5;
	beat.operation = beat.acquisition = 1;
	beat.count = beat.kind == WT_BEAT_REPORT ? index : 0;
	memcpy(beat.node, "n1", 3);
	len = index < 15 ? wt_beat_encode(&beat, buf, size, NULL) : 0;
	return len > 0 ? (size_t) len : 0;
}
