/* jobs_env.h - a job's SPANK environment, which slurmctld keeps with the job. */
#ifndef WT_STRAGGLER_PROTOCOL_JOBS_ENV_H
#define WT_STRAGGLER_PROTOCOL_JOBS_ENV_H

#define JOBS_POLICY "WT_SPECULATE"	/* set by sbatch --speculate */
#define JOBS_COPY "WT_COPY_OF"	/* of a copy: ORIGINAL:ATTEMPT:ARRAY-JOB:TASK:TASKS */

#endif
