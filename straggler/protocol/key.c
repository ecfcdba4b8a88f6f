/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <sys/random.h>

#include "straggler/protocol/key.h"

int key_draw(void *bytes, size_t len, struct wt_error *errp)
{
	uint8_t *at = bytes;

	while (len) {
		ssize_t n = getrandom(at, len, 0);

		/* It waits only while the machine boots, before its random source is ready. */
		if (n < 0 && errno != EINTR)
			return wt_error_errno(errp, errno, "random bytes");
		if (n > 0) {
			at += n;
			len -= (size_t) n;
		}
	}
	return 0;
}

static void mac(const uint8_t key[WT_BEAT_KEY], const uint8_t *bytes, size_t len, uint8_t out[WT_BEAT_MAC])
{
	struct hmac_sha256_ctx ctx;

	hmac_sha256_set_key(&ctx, WT_BEAT_KEY, key);
	hmac_sha256_update(&ctx, len, bytes);
	hmac_sha256_digest(&ctx, WT_BEAT_MAC, out);
}

int key_frame(const struct wt_beat_session *session, const struct wt_beat *beat, unsigned int flags, uint8_t *buf,
	      size_t size, struct wt_error *errp)
{
	int head, body;

	if (beat->kind != WT_BEAT_REPORT)
		return wt_error_set(errp, EINVAL, "keyed frame: only reports may be keyed");
	if (size < WT_BEAT_KEYED_HEAD + WT_BEAT_MAC)
		return wt_error_set(errp, ENOSPC, "keyed frame: longer than %zu bytes", size);
	head = wt_beat_keyed_head(session->id, flags, buf, size, errp);
	body = head < 0 ? -1 : wt_beat_encode(beat, buf + head, size - WT_BEAT_KEYED_HEAD - WT_BEAT_MAC, errp);
	if (body < 0)
		return -1;
	mac(session->key, buf, (size_t) (head + body), buf + head + body);
	return head + body + WT_BEAT_MAC;
}

bool key_good(const uint8_t key[WT_BEAT_KEY], const uint8_t *frame, size_t len)
{
	uint8_t want[WT_BEAT_MAC];

	if (len < WT_BEAT_MAC)
		return false;
	mac(key, frame, len - WT_BEAT_MAC, want);
	return memeql_sec(want, frame + len - WT_BEAT_MAC, WT_BEAT_MAC);
}
