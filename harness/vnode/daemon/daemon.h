/* daemon.h - the parts of wt-vnoded together.  For the files of this folder only; one thread. */
#ifndef WT_HARNESS_VNODE_DAEMON_DAEMON_H
#define WT_HARNESS_VNODE_DAEMON_DAEMON_H

#include "harness/vnode/slurm/slurm.h"

#include <ev.h>

#include "lib/clock.h"
#include "harness/vnode/slurm/codec.h"
#include "harness/vnode/slurm/slurmconf.h"
#include "harness/vnode/store/event_log.h"
#include "harness/vnode/model/faults.h"
#include "harness/vnode/model/node_model.h"
#include "harness/vnode/model/model_step.h"
#include "harness/vnode/model/nodetable.h"
#include "harness/vnode/wire/outgoing.h"
#include "harness/vnode/wire/registry.h"
#include "harness/vnode/wire/requestq.h"
#include "harness/vnode/wire/node_server.h"
#include "harness/vnode/daemon/counters.h"
#include "harness/vnode/wire/stepio.h"
#include "harness/vnode/store/store.h"
#include "harness/vnode/model/timerq.h"

struct wt_options {
	const char *conf, *dir;
	uint32_t max_in_flight;
	bool any_device;
	int64_t default_run_time_us;
	const struct wt_settings *settings;	/* of --node */
};

enum wt_request_kind {	/* what is sent to the controller */
	WT_SEND_REGISTRATION, WT_SEND_PROBE, WT_SEND_BATCH_COMPLETE, WT_SEND_EPILOG_COMPLETE, WT_SEND_LAUNCH_FAIL,
	WT_SEND_PROLOG_COMPLETE, WT_SEND_STEP_COMPLETE, WT_SEND_NOTIFY, WT_SEND_KILL_JOB,
	WT_SEND_FAULT,		/* a registration with a status: the node wants to be drained */
	WT_SEND_STEP_STARTED, WT_SEND_STEP_EXIT,	/* to srun */
};

enum wt_daemon_timer {	/* above the model's */
	WT_TIMER_REGISTER = WT_MODEL_TIMERS, WT_TIMER_RETRY, WT_TIMER_RECONFIGURE, WT_TIMER_STATS, WT_TIMER_FAULT,
		WT_TIMER_BOOTED,
	WT_TIMER_BEAT, WT_TIMER_BEAT_SEND, WT_TIMER_TURN,
};

enum { WT_QUEUE_JOB, WT_QUEUE_EPILOG, WT_QUEUES };	/* in the order in which they are served; registrations come last */

struct wt_step_client {		/* the srun of one step, and which tasks it wants where */
	wt_step_ref step;	/* 0: none */
	uint32_t count;		/* nodes */
	in_addr_t address;
	uint16_t version;	/* that srun speaks */
	uint32_t uid, flags;
	uint16_t *resp_ports, *io_ports, resp_port_count, io_port_count;
	uint32_t *task_offsets, *task_ids;	/* of rank r: task_ids[task_offsets[r]] ... [task_offsets[r + 1] - 1] */
	int64_t stdout_task, stderr_task;	/* whose output srun wants: a task, or one of step.c's special values */
	uint8_t *key;
	uint32_t key_len;
	char *complaint;	/* of each task, on stderr; NULL: none */
	struct wt_stepio_conn **conns;		/* by rank; NULL: none */
};

struct wt_daemon {
	struct wt_options options;
	const struct wt_clock *clock;
	struct ev_loop *loop;
	ev_timer timer, flush;
	ev_prepare prepare;
	ev_signal sigterm, sigint;
	struct wt_nodetable *nodes;
	struct wt_timerq *timers;
	struct wt_model *model;
	struct wt_registry *registry;
	struct wt_server *server;
	struct wt_outgoing *outgoing, *clients;		/* to the controllers, to sruns */
	struct wt_stepio *stepio;
	struct wt_requestq client_queue;
	struct wt_step_client *step_clients;		/* by slot: the low half of a wt_step_ref */
	uint32_t step_client_count;
	struct wt_requestq queues[WT_QUEUES], retries[WT_QUEUES];	/* retries: time_us is when */
	struct wt_events *events;
	struct wt_store *store;
	struct wt_stats stats, written;
	char *stats_path;
	buf_t **gres_info;		/* by class of nodes */
	uint32_t gres_count;
	char *os, *arch;
	int64_t start_us, last_controller_us;
	bool in_order;			/* one message at a time, each when all is quiet: see in_order.h */
	bool turn_armed, may_send;
	bool stats_armed, reconfigure_armed, events_failing, store_failing;
	struct wt_faults *faults;
	int64_t *booted_us;		/* by node: when it last returned from a failure or a reboot; 0: never */
	int64_t *boots_us;		/* by node: when its reboot will be over; 0: it does not reboot */
	bool rebooted;			/* at least one has rebooted, or does */
	int64_t answer_delay_us;	/* of the message that is being answered */
	uint32_t *drawn;		/* by node: random numbers, so far */
	struct wt_beats *beats;
	uint8_t *reconfigured;		/* by node: asked to reconfigure since the last time it was done */
};

/* daemon.c */
int wt_daemon_init(struct wt_daemon *daemon, const struct wt_options *options, struct wt_error *errp);
void wt_daemon_run(struct wt_daemon *daemon);	/* until SIGTERM, or until every node was shut down */
void wt_daemon_fini(struct wt_daemon *daemon);
int64_t wt_daemon_now_us(const struct wt_daemon *daemon);
void wt_daemon_commit(struct wt_daemon *daemon);	/* what has happened is remembered: before anybody hears of it */
void wt_daemon_reconfigure(struct wt_daemon *daemon, uint32_t node);

/* send.c: requests to the controller */
int wt_send_init(struct wt_daemon *daemon, struct wt_error *errp);
int wt_send_targets(struct wt_daemon *daemon, struct wt_error *errp);
void wt_send_actions(struct wt_daemon *daemon);		/* carry out what the model wants */
void wt_send_queue(struct wt_daemon *daemon, const struct wt_request *request);
/* The return code in an answer, or -1 when it is no answer.  *step_id: of a new step. */
int wt_send_answer(const uint8_t *frame, size_t len, uint32_t *step_id);
/* Something may be waiting to be sent, and could be. */
bool wt_send_waits(const struct wt_daemon *daemon);
void wt_send_retry(struct wt_daemon *daemon, int64_t now_us);

/* A launch on this node has failed: what slurmd tells of it, one message after the other, a Prolog's end first if that is
 * waited for. 'status' is Slurm's code; ESLURMD_PROLOG_FAILED drains the node. */
void wt_send_launch_fail(struct wt_daemon *daemon, uint32_t node, uint32_t job_id, uint32_t requeue_id, uint32_t status,
			 bool prolog_awaited);

/* turns.c: one message at a time, when struct wt_daemon.in_order */
/* a message waits for its turn: there will be one when all is quiet */
void wt_turns_arm(void *daemon);
void wt_turns_take(struct wt_daemon *daemon);	/* it is quiet */

/* trouble.c: what --node says */
int wt_trouble_init(struct wt_daemon *daemon, struct wt_error *errp);
void wt_trouble_resume(struct wt_daemon *daemon);	/* after the journal was read */
void wt_trouble_registered(struct wt_daemon *daemon);	/* one more node has registered */
void wt_trouble_timer(struct wt_daemon *daemon);
bool wt_trouble_silent(const struct wt_daemon *daemon, uint32_t node);	/* it has no power */
/* prolog-fail, launch-fail */
bool wt_trouble_refuses(const struct wt_daemon *daemon, bool prolog, uint32_t job_id, uint32_t node);
bool wt_trouble_lost(struct wt_daemon *daemon, uint32_t node);		/* this message is lost; counted */
/* delays its answer to a message for 'count' more nodes */
void wt_trouble_late(struct wt_daemon *daemon, uint32_t node, uint32_t count);
void wt_trouble_unreachable(struct wt_daemon *daemon);			/* delays it as a connection that fails does */
/* whoever wanted to send it is no more */
bool wt_trouble_void(const struct wt_daemon *daemon, const struct wt_request *request);

/* beats.c: heartbeats of scripts that speculate */
int wt_beats_init(struct wt_daemon *daemon, struct wt_error *errp);
void wt_beats_fini(struct wt_daemon *daemon);
void wt_beats_resume(struct wt_daemon *daemon);		/* after the journal was read */
void wt_beats_news(struct wt_daemon *daemon, const struct wt_action *action);	/* of a WT_ACTION_BEAT */
void wt_beats_look(struct wt_daemon *daemon, uint32_t node);	/* WT_TIMER_BEAT */
void wt_beats_send(struct wt_daemon *daemon, uint64_t report);	/* WT_TIMER_BEAT_SEND */
void wt_beats_count(struct wt_daemon *daemon);		/* into the statistics */

/* gres.c */
int wt_gres_load(struct wt_daemon *daemon, struct wt_error *errp);	/* again after a reconfiguration */
void wt_gres_free(struct wt_daemon *daemon);

/* reboot.c */
void wt_reboot_done(struct wt_daemon *daemon, uint32_t node);

/* pack.c: their contents */
int wt_pack_request(struct wt_daemon *daemon, const struct wt_request *request, struct wt_bytes *bytes, bool *answered);

/* rpc.c: requests from the controller and from clients */
void wt_rpc_serve(struct wt_daemon *daemon, in_addr_t local, in_addr_t peer, const uint8_t *frame, size_t len,
		  struct wt_bytes *answer);

struct wt_call {		/* one message, for all nodes it is for */
	struct wt_msg msg;
	bool privileged;	/* from root or SlurmUser */
	struct wt_stats_rpc *counters;
	struct wt_kill kill;	/* prepared by the first node's turn */
	bool kill_ready;
	in_addr_t peer;
	struct wt_step_launch launch;	/* prepared by the first node's turn; its nodes are malloc ()'s */
	uint32_t launch_rc;
	bool launch_ready;
	/* what the tasks write to stderr when their program cannot be run; malloc ()'ed, NULL: nothing */
	char *complaint;
};

struct wt_answer {		/* one node's; 'data' is Slurm's, of xmalloc () */
	uint16_t type;		/* 0: no answer */
	void *data;
	uint32_t err;		/* for a node that cannot be reached */
};

void wt_answer_rc(struct wt_answer *answer, uint32_t rc);

/* rpc_job.c */
void wt_rpc_launch(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer);
void wt_rpc_prolog(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer);
void wt_rpc_terminate(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer);
void wt_rpc_timelimit(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer);
void wt_rpc_abort(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer);
void wt_rpc_signal(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer);
void wt_rpc_terminate_step(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer);
void wt_rpc_suspend(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer);

void wt_reboot_request(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer);

/* rpc_step.c */
void wt_rpc_launch_tasks(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer);
void wt_rpc_reattach(struct wt_daemon *daemon, struct wt_call *call, uint32_t node, struct wt_answer *answer);

/* step.c: between the model's steps and their sruns */
int wt_step_init(struct wt_daemon *daemon, struct wt_error *errp);
void wt_step_fini(struct wt_daemon *daemon);
void wt_step_action(struct wt_daemon *daemon, const struct wt_action *action);
/* Remember who launched the step; does nothing when that is known.  0, or -1 with ENOMEM. */
int wt_step_client_add(struct wt_daemon *daemon, wt_step_ref step, const struct wt_call *call);
struct wt_step_client *wt_step_client_find(const struct wt_daemon *daemon, wt_step_ref step);	/* NULL: not known */
void wt_step_client_clear(struct wt_step_client *client);
void wt_step_client_pack(void *daemon, wt_step_ref step, struct wt_str *out);	/* for the journal: struct wt_store_conf */
void wt_step_client_unpack(void *daemon, wt_step_ref step, const void *bytes, size_t len);
#define WT_STEP_ALL_TASKS -1	/* instead of a task's number */
#define WT_STEP_NO_TASK -2

uint32_t wt_rpc_rc(enum wt_rc rc);
int wt_rpc_nodeset(const struct wt_daemon *daemon, const char *text, struct wt_nodeset *set);

#endif
