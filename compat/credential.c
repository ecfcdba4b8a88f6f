/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "compat/credential.h"

#include <errno.h>

#ifdef WT_HAVE_DAEMON_FLAG
#include "src/common/run_in_daemon.h"
/* Slurm's library has a weak one that says "no daemon", and has to find this one. */
__attribute__((visibility("default"))) uint32_t slurm_daemon = IS_SLURMD;
#endif

void compat_count_as_slurmd(void)
{
#if defined(WT_HAVE_CRED_IDS) && !defined(WT_HAVE_DAEMON_FLAG)
	extern char *slurm_prog_name;

	if (!slurm_prog_name)
		/* By this name Slurm's library tells whether it runs in slurmd. */
		slurm_prog_name = xstrdup("slurmd");
#endif
}

#ifdef WT_HAVE_CRED_CONTEXT

static slurm_cred_ctx_t cred_ctx; /* lives as long as the process */

bool compat_cred_init(void)
{
	if (slurm_cred_init() != SLURM_SUCCESS)
		return false;
	if (!cred_ctx)
		cred_ctx = slurm_cred_verifier_ctx_create(NULL);
	return cred_ctx;
}

int compat_cred_verify(slurm_cred_t *cred, slurm_cred_arg_t **arg)
{
	if (!cred)
		return ESLURMD_INVALID_JOB_CREDENTIAL;
	*arg = slurm_cred_verify(cred_ctx, cred);
	if (!*arg)
		return errno ? errno : ESLURMD_INVALID_JOB_CREDENTIAL;
	/* It comes in many branches of the tree, and the context must not remember each job for ever. */
	slurm_cred_rewind(cred_ctx, cred);
	slurm_cred_begin_expiration(cred_ctx, (*arg)->step_id.job_id);
	return SLURM_SUCCESS;
}

bool compat_cred_revoked(slurm_cred_t *cred, uint32_t job_id, int64_t revoked_s)
{
	bool revoked;

	/* The time of its making is inside of Slurm's opaque credential: let Slurm compare. */
	if (!revoked_s || !cred || !cred_ctx)
		return false;
	slurm_cred_revoke(cred_ctx, job_id, (time_t) revoked_s, (time_t) INT64_MAX); /* replaces what was there */
	revoked = slurm_cred_revoked(cred_ctx, cred);
	slurm_cred_begin_expiration(cred_ctx, job_id);
	return revoked;
}

const char *compat_cred_signature(slurm_cred_t *cred, uint32_t *len)
{
	char *text = NULL;

	slurm_cred_get_signature(cred, &text, len);
	return text;
}

#else

bool compat_cred_init(void)
{
	return cred_g_init() == SLURM_SUCCESS;
}

int compat_cred_verify(slurm_cred_t *cred, slurm_cred_arg_t **arg)
{
	if (!cred)
		return ESLURMD_INVALID_JOB_CREDENTIAL;
	*arg = slurm_cred_verify(cred);
	if (!*arg)
		return errno ? errno : ESLURMD_INVALID_JOB_CREDENTIAL;
	return SLURM_SUCCESS;
}

/* slurmd's cred_revoked (). */
bool compat_cred_revoked(slurm_cred_t *cred, uint32_t job_id, int64_t revoked_s)
{
	(void) job_id;
	return revoked_s && cred && cred->ctime <= (time_t) revoked_s;
}

const char *compat_cred_signature(slurm_cred_t *cred, uint32_t *len)
{
	const char *text = slurm_cred_get_signature(cred);

	*len = text ? (uint32_t) strlen(text) + 1 : 0;
	return text;
}

#endif

#ifdef WT_HAVE_CRED_IDS

static uid_t cred_uid(const slurm_cred_t *cred)
{
	return cred && cred->arg ? cred->arg->uid : (uid_t) NO_VAL;
}

static gid_t cred_gid(const slurm_cred_t *cred)
{
	return cred && cred->arg ? cred->arg->gid : (gid_t) NO_VAL;
}

uid_t compat_launch_uid(const launch_tasks_request_msg_t *req)
{
	return cred_uid(req->cred);
}

gid_t compat_launch_gid(const launch_tasks_request_msg_t *req)
{
	return cred_gid(req->cred);
}

uid_t compat_batch_uid(const batch_job_launch_msg_t *req)
{
	return cred_uid(req->cred);
}

gid_t compat_batch_gid(const batch_job_launch_msg_t *req)
{
	return cred_gid(req->cred);
}

#else

uid_t compat_launch_uid(const launch_tasks_request_msg_t *req)
{
	return req->uid;
}

gid_t compat_launch_gid(const launch_tasks_request_msg_t *req)
{
	return req->gid;
}

uid_t compat_batch_uid(const batch_job_launch_msg_t *req)
{
	return req->uid;
}

gid_t compat_batch_gid(const batch_job_launch_msg_t *req)
{
	return req->gid;
}

#endif
