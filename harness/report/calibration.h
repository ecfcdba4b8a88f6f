/* calibration.h - what real nodes took longer than the run times that jobs asked for, as delays of virtual nodes.
 *
 * A job's overhead is its time from start to end, as slurmctld has it, less its run time and, where it asked a question, the
 * wait for the answer: launch and end of the job on its nodes.  On a cluster whose nodes' side is not seen both times are
 * cut to whole seconds.  Where starts and ends lie anywhere in a second the mean of many jobs is true all the same, and the
 * variance too large by that of two cuts (each 1/12 s^2), which is taken off; where all start at the same place in a second,
 * as short jobs of one burst do, the mean is off by up to a second.  A mean below 0 counts as 0.
 * epilog: from a job's end to its last node's release, as the mean of an exponential law: on k nodes the mean of the last is
 * that times 1 + 1/2 + ... + 1/k.  Where no release is seen, as on a real cluster: the node seconds that the series saw
 * completing, for each node of a job (Little's law: mean number = rate x mean time).
 * Pure; plain values. */
#ifndef WT_HARNESS_REPORT_CALIBRATION_H
#define WT_HARNESS_REPORT_CALIBRATION_H

#include <stddef.h>

#include "lib/error.h"
#include "lib/str.h"
#include "record/record.h"

struct calibration {		/* zeroed: no job yet */
	size_t jobs, cut;	/* with both times; of them with times in whole seconds */
	double sum_s, square_s2;
	size_t released;	/* with the release of all of their nodes */
	double release_sum_s, harmonic_sum;
	double job_nodes, completing_node_s;	/* nodes of all jobs that ran; seen by the series */
};

struct calibration_delays {
	double launch_mean_s, launch_deviation_s;	/* 0: none; NAN: not known */
	double launch_error_s;	/* standard error of the mean */
	double epilog_mean_s;	/* NAN: not known */
};

/* Add the jobs that ended COMPLETED. */
void calibration_add(struct calibration *c, const struct wt_record *record);
void calibration_delays(const struct calibration *c, struct calibration_delays *delays);

/* As settings of nodes (wt-vnoded(8)): "gamma:0.466110,0.349784" of launch-delay, "exp:0.032625" of epilog-time, into two
 * texts to be freed; NULL: nothing to set.  0, or -1 with ENOMEM. */
int calibration_laws(const struct calibration_delays *delays, char **launch, char **epilog, struct wt_error *errp);

#endif
