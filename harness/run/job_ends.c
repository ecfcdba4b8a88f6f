/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <stdlib.h>

#include "harness/run/job_ends.h"

static int compare_ids(const void *a, const void *b)
{
	const slurm_job_info_t *const *x = a, *const *y = b;

	return ((*x)->job_id > (*y)->job_id) - ((*x)->job_id < (*y)->job_id);
}

struct job_ends job_ends_make(const job_info_msg_t *jobs)
{
	struct job_ends ends = { .by_id = calloc(jobs->record_count + (size_t) 1, sizeof(*ends.by_id)) };

	if (!ends.by_id)
		return ends;
	for (uint32_t i = 0; i < jobs->record_count; i++)
		ends.by_id[ends.count++] = &jobs->job_array[i];
	qsort(ends.by_id, ends.count, sizeof(*ends.by_id), compare_ids);
	return ends;
}

static int compare_id(const void *key, const void *member)
{
	const slurm_job_info_t *const *job = member;
	uint32_t id = *(const uint32_t *) key;

	return (id > (*job)->job_id) - (id < (*job)->job_id);
}

enum waits_end job_ends_of(const struct job_ends *ends, uint32_t job_id)
{
	const slurm_job_info_t **found = ends->count ? bsearch(&job_id, ends->by_id, ends->count, sizeof(*ends->by_id),
								compare_id) : NULL;
	uint32_t state;

	if (!found || (*found)->array_job_id)
		return WAITS_END_UNKNOWN;
	state = (*found)->job_state;
	/* One that is to be requeued ends once more. */
	if ((state & JOB_STATE_BASE) <= JOB_SUSPENDED || state & (JOB_COMPLETING | JOB_REQUEUE))
		return WAITS_END_NOT_YET;
	return (state & JOB_STATE_BASE) == JOB_COMPLETE ? WAITS_END_COMPLETE : WAITS_END_OTHER;
}

void job_ends_clear(struct job_ends *ends)
{
	free(ends->by_id);
	*ends = (struct job_ends) { 0 };
}
