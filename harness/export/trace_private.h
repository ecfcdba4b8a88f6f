/* trace_private.h - the parts of a trace, and the numbers of its processes. */
#ifndef WT_HARNESS_EXPORT_TRACE_PRIVATE_H
#define WT_HARNESS_EXPORT_TRACE_PRIVATE_H

#include "harness/export/schedule_trace.h"
#include "harness/export/trace_events.h"

enum trace_process { TRACE_JOBS = 1, TRACE_SUBMISSIONS, TRACE_CLUSTER, TRACE_CONTROLLER, TRACE_SWITCHES = 10 };

int64_t trace_time_us(double time_s);	/* not below 0; what is not finite is 0 */
const char *trace_job_name(const struct page_job *job);

/* All: 0, or -1 with ENOMEM. */
int trace_jobs_write(struct trace_events *events, const struct trace_plan *plan);	/* and submissions, and flows */
int trace_nodes_write(struct trace_events *events, const struct trace_plan *plan);
int trace_counters_write(struct trace_events *events, const struct trace_plan *plan);

#endif
