/* session.h - the sessions that agents have opened: which connection may say what without munge.
 *
 * Pure: random bytes and times (seconds, one monotonic line) are arguments.  A session grants what its user may do and
 * nothing more.  Their number is bounded: agents of root and SlurmUser have SESSIONS_TRUSTED places, where a new one takes
 * that of the longest open one; all others share SESSIONS_OTHERS, SESSIONS_USER a user, and takes away its own oldest
 * first.  An agent that has lost its session is told so, and opens another one.  Not locked: one thread at a time. */
#ifndef WT_PLUGINS_STRAGGLER_SLURMCTLD_SESSION_H
#define WT_PLUGINS_STRAGGLER_SLURMCTLD_SESSION_H

#include "straggler/port_message.h"

#define SESSIONS_TRUSTED 32768	/* two for each connection that there may be */
#define SESSIONS_OTHERS 256
#define SESSIONS_USER 16
#define SESSION_LIFETIME_S 3600

struct session {
	uint64_t id;		/* 0: a free place */
	uint64_t sequence;	/* of its last frame */
	double ends_s;
	uint64_t opened;	/* the how-many-th of all */
	uint32_t uid;
	bool trusted;		/* root or SlurmUser */
	uint8_t key[PORT_KEY];
};

struct sessions;	/* opaque */

struct sessions *sessions_create(struct wt_error *errp);	/* NULL: ENOMEM */
void sessions_destroy(struct sessions *sessions);		/* NULL is ignored; keys are wiped */

struct session_random {		/* from the kernel: no client may guess either */
	uint64_t id;
	uint8_t key[PORT_KEY];
};

/* A new session of 'uid'; holds until the next one is opened.  *dropped: another one, which had not ended, had to go. */
const struct session *session_open(struct sessions *sessions, uint32_t uid, bool trusted,
				   const struct session_random *random, double now_s, bool *dropped);

/* NULL: there is none of this number (any more). */
struct session *session_find(struct sessions *sessions, uint64_t id, double now_s);

/* Take the number of a frame whose MAC was good.  false: it is not above the last one's, the frame is sent again. */
bool session_advance(struct session *session, uint64_t sequence);

#endif
