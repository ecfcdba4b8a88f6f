/* workload_options.h - what is asked of a workload of whatever kind.
 *
 * The options of each kind have it as their 'shared'.  Pure; plain values. */
#ifndef WT_WORKLOAD_WORKLOAD_OPTIONS_H
#define WT_WORKLOAD_WORKLOAD_OPTIONS_H

#include <stdint.h>

#include "lib/error.h"

struct workload_options {
	uint64_t seed;		/* any value; what is drawn depends on it alone (a slice of a trace draws nothing) */
	double time_scale;	/* multiplies run times, times between submissions and time limits; above 0, at most 1000 */
	/* Time limit = run time x this, of jobs for which no limit is told; 1 to 1000.  Default 2: a controller that answers
	 * late lengthens a job (the probe), which must not kill it, and users ask for more than they use.  Slurm rounds
	 * limits up to whole minutes: at time_scale 0.1 every limit of Light-ESP is 1 minute, so backfill sees all jobs as
	 * equally long. */
	double limit_factor;
};

#define WORKLOAD_OPTIONS_DEFAULT { .seed = 1, .time_scale = 1, .limit_factor = 2 }

/* 0, or -1 with EINVAL and what is wrong with which option. */
int workload_options_check(const struct workload_options *options, struct wt_error *errp);

#endif
