/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keyed frames, and what was said in another version of the protocol. */
#include "config.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "straggler/beat.h"

#define BODY_HEAD 8	/* bytes of the shortest body */

static const uint8_t magic[4] = { 'W', 'T', 'B', '1' }, magic_keyed[4] = { 'W', 'T', 'K', '1' };

bool wt_beat_keyed(const uint8_t *buf, size_t len)
{
	return len >= sizeof(magic_keyed) && !memcmp(buf, magic_keyed, sizeof(magic_keyed));
}

bool wt_beat_version(const uint8_t *buf, size_t len, unsigned int *version, unsigned int *kind)
{
	bool keyed = wt_beat_keyed(buf, len);

	if (len < BODY_HEAD || (!keyed && memcmp(buf, magic, sizeof(magic))))
		return false;
	*version = buf[4];
	/* In a keyed frame this byte has flags, and only reports are keyed. */
	*kind = keyed ? WT_BEAT_REPORT : buf[5];
	return true;
}

int wt_beat_refuse(unsigned int version, unsigned int kind, uint8_t *buf, size_t size, struct wt_error *errp)
{
	char text[160];
	int text_len = snprintf(text, sizeof(text),
				"slurmctld's straggler plugin speaks version %d of the protocol, and this is version %u: "
				"install the same release of windtunnel on both", WT_BEAT_VERSION, version);
	struct wt_beat_reply reply = { (enum wt_beat_kind) (kind & 0x7f), WT_BEAT_BAD, 0, text, (size_t) text_len };

	if (size < WT_BEAT_REPLY_HEAD + (size_t) text_len)
		return wt_error_set(errp, ENOSPC, "reply: longer than %zu bytes", size);
	wt_beat_reply_head(&reply, buf, size, NULL);
	/* In the asker's version, whose reply has the same head: else it would take this for garbage. */
	buf[4] = (uint8_t) version;
	return WT_BEAT_REPLY_HEAD + text_len;
}

void wt_beat_session_write(const struct wt_beat_session *session, uint8_t text[WT_BEAT_SESSION_TEXT])
{
	uint64_t id = htobe64(session->id);
	uint32_t lifetime_s = htobe32(session->lifetime_s);

	memcpy(text, &id, sizeof(id));
	memcpy(text + sizeof(id), session->key, WT_BEAT_KEY);
	memcpy(text + sizeof(id) + WT_BEAT_KEY, &lifetime_s, sizeof(lifetime_s));
}

int wt_beat_session_read(struct wt_beat_session *session, const void *text, size_t len, struct wt_error *errp)
{
	const uint8_t *at = text;

	if (!text || len != WT_BEAT_SESSION_TEXT)
		return wt_error_set(errp, EPROTO, "an answer of %zu bytes is no session", len);
	memcpy(&session->id, at, sizeof(session->id));
	session->id = be64toh(session->id);
	memcpy(session->key, at + sizeof(session->id), WT_BEAT_KEY);
	memcpy(&session->lifetime_s, at + sizeof(session->id) + WT_BEAT_KEY, sizeof(session->lifetime_s));
	session->lifetime_s = be32toh(session->lifetime_s);
	if (!session->id || !session->lifetime_s)
		return wt_error_set(errp, EPROTO, "a session without a number or a lifetime");
	return 0;
}

int wt_beat_keyed_head(uint64_t session, unsigned int flags, uint8_t *buf, size_t size, struct wt_error *errp)
{
	if (flags & ~WT_BEAT_ANSWER)
		return wt_error_set(errp, EINVAL, "keyed frame: flags %#x are unknown", flags);
	if (size < WT_BEAT_KEYED_HEAD)
		return wt_error_set(errp, ENOSPC, "keyed frame: longer than %zu bytes", size);
	session = htobe64(session);
	memset(buf, 0, WT_BEAT_KEYED_HEAD);
	memcpy(buf, magic_keyed, sizeof(magic_keyed));
	buf[4] = WT_BEAT_VERSION;
	buf[5] = (uint8_t) flags;
	memcpy(buf + 8, &session, sizeof(session));
	return WT_BEAT_KEYED_HEAD;
}

int wt_beat_keyed_read(const uint8_t *buf, size_t len, uint64_t *session, unsigned int *flags, struct wt_error *errp)
{
	if (!wt_beat_keyed(buf, len) || len < WT_BEAT_KEYED_HEAD + BODY_HEAD + WT_BEAT_MAC)
		return wt_error_set(errp, EPROTO, "not a keyed frame of windtunnel");
	if (buf[4] != WT_BEAT_VERSION)
		return wt_error_set(errp, EPROTO, "keyed frame of version %u; this is version %d", buf[4], WT_BEAT_VERSION);
	*flags = buf[5];
	memcpy(session, buf + 8, sizeof(*session));
	*session = be64toh(*session);
	if ((*flags & ~WT_BEAT_ANSWER) || buf[6] || buf[7])
		return wt_error_set(errp, EPROTO, "keyed frame with unknown flags");
	return 0;
}
