/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The supervisor on a host that has a part of a cluster: what it hears from the cluster's supervisor, and tells it.
 *
 * Its input is its lifeline: when that ends, or is silent, all ends here and nothing stays. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/cluster/supervisor/supervisor_private.h"
#include "lib/clock.h"
#include "lib/str.h"
#include "harness/cluster/folder/epilog.h"

#define TICK_S 0.25
#define BEAT_TICKS 4
#define SILENCE_US ((int64_t) 60 * 1000000)	/* from the cluster's supervisor, which speaks each 2 s */
#define EVENT_BYTES 65536	/* read at once */
#define LAST_WORDS_MS 5000

struct sup_part {
	ev_io in_io;
	ev_timer tick;
	unsigned int ticks;
	int64_t heard_us;
	char line[64];
	size_t len;
	char *out;		/* what is still to be told; NULL: nothing */
	size_t out_len, out_at;
	char *events;		/* path of the nodes' events.csv */
	off_t events_at;	/* so far it has been told */
};

/* ---- to the cluster's supervisor ---- */

static void out_flush(struct sup *sup)
{
	struct sup_part *p = sup->part;
	ssize_t n = 0;

	while (p->out && p->out_at < p->out_len &&
	       (n = write(sup->args.part_out, p->out + p->out_at, p->out_len - p->out_at)) > 0)
		p->out_at += (size_t) n;
	/* One that is gone is noticed by the end of the input. */
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		p->out_at = p->out_len;
	if (p->out_at < p->out_len)
		return;
	free(p->out);
	p->out = NULL;
	p->out_len = p->out_at = 0;
}

static void out_add(struct sup *sup, const char *text, size_t len)
{
	struct sup_part *p = sup->part;
	char *longer = realloc(p->out, p->out_len + len);

	if (!longer)
		return;
	memcpy(longer + p->out_len, text, len);
	p->out = longer;
	p->out_len += len;
	out_flush(sup);
}

void sup_part_tell(struct sup *sup, const char *fmt, ...)
{
	char text[1200];
	va_list ap;
	int len;

	if (!sup->part)
		return;
	va_start(ap, fmt);
	len = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (len >= (int) sizeof(text)) {
		len = sizeof(text) - 1;
		text[len - 1] = '\n';
	}
	if (len > 0)
		out_add(sup, text, (size_t) len);
}

/* Whole rows of events.csv behind those that were told, but for its header. */
static void events_tell(struct sup *sup)
{
	struct sup_part *p = sup->part;
	int fd = p->out ? -1 : open(p->events, O_RDONLY | O_CLOEXEC);
	char *bytes = fd < 0 ? NULL : malloc(EVENT_BYTES + 1), *row, *end;
	ssize_t n = bytes ? pread(fd, bytes, EVENT_BYTES, p->events_at) : -1;
	struct wt_str rows = { 0 };

	if (n > 0) {
		bytes[n] = '\0';
		for (row = bytes; (end = strchr(row, '\n')); row = end + 1) {
			*end = '\0';
			if (p->events_at || row > bytes)
				wt_str_printf(&rows, "V %s\n", row);
		}
		p->events_at += row - bytes;
	}
	if (rows.len && !rows.failed)
		out_add(sup, rows.text, rows.len);
	wt_str_clear(&rows);
	free(bytes);
	if (fd >= 0)
		close(fd);
}

/* ---- from the cluster's supervisor ---- */

static void nodes_order(struct sup *sup, const char *order)
{
	int sig = strcmp(order, "kill") ? SIGTERM : SIGKILL;

	if (!strcmp(order, "start") && sup->nodes)
		sup_nodes_resume(sup);
	else if (!strcmp(order, "start"))
		sup_daemon_resume(sup, SUP_VNODED);
	else if (sup->nodes)
		sup_nodes_stop(sup, sig);
	else
		sup_daemon_stop(sup, SUP_VNODED, sig);
}

static void gone(struct sup *sup, const char *why)
{
	ev_io_stop(sup->loop, &sup->part->in_io);
	sup->remove_folder = true;
	if (!sup->stopping)
		sup->frame->stop(sup, why);
}

static void order_take(struct sup *sup, const char *line)
{
	if (!strcmp(line, "end"))
		gone(sup, "as the cluster's supervisor wants it");
	else if (!sup->stopping && (!strcmp(line, "stop") || !strcmp(line, "kill") || !strcmp(line, "start")))
		nodes_order(sup, line);
}

static void in_cb(struct ev_loop *loop, ev_io *w, int revents)
{
	struct sup *sup = w->data;
	struct sup_part *p = sup->part;
	char *line = p->line, *end;
	ssize_t n = read(sup->args.part_in, p->line + p->len, sizeof(p->line) - 1 - p->len);

	(void) loop;
	(void) revents;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		gone(sup, "the cluster's supervisor is gone");
		return;
	}
	p->heard_us = wt_clock_now_us(wt_clock_real());
	p->len += (size_t) n;
	while ((end = memchr(line, '\n', p->len - (size_t) (line - p->line)))) {
		*end = '\0';
		order_take(sup, line);
		line = end + 1;
	}
	p->len -= (size_t) (line - p->line);
	memmove(p->line, line, p->len);
	if (p->len == sizeof(p->line) - 1)	/* no order is so long */
		p->len = 0;
}

static void tick_cb(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct sup *sup = w->data;
	struct sup_part *p = sup->part;

	(void) loop;
	(void) revents;
	out_flush(sup);
	events_tell(sup);
	/* What was told and has not left shall not grow without an end. */
	if (++p->ticks % BEAT_TICKS == 0 && !p->out)
		sup_part_tell(sup, "N %" PRIu32 "\n", sup_part_running(sup));
	if (!sup->stopping && wt_clock_now_us(wt_clock_real()) - p->heard_us > SILENCE_US)
		gone(sup, "the cluster's supervisor is silent");
}

uint32_t sup_part_running(const struct sup *sup)
{
	if (sup->nodes)
		return sup->state.nodes.running;
	return sup->services[SUP_VNODED].keeper.pid > 0 ? sup->registered : 0;
}

void sup_part_up(struct sup *sup)
{
	sup_part_tell(sup, "N %" PRIu32 "\nU\n", sup_part_running(sup));
}

/* ---- begin and end ---- */

int sup_part_init(struct sup *sup, struct wt_error *errp)
{
	struct sup_part *p;

	if (!sup->info.part)
		return 0;
	sup->part = p = calloc(1, sizeof(*p));
	if (!p || !(p->events = wt_clusterinfo_path(&sup->info, WT_NODE_EVENTS)))
		return wt_error_errno(errp, ENOMEM, "part");
	fcntl(sup->args.part_in, F_SETFL, fcntl(sup->args.part_in, F_GETFL) | O_NONBLOCK);
	fcntl(sup->args.part_out, F_SETFL, fcntl(sup->args.part_out, F_GETFL) | O_NONBLOCK);
	p->heard_us = wt_clock_now_us(wt_clock_real());
	ev_io_init(&p->in_io, in_cb, sup->args.part_in, EV_READ);
	ev_timer_init(&p->tick, tick_cb, TICK_S, TICK_S);
	p->in_io.data = p->tick.data = sup;
	ev_io_start(sup->loop, &p->in_io);
	ev_timer_start(sup->loop, &p->tick);
	return 0;
}

/* All that is still to be said, but not for ever: the other side may be cut off. */
static void last_words(struct sup *sup)
{
	int64_t end_us = wt_clock_now_us(wt_clock_real()) + LAST_WORDS_MS * 1000;
	struct pollfd p = { .fd = sup->args.part_out, .events = POLLOUT };

	out_flush(sup);
	while (sup->part->out && wt_clock_now_us(wt_clock_real()) < end_us && poll(&p, 1, 100) >= 0)
		out_flush(sup);
}

void sup_part_ended(struct sup *sup)
{
	off_t before = -1;

	if (!sup->part)
		return;
	sup_part_tell(sup, "N 0\n");
	/* The last rows of jobs that end with the nodes. */
	while (before != sup->part->events_at) {
		last_words(sup);
		before = sup->part->events_at;
		events_tell(sup);
	}
}

void sup_part_clear(struct sup *sup, bool clean)
{
	if (!sup->part)
		return;
	if (clean)
		sup_part_tell(sup, "G\n");
	last_words(sup);
	free(sup->part->out);
	free(sup->part->events);
	free(sup->part);
	sup->part = NULL;
}
