/* key.h - the key of a session: frames with a MAC, HMAC-SHA256 by libnettle (plain functions without state or
 * initialisation, which suits a process that is another's).  Nothing here allocates. */
#ifndef WT_STRAGGLER_PROTOCOL_KEY_H
#define WT_STRAGGLER_PROTOCOL_KEY_H

#include "straggler/port_message.h"

#define KEY_FRAME_MAX (PORT_KEYED_HEAD + PORT_BODY_MAX + PORT_MAC)	/* bytes */

/* Bytes of the kernel's random source; -1 with its errno. */
int key_draw(void *bytes, size_t len, struct wt_error *errp);

/* A keyed frame of *message, a REPORT, in 'buf'; its length.  -1: as port_message_encode (). */
int key_frame(const struct port_session *session, const struct port_message *message, unsigned int flags, uint8_t *buf,
	      size_t size, struct wt_error *errp);

/* Whether the last PORT_MAC bytes are the MAC of those before; takes the same time wherever they differ. */
bool key_good(const uint8_t key[PORT_KEY], const uint8_t *frame, size_t len);

#endif
