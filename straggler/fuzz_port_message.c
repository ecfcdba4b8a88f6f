/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whatever is read as a message must, written again, give the same bytes. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "straggler/port_message.h"
#include "lib/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct port_message message;
	static uint8_t again[PORT_BODY_MAX];
	struct port_session opened;
	struct port_reply reply;
	unsigned int flags, version, kind;
	uint64_t session, newest;

	if (port_message_decode(&message, data, size, NULL) == 0) {
		int len = port_message_encode(&message, again, sizeof(again), NULL);

		if (len < 0 || (size_t) len != size || memcmp(again, data, size))
			abort();
	}
	if (port_keyed_read(data, size, &session, &flags, NULL) == 0 &&
	    (port_keyed_head(session, flags, again, sizeof(again), NULL) != PORT_KEYED_HEAD || memcmp(again, data,
	    PORT_KEYED_HEAD) ||
	     size < PORT_KEYED_HEAD + PORT_MAC))
		abort();
	if (port_version(data, size, &version, &kind) && port_refuse(version, kind, again, sizeof(again),
									   NULL) < PORT_REPLY_HEAD)
		abort();
	if (port_session_read(&opened, data, size, NULL) == 0) {
		port_session_write(&opened, again);
		if (size != PORT_SESSION_TEXT || memcmp(again, data, size))
			abort();
	}
	if (port_newest_read(&newest, data, size, NULL) == 0) {
		port_newest_write(newest, again);
		if (size != PORT_NEWEST_TEXT || memcmp(again, data, size))
			abort();
	}
	if (port_reply_decode(&reply, data, size, NULL) == 0 && reply.text_len + PORT_REPLY_HEAD != size)
		abort();
	return 0;
}

size_t wt_fuzz_seed(unsigned int index, uint8_t *buf, size_t size)
{
	static struct port_message message;
	int len;

	memset(&message, 0, sizeof(message));
	if (index >= 15 && index < 18) {	/* keyed frames around a body */
		len = port_keyed_head(index, index & 1, buf, size, NULL);
		return wt_fuzz_seed(index - 15, buf + len, size - (size_t) len) + (size_t) len;
	}
	message.kind = PORT_REPORT + index % 5;
	message.operation = message.acquisition = 1;
	message.count = message.kind == PORT_REPORT ? index : 0;
	memcpy(message.node, "n1", 3);
	len = index < 15 ? port_message_encode(&message, buf, size, NULL) : 0;
	return len > 0 ? (size_t) len : 0;
}
