/* slurmenv.h - the environment of a Slurm program that shall talk to one certain cluster. */
#ifndef WT_HARNESS_CLUSTER_FOLDER_SLURMENV_H
#define WT_HARNESS_CLUSTER_FOLDER_SLURMENV_H

#include <stdbool.h>

/* Would "NAME=VALUE" of the environment lead a Slurm program to another cluster or job, or set options for one? */
bool wt_slurmenv_misleads(const char *setting);

/* The settings of our environment that do not mislead, for a program that is begun with them: a list that ends with NULL,
 * which the caller frees, and its strings not.  NULL: ENOMEM. */
char **wt_slurmenv_clean(void);

/* The folder of the commands of the Slurm that this is built for; "": the distribution's, which PATH has (a PATH that would
 * find another Slurm's programs first has not). */
const char *wt_slurmenv_bindir(void);

/* Set SLURM_CONF in the caller's environment, PATH so that it begins with wt_slurmenv_bindir (), and remove what misleads:
 * all other SLURM_*, those of its daemons and of SPANK plugins (_SLURM_*), and SBATCH_*, SALLOC_*, SRUN_*, SCRONTAB_*
 * (SLURM_TIME_FORMAT, which only formats, stays), and folders of LD_LIBRARY_PATH that have a libslurmfull.so.  -1:
 * ENOMEM. */
int wt_slurmenv_set(const char *slurm_conf);

/* The same for a file that must be there: libslurm would wait a minute for it.  -1 with errno: that of access(2), or
 * ENOMEM. */
int wt_slurmenv_use(const char *slurm_conf);

#endif
