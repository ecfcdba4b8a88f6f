/* trace_write.h - write a trace in one of the formats: what a job is, and nothing that the trace does not tell.
 *
 * Pure but for the stream; 'trace' is a struct wt_swf_trace, for wt_outfile_write. */
#ifndef WT_WORKLOAD_TRACE_WRITE_H
#define WT_WORKLOAD_TRACE_WRITE_H

#include <stdio.h>

#include "lib/error.h"
#include "workload/swf_trace.h"

/* Standard Workload Format 2.2; a job's number is its own, or its place (from 1) where jobs have an id instead; -1 for
 * users, queues and all else.  A job without a status counts as completed.  0 (look at ferror). */
int wt_trace_write_swf(FILE *out, const void *trace, struct wt_error *errp);

/* Batsim's workload; nb_res is max_procs, or the largest job.  Ids are the jobs' own, or their numbers; profiles theirs, or
 * "delay" and the run time; a walltime that is not known is not written.  0, or -1 with ENOMEM. */
int wt_trace_write_batsim(FILE *out, const void *trace, struct wt_error *errp);

/* jobs.csv with Batsim's columns, which are evalys': times from the first submission on; what needs the waiting time is
 * empty where it is not known, and allocated_resources always.  0. */
int wt_trace_write_csv(FILE *out, const void *trace, struct wt_error *errp);

/* The lines of an SWF: all that are empty or begin with ";", and those that 'trace' has jobs of, byte for byte.  0, or -1
 * with the error of reading or ENOMEM. */
int wt_trace_copy_lines(FILE *out, FILE *in, const struct wt_swf_trace *trace, struct wt_error *errp);

#endif
