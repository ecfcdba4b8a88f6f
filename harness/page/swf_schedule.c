/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/page/swf_schedule.h"
#include "workload/swf_trace.h"

/* Field 11, of a job that ran; not told (-1) is counted in a note. */
static enum wt_job_state state_of(int status)
{
	switch (status) {
	case -1:
	case 1:
		return WT_JOB_COMPLETED;
	case 0:
		return WT_JOB_FAILED;
	case 5:
		return WT_JOB_CANCELLED;
	default:
		return WT_JOB_OTHER;
	}
}

/* Users, groups and queues are numbers; -1 is not known. */
static char *number_text(int64_t number)
{
	return number >= 0 ? wt_str_format("%" PRId64, number) : NULL;
}

static int job_fill(struct wt_job_record *job, const struct wt_swf_job *from, double first_s, uint32_t id)
{
	wt_job_record_init(job);
	job->job_id = id;
	job->state = state_of(from->status);
	job->cpus = from->procs;
	job->run_time_s = from->run_time_s;
	job->time_limit_s = from->requested_time_s >= 0 ? from->requested_time_s : NAN;
	job->submit_s = from->submit_s - first_s;
	job->submit_latency_s = NAN;
	if (from->wait_s >= 0) {
		job->alloc_cpus = from->procs;
		job->start_s = job->submit_s + from->wait_s;
		job->end_s = job->start_s + from->run_time_s;
	}
	job->name = wt_str_format("%" PRIu64, from->number);
	job->class_name = from->executable >= 0 ? wt_str_format("executable %" PRId64, from->executable) : strdup("");
	job->user = number_text(from->user);
	job->account = number_text(from->group);
	job->partition = number_text(from->queue);
	return job->name && job->class_name ? 0 : -1;
}

static void ends_note(struct wt_str *notes, const struct wt_swf_trace *trace, const char *name)
{
	size_t untold = 0;

	for (size_t i = 0; i < trace->job_count; i++)
		untold += trace->jobs[i].status == -1;
	if (untold)
		wt_str_printf(notes, "%s does not tell how %zu jobs ended (field 11): they are taken for completed\n", name,
			      untold);
}

static void notes_add(struct wt_str *notes, const struct wt_swf_trace *trace, const char *name, size_t waits)
{
	for (int why = 0; why < WT_LEFT_COUNT; why++)
		if (trace->left_out[why])
			wt_str_printf(notes, "%s: %zu entries are left out: %s\n", name, trace->left_out[why],
				      wt_left_out_text((enum wt_left_out) why));
	if (*trace->first_bad)
		wt_str_printf(notes, "the first line that cannot be read: %s\n", trace->first_bad);
	ends_note(notes, trace, name);
	if (!waits)
		wt_str_printf(notes, "%s tells no waits (field 3): it is a workload, and no schedule\n", name);
	else if (waits < trace->job_count)
		wt_str_printf(notes, "%s: %zu jobs have no wait (field 3), and so no start\n", name,
			      trace->job_count - waits);
	if (!trace->max_procs)
		wt_str_printf(notes, "%s does not tell the number of processors (MaxProcs): utilisation is not known\n",
			      name);
}

static int jobs_fill(struct wt_record *record, const struct wt_swf_trace *trace, size_t *waits)
{
	record->jobs = calloc(trace->job_count, sizeof(*record->jobs));
	if (!record->jobs)
		return -1;
	for (size_t i = 0; i < trace->job_count; i++) {
		record->job_count = i + 1;
		if (job_fill(&record->jobs[i], &trace->jobs[i], trace->jobs[0].submit_s, (uint32_t) i + 1) < 0)
			return -1;
		*waits += trace->jobs[i].wait_s >= 0;
	}
	return 0;
}

int swf_schedule_read(struct wt_record *record, FILE *in, const char *name, struct wt_str *notes, struct wt_error *errp)
{
	/* A page shows what there is: a bad line is told, and does not keep the others from being drawn. */
	static const bool leave_out[WT_LEFT_COUNT] = { [WT_LEFT_BAD] = true };
	struct wt_swf_trace trace;
	size_t waits = 0;
	int rc;

	if (wt_swf_trace_read(&trace, in, name, leave_out, errp) < 0)
		return -1;
	record->cpus = trace.max_procs;
	record->nodes = trace.max_procs ? trace.max_nodes : 0;
	record->begin_s = 0;
	rc = jobs_fill(record, &trace, &waits);
	if (rc < 0)
		wt_error_errno(errp, ENOMEM, "%s", name);
	notes_add(notes, &trace, name, waits);
	wt_swf_trace_clear(&trace);
	return rc;
}
