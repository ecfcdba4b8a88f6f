/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the jobs of windtunnel-jobs(5) ended, beside how they were to end, and as whom they ran. */
#include "config.h"

#include "harness/run/run_private.h"
#include "lib/json.h"

#define NAMES_MAX 100

static enum wt_job_state state_asked(enum wt_job_end end)
{
	static const enum wt_job_state states[WT_END_COUNT] = {
		[WT_END_COMPLETED] = WT_JOB_COMPLETED, [WT_END_FAILED] = WT_JOB_FAILED,
		[WT_END_TIME_LIMIT] = WT_JOB_TIMEOUT, [WT_END_CANCELLED] = WT_JOB_CANCELLED,
		[WT_END_OUT_OF_MEMORY] = WT_JOB_OTHER, [WT_END_NODE_FAILURE] = WT_JOB_NODE_FAIL,
	};

	return states[end];
}

/* The record has the workload's order. */
static bool otherwise(const struct wt_run *run, size_t i)
{
	const struct wt_job_record *r = &run->record->jobs[i];

	return wt_job_state_final(r->state) && r->state != state_asked(run->workload->jobs[i].ask->end);
}

static json_t *otherwise_json(const struct wt_run *run, size_t *count)
{
	json_t *jobs = json_object();

	*count = 0;
	for (size_t i = 0; i < run->record->job_count; i++) {
		const struct wt_job_record *r = &run->record->jobs[i];

		if (!otherwise(run, i) || ++*count > NAMES_MAX)
			continue;
		json_object_set_new(jobs, r->name, json_pack("{s:s, s:s}", "asked",
							     wt_job_end_name(run->workload->jobs[i].ask->end), "state",
							     wt_job_state_name(r->state)));
	}
	return jobs;
}

json_t *wt_run_ends_json(const struct wt_run *run)
{
	const struct wt_job_users *u = &run->users;
	size_t count;
	json_t *jobs;

	if (!run->scenario->choice.trace.has_asks)
		return json_null();
	jobs = otherwise_json(run, &count);
	return json_pack("{s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
			 "ended_otherwise", (json_int_t) count, "jobs", jobs,
			 "cancelled", (json_int_t) run->acts.cancelled, "requeued", (json_int_t) run->acts.requeued,
			 "nodes_failed", (json_int_t) run->acts.nodes_failed,
			 "users_named", (json_int_t) u->named, "users_as_caller",
			 (json_int_t) (u->not_allowed ? u->named : u->unknown),
			 "users_unknown", (json_int_t) u->unknown, "groups_unknown", (json_int_t) u->groups_unknown,
			 "groups_refused", (json_int_t) u->groups_refused);
}

void wt_run_ends_print(FILE *out, const struct wt_run *run)
{
	const struct wt_job_users *u = &run->users;
	size_t count = 0, first = 0;

	if (!run->scenario->choice.trace.has_asks)
		return;
	for (size_t i = 0; i < run->record->job_count; i++)
		if (otherwise(run, i) && !count++)
			first = i;
	if (count)
		fprintf(out, "  %zu jobs ended otherwise than the file says, the first: %s, %s there, %s here\n", count,
			run->record->jobs[first].name, wt_job_end_name(run->workload->jobs[first].ask->end),
			wt_job_state_name(run->record->jobs[first].state));
	if (u->not_allowed && u->named)
		fprintf(out, "  %zu jobs name a user, and ran as the caller, who may not submit for others here\n",
			u->named);
	if (u->unknown)
		fprintf(out, "  %zu jobs ran as the caller, because nobody knows their user, the first: %s\n", u->unknown,
			u->first_unknown);
	if (u->groups_unknown)
		fprintf(out, "  %zu jobs ran with their user's own group, because nobody knows theirs\n", u->groups_unknown);
	if (u->groups_refused)
		fprintf(out, "  %zu jobs ran with their user's own group, because theirs is root's\n", u->groups_refused);
}
