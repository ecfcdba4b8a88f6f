/* node_process.h - what this process holds: all parts of wt-vnoded share it.
 *
 * For the files of this folder and of daemon/ only; one thread. */
#ifndef WT_HARNESS_VNODE_SLURM_NODE_PROCESS_H
#define WT_HARNESS_VNODE_SLURM_NODE_PROCESS_H

#include "compat/full.h"

#include <ev.h>

#include "lib/clock.h"
#include "harness/vnode/model/faults.h"
#include "harness/vnode/model/model_step.h"
#include "harness/vnode/model/node_model.h"
#include "harness/vnode/model/nodetable.h"
#include "harness/vnode/model/power.h"
#include "harness/vnode/model/timerq.h"
#include "harness/vnode/store/counters.h"
#include "harness/vnode/store/event_log.h"
#include "harness/vnode/store/store.h"
#include "harness/vnode/wire/line_server.h"
#include "harness/vnode/wire/node_server.h"
#include "harness/vnode/wire/outgoing.h"
#include "harness/vnode/wire/registry.h"
#include "harness/vnode/wire/requestq.h"
#include "harness/vnode/wire/stepio.h"

struct wt_options {
	const char *conf, *dir;
	uint32_t max_in_flight;
	bool any_device;
	int64_t default_run_time_us;
	const struct wt_settings *settings;	/* of --node */
	const struct wt_elastic *elastic;	/* of --elastic, with the defaults */
};

enum wt_request_kind {	/* what is sent to the controller */
	WT_SEND_REGISTRATION, WT_SEND_PROBE, WT_SEND_BATCH_COMPLETE, WT_SEND_EPILOG_COMPLETE, WT_SEND_LAUNCH_FAIL,
	WT_SEND_PROLOG_COMPLETE, WT_SEND_STEP_COMPLETE, WT_SEND_NOTIFY, WT_SEND_KILL_JOB,
	WT_SEND_FAULT,		/* a registration with a status: the node wants to be drained */
	WT_SEND_SCRIPT_ASK, WT_SEND_SCRIPT_LOOK,	/* of a step that a script asks for: script_step.h */
	WT_SEND_STEP_STARTED, WT_SEND_STEP_EXIT,	/* to srun */
};

enum wt_daemon_timer {	/* above the model's */
	WT_TIMER_REGISTER = WT_MODEL_TIMERS, WT_TIMER_RETRY, WT_TIMER_RECONFIGURE, WT_TIMER_STATS, WT_TIMER_FAULT,
		WT_TIMER_BOOTED,
	WT_TIMER_BEAT, WT_TIMER_BEAT_SEND, WT_TIMER_TURN, WT_TIMER_POWER,
};

enum { WT_QUEUE_JOB, WT_QUEUE_EPILOG, WT_QUEUES };	/* in the order in which they are served; registrations come last */

struct wt_daemon {
	/* Made at the start, and used by all. */
	struct wt_options options;
	const struct wt_clock *clock;
	struct ev_loop *loop;
	struct wt_nodetable *nodes;
	struct wt_timerq *timers;
	struct wt_model *model;
	struct wt_registry *registry;
	struct wt_events *events;
	struct wt_store *store;
	struct wt_counters stats;
	int64_t start_us;
	bool in_order;			/* one message at a time, each when all is quiet: see in_order.h */

	/* daemon.c, turns.c */
	ev_timer timer, flush;
	ev_prepare prepare;
	ev_signal sigterm, sigint;
	struct wt_server *server;
	struct wt_counters written;
	char *stats_path;
	bool turn_armed, stats_armed, events_failing, store_failing;

	/* send.c: to the controllers */
	struct wt_outgoing *outgoing;
	struct wt_requestq queues[WT_QUEUES], retries[WT_QUEUES];	/* retries: time_us is when */
	bool may_send;			/* with in_order: it is the turn of one message, which turns.c says */

	/* pack.c, gres.c: what registrations say */
	buf_t **gres_info;		/* by class of nodes */
	uint32_t gres_count;
	char *os, *arch;

	/* rpc.c, reconfigure.c */
	int64_t last_controller_us;
	bool reconfigure_armed;
	uint8_t *reconfigured;		/* by node: asked to reconfigure since the last time it was done */

	/* step.c, step_client.c: to sruns */
	struct wt_outgoing *clients;
	struct wt_stepio *stepio;
	struct wt_requestq client_queue;
	struct wt_step_client *step_clients;	/* step_client.h; by slot: the low half of a wt_step_ref */
	uint32_t step_client_count;

	/* trouble.c, reboot.c */
	struct wt_faults *faults;
	int64_t *booted_us;		/* by node: when it last returned from a failure, a reboot or being off; 0: never */
	int64_t *boots_us;		/* by node: when its reboot will be over; 0: it does not reboot */
	bool rebooted;			/* at least one has rebooted, or does */
	int64_t answer_delay_us;	/* of the message that is being answered */
	uint32_t *drawn;		/* by node: random numbers, so far */

	/* power_control.c */
	struct wt_power *power;
	struct wt_events *power_rows;	/* power.csv */
	struct wt_lines *power_lines;	/* NULL: its path would be too long */

	struct wt_beats *beats;		/* beats.c */
};

int64_t wt_daemon_now_us(const struct wt_daemon *daemon);
void wt_daemon_arm(struct wt_daemon *daemon, enum wt_daemon_timer kind, int64_t delay_us);

/* The nodes of a host list; names that are not ours do not count.  0, or -1: it cannot be read, or ENOMEM. */
int wt_daemon_nodeset(const struct wt_daemon *daemon, const char *text, struct wt_nodeset *set);

#endif
