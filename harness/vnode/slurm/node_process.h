/* node_process.h - what this process holds: all parts of wt-vnoded share it.
 *
 * Each file has its own part, which is described in that file's header; the rest is made at the start, and used by all.
 * For the files of this folder and of daemon/ only; one thread. */
#ifndef WT_HARNESS_VNODE_SLURM_NODE_PROCESS_H
#define WT_HARNESS_VNODE_SLURM_NODE_PROCESS_H

#include "compat/full.h"

#include <ev.h>

#include "lib/clock.h"
#include "harness/vnode/model/elastic.h"
#include "harness/vnode/model/model_step.h"
#include "harness/vnode/model/node_model.h"
#include "harness/vnode/model/node_settings.h"
#include "harness/vnode/model/nodetable.h"
#include "harness/vnode/model/timerq.h"
#include "harness/vnode/slurm/forward.h"
#include "harness/vnode/slurm/node_faults.h"
#include "harness/vnode/slurm/power_control.h"
#include "harness/vnode/slurm/registration.h"
#include "harness/vnode/slurm/rpc.h"
#include "harness/vnode/slurm/send.h"
#include "harness/vnode/slurm/step_client.h"
#include "harness/vnode/store/counters.h"
#include "harness/vnode/store/store.h"

struct wt_options {
	const char *conf, *dir, *own;	/* own: the nodes that this process stands in for; NULL: all */
	uint32_t max_in_flight;
	bool any_device;
	int64_t default_run_time_us;
	const struct wt_settings *settings;	/* of --node */
	struct wt_elastic *elastic;	/* of --elastic, with the defaults */
	const char *dynamic;	/* the line of the nodes that join; NULL: none */
	int64_t since_us;	/* of --since; 0: since this process began */
};

enum wt_daemon_timer {	/* above the model's */
	WT_TIMER_REGISTER = WT_MODEL_TIMERS, WT_TIMER_RETRY, WT_TIMER_RECONFIGURE, WT_TIMER_STATS, WT_TIMER_FAULT,
		WT_TIMER_BOOTED,
	WT_TIMER_BEAT, WT_TIMER_BEAT_SEND, WT_TIMER_TURN, WT_TIMER_POWER,
};

struct wt_daemon_time {
	const struct wt_clock *clock;
	struct ev_loop *loop;
	struct wt_timerq *timers;
	int64_t start_us;	/* of this process */
	bool in_order;		/* one message at a time, each when all is quiet: see in_order.h */
};

struct wt_main_loop;		/* daemon/daemon.h */

struct wt_daemon {
	struct wt_options options;
	struct wt_daemon_time time;
	struct wt_nodetable *nodes;
	struct wt_model *model;
	struct wt_store *store;
	struct wt_counters counters;

	struct wt_registration registration;
	struct wt_serving serving;
	struct wt_send send;
	struct wt_sruns sruns;
	struct wt_forwards forwards;
	struct wt_node_faults faults;
	struct wt_power_control power;
	struct wt_main_loop *main;
};

int64_t wt_daemon_now_us(const struct wt_daemon *daemon);
void wt_daemon_arm(struct wt_daemon *daemon, enum wt_daemon_timer kind, int64_t delay_us);

/* The places of nodes that join at run time, and how many have: they are on, and slurmctld has taken their registration. */
void wt_daemon_joining_count(const struct wt_daemon *daemon, uint32_t *places, uint32_t *joined);
uint32_t wt_daemon_nodes_on(const struct wt_daemon *daemon);	/* how many of this process's nodes have power */

/* The nodes of a host list; names that slurm.conf does not have do not count.  0, or -1: it cannot be read, or ENOMEM. */
int wt_daemon_nodeset(const struct wt_daemon *daemon, const char *text, struct wt_nodeset *set);

#endif
