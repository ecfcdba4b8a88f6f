/* script_step.h - steps that batch scripts ask for, in srun's place: their requests and what is answered.  One thread: the
 * loop's. */
#ifndef WT_HARNESS_VNODE_SLURM_SCRIPT_STEP_H
#define WT_HARNESS_VNODE_SLURM_SCRIPT_STEP_H

#include "harness/vnode/slurm/rpc_call.h"
#include "harness/vnode/wire/outgoing.h"

/* WT_SEND_SCRIPT_ASK, _LOOK: what is sent, and what becomes of the answer; frame NULL: there is none. */
int wt_script_pack(struct wt_daemon *daemon, const struct wt_outgoing_request *request, struct wt_bytes *bytes);
void wt_script_done(struct wt_daemon *daemon, const struct wt_outgoing_request *request, const uint8_t *frame, size_t len);

#endif
