/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "workload/swf_trace.h"

enum { JOB, SUBMIT, WAIT, RUN, PROCS, CPU, MEMORY, ASKED_PROCS, ASKED_TIME, ASKED_MEMORY, STATUS, USER, GROUP, EXECUTABLE,
       QUEUE, FIELDS = 18 };
/* Status 2 to 4 are lines about parts of a job that is told as a whole in another line. */
enum { STATUS_COMPLETED = 1, STATUS_PARTIAL = 2, STATUS_LAST_PARTIAL = 4, STATUS_CANCELLED = 5 };

#define BLANKS " \t\r\n"
#define TEXT_OF(number) #number
#define BYTES_TEXT(number) "longer than " TEXT_OF(number) " bytes"
#define TOO_LONG BYTES_TEXT(WT_SWF_LINE_MAX)
#define SECONDS_MAX 1e10	/* three hundred years: a trace has no more */

struct swf_reader {
	struct wt_swf_trace *trace;
	const char *name;
	const bool *leave_out;	/* or NULL */
	size_t line, capacity;
};

static uint32_t count_of(double value)
{
	return value >= 1 && value <= UINT32_MAX ? (uint32_t) value : 0;
}

/* "; MaxProcs: 240" */
static void header_read(struct wt_swf_trace *trace, const char *line)
{
	double value;

	if (sscanf(line, " ; MaxProcs : %lf", &value) == 1)
		trace->max_procs = count_of(value);
	if (sscanf(line, " ; MaxNodes : %lf", &value) == 1)
		trace->max_nodes = count_of(value);
	if (sscanf(line, " ; MaxJobs : %lf", &value) == 1)
		trace->header_jobs = count_of(value);
}

static int fields_read(const struct swf_reader *r, const char *line, double *field, struct wt_error *errp)
{
	const char *at = line;

	for (int i = 0; i < FIELDS; i++) {
		size_t len;
		char *end;

		at += strspn(at, BLANKS);
		/* strtod () alone would take "inf", "nan" and hexadecimal numbers, and half of "12x". */
		len = strcspn(at, BLANKS);
		if (!len)
			return wt_error_set(errp, EINVAL, "%s:%zu: %d fields, not 18 as in the Standard Workload Format",
					    r->name, r->line, i);
		field[i] = strtod(at, &end);
		if (end != at + len || strspn(at, "+-.0123456789eE") < len || !isfinite(field[i]))
			return wt_error_set(errp, EINVAL, "%s:%zu: field %d ('%.*s') is not a number", r->name, r->line,
					    i + 1, len < 40 ? (int) len : 40, at);
		at = end;
	}
	return 0;
}

static int range_check(const struct swf_reader *r, const double *field, struct wt_error *errp)
{
	if (!(field[JOB] >= 0 && field[JOB] < 1e15 && field[JOB] == floor(field[JOB])))
		return wt_error_set(errp, EINVAL, "%s:%zu: job number %g is not a whole number", r->name, r->line,
				    field[JOB]);
	if (!(field[SUBMIT] >= 0 && field[SUBMIT] <= SECONDS_MAX))
		return wt_error_set(errp, EINVAL, "%s:%zu: submit time %g s is not from 0 to %g", r->name, r->line,
				    field[SUBMIT],
				    SECONDS_MAX);
	if (field[RUN] > SECONDS_MAX || field[ASKED_TIME] > SECONDS_MAX)
		return wt_error_set(errp, EINVAL, "%s:%zu: run time %g s or requested time %g s is above %g", r->name,
				    r->line,
				    field[RUN], field[ASKED_TIME], SECONDS_MAX);
	if (field[WAIT] > SECONDS_MAX)
		return wt_error_set(errp, EINVAL, "%s:%zu: wait time %g s is above %g", r->name, r->line, field[WAIT],
				    SECONDS_MAX);
	if (field[PROCS] > UINT32_MAX || field[ASKED_PROCS] > UINT32_MAX)
		return wt_error_set(errp, EINVAL, "%s:%zu: more than %u processors", r->name, r->line, UINT32_MAX);
	return 0;
}

/* A whole number that is a name; -1: none. */
static int64_t label_of(double value)
{
	return value >= 0 && value <= UINT32_MAX ? (int64_t) value : -1;
}

static int job_add(struct swf_reader *r, const struct wt_swf_job *job, struct wt_error *errp)
{
	struct wt_swf_trace *t = r->trace;

	if (t->job_count == r->capacity) {
		size_t capacity = r->capacity ? r->capacity * 2 : 1024;
		struct wt_swf_job *jobs = reallocarray(t->jobs, capacity, sizeof(*jobs));

		if (!jobs)
			return wt_error_errno(errp, ENOMEM, "%s", r->name);
		t->jobs = jobs;
		r->capacity = capacity;
	}
	t->jobs[t->job_count++] = *job;
	return 0;
}

/* Archives give a run time of 0 to jobs that were cancelled in the queue, but also to such as took less than a
 * second. */
static bool not_run(const double *field)
{
	return (field[RUN] == 0 && field[STATUS] != STATUS_COMPLETED) ||
		(field[RUN] < 0 && field[STATUS] == STATUS_CANCELLED);
}

static void submission_note(struct wt_swf_trace *trace, double submit_s)
{
	trace->first_submit_s = fmin(trace->first_submit_s, submit_s);
	trace->entry_count++;
}

static int status_of(double value)
{
	return value >= 0 && value <= STATUS_CANCELLED ? (int) value : -1;
}

static int job_read(struct swf_reader *r, const char *line, struct wt_error *errp)
{
	size_t *left_out = r->trace->left_out;
	double field[FIELDS];
	struct wt_swf_job job;

	if (fields_read(r, line, field, errp) < 0 || range_check(r, field, errp) < 0)
		return -1;
	submission_note(r->trace, field[SUBMIT]);
	job = (struct wt_swf_job) {
		.number = (uint64_t) field[JOB], .line = r->line, .submit_s = field[SUBMIT], .run_time_s = field[RUN],
		.requested_time_s = field[ASKED_TIME] > 0 ? field[ASKED_TIME] : -1,
		.wait_s = field[WAIT] >= 0 ? field[WAIT] : -1,
		.status = status_of(field[STATUS]),
		.procs = count_of(field[PROCS]) ? count_of(field[PROCS]) : count_of(field[ASKED_PROCS]),
		.user = label_of(field[USER]), .group = label_of(field[GROUP]),
		.executable = label_of(field[EXECUTABLE]), .queue = label_of(field[QUEUE]),
	};
	if (field[STATUS] >= STATUS_PARTIAL && field[STATUS] <= STATUS_LAST_PARTIAL)
		left_out[WT_LEFT_PART]++;
	else if (not_run(field))
		left_out[WT_LEFT_NOT_RUN]++;
	else if (job.run_time_s < 0)
		left_out[WT_LEFT_NO_RUN_TIME]++;
	else if (!job.procs)
		left_out[WT_LEFT_NO_SIZE]++;
	else
		return job_add(r, &job, errp);
	return 0;
}

static int number_compare(const void *a, const void *b)
{
	const struct wt_swf_job *x = a, *y = b;

	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static int submit_compare(const void *a, const void *b)
{
	const struct wt_swf_job *x = a, *y = b;

	if (x->submit_s != y->submit_s)
		return x->submit_s < y->submit_s ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

/* A bad line, told in *errp: 0 when it may be left out, else -1. */
static int bad_take(struct swf_reader *r, const struct wt_error *bad, struct wt_error *errp)
{
	struct wt_swf_trace *t = r->trace;

	if (!r->leave_out || !r->leave_out[WT_LEFT_BAD])
		return wt_error_set(errp, EINVAL, "%s", bad->text);
	if (!t->left_out[WT_LEFT_BAD]++)
		snprintf(t->first_bad, sizeof(t->first_bad), "%s", bad->text);
	return 0;
}

/* Of a job that stands twice the first line counts. */
static int numbers_check(struct swf_reader *r, struct wt_error *errp)
{
	struct wt_swf_trace *t = r->trace;
	struct wt_error bad;
	size_t kept = 1;

	for (size_t i = 1; i < t->job_count; i++) {
		if (t->jobs[i].number != t->jobs[kept - 1].number) {
			t->jobs[kept++] = t->jobs[i];
			continue;
		}
		wt_error_set(&bad, EINVAL, "%s:%zu: job %llu stands in line %zu, too", r->name, t->jobs[i].line,
			     (unsigned long long) t->jobs[i].number, t->jobs[kept - 1].line);
		if (bad_take(r, &bad, errp) < 0)
			return -1;
	}
	t->job_count = kept;
	return 0;
}

static int line_compare(const void *a, const void *b)
{
	const struct wt_swf_job *x = a, *y = b;

	return (x->line > y->line) - (x->line < y->line);
}

void wt_swf_trace_sort(struct wt_swf_trace *t)
{
	if (t->job_count == 0)	/* then t->jobs may be NULL, which qsort () must not be given */
		return;
	qsort(t->jobs, t->job_count, sizeof(*t->jobs), line_compare);
	for (size_t i = 1, latest = 0; i < t->job_count; i++) {
		if (t->jobs[i].submit_s >= t->jobs[latest].submit_s)
			latest = i;
		else if (!t->unsorted++)
			t->first_unsorted = t->jobs[i].line;
	}
	qsort(t->jobs, t->job_count, sizeof(*t->jobs), submit_compare);
}

/* Sorted by number first, so that jobs which stand twice are neighbours, then by submission: n log n, where a look at
 * all pairs of a trace of a million jobs would take hours. */
static int jobs_order(struct swf_reader *r, struct wt_error *errp)
{
	struct wt_swf_trace *t = r->trace;

	if (!t->job_count && *t->first_bad)
		return wt_error_set(errp, EINVAL, "%s: no job that ran among its %zu lines; the first that cannot be read: "
				    "%s", r->name, r->line, t->first_bad);
	if (!t->job_count)
		return wt_error_set(errp, EINVAL, "%s: no job that ran among its %zu lines", r->name, r->line);
	qsort(t->jobs, t->job_count, sizeof(*t->jobs), number_compare);
	if (numbers_check(r, errp) < 0)
		return -1;
	wt_swf_trace_sort(t);
	return 0;
}

static int line_take(struct swf_reader *r, const char *line, struct wt_error *errp)
{
	const char *first;
	struct wt_error bad;

	if (r->line == 1 && !strncmp(line, "\xef\xbb\xbf", 3))
		line += 3;	/* the byte order mark that editors of Windows put before UTF-8 */
	first = line + strspn(line, BLANKS);
	if (*first == ';')
		header_read(r->trace, line);
	else if (*first && job_read(r, line, &bad) < 0) {
		if (errno != EINVAL)
			return wt_error_set(errp, errno, "%s", bad.text);
		if (bad_take(r, &bad, errp) < 0)
			return -1;
		r->trace->entry_count++;
	}
	return 0;
}

/* A line that is no text, or has no end in reach: it is bad as one with a field too few is. */
static int line_refuse(struct swf_reader *r, char *line, const char *wrong, struct wt_error *errp)
{
	struct wt_error bad;

	wt_error_set(&bad, EINVAL, "%s:%zu: %s", r->name, r->line, wrong);
	if (bad_take(r, &bad, errp) < 0)
		return -1;
	r->trace->entry_count++;
	*line = '\0';
	return 1;
}

/* The next line without its end, empty if it is left out: 1; 0: there is none; -1.  getline () would take any length. */
static int line_next(struct swf_reader *r, FILE *in, char *line, struct wt_error *errp)
{
	bool may_leave = r->leave_out && r->leave_out[WT_LEFT_BAD];
	const char *wrong = NULL;
	size_t len = 0;
	int c = EOF;

	r->line++;
	while ((!wrong || may_leave) && (c = getc_unlocked(in)) != EOF && c != '\n') {
		if (!c)
			wrong = wrong ? wrong : "a NUL byte: not a text file";
		else if (len == WT_SWF_LINE_MAX)
			wrong = wrong ? wrong : TOO_LONG;
		else
			line[len++] = (char) c;
	}
	if (ferror(in))
		return wt_error_errno(errp, errno ? errno : EIO, "%s", r->name);
	if (wrong)
		return line_refuse(r, line, wrong, errp);
	line[len] = '\0';
	if (c == EOF && !len)
		r->line--;
	return c != EOF || len;
}

int wt_swf_trace_read(struct wt_swf_trace *trace, FILE *in, const char *name, const bool *leave_out, struct wt_error *errp)
{
	struct swf_reader r = { .trace = trace, .name = name, .leave_out = leave_out };
	char *line = malloc(WT_SWF_LINE_MAX + 1);
	int rc = line ? 1 : wt_error_errno(errp, ENOMEM, "%s", name);

	memset(trace, 0, sizeof(*trace));
	trace->first_submit_s = INFINITY;
	while (rc > 0) {
		rc = line_next(&r, in, line, errp);
		if (rc > 0 && line_take(&r, line, errp) < 0)
			rc = -1;
	}
	free(line);
	if (rc == 0)
		rc = jobs_order(&r, errp);
	if (rc < 0)
		wt_swf_trace_clear(trace);
	return rc;
}

void wt_swf_job_clear(struct wt_swf_job *job)
{
	free(job->id);
	free(job->profile);
	wt_job_ask_destroy(job->ask);
	job->id = job->profile = NULL;
	job->ask = NULL;
}

void wt_swf_trace_clear(struct wt_swf_trace *trace)
{
	int saved_errno = errno;

	for (size_t i = 0; i < trace->job_count; i++)
		wt_swf_job_clear(&trace->jobs[i]);
	free(trace->jobs);
	wt_world_clear(&trace->world);
	memset(trace, 0, sizeof(*trace));
	errno = saved_errno;
}
