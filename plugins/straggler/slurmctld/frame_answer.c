/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "plugins/straggler/slurmctld/frame_answer.h"
#include "straggler/protocol/key.h"

int answerer_init(struct answerer *answerer, struct service *service, struct wt_error *errp)
{
	memset(answerer, 0, sizeof(*answerer));
	answerer->service = service;
	answerer->sessions = sessions_create(errp);
	return answerer->sessions ? 0 : -1;
}

void answerer_fini(struct answerer *answerer)
{
	sessions_destroy(answerer->sessions);
}

static void count(struct answerer *answerer, size_t offset)
{
	struct service *service = answerer->service;

	pthread_mutex_lock(&service->lock);
	++*(uint64_t *) ((char *) wt_spec_counters(service->spec) + offset);
	pthread_mutex_unlock(&service->lock);
}

#define COUNT(answerer, name) count(answerer, offsetof(struct wt_spec_counters, name))

char *answer_framed(const void *bytes, size_t len, size_t *framed_len)
{
	uint32_t head = htonl((uint32_t) len);
	char *framed = malloc(sizeof(head) + len);

	if (!framed)
		return NULL;
	memcpy(framed, &head, sizeof(head));
	memcpy(framed + sizeof(head), bytes, len);
	*framed_len = sizeof(head) + len;
	return framed;
}

/* Only the user who has asked can unseal it: one who asks in his own name, with a nonce that he has seen, has an answer that
 * no other program takes. */
static void sealed_put(struct answer *answer, const void *bytes, size_t len)
{
	answer->bytes = malloc(len);
	answer->keep = answer->seal = answer->bytes != NULL;
	answer->len = len;
	if (answer->bytes)
		memcpy(answer->bytes, bytes, len);
}

/* To be sent as they are, with their length before them. */
static void plain_put(struct answer *answer, const uint8_t *head, size_t head_len, const char *text, size_t text_len)
{
	uint32_t len = htonl((uint32_t) (head_len + text_len));

	answer->len = sizeof(len) + head_len + text_len;
	answer->bytes = malloc(answer->len);
	answer->keep = answer->bytes != NULL;
	if (!answer->bytes)
		return;
	memcpy(answer->bytes, &len, sizeof(len));
	memcpy(answer->bytes + sizeof(len), head, head_len);
	if (text_len)
		memcpy(answer->bytes + sizeof(len) + head_len, text, text_len);
}

/* COMMIT and EXIT decide what a job does: their answers are sealed, so that no other program can give them. */
static void reply(struct answerer *answerer, struct answer *answer, enum port_code code, const char *text,
		  size_t text_len)
{
	/* Without the text, which may be as long as eight thousand heartbeats: it is put behind the head as it is. */
	struct port_reply r = { answerer->message.kind, code, answerer->message.nonce, NULL, 0 };
	uint8_t head[PORT_REPLY_HEAD + PORT_NEWEST_TEXT];
	int len = port_reply_head(&r, head, sizeof(head), NULL);

	answer->keep = false;
	if (len < 0 || text_len > PORT_REPLY_MAX - PORT_REPLY_HEAD)
		return;
	if (answerer->message.kind != PORT_COMMIT && answerer->message.kind != PORT_EXIT) {
		plain_put(answer, head, (size_t) len, text, text_len);
		return;
	}
	text_len = text_len < PORT_NEWEST_TEXT ? text_len : PORT_NEWEST_TEXT;
	if (text_len)
		memcpy(head + len, text, text_len);
	sealed_put(answer, head, (size_t) len + text_len);
}

/* Said once for each version: what is installed on the nodes is not what slurmctld has. */
static void version_say(struct answerer *answerer, int fd, unsigned int version)
{
	struct sockaddr_storage address;
	socklen_t len = sizeof(address);
	char host[64] = "somebody", text[256];

	/* A version is one byte of the protocol, and foreign: each value once bounds what a stranger can put into the
	 * log. */
	if (answerer->versions[version & 0xff])
		return;
	answerer->versions[version & 0xff] = true;
	if (getpeername(fd, (struct sockaddr *) &address, &len) == 0)
		getnameinfo((struct sockaddr *) &address, len, host, sizeof(host), NULL, 0, NI_NUMERICHOST);
	snprintf(text, sizeof(text),
		 "%s speaks version %u of the protocol, and this plugin version %d: refused; install the same release of "
		 "windtunnel on all machines (others of version %u are not named)", host, version, PORT_VERSION, version);
	answerer->service->log(SERVICE_ERROR, text);
}

/* Bytes that are no message of ours; of another version they are answered, sealed if the asker expects that. */
static void refuse(struct answerer *answerer, int fd, const uint8_t *bytes, size_t len, struct answer *answer)
{
	uint8_t text[256];
	unsigned int version, kind;
	int text_len;

	if (!port_version(bytes, len, &version, &kind) || version == PORT_VERSION) {
		COUNT(answerer, garbage);
		return;
	}
	COUNT(answerer, other_version);
	version_say(answerer, fd, version);
	text_len = port_refuse(version, kind, text, sizeof(text), NULL);
	if (text_len < 0)
		return;
	if (answer->known && (kind == PORT_COMMIT || kind == PORT_EXIT || kind == PORT_OPEN))
		sealed_put(answer, text, (size_t) text_len);
	else
		plain_put(answer, text, (size_t) text_len, NULL, 0);
}

/* A key of our own drawing, in a credential that only the asker's user can unseal: the asker need not know slurmctld's. */
static void session_answer(struct answerer *answerer, double now_s, struct answer *answer)
{
	struct port_reply r = { PORT_OPEN, PORT_OK, answerer->message.nonce, NULL, PORT_SESSION_TEXT };
	uint8_t text[PORT_SESSION_TEXT], body[PORT_REPLY_HEAD + PORT_SESSION_TEXT];
	struct port_session told = { .lifetime_s = SESSION_LIFETIME_S };
	struct session_random drawn;
	const struct session *session;
	bool dropped;

	/* Rather no session than one whose key can be guessed. */
	if (key_draw(&drawn, sizeof(drawn), NULL) < 0)
		return;
	session = session_open(answerer->sessions, answer->uid, answer->trusted, &drawn, now_s, &dropped);
	COUNT(answerer, sessions);
	if (dropped)
		COUNT(answerer, sessions_dropped);
	told.id = session->id;
	memcpy(told.key, session->key, sizeof(told.key));
	port_session_write(&told, text);
	r.text = (const char *) text;
	port_reply_head(&r, body, sizeof(body), NULL);	/* and the text, which has room */
	sealed_put(answer, body, sizeof(body));
	/* The credential has a copy, which sealer.c wipes; session_open () keeps its own. */
	explicit_bzero(&told, sizeof(told));
	explicit_bzero(&drawn, sizeof(drawn));
	explicit_bzero(text, sizeof(text));
	explicit_bzero(body, sizeof(body));
}

static void hold(struct answerer *answerer, struct answer *answer, enum port_code code, const char *text)
{
	answer->keep = answer->held = true;
	answer->code = code;
	answer->nonce = answerer->message.nonce;
	if (code == PORT_OLD)
		memcpy(answer->newest, text, sizeof(answer->newest));
}

void answer_commit(struct answerer *answerer, const struct answer *held, bool saved, struct answer *answer)
{
	memset(answer, 0, sizeof(*answer));
	answer->known = held->known;
	answer->uid = held->uid;
	answer->trusted = held->trusted;
	answerer->message.kind = PORT_COMMIT;
	answerer->message.nonce = held->nonce;
	reply(answerer, answer, saved ? held->code : PORT_BUSY, (const char *) held->newest,
	      saved && held->code == PORT_OLD ? sizeof(held->newest) : 0);
}

void answer_refused(struct answerer *answerer, munge_err_t rc)
{
	if (rc == EMUNGE_CRED_REPLAYED)
		COUNT(answerer, replayed);
	else if (rc == EMUNGE_CRED_EXPIRED || rc == EMUNGE_CRED_REWOUND)
		COUNT(answerer, expired);
	else if (rc == EMUNGE_SOCKET || rc == EMUNGE_TIMEOUT || rc == EMUNGE_SNAFU)
		COUNT(answerer, munge_failed);
	else
		COUNT(answerer, bad_credential);
}

/* What the service says to the message that was decoded. */
static void question_answer(struct answerer *answerer, size_t room, struct answer *answer)
{
	size_t text_len;
	char *text;
	enum port_code code = service_answer(answerer->service, answer->uid, &answerer->message, &text, &text_len);

	if (answerer->message.kind == PORT_COMMIT) {
		hold(answerer, answer, code, text);
	} else if (text_len > room) {
		COUNT(answerer, refused_busy);
		reply(answerer, answer, PORT_BUSY, NULL, 0);
	} else {
		reply(answerer, answer, code, text, text_len);
	}
	free(text);
}

bool answer_trusts(const struct answerer *answerer, uid_t uid)
{
	return uid == 0 || uid == answerer->service->owner_uid;
}

void answer_unsealed(struct answerer *answerer, int fd, uid_t uid, const void *body, size_t len, size_t room, double now_s,
		     struct answer *answer)
{
	memset(answer, 0, sizeof(*answer));
	answer->known = true;
	answer->uid = uid;
	answer->trusted = answer_trusts(answerer, uid);
	if (port_message_decode(&answerer->message, body, len, NULL) < 0) {
		/* What makes no sense gets no privileges, whichever user has sealed it. */
		answer->trusted = false;
		refuse(answerer, fd, body, len, answer);
	} else if (answerer->message.kind == PORT_OPEN) {
		session_answer(answerer, now_s, answer);
	} else {
		question_answer(answerer, room, answer);
	}
}

/* Reads the frame's report into answerer->message.  false: counted, and nothing is answered. */
static bool keyed_report_read(struct answerer *answerer, struct session *session, const uint8_t *frame, size_t len)
{
	size_t body_len = len - PORT_KEYED_HEAD - PORT_MAC;

	if (!key_good(session->key, frame, len)) {
		COUNT(answerer, bad_mac);
		return false;
	}
	if (port_message_decode(&answerer->message, frame + PORT_KEYED_HEAD, body_len, NULL) < 0 ||
	    answerer->message.kind != PORT_REPORT) {
		COUNT(answerer, garbage);
		return false;
	}
	/* Behind the check of the key: a forged frame must not move the session's sequence on. */
	if (!session_advance(session, answerer->message.sequence)) {
		COUNT(answerer, replayed);
		return false;
	}
	return true;
}

void answer_keyed(struct answerer *answerer, int fd, const void *bytes, size_t len, double now_s, struct answer *answer)
{
	const uint8_t *frame = bytes;
	enum port_code code = PORT_NO_SESSION;
	struct session *session;
	size_t text_len;
	unsigned int flags;
	uint64_t id;
	char *text;

	memset(answer, 0, sizeof(*answer));
	if (port_keyed_read(frame, len, &id, &flags, NULL) < 0) {
		refuse(answerer, fd, frame, len, answer);
		return;
	}
	answerer->message.kind = PORT_REPORT;
	answerer->message.nonce = 0;
	session = session_find(answerer->sessions, id, now_s);
	if (!session) {
		COUNT(answerer, no_session);
		reply(answerer, answer, code, NULL, 0);
		return;
	}
	if (!keyed_report_read(answerer, session, frame, len))
		return;
	answer->keep = answer->known = true;
	answer->uid = session->uid;
	answer->trusted = answer->agent = session->trusted;
	code = service_answer(answerer->service, session->uid, &answerer->message, &text, &text_len);
	/* An agent's reports are not answered while all is well: thousands of answers that no agent reads would be most of
	 * the work. */
	if (code != PORT_OK || (flags & PORT_ANSWER))
		reply(answerer, answer, code, NULL, 0);
}

bool answer_proven(struct answerer *answerer, const void *frame, size_t len, double now_s)
{
	const struct session *session;
	unsigned int flags;
	uint64_t id;

	if (port_keyed_read(frame, len, &id, &flags, NULL) < 0)
		return false;
	session = session_find(answerer->sessions, id, now_s);
	return session && session->trusted && key_good(session->key, frame, len);
}
