/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <poll.h>

#include "connection.h"

struct connection *connection_open(int fd, double now_s)
{
	struct connection *c = calloc(1, sizeof(*c));

	if (c) {
		c->fd = fd;
		c->active_s = now_s;
	}
	return c;
}

void connection_close(struct connection *c)
{
	close(c->fd);
	free(c->frame);
	free(c->out);
	free(c);
}

bool connection_ready(const struct connection *c)
{
	return !c->out && c->frame && c->frame_got == c->frame_len;
}

short connection_events(const struct connection *c)
{
	if (c->out)
		return POLLOUT;
	return connection_ready(c) ? 0 : POLLIN;
}

bool connection_expired(const struct connection *c, double now_s)
{
	bool between = c->trusted && !c->frame && !c->out && !c->head_got;

	return now_s - c->active_s > (between ? CONNECTION_IDLE_S : CONNECTION_STRANGER_S);
}

static bool more_sent(struct connection *c, double now_s)
{
	ssize_t n = send(c->fd, c->out + c->out_done, c->out_len - c->out_done, MSG_NOSIGNAL);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	c->active_s = now_s;
	c->out_done += (size_t) n;
	if (c->out_done == c->out_len) {
		free(c->out);
		c->out = NULL;
	}
	return true;
}

static bool head_read(struct connection *c, double now_s)
{
	ssize_t n = recv(c->fd, c->head + c->head_got, sizeof(c->head) - c->head_got, 0);
	uint32_t len;

	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EINTR);
	c->active_s = now_s;
	c->head_got += (uint32_t) n;
	if (c->head_got < sizeof(c->head))
		return true;
	memcpy(&len, c->head, sizeof(len));
	c->frame_len = ntohl(len);
	if (c->frame_len < 1 || c->frame_len > WT_BEAT_FRAME_MAX)
		return false;
	c->frame_got = 0;
	c->frame = malloc(c->frame_len);
	return c->frame != NULL;
}

bool connection_move(struct connection *c, double now_s)
{
	ssize_t n;

	if (c->out)
		return more_sent(c, now_s);
	if (connection_ready(c))
		return true;
	if (!c->frame && !head_read(c, now_s))
		return false;
	if (!c->frame)
		return true;
	n = recv(c->fd, c->frame + c->frame_got, c->frame_len - c->frame_got, 0);
	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EINTR);
	c->active_s = now_s;
	c->frame_got += (uint32_t) n;
	return true;
}

static bool answer_send(struct connection *c, const struct answer *answer, double now_s)
{
	c->active_s = now_s;
	c->out = answer->bytes;
	c->out_len = answer->len;
	c->out_done = 0;
	return answer->keep && (!c->out || more_sent(c, now_s));
}

/* Whether to go on. */
static bool frame_answer(struct connection *c, struct answerer *answerer, const void *frame, size_t len, double now_s)
{
	struct answer answer;

	answer_frame(answerer, c->fd, frame, len, now_s, &answer);
	c->trusted = answer.trusted;
	c->agent = answer.agent;
	c->held = answer.held;
	c->held_answer = answer;
	return answer_send(c, &answer, now_s);
}

bool connection_tell(struct connection *c, struct answerer *answerer, bool saved, double now_s)
{
	struct answer answer;

	c->held = false;
	answer_commit(answerer, &c->held_answer, saved, &answer);
	return answer_send(c, &answer, now_s);
}

bool connection_answer(struct connection *c, struct answerer *answerer, double now_s)
{
	char *frame = c->frame;
	bool keep;

	c->frame = NULL;
	c->head_got = 0;
	keep = frame_answer(c, answerer, frame, c->frame_len, now_s);
	free(frame);
	return keep;
}

bool connection_between(const struct connection *c)
{
	return !c->out && !c->frame && !c->head_got;
}

/* What is left after the last whole frame: its rest comes later. */
static bool rest_keep(struct connection *c, const uint8_t *bytes, size_t len)
{
	uint32_t frame_len;

	c->head_got = len < sizeof(c->head) ? (uint32_t) len : sizeof(c->head);
	memcpy(c->head, bytes, c->head_got);
	if (c->head_got < sizeof(c->head))
		return true;
	memcpy(&frame_len, c->head, sizeof(frame_len));
	c->frame_len = ntohl(frame_len);
	c->frame_got = (uint32_t) (len - sizeof(c->head));
	c->frame = malloc(c->frame_len);
	if (c->frame)
		memcpy(c->frame, bytes + sizeof(c->head), c->frame_got);
	return c->frame != NULL;
}

bool connection_reports(struct connection *c, struct answerer *answerer, double now_s)
{
	const uint8_t *in = answerer->in;
	ssize_t n = recv(c->fd, answerer->in, sizeof(answerer->in), 0);
	size_t at = 0, got = (size_t) n;

	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EINTR);
	c->active_s = now_s;
	while (got - at >= sizeof(c->head)) {
		uint32_t len;

		memcpy(&len, in + at, sizeof(len));
		len = ntohl(len);
		if (len < 1 || len > WT_BEAT_FRAME_MAX)
			return false;
		if (got - at - sizeof(len) < len)
			break;
		/* An agent that does not take its answers, or that is none any more, may not send on. */
		if (!frame_answer(c, answerer, in + at + sizeof(len), len, now_s) || ((c->out || !c->agent) && at + sizeof(len) + len < got))
			return false;
		at += sizeof(len) + len;
	}
	return at == got || rest_keep(c, in + at, got - at);
}
