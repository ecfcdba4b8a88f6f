/* wt_swf_trace.h - read a trace in the Standard Workload Format, as the Parallel Workloads Archive has them.
 *
 * Format: https://www.cs.huji.ac.il/labs/parallel/workload/swf.html, version 2.2: header lines "; Key: value", then 18 numbers
 * a line, -1 where a value is not known.  Foreign bytes.  Pure but for the stream; plain values. */
#ifndef WT_SWF_TRACE_H
#define WT_SWF_TRACE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "wt_error.h"

struct wt_swf_job {		/* times in seconds; -1: not known */
	uint64_t number;	/* field 1 */
	size_t line;		/* 1-based, in the file */
	double submit_s;	/* since the trace's start, not negative */
	double run_time_s;	/* above 0, or 0 of a job that completed within a second */
	double requested_time_s;
	uint32_t procs;		/* allocated (field 5), else requested (field 8) */
};

struct wt_swf_trace {
	size_t job_count;
	struct wt_swf_job *jobs;	/* by submit_s, then by line */
	uint32_t max_procs, max_nodes;	/* of the header; 0: not told */
	/* Lines that are no job that ran: */
	size_t skipped_unknown;	/* run time or processors are not known */
	size_t skipped_not_run;	/* run time 0, and not completed: cancelled while it waited */
	size_t skipped_partial;	/* status 2, 3 or 4: a part of a job that has a line of its own, too */
};

/* Read all of 'in'; 'name' is for messages ("NAME:LINE: ...").  Blank lines, comments and words behind the 18 fields are
 * ignored.  0, or -1 with EINVAL (a field that is missing or no number, a negative submit time or a number that is out of range,
 * a job that stands twice, a NUL byte, no job at all), ENOMEM, or the read error; *trace is empty then. */
int wt_swf_trace_read(struct wt_swf_trace *trace, FILE *in, const char *name, struct wt_error *errp);
void wt_swf_trace_clear(struct wt_swf_trace *trace);

#endif
