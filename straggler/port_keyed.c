/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keyed frames, and what was said in another version of the protocol. */
#include "config.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "straggler/port_message.h"

#define BODY_HEAD 8	/* bytes of the shortest body */

static const uint8_t magic[4] = { 'W', 'T', 'B', '1' }, magic_keyed[4] = { 'W', 'T', 'K', '1' };

bool port_keyed(const uint8_t *buf, size_t len)
{
	return len >= sizeof(magic_keyed) && !memcmp(buf, magic_keyed, sizeof(magic_keyed));
}

bool port_version(const uint8_t *buf, size_t len, unsigned int *version, unsigned int *kind)
{
	bool keyed = port_keyed(buf, len);

	if (len < BODY_HEAD || (!keyed && memcmp(buf, magic, sizeof(magic))))
		return false;
	*version = buf[4];
	/* In a keyed frame this byte has flags, and only reports are keyed. */
	*kind = keyed ? PORT_REPORT : buf[5];
	return true;
}

int port_refuse(unsigned int version, unsigned int kind, uint8_t *buf, size_t size, struct wt_error *errp)
{
	char text[160];
	int text_len = snprintf(text, sizeof(text),
				"slurmctld's straggler plugin speaks version %d of the protocol, and this is version %u: "
				"install the same release of windtunnel on both", PORT_VERSION, version);
	struct port_reply reply = { (enum port_kind) (kind & 0x7f), PORT_BAD, 0, text, (size_t) text_len };

	if (size < PORT_REPLY_HEAD + (size_t) text_len)
		return wt_error_set(errp, ENOSPC, "reply: longer than %zu bytes", size);
	port_reply_head(&reply, buf, size, NULL);
	/* In the asker's version, whose reply has the same head: else it would take this for garbage. */
	buf[4] = (uint8_t) version;
	return PORT_REPLY_HEAD + text_len;
}

void port_session_write(const struct port_session *session, uint8_t text[PORT_SESSION_TEXT])
{
	uint64_t id = htobe64(session->id);
	uint32_t lifetime_s = htobe32(session->lifetime_s);

	memcpy(text, &id, sizeof(id));
	memcpy(text + sizeof(id), session->key, PORT_KEY);
	memcpy(text + sizeof(id) + PORT_KEY, &lifetime_s, sizeof(lifetime_s));
}

int port_session_read(struct port_session *session, const void *text, size_t len, struct wt_error *errp)
{
	const uint8_t *at = text;

	if (!text || len != PORT_SESSION_TEXT)
		return wt_error_set(errp, EPROTO, "an answer of %zu bytes is no session", len);
	memcpy(&session->id, at, sizeof(session->id));
	session->id = be64toh(session->id);
	memcpy(session->key, at + sizeof(session->id), PORT_KEY);
	memcpy(&session->lifetime_s, at + sizeof(session->id) + PORT_KEY, sizeof(session->lifetime_s));
	session->lifetime_s = be32toh(session->lifetime_s);
	if (!session->id || !session->lifetime_s)
		return wt_error_set(errp, EPROTO, "a session without a number or a lifetime");
	return 0;
}

int port_keyed_head(uint64_t session, unsigned int flags, uint8_t *buf, size_t size, struct wt_error *errp)
{
	if (flags & ~PORT_ANSWER)
		return wt_error_set(errp, EINVAL, "keyed frame: flags %#x are unknown", flags);
	if (size < PORT_KEYED_HEAD)
		return wt_error_set(errp, ENOSPC, "keyed frame: longer than %zu bytes", size);
	session = htobe64(session);
	memset(buf, 0, PORT_KEYED_HEAD);
	memcpy(buf, magic_keyed, sizeof(magic_keyed));
	buf[4] = PORT_VERSION;
	buf[5] = (uint8_t) flags;
	memcpy(buf + 8, &session, sizeof(session));
	return PORT_KEYED_HEAD;
}

int port_keyed_read(const uint8_t *buf, size_t len, uint64_t *session, unsigned int *flags, struct wt_error *errp)
{
	if (!port_keyed(buf, len) || len < PORT_KEYED_HEAD + BODY_HEAD + PORT_MAC)
		return wt_error_set(errp, EPROTO, "not a keyed frame of windtunnel");
	if (buf[4] != PORT_VERSION)
		return wt_error_set(errp, EPROTO, "keyed frame of version %u; this is version %d", buf[4], PORT_VERSION);
	*flags = buf[5];
	memcpy(session, buf + 8, sizeof(*session));
	*session = be64toh(*session);
	if ((*flags & ~PORT_ANSWER) || buf[6] || buf[7])
		return wt_error_set(errp, EPROTO, "keyed frame with unknown flags");
	return 0;
}
