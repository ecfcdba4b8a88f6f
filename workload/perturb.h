/* perturb.h - run times drawn around their own: what makes a Monte-Carlo simulation of a workload.
 *
 * L. Bertot, "Improving the simulation of IaaS clouds" (thesis, Strasbourg 2019), equation 4.1: a task of expected
 * run time r has one from the uniform distribution between r (1 - P) and r (1 + P); section 5.3: from a normal one
 * of standard deviation r P / 2 or r P / 3.  Pure; plain values. */
#ifndef WT_WORKLOAD_PERTURB_H
#define WT_WORKLOAD_PERTURB_H

#include <stdint.h>

#include "lib/error.h"
#include "workload/workload.h"

enum wt_perturb_model {
	WT_PERTURB_NONE,
	WT_PERTURB_UNIFORM,	/* from 1 - spread to 1 + spread times */
	WT_PERTURB_NORMAL,	/* mean 1, standard deviation spread / divisor; cut off at 0, that is drawn above it */
	WT_PERTURB_LOGNORMAL,	/* mean 1, standard deviation spread */
};

struct wt_perturb {
	enum wt_perturb_model model;
	double spread;		/* P as a share: 0.1 for 10 %; above 0, at most 1 (lognormal: 10) */
	double divisor;		/* of WT_PERTURB_NORMAL: 1 to 10 */
};

#define WT_PERTURB_TEXT_SIZE 48

/* "uniform P", "normal P/2", "normal P/3" (any divisor from 1 to 10; none: 1) or "lognormal P", P in percent, with
 * or without its sign.  0, or -1 with EINVAL. */
int wt_perturb_parse(const char *text, struct wt_perturb *perturb, struct wt_error *errp);

/* The same text, in one form: "uniform 10", "normal 10/3". */
void wt_perturb_text(const struct wt_perturb *perturb, char text[WT_PERTURB_TEXT_SIZE]);

/* What a job's run time is multiplied by: of the seed and the job's number alone, whatever else is drawn.  Of one
 * seed and job all models put it at the same quantile. */
double wt_perturb_factor(const struct wt_perturb *perturb, uint64_t seed, uint32_t number);

/* Multiply each run time; limits stay, so that a job may now run into its own.  ideal_s follows the CPU seconds. */
void wt_perturb_apply(const struct wt_perturb *perturb, uint64_t seed, struct wt_workload *w);

#endif
