/* record_trace.h - a run's jobs as a trace: what was submitted when, and how long it ran.
 *
 * Pure. */
#ifndef WT_RECORD_RECORD_TRACE_H
#define WT_RECORD_RECORD_TRACE_H

#include "lib/error.h"
#include "record/record.h"
#include "workload/swf_trace.h"

/* Times from the first submission on; sizes as asked for, run times as the jobs ran, status as in jobs.swf; numbers are
 * places in the record, from 1.  Jobs that never began are left out and counted (WT_LEFT_NOT_RUN), and those that have not
 * ended (WT_LEFT_NO_RUN_TIME) or have no size (WT_LEFT_NO_SIZE).  'name' is for messages.  0, or -1 with EINVAL (no job ran;
 * times of a job in an order that cannot be, "NAME:LINE: ..." where it was read) or ENOMEM; *trace is empty then. */
int wt_record_trace(struct wt_swf_trace *trace, const struct wt_record *record, const char *name, struct wt_error *errp);

#endif
