/* slice.h - a workload from a piece of a trace, fitted to a machine.
 *
 * After Larue 2020 (Batkube), section 4.1.2: a subset "lasting for a given period of time and with a given mean utilization
 * of the resources", with run times trimmed and sizes scaled to the machine.  Pure; plain values. */
#ifndef WT_WORKLOAD_SLICE_H
#define WT_WORKLOAD_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/error.h"
#include "workload/swf_trace.h"
#include "workload/workload.h"
#include "workload/workload_options.h"

struct wt_slice_options {	/* seconds are the trace's, before any scaling */
	struct workload_options shared;
	/* Which jobs: all that were submitted within duration_s (0: to the end) from from_s on, and whose numbers are from
	 * first_job to last_job (0: no bound).  from_s counts from the trace's first submission, or, with from_absolute,
	 * from its zero, which may be the epoch. */
	double from_s, duration_s;
	bool from_absolute;
	uint64_t first_job, last_job;
	/* Of a job with files: bytes a second at which it reads and writes them, which takes it so much longer; 0: no
	 * time. */
	double bandwidth;
	double near_bandwidth;	/* on the nodes below, more than on others; 0: there are no such nodes */
	const char *near;	/* names with commas between; a job of several nodes goes by the first of them */
	double max_run_time_s;	/* longer run times are cut to this; 0: none */
	/* multiplies each job's processors (rounded, at least 1); 0: machine_cpus / the trace's MaxProcs */
	double cpus_scale;
	/* The wanted offered load: sum over the jobs of CPUs x run time / (machine_cpus x period), where the period is
	 * duration_s, or without it the time from the first submission to the last.  The times between submissions are
	 * stretched or shrunk for it, nothing else is.  0: as the trace has it. */
	double load;
	uint32_t machine_cpus;	/* of the partition */
	bool leave_large;	/* leave out jobs that are larger than the machine; else they are an error */
	const char *name;	/* of the workload and its jobs: "swf" */
};

/* A job that ran a little longer than it had asked for must not be killed here: each limit is at least the scaled run time
 * and this, which the answer to the probe and a slow launch take. */
#define WT_SLICE_LIMIT_MARGIN_S 60.0

struct wt_slice_info {
	double load;		/* offered, after scaling */
	double period_s;	/* from the first submission on, after scaling */
	double transfer_s;	/* of all jobs' run times, what is for their files, before any cut and scaling */
	size_t cut;		/* run times that were cut */
	size_t limits_raised;	/* limits that the trace gives, below the margin above */
	size_t dependencies_cut;	/* on jobs that are not in the workload */
	size_t minutes_rounded;	/* of "after", where time_scale made no whole minutes of them */
	size_t left_out[WT_LEFT_COUNT];	/* by the trace's reader, and here */
};

void wt_slice_options_init(struct wt_slice_options *options);	/* the whole trace as it is; machine_cpus 0 */

/* Is the job within the times and numbers of the options? */
bool wt_slice_has(const struct wt_swf_trace *trace, const struct wt_swf_job *job, const struct wt_slice_options *options);

/* One lane, in an open loop; the first job is submitted at once.  Jobs are named NAME.ID, or NAME.NUMBER where they have no
 * id; their class is the profile, or NAME.  'info' may be NULL.  Caller frees with
 * wt_workload_destroy.  NULL with EINVAL (a wrong option; no job in the slice; a job that is larger than the machine; a load
 * for jobs that came all at once or need nothing) or ENOMEM. */
struct wt_workload *wt_slice_create(const struct wt_swf_trace *trace, const struct wt_slice_options *options,
				    struct wt_slice_info *info, struct wt_error *errp);

#endif
