/* SPDX-License-Identifier: GPL-2.0-or-later */
/* site_jobs.h: the records of one job become one, and all stand by submission. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/site/reasons.h"
#include "harness/site/site_jobs.h"

static int by_id(const void *a, const void *b)
{
	const struct wt_site_job *x = a, *y = b;
	int order = strcmp(x->job.id, y->job.id);

	if (order == 0)
		order = (x->job.submit_s > y->job.submit_s) - (x->job.submit_s < y->job.submit_s);
	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static int by_submission(const void *a, const void *b)
{
	const struct wt_site_job *x = a, *y = b;
	int order = (x->job.submit_s > y->job.submit_s) - (x->job.submit_s < y->job.submit_s);

	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static void job_free(struct wt_site_job *job)
{
	wt_swf_job_clear(&job->job);
	free(job->nodes);
	free(job->partition);
}

/* 'later' is what became of 'first' after it was requeued: it was submitted, and could begin, when the first was. */
static int requeue_join(struct wt_site_jobs *jobs, struct wt_site_job *first, struct wt_site_job *later,
			struct wt_error *errp)
{
	struct wt_job_ask *ask = later->job.ask;
	double ran_s = first->job.run_time_s;
	bool by_request = !strcmp(first->state, "REQUEUED");

	later->requeued_s = later->job.submit_s;
	later->requeues = first->requeues + 1;
	later->job.submit_s = first->job.submit_s;
	later->eligible_s = first->eligible_s;
	ask->number[WT_ASK_BEGIN_AFTER_S] = first->job.ask->number[WT_ASK_BEGIN_AFTER_S];
	ask->number[WT_ASK_REQUEUE] = 1;
	if (by_request && ran_s > 0)	/* a preemption, or a node's failure, is the emulation's own business */
		ask->number[WT_ASK_REQUEUE_AFTER_S] = ran_s;
	else
		ask->number[WT_ASK_REQUEUE_AFTER_S] = first->job.ask->number[WT_ASK_REQUEUE_AFTER_S];
	/* How long it waited tells nothing of one wait. */
	later->job.wait_s = -1;
	return wt_reason_count(jobs->assumed, by_request ? "requeued: it is again, after as long" :
			       "requeued by a preemption or a failed node: it runs as long as it did last", errp);
}

/* A record may stand in the pieces of two days. */
static bool is_same_record(const struct wt_site_job *a, const struct wt_site_job *b)
{
	bool same_start = a->start_s == b->start_s || (isnan(a->start_s) && isnan(b->start_s));

	double submit_s = isnan(a->requeued_s) ? a->job.submit_s : a->requeued_s;

	return submit_s == b->job.submit_s && (!a->requeued || (a->state == b->state && same_start));
}

/* Records of the same id, by submission: the same record read twice, one job that was requeued, or, when ids begin again,
 * two jobs. */
static int records_join(struct wt_site_jobs *jobs, struct wt_error *errp)
{
	size_t kept = 0;
	int rc = 0;

	for (size_t i = 0; i < jobs->count && rc == 0; i++) {
		struct wt_site_job *before = kept ? &jobs->list[kept - 1] : NULL, *job = &jobs->list[i];
		bool same = before && !strcmp(before->job.id, job->job.id);

		if (same && is_same_record(before, job)) {
			rc = wt_reason_count(jobs->left_out, "records that stand twice", errp);
			job_free(job);
			memset(job, 0, sizeof(*job));
			continue;
		} else if (same && before->requeued) {
			rc = requeue_join(jobs, before, job, errp);
			job_free(before);
			kept--;
		} else if (same) {
			rc = wt_reason_count(jobs->left_out, "an id that is used again", errp);
			job_free(job);
			memset(job, 0, sizeof(*job));
			continue;
		}
		jobs->list[kept] = *job;
		if (&jobs->list[kept] != job)
			memset(job, 0, sizeof(*job));
		kept++;
	}
	if (rc == 0)
		jobs->count = kept;
	return rc;
}

int wt_site_jobs_finish(struct wt_site_jobs *jobs, struct wt_error *errp)
{
	if (jobs->count)
		qsort(jobs->list, jobs->count, sizeof(jobs->list[0]), by_id);
	if (records_join(jobs, errp) < 0)
		return -1;
	if (jobs->count)
		qsort(jobs->list, jobs->count, sizeof(jobs->list[0]), by_submission);
	for (size_t i = 0; i < jobs->count; i++)
		if (!strcmp(jobs->list[i].state, "REQUEUED") &&
		    wt_reason_count(jobs->assumed, "requeued, and not seen again: it ends so", errp) < 0)
			return -1;
	return wt_site_jobs_dependencies(jobs, errp);
}
