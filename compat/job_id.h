/* job_id.h - how messages name a job: by its number, or by the id of a step, of which that is a part. */
#ifndef WT_COMPAT_JOB_ID_H
#define WT_COMPAT_JOB_ID_H

#include "slurm/slurm.h"

#include "compat/features.h"

/* In the initializer of a message, of a message there is, and in a call of the public library. */
#ifdef WT_HAVE_STEP_ID_MESSAGES
#define COMPAT_JOB_ID(id) .step_id = { .job_id = (id), .step_id = NO_VAL, .step_het_comp = NO_VAL }
#define compat_job_id(msg) (msg)->step_id.job_id
#else
#define COMPAT_JOB_ID(id) .job_id = (id)
#define compat_job_id(msg) (msg)->job_id
#endif
#ifdef WT_HAVE_STEP_ID_CALLS
#define COMPAT_JOB(id) ((slurm_step_id_t) { .job_id = (id), .step_id = NO_VAL, .step_het_comp = NO_VAL })
#else
#define COMPAT_JOB(id) (id)
#endif

#endif
