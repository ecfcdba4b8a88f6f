/* credential.h - the credentials of jobs and steps, as the installed Slurm makes and checks them.
 *
 * Call from one thread.  Up to 23.02 a context remembers which credentials were seen and revoked; from 23.11 on a credential
 * is verified when it is unpacked, by processes that count as slurmd, and bears the uid and gid that messages had before.
 * Source: Slurm's src/common/slurm_cred.c, from 23.02 on src/interfaces/cred.c. */
#ifndef WT_COMPAT_CREDENTIAL_H
#define WT_COMPAT_CREDENTIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "compat/full.h"

/* First of all, before Slurm's log_init (): this process checks credentials as slurmd does. */
void compat_count_as_slurmd(void);

/* Load Slurm's plugin of credentials, after its configuration was read.  False: it cannot be loaded. */
bool compat_cred_init(void);

/* A step's credential as slurmd checks it, but for replays: those are each node's own affair.  Slurm's error number, or
 * SLURM_SUCCESS and *arg; then hand it back with slurm_cred_unlock_args (). */
int compat_cred_verify(slurm_cred_t *cred, slurm_cred_arg_t **arg);

/* The credential of a job's launch was made no later than 'revoked_s' (seconds, the controller's clock); 0: nothing was. */
bool compat_cred_revoked(slurm_cred_t *cred, uint32_t job_id, int64_t revoked_s);

/* What srun's input and output begin with: its bytes, as long as the credential lives; with the 0 at the end where this
 * release's slurmstepd sends that too. */
const char *compat_cred_signature(slurm_cred_t *cred, uint32_t *len);

/* The user whose launch it is.  A message without a credential has none: (uid_t) NO_VAL. */
uid_t compat_launch_uid(const launch_tasks_request_msg_t *req);
gid_t compat_launch_gid(const launch_tasks_request_msg_t *req);
uid_t compat_batch_uid(const batch_job_launch_msg_t *req);
gid_t compat_batch_gid(const batch_job_launch_msg_t *req);

#endif
