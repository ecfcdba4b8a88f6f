/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Three things can be lost on the way and are made anew in this order: the session (slurmctld was started again, or
 * needed its place), the connection (closed meanwhile), and single reports, which the next window's tell again
 * (gather.c). */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "straggler/protocol/channel.h"
#include "straggler/protocol/key.h"
#include "straggler/protocol/wire.h"
#include "lib/clock.h"

#define RENEW_SHARE .9	/* of a session's life */
#define SHORT_RECORDS 128	/* of a report that is surely shorter than PORT_STRANGER_MAX */

void channel_begin(struct channel *channel, const struct straggler_conf *conf)
{
	memset(channel, 0, sizeof(*channel));
	channel->ask = (struct ask) { .conf = conf, .fd = -1 };
}

void channel_end(struct channel *channel)
{
	ask_end(&channel->ask);
	explicit_bzero(&channel->session, sizeof(channel->session));
}

/* What belonged to a connection that is gone. */
static void connection_forget(struct channel *ch)
{
	if (ch->ask.fd >= 0)
		close(ch->ask.fd);
	ch->ask.fd = -1;
	ch->proven = ch->asked = false;
	ch->in_got = 0;
}

static int session_open(struct channel *ch, int timeout_ms, struct wt_error *errp)
{
	struct port_message message = { .kind = PORT_OPEN };
	struct port_reply reply;
	int rc;

	connection_forget(ch);	/* answers to reports may be under way on it */
	if (key_draw(&message.nonce, sizeof(message.nonce), errp) < 0 ||
	    ask(&ch->ask, &message, timeout_ms, &reply, errp) < 0)
		return -1;
	if (reply.code != PORT_OK)
		return wt_error_set(errp, EPERM, "slurmctld opens no session: %s", port_code_name(reply.code));
	rc = port_session_read(&ch->session, reply.text, reply.text_len, errp);
	explicit_bzero(ch->ask.buf, PORT_REPLY_HEAD + reply.text_len);
	if (rc < 0) {
		ch->session.id = 0;
		return -1;
	}
	ch->sequence = 0;
	ch->renew_us = wt_clock_monotonic_us() + (int64_t) (ch->session.lifetime_s * RENEW_SHARE * 1e6);
	return 0;
}

/* What the plugin thinks of a report. */
static int code_take(struct channel *ch, const struct port_reply *reply, struct wt_error *errp)
{
	ch->asked = false;
	if (reply->code == PORT_OK)
		return 0;
	if (reply->code == PORT_NO_SESSION)
		ch->session.id = 0;
	return wt_error_set(errp, EPERM, "slurmctld refuses the reports: %s", port_code_name(reply->code));
}

/* Answers that have come meanwhile.  0, also when the connection has to be made anew; or the errno of a refusal. */
static int answers_take(struct channel *ch, struct wt_error *errp)
{
	int refused = 0;

	while (ch->ask.fd >= 0) {
		ssize_t n = recv(ch->ask.fd, ch->in + ch->in_got, sizeof(ch->in) - ch->in_got, MSG_DONTWAIT);
		struct port_reply reply;
		uint32_t len;

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return refused;
		ch->in_got += n > 0 ? (size_t) n : 0;
		if (n <= 0)
			connection_forget(ch);
		while (ch->in_got >= sizeof(len)) {
			memcpy(&len, ch->in, sizeof(len));
			len = ntohl(len);
			if (len > sizeof(ch->in) - sizeof(len)) {	/* not the plugin */
				connection_forget(ch);
				return refused;
			}
			if (ch->in_got - sizeof(len) < len)
				break;
			if (ask_reply(ch->in + sizeof(len), len, &reply, errp) < 0 || code_take(ch, &reply, errp) < 0)
				refused = errno;
			ch->in_got -= sizeof(len) + len;
			memmove(ch->in, ch->in + sizeof(len) + len, ch->in_got);
		}
	}
	return refused;
}

static int answer_wait(struct channel *ch, int64_t deadline_us, struct wt_error *errp)
{
	struct port_reply reply;
	void *bytes;
	uint32_t len;
	int rc;

	if (wire_frame(ch->ask.fd, &bytes, &len, deadline_us) < 0) {
		ask_failed(&ch->ask, errp);
		connection_forget(ch);
		return -1;
	}
	rc = ask_reply(bytes, len, &reply, errp);
	ch->proven = rc == 0;
	if (rc == 0)
		rc = code_take(ch, &reply, errp);
	free(bytes);
	return rc;
}

/* Frames on their way to an answer. */
static int frame_send(struct channel *ch, struct port_message *message, bool ask, int64_t deadline_us, struct wt_error *errp)
{
	uint8_t frame[4 + KEY_FRAME_MAX];
	uint32_t len;
	int rc;

	message->sequence = ++ch->sequence;
	rc = key_frame(&ch->session, message, ask ? PORT_ANSWER : 0, frame + sizeof(len), sizeof(frame) - sizeof(len), errp);
	if (rc < 0)
		return -1;
	len = htonl((uint32_t) rc);
	memcpy(frame, &len, sizeof(len));
	if (ask) {
		ch->asked = true;
		ch->unasked = 0;
	}
	if (wire_send(ch->ask.fd, frame, sizeof(len) + (size_t) rc, 0, deadline_us) == 0)
		return 0;
	ask_failed(&ch->ask, errp);
	connection_forget(ch);
	return -1;
}

/* Over a new connection the plugin takes no long frame: an empty report shows which process we are. */
static int introduce(struct channel *ch, struct port_message *message, int64_t deadline_us, struct wt_error *errp)
{
	uint32_t count = message->count;
	int rc;

	if (ch->proven || count <= SHORT_RECORDS)
		return 0;
	message->count = 0;
	rc = frame_send(ch, message, true, deadline_us, errp);
	message->count = count;
	return rc < 0 ? -1 : answer_wait(ch, deadline_us, errp);
}

/* Send it once; over a connection that is new also wait for the answer. */
static int report_send(struct channel *ch, struct port_message *message, int timeout_ms, struct wt_error *errp)
{
	int64_t deadline_us = wt_clock_monotonic_us() + (int64_t) timeout_ms * 1000;
	bool ask = !ch->proven || ++ch->unasked >= CHANNEL_ANSWER_EACH, first;

	if (ask && ch->asked)
		connection_forget(ch);	/* ten reports, and no answer */
	if (ch->ask.fd < 0) {
		ch->ask.fd = wire_connect(ch->ask.conf, deadline_us, errp);
		if (ch->ask.fd < 0)
			return -1;
		ch->connections++;
	}
	if (introduce(ch, message, deadline_us, errp) < 0)
		return -1;
	first = !ch->proven;
	if (frame_send(ch, message, ask, deadline_us, errp) < 0)
		return -1;
	return first ? answer_wait(ch, deadline_us, errp) : 0;
}

int channel_report(struct channel *ch, struct port_message *message, int timeout_ms, struct wt_error *errp)
{
	int refused = answers_take(ch, errp), rc = -1;

	if (!ch->session.id)
		refused = 0;	/* that is put right now */
	/* Once for a lost session, once for a lost connection, and once more. */
	for (int i = 0; i < 3 && rc < 0; i++) {
		bool kept = ch->proven, had = ch->session.id != 0;

		if ((!had || wt_clock_monotonic_us() >= ch->renew_us) && session_open(ch, timeout_ms, errp) < 0)
			return -1;
		rc = report_send(ch, message, timeout_ms, errp);
		/* Again if the session was lost, or a kept connection: slurmctld was started again, or had no room. */
		if (rc < 0 && !(had && !ch->session.id) && !(kept && ch->ask.fd < 0))
			break;
	}
	if (rc == 0 && refused) {
		errno = refused;
		return -1;
	}
	return rc;
}
