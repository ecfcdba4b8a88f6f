/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select_bestfit/queue.h"

#include "plugins/select_bestfit/job_rules.h"
#include "lib/clock.h"

#define JOBS_PER_DECISION 64	/* of slurmctld's list: what reading it anew may cost, shared among the decisions since */

/* Of slurmctld alone: the plugin also loads in clients. */
#pragma weak find_job_record
#pragma weak job_list

struct waiting {
	uint32_t priority, job_id;
};

static struct {
	struct waiting jobs[QUEUE_KEPT];	/* by priority; their records may be gone */
	size_t count;
	uint64_t decisions;			/* since they were read */
} queue = { .decisions = UINT32_MAX };

static bool is_behind(const struct waiting *a, const struct waiting *b)
{
	return a->priority != b->priority ? a->priority < b->priority : a->job_id > b->job_id;
}

static bool is_waiting(const job_record_t *job)
{
	return IS_JOB_PENDING(job) && job->priority && job->details && !(job->bit_flags & JOB_DEPENDENT) &&
	       job->details->begin_time <= (time_t) (wt_clock_now_us(wt_clock_real()) / 1000000);
}

static int job_keep(void *x, void *arg)
{
	const job_record_t *job = x;
	const struct waiting w = { .priority = job->priority, .job_id = job->job_id };
	size_t i = queue.count;

	(void) arg;
	if (!is_waiting(job) || (i == QUEUE_KEPT && is_behind(&w, &queue.jobs[i - 1])))
		return 0;
	for (i = i < QUEUE_KEPT ? i : i - 1; i > 0 && is_behind(&queue.jobs[i - 1], &w); i--)
		queue.jobs[i] = queue.jobs[i - 1];
	queue.jobs[i] = w;
	queue.count += queue.count < QUEUE_KEPT;
	return 0;
}

static size_t next_find(const job_record_t *job, struct bestfit_job *to)
{
	const struct waiting self = { .priority = job->priority, .job_id = job->job_id };
	size_t count = 0;

	for (size_t i = 0; i < queue.count && count < WT_SELECT_NEXT_MAX; i++) {
		const job_record_t *next = is_behind(&queue.jobs[i], &self) ? find_job_record(queue.jobs[i].job_id) : NULL;

		if (!next || next->part_ptr != job->part_ptr || !is_waiting(next))
			continue;
		memset(&to[count], 0, sizeof(to[count]));
		job_read(next, &to[count]);
		to[count].min_nodes = next->details->min_nodes;
		to[count].max_nodes = next->details->max_nodes ? next->details->max_nodes : UINT32_MAX;
		count++;
	}
	return count;
}

size_t queue_next(const job_record_t *job, uint16_t mode, struct bestfit_job *to)
{
	size_t count;

	if ((mode & SELECT_MODE_BASE) != SELECT_MODE_RUN_NOW || !find_job_record || !&job_list || !job_list)
		return 0;
	count = next_find(job, to);
	queue.decisions++;
	/* Enough is known, or the last reading has not been earned yet. */
	if (count == WT_SELECT_NEXT_MAX || queue.decisions * JOBS_PER_DECISION < (uint64_t) list_count(job_list))
		return count;
	queue.count = queue.decisions = 0;
	list_for_each(job_list, job_keep, NULL);
	return next_find(job, to);
}
