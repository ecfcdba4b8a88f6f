/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "harness/run/array_tasks.h"
#include "harness/run/job_tag.h"

/* libslurm exports them, slurm.h does not declare them. */
extern int slurm_bit_test(bitstr_t *b, int64_t bit);
extern int64_t slurm_bit_size(bitstr_t *b);

int64_t array_task_next(const slurm_job_info_t *job, int64_t task)
{
	bitstr_t *waiting = job->array_bitmap;

	if (job->array_task_id != NO_VAL)
		return task < 0 ? (int64_t) job->array_task_id : -1;
	for (task++; waiting && task < slurm_bit_size(waiting); task++)
		if (slurm_bit_test(waiting, task))
			return task;
	return -1;
}

uint32_t array_tasks_count(const slurm_job_info_t *job)
{
	uint32_t count = 0;

	for (int64_t task = -1; job->array_job_id && (task = array_task_next(job, task)) >= 0;)
		count++;
	return count ? count : 1;
}

int array_task_name(const slurm_job_info_t *job, const char *tag, int64_t task, char *name, size_t size)
{
	const char *array = wt_run_job_name(job->comment, job->name, tag);
	int len = array ? snprintf(name, size, "%.*s.%lld", (int) strcspn(array, ";"), array, (long long) task) : -1;

	return len >= 0 && (size_t) len < size ? 0 : -1;
}
