/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/csv.h"
#include "lib/json.h"
#include "workload/trace_write.h"

#define STATUS_COMPLETED 1
#define BLANKS_MAX 64	/* in front of what a line has */

static uint32_t machine_procs(const struct wt_swf_trace *t)
{
	uint32_t most = t->max_procs;

	for (size_t i = 0; i < t->job_count; i++)
		most = t->jobs[i].procs > most ? t->jobs[i].procs : most;
	return most;
}

/* Not as 1e+06, and no longer than it has to be. */
static void number_write(FILE *out, double value)
{
	char text[64];
	size_t len = (size_t) snprintf(text, sizeof(text), "%.6f", value);

	while (text[len - 1] == '0')
		len--;
	len -= text[len - 1] == '.';
	fprintf(out, " %.*s", (int) len, text);
}

/* What has no status was taken from a run or a list, where a job is one that ran to its end. */
static int status_of(const struct wt_swf_job *job)
{
	return job->status >= 0 ? job->status : STATUS_COMPLETED;
}

int wt_trace_write_swf(FILE *out, const void *arg, struct wt_error *errp)
{
	const struct wt_swf_trace *t = arg;

	(void) errp;
	fprintf(out, "; Version: 2.2\n; MaxJobs: %zu\n; MaxRecords: %zu\n", t->job_count, t->job_count);
	if (t->max_nodes)
		fprintf(out, "; MaxNodes: %u\n", t->max_nodes);
	fprintf(out, "; MaxProcs: %u\n; Note: converted by windtunnel %s\n", machine_procs(t), PACKAGE_VERSION);
	for (size_t i = 0; i < t->job_count; i++) {
		const struct wt_swf_job *job = &t->jobs[i];

		fprintf(out, "%llu", job->id ? (unsigned long long) i + 1 : (unsigned long long) job->number);
		number_write(out, job->submit_s);
		number_write(out, job->wait_s);
		number_write(out, job->run_time_s);
		fprintf(out, " %u -1 -1 %u", job->procs, job->procs);
		number_write(out, job->requested_time_s);
		/* Users, queues and partitions are numbers without names in SWF: they are left out rather than made
		 * up. */
		fprintf(out, " -1 %d -1 -1 -1 -1 -1 -1 -1\n", status_of(job));
	}
	return 0;
}

/* A class of jobs of other formats says nothing of their run times. */
static const char *profile_own(const struct wt_swf_job *job)
{
	return job->profile && !job->ask ? job->profile : NULL;
}

static int profile_write(FILE *out, const struct wt_swf_job *job)
{
	char delay[WT_JSON_NUMBER_SIZE];

	if (profile_own(job))
		return wt_json_write_text(out, profile_own(job));
	wt_json_number_text(delay, job->run_time_s);
	fprintf(out, "\"delay_%s\"", delay);
	return 0;
}

/* A trace may have millions of jobs: each is a line, and none a value of jansson's, which would be a kilobyte. */
static int batsim_job_write(FILE *out, const struct wt_swf_job *job)
{
	char number[WT_JSON_NUMBER_SIZE];
	int rc = 0;

	fputs("\n    {\"id\": ", out);
	if (job->id)
		rc = wt_json_write_text(out, job->id);
	else
		fprintf(out, "\"%llu\"", (unsigned long long) job->number);
	wt_json_number_text(number, job->submit_s);
	fprintf(out, ", \"subtime\": %s, \"res\": %u, \"profile\": ", number, job->procs);
	rc |= profile_write(out, job);
	wt_json_number_text(number, job->requested_time_s);
	if (job->requested_time_s >= 0)
		fprintf(out, ", \"walltime\": %s", number);
	putc('}', out);
	return rc;
}

static int profile_compare(const void *a, const void *b)
{
	const struct wt_swf_job *x = *(const struct wt_swf_job *const *) a, *y = *(const struct wt_swf_job *const *) b;
	const char *x_own = profile_own(x), *y_own = profile_own(y);

	if (x_own && y_own)
		return strcmp(x_own, y_own);
	if (x_own || y_own)
		return x_own ? 1 : -1;
	return (x->run_time_s > y->run_time_s) - (x->run_time_s < y->run_time_s);
}

/* Each once. */
static int profiles_write(FILE *out, const struct wt_swf_job **jobs, size_t count)
{
	char delay[WT_JSON_NUMBER_SIZE];
	int rc = 0;

	qsort(jobs, count, sizeof(*jobs), profile_compare);
	for (size_t i = 0; i < count; i++) {
		if (i && profile_compare(&jobs[i - 1], &jobs[i]) == 0)
			continue;
		fputs(i ? ",\n    " : "\n    ", out);
		rc |= profile_write(out, jobs[i]);
		wt_json_number_text(delay, jobs[i]->run_time_s);
		fprintf(out, ": {\"type\": \"delay\", \"delay\": %s}", delay);
	}
	return rc;
}

int wt_trace_write_batsim(FILE *out, const void *arg, struct wt_error *errp)
{
	const struct wt_swf_trace *t = arg;
	const struct wt_swf_job **jobs = calloc(t->job_count + 1, sizeof(*jobs));
	int rc = 0;

	if (!jobs)
		return wt_error_errno(errp, ENOMEM, "workload");
	fprintf(out, "{\n  \"nb_res\": %u,\n  \"jobs\": [", machine_procs(t));
	for (size_t i = 0; i < t->job_count; i++) {
		if (i)
			putc(',', out);
		rc |= batsim_job_write(out, &t->jobs[i]);
		jobs[i] = &t->jobs[i];
	}
	fputs("\n  ],\n  \"profiles\": {", out);
	rc |= profiles_write(out, jobs, t->job_count);
	fputs("\n  }\n}\n", out);
	free(jobs);
	return rc < 0 ? wt_error_errno(errp, ENOMEM, "workload") : 0;
}

static void csv_job(struct wt_csv *csv, const struct wt_swf_job *job, double first_s)
{
	double submit_s = job->submit_s - first_s, start_s = job->wait_s >= 0 ? submit_s + job->wait_s : NAN;
	double turnaround_s = start_s + job->run_time_s - submit_s;
	int status = status_of(job);

	if (job->id)
		wt_csv_text(csv, job->id);
	else
		wt_csv_uint(csv, job->number);
	wt_csv_text(csv, "trace");
	wt_csv_text(csv, job->profile);
	wt_csv_seconds(csv, submit_s);
	wt_csv_uint(csv, job->procs);
	wt_csv_seconds(csv, job->requested_time_s >= 0 ? job->requested_time_s : NAN);
	wt_csv_uint(csv, status == STATUS_COMPLETED);
	wt_csv_text(csv, status == STATUS_COMPLETED ? "COMPLETED_SUCCESSFULLY" : "COMPLETED_FAILED");
	wt_csv_seconds(csv, start_s);
	wt_csv_seconds(csv, job->run_time_s);
	wt_csv_seconds(csv, start_s + job->run_time_s);
	wt_csv_seconds(csv, job->wait_s >= 0 ? job->wait_s : NAN);
	wt_csv_seconds(csv, turnaround_s);
	wt_csv_seconds(csv, turnaround_s / job->run_time_s);
	wt_csv_empty(csv);
	wt_csv_text(csv, "-1");
	wt_csv_empty(csv);
	wt_csv_end(csv);
}

int wt_trace_write_csv(FILE *out, const void *arg, struct wt_error *errp)
{
	const struct wt_swf_trace *t = arg;
	struct wt_csv csv = { .out = out };

	(void) errp;
	fputs("job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,"
	      "final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,"
	      "allocated_resources,consumed_energy,metadata\n", out);
	for (size_t i = 0; i < t->job_count; i++)
		csv_job(&csv, &t->jobs[i], t->jobs[0].submit_s);
	return 0;
}

static int size_compare(const void *a, const void *b)
{
	const size_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static size_t *lines_wanted(const struct wt_swf_trace *trace)
{
	size_t *lines = calloc(trace->job_count + 1, sizeof(*lines));

	for (size_t i = 0; lines && i < trace->job_count; i++)
		lines[i] = trace->jobs[i].line;
	if (lines)
		qsort(lines, trace->job_count, sizeof(*lines), size_compare);
	return lines;
}

int wt_trace_copy_lines(FILE *out, FILE *in, const struct wt_swf_trace *trace, struct wt_error *errp)
{
	size_t *wanted = lines_wanted(trace), next = 0, line = 1, blanks = 0;
	bool begins = true, copies = false;
	char before[BLANKS_MAX];
	int c;

	if (!wanted)
		return wt_error_errno(errp, ENOMEM, "trace");
	while ((c = getc_unlocked(in)) != EOF) {
		/* As for the reader, a comment may begin behind blanks. */
		if (begins && blanks < BLANKS_MAX && (c == ' ' || c == '\t' || c == '\r')) {
			before[blanks++] = (char) c;
			continue;
		}
		if (begins) {
			copies = c == ';' || c == '\n' || line == wanted[next];
			next += line == wanted[next];
			fwrite(before, 1, copies ? blanks : 0, out);
			blanks = 0;
		}
		if (copies)
			putc_unlocked(c, out);
		begins = c == '\n';
		line += begins;
	}
	if (copies && !begins)
		putc_unlocked('\n', out);
	free(wanted);
	return ferror(in) ? wt_error_errno(errp, errno ? errno : EIO, "trace") : 0;
}
