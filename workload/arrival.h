/* arrival.h - how long a submitter waits between one submission's reply and the next submission (closed loop).
 *
 * Georgiou and Hautreux 2012, section 3.1: "Light-ESP variation launches 50 jobs in a row (22% of total jobs)
 * and the rest 180 jobs are launched with inter-arrival times chosen randomly between 1 and 3 seconds", a setting of ESP's
 * "Gaussian model of submission which may be also parametrized".  Pure; plain values. */
#ifndef WT_WORKLOAD_ARRIVAL_H
#define WT_WORKLOAD_ARRIVAL_H

#include <stddef.h>

#include <gsl/gsl_rng.h>

#include "lib/error.h"

enum wt_arrival_model {
	WT_ARRIVAL_UNIFORM,	/* between min_s and max_s */
	WT_ARRIVAL_GAUSSIAN,	/* mean_s, sd_s; drawn again while negative, so the real mean is a little higher */
};

struct wt_arrival {
	enum wt_arrival_model model;
	double min_s, max_s;	/* uniform: 0 <= min_s <= max_s */
	double mean_s, sd_s;	/* Gaussian: mean_s >= 0, sd_s >= 0 */
};

/* Uniform 1-3 s (the paper); the Gaussian's defaults have the same mean and deviation: 2 s and 2 / sqrt (12) = 0.577 s. */
extern const struct wt_arrival wt_arrival_default;

/* 0, or -1 with EINVAL. */
int wt_arrival_check(const struct wt_arrival *arrival, struct wt_error *errp);

double wt_arrival_mean_s(const struct wt_arrival *arrival);	/* before truncation */

/* One waiting time in seconds, unscaled.  'arrival' passed the check. */
double wt_arrival_draw(const struct wt_arrival *arrival, gsl_rng *rng);

const char *wt_arrival_model_name(enum wt_arrival_model model);				/* "uniform", "gaussian" */
int wt_arrival_model_parse(const char *name, enum wt_arrival_model *model, struct wt_error *errp);	/* 0, -1 EINVAL */

#endif
