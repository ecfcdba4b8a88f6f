/* keeper.h - one process that is kept: its start, its end, the pauses before it is started again.
 *
 * What to do when it has ended is its owner's to decide.  A keeper has one timer, for whatever its owner does next: start
 * the process again, judge its end, or kill what has not ended.  All calls come from the thread of the loop. */
#ifndef WT_HARNESS_CLUSTER_SUPERVISOR_KEEPER_H
#define WT_HARNESS_CLUSTER_SUPERVISOR_KEEPER_H

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/error.h"

#define KEEPER_HOW_MAX 32	/* "exit 3", "signal 9" */

struct keeper {
	pid_t pid;		/* 0: not running */
	bool resumed;		/* it is started as asked for: no restart */
	void *owner;
	/* keeper.c's own */
	struct ev_loop *loop;
	void (*ended)(struct keeper *k, pid_t pid, const char *how);
	void (*due)(struct keeper *k);
	int64_t started_us;
	double pause_s;		/* 0: the next is the first */
	ev_child child;
	ev_timer timer;
};

/* 'ended' is called after each end, when pid is 0 again and the timer stands. */
void keeper_init(struct keeper *k, struct ev_loop *loop, void (*ended)(struct keeper *k, pid_t pid, const char *how),
		 void *owner);

/* Start it, which must not run, as wt_child_start () does (child.h).  0; -1 with errno and *errp, and then 'ended' is not
 * called. */
int keeper_start(struct keeper *k, char *const argv[], const char *log, int (*prepare)(void), struct wt_error *errp);

/* The same as wt_child_start_joined () does. */
int keeper_start_joined(struct keeper *k, char *const argv[], const char *log, int (*prepare)(void), int in, int out,
			struct wt_error *errp);

/* If it runs.  It is our own child that is not reaped yet: its pid cannot belong to another process. */
void keeper_signal(const struct keeper *k, int sig);

/* How many seconds to wait before the next start: from half a second they double, until it has lived for a minute. */
double keeper_pause_s(struct keeper *k);

/* It will be started as a command has asked: the pauses begin anew. */
void keeper_resume(struct keeper *k);

/* Call 'due' after 'after_s' seconds, and then each 'repeat_s' (0: once); instead of what the timer waited for.  And no
 * more. */
void keeper_after(struct keeper *k, double after_s, double repeat_s, void (*due)(struct keeper *k));
void keeper_timer_stop(struct keeper *k);

#endif
