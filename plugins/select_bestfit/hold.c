/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "plugins/select_bestfit/hold.h"
#include "topology/tree.h"

#define PURGE_JOBS_MIN 64

struct held {
	uint32_t job;
	int64_t since_us, until_us;		/* of all levels; until_us: as of the last verdict */
	int64_t level_us[WT_TREE_LEVELS_MAX];	/* first held back for the level; 0: never */
};

struct hold {
	struct held *jobs;
	size_t count, room, purge_at;
};

struct hold *hold_create(void)
{
	struct hold *h = calloc(1, sizeof(*h));

	if (!h) {
		errno = ENOMEM;
		return NULL;
	}
	h->purge_at = PURGE_JOBS_MIN;
	return h;
}

void hold_destroy(struct hold *h)
{
	int saved_errno = errno;

	if (h) {
		free(h->jobs);
		free(h);
	}
	errno = saved_errno;
}

static struct held *job_find(struct hold *h, uint32_t job)
{
	for (size_t i = 0; i < h->count; i++)
		if (h->jobs[i].job == job)
			return &h->jobs[i];
	return NULL;
}

static struct held *job_add(struct hold *h, uint32_t job, int64_t now_us)
{
	if (h->count == h->room) {
		size_t room = h->room ? 2 * h->room : PURGE_JOBS_MIN;
		struct held *jobs = h->count < HOLD_JOBS_MAX ? realloc(h->jobs, room * sizeof(*jobs)) : NULL;

		if (!jobs)
			return NULL;
		h->jobs = jobs;
		h->room = room;
	}
	h->jobs[h->count] = (struct held) { .job = job, .since_us = now_us };
	return &h->jobs[h->count++];
}

/* The end of the longest of the clocks that still hold the job; 'now_us' or earlier: none does. */
static int64_t until(struct held *j, uint32_t beyond, const uint32_t *wait_s, uint32_t levels, int64_t now_us)
{
	int64_t latest_us = INT64_MIN, longest_s = 0;

	for (uint32_t l = 0; l < levels; l++)
		longest_s = wait_s[l] > longest_s ? wait_s[l] : longest_s;
	for (uint32_t l = 0; l < levels; l++) {
		int64_t end_us;

		if (!wait_s[l] || !(beyond & UINT32_C(1) << l))
			continue;
		if (!j->level_us[l])
			j->level_us[l] = now_us;
		end_us = j->level_us[l] + (int64_t) wait_s[l] * 1000000;
		latest_us = end_us > latest_us ? end_us : latest_us;
	}
	/* A job that is held back for one level after the other would otherwise wait for the sum of all times. */
	if (latest_us > j->since_us + longest_s * 1000000)
		latest_us = j->since_us + longest_s * 1000000;
	return latest_us;
}

static bool wanted(uint32_t beyond, const uint32_t *wait_s, uint32_t levels)
{
	for (uint32_t l = 0; l < levels; l++)
		if (wait_s[l] && (beyond & UINT32_C(1) << l))
			return true;
	return false;
}

enum hold_verdict hold_judge(struct hold *h, uint32_t job, uint32_t beyond, const uint32_t *wait_s, uint32_t levels,
			     int64_t now_us)
{
	struct held *j = job_find(h, job);
	bool first = !j;

	if (!wanted(beyond, wait_s, levels))
		return j ? HOLD_BETTER : HOLD_START;
	if (!j)
		j = job_add(h, job, now_us);
	if (!j)
		return HOLD_START;
	/* Before the verdict: it starts the clocks of levels that are new to the job. */
	j->until_us = until(j, beyond, wait_s, levels, now_us);
	/* A clock that was set back must not hold a job longer. */
	if (j->until_us <= now_us || j->since_us > now_us)
		return HOLD_EXPIRED;
	return first ? HOLD_FIRST : HOLD_AGAIN;
}

int64_t hold_next_us(const struct hold *h, int64_t now_us)
{
	int64_t next_us = INT64_MAX;

	for (size_t i = 0; i < h->count; i++)
		if (h->jobs[i].until_us > now_us && h->jobs[i].until_us < next_us)
			next_us = h->jobs[i].until_us;
	return next_us;
}

size_t hold_purge(struct hold *h, bool (*waits)(uint32_t job, void *arg), void *arg)
{
	size_t kept = 0;

	for (size_t i = 0; i < h->count; i++)
		if (waits(h->jobs[i].job, arg))
			h->jobs[kept++] = h->jobs[i];
	h->count = kept;
	h->purge_at = 2 * kept > PURGE_JOBS_MIN ? 2 * kept : PURGE_JOBS_MIN;
	return kept;
}

bool hold_full(const struct hold *h)
{
	return h->count >= h->purge_at || h->count == HOLD_JOBS_MAX;
}
