/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "harness/page/sweep.h"

static int event_compare(const void *a, const void *b)
{
	const struct sweep_event *x = a, *y = b;

	if (x->time_s != y->time_s)
		return x->time_s < y->time_s ? -1 : 1;
	/* Events of one moment in the order of their kinds (sweep.h): an end before the start that takes its place
	 * would else make the machine overfull for no time. */
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}

static void event_add(struct sweep *sweep, double time_s, uint32_t job, enum sweep_kind kind)
{
	if (isfinite(time_s))
		sweep->events[sweep->count++] = (struct sweep_event) { time_s < 0 ? 0 : time_s, job, kind };
}

/* slurmctld's own times have whole seconds: a start may seem to lie up to a second before the submission. */
static int job_possible(const struct page_job *job)
{
	return !(job->end_s < job->start_s) && !(job->release_s < job->end_s - 1) && !(job->start_s < job->sent_s - 1) &&
		!(job->end_s < 0);
}

static void job_add(struct sweep *sweep, const struct page_job *job, uint32_t index)
{
	int started = isfinite(job->start_s);
	/* In the queue only for as long as it is known: not when it was refused, or is final without a time. */
	int waits = isfinite(job->submit_s) && (started || isfinite(job->end_s) || !wt_job_state_final(job->record->state));

	if (waits)
		event_add(sweep, started ? fmin(job->submit_s, job->start_s) : job->submit_s, index, SWEEP_SUBMIT);
	if (!started) {
		if (waits)
			event_add(sweep, job->end_s, index, SWEEP_LEAVE);
		return;
	}
	event_add(sweep, job->start_s, index, SWEEP_START);
	event_add(sweep, job->end_s, index, SWEEP_END);
	if (isfinite(job->end_s))
		event_add(sweep, isfinite(job->release_s) ? fmax(job->end_s, job->release_s) : job->end_s, index,
			  SWEEP_RELEASE);
}

int sweep_make(struct sweep *sweep, const struct page_run *run, struct wt_error *errp)
{
	*sweep = (struct sweep) { .events = malloc((run->job_count ? run->job_count : 1) * 4 * sizeof(*sweep->events)) };
	if (!sweep->events)
		return wt_error_errno(errp, ENOMEM, "events of %zu jobs", run->job_count);
	for (size_t i = 0; i < run->job_count; i++) {
		if (job_possible(&run->jobs[i]))
			job_add(sweep, &run->jobs[i], (uint32_t) i);
		else
			sweep->impossible++;
	}
	qsort(sweep->events, sweep->count, sizeof(*sweep->events), event_compare);
	return 0;
}

void sweep_clear(struct sweep *sweep)
{
	free(sweep->events);
	*sweep = (struct sweep) { 0 };
}

double sweep_busy(const struct page_job *job, enum sweep_kind kind)
{
	return kind == SWEEP_START ? job->cpus : kind == SWEEP_END ? -(double) job->cpus : 0;
}

double sweep_waiting(const struct page_job *job, enum sweep_kind kind)
{
	if (kind == SWEEP_SUBMIT)
		return 1;
	/* A job without the time of its submission never was in the queue. */
	return (kind == SWEEP_START && isfinite(job->submit_s)) || kind == SWEEP_LEAVE ? -1 : 0;
}

double sweep_running(const struct page_job *job, enum sweep_kind kind)
{
	(void) job;
	return kind == SWEEP_START ? 1 : kind == SWEEP_END ? -1 : 0;
}

double sweep_completing(const struct page_job *job, enum sweep_kind kind)
{
	double node_s = wt_job_completing_node_s(job->record), span_s = job->release_s - job->end_s;

	if ((kind != SWEEP_END && kind != SWEEP_RELEASE) || !(node_s > 0) || !(span_s > 0))
		return 0;
	return kind == SWEEP_END ? node_s / span_s : -node_s / span_s;
}

double sweep_gpus(const struct page_job *job, enum sweep_kind kind)
{
	double gpus = job->record->alloc_gpus == WT_GPUS_UNKNOWN ? 0 : job->record->alloc_gpus;

	return kind == SWEEP_START ? gpus : kind == SWEEP_END ? -gpus : 0;
}
