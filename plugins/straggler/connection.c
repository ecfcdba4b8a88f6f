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

int answerer_init(struct answerer *answerer, struct service *service, struct wt_error *errp)
{
	memset(answerer, 0, sizeof(*answerer));
	answerer->service = service;
	memcpy(answerer->munge_socket, service->conf.munge_socket, sizeof(answerer->munge_socket));
	answerer->munge = seal_context(answerer->munge_socket);
	return answerer->munge ? 0 : wt_error_errno(errp, ENOMEM, "munge context");
}

void answerer_fini(struct answerer *answerer)
{
	if (answerer->munge)
		munge_ctx_destroy(answerer->munge);
}

static void count(struct answerer *answerer, size_t offset)
{
	struct service *service = answerer->service;

	pthread_mutex_lock(&service->lock);
	++*(uint64_t *) ((char *) wt_spec_counters(service->spec) + offset);
	pthread_mutex_unlock(&service->lock);
}

#define COUNT(answerer, name) count(answerer, offsetof(struct wt_spec_counters, name))

/* Said once when munged goes and once when it is back: reports come every window. */
static void munge_state(struct answerer *answerer, munge_err_t rc)
{
	bool down = rc == EMUNGE_SOCKET || rc == EMUNGE_TIMEOUT || rc == EMUNGE_SNAFU;

	if (down != answerer->munge_down)
		answerer->service->log(down ? SERVICE_ERROR : SERVICE_INFO, down ? "munged does not answer: no speculation until it does"
				       : "munged answers again");
	answerer->munge_down = down;
}

/* The uid of whoever sent the frame, and the message; -1: counted and refused. */
static int frame_open(struct connection *c, struct answerer *answerer, uid_t *uid)
{
	void *body;
	size_t len;
	munge_err_t rc = unseal(answerer->munge, c->frame, c->frame_len, &body, &len, uid);
	int good = -1;

	munge_state(answerer, rc);
	if (rc == EMUNGE_SUCCESS) {
		good = wt_beat_decode(&answerer->beat, body, len, NULL);
		if (good < 0)
			COUNT(answerer, garbage);
	} else if (rc == EMUNGE_CRED_REPLAYED) {
		COUNT(answerer, replayed);
	} else if (rc == EMUNGE_CRED_EXPIRED || rc == EMUNGE_CRED_REWOUND) {
		COUNT(answerer, expired);
	} else if (answerer->munge_down) {
		COUNT(answerer, munge_failed);
	} else {
		COUNT(answerer, bad_credential);
	}
	free(body);
	return good;
}

static bool reply_put(struct connection *c, const void *head, size_t head_len, const char *text, size_t text_len)
{
	uint32_t len = htonl((uint32_t) (head_len + text_len));

	c->out_len = sizeof(len) + head_len + text_len;
	c->out_done = 0;
	c->out = malloc(c->out_len);
	if (!c->out)
		return false;
	memcpy(c->out, &len, sizeof(len));
	memcpy(c->out + sizeof(len), head, head_len);
	if (text_len)
		memcpy(c->out + sizeof(len) + head_len, text, text_len);
	return true;
}

/* COMMIT and EXIT decide what a job does: their answers are sealed, so that nobody else can give them. */
static bool reply(struct connection *c, struct answerer *answerer, enum wt_beat_code code, const char *text, size_t text_len)
{
	struct wt_beat_reply r = { answerer->beat.kind, code, answerer->beat.nonce, NULL, 0 };
	uint8_t head[WT_BEAT_REPLY_HEAD];
	int len = wt_beat_reply_head(&r, head, sizeof(head), NULL);
	char *credential;
	bool ok;

	if (len < 0 || text_len > WT_BEAT_REPLY_MAX - WT_BEAT_REPLY_HEAD)
		return false;
	if (answerer->beat.kind != WT_BEAT_COMMIT && answerer->beat.kind != WT_BEAT_EXIT)
		return reply_put(c, head, (size_t) len, text, text_len);
	credential = seal(answerer->munge, head, (size_t) len, NULL);
	ok = credential && reply_put(c, credential, strlen(credential), NULL, 0);
	free(credential);
	return ok;
}

bool connection_answer(struct connection *c, struct answerer *answerer, double now_s)
{
	struct service *service = answerer->service;
	uid_t uid = (uid_t) -1;
	int good = frame_open(c, answerer, &uid);
	enum wt_beat_code code;
	size_t text_len;
	char *text;
	bool ok;

	free(c->frame);
	c->frame = NULL;
	c->head_got = 0;
	c->active_s = now_s;
	c->trusted = good == 0 && (uid == 0 || uid == service->conf.spec.owner_uid);
	if (good < 0)
		return false;
	code = service_answer(service, uid, &answerer->beat, &text, &text_len);
	ok = reply(c, answerer, code, text, text_len) && more_sent(c, now_s);
	free(text);
	return ok;
}
