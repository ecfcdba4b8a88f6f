/* daemon.h - the loop of wt-vnoded, and what it joins.  For the files of this folder only; one thread. */
#ifndef WT_HARNESS_VNODE_DAEMON_DAEMON_H
#define WT_HARNESS_VNODE_DAEMON_DAEMON_H

#include "harness/vnode/slurm/node_process.h"

struct wt_main_loop {		/* what nothing outside of this folder touches */
	ev_timer timer, flush;
	ev_prepare prepare;
	ev_signal sigterm, sigint;
	struct event_log *events;	/* events.csv */
	struct wt_beats *beats;		/* beats.c */
	struct wt_counters written;	/* the statistics that stats.json has */
	char *stats_path;
	bool turn_armed, stats_armed, events_failing, store_failing;
};

/* daemon.c */
/* Both are cleared first; wt_daemon_fini () also after a failure. */
int wt_daemon_init(struct wt_daemon *daemon, struct wt_main_loop *loop, const struct wt_options *options,
		   struct wt_error *errp);
void wt_daemon_run(struct wt_daemon *daemon);	/* until SIGTERM, or until every node was shut down */
void wt_daemon_fini(struct wt_daemon *daemon);

/* actions.c: carry out what the model wants */
void wt_actions_run(struct wt_daemon *daemon);

/* turns.c: one message at a time, when struct wt_daemon_time.in_order */
/* a message waits for its turn: there will be one when all is quiet */
void wt_turns_arm(void *daemon);
void wt_turns_take(struct wt_daemon *daemon);	/* it is quiet */

/* beats.c: heartbeats of scripts that speculate */
int wt_beats_init(struct wt_daemon *daemon, struct wt_error *errp);
void wt_beats_fini(struct wt_daemon *daemon);
void wt_beats_resume(struct wt_daemon *daemon);		/* after the journal was read */
void wt_beats_news(struct wt_daemon *daemon, const struct wt_action *action);	/* of a WT_ACTION_BEAT */
void wt_beats_look(struct wt_daemon *daemon, uint32_t node);	/* WT_TIMER_BEAT */
void wt_beats_send(struct wt_daemon *daemon, uint64_t report);	/* WT_TIMER_BEAT_SEND */
void wt_beats_count(struct wt_daemon *daemon);		/* into the statistics */

/* step.c: between the model's steps and their sruns */
int wt_step_init(struct wt_daemon *daemon, struct wt_error *errp);
void wt_step_fini(struct wt_sruns *sruns);
void wt_step_action(struct wt_daemon *daemon, const struct wt_action *action);

#endif
