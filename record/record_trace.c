/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/record_trace.h"
#include "record/swf.h"

#define SENT_EARLY_S 1e-3
#define SECONDS_MAX 1e10

static double known(double seconds)
{
	return isfinite(seconds) && seconds >= 0 ? seconds : -1;
}

static bool far_off(const double *seconds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (fabs(seconds[i]) > SECONDS_MAX)
			return true;
	return false;
}

/* An order of times that cannot be; the first job was sent when the run began, but for the clock's last digits. */
static int job_look(const struct wt_record *record, const struct wt_job_record *job, const char *name,
		    struct wt_error *errp)
{
	double early_s = record->begin_s - wt_job_sent_s(job);
	const double seconds[] = { early_s, job->start_s - record->begin_s, job->end_s - record->begin_s,
				   job->time_limit_s };
	int rc = 0;

	if (far_off(seconds, sizeof(seconds) / sizeof(seconds[0])))
		rc = wt_error_set(errp, EINVAL, "job %s: a time of more than three hundred years", job->name);
	else if (early_s > SENT_EARLY_S)
		rc = wt_error_set(errp, EINVAL, "job %s: is submitted %g s before the first one", job->name, early_s);
	else
		rc = wt_job_times_check(job, errp);
	if (rc < 0 && job->line)
		return wt_error_prefix(errp, "%s:%zu", name, job->line);
	return rc < 0 ? wt_error_prefix(errp, "%s", name) : 0;
}

static void job_take(struct wt_swf_trace *t, const struct wt_record *record, size_t place)
{
	const struct wt_job_record *from = &record->jobs[place];
	double sent_s = wt_job_sent_s(from), submit_s = sent_s - record->begin_s;
	double run_time_s = isfinite(from->ran_s) ? from->ran_s : from->end_s - from->start_s;
	uint32_t procs = from->cpus ? from->cpus : from->alloc_cpus;

	t->entry_count++;
	if (!from->job_id || !isfinite(sent_s) || (!isfinite(from->start_s) && !isfinite(run_time_s))) {
		t->left_out[WT_LEFT_NOT_RUN]++;
	} else if (!isfinite(run_time_s)) {
		t->left_out[WT_LEFT_NO_RUN_TIME]++;
	} else if (!procs) {
		t->left_out[WT_LEFT_NO_SIZE]++;
	} else {
		t->jobs[t->job_count++] = (struct wt_swf_job) {
			.number = place + 1, .line = place + 1, .submit_s = submit_s > 0 ? submit_s : 0,
			.run_time_s = fmax(run_time_s, 0),
			.requested_time_s = known(from->time_limit_s), .wait_s = known(from->start_s - sent_s),
			.procs = procs, .status = wt_swf_status(from->state),
		};
	}
}

int wt_record_trace(struct wt_swf_trace *trace, const struct wt_record *record, const char *name, struct wt_error *errp)
{
	memset(trace, 0, sizeof(*trace));
	trace->jobs = calloc(record->job_count + 1, sizeof(*trace->jobs));
	if (!trace->jobs)
		return wt_error_errno(errp, ENOMEM, "%s", name);
	for (size_t i = 0; i < record->job_count; i++) {
		if (job_look(record, &record->jobs[i], name, errp) < 0) {
			wt_swf_trace_clear(trace);
			return -1;
		}
		job_take(trace, record, i);
	}
	trace->max_procs = record->cpus;
	trace->max_nodes = record->nodes;
	wt_swf_trace_sort(trace);
	trace->unsorted = 0;	/* of the record, which is in no order */
	if (trace->job_count)
		return 0;
	wt_swf_trace_clear(trace);
	return wt_error_set(errp, EINVAL, "%s: none of its %zu jobs ran", name, record->job_count);
}
