/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include <gsl/gsl_randist.h>

#include "workload/arrival.h"

static const char *const model_names[] = {
	[WT_ARRIVAL_UNIFORM] = "uniform",
	[WT_ARRIVAL_GAUSSIAN] = "gaussian",
};

/* 2 / sqrt (12): the deviation of the uniform distribution between 1 and 3. */
const struct wt_arrival wt_arrival_default = {
	.model = WT_ARRIVAL_UNIFORM, .min_s = 1, .max_s = 3, .mean_s = 2, .sd_s = 0.57735026918962576,
};

static int seconds_valid(double value)
{
	return isfinite(value) && value >= 0 && value <= 1e6;
}

int wt_arrival_check(const struct wt_arrival *arrival, struct wt_error *errp)
{
	if (arrival->model == WT_ARRIVAL_UNIFORM) {
		if (seconds_valid(arrival->min_s) && seconds_valid(arrival->max_s) && arrival->min_s <= arrival->max_s)
			return 0;
		return wt_error_set(errp, EINVAL,
				    "uniform arrivals between %g s and %g s: give 0 <= least <= most <= 1000000",
				    arrival->min_s, arrival->max_s);
	}
	if (arrival->model != WT_ARRIVAL_GAUSSIAN)
		return wt_error_set(errp, EINVAL, "arrival model %d is unknown", (int) arrival->model);
	if (seconds_valid(arrival->mean_s) && seconds_valid(arrival->sd_s))
		return 0;
	return wt_error_set(errp, EINVAL, "Gaussian arrivals of mean %g s and deviation %g s: give both from 0 to 1000000",
			    arrival->mean_s, arrival->sd_s);
}

double wt_arrival_mean_s(const struct wt_arrival *arrival)
{
	if (arrival->model == WT_ARRIVAL_GAUSSIAN)
		return arrival->mean_s;
	return (arrival->min_s + arrival->max_s) / 2;
}

double wt_arrival_draw(const struct wt_arrival *arrival, gsl_rng *rng)
{
	double value;

	if (arrival->model == WT_ARRIVAL_UNIFORM)
		return gsl_ran_flat(rng, arrival->min_s, arrival->max_s);
	/* The mean is not negative: at least every second draw fits. */
	do
		value = arrival->mean_s + gsl_ran_gaussian(rng, arrival->sd_s);
	while (value < 0);
	return value;
}

const char *wt_arrival_model_name(enum wt_arrival_model model)
{
	return model_names[model];
}

int wt_arrival_model_parse(const char *name, enum wt_arrival_model *model, struct wt_error *errp)
{
	for (size_t i = 0; i < sizeof(model_names) / sizeof(model_names[0]); i++)
		if (!strcmp(name, model_names[i])) {
			*model = (enum wt_arrival_model) i;
			return 0;
		}
	return wt_error_set(errp, EINVAL, "'%s' is not an arrival model: give uniform or gaussian", name);
}
