/* ask.h - put a question to the plugin in slurmctld, and wait for its answer. */
#ifndef WT_STRAGGLER_PROTOCOL_ASK_H
#define WT_STRAGGLER_PROTOCOL_ASK_H

#include "straggler/protocol/seal.h"
#include "straggler/protocol/straggler_conf.h"

struct ask {		/* a connection that is made when needed and kept; { .conf = &conf, .fd = -1 } */
	const struct straggler_conf *conf;
	int fd;
	munge_ctx_t munge;
	char *buf;	/* of the last answer */
};

/* 0 and *reply, whose text holds until the next call; -1 with errno: ECONNREFUSED, ETIMEDOUT, EIO (munge), EPROTO (not its
 * answer; a COMMIT's or EXIT's that was not sealed by root or the owner of straggler.conf, for us). */
int ask(struct ask *ask, const struct port_message *message, int timeout_ms, struct port_reply *reply,
	struct wt_error *errp);
void ask_end(struct ask *ask);

/* For channel.c.  Close the connection of which errno tells what went wrong; -1.  And read a reply; -1 with EPROTO also when
 * it says that we speak another version of the protocol. */
int ask_failed(struct ask *ask, struct wt_error *errp);
int ask_reply(const void *bytes, size_t len, struct port_reply *reply, struct wt_error *errp);

#endif
