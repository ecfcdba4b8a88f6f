/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "harness/vnode/wire/line_server.h"

#define CALLERS_MAX 64		/* power programs at once; more wait in the kernel's queue */
#define SILENT_S 60.0
#define PAUSE_S 0.1		/* without descriptors, while the kernel goes on telling that a caller waits */

struct caller {
	struct wt_lines *lines;
	struct caller *next, **link;
	ev_io io;
	ev_timer timeout;
	int fd;
	char *text;		/* what was received and is no whole line yet */
	size_t len, capacity;
	char *answer;		/* what is being sent; meanwhile nothing is received */
	size_t answer_len, sent;
};

struct wt_lines {
	struct ev_loop *loop;
	wt_lines_f answer;
	void *arg;
	struct sockaddr_un name;
	int fd;
	ev_io io;
	ev_timer pause;
	struct caller *callers;
	unsigned int caller_count;
};

static void caller_close(struct caller *c)
{
	struct wt_lines *lines = c->lines;

	ev_io_stop(lines->loop, &c->io);
	ev_timer_stop(lines->loop, &c->timeout);
	close(c->fd);
	*c->link = c->next;
	if (c->next)
		c->next->link = c->link;
	free(c->text);
	free(c->answer);
	free(c);
	if (lines->caller_count-- == CALLERS_MAX)
		ev_io_start(lines->loop, &lines->io);
}

static void caller_wait(struct caller *c, int events)
{
	ev_io_stop(c->lines->loop, &c->io);
	ev_io_set(&c->io, c->fd, events);
	ev_io_start(c->lines->loop, &c->io);
}

/* True when all of the answer is sent; else the caller may be gone. */
static bool answer_send(struct caller *c)
{
	while (c->sent < c->answer_len) {
		ssize_t n = send(c->fd, c->answer + c->sent, c->answer_len - c->sent, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN) {
			caller_wait(c, EV_WRITE);
			return false;
		}
		if (n < 0) {
			caller_close(c);
			return false;
		}
		c->sent += (size_t) n;
	}
	free(c->answer);
	c->answer = NULL;
	return true;
}

/* The lines that are whole, one answer after the other. */
static void lines_serve(struct caller *c)
{
	char *end;

	while (c->len && (end = memchr(c->text, '\n', c->len))) {
		size_t len = (size_t) (end - c->text) + 1;
		char *answer;

		*end = '\0';
		answer = c->lines->answer(c->lines->arg, c->text);
		c->len -= len;
		memmove(c->text, c->text + len, c->len);
		if (!answer) {
			caller_close(c);
			return;
		}
		c->answer = answer;
		c->answer_len = strlen(answer) + 1;
		answer[c->answer_len - 1] = '\n';
		c->sent = 0;
		if (!answer_send(c))
			return;
	}
	caller_wait(c, EV_READ);
}

static bool room_make(struct caller *c)
{
	size_t capacity = c->capacity ? 2 * c->capacity : 4096;
	char *text;

	if (c->len < c->capacity)
		return true;
	if (capacity > WT_LINES_MAX || !(text = realloc(c->text, capacity)))
		return false;
	c->text = text;
	c->capacity = capacity;
	return true;
}

static void caller_io(struct ev_loop *loop, ev_io *io, int events)
{
	struct caller *c = io->data;
	ssize_t n;

	(void) events;
	ev_timer_again(loop, &c->timeout);
	if (c->answer) {
		if (answer_send(c))
			lines_serve(c);
		return;
	}
	if (!room_make(c)) {
		caller_close(c);
		return;
	}
	n = recv(c->fd, c->text + c->len, c->capacity - c->len, 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		caller_close(c);
		return;
	}
	c->len += (size_t) n;
	lines_serve(c);
}

static void caller_timeout(struct ev_loop *loop, ev_timer *timer, int events)
{
	(void) loop;
	(void) events;
	caller_close(timer->data);
}

static bool is_allowed(int fd)
{
	struct ucred peer;
	socklen_t len = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 && (peer.uid == 0 || peer.uid == geteuid());
}

static void pause_over(struct ev_loop *loop, ev_timer *timer, int events)
{
	struct wt_lines *lines = timer->data;

	(void) events;
	if (lines->caller_count < CALLERS_MAX)
		ev_io_start(loop, &lines->io);
}

static int caller_accept(struct wt_lines *lines)
{
	int fd = accept4(lines->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
		ev_io_stop(lines->loop, &lines->io);
		ev_timer_set(&lines->pause, PAUSE_S, 0.);
		ev_timer_start(lines->loop, &lines->pause);
	}
	return fd;
}

static void callers_accept(struct ev_loop *loop, ev_io *io, int events)
{
	struct wt_lines *lines = io->data;
	int fd = caller_accept(lines);
	struct caller *c = fd >= 0 && is_allowed(fd) ? calloc(1, sizeof(*c)) : NULL;

	(void) events;
	if (fd >= 0 && !c)
		close(fd);
	if (!c)
		return;
	c->lines = lines;
	c->fd = fd;
	c->next = lines->callers;
	c->link = &lines->callers;
	if (c->next)
		c->next->link = &c->next;
	lines->callers = c;
	if (++lines->caller_count == CALLERS_MAX)
		ev_io_stop(loop, io);
	ev_io_init(&c->io, caller_io, fd, EV_READ);
	ev_timer_init(&c->timeout, caller_timeout, 0., SILENT_S);
	c->io.data = c->timeout.data = c;
	ev_io_start(loop, &c->io);
	ev_timer_again(loop, &c->timeout);
}

static int socket_open(struct wt_lines *lines, struct wt_error *errp)
{
	/* bind () makes the socket with this mask: a chmod () behind it would leave a moment in which all may connect. */
	mode_t mask = umask(0177);
	int rc = -1;

	lines->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (lines->fd >= 0 && (unlink(lines->name.sun_path) == 0 || errno == ENOENT) &&
	    bind(lines->fd, (struct sockaddr *) &lines->name, sizeof(lines->name)) == 0)
		rc = listen(lines->fd, SOMAXCONN);
	umask(mask);
	return rc < 0 ? wt_error_errno(errp, errno, "%s", lines->name.sun_path) : 0;
}

struct wt_lines *wt_lines_create(struct ev_loop *loop, const char *path, wt_lines_f answer, void *arg,
				 struct wt_error *errp)
{
	struct wt_lines *lines = calloc(1, sizeof(*lines));

	if (!lines) {
		wt_error_errno(errp, ENOMEM, "%s", path);
		return NULL;
	}
	lines->loop = loop;
	lines->answer = answer;
	lines->arg = arg;
	lines->fd = -1;
	lines->name.sun_family = AF_UNIX;
	if (strlen(path) >= sizeof(lines->name.sun_path)) {
		wt_error_errno(errp, ENAMETOOLONG, "%s: of a socket", path);
		free(lines);
		return NULL;
	}
	strcpy(lines->name.sun_path, path);
	if (socket_open(lines, errp) < 0) {
		int saved_errno = errno;

		if (lines->fd >= 0)
			close(lines->fd);
		free(lines);
		errno = saved_errno;
		return NULL;
	}
	ev_io_init(&lines->io, callers_accept, lines->fd, EV_READ);
	ev_init(&lines->pause, pause_over);
	lines->io.data = lines->pause.data = lines;
	ev_io_start(loop, &lines->io);
	return lines;
}

void wt_lines_destroy(struct wt_lines *lines)
{
	int saved_errno = errno;

	if (lines) {
		while (lines->callers)
			caller_close(lines->callers);
		ev_io_stop(lines->loop, &lines->io);
		ev_timer_stop(lines->loop, &lines->pause);
		close(lines->fd);
		unlink(lines->name.sun_path);
		free(lines);
	}
	errno = saved_errno;
}
