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

static void mac(const uint8_t key[PORT_KEY], const uint8_t *bytes, size_t len, uint8_t out[PORT_MAC])
{
	struct hmac_sha256_ctx ctx;

	hmac_sha256_set_key(&ctx, PORT_KEY, key);
	hmac_sha256_update(&ctx, len, bytes);
	hmac_sha256_digest(&ctx, PORT_MAC, out);
}

int key_frame(const struct port_session *session, const struct port_message *message, unsigned int flags, uint8_t *buf,
	      size_t size, struct wt_error *errp)
{
	int head, body;

	if (message->kind != PORT_REPORT)
		return wt_error_set(errp, EINVAL, "keyed frame: only reports may be keyed");
	if (size < PORT_KEYED_HEAD + PORT_MAC)
		return wt_error_set(errp, ENOSPC, "keyed frame: longer than %zu bytes", size);
	head = port_keyed_head(session->id, flags, buf, size, errp);
	body = head < 0 ? -1 : port_message_encode(message, buf + head, size - PORT_KEYED_HEAD - PORT_MAC, errp);
	if (body < 0)
		return -1;
	mac(session->key, buf, (size_t) (head + body), buf + head + body);
	return head + body + PORT_MAC;
}

bool key_good(const uint8_t key[PORT_KEY], const uint8_t *frame, size_t len)
{
	uint8_t want[PORT_MAC];

	if (len < PORT_MAC)
		return false;
	mac(key, frame, len - PORT_MAC, want);
	return memeql_sec(want, frame + len - PORT_MAC, PORT_MAC);
}
