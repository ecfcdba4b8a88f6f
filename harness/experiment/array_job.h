/* array_job.h - a job array of a Slurm cluster, by that cluster's own sbatch and squeue from PATH.
 *
 * They find it as they do for anybody: SLURM_CONF, or the system's slurm.conf.  Call from one thread with SIGCHLD blocked or
 * default; the commands are waited for. */
#ifndef WT_HARNESS_EXPERIMENT_ARRAY_JOB_H
#define WT_HARNESS_EXPERIMENT_ARRAY_JOB_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"

#define ARRAY_ID_SIZE   32
/* Tasks of one array: with Slurm's default MaxArraySize, 1001, the largest index is 1000. */
#define ARRAY_TASKS_MAX 1000

struct array_request {
	const char *name; /* of the job */
	const char *partition; /* NULL: the default one */
	const char *output; /* --output: what tasks print that is not a run's own, "%a" is the task */
	const char *script; /* the batch script's text */
	size_t tasks; /* 1 to ARRAY_TASKS_MAX */
	unsigned int at_once; /* 0: as many as the cluster gives */
	bool exclusive; /* a node for each */
};

/* Is there a sbatch?  0, or -1 with ENOENT and what to do. */
int array_job_check(struct wt_error *errp);

/* 'id' is the array's.  0, or -1 with EINVAL and what sbatch said. */
int array_job_submit(const struct array_request *request, char id[ARRAY_ID_SIZE], struct wt_error *errp);

/* Does any task of it wait or run?  1; 0; or -1 when squeue does not tell, as while slurmctld does not answer. */
int array_job_active(const char *id, struct wt_error *errp);

/* Was a task of it cancelled, as far as slurmctld still knows (MinJobAge)? */
bool array_job_cancelled(const char *id);

/* "123" or "123;cluster": the id in what sbatch --parsable prints.  0, or -1 with EINVAL: there is none.
 * Pure. */
int array_job_id_read(const char *text, char id[ARRAY_ID_SIZE]);

/* What squeue's answer means: 1, 0, -1 as array_job_active ().  'status' is its exit status, 'words' what it said on
 * standard error.  Pure. */
int array_job_answer_read(int status, const char *text, const char *words);

#endif
