/* model_private.h - the insides of the model, for its own files only. */
#ifndef WT_HARNESS_VNODE_MODEL_MODEL_PRIVATE_H
#define WT_HARNESS_VNODE_MODEL_MODEL_PRIVATE_H

#include "harness/vnode/model/node_model.h"
#include "harness/vnode/model/model_step.h"
#include "harness/vnode/model/steptree.h"

/* a: slot of the job; b: generation << 32 | node */
enum { TIMER_RUN = 1, TIMER_EPILOG, TIMER_POLL, TIMER_FORGET, TIMER_LAUNCH, TIMER_EPILOG_RUN, TIMER_END, TIMER_KILL };
enum { TIMER_STEP_RUN = 9, TIMER_STEP_NEXT, TIMER_STEP_FORGET };	/* a: slot of the step; b: generation << 32 | rank */
enum { TIMER_PLAN = 12 };	/* a: slot of the job; b: generation << 32 | item */

enum script_state {	/* the batch step on the batch host */
	SCRIPT_NONE,		/* never launched in this life, or over and acknowledged */
	SCRIPT_PROBING,		/* launched, its run time has not begun */
	SCRIPT_RUNNING,
	SCRIPT_ENDED,		/* no process is left, but the controller has not acknowledged the end */
};

enum pause_state {
	PAUSE_NONE,
	PAUSE_STOPPED,		/* by SIGSTOP: other signals wait for SIGCONT */
	PAUSE_SUSPENDED,	/* by scontrol suspend: slurmstepd refuses all signals but SIGKILL */
};

struct job {
	uint32_t job_id;	/* 0: the slot is free */
	uint32_t generation;
	uint32_t next;		/* in its hash chain or in the list of free slots: slot + 1, 0: end */
	uint32_t next_batch;	/* next batch step on the same node: slot + 1 */
	uint32_t uid, array_job_id, array_task_id;
	uint32_t batch_node;
	uint8_t script;		/* enum script_state */
	uint8_t pause;		/* enum pause_state, while the script is alive */
	uint8_t pending_signal;	/* of a stopped script; 0: none */
	uint8_t probe;
	bool allocated;		/* the nodes not yet told count as allocated */
	bool cancelled;		/* its cancel event is written */
	bool ignores_term;	/* the script does */
	bool changed, nodes_changed;	/* since wt_model_changed () returned it */
	bool batch_waits;	/* the batch host was told to end the job and waits for the script's last message */
	uint16_t wait_status;
	bool speculates;	/* it tells its progress: model_beat.c */
	uint32_t restart;
	int64_t work_us;	/* run time at even speed, */
	int64_t total_us;	/* and as it is */
	int64_t begun_us;	/* when its run time began; 0: not yet */
	int64_t run_time_us;	/* what is left of it while not running */
	int64_t run_until_us;
	int64_t told_us;	/* when the batch host was told */
	int64_t touched_us;
	int64_t revoked_s;
	wt_timer_id run_timer;
	struct wt_nodeset nodes;
	uint64_t nodes_hash;	/* 0: no nodes */
	uint64_t *untold;	/* by rank: nodes that have not been told to end the job */
	uint64_t *ending;	/* by rank: told, and not yet released */
	uint32_t untold_count, ending_count;
	uint32_t steps;		/* those that are remembered: slot + 1 of the first */
	struct plan_run *run;	/* of a script that asks for steps: model_plan.c; NULL: it is a span of time */
};

struct node_load {
	uint16_t allocated, completing;	/* jobs */
	uint32_t batch_head;		/* slot + 1 */
	uint32_t step_head, step_rank;	/* slot + 1, and the node's rank in it */
};

enum stepd_state {	/* of one node's slurmstepd */
	STEPD_ABSENT,		/* not launched */
	STEPD_CONNECTING,	/* to srun, for input and output */
	STEPD_STARTING,		/* tells srun that the tasks run */
	STEPD_RUNNING,
	STEPD_CLOSING,		/* the last output is on its way */
	STEPD_EXITING,		/* tells srun how the tasks ended */
	STEPD_WAITING,		/* for the slurmstepds below it in the tree */
	STEPD_TELLING,		/* its parent in the tree, or the controller */
	STEPD_GONE,
};

struct stepd {
	uint32_t node;
	uint32_t next, next_rank;	/* next on the same node: slot + 1 of the step, and the rank in it */
	uint8_t state;			/* enum stepd_state */
	uint8_t pause;			/* enum pause_state, while the tasks are alive */
	uint8_t pending_signal, tries;
	bool over;			/* no task is alive */
	bool ignores_term;		/* the tasks do */
	bool changed;			/* since wt_model_stepd_changed () returned it */
	bool unheard;			/* its parent in the tree, of another process, did not take what it tells */
	bool waited;			/* its slurmd was told to end the job and waits for it, since told_us */
	uint32_t status;		/* of its tasks; from STEPD_TELLING on of those below it, too */
	uint32_t below;			/* the worst status of those below it that have told it */
	uint32_t holder;		/* the rank of the slurmstepd that knows of this one's end */
	uint32_t untold;		/* slurmstepds below it that it has not heard of, then messages not acknowledged */
	int64_t told_us, run_us;	/* run_us: what is left of the run time, or while it runs when it is over */
	wt_timer_id run_timer, next_timer;
};

struct step {
	uint32_t job_id;	/* 0: the slot is free */
	uint32_t generation;
	uint32_t next;		/* of the same job, or in the list of free slots: slot + 1 */
	uint32_t step_id, het_comp, uid;
	uint32_t count;		/* nodes */
	uint32_t alive;		/* slurmstepds from launch to STEPD_GONE */
	bool io;
	bool given;		/* the step itself has been returned as an image */
	int64_t touched_us;
	struct stepd *stepds;	/* by rank */
	uint32_t *by_node;	/* ranks in the order of node numbers; NULL: that is their own order */
};

struct stepd_change {
	uint32_t slot, rank;
};

struct wt_model {
	struct wt_model_conf conf;
	struct wt_timerq *timers;
	uint32_t node_count;
	uint32_t own_first, own_count;	/* wt_model_own () */
	struct node_load *load;
	struct job *jobs;
	uint32_t job_capacity, job_used, job_free;
	uint32_t *buckets, bucket_count;
	struct wt_action *actions;
	uint32_t action_first, action_count, action_capacity;
	struct wt_model_counts counts;
	const struct wt_settings *settings;	/* NULL: none */
	const float *factors;			/* by node; NULL: all are 1 */
	/* A slurmstepd that its slurmd has waited for since 'told_us' is gone: node_look (), which the steps lie below. */
	void (*steps_gone)(struct wt_model *model, struct job *job, int64_t now_us, uint32_t node, int64_t told_us);
	void (*script_over)(struct wt_model *model, struct job *job, int64_t now_us);	/* script_run_over () */
	/* The last slurmstepd of a step is gone: plan_step_gone (). */
	void (*step_gone)(struct wt_model *model, struct job *job, const struct step *step, int64_t now_us);
	uint32_t *changed, changed_count, changed_capacity;	/* slots of changed jobs */
	struct step *steps;
	uint32_t step_capacity, step_used, step_free;
	struct stepd_change *stepd_changes;
	uint32_t stepd_change_count, stepd_change_capacity;
};

enum { LAST_SIGNAL = 64 };	/* SIGRTMAX on Linux */

static inline bool node_is_own(const struct wt_model *model, uint32_t node)
{
	return node - model->own_first < model->own_count;
}

/* The files, each of which calls only those above it. */

/* model_nodes.c */
void job_nodes_clear(struct wt_model *model, struct job *job);
int job_nodes_set(struct wt_model *model, struct job *job, struct wt_nodeset *nodes, uint64_t hash, bool allocated);
void job_settle(struct wt_model *model, struct job *job);
bool node_told(struct wt_model *model, struct job *job, uint32_t node);
void node_ending(struct wt_model *model, struct job *job, uint32_t node);
bool node_released(struct wt_model *model, struct job *job, uint32_t node);	/* true: it was ending the job */

/* model_table.c */
struct job *job_find(const struct wt_model *model, uint32_t job_id);
struct job *job_create(struct wt_model *model, int64_t now_us, uint32_t job_id, uint32_t uid);	/* NULL, ENOMEM */
struct job *job_deref(const struct wt_model *model, wt_job_ref ref);
wt_job_ref job_ref(const struct wt_model *model, const struct job *job);
void job_forget(struct wt_model *model, struct job *job);	/* its script is gone */
void job_changed(struct wt_model *model, struct job *job);	/* what its image shows has changed */
/* Returns 0 when memory is short. */
wt_timer_id timer_arm(struct wt_model *model, const struct job *job, uint32_t kind, int64_t deadline_us, uint32_t node);
void action_add(struct wt_model *model, const struct job *job, enum wt_action_kind kind, uint32_t node, int64_t now_us);
struct wt_action *action_last(struct wt_model *model);	/* the one added last */
void event_add(struct wt_model *model, const struct job *job, enum wt_event_kind event, uint32_t node, int64_t now_us,
	       double value);

/* model_delay.c */
int64_t launch_delay_us(const struct wt_model *model, const struct job *job);
int64_t end_delay_us(const struct wt_model *model, const struct job *job);
int64_t epilog_delay_us(const struct wt_model *model, const struct job *job, uint32_t node);
int64_t step_launch_delay_us(const struct wt_model *model, const struct step *step, uint32_t rank);
int64_t run_time_slowed_on(const struct wt_model *model, int64_t run_time_us, uint32_t node);
int64_t run_time_slowed(const struct wt_model *model, const struct job *job, int64_t run_time_us);

/* model_beat.c */
void speed_fill(const struct wt_model *model, struct job *job);	/* total_us of work_us */
void beat_begin(struct wt_model *model, struct job *job, int64_t now_us);
void beat_end(struct wt_model *model, const struct job *job, int64_t now_us);

/* model_step.c: the table of steps */
struct step *step_deref(const struct wt_model *model, wt_step_ref ref);
struct step *step_find(const struct wt_model *model, uint32_t job_id, uint32_t step_id, uint32_t het_comp);
wt_step_ref step_ref(const struct wt_model *model, const struct step *step);
struct step *step_create(struct wt_model *model, int64_t now_us, const struct wt_step_launch *launch);
void step_forget(struct wt_model *model, struct step *step, int64_t now_us);
void step_forget_due(struct wt_model *model, struct step *step, int64_t now_us);	/* unless it still matters */
void steps_destroy(struct wt_model *model);
struct wt_action *step_action(struct wt_model *model, const struct step *step, enum wt_action_kind kind, uint32_t rank,
			      int64_t now_us);	/* NULL: no memory */
struct stepd *stepd_find(const struct step *step, uint32_t node, uint32_t *rank);
void stepd_list(struct wt_model *model, struct step *step, uint32_t rank);	/* its node has it from now on */
void stepd_changed(struct wt_model *model, struct step *step, uint32_t rank);	/* what its image shows has changed */
void stepd_gone(struct wt_model *model, struct step *step, uint32_t rank, int64_t now_us);
uint32_t step_status(const struct step *step);	/* what srun would return */

/* Calls 'f' for each slurmstepd of the job on the node; 'f' may not end one.  Returns the sum of what it returns. */
typedef uint32_t (*stepd_f)(struct wt_model *model, struct step *step, uint32_t rank, int64_t us, int number);
uint32_t node_steps_each(struct wt_model *model, uint32_t job_id, uint32_t node, stepd_f f, int64_t us, int number);
/* there is at least one slurmstepd */
bool node_steps_known(const struct wt_model *model, uint32_t job_id, uint32_t node);
bool node_steps_waited(const struct wt_model *model, uint32_t job_id, uint32_t node);
bool node_steps_wait(struct wt_model *model, uint32_t job_id, uint32_t node, int64_t told_us);	/* false: there are none */

/* model_stepd.c: their lives */
void stepd_next_arm(struct wt_model *model, struct step *step, uint32_t rank, int64_t deadline_us);
void stepd_run_arm(struct wt_model *model, struct step *step, uint32_t rank);	/* its tasks end at run_us */
bool stepd_tasks_run(const struct stepd *stepd);
void stepd_launch(struct wt_model *model, struct step *step, uint32_t rank, int64_t now_us);
void stepd_started_add(struct wt_model *model, struct step *step, uint32_t rank, int64_t now_us);
void stepd_tell(struct wt_model *model, struct step *step, uint32_t rank, int64_t now_us);
int64_t stepd_children_wait_us(const struct wt_steptree *place);
void stepd_tree_enter(struct wt_model *model, struct step *step, uint32_t rank, int64_t now_us);
void stepd_tree_go_on(struct wt_model *model, struct step *step, uint32_t rank, int64_t now_us);
void steps_timer(struct wt_model *model, int64_t now_us, const struct wt_timer *timer);
/* Of one job on one node. */
uint32_t node_steps_signal(struct wt_model *model, uint32_t job_id, uint32_t node, int64_t now_us, int signal);
/* With those that a script on this node has on nodes of other processes. */
void node_steps_suspend(struct wt_model *model, uint32_t job_id, uint32_t node, int64_t now_us, bool suspend);

/* model_plan.c: scripts that ask for steps.  All but the first two only for a job that has a plan (job->run) */
int plan_take(struct job *job, struct wt_script_plan *plan, bool fixed);	/* takes it if it has steps; 0, -1: ENOMEM */
void plan_drop(struct wt_model *model, struct job *job);
void plan_begin(struct wt_model *model, struct job *job, int64_t now_us);	/* or go on, after plan_pause () */
void plan_pause(struct wt_model *model, struct job *job, int64_t now_us);	/* before job->pause says so */
void plan_timer(struct wt_model *model, struct job *job, int64_t now_us, uint32_t item);
void plan_step_gone(struct wt_model *model, struct job *job, const struct step *step, int64_t now_us);
void plan_resume(struct wt_model *model, struct job *job, int64_t now_us);
const struct wt_script_plan *plan_of(const struct job *job, bool *fixed);	/* NULL: none */
void plan_state_pack(const struct job *job, struct wt_str *out);
int plan_state_unpack(struct job *job, const uint8_t *bytes, size_t len);	/* -1: EINVAL, and the plan is of no use */

/* model_script.c */
void script_listed(struct wt_model *model, struct job *job, enum script_state script);
void script_begin(struct wt_model *model, struct job *job, int64_t now_us);
void script_end(struct wt_model *model, struct job *job, int64_t now_us, uint16_t wait_status);
void script_gone(struct wt_model *model, struct job *job);
enum wt_rc script_signal(struct wt_model *model, struct job *job, int64_t now_us, int signal);
void script_run_over(struct wt_model *model, struct job *job, int64_t now_us);

/* model_end.c */
void node_kill(struct wt_model *model, struct job *job, int64_t now_us, uint32_t node);
void node_look(struct wt_model *model, struct job *job, int64_t now_us, uint32_t node, int64_t told_us);
/* runs it, then node_stagger () */
void node_epilog(struct wt_model *model, struct job *job, int64_t now_us, uint32_t node);
void node_stagger(struct wt_model *model, struct job *job, int64_t now_us, uint32_t node);

/* model_step_image.c, for model_image.c */
void steps_resume(struct wt_model *model, int64_t now_us);

static inline bool script_alive(const struct job *job)
{
	return job->script == SCRIPT_PROBING || job->script == SCRIPT_RUNNING;
}

static inline bool bit_test(const uint64_t *bits, uint32_t i)
{
	return bits[i / 64] >> (i % 64) & 1;
}

static inline void bit_set(uint64_t *bits, uint32_t i)
{
	bits[i / 64] |= (uint64_t) 1 << (i % 64);
}

static inline void bit_clear(uint64_t *bits, uint32_t i)
{
	bits[i / 64] &= ~((uint64_t) 1 << (i % 64));
}

#endif
