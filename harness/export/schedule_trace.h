/* schedule_trace.h - a run's schedule in the trace-event format: jobs, nodes and switches as tracks, the queue, CPUs and the
 * controller as counters, the way from each submission to the job's start as a flow.
 *
 * Each job that started is one slice in a lane of the process "jobs".  A node's slices stand on a track of its own, the
 * nodes of a leaf switch in one process; jobs that share a node have further tracks there.  Times are microseconds after
 * the first submission was sent.  A run of many jobs is not shown whole: plan->left_out says what is missing, and so
 * does the trace.
 *
 * Pure but for the run that is read before.  A plan: one thread at a time. */
#ifndef WT_HARNESS_EXPORT_SCHEDULE_TRACE_H
#define WT_HARNESS_EXPORT_SCHEDULE_TRACE_H

#include "harness/page/gantt_run.h"
#include "harness/page/sweep.h"

#define TRACE_NODE_SLICES_MAX 2000000	/* slices of nodes that are written without being asked for */
#define TRACE_FLOWS_JOBS_MAX  250000	/* jobs up to which submissions, flows and every change of a counter are written */
#define TRACE_THIN_MOMENTS    100000	/* above: so many moments of each counter */

struct trace_slice {		/* of a job that started */
	int64_t start_us, end_us;
	uint32_t job;		/* index into run->jobs */
};

struct trace_plan {
	const struct page_run *run;
	struct gantt_run gantt;
	struct sweep sweep;
	struct trace_slice *slices;	/* by start */
	size_t slice_count;
	uint64_t node_slices;	/* that are written */
	uint32_t *next_node;	/* [gantt.node_count + 1]: the next that is shown, from there on; NULL: none is */
	bool whole;		/* with submissions and flows, and all of the counters */
	bool packed;		/* trace_write packs by gzip; the caller's */
	struct wt_str left_out;	/* what is not in the trace, a line each */
};

/* 'nodes' is a host list of those to be shown ("n[0-17]"; the numbers of nodes without names), or NULL: all, as long as
 * they are not too many.  'run' must outlive the plan.  0, or -1 with EINVAL (nodes that the run does not have) or
 * ENOMEM; trace_plan_clear in any case. */
int trace_plan_make(struct trace_plan *plan, const struct page_run *run, const char *nodes, struct wt_error *errp);
void trace_plan_clear(struct trace_plan *plan);

/* For wt_outfile_write: 'plan' is a struct trace_plan *.  0 (look at ferror), or -1 with ENOMEM. */
int trace_write(FILE *out, const void *plan, struct wt_error *errp);

#endif
