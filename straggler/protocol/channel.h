/* channel.h - an agent's reports to the plugin: a connection and a session that are kept, made anew when needed.
 *
 * The first report over each connection is answered before the call returns, so that a slurmctld that was started again, or
 * is of another release, is noticed at once.  All others are not waited for: one in CHANNEL_ANSWER_EACH asks for an answer,
 * which is looked for at the next ones; a plugin that has not answered when the next answer is asked for gets a new
 * connection. */
#ifndef WT_STRAGGLER_PROTOCOL_CHANNEL_H
#define WT_STRAGGLER_PROTOCOL_CHANNEL_H

#include "straggler/protocol/ask.h"

#define CHANNEL_ANSWER_EACH 10	/* reports */

struct channel {	/* { .ask = { .conf = &conf, .fd = -1 } }: channel_begin () */
	struct ask ask;
	struct port_session session;		/* id 0: none */
	int64_t renew_us;	/* when to open another one */
	uint64_t sequence;	/* of the session's last report */
	bool proven;		/* a report was answered over this connection */
	bool asked;		/* an answer is under way */
	unsigned int connections;	/* so far: what was sent over an earlier one may be lost */
	unsigned int unasked;	/* reports since */
	uint8_t in[256];	/* of an answer, after its length */
	size_t in_got;
};

void channel_begin(struct channel *channel, const struct straggler_conf *conf);
void channel_end(struct channel *channel);

/* Send *message, a REPORT, whose sequence is set.  -1: it, or one before it, was refused or did not arrive; errno as of
 * ask (), EPERM: none of its jobs may be reported for. */
int channel_report(struct channel *channel, struct port_message *message, int timeout_ms, struct wt_error *errp);

#endif
