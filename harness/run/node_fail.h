/* node_fail.h - a job's node fails, with all that runs there, and is repaired at once. */
#ifndef WT_HARNESS_RUN_NODE_FAIL_H
#define WT_HARNESS_RUN_NODE_FAIL_H

#include <stdatomic.h>
#include <stdint.h>

#include "lib/clock.h"
#include "lib/error.h"

/* The first node of a job that runs: its machine loses power, if it is a virtual one's in the cluster's folder 'nodes_dir'
 * (else NULL); slurmctld is told that it is down, which ends the job; the machine is repaired, and slurmctld told that it
 * serves again.  Asked for again until slurmctld has answered, or *stop.  1; 0 when the job has ended already; -1 with errno
 * (often one of Slurm's) and *errp set. */
int node_fail(const struct wt_clock *clock, const char *nodes_dir, uint32_t job_id, const atomic_bool *stop,
	      struct wt_error *errp);

#endif
