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

/* The run that came to nothing, in the ask of the next one. */
static int requeue_ask(struct wt_site_jobs *jobs, const struct wt_site_job *first, struct wt_site_job *later,
		       struct wt_error *errp)
{
	struct wt_job_ask *ask = later->job.ask;
	double ran_s = first->job.run_time_s;
	/* A preemption, or a node's failure, is the emulation's own business. */
	bool by_request = !first->requeued || !strcmp(first->state, "REQUEUED");

	ask->number[WT_ASK_REQUEUE] = 1;
	ask->number[WT_ASK_REQUEUE_AFTER_S] = first->job.ask->number[WT_ASK_REQUEUE_AFTER_S];
	if (!by_request)
		return wt_reason_count(jobs->assumed, "requeued by a preemption or a failed node: it runs as long as it did "
				       "last", errp);
	if (!(ran_s > 0 && ran_s < later->job.run_time_s))	/* it ends before it could be requeued */
		return wt_reason_count(jobs->unknown, "a run before it was requeued, as long as its last one or longer",
				       errp);
	ask->number[WT_ASK_REQUEUE_AFTER_S] = ran_s;
	return wt_reason_count(jobs->assumed, "requeued: it is again, after as long", errp);
}

/* 'later' is what became of 'first' after it was requeued: it was submitted, and could begin, when the first was. */
static int requeue_join(struct wt_site_jobs *jobs, const struct wt_site_job *first, struct wt_site_job *later,
			struct wt_error *errp)
{
	struct wt_job_ask *ask = later->job.ask;
	double *cancel_s = &ask->number[WT_ASK_CANCEL_AFTER_S];

	if (!isnan(*cancel_s)) {	/* while it waited once more: since its first submission */
		*cancel_s += later->job.submit_s - first->job.submit_s;
		later->job.run_time_s = later->job.requested_time_s > 0 ? fmin(later->job.requested_time_s, *cancel_s) :
					*cancel_s;
	}
	later->requeues = first->requeues + 1;
	later->job.submit_s = first->job.submit_s;
	later->eligible_s = first->eligible_s;
	ask->number[WT_ASK_BEGIN_AFTER_S] = first->job.ask->number[WT_ASK_BEGIN_AFTER_S];
	/* How long it waited tells nothing of one wait. */
	later->job.wait_s = -1;
	return requeue_ask(jobs, first, later, errp);
}

/* A record may stand in the pieces of two days. */
static bool is_same_record(const struct wt_site_job *a, const struct wt_site_job *b)
{
	bool same_start = a->start_s == b->start_s || (isnan(a->start_s) && isnan(b->start_s));

	return a->job.submit_s == b->job.submit_s && (!a->requeued || (a->state == b->state && same_start));
}

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Of the same id: was one job requeued, of itself or, when it had ended, by hand?  Else ids have begun again. */
static bool is_same_job(const struct wt_site_job *a, const struct wt_site_job *b)
{
	static const enum wt_ask_text own[] = { WT_ASK_USER, WT_ASK_NAME, WT_ASK_ACCOUNT };
	bool same = true;

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		same = same && is_same_text(a->job.ask->text[own[i]], b->job.ask->text[own[i]]);
	return a->requeued || same;
}

/* What is to become of 'job', which stands behind 'before': 0, *joined: it takes the place of 'before', or else is kept
 * beside it, or, *dropped, is not kept; -1. */
static int record_join(struct wt_site_jobs *jobs, const struct wt_site_job *before, struct wt_site_job *job, bool *joined,
		       bool *dropped, struct wt_error *errp)
{
	*joined = *dropped = false;
	if (!before || strcmp(before->job.id, job->job.id) != 0)
		return 0;
	*joined = is_same_job(before, job);
	*dropped = !*joined;
	return *joined ? requeue_join(jobs, before, job, errp) :
	       wt_reason_count(jobs->left_out, "an id that is used again", errp);
}

/* As record_join (): the same record, of two queries.  The later one knows more: how the job ended. */
static int record_once(struct wt_site_jobs *jobs, const struct wt_site_job *before, struct wt_site_job *job, bool *joined,
		       bool *dropped, struct wt_error *errp)
{
	*dropped = false;
	*joined = before && !strcmp(before->job.id, job->job.id) && is_same_record(before, job);
	return *joined ? wt_reason_count(jobs->left_out, "records that stand twice", errp) : 0;
}

typedef int (*record_f)(struct wt_site_jobs *, const struct wt_site_job *, struct wt_site_job *, bool *, bool *,
			struct wt_error *);

/* Look at each with the one before it that was kept. */
static int records_each(struct wt_site_jobs *jobs, record_f look, struct wt_error *errp)
{
	size_t kept = 0;
	int rc = 0;

	for (size_t i = 0; i < jobs->count && rc == 0; i++) {
		struct wt_site_job *before = kept ? &jobs->list[kept - 1] : NULL, job;
		bool joined, dropped;

		rc = look(jobs, before, &jobs->list[i], &joined, &dropped, errp);
		if (rc < 0)
			break;
		job = jobs->list[i];
		memset(&jobs->list[i], 0, sizeof(job));
		if (joined)
			job_free(&jobs->list[--kept]);
		if (dropped)
			job_free(&job);
		else
			jobs->list[kept++] = job;
	}
	if (rc == 0)
		jobs->count = kept;
	return rc;
}

int wt_site_jobs_finish(struct wt_site_jobs *jobs, struct wt_error *errp)
{
	if (jobs->count)
		qsort(jobs->list, jobs->count, sizeof(jobs->list[0]), by_id);
	if (records_each(jobs, record_once, errp) < 0 || records_each(jobs, record_join, errp) < 0)
		return -1;
	if (jobs->count)
		qsort(jobs->list, jobs->count, sizeof(jobs->list[0]), by_submission);
	for (size_t i = 0; i < jobs->count; i++)
		if (!strcmp(jobs->list[i].state, "REQUEUED") &&
		    wt_reason_count(jobs->assumed, "requeued, and not seen again: it ends so", errp) < 0)
			return -1;
	return wt_site_jobs_dependencies(jobs, errp);
}
