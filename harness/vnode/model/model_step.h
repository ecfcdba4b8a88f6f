/* model_step.h - job steps in the model of node_model.h: what the slurmstepds of srun's steps would do.
 *
 * Pure, as node_model.h.  For each node of a step the caller carries out these actions, in this order, and says how they
 * went:
 *   CONNECT   open the connection for input and output to srun, and introduce the node  -> wt_model_step_connected ()
 *   STARTED   RESPONSE_LAUNCH_TASKS to srun; action.status is 0 or WT_STEP_IO_FAILED     -> wt_model_step_sent ()
 *   CLOSE     the end of all output                                                      -> wt_model_step_closed ()
 *   EXIT      MESSAGE_TASK_EXIT to srun; action.status is the wait status                -> wt_model_step_sent ()
 *   COMPLETE  REQUEST_STEP_COMPLETE to the controller for the ranks action.first ... action.last, until it is acknowledged
 *                                                                                        -> wt_model_step_acked ()
 *   TELL      the same, once, to the node action.target of another process, which is above them in the tree; when that does
 *             not take it there will be another one, and at last COMPLETE                 -> wt_model_step_told ()
 * and FREE, once for each step: whatever the caller holds for it is not needed any more.
 * Between STARTED and CLOSE the tasks run; all tasks of a node end together, in the same way.
 * Source: Slurm 22.05 src/slurmd/slurmstepd/mgr.c (job_manager, _send_srun_resp_msg, _random_sleep,
 * stepd_send_step_complete_msgs), req.c (_handle_signal_container, _handle_completion).
 * One thread at a time. */
#ifndef WT_HARNESS_VNODE_MODEL_MODEL_STEP_H
#define WT_HARNESS_VNODE_MODEL_MODEL_STEP_H

#include "harness/vnode/model/node_model.h"

typedef uint64_t wt_step_ref;	/* one step: invalid once it is forgotten; 0 names nothing */

#define WT_STEP_NO_COMPONENT 0xfffffffe	/* of a step that is not heterogeneous: Slurm's NO_VAL */
#define WT_STEP_IO_FAILED UINT32_MAX	/* instead of a wait status: the adapter knows Slurm's number */

struct wt_step_launch {
	uint32_t job_id, step_id, step_het_comp, uid;
	bool revoked;		/* as in struct wt_launch */
	bool io;		/* srun wants a connection for input and output */
	const uint32_t *nodes;	/* by rank, each once */
	uint32_t node_count;
	int64_t run_time_us;
	uint16_t wait_status;
	bool ignores_term;	/* as in struct job_behaviour; forgotten when the process is started again */
};

struct wt_step_name {
	uint32_t job_id, step_id, step_het_comp;
};

/* One node's turn.  *ref names the step, and *rank the node in it, on success.  WT_RC_REPLAYED: it was launched there
 * before. */
enum wt_rc wt_model_step_launch(struct wt_model *model, int64_t now_us, uint32_t node, const struct wt_step_launch *launch,
				wt_step_ref *ref, uint32_t *rank);

void wt_model_step_connected(struct wt_model *model, int64_t now_us, wt_step_ref ref, uint32_t rank, bool good);
void wt_model_step_sent(struct wt_model *model, int64_t now_us, wt_step_ref ref, uint32_t rank, bool good);
void wt_model_step_closed(struct wt_model *model, int64_t now_us, wt_step_ref ref, uint32_t rank);
void wt_model_step_acked(struct wt_model *model, int64_t now_us, wt_step_ref ref, uint32_t rank);

void wt_model_step_told(struct wt_model *model, int64_t now_us, wt_step_ref ref, uint32_t rank, bool good);

struct wt_step_heard {		/* what the slurmstepds below a node's tell it from another process */
	struct wt_step_name name;
	uint32_t first, last, status;	/* the ranks, and the worst of their wait statuses */
};

/* WT_RC_SUCCESS also when it was heard before; WT_RC_INVALID_JOB_ID: there is no such slurmstepd, or these ranks are not
 * below it; WT_RC_NOT_RUNNING: it tells already, and does not listen any more. */
enum wt_rc wt_model_step_heard(struct wt_model *model, int64_t now_us, uint32_t node, const struct wt_step_heard *heard);

/* A signal for one step.  'uid' of the sender; 'privileged': root or SlurmUser. */
enum wt_rc wt_model_step_signal(struct wt_model *model, int64_t now_us, uint32_t node, const struct wt_step_name *name,
				int signal, uint32_t uid, bool privileged);

/* The steps that a registration of this node lists, beside the batch steps: fills at most 'max', returns how many there
 * are. */
uint32_t wt_model_node_steps(const struct wt_model *model, uint32_t node, struct wt_step_name *names, uint32_t max);

#endif
