/* fleet.h - machines that are rented for tasks: what is queued on each, when each is shut down, and what is to be done
 * next.
 *
 * A task that is ready is given to a machine at once (strategies.h), and waits in its queue; it is sent when the machine is
 * on and has nothing else.  Each machine has one task at a time.  A machine is stopped when its timer, one margin before
 * the end of each billing unit, finds it idle with an empty queue.  How long boots take, and how much longer than
 * expected tasks take from being sent to being seen to have ended, is learnt: the mean of all so far.
 *
 * What was asked for and is seen not to have been done two minutes later (a controller that crashed has forgotten it) is
 * asked for again.
 *
 * Pure: no Slurm, no clock, no lock.  The caller tells what it sees and does what fleet_next () says.  Times are
 * seconds. */
#ifndef WT_HARNESS_PROVISION_FLEET_H
#define WT_HARNESS_PROVISION_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "harness/provision/strategies.h"

#define FLEET_NONE UINT32_MAX

struct fleet_task {		/* one that is ready, as a strategy sees it */
	uint32_t task;
	double expected_s;	/* its run time and what was learnt of overhead */
};

struct fleet_settings {
	enum provision_strategy strategy;
	enum provision_full full;
	uint32_t quota;			/* machines at once; 0: as many as there are nodes */
	double unit_s, margin_s;	/* margin_s < unit_s */
	double boot_s;			/* expected until the first boot was seen */
	/* Instead of the strategy, if not NULL: 0, or -1 with *errp.  The fleet checks what it chooses. */
	int (*choose)(void *arg, const struct provision_view *view, const struct fleet_task *task,
		      struct provision_choice *choice, struct wt_error *errp);
	void *choose_arg;
};

enum fleet_power {		/* of a node, as it is seen */
	FLEET_OFF, FLEET_BOOTING, FLEET_ON, FLEET_STOPPING,
	FLEET_DOWN,		/* of no use: what it had goes to others */
};

enum fleet_do { FLEET_RENT, FLEET_USE, FLEET_WAIT, FLEET_SEND, FLEET_STOP };
const char *fleet_do_name(enum fleet_do what);	/* "rent", "use", "wait", "send", "stop" */

struct fleet_act {
	enum fleet_do what;
	uint32_t task;		/* FLEET_NONE: of stop, and of what is asked for again */
	uint32_t node;		/* FLEET_NONE: of wait */
	const char *why;
};

struct fleet_counts {
	uint32_t rented, rented_most;	/* machines in all, and at once */
	uint32_t boots;			/* of them those that were seen to be on */
	uint32_t ended;
	double boot_s, overhead_s;	/* what is expected now */
};

struct fleet;

/* Nodes are off, and no task is ready.  NULL with ENOMEM. */
struct fleet *fleet_create(const struct fleet_settings *settings, uint32_t nodes, uint32_t tasks, struct wt_error *errp);
void fleet_destroy(struct fleet *f);	/* NULL is ignored */

/* Dependencies are met.  Told again, or of one that was sent, nothing changes. */
void fleet_task_ready(struct fleet *f, uint32_t task, double run_time_s);
void fleet_task_ended(struct fleet *f, uint32_t task, double now_s);
/* Nobody knows it any more, nor when it ended: its machine is free for others. */
void fleet_task_lost(struct fleet *f, uint32_t task);
/* One that was not sent: somebody else released it, or its machine was given up and it runs on.  It is sent nowhere then,
 * and what it takes is no matter for what is learnt. */
void fleet_task_runs(struct fleet *f, uint32_t task);
/* It was sent, and Slurm has taken it back, or knows nothing of it: it is given to a machine again.  One that ran unsent is
 * not ready. */
void fleet_task_back(struct fleet *f, uint32_t task);
/* One that is on unasked (it came after it had been given up, or somebody else resumed it or switched it on) is one of ours
 * from then on, as it is paid for; of all else that was not asked for nothing changes. */
void fleet_node_seen(struct fleet *f, uint32_t node, enum fleet_power power, double now_s);

/* What is to be done now.  1: *act, which counts as done; of rent the caller switches the node on, of send it lets the
 * task go there, of stop it switches the node off; use and wait are only told.  0: nothing.  -1: what was chosen instead
 * of a strategy is wrong (EPROTO), or choose () failed. */
int fleet_next(struct fleet *f, double now_s, struct fleet_act *act, struct wt_error *errp);

struct fleet_counts fleet_count(const struct fleet *f);
/* When the next timer of a machine is due; INFINITY: none. */
double fleet_timer_s(const struct fleet *f);

#endif
