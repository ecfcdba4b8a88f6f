/* wt_slurmenv.h - the environment of a Slurm program that shall talk to one certain cluster. */
#ifndef WT_SLURMENV_H
#define WT_SLURMENV_H

/* Set SLURM_CONF in the caller's environment, and remove what would lead to another cluster or job, or set options for
 * one: all other SLURM_*, and SBATCH_*, SALLOC_*, SRUN_* (SLURM_TIME_FORMAT, which only formats, stays).  -1: ENOMEM. */
int wt_slurmenv_set(const char *slurm_conf);

#endif
