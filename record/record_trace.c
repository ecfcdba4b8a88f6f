/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/record_trace.h"
#include "record/swf.h"

static double known(double seconds)
{
	return isfinite(seconds) && seconds >= 0 ? seconds : -1;
}

static void job_take(struct wt_swf_trace *t, const struct wt_record *record, size_t place)
{
	const struct wt_job_record *from = &record->jobs[place];
	double sent_s = wt_job_sent_s(from), submit_s = sent_s - record->begin_s;

	t->entry_count++;
	if (!from->job_id || !isfinite(sent_s) || !isfinite(from->start_s)) {
		t->left_out[WT_LEFT_NOT_RUN]++;
	} else if (!isfinite(from->end_s)) {
		t->left_out[WT_LEFT_NO_RUN_TIME]++;
	} else {
		t->jobs[t->job_count++] = (struct wt_swf_job) {
			/* The first job was sent when the run began, but for the clock's last digits. */
			.number = place + 1, .line = place + 1, .submit_s = submit_s > 0 ? submit_s : 0,
			.run_time_s = fmax(from->end_s - from->start_s, 0),
			.requested_time_s = known(from->time_limit_s), .wait_s = known(from->start_s - sent_s),
			.procs = from->cpus ? from->cpus : from->alloc_cpus, .status = wt_swf_status(from->state),
		};
	}
}

int wt_record_trace(struct wt_swf_trace *trace, const struct wt_record *record, const char *name, struct wt_error *errp)
{
	memset(trace, 0, sizeof(*trace));
	trace->jobs = calloc(record->job_count + 1, sizeof(*trace->jobs));
	if (!trace->jobs)
		return wt_error_errno(errp, ENOMEM, "%s", name);
	for (size_t i = 0; i < record->job_count; i++)
		job_take(trace, record, i);
	trace->max_procs = record->cpus;
	trace->max_nodes = record->nodes;
	wt_swf_trace_sort(trace);
	trace->unsorted = 0;	/* of the record, which is in no order */
	if (trace->job_count)
		return 0;
	wt_swf_trace_clear(trace);
	return wt_error_set(errp, EINVAL, "%s: none of its %zu jobs ran", name, record->job_count);
}
