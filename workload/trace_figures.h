/* trace_figures.h - what a trace is like: how much it asks of a machine, when jobs arrive, how large and long they are.
 *
 * Pure; plain values.  NAN where nothing is known. */
#ifndef WT_WORKLOAD_TRACE_FIGURES_H
#define WT_WORKLOAD_TRACE_FIGURES_H

#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"
#include "lib/stats.h"
#include "workload/swf_trace.h"

#define WT_TRACE_HOURS 24
#define WT_TRACE_SIZES 33	/* bins: 1, 2, 3-4, 5-8 and so on: the last one up to 2^32 */

struct wt_trace_figures {
	size_t jobs;
	uint32_t machine_cpus;	/* what the load is computed with */
	double period_s;	/* from the first submission to the last */
	double cpu_s;		/* sum of CPUs x run time */
	double load;		/* cpu_s / (machine_cpus x period_s): the utilisation that is offered */
	size_t by_hour[WT_TRACE_HOURS];		/* submissions, by hours of the day of the trace's own time */
	size_t by_size[WT_TRACE_SIZES];		/* jobs; bin i > 0 has sizes above 2^(i-1), up to 2^i */
	struct wt_stats gap_s, cpus, run_time_s;
	size_t serial, powers_of_two;	/* jobs of one CPU; of 2, 4, 8 and so on */
	struct wt_stats limit_s;	/* over those that have one */
	struct wt_stats limit_use;	/* run time / limit of those */
	size_t over_limit;		/* that ran longer */
};

/* 'machine_cpus' 0: the trace's MaxProcs, or without it the largest job.  0, or -1 with ENOMEM. */
int wt_trace_figures_make(struct wt_trace_figures *figures, const struct wt_swf_trace *trace, uint32_t machine_cpus,
			  struct wt_error *errp);

#endif
