/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "straggler/protocol/ask.h"
#include "straggler/protocol/wire.h"
#include "lib/clock.h"

static int frame_exchange(struct ask *ask, const char *credential, uint32_t *got, int64_t deadline_us)
{
	uint32_t len = htonl((uint32_t) strlen(credential));
	void *answer;

	/* In one packet: else the second would wait for a delayed acknowledgement of the first, 40 ms (tcp (7)). */
	if (wire_send(ask->fd, &len, sizeof(len), MSG_MORE, deadline_us) < 0 ||
	    wire_send(ask->fd, credential, strlen(credential), 0, deadline_us) < 0 || wire_frame(ask->fd, &answer, got,
	    deadline_us) < 0)
		return -1;
	free(ask->buf);
	ask->buf = answer;
	return 0;
}

/* Replace the answer by what is in its credential. */
static int answer_unseal(struct ask *ask, uint32_t *len, struct wt_error *errp)
{
	uid_t uid = (uid_t) -1, for_uid = MUNGE_UID_ANY;
	unsigned int version = PORT_VERSION, kind;
	size_t got;
	void *body;
	munge_err_t rc = unseal_for(ask->munge, ask->buf, *len, &body, &got, &uid, &for_uid);
	const char *why = rc != EMUNGE_SUCCESS ? munge_strerror(rc) : NULL;

	/* By whom it was sealed is munge's word: any program may listen on the port. */
	if (!why && uid != 0 && uid != ask->conf->owner)
		why = "another user's";
	/* An earlier plugin says so to every asker that it is one. */
	if (!why && for_uid != geteuid() && !(port_version(body, got, &version, &kind) && version != PORT_VERSION))
		why = "not to us";
	if (why) {
		free(body);
		return wt_error_set(errp, EPROTO, "the answer is not slurmctld's: %s", why);
	}
	free(ask->buf);
	ask->buf = body;
	*len = (uint32_t) got;
	return 0;
}

int ask_failed(struct ask *ask, struct wt_error *errp)
{
	int errnum = errno;

	close(ask->fd);
	ask->fd = -1;
	if (errnum != ECONNRESET && errnum != EPIPE)
		return wt_error_errno(errp, errnum, "%s port %u (slurmctld's straggler plugin)", ask->conf->controller,
				      ask->conf->port);
	return wt_error_set(errp, errnum,
			    "%s port %u (slurmctld's straggler plugin) closed the connection without an answer: "
			    "slurmctld's log "
			    "may say why; munge keys differ, or its release of windtunnel has no version %d of the protocol",
			    ask->conf->controller, ask->conf->port, PORT_VERSION);
}

static int exchange(struct ask *ask, const char *credential, int timeout_ms, uint32_t *got, struct wt_error *errp)
{
	int64_t deadline_us = wt_clock_monotonic_us() + (int64_t) timeout_ms * 1000;

	if (ask->fd < 0 && (ask->fd = wire_connect(ask->conf, deadline_us, errp)) < 0)
		return -1;
	if (frame_exchange(ask, credential, got, deadline_us) == 0)
		return 0;
	return ask_failed(ask, errp);
}

int ask_reply(const void *bytes, size_t len, struct port_reply *reply, struct wt_error *errp)
{
	if (port_reply_decode(reply, bytes, len, errp) < 0)
		return -1;
	if (reply->code != PORT_BAD || !reply->text_len)
		return 0;
	for (size_t i = 0; i < reply->text_len; i++) {	/* it goes into logs */
		if (reply->text[i] < ' ' || reply->text[i] > '~')
			return wt_error_set(errp, EPROTO, "not a reply of windtunnel's plugin");
	}
	return wt_error_set(errp, EPROTO, "%.*s", reply->text_len < 200 ? (int) reply->text_len : 200, reply->text);
}

int ask(struct ask *ask, const struct port_message *message, int timeout_ms, struct port_reply *reply, struct wt_error *errp)
{
	uint8_t body[PORT_BODY_MAX];
	bool kept = ask->fd >= 0;
	char *credential;
	uint32_t got;
	int len = port_message_encode(message, body, sizeof(body), errp), rc;

	if (len < 0 || (!ask->munge && !(ask->munge = seal_context(ask->conf->munge_socket))))
		return len < 0 ? -1 : wt_error_errno(errp, ENOMEM, "munge context");
	credential = seal(ask->munge, body, (size_t) len, errp);
	if (!credential)
		return -1;
	rc = exchange(ask, credential, timeout_ms, &got, errp);
	if (rc < 0 && kept)	/* it was closed meanwhile; if it was not, the credential is refused as a replay */
		rc = exchange(ask, credential, timeout_ms, &got, errp);
	free(credential);
	if (rc == 0 && (message->kind == PORT_COMMIT || message->kind == PORT_EXIT || message->kind == PORT_OPEN))
		rc = answer_unseal(ask, &got, errp);
	if (rc == 0)
		rc = ask_reply(ask->buf, got, reply, errp);
	/* The nonce is this question's alone: an earlier answer, sealed for us as well, may have been kept and sent
	 * again. */
	if (rc == 0 && (reply->kind != message->kind || (message->kind != PORT_REPORT && reply->nonce != message->nonce)))
		rc = wt_error_set(errp, EPROTO, "the answer is to another question");
	return rc;
}

void ask_end(struct ask *ask)
{
	int saved_errno = errno;

	if (ask->fd >= 0)
		close(ask->fd);
	ask->fd = -1;
	if (ask->munge)
		munge_ctx_destroy(ask->munge);
	ask->munge = NULL;
	free(ask->buf);
	ask->buf = NULL;
	errno = saved_errno;
}
