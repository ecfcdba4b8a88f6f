/* swf_trace.h - read a trace in the Standard Workload Format, as the Parallel Workloads Archive has them.
 *
 * Format: https://www.cs.huji.ac.il/labs/parallel/workload/swf.html, version 2.2: header lines "; Key: value", then 18
 * numbers a line, -1 where a value is not known.  Submit times count from the trace's start, or are seconds since the epoch.
 *  Foreign bytes. Pure but for the stream; plain values. */
#ifndef WT_WORKLOAD_SWF_TRACE_H
#define WT_WORKLOAD_SWF_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/error.h"
#include "workload/job_ask.h"
#include "workload/left_out.h"
#include "workload/world.h"

struct wt_swf_job {		/* times in seconds; -1: not known */
	uint64_t number;	/* field 1 */
	char *id, *profile;	/* of Batsim, and a job's class, without control characters; NULL: the number, and none */
	size_t line;		/* 1-based, in the file */
	double submit_s;	/* as the trace has it, not negative */
	double run_time_s;	/* above 0, or 0 of a job that completed within a second */
	double requested_time_s;
	double wait_s;		/* field 3 */
	double expected_s;	/* how long it is expected to run; 0: as long as it does */
	double data_bytes;	/* of workflows: what it reads and writes; 0: nothing, or not known */
	uint32_t procs;		/* allocated (field 5), else requested (field 8) */
	int status;		/* field 11: 1 completed, 0 failed, 5 cancelled while it ran */
	int64_t user, group, executable, queue;	/* fields 12 to 15: numbers without a meaning of their own */
	struct wt_job_ask *ask;	/* all that windtunnel-jobs(5) tells; NULL: another format */
};

struct wt_swf_trace {
	size_t job_count;
	struct wt_swf_job *jobs;	/* by submit_s, then by line */
	uint32_t max_procs, max_nodes, header_jobs;	/* of the header (MaxProcs, MaxNodes, MaxJobs); 0: not told */
	size_t entry_count;	/* lines that describe a job, or a part of one: job_count and all of left_out */
	double first_submit_s;	/* the earliest of them all, also of those that are left out */
	size_t unsorted;	/* jobs of lines behind one with a later submission, and the first such line; 0: none */
	size_t first_unsorted;
	size_t left_out[WT_LEFT_COUNT];
	bool has_asks;		/* every job has one */
	bool line_is_place;	/* a job's 'line' is its place among the jobs */
	struct wt_world world;	/* events among the submissions, of windtunnel-jobs(5) */
	char first_bad[sizeof(((struct wt_error *) 0)->text)];	/* the message of the first that could not be read; "" */
};

#define WT_SWF_LINE_MAX 65536	/* bytes */

/* Read all of 'in'; 'name' is for messages ("NAME:LINE: ...").  Blank lines, comments and words behind the 18 fields are
 * ignored.  'leave_out' (WT_LEFT_COUNT, as wt_left_out_choose () fills it; NULL: none) says what may be left out.  0, or -1
 * with EINVAL (a bad line, which may be left out: a field that is missing or no number, a negative submit time or a number
 * that is out of range, a job that stands twice, a NUL byte, a line that is too long; no job at all), ENOMEM, or the read
 * error; *trace is empty then. */
int wt_swf_trace_read(struct wt_swf_trace *trace, FILE *in, const char *name, const bool *leave_out, struct wt_error *errp);

/* For readers: put the jobs in order, and count those whose lines were not. */
void wt_swf_trace_sort(struct wt_swf_trace *trace);
void wt_swf_trace_clear(struct wt_swf_trace *trace);
void wt_swf_job_clear(struct wt_swf_job *job);	/* free what it has; its numbers stay */

#endif
