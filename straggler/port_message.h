/* port_message.h - the messages between tasks, agents and the plugin in slurmctld (doc/design-straggler.md).
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
 * frame to frame of a session.  Such a report is answered if it is refused, or if PORT_ANSWER is among its flags.  Frames
 * longer than PORT_STRANGER_MAX need an answered one before them on their connection; an empty report will do.
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
#ifndef WT_STRAGGLER_PORT_MESSAGE_H
#define WT_STRAGGLER_PORT_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

#define PORT_VERSION		4
#define PORT_RECORDS_MAX	1024	/* in a message; an agent with more sends several */
#define PORT_NODE_MAX	64	/* bytes of a node's name */
#define PORT_BODY_MAX	(32u << 10)	/* bytes */
#define PORT_FRAME_MAX	(64u << 10)	/* bytes of a credential */
#define PORT_STRANGER_MAX	4096	/* bytes of a frame, as long as no credential or MAC was good on its connection */
#define PORT_REPLY_MAX	(8u << 20)	/* bytes */

#define PORT_KEY		32	/* bytes of a session's key */
#define PORT_MAC		16	/* bytes */
#define PORT_KEYED_HEAD	16	/* bytes before the body of a keyed frame */
#define PORT_SESSION_TEXT	(8 + PORT_KEY + 4)	/* bytes of the text that answers an OPEN */

enum port_kind { PORT_REPORT = 1, PORT_COMMIT, PORT_EXIT, PORT_STATUS, PORT_OPEN };
enum port_commit { WT_COMMIT_ACQUIRE = 1, WT_COMMIT_DONE, WT_COMMIT_RELEASE };
enum port_what {
	WT_STATUS_JOBS = 1, WT_STATUS_NODES, WT_STATUS_COUNTERS,
	/* accepted heartbeats from number 'nonce' on, a JSON object a line; the last line is {"next":NUMBER} */
	WT_STATUS_BEATS
};

enum port_code {
	PORT_OK,		/* taken; COMMIT: the right is yours; EXIT: go on and end */
	PORT_WAIT,		/* COMMIT: another attempt has the right now; EXIT: another attempt still runs */
	PORT_LOST,		/* COMMIT: another attempt has published, never try again */
	PORT_UNKNOWN,	/* no such job, or nothing is known of it yet */
	PORT_DENIED,		/* not your job */
	PORT_BUSY,		/* too many messages: later */
	PORT_BAD,		/* not a message, or of another version: the text says which */
	PORT_NO_SESSION,	/* a keyed frame of a session that is not known (any more): open one */
	/* COMMIT: this acquisition is older than the one that the text tells (port_newest_read ()) */
	PORT_OLD
};

#define PORT_ANSWER 1u	/* flag of a keyed frame: answer it even if all is well */

#define BEAT_END 1u		/* flag of a record: the attempt has ended, elapsed_us is its duration */
#define BEAT_CPU 2u		/* flag: progress was derived from CPU time */

struct beat_record {
	uint32_t job_id, restart, flags;
	uint64_t elapsed_us;	/* since the attempt's start, by the node's monotonic clock */
	double progress;	/* any bits: the user checks it */
};

struct port_message {
	enum port_kind kind;
	/* REPORT */
	uint64_t sequence;	/* keyed: of the session, growing from 1; else of no meaning */
	uint32_t window_ms;
	char node[PORT_NODE_MAX + 1];
	uint32_t count;
	struct beat_record records[PORT_RECORDS_MAX];
	/* the others */
	uint32_t job_id, restart;
	uint64_t instance;	/* COMMIT, EXIT: of the start that asks */
	/* COMMIT, EXIT: the task; of a job outside of arrays: its own number, and 0 */
	uint32_t array_job_id, array_task_id;
	uint32_t operation;	/* COMMIT: enum port_commit; STATUS: enum port_what */
	uint64_t acquisition;	/* COMMIT: of this start, rising, never 0 */
	int32_t status;		/* EXIT */
	uint64_t nonce;
};

struct port_reply {
	enum port_kind kind;
	enum port_code code;
	uint64_t nonce;
	const char *text;	/* not terminated; of a decoded reply: inside the buffer */
	size_t text_len;
};

/* Write the body of *message into 'buf'; returns its length.  EINVAL: a kind, count or name out of range; ENOSPC. */
int port_message_encode(const struct port_message *message, uint8_t *buf, size_t size, struct wt_error *errp);

/* Read foreign bytes.  EPROTO: not exactly one message. */
int port_message_decode(struct port_message *message, const uint8_t *buf, size_t len, struct wt_error *errp);

/* The same for replies, without a limit but 'size'; only the head is written when buf is too small for the text. */
int port_reply_head(const struct port_reply *reply, uint8_t *buf, size_t size, struct wt_error *errp);
int port_reply_decode(struct port_reply *reply, const uint8_t *buf, size_t len, struct wt_error *errp);

#define PORT_REPLY_HEAD 16	/* bytes before the text */

/* Whether these bytes begin like a message, keyed frame or reply of any version; and of which. */
bool port_version(const uint8_t *buf, size_t len, unsigned int *version, unsigned int *kind);
/* The reply to a message of version 'version' that is not ours, with its 'kind' byte; its length.  ENOSPC. */
int port_refuse(unsigned int version, unsigned int kind, uint8_t *buf, size_t size, struct wt_error *errp);

struct port_session {	/* what an OPEN is answered with */
	uint64_t id;
	uint8_t key[PORT_KEY];
	uint32_t lifetime_s;	/* open another one before that */
};

void port_session_write(const struct port_session *session, uint8_t text[PORT_SESSION_TEXT]);
int port_session_read(struct port_session *session, const void *text, size_t len, struct wt_error *errp);	/* EPROTO */

#define PORT_NEWEST_TEXT 8	/* bytes of the text that comes with OLD */
void port_newest_write(uint64_t newest, uint8_t text[PORT_NEWEST_TEXT]);
int port_newest_read(uint64_t *newest, const void *text, size_t len, struct wt_error *errp);	/* EPROTO */

bool port_keyed(const uint8_t *buf, size_t len);	/* a frame begins as a keyed one, not as a credential */
/* The head of a keyed frame; the body and the MAC follow it.  Its length; EINVAL, ENOSPC. */
int port_keyed_head(uint64_t session, unsigned int flags, uint8_t *buf, size_t size, struct wt_error *errp);
/* Of a whole keyed frame, whose MAC has not been looked at yet; the body is what is left between head and MAC.  EPROTO. */
int port_keyed_read(const uint8_t *buf, size_t len, uint64_t *session, unsigned int *flags, struct wt_error *errp);

const char *port_code_name(enum port_code code);	/* "ok", "wait", ...; NULL outside the enum */

#endif
