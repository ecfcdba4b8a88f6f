/* lublin.h - the workload model of Lublin and Feitelson: "lublin".
 *
 * U. Lublin, D. G. Feitelson, "The workload on parallel supercomputers: modeling the characteristics of rigid jobs", Journal
 * of Parallel and Distributed Computing 63(11), 2003.  The model of all jobs, without the paper's division into batch and
 * interactive ones, written from its description:
 *  - sizes: a job is serial, or has 2^u CPUs, with u uniform below and above a knee; for most of them u is rounded, which
 *    makes powers of two;
 *  - run times: their natural logarithm is of one of two gamma distributions, of the longer one the more often the larger
 *    the job is;
 *  - arrivals: the logarithm of the time to the next arrival is gamma-distributed, where that time passes faster in the busy
 *    half-hours of a day than in its others.
 * The values of the constants, what they multiply, the cut-offs and the numbering of the half-hours (the first begins at
 * midnight) were compared with public copies of the authors' program m_lublin99 (Parallel Workloads Archive) and with
 * GridSim's WorkloadLublin99, which agree; the paper itself was not at hand.  Random numbers are GSL's, so that jobs are
 * others than that program's.  Pure; plain values. */
#ifndef WT_WORKLOAD_LUBLIN_H
#define WT_WORKLOAD_LUBLIN_H

#include <stdint.h>

#include <gsl/gsl_rng.h>

#include "lib/error.h"
#include "workload/workload.h"
#include "workload/workload_options.h"

#define WT_LUBLIN_NODES 128u	/* of one CPU: the machine that the model's sizes were fitted to */
#define WT_LUBLIN_CPUS_MIN 8u	/* below it there is no knee */

/* Shares of all jobs.  The others are parallel, and of any size. */
#define WT_LUBLIN_SERIAL 0.244
#define WT_LUBLIN_POWER_OF_TWO 0.576
/* log2 of a parallel job's size: uniform from LOW to the knee with probability BELOW_KNEE, else from the knee to that of the
 * machine, which is KNEE above the knee (the model allows 1.5 to 3.5). */
#define WT_LUBLIN_LOW 0.8
#define WT_LUBLIN_KNEE 2.5
#define WT_LUBLIN_BELOW_KNEE 0.86
/* ln of the run time in seconds: gamma (shape, scale) of short jobs with probability SHORT_SLOPE x CPUs + SHORT_AT_ZERO,
 * else of long ones; drawn again above LONGEST (45 hours). */
#define WT_LUBLIN_SHORT_SHAPE 4.2
#define WT_LUBLIN_SHORT_SCALE 0.94
#define WT_LUBLIN_LONG_SHAPE 312.0
#define WT_LUBLIN_LONG_SCALE 0.03
#define WT_LUBLIN_SHORT_SLOPE -0.0054
#define WT_LUBLIN_SHORT_AT_ZERO 0.78
#define WT_LUBLIN_LONGEST_LN 12.0
/* ln of the time between arrivals in seconds: gamma (shape in the rush hours x what all hours have of it, scale); drawn
 * again above the longest (5 days). */
#define WT_LUBLIN_GAP_SHAPE (10.2303 * 1.0225)
#define WT_LUBLIN_GAP_SCALE 0.4871
#define WT_LUBLIN_GAP_LONGEST_LN 13.0
/* Arrivals over the day: gamma, over its half-hours from number FIRST on (5:00), of which number 1 begins at midnight. */
#define WT_LUBLIN_SLOTS 48
#define WT_LUBLIN_SLOT_FIRST 11
#define WT_LUBLIN_DAY_SHAPE 8.1737
#define WT_LUBLIN_DAY_SCALE 3.9631

struct wt_lublin_options {
	struct workload_options shared;
	uint32_t jobs;		/* how many: 1 to 1000000 */
	/* The wanted offered load: sum over the jobs of CPUs x run time / (machine_cpus x time from the first submission to
	 * the last).  The times between submissions are stretched or shrunk for it.  0: as the model has it. */
	double load;
	uint32_t machine_cpus;	/* of the partition: at least WT_LUBLIN_CPUS_MIN */
};

/* 1000 jobs, seed 1, load as it comes, time scale 1, limit factor 2, machine_cpus 0 */
void wt_lublin_options_init(struct wt_lublin_options *options);

/* One lane, in an open loop: the first job is submitted at once, and stands for the first one after a midnight.  Jobs are
 * named lublin.N, N from 1.  Caller frees with wt_workload_destroy.  NULL with EINVAL or ENOMEM. */
struct wt_workload *wt_lublin_create(const struct wt_lublin_options *options, struct wt_error *errp);

/* The offered load of a workload of one lane; NAN: all came at once. */
double wt_lublin_load(const struct wt_workload *w);

/* What a job is drawn of. */
uint32_t wt_lublin_size(gsl_rng *rng, uint32_t machine_cpus);	/* 1 to machine_cpus */
double wt_lublin_run_time_s(gsl_rng *rng, uint32_t cpus);	/* unscaled */
double wt_lublin_gap_s(gsl_rng *rng);	/* to the next arrival, if all half-hours were alike */

/* How fast that time passes in each half-hour from midnight on; 1 on average. */
void wt_lublin_day(double weights[WT_LUBLIN_SLOTS]);

#endif
