/* model_image.h - what of a job outlives this process, as an slurmstepd and slurmd's saved credentials outlive a slurmd.
 *
 * Pure.  The model notes which jobs have changed; the caller keeps their images (store.h) and gives them back to a new
 * model: wt_model_restore () in the order in which they were taken, the latest of each job last, and then once
 * wt_model_resume (). Steps, and each of their slurmstepds, go the same way: wt_model_step_restore () and
 * wt_model_stepd_restore ().  Their connections to srun have died with the process.
 * What only a slurmd's threads know (epilogs under way, nodes already told) is not in it: the controller repeats its
 * "terminate". One thread at a time. */
#ifndef WT_HARNESS_VNODE_MODEL_MODEL_IMAGE_H
#define WT_HARNESS_VNODE_MODEL_MODEL_IMAGE_H

#include "harness/vnode/model/node_model.h"
#include "harness/vnode/model/model_step.h"

/* Limits of the fields that are enums of the model's own. */
enum { WT_IMAGE_SCRIPTS = 4, WT_IMAGE_PAUSES = 3, WT_IMAGE_SIGNALS = 65 };

struct wt_job_image {
	uint32_t job_id, uid, array_job_id, array_task_id;
	uint32_t batch_node;		/* WT_NODE_NONE: never launched here */
	uint8_t script, pause, pending_signal, probe;	/* the model's, see model_private.h */
	bool cancelled;
	bool nodes_given;		/* else nodes and hash are those of the image before */
	uint16_t wait_status;
	bool speculates;
	uint32_t restart;
	int64_t run_time_us, run_until_us, touched_us, revoked_s, work_us, total_us, begun_us;
	uint64_t nodes_hash;		/* 0: no nodes */
	struct wt_nodeset nodes;	/* borrowed */
	/* Of a script that asks for steps: what it does, when nodes_given, and how far it is; else NULL.  malloc ()'ed
	 * when the model gives it: wt_job_image_clear () */
	uint8_t *plan, *plan_state;
	size_t plan_len, plan_state_len;
	bool plan_fixed;		/* the environment says how the script ends */
};

void wt_job_image_clear(struct wt_job_image *image);	/* what the model has allocated for it */

/* The next job that has changed since it was last returned here; false: none has. */
bool wt_model_changed(struct wt_model *model, struct wt_job_image *image);

/* All jobs, for a new beginning: *at is 0 at first; false after the last.  Nodes are always given. */
bool wt_model_image(const struct wt_model *model, uint32_t *at, struct wt_job_image *image);

/* Take a job as it was.  EINVAL: a number in it is out of its range, or its node list does not fit; ENOMEM. */
int wt_model_restore(struct wt_model *model, const struct wt_job_image *image);

struct wt_step_image {
	uint32_t job_id, step_id, step_het_comp, uid;
	uint32_t count;			/* nodes */
	uint32_t *nodes;		/* by rank; of malloc () when the model gives it, and then the caller's */
	bool io;
	int64_t touched_us;
	wt_step_ref ref;		/* in the model that gives it */
};

struct wt_stepd_image {			/* the fields are those of struct stepd, see model_private.h */
	uint32_t job_id, step_id, step_het_comp, rank;
	uint8_t state, pause, pending_signal;
	bool over;
	uint32_t status, below, holder;
	int64_t run_us;
};

/* The next slurmstepd that has changed since it was last returned here; false: none has.  step->nodes is NULL when the step
 * itself was given before. */
bool wt_model_stepd_changed(struct wt_model *model, struct wt_step_image *step, struct wt_stepd_image *stepd);

/* All steps that have a slurmstepd, for a new beginning: *at is 0 at first; false after the last, or when memory is short.
 * And each rank of one; false: it has nothing to tell. */
bool wt_model_step_image(struct wt_model *model, uint32_t *at, struct wt_step_image *image);
bool wt_model_stepd_image(const struct wt_model *model, wt_step_ref ref, uint32_t rank, struct wt_stepd_image *image);

/* As wt_model_restore ().  A step of the same name is forgotten; *ref names the new one. */
int wt_model_step_restore(struct wt_model *model, const struct wt_step_image *image, wt_step_ref *ref);
int wt_model_stepd_restore(struct wt_model *model, const struct wt_stepd_image *image);

/* Time goes on: scripts whose time is over have ended when it was over, and what is to be told is told again. */
void wt_model_resume(struct wt_model *model, int64_t now_us);

#endif
