/* montecarlo.h - what a Monte-Carlo simulation says, and how well it catches what was observed.
 *
 * L. Bertot, "Improving the simulation of IaaS clouds" (thesis, Strasbourg 2019): a normal distribution is fitted to
 * the figures of the simulated runs (section 4.3.5), with the errors of its two parameters (5.2); the capture rate
 * is the share of observed runs within an interval of that distribution.  Its "95 % interval" is that of 2 standard
 * deviations (95.45 %) and its 99 % one that of 3 (99.73 %): here as well.  Pure; plain values; any number of threads. */
#ifndef WT_HARNESS_REPORT_MONTECARLO_H
#define WT_HARNESS_REPORT_MONTECARLO_H

#include <stddef.h>
#include <stdint.h>

#define MONTECARLO_SD_95 2.0
#define MONTECARLO_SD_99 3.0

struct montecarlo_fit {		/* of maximum likelihood: sd is over n, not n - 1 */
	size_t count;
	double mean, sd;	/* NAN over nothing */
	double mean_error, sd_error;	/* their standard errors: sd / sqrt (n), sd / sqrt (2 n) */
};

/* Over values without a NAN. */
void montecarlo_fit_make(struct montecarlo_fit *fit, const double *values, size_t count);

/* The fits over the first 1, 2, ... count values into fits[count]: figures 5.4 and 5.6 of the thesis. */
void montecarlo_converge(struct montecarlo_fit *fits, const double *values, size_t count);

/* From how many values on the mean and the deviation have stayed within 'share' of the last ones; 0: fits[] is empty. */
struct montecarlo_settled {
	size_t mean, sd;
};
struct montecarlo_settled montecarlo_settle(const struct montecarlo_fit *fits, size_t count, double share);

struct montecarlo_capture {
	double low, high;
	size_t inside, count;
	double rate;		/* NAN: nothing was observed */
};

/* The interval of 'sds' standard deviations on each side, and what of 'observed' lies in it, its ends included. */
struct montecarlo_capture montecarlo_capture_count(const struct montecarlo_fit *fit, double sds, const double *observed,
						   size_t count);

/* Inter-simulation convergence, figures 5.5 and 5.6 of the thesis: MONTECARLO_SIMULATIONS simulations of 'runs' runs each
 * are drawn from the values (with replacement, so that a simulation of all of them still varies), a fit is made of each, and
 * the fits' means and deviations vary from simulation to simulation; beside that how much the fits themselves say. */
#define MONTECARLO_SIMULATIONS 100
#define MONTECARLO_POINTS_MAX  64

struct montecarlo_between {
	size_t runs;
	double mean, mean_sd;	/* of the fits' means over the simulations, and how much these vary (over n - 1) */
	double sd, sd_sd;	/* of the fits' deviations */
	double mean_error, sd_error;	/* medians of the standard errors that the fits told */
};

/* Into points[MONTECARLO_POINTS_MAX]: of 10 runs, and from there in equal steps of hundreds (of tens below 300 values) to
 * count.  The same seed draws the same.  How many points; 0 with ENOMEM, or errno 0 for less than 10 values. */
size_t montecarlo_between_make(struct montecarlo_between *points, const double *values, size_t count, uint64_t seed);

/* Equation 4.3, the perturbation level P: the mean over the jobs of the largest relative deviation of a run's time
 * from that job's mean.  times[job * runs + run]; NAN: that run does not have it.  Jobs with less than two times, or
 * a mean of 0, are left out.  A share; NAN: no job is left.  'jobs_used' may be NULL. */
double montecarlo_level(const double *times, size_t jobs, size_t runs, size_t *jobs_used);

#endif
