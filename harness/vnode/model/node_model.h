/* node_model.h - what the slurmds and slurmstepds of all nodes would do: a state machine.
 *
 * Pure: no Slurm, no sockets, no clock; times are arguments (microseconds since the epoch).  Each input returns what to
 * answer at once and queues the actions that follow from it; the caller takes them with wt_model_action () and carries them
 * out.  Timers go into the queue given at creation with kinds below WT_MODEL_TIMERS; the caller hands them back when they
 * fire. Source: Slurm 22.05 src/slurmd/slurmd/req.c (_rpc_batch_job, _rpc_terminate_job, _rpc_timelimit, _rpc_abort_job,
 * _rpc_signal_tasks, _rpc_suspend_job) and src/slurmd/slurmstepd (mgr.c, req.c); doc/fidelity.md says what differs. One
 * thread at a time. */
#ifndef WT_HARNESS_VNODE_MODEL_NODE_MODEL_H
#define WT_HARNESS_VNODE_MODEL_NODE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/vnode/model/job_behaviour.h"
#include "harness/vnode/model/nodeset.h"
#include "harness/vnode/model/scriptplan.h"
#include "harness/vnode/model/node_settings.h"
#include "harness/vnode/model/timerq.h"
#include "record/event_format.h"

struct wt_model;	/* opaque */

enum wt_rc {	/* what the node answers; the adapter knows Slurm's numbers */
	WT_RC_SUCCESS, WT_RC_ALREADY_COMPLETE, WT_RC_USER_ID_MISSING, WT_RC_INVALID_JOB_ID, WT_RC_DUPLICATE_JOB_ID,
	WT_RC_REVOKED, WT_RC_NOT_RUNNING, WT_RC_NO_MEMORY, WT_RC_REPLAYED, WT_RC_INVALID_NODE,
	WT_RC_FAILS,	/* of a launch: answered as a success, and then it fails (struct wt_launch.fails) */
};

enum { WT_MODEL_TIMERS = 16 };	/* timer kinds of the model are 1 ... 15 */

struct wt_model_conf {
	bool epilog;			/* an Epilog is configured (its run time is 0 here) */
	uint32_t epilog_msg_time_us;	/* slurm.conf EpilogMsgTime */
	uint32_t kill_wait_s;		/* slurm.conf KillWait, as slurmd takes it: at least 5 */
	uint32_t forget_s;		/* how long an ended job is remembered: AuthInfo cred_expire, 120 s by default */
	uint32_t tcp_timeout_s;		/* slurm.conf TCPTimeout: bounds the spread of the exit messages of large steps */
};

typedef uint64_t wt_job_ref;	/* one life of one job: invalid once the job is requeued or forgotten; 0 names nothing */

enum wt_action_kind {
	WT_ACTION_PROBE,		/* send the job's probe; then wt_model_probe_done () */
	WT_ACTION_BATCH_COMPLETE,	/* send the end of the script; then wt_model_batch_acked () */
	WT_ACTION_EPILOG_COMPLETE,	/* send the node's epilog message; then wt_model_epilog_acked () */
	WT_ACTION_LAUNCH_FAIL,		/* tell the controller to requeue the job */
	/* A step that a script asks for, action.first of its plan: see model_plan.h */
	WT_ACTION_SCRIPT_ASK, WT_ACTION_SCRIPT_LOOK,
	WT_ACTION_BEAT,			/* heartbeat of a script that begins, or that has ended well */
	WT_ACTION_EVENT,		/* a line of events.csv */
	/* Of one slurmstepd of a step: see model_step.h */
	WT_ACTION_STEP_CONNECT, WT_ACTION_STEP_STARTED, WT_ACTION_STEP_CLOSE, WT_ACTION_STEP_EXIT, WT_ACTION_STEP_COMPLETE,
	WT_ACTION_STEP_TELL, WT_ACTION_STEP_FREE,
};

struct wt_action {
	uint8_t kind;			/* enum wt_action_kind */
	uint8_t event;			/* enum wt_event_kind, for WT_ACTION_EVENT */
	uint8_t probe;			/* enum wt_probe, for WT_ACTION_PROBE */
	uint16_t wait_status;		/* for WT_ACTION_BATCH_COMPLETE */
	uint32_t node, job_id, uid, array_job_id, array_task_id;
	wt_job_ref job;
	int64_t time_us;		/* when it happened */
	double value;			/* of an event; NAN: empty */
	uint64_t step;			/* wt_step_ref; the fields below are of steps only */
	uint32_t rank, step_id, step_het_comp;
	uint32_t restart;		/* of a heartbeat, as the next one; 'value' is its progress */
	int64_t elapsed_us;
	bool ended;
	/* Ranks that a WT_ACTION_STEP_COMPLETE or _TELL is about, or an item of a plan; wait status or WT_STEP_IO_FAILED. */
	uint32_t first, last, status;
	uint32_t target;		/* the node that a WT_ACTION_STEP_TELL goes to */
};

struct wt_launch {
	uint32_t job_id, uid, array_job_id, array_task_id;	/* array ids: 0 and UINT32_MAX when there is no array */
	uint32_t restart_count;
	bool speculates;		/* sbatch --speculate: its progress is wanted */
	bool fails;			/* its Prolog, or the start of its slurmstepd: nothing begins on this node */
	bool revoked;			/* the credential is not younger than wt_model_revoked_s () */
	struct wt_nodeset nodes;	/* moved into the model on any return */
	uint64_t nodes_hash;		/* wt_model_text_hash () of the node list's text */
	struct job_behaviour behaviour;
	struct wt_script_plan plan;	/* moved into the model on any return; empty: behaviour.run_time_us says all */
	bool status_given;		/* behaviour.wait_status counts, whatever becomes of the plan */
};

struct wt_kill {
	uint32_t job_id, uid;
	int64_t time_s, start_time_s;	/* of the request, and of the job's start, by the controller */
	struct wt_nodeset nodes;	/* moved into the model on any return; may stay empty when wt_model_knows_nodes () */
	uint64_t nodes_hash;
	/* REQUEST_KILL_TIMELIMIT, _PREEMPTED: the answer goes out first, so the end is always told */
	bool closes;
};

enum wt_signal_target { WT_TARGET_BATCH, WT_TARGET_STEPS, WT_TARGET_OTHER_STEP };

struct wt_model_counts {
	uint32_t jobs_running, jobs_known, stepds_running;	/* stepds: slurmstepds of steps other than the batch step */
	uint32_t nodes_allocated, nodes_completing;
};

/* 'timers' must outlive the model.  NULL, ENOMEM. */
struct wt_model *wt_model_create(uint32_t node_count, const struct wt_model_conf *conf, struct wt_timerq *timers);
/* Only these nodes are this model's; without it, all.  Others are known by their numbers, as parts of jobs and steps, and
 * are another process's.  To be called before anything happens. */
void wt_model_own(struct wt_model *model, uint32_t first, uint32_t count);
void wt_model_destroy(struct wt_model *model);	/* NULL is ignored; errno is preserved */
void wt_model_configure(struct wt_model *model, const struct wt_model_conf *conf);

/* Delays and slow nodes from now on; 'factors' by node.  Both are borrowed and may be NULL. */
void wt_model_faults(struct wt_model *model, const struct wt_settings *settings, const float *factors);

/* The node loses power: its script ends (as by SIGKILL), no message tells of it, epilogs on it never end. */
void wt_model_crash(struct wt_model *model, int64_t now_us, uint32_t node);

/* False when what this action was to send is no longer of interest: its node has lost power, its job is another one. */
bool wt_model_awaits(const struct wt_model *model, enum wt_action_kind kind, wt_job_ref job, uint32_t node);

uint64_t wt_model_text_hash(const char *text);	/* FNV-1a, 64 bits; 1 for NULL */

/* True when the model holds this node list for the job, so that it need not be expanded again. */
bool wt_model_knows_nodes(const struct wt_model *model, uint32_t job_id, uint64_t nodes_hash);

/* When the controller last ended this job (its own clock, seconds), or 0. */
int64_t wt_model_revoked_s(const struct wt_model *model, uint32_t job_id);

enum wt_rc wt_model_launch(struct wt_model *model, int64_t now_us, uint32_t node, struct wt_launch *launch);
enum wt_rc wt_model_terminate(struct wt_model *model, int64_t now_us, uint32_t node, struct wt_kill *kill);
enum wt_rc wt_model_abort(struct wt_model *model, int64_t now_us, uint32_t node, struct wt_kill *kill);

/* scancel --signal, and the end of one step.  'uid' of the sender; 'privileged': root or SlurmUser. */
enum wt_rc wt_model_signal(struct wt_model *model, int64_t now_us, uint32_t node, uint32_t job_id,
			   enum wt_signal_target target, int signal, uint32_t uid, bool privileged);
/* Whether the job's script runs there, and may be asked about by 'uid': what its slurmstepd would say. */
enum wt_rc wt_model_batch_look(const struct wt_model *model, uint32_t node, uint32_t job_id, uint32_t uid, bool privileged);
void wt_model_suspend(struct wt_model *model, int64_t now_us, uint32_t node, uint32_t job_id, bool suspend);

/* Answers to what the actions sent.  Refs of lives that are over are ignored. */
void wt_model_probe_done(struct wt_model *model, int64_t now_us, wt_job_ref job, double latency_s);	/* -1: it failed */
void wt_model_batch_acked(struct wt_model *model, int64_t now_us, wt_job_ref job);
void wt_model_epilog_acked(struct wt_model *model, int64_t now_us, wt_job_ref job, uint32_t node);

void wt_model_timer(struct wt_model *model, int64_t now_us, const struct wt_timer *timer);

bool wt_model_action(struct wt_model *model, struct wt_action *action);	/* false: none is left */

/* The batch steps that a registration of this node lists: fills at most 'max' job ids, returns how many there are. */
uint32_t wt_model_batch_jobs(const struct wt_model *model, uint32_t node, uint32_t *job_ids, uint32_t max);

struct wt_model_beat {			/* what a running script would tell of itself */
	uint32_t job_id, restart;
	int64_t elapsed_us;		/* since it began, by its node's clock: also while it was stopped */
	double progress;		/* 0 to 1: see speed.h */
};

/* The heartbeats of the scripts on this node that speculate and get on; those that hang or are stopped say nothing.  Fills
 * at most 'max'; returns how many there are.  *alive: all that speculate there. */
uint32_t wt_model_beats(const struct wt_model *model, int64_t now_us, uint32_t node, struct wt_model_beat *beats,
			uint32_t max, uint32_t *alive);

void wt_model_counts(const struct wt_model *model, struct wt_model_counts *counts);

#endif
