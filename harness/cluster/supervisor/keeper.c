/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <signal.h>

#include "harness/cluster/supervisor/child.h"
#include "lib/clock.h"
#include "harness/cluster/supervisor/keeper.h"

#define PAUSE_FIRST_S 0.5
#define PAUSE_MAX_S 30.0
#define PAUSE_FORGOTTEN_US ((int64_t) 60 * 1000000)	/* a process that lived that long begins anew */

void keeper_init(struct keeper *k, struct ev_loop *loop, void (*ended)(struct keeper *k, pid_t pid, const char *how),
		 void *owner)
{
	*k = (struct keeper) { .loop = loop, .ended = ended, .owner = owner };
}

static void ended_cb(struct ev_loop *loop, ev_child *w, int revents)
{
	struct keeper *k = w->data;
	char how[KEEPER_HOW_MAX];
	pid_t pid = k->pid;

	(void) revents;
	ev_child_stop(loop, w);
	keeper_timer_stop(k);	/* what it waited for was for this process */
	wt_child_status_text(w->rstatus, how, sizeof(how));
	/* Before the call, which may start the next one. */
	k->pid = 0;
	k->ended(k, pid, how);
}

int keeper_start(struct keeper *k, char *const argv[], const char *log, int (*prepare)(void), struct wt_error *errp)
{
	return keeper_start_joined(k, argv, log, prepare, -1, -1, errp);
}

int keeper_start_joined(struct keeper *k, char *const argv[], const char *log, int (*prepare)(void), int in, int out,
			struct wt_error *errp)
{
	pid_t pid;

	/* Real time, also beside a virtual clock: how long a process lived is a matter of the machine. */
	k->started_us = wt_clock_now_us(wt_clock_real());
	pid = wt_child_start_joined(argv, log, prepare, in, out, errp);
	if (pid < 0)
		return -1;
	k->pid = pid;
	ev_child_init(&k->child, ended_cb, pid, 0);
	k->child.data = k;
	ev_child_start(k->loop, &k->child);
	return 0;
}

void keeper_signal(const struct keeper *k, int sig)
{
	if (k->pid > 0)
		kill(k->pid, sig);
}

double keeper_pause_s(struct keeper *k)
{
	double seconds = k->pause_s;

	if (seconds == 0 || wt_clock_now_us(wt_clock_real()) - k->started_us > PAUSE_FORGOTTEN_US)
		seconds = PAUSE_FIRST_S;
	k->pause_s = seconds * 2 < PAUSE_MAX_S ? seconds * 2 : PAUSE_MAX_S;
	return seconds;
}

void keeper_resume(struct keeper *k)
{
	k->resumed = true;
	k->pause_s = 0;
}

static void due_cb(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct keeper *k = w->data;

	(void) loop;
	(void) revents;
	k->due(k);
}

void keeper_after(struct keeper *k, double after_s, double repeat_s, void (*due)(struct keeper *k))
{
	keeper_timer_stop(k);
	k->due = due;
	ev_timer_init(&k->timer, due_cb, after_s, repeat_s);
	k->timer.data = k;
	ev_timer_start(k->loop, &k->timer);
}

void keeper_timer_stop(struct keeper *k)
{
	if (k->loop)
		ev_timer_stop(k->loop, &k->timer);
}
