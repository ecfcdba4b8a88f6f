/* script_request.h - what a batch script does: its srun lines made into requests for steps.  One thread: the loop's. */
#ifndef WT_HARNESS_VNODE_SLURM_SCRIPT_REQUEST_H
#define WT_HARNESS_VNODE_SLURM_SCRIPT_REQUEST_H

#include "harness/vnode/slurm/rpc_call.h"

/* Fills launch->plan and status_given; an empty plan when the script asks for no steps that can be told. */
void wt_script_plan_make(struct wt_daemon *daemon, const batch_job_launch_msg_t *req, struct wt_launch *launch);

#endif
