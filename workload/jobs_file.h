/* jobs_file.h - read and write windtunnel-jobs(5): one job a line, as JSON, with all that it asks for and how it ends.
 *
 * Foreign bytes.  Pure but for the streams; plain values. */
#ifndef WT_WORKLOAD_JOBS_FILE_H
#define WT_WORKLOAD_JOBS_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/error.h"
#include "workload/swf_trace.h"

#define WT_JOBS_LINE_MAX ((size_t) 4 << 20)	/* bytes; an array may have tens of thousands of tasks */
#define WT_JOBS_MAX      10000000
#define WT_JOBS_ID_MAX   64
#define WT_JOBS_FORMAT   "windtunnel_jobs"	/* key of the first line; its value is the format's version, 1 */

/* As wt_swf_trace_read (); every job has an ask.  Dependencies name jobs of the file that are submitted before. */
int wt_jobs_file_read(struct wt_swf_trace *trace, FILE *in, const char *name, const bool *leave_out, struct wt_error *errp);

/* For wt_outfile_write: 'trace' is a struct wt_swf_trace; of a job without an ask what is known.  0, or -1 with ENOMEM. */
int wt_jobs_file_write(FILE *out, const void *trace, struct wt_error *errp);

#endif
