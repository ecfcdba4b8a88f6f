/* beat.h - the messages between tasks, agents and the plugin in slurmctld (doc/design-straggler.md).
 *
 * Pure: bytes in, bytes out.  All integers are big-endian, a double is its IEEE 754 bits as a 64-bit integer.  On the wire
 * (TCP) a message is a 32-bit length and a munge credential whose payload is the body below; a reply is a 32-bit length
 * and either a body or, where the asker must be able to trust it (COMMIT, EXIT, OPEN), a munge credential of one, which only
 * the asker's user can unseal: the nonce can be seen on the network, and another user's question with it has an answer that
 * is of no use here.
 *
 * Reports come too often for that: an agent OPENs a session, and sends its reports as keyed frames, which need no munge:
 *
 *   keyed:   magic 32 ("WTK1"), version 8, flags 8, zero 16, session 64, body of a REPORT, MAC 128
 *
 * The MAC is HMAC-SHA256 of all before it, cut to 16 bytes, with the session's key; the REPORT's sequence must grow from
 * frame to frame of a session.  Such a report is answered if it is refused, or if WT_BEAT_ANSWER is among its flags.  Frames
 * longer than WT_BEAT_STRANGER_MAX need an answered one before them on their connection; an empty report will do.
 *
 *   body:    magic 32 ("WTB1"), version 8, kind 8, count 16, then
 *   REPORT:  sequence 64, window_ms 32, length of the node's name 8, name, 'count' records of 28 bytes:
 *            job_id 32, restart 32, flags 32, elapsed_us 64, progress 64
 *   COMMIT:  job_id 32, restart 32, instance 64, array_job_id 32, array_task_id 32, operation 32, acquisition 64, nonce 64
 *   EXIT:    as COMMIT, with status 32 (as of wait (2)) for the operation and the acquisition
 *   STATUS:  job_id 32 (0: all), what 32, nonce 64
 *   OPEN:    nonce 64; the reply's text is session 64, key 256, lifetime_s 32, and only the asker's user can unseal it
 *   reply:   magic 32, version 8, kind | 0x80 8, code 16, nonce 64, text up to the end
 *
 * A job's number and its count of restarts do not tell two starts apart: a slurmctld that was killed starts a job again
 * whose start it had not saved, and gives numbers of forgotten jobs to new ones.  So slurmstepd draws an instance at each
 * start, and the right to publish is that instance's, for the task (array_job_id, array_task_id) that it works at.
 *
 * Messages may arrive late: munge takes a credential for minutes.  So a process that asks for the right draws an
 * acquisition, a number above 0 that rises within the start, and names it in ACQUIRE, however often it asks, and in DONE
 * or RELEASE.  What belongs to an older acquisition than the one that has the right, or to one that is over, changes
 * nothing: ACQUIRE is then answered with OLD, whose text is the newest acquisition 64 that is known of the start, and a
 * process that still wants the right draws a greater one.
 *
 * A reader refuses any other version, kind or length: nothing may follow.  Magic, version, kind and the whole reply stay
 * where they are in all versions: a message of another version is refused with a reply of *its* version, code BAD, and a
 * text that names both. Unless noted: 0 or a length on success; -1 with errno set, text in *errp (may be NULL). */
#ifndef WT_STRAGGLER_BEAT_H
#define WT_STRAGGLER_BEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

#define WT_BEAT_VERSION		4
#define WT_BEAT_RECORDS_MAX	1024	/* in a message; an agent with more sends several */
#define WT_BEAT_NODE_MAX	64	/* bytes of a node's name */
#define WT_BEAT_BODY_MAX	(32u << 10)	/* bytes */
#define WT_BEAT_FRAME_MAX	(64u << 10)	/* bytes of a credential */
#define WT_BEAT_STRANGER_MAX	4096	/* bytes of a frame, as long as no credential or MAC was good on its connection */
#define WT_BEAT_REPLY_MAX	(8u << 20)	/* bytes */

#define WT_BEAT_KEY		32	/* bytes of a session's key */
#define WT_BEAT_MAC		16	/* bytes */
#define WT_BEAT_KEYED_HEAD	16	/* bytes before the body of a keyed frame */
#define WT_BEAT_SESSION_TEXT	(8 + WT_BEAT_KEY + 4)	/* bytes of the text that answers an OPEN */

enum wt_beat_kind { WT_BEAT_REPORT = 1, WT_BEAT_COMMIT, WT_BEAT_EXIT, WT_BEAT_STATUS, WT_BEAT_OPEN };
enum wt_beat_commit { WT_COMMIT_ACQUIRE = 1, WT_COMMIT_DONE, WT_COMMIT_RELEASE };
enum wt_beat_what {
	WT_STATUS_JOBS = 1, WT_STATUS_NODES, WT_STATUS_COUNTERS,
	/* accepted heartbeats from number 'nonce' on, a JSON object a line; the last line is {"next":NUMBER} */
	WT_STATUS_BEATS
};

enum wt_beat_code {
	WT_BEAT_OK,		/* taken; COMMIT: the right is yours; EXIT: go on and end */
	WT_BEAT_WAIT,		/* COMMIT: another attempt has the right now; EXIT: another attempt still runs */
	WT_BEAT_LOST,		/* COMMIT: another attempt has published, never try again */
	WT_BEAT_UNKNOWN,	/* no such job, or nothing is known of it yet */
	WT_BEAT_DENIED,		/* not your job */
	WT_BEAT_BUSY,		/* too many messages: later */
	WT_BEAT_BAD,		/* not a message, or of another version: the text says which */
	WT_BEAT_NO_SESSION,	/* a keyed frame of a session that is not known (any more): open one */
	/* COMMIT: this acquisition is older than the one that the text tells (wt_beat_newest_read ()) */
	WT_BEAT_OLD
};

#define WT_BEAT_ANSWER 1u	/* flag of a keyed frame: answer it even if all is well */

#define WT_BEAT_END 1u		/* flag of a record: the attempt has ended, elapsed_us is its duration */
#define WT_BEAT_CPU 2u		/* flag: progress was derived from CPU time */

struct wt_beat_record {
	uint32_t job_id, restart, flags;
	uint64_t elapsed_us;	/* since the attempt's start, by the node's monotonic clock */
	double progress;	/* any bits: the user checks it */
};

struct wt_beat {
	enum wt_beat_kind kind;
	/* REPORT */
	uint64_t sequence;	/* keyed: of the session, growing from 1; else of no meaning */
	uint32_t window_ms;
	char node[WT_BEAT_NODE_MAX + 1];
	uint32_t count;
	struct wt_beat_record records[WT_BEAT_RECORDS_MAX];
	/* the others */
	uint32_t job_id, restart;
	uint64_t instance;	/* COMMIT, EXIT: of the start that asks */
	/* COMMIT, EXIT: the task; of a job outside of arrays: its own number, and 0 */
	uint32_t array_job_id, array_task_id;
	uint32_t operation;	/* COMMIT: enum wt_beat_commit; STATUS: enum wt_beat_what */
	uint64_t acquisition;	/* COMMIT: of this start, rising, never 0 */
	int32_t status;		/* EXIT */
	uint64_t nonce;
};

struct wt_beat_reply {
	enum wt_beat_kind kind;
	enum wt_beat_code code;
	uint64_t nonce;
	const char *text;	/* not terminated; of a decoded reply: inside the buffer */
	size_t text_len;
};

/* Write the body of *beat into 'buf'; returns its length.  EINVAL: a kind, count or name out of range; ENOSPC. */
int wt_beat_encode(const struct wt_beat *beat, uint8_t *buf, size_t size, struct wt_error *errp);

/* Read foreign bytes.  EPROTO: not exactly one message. */
int wt_beat_decode(struct wt_beat *beat, const uint8_t *buf, size_t len, struct wt_error *errp);

/* The same for replies, without a limit but 'size'; only the head is written when buf is too small for the text. */
int wt_beat_reply_head(const struct wt_beat_reply *reply, uint8_t *buf, size_t size, struct wt_error *errp);
int wt_beat_reply_decode(struct wt_beat_reply *reply, const uint8_t *buf, size_t len, struct wt_error *errp);

#define WT_BEAT_REPLY_HEAD 16	/* bytes before the text */

/* Whether these bytes begin like a message, keyed frame or reply of any version; and of which. */
bool wt_beat_version(const uint8_t *buf, size_t len, unsigned int *version, unsigned int *kind);
/* The reply to a message of version 'version' that is not ours, with its 'kind' byte; its length.  ENOSPC. */
int wt_beat_refuse(unsigned int version, unsigned int kind, uint8_t *buf, size_t size, struct wt_error *errp);

struct wt_beat_session {	/* what an OPEN is answered with */
	uint64_t id;
	uint8_t key[WT_BEAT_KEY];
	uint32_t lifetime_s;	/* open another one before that */
};

void wt_beat_session_write(const struct wt_beat_session *session, uint8_t text[WT_BEAT_SESSION_TEXT]);
int wt_beat_session_read(struct wt_beat_session *session, const void *text, size_t len, struct wt_error *errp);	/* EPROTO */

#define WT_BEAT_NEWEST_TEXT 8	/* bytes of the text that comes with OLD */
void wt_beat_newest_write(uint64_t newest, uint8_t text[WT_BEAT_NEWEST_TEXT]);
int wt_beat_newest_read(uint64_t *newest, const void *text, size_t len, struct wt_error *errp);	/* EPROTO */

bool wt_beat_keyed(const uint8_t *buf, size_t len);	/* a frame begins as a keyed one, not as a credential */
/* The head of a keyed frame; the body and the MAC follow it.  Its length; EINVAL, ENOSPC. */
int wt_beat_keyed_head(uint64_t session, unsigned int flags, uint8_t *buf, size_t size, struct wt_error *errp);
/* Of a whole keyed frame, whose MAC has not been looked at yet; the body is what is left between head and MAC.  EPROTO. */
int wt_beat_keyed_read(const uint8_t *buf, size_t len, uint64_t *session, unsigned int *flags, struct wt_error *errp);

const char *wt_beat_code_name(enum wt_beat_code code);	/* "ok", "wait", ...; NULL outside the enum */

#endif
