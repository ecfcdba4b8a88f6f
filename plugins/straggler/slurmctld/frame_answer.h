/* frame_answer.h - the answer to one frame: which user sent it, what it says, what is said back.
 *
 * Belongs to the thread of the port, and never waits: munge is sealer.h's. */
#ifndef WT_PLUGINS_STRAGGLER_SLURMCTLD_FRAME_ANSWER_H
#define WT_PLUGINS_STRAGGLER_SLURMCTLD_FRAME_ANSWER_H

#include <sys/types.h>

#include "straggler/protocol/seal.h"
#include "plugins/straggler/slurmctld/service.h"
#include "plugins/straggler/slurmctld/session.h"

#define ANSWER_READ (64u << 10)	/* bytes */

struct answerer {
	struct service *service;
	bool versions[256];	/* of the protocol, that were said to be not ours */
	struct sessions *sessions;
	struct port_message message;	/* the last message */
	uint8_t in[ANSWER_READ];	/* what was read of an agent's connection */
};

struct answer {
	bool keep;		/* false: the connection is to be closed */
	bool known;		/* the frame came from user 'uid'; */
	uid_t uid;
	bool trusted;		/* root or SlurmUser, */
	bool agent;		/* and was a report of a session of theirs */
	bool held;		/* of a COMMIT: to be told by answer_commit () */
	enum port_code code;	/* if so, this, to the question with this nonce */
	uint64_t nonce;
	uint8_t newest[PORT_NEWEST_TEXT];	/* with OLD */
	/* 'bytes' are to be sealed for 'uid', and then framed; else they are to be sent as they are */
	bool seal;
	char *bytes;		/* the caller's to free.  NULL: nothing */
	size_t len;
};

int answerer_init(struct answerer *answerer, struct service *service, struct wt_error *errp);
void answerer_fini(struct answerer *answerer);

/* To a keyed frame, and to what user 'uid' has sealed, which may have an answer of 'room' bytes.  'fd' is the connection:
 * its address is named when an old agent is refused. */
void answer_keyed(struct answerer *answerer, int fd, const void *frame, size_t len, double now_s, struct answer *answer);
void answer_unsealed(struct answerer *answerer, int fd, uid_t uid, const void *body, size_t len, size_t room, double now_s,
		     struct answer *answer);

/* Whether the user is root or SlurmUser. */
bool answer_trusts(const struct answerer *answerer, uid_t uid);

/* A credential was none: it is counted. */
void answer_refused(struct answerer *answerer, munge_err_t rc);

/* What was held of an answer, when it is on the disk, or BUSY when it could not be written. */
void answer_commit(struct answerer *answerer, const struct answer *held, bool saved, struct answer *answer);

/* 'len' bytes with their length before them, malloc'ed; NULL: ENOMEM. */
char *answer_framed(const void *bytes, size_t len, size_t *framed_len);

/* Whether it is a keyed frame of root's or SlurmUser's, by its MAC: such a one need not wait until strangers' frames have
 * their turn. */
bool answer_proven(struct answerer *answerer, const void *frame, size_t len, double now_s);

#endif
