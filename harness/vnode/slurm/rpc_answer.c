/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Return codes, in answers and from the model. */
#include "harness/vnode/slurm/rpc_call.h"

void wt_answer_rc(struct wt_answer *answer, uint32_t rc)
{
	return_code_msg_t *data = xmalloc(sizeof(*data));

	data->return_code = rc;
	answer->type = RESPONSE_SLURM_RC;
	answer->data = data;
}

uint32_t wt_rpc_rc(enum wt_rc rc)
{
	switch (rc) {
	case WT_RC_SUCCESS: return SLURM_SUCCESS;
	case WT_RC_ALREADY_COMPLETE: return ESLURMD_KILL_JOB_ALREADY_COMPLETE;
	case WT_RC_USER_ID_MISSING: return ESLURM_USER_ID_MISSING;
	case WT_RC_INVALID_JOB_ID: return ESLURM_INVALID_JOB_ID;
	case WT_RC_DUPLICATE_JOB_ID: return ESLURM_DUPLICATE_JOB_ID;
	case WT_RC_REVOKED: return ESLURMD_CREDENTIAL_REVOKED;
	case WT_RC_NOT_RUNNING: return COMPAT_NOT_RUNNING;
	case WT_RC_REPLAYED: return ESLURMD_CREDENTIAL_REPLAYED;
	case WT_RC_INVALID_NODE: return ESLURM_INVALID_NODE_NAME;
	case WT_RC_NO_MEMORY: return COMPAT_FORK_FAILED;
	case WT_RC_FAILS: return SLURM_SUCCESS;
	}
	return SLURM_ERROR;
}
