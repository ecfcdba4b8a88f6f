/* model_plan.h - batch scripts that ask for steps, in the model of node_model.h: what the sruns of a script would do.
 *
 * Pure, as node_model.h.  A launch with a plan (struct wt_launch) is carried out item by item.  For a step the caller does
 *   ASK   REQUEST_JOB_STEP_CREATE with the item's request  -> wt_model_script_created (), _busy (), _refused (), or
 *         _unsure () when the answer is lost
 *   LOOK  look among the job's steps for the one that was asked for, under the number wt_model_script_mark ()
 *         -> wt_model_script_created (), or _missing ()
 * Then the step is one of model_step.h, without an srun to talk to.  One thread at a time. */
#ifndef WT_HARNESS_VNODE_MODEL_MODEL_PLAN_H
#define WT_HARNESS_VNODE_MODEL_MODEL_PLAN_H

#include "harness/vnode/model/model_step.h"
#include "harness/vnode/model/scriptplan.h"

/* The item that an action is about; NULL: its script is over, or has gone on. */
const struct wt_plan_item *wt_model_script_step(const struct wt_model *model, wt_job_ref ref, uint32_t item);

/* A number, the same for all questions about one item of one life of a job, and for no other of it: in the place of srun's
 * pid. */
uint32_t wt_model_script_mark(const struct wt_model *model, wt_job_ref ref, uint32_t item);

/* 'nodes' by rank, each once and one of ours.  WT_RC_SUCCESS and *step, whose srun the caller makes known; else the script
 * is over (the controller ends the step with the job), or memory is short. */
enum wt_rc wt_model_script_created(struct wt_model *model, int64_t now_us, wt_job_ref ref, uint32_t item, uint32_t step_id,
				   const uint32_t *nodes, uint32_t node_count, wt_step_ref *step);
/* Not now: asked again when a step of this job has ended, at the latest after 'retry_us'. */
void wt_model_script_busy(struct wt_model *model, int64_t now_us, wt_job_ref ref, uint32_t item, int64_t retry_us);
void wt_model_script_unsure(struct wt_model *model, int64_t now_us, wt_job_ref ref, uint32_t item);
void wt_model_script_missing(struct wt_model *model, int64_t now_us, wt_job_ref ref, uint32_t item);
/* Of a step of the job that a LOOK has found, with this mark: it was asked for in this life, and no answer told of it. */
bool wt_model_script_orphan(const struct wt_model *model, wt_job_ref ref, uint32_t item, uint32_t mark, uint32_t step_id);
void wt_model_script_refused(struct wt_model *model, int64_t now_us, wt_job_ref ref, uint32_t item);

#endif
