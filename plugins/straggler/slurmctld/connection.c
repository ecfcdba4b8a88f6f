/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A connection is in one of five states, told by its members: it reads a head (no frame yet), reads a frame, has one that
 * waits to be served (ready), waits for munge or the disk (job, held), or sends (out).  Only one of them at a time. */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <poll.h>

#include "plugins/straggler/slurmctld/connection.h"

#define FRAME_FIRST 512u	/* bytes: most frames are that short.  A longer one gets its memory as it comes */

struct connection *connection_open(int fd, double now_s)
{
	struct connection *c = calloc(1, sizeof(*c));

	if (c) {
		c->fd = fd;
		c->active_s = now_s;
		c->deadline_s = now_s + CONNECTION_STRANGER_S;
	}
	return c;
}

void connection_close(struct connection *c)
{
	/* munge's thread may be working at it: the job stays, without an owner to whom its result would go. */
	if (c->job)
		c->job->owner = NULL;
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
	/* Nothing is read meanwhile: what a sender pushes after its question fills the kernel's buffer, not ours. */
	return connection_ready(c) || c->job || c->held ? 0 : POLLIN;
}

bool connection_expired(const struct connection *c, double now_s)
{
	return now_s > c->deadline_s;
}

size_t connection_bytes(const struct connection *c)
{
	return CONNECTION_BYTES + (c->frame ? c->frame_size : 0) + (c->out ? c->out_len : 0);
}

bool connection_between(const struct connection *c)
{
	return !c->out && !c->frame && !c->head_got && !c->job && !c->held;
}

/* Something is whole: how long the next thing may take. */
static void deadline_set(struct connection *c, double now_s)
{
	c->active_s = now_s;
	/* It is our turn, however long that takes; only what the other side has to do has a deadline. */
	if (connection_ready(c) || c->job || c->held)
		c->deadline_s = INFINITY;
	else if (c->out)
		c->deadline_s = now_s + CONNECTION_STRANGER_S + (double) c->out_len / (1 << 20) * CONNECTION_PER_MIB_S;
	else
		c->deadline_s = now_s + (c->trusted ? CONNECTION_IDLE_S : CONNECTION_STRANGER_S);
}

static bool more_sent(struct connection *c, double now_s)
{
	ssize_t n = send(c->fd, c->out + c->out_done, c->out_len - c->out_done, MSG_NOSIGNAL);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	c->out_done += (size_t) n;
	if (c->out_done == c->out_len) {
		free(c->out);
		c->out = NULL;
		deadline_set(c, now_s);
	}
	return true;
}

/* Room for what comes next of the frame. */
static bool frame_grow(struct connection *c, uint32_t size)
{
	char *more;

	size = size < FRAME_FIRST ? FRAME_FIRST : size;
	/* Never more than was announced, and only twice of what has come: a stranger that announces much and sends little
	 * costs little. */
	size = size < c->frame_len ? size : c->frame_len;
	more = realloc(c->frame, size);
	if (!more)
		return false;
	c->frame = more;
	c->frame_size = size;
	return true;
}

static bool len_good(const struct connection *c, uint32_t len)
{
	return len >= 1 && len <= (c->known ? PORT_FRAME_MAX : PORT_STRANGER_MAX);
}

static bool head_read(struct connection *c, double now_s)
{
	ssize_t n = recv(c->fd, c->head + c->head_got, sizeof(c->head) - c->head_got, 0);
	uint32_t len;

	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EINTR);
	if (!c->head_got && c->known)	/* a stranger's first frame has been awaited since it connected */
		c->deadline_s = now_s + CONNECTION_STRANGER_S;
	c->head_got += (uint32_t) n;
	if (c->head_got < sizeof(c->head))
		return true;
	memcpy(&len, c->head, sizeof(len));
	c->frame_len = ntohl(len);
	c->frame_got = 0;
	return len_good(c, c->frame_len) && frame_grow(c, 0);
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
	if (c->frame_got == c->frame_size && !frame_grow(c, 2 * c->frame_size))
		return false;
	n = recv(c->fd, c->frame + c->frame_got, c->frame_size - c->frame_got, 0);
	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EINTR);
	c->frame_got += (uint32_t) n;
	if (connection_ready(c))
		deadline_set(c, now_s);
	return true;
}

void connection_know(struct connection *c, const struct answer *answer)
{
	c->known = c->known || answer->known;
	c->uid = answer->known ? answer->uid : c->uid;
	/* Unlike 'known' these may be lost again: the next frame may be of another user's, or none of ours. */
	c->trusted = answer->trusted;
	c->agent = answer->agent;
}

bool connection_put(struct connection *c, char *bytes, size_t len, double now_s)
{
	c->out = bytes;
	c->out_len = len;
	c->out_done = 0;
	deadline_set(c, now_s);
	return !c->out || more_sent(c, now_s);
}

/* Whether to go on. */
static bool frame_answer(struct connection *c, struct answerer *answerer, const void *frame, size_t len, double now_s)
{
	struct answer answer;

	answer_keyed(answerer, c->fd, frame, len, now_s, &answer);
	connection_know(c, &answer);
	return connection_put(c, answer.bytes, answer.len, now_s) && answer.keep;
}

char *connection_frame(struct connection *c)
{
	char *frame = c->frame;

	c->frame = NULL;
	c->head_got = 0;
	return frame;
}

bool connection_answer(struct connection *c, struct answerer *answerer, double now_s)
{
	char *frame = connection_frame(c);
	bool keep = frame_answer(c, answerer, frame, c->frame_len, now_s);

	free(frame);
	return keep;
}

/* What is left after the last whole frame: its rest comes later, or it is a whole one that is not keyed. */
static bool rest_keep(struct connection *c, const uint8_t *bytes, size_t len, double now_s)
{
	uint32_t frame_len;

	c->head_got = len < sizeof(c->head) ? (uint32_t) len : sizeof(c->head);
	memcpy(c->head, bytes, c->head_got);
	c->deadline_s = now_s + CONNECTION_STRANGER_S;
	if (c->head_got < sizeof(c->head))
		return true;
	memcpy(&frame_len, c->head, sizeof(frame_len));
	c->frame_len = ntohl(frame_len);
	c->frame_got = (uint32_t) (len - sizeof(c->head));
	if (!len_good(c, c->frame_len) || c->frame_got > c->frame_len || !frame_grow(c, c->frame_len))
		return false;
	memcpy(c->frame, bytes + sizeof(c->head), c->frame_got);
	if (connection_ready(c))
		deadline_set(c, now_s);
	return true;
}

bool connection_reports(struct connection *c, struct answerer *answerer, double now_s)
{
	const uint8_t *in = answerer->in;
	ssize_t n = recv(c->fd, answerer->in, sizeof(answerer->in), 0);
	size_t at = 0, got = (size_t) n;

	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EINTR);
	while (got - at >= sizeof(c->head)) {
		uint32_t len;

		memcpy(&len, in + at, sizeof(len));
		len = ntohl(len);
		if (!len_good(c, len))
			return false;
		/* One that is not keyed takes the way of all others, through munge. */
		if (got - at - sizeof(len) < len || !port_keyed(in + at + sizeof(len), len))
			break;
		/* An agent that does not take its answers, or that is none any more, may not send on. */
		if (!frame_answer(c, answerer, in + at + sizeof(len), len, now_s) ||
		    ((c->out || !c->agent) && at + sizeof(len) + len < got))
			return false;
		at += sizeof(len) + len;
	}
	return at == got || rest_keep(c, in + at, got - at, now_s);
}
