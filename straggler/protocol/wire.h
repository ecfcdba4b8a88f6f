/* wire.h - a client's side of the plugin's port: connect, send and receive, until a deadline (monotonic microseconds). */
#ifndef WT_STRAGGLER_PROTOCOL_WIRE_H
#define WT_STRAGGLER_PROTOCOL_WIRE_H

#include "straggler/protocol/straggler_conf.h"

/* A socket that does not block; -1 with errno and *errp. */
int wire_connect(const struct straggler_conf *conf, int64_t deadline_us, struct wt_error *errp);

/* All of it; -1 with errno: ETIMEDOUT, ECONNRESET (also: closed), ... 'flags' as of send (2). */
int wire_send(int fd, const void *bytes, size_t len, int flags, int64_t deadline_us);
int wire_receive(int fd, void *bytes, size_t len, int64_t deadline_us);

/* An answer with its length before it, the caller's to free; -1 as above, EPROTO: of no sensible length. */
int wire_frame(int fd, void **bytes, uint32_t *len, int64_t deadline_us);

#endif
