/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sacct_record.h: times, and how a job ended. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "harness/site/reasons.h"
#include "harness/site/sacct_record.h"

#define TIME_MAX 1e10		/* as in windtunnel-jobs(5) */
#define YEAR_S (365.0 * 86400)	/* Slurm plans unlimited jobs as of a year */

double wt_sacct_time(const char *text, bool *zoneless)
{
	struct tm tm = { .tm_isdst = 0 };
	int end = 0;
	char *rest;
	double number;

	if (*text >= '0' && *text <= '9' && text[strspn(text, "0123456789")] == '\0') {
		number = strtod(text, &rest);
		return number > 0 && number <= TIME_MAX ? number : NAN;
	}
	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour, &tm.tm_min,
		   &tm.tm_sec, &end) != 6 || text[end])
		return NAN;
	tm.tm_year -= 1900;
	tm.tm_mon--;
	*zoneless = true;
	number = (double) timegm(&tm);
	return number > 0 && number <= TIME_MAX ? number : NAN;
}

/* Minutes, or words; NAN: the partition's. */
static double limit_read(const char *text)
{
	double minutes = *text && !text[strspn(text, "0123456789")] && strlen(text) < 10 ? strtod(text, NULL) : NAN;

	return !strcasecmp(text, "UNLIMITED") ? INFINITY : minutes > 0 ? minutes * 60 : NAN;
}

static int limit_take(struct wt_sacct_record *r, struct wt_error *errp)
{
	double limit_s = limit_read(wt_sacct_get(r->rows, WT_SACCT_TIME_LIMIT_RAW));
	const char *line = r->has_line ? r->options.value[WT_OPTION_TIME] : NULL;
	double asked_s = line ? wt_job_option_time(line) : NAN;

	if (isinf(limit_s) && wt_reason_count(r->jobs->assumed, "an unlimited time is one year", errp) < 0)
		return -1;
	if (isfinite(asked_s) && isfinite(limit_s) && ceil(asked_s / 60) * 60 != limit_s &&
	    wt_reason_count(r->jobs->unknown, "its time limit was changed: the last one is taken", errp) < 0)
		return -1;
	if (!isnan(limit_s))
		r->job->job.requested_time_s = fmin(limit_s, YEAR_S);
	return 0;
}

/* Did its line ask to wait for something else than its turn? */
static bool asks_to_wait(const struct wt_sacct_record *r)
{
	return r->has_line && (r->options.value[WT_OPTION_BEGIN] || r->options.value[WT_OPTION_DEPENDENCY] ||
			       r->options.value[WT_OPTION_HOLD]);
}

/* Until it may run: held, for a dependency, or for a time that it named.  Of a task of an array that time is the one at
 * which slurmctld made a job of it, which is its start. */
static int begin_take(struct wt_sacct_record *r, struct wt_error *errp)
{
	double after_s = r->job->eligible_s - r->job->job.submit_s;

	if (!(after_s >= 1) || (strchr(r->job->job.id, '_') && !asks_to_wait(r)))
		return 0;
	if (r->has_line && r->options.value[WT_OPTION_HOLD] &&
	    wt_reason_count(r->jobs->assumed, "held: it begins to wait when it was released", errp) < 0)
		return -1;
	return wt_site_job_number(r->jobs, r->job, "begin_after_s", after_s, errp);
}

int wt_sacct_times(struct wt_sacct_record *r, struct wt_error *errp)
{
	const struct wt_sacct_rows *rows = r->rows;
	const char *elapsed = wt_sacct_get(rows, WT_SACCT_ELAPSED_RAW);
	struct wt_site_job *job = r->job;
	bool zoneless = false;

	job->job.submit_s = wt_sacct_time(wt_sacct_get(rows, WT_SACCT_SUBMIT), &zoneless);
	job->eligible_s = wt_sacct_time(wt_sacct_get(rows, WT_SACCT_ELIGIBLE), &zoneless);
	job->start_s = wt_sacct_time(wt_sacct_get(rows, WT_SACCT_START), &zoneless);
	job->end_s = wt_sacct_time(wt_sacct_get(rows, WT_SACCT_END), &zoneless);
	if (isnan(job->job.submit_s))
		return wt_error_set(errp, EINVAL, "no time of submission");
	r->elapsed_s = *elapsed && !elapsed[strspn(elapsed, "0123456789")] && strlen(elapsed) < 11 ?
		       strtod(elapsed, NULL) : job->end_s - job->start_s;
	if (!(r->elapsed_s >= 0))
		r->elapsed_s = NAN;
	if (job->start_s >= job->job.submit_s)
		job->job.wait_s = job->start_s - job->job.submit_s;
	if (zoneless && wt_reason_count(r->jobs->assumed, "times without a zone are taken for UTC", errp) < 0)
		return -1;
	return limit_take(r, errp) < 0 ? -1 : begin_take(r, errp);
}

/* ---- how it ended ---- */

enum ending {
	ENDS_COMPLETED, ENDS_FAILED, ENDS_TIMEOUT, ENDS_CANCELLED, ENDS_MEMORY, ENDS_NODE, ENDS_PREEMPTED, ENDS_DEADLINE,
	ENDS_RUNNING, ENDS_PENDING, ENDS_REQUEUED, ENDS_ELSEWHERE,
};

static const struct { const char *state; enum ending ending; bool requeued; } states[] = {
	{ "COMPLETED", ENDS_COMPLETED, false }, { "FAILED", ENDS_FAILED, false }, { "TIMEOUT", ENDS_TIMEOUT, false },
	{ "CANCELLED", ENDS_CANCELLED, false }, { "OUT_OF_MEMORY", ENDS_MEMORY, false },
	{ "NODE_FAIL", ENDS_NODE, true }, { "BOOT_FAIL", ENDS_NODE, true }, { "LAUNCH_FAILED", ENDS_NODE, true },
	{ "PREEMPTED", ENDS_PREEMPTED, true }, { "DEADLINE", ENDS_DEADLINE, false }, { "RUNNING", ENDS_RUNNING, false },
	{ "SUSPENDED", ENDS_RUNNING, false }, { "COMPLETING", ENDS_RUNNING, false },
	{ "CONFIGURING", ENDS_RUNNING, false }, { "STOPPED", ENDS_RUNNING, false }, { "PENDING", ENDS_PENDING, false },
	{ "REQUEUED", ENDS_REQUEUED, true }, { "REQUEUE_HOLD", ENDS_PENDING, false },
	{ "SPECIAL_EXIT", ENDS_FAILED, true }, { "RESIZING", ENDS_ELSEWHERE, false }, { "REVOKED", ENDS_ELSEWHERE, false },
};

static int failed_end(struct wt_sacct_record *r, struct wt_error *errp)
{
	const char *text = wt_sacct_get(r->rows, WT_SACCT_EXIT_CODE);
	unsigned int code = 0, sig = 0;

	r->job->job.ask->end = WT_END_FAILED;
	if (sscanf(text, "%3u:%3u", &code, &sig) != 2)
		return wt_reason_count(r->jobs->assumed, "an exit code that is not known is 1", errp);
	if (sig)
		return wt_site_job_number(r->jobs, r->job, "signal", sig, errp);
	return code ? wt_site_job_number(r->jobs, r->job, "exit_code", code, errp) : 0;
}

/* A job that runs, or waits, until its limit: without one nothing tells how long it is. */
static int limit_end(struct wt_sacct_record *r, const char *why, struct wt_error *errp)
{
	if (!(r->job->job.requested_time_s > 0) && r->elapsed_s > 0)
		r->job->job.requested_time_s = ceil(r->elapsed_s / 60) * 60;
	if (!(r->job->job.requested_time_s > 0))
		return wt_error_set(errp, EINVAL, "how long it would have run is not known: it has no time limit");
	r->job->job.ask->end = WT_END_TIME_LIMIT;
	return why ? wt_reason_count(r->jobs->assumed, why, errp) : 0;
}

/* sacct says of such a job that it began when it ended, and has the CPUs that it asked for. */
static void never_ran(struct wt_site_job *job)
{
	job->start_s = NAN;
	job->job.wait_s = -1;
	job->cpus = job->node_count = 0;
}

static int cancelled_end(struct wt_sacct_record *r, const char *why, struct wt_error *errp)
{
	struct wt_site_job *job = r->job;

	job->job.ask->end = WT_END_CANCELLED;
	if (why && wt_reason_count(r->jobs->assumed, why, errp) < 0)
		return -1;
	if (!isnan(job->start_s) && r->elapsed_s > 0) {
		job->job.run_time_s = r->elapsed_s;
		return 0;
	}
	never_ran(job);
	if (!(job->end_s >= job->job.submit_s))
		return wt_error_set(errp, EINVAL, "when it was cancelled is not known");
	return wt_site_job_number(r->jobs, job, "cancel_after_s", job->end_s - job->job.submit_s, errp);
}

static int run_time_take(struct wt_sacct_record *r, struct wt_error *errp)
{
	if (isnan(r->elapsed_s) || isnan(r->job->start_s))
		return wt_error_set(errp, EINVAL, "how long it ran is not known");
	r->job->job.run_time_s = r->elapsed_s;
	return 0;
}

static int ending_take(struct wt_sacct_record *r, enum ending ending, struct wt_error *errp)
{
	switch (ending) {
	case ENDS_ELSEWHERE:
		return wt_error_set(errp, EINVAL, "a record of a job that was resized, or ran on another cluster");
	case ENDS_PENDING:
		never_ran(r->job);
		r->job->end_s = NAN;
		return limit_end(r, "waiting when it was captured: it would run to its limit", errp);
	case ENDS_RUNNING:
		r->job->end_s = NAN;
		return limit_end(r, "running when it was captured: it runs to its limit", errp);
	case ENDS_TIMEOUT:
		return limit_end(r, NULL, errp);
	case ENDS_CANCELLED:
		return cancelled_end(r, NULL, errp);
	case ENDS_PREEMPTED:
		return cancelled_end(r, "preempted: cancelled when it was, if it runs so long", errp);
	case ENDS_DEADLINE:
		return cancelled_end(r, "ended by its deadline: cancelled when it was", errp);
	default:
		break;
	}
	if (run_time_take(r, errp) < 0)
		return -1;
	if (ending == ENDS_MEMORY)
		r->job->job.ask->end = WT_END_OUT_OF_MEMORY;
	if (ending == ENDS_FAILED)
		return failed_end(r, errp);
	if (ending == ENDS_NODE) {
		r->job->job.ask->end = WT_END_FAILED;
		return wt_reason_count(r->jobs->assumed, "ended by a failure of a node: it fails after the same time", errp);
	}
	return 0;
}

int wt_sacct_end(struct wt_sacct_record *r, struct wt_error *errp)
{
	const char *text = wt_sacct_get(r->rows, WT_SACCT_STATE);
	size_t len = strcspn(text, " +");	/* "CANCELLED by 1000" */

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (len == strlen(states[i].state) && !strncasecmp(text, states[i].state, len)) {
			r->job->state = states[i].state;
			r->job->requeued = states[i].requeued;
			return ending_take(r, states[i].ending, errp);
		}
	return wt_error_set(errp, EINVAL, "a state that is not known");
}
