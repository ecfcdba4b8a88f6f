/* array_job.h - a job array of a Slurm cluster, by that cluster's own sbatch and squeue from PATH.
 *
 * They find it as they always do: SLURM_CONF, or the system's slurm.conf.  An array is known by its name, which
 * its maker chooses before sbatch is called and no two arrays share: when its maker dies before sbatch's answer is there,
 * the process that resumes the experiment finds the array again.
 *
 * Call from one thread with SIGCHLD blocked or default.  The commands are waited for as long as they take, but a SIGINT,
 * SIGTERM or SIGHUP that the caller blocks and that is pending ends them, and the function with EINTR; it stays pending. */
#ifndef WT_HARNESS_EXPERIMENT_ARRAY_JOB_H
#define WT_HARNESS_EXPERIMENT_ARRAY_JOB_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/error.h"

#define ARRAY_ID_SIZE   32
#define ARRAY_NAME_SIZE 48
/* Tasks of one array: with Slurm's default MaxArraySize, 1001, the largest index is 1000. */
#define ARRAY_TASKS_MAX 1000

struct array_mark { /* an array that was begun, or may have been */
	char name[ARRAY_NAME_SIZE];
	char id[ARRAY_ID_SIZE]; /* "": not known */
};

struct array_request {
	const char *name; /* of the job: see array_job_name_make () */
	const char *partition; /* NULL: the default one */
	const char *output; /* --output: what tasks print that is not a run's own, "%a" is the task */
	const char *script; /* the batch script's text */
	size_t tasks; /* 1 to ARRAY_TASKS_MAX */
	unsigned int at_once; /* 0: as many as the cluster gives */
	bool exclusive; /* a node for each */
};

/* 'folder' and 'pattern' as a path for --output: sbatch takes each '%' of it as the beginning of a pattern, so that those of
 * the folder are doubled.  The caller frees it; NULL with ENOMEM.  Pure. */
char *array_job_output(const char *folder, const char *pattern);

/* Is there a sbatch?  0, or -1 with ENOENT and what to do. */
int array_job_check(struct wt_error *errp);

/* "windtunnel-0123456789abcdef": no two arrays have it. */
void array_job_name_make(char name[ARRAY_NAME_SIZE]);

/* Is this such a name? Pure. */
bool array_job_name_is(const char *name);

/* 'id' is the array's.  0; or -1 with EINVAL and what sbatch said, or EINTR: whether there is an array now is not known. */
int array_job_submit(const struct array_request *request, char id[ARRAY_ID_SIZE], struct wt_error *errp);

/* Does any task of the array of this name wait or run?  1, with the array's id; 0; or -1 when squeue does not tell, as while
 * slurmctld does not answer. */
int array_job_active(const char *name, char id[ARRAY_ID_SIZE], struct wt_error *errp);

/* Was a task of it cancelled, as far as slurmctld still knows (MinJobAge)? */
bool array_job_cancelled(const char *name);

/* "123" or "123;cluster": the id in what sbatch --parsable prints.  0, or -1 with EINVAL: there is none.
 * Pure. */
int array_job_id_read(const char *text, char id[ARRAY_ID_SIZE]);

/* What squeue's answer about a name means: 1, 0, -1 as array_job_active ().  'status' is its exit status.  Pure. */
int array_job_answer_read(int status, const char *text, char id[ARRAY_ID_SIZE]);

#endif
