/* array_tasks.h - which tasks of a run's job arrays a record of slurmctld's stands for. */
#ifndef WT_HARNESS_RUN_ARRAY_TASKS_H
#define WT_HARNESS_RUN_ARRAY_TASKS_H

#include <stddef.h>
#include <stdint.h>

#include <slurm/slurm.h>

/* The task behind 'task' (-1: the first), or -1: there is none.  A record has one, or all that wait and have never begun. */
int64_t array_task_next(const slurm_job_info_t *job, int64_t task);

uint32_t array_tasks_count(const slurm_job_info_t *job);	/* of a job that is no array: 1 */

/* What the run calls it (workload.h): the array's name stands behind the tag in the comment, and what the straggler plugin
 * adds to that behind a semicolon.  0, or -1: no job of the run's, or a name too long. */
int array_task_name(const slurm_job_info_t *job, const char *tag, int64_t task, char *name, size_t size);

#endif
