/* swf.h - jobs.swf: Standard Workload Format 2.2 (Parallel Workloads Archive,
 * https://www.cs.huji.ac.il/labs/parallel/workload/swf.html).
 *
 * Jobs in order of submission, numbered from 1; times in seconds with two decimals (the format allows fractions); executable
 * number = class in order of appearance; one queue, one partition; status 1 completed, 0 failed (also TIMEOUT and
 * NODE_FAIL), 5 cancelled, -1 not finished; -1 for what does not exist here (user, group, memory, CPU time, dependencies).
 * Jobs whose submission failed are left out and counted in a Note.  Pure. */
#ifndef WT_RECORD_SWF_H
#define WT_RECORD_SWF_H

#include <stdio.h>

#include "lib/error.h"

/* For wt_outfile_write: 'record' is a struct wt_record *.  0, or -1 with ENOMEM. */
int wt_swf_write(FILE *out, const void *record, struct wt_error *errp);

/* Field 11 of a job in this state; -1: not finished. */
int wt_swf_status(enum wt_job_state state);

#endif
