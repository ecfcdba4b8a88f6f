/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>

#include "record/events.h"

/* slurmctld's times are cut to whole seconds. */
#define CUT_S 1

static void nodes_clear(struct wt_job_record *job)
{
	job->release_s = job->probe_latency_s = NAN;
	job->release_sum_s = 0;
	job->released_nodes = 0;
}

static void end_clear(struct wt_job_record *job)
{
	job->end_s = NAN;
	job->exit_code = 0;
}

/* What slurmctld told of this life's end stays: its node may have died with its own word of it. */
static void start_apply(struct wt_job_record *job, double start_s)
{
	nodes_clear(job);
	/* Negated, so that an end that is not known is cleared, too. */
	if (!(job->end_s >= start_s - CUT_S))
		end_clear(job);
	else if (job->end_s < start_s)
		job->end_s = start_s;
	job->start_s = start_s;
}

static void release_apply(struct wt_job_record *job, const struct wt_event *event)
{
	if (!(event->time_s <= job->release_s))	/* NAN, too */
		job->release_s = event->time_s;
	/* Without a start there is nothing to count from; a job that was cancelled while it waited has no nodes either. */
	if (isnan(job->start_s))
		return;
	job->released_nodes++;
	job->release_sum_s += event->time_s - job->start_s;
}

static void event_apply(struct wt_job_record *job, const struct wt_event *event)
{
	switch (event->kind) {
	case WT_EVENT_SUBMIT:
		job->submit_s = event->time_s;
		job->submit_latency_s = event->value;
		break;
	case WT_EVENT_REQUEUE:
		/* It comes with the new "start", before or behind it. */
		if (job->start_s < event->time_s)
			nodes_clear(job);
		break;
	case WT_EVENT_START:
		start_apply(job, event->time_s);
		break;
	case WT_EVENT_PROBE:
		job->probe_latency_s = event->value;
		break;
	case WT_EVENT_END:
		job->end_s = event->time_s;
		if (event->value >= 0 && event->value <= 255)
			job->exit_code = (uint32_t) event->value;
		break;
	case WT_EVENT_RELEASE:
		release_apply(job, event);
		break;
	case WT_EVENT_CANCEL:
		break;	/* the script's own "end" follows */
	}
}

int wt_record_apply(struct wt_record *record, const struct wt_event *event)
{
	struct wt_job_record *job = wt_record_find(record, event->job_id);

	if (!job)
		return 0;
	event_apply(job, event);
	return 1;
}
