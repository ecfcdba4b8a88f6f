/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "harness/export/lanes.h"
#include "harness/export/trace_private.h"

struct sent_job {
	int64_t sent_us, reply_us;
	uint32_t job;
	bool timed;		/* both are known */
};

static void group_arg(struct trace_events *events, const struct trace_plan *plan, const struct page_job *job,
		      enum page_group group, const char *key)
{
	uint32_t word = job->group[group];

	if (word != PAGE_NO_GROUP)
		trace_arg_text(events, key, plan->run->groups[group].words[word]);
}

static void job_args(struct trace_events *events, const struct trace_plan *plan, const struct page_job *job)
{
	double wait_s = job->start_s - job->sent_s;

	trace_arg_count(events, "job_id", job->id);
	trace_arg_text(events, "state", wt_job_state_name(job->record->state));
	trace_arg_count(events, "cpus", job->cpus);
	if (isfinite(wait_s))
		trace_arg_number(events, "wait_s", fmax(0, round(wait_s * 1e6) / 1e6));
	group_arg(events, plan, job, PAGE_GROUP_CLASS, "class");
	group_arg(events, plan, job, PAGE_GROUP_PARTITION, "partition");
	group_arg(events, plan, job, PAGE_GROUP_ACCOUNT, "account");
	group_arg(events, plan, job, PAGE_GROUP_USER, "user");
	group_arg(events, plan, job, PAGE_GROUP_QOS, "qos");
	group_arg(events, plan, job, PAGE_GROUP_REASON, "reason");
	if (!isfinite(job->end_s))
		trace_arg_text(events, "end", "not known");
	if (plan->whole)
		trace_arg_text(events, "nodes", job->record->node_list);
}

static void flow_write(struct trace_events *events, char phase, struct trace_track track, int64_t ts_us, uint32_t job)
{
	trace_event_begin(events, phase, "wait", track, ts_us);
	trace_field_text(events, "cat", "wait");
	trace_field_number(events, "id", (int64_t) job + 1);
	if (phase == 'f')
		trace_field_text(events, "bp", "e");	/* the slice around this moment, not the next one */
	trace_event_end(events);
}

/* A flow needs a slice at both ends. */
static bool has_flow(const struct trace_plan *plan, const struct trace_slice *slice)
{
	return plan->whole && slice->end_us > slice->start_us && isfinite(plan->run->jobs[slice->job].submit_s);
}

static void slice_write(struct trace_events *events, const struct trace_plan *plan, const struct trace_slice *slice,
			uint32_t lane)
{
	const struct page_job *job = &plan->run->jobs[slice->job];
	struct trace_track track = { TRACE_JOBS, lane + 1 };

	trace_event_begin(events, 'X', trace_job_name(job), track, slice->start_us);
	trace_field_number(events, "dur", slice->end_us - slice->start_us);
	job_args(events, plan, job);
	trace_event_end(events);
	if (has_flow(plan, slice))
		flow_write(events, 'f', track, slice->start_us, slice->job);
}

static void lane_names(struct trace_events *events, uint32_t pid, uint32_t first_tid, uint32_t count)
{
	char name[32];

	for (uint32_t lane = 0; lane < count; lane++) {
		snprintf(name, sizeof(name), "lane %" PRIu32, lane + 1);
		trace_name(events, "thread", (struct trace_track){ pid, first_tid + lane }, name, first_tid + lane);
	}
}

static int submission_compare(const void *a, const void *b)
{
	const struct sent_job *x = a, *y = b;

	if (x->timed != y->timed)
		return x->timed ? -1 : 1;
	if (x->sent_us != y->sent_us)
		return x->sent_us < y->sent_us ? -1 : 1;
	return (x->job > y->job) - (x->job < y->job);
}

/* Those whose latency is known first, by time; NULL without memory. */
static struct sent_job *submissions_make(const struct trace_plan *plan, size_t *count)
{
	struct sent_job *all = calloc(plan->run->job_count + 1, sizeof(*all));

	*count = 0;
	for (size_t i = 0; i < plan->run->job_count && all; i++) {
		const struct page_job *job = &plan->run->jobs[i];
		bool timed = isfinite(job->sent_s) && job->submit_s > job->sent_s;

		if (isfinite(job->submit_s))
			all[(*count)++] = (struct sent_job){ trace_time_us(timed ? job->sent_s : job->submit_s),
							       trace_time_us(job->submit_s), (uint32_t) i, timed };
	}
	if (all)
		qsort(all, *count, sizeof(*all), submission_compare);
	return all;
}

static void flow_begin(struct trace_events *events, const struct sent_job *s, struct trace_track track, const bool *flows)
{
	if (flows[s->job])
		flow_write(events, 's', track, s->sent_us, s->job);
}

/* Submissions whose latency is known: from sending to the reply. */
static int timed_write(struct trace_events *events, const struct trace_plan *plan, const struct sent_job *all,
		       size_t count, const bool *flows, uint32_t first_tid, uint32_t *lane_count)
{
	struct lanes lanes = { 0 };
	uint32_t lane = 0;

	for (size_t i = 0; i < count && all[i].timed && lane != LANE_NONE; i++) {
		const struct page_job *job = &plan->run->jobs[all[i].job];
		int64_t us = all[i].reply_us > all[i].sent_us ? all[i].reply_us - all[i].sent_us : 1;
		struct trace_track track = { TRACE_SUBMISSIONS, first_tid };

		lane = lane_take(&lanes, all[i].sent_us, all[i].sent_us + us);
		track.tid += lane;
		trace_event_begin(events, 'X', trace_job_name(job), track, all[i].sent_us);
		trace_field_number(events, "dur", us);
		trace_arg_count(events, "job_id", job->id);
		trace_arg_number(events, "latency_s", job->submit_s - job->sent_s);
		trace_event_end(events);
		flow_begin(events, &all[i], track, flows);
	}
	*lane_count = lanes.count;
	lanes_clear(&lanes);
	return lane == LANE_NONE ? -1 : 0;
}

/* Of the others only a moment is known: one slice of 1 us for all of the same one. */
static void moments_write(struct trace_events *events, const struct sent_job *all, size_t count, const bool *flows,
			  struct trace_track track)
{
	for (size_t i = 0, same; i < count; i += same) {
		char name[48];

		for (same = 1; i + same < count && all[i + same].sent_us == all[i].sent_us; same++)
			;
		snprintf(name, sizeof(name), "%zu submission%s", same, same == 1 ? "" : "s");
		trace_event_begin(events, 'X', name, track, all[i].sent_us);
		trace_field_number(events, "dur", 1);
		trace_arg_count(events, "submissions", same);
		trace_event_end(events);
		for (size_t k = 0; k < same; k++)
			flow_begin(events, &all[i + k], track, flows);
	}
}

static int submissions_write(struct trace_events *events, const struct trace_plan *plan, uint32_t first_tid)
{
	bool *flows = calloc(plan->run->job_count + 1, sizeof(*flows));
	size_t count, timed = 0;
	struct sent_job *all = submissions_make(plan, &count);
	uint32_t lane_count;
	int rc = flows && all ? 0 : -1;

	for (size_t i = 0; i < plan->slice_count && rc == 0; i++)
		flows[plan->slices[i].job] = has_flow(plan, &plan->slices[i]);
	if (rc == 0 && count) {
		while (timed < count && all[timed].timed)
			timed++;
		rc = timed_write(events, plan, all, count, flows, first_tid, &lane_count);
		if (rc == 0 && timed < count)
			moments_write(events, all + timed, count - timed, flows,
				      (struct trace_track){ TRACE_SUBMISSIONS, first_tid + lane_count++ });
		trace_name(events, "process", (struct trace_track){ TRACE_SUBMISSIONS, 0 }, "submissions",
			   TRACE_SUBMISSIONS);
		lane_names(events, TRACE_SUBMISSIONS, first_tid, lane_count);
	}
	free(flows);
	free(all);
	return rc;
}

int trace_jobs_write(struct trace_events *events, const struct trace_plan *plan)
{
	struct lanes lanes = { 0 };
	uint32_t count, lane = 0;

	for (size_t i = 0; i < plan->slice_count && lane != LANE_NONE; i++) {
		lane = lane_take(&lanes, plan->slices[i].start_us, plan->slices[i].end_us);
		if (lane != LANE_NONE)
			slice_write(events, plan, &plan->slices[i], lane);
	}
	count = lanes.count;
	lanes_clear(&lanes);
	if (lane == LANE_NONE)
		return -1;
	if (count) {
		trace_name(events, "process", (struct trace_track){ TRACE_JOBS, 0 }, "jobs", TRACE_JOBS);
		lane_names(events, TRACE_JOBS, 1, count);
	}
	return plan->whole ? submissions_write(events, plan, count + 1) : 0;
}
