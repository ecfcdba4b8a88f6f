/* answer.h - the answer to one frame: who sent it, what it says, what is said back.  Belongs to the thread of the port. */
#ifndef WT_STRAGGLER_ANSWER_H
#define WT_STRAGGLER_ANSWER_H

#include "seal.h"
#include "service.h"
#include "session.h"

#define ANSWER_READ (64u << 10)	/* bytes */

struct answerer {
	struct service *service;
	munge_ctx_t munge;
	char munge_socket[sizeof(((struct specconf *) 0)->munge_socket)];
	bool munge_down;	/* it was said */
	bool versions[256];	/* of the protocol, that were said to be not ours */
	struct sessions *sessions;
	struct wt_beat beat;
	uint8_t in[ANSWER_READ];	/* what was read of an agent's connection */
};

struct answer {
	bool keep;		/* false: the connection is to be closed */
	bool trusted;		/* the frame came from root or SlurmUser */
	bool agent;		/* it was a report of a session of theirs */
	bool held;		/* of a COMMIT: to be told by answer_commit () */
	enum wt_beat_code code;	/* if so, this, to the question with this nonce */
	uint64_t nonce;
	uint8_t newest[WT_BEAT_NEWEST_TEXT];	/* with OLD */
	char *bytes;		/* to be sent, length and all; the caller's to free.  NULL: nothing */
	size_t len;
};

int answerer_init(struct answerer *answerer, struct service *service, struct wt_error *errp);
void answerer_fini(struct answerer *answerer);

/* 'fd' is the connection: its address is named when an old agent is refused. */
void answer_frame(struct answerer *answerer, int fd, const void *frame, size_t len, double now_s, struct answer *answer);

/* What was held of an answer, when it is on the disk, or BUSY when it could not be written.  The connection goes on if answer->keep. */
void answer_commit(struct answerer *answerer, const struct answer *held, bool saved, struct answer *answer);

/* Whether it is a keyed frame of root's or SlurmUser's, by its MAC: such a one need not wait until strangers' frames have their turn. */
bool answer_proven(struct answerer *answerer, const void *frame, size_t len, double now_s);

#endif
