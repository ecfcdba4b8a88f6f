/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "workload/perturb.h"
#include "workload/stream.h"

#define STREAM_PERTURB ((uint64_t) 1 << 40)	/* and the job's number: apart from the streams of workloads */
#define DIVISOR_MAX    10

static const struct {
	const char *name;
	double percent_max;
} models[] = {
	[WT_PERTURB_NONE] = { "", 0 },
	[WT_PERTURB_UNIFORM] = { "uniform", 100 },
	[WT_PERTURB_NORMAL] = { "normal", 100 },
	[WT_PERTURB_LOGNORMAL] = { "lognormal", 1000 },
};

static int text_refuse(const char *text, struct wt_error *errp)
{
	return wt_error_set(errp, EINVAL, "'%s': give 'uniform P', 'normal P/2', 'normal P/3' or 'lognormal P', "
			    "P in percent from 0.001 to 100 (lognormal: 1000)", text);
}

/* A decimal number at *at, behind which *at then stands. 0, or -1. strtod () takes more than decimal numbers
 * ("0x1p3", "nan", "1e3"): the same text must mean the same everywhere. */
static int decimal_take(const char **at, double *value)
{
	size_t len = strspn(*at, "0123456789.");
	char *end;

	*value = strtod(*at, &end);
	if (!len || end != *at + len)
		return -1;
	*at += len;
	return 0;
}

int wt_perturb_parse(const char *text, struct wt_perturb *perturb, struct wt_error *errp)
{
	size_t len = strcspn(text, " "), model = WT_PERTURB_UNIFORM;
	const char *at = text + len + strspn(text + len, " ");
	struct wt_perturb p = { .divisor = 1 };
	double percent;

	while (model <= WT_PERTURB_LOGNORMAL && (strlen(models[model].name) != len || memcmp(text, models[model].name, len)))
		model++;
	if (model > WT_PERTURB_LOGNORMAL || decimal_take(&at, &percent) < 0)
		return text_refuse(text, errp);
	at += *at == '%';
	if (model == WT_PERTURB_NORMAL && *at == '/') {
		at++;
		if (decimal_take(&at, &p.divisor) < 0 || !(p.divisor >= 1 && p.divisor <= DIVISOR_MAX))
			return text_refuse(text, errp);
	}
	if (*at || !(percent >= 0.001 && percent <= models[model].percent_max))
		return text_refuse(text, errp);
	p.model = (enum wt_perturb_model) model;
	p.spread = percent / 100;
	*perturb = p;
	return 0;
}

void wt_perturb_text(const struct wt_perturb *p, char text[WT_PERTURB_TEXT_SIZE])
{
	int len = snprintf(text, WT_PERTURB_TEXT_SIZE, "%s %.10g", models[p->model].name, p->spread * 100);

	if (p->model == WT_PERTURB_NORMAL && p->divisor != 1)
		snprintf(text + len, WT_PERTURB_TEXT_SIZE - (size_t) len, "/%.10g", p->divisor);
}

/* A quantile between 0 and 1, neither of them. */
static double quantile_draw(uint64_t seed, uint32_t number)
{
	return ldexp((double) (wt_stream_number(seed, STREAM_PERTURB + number) >> 11) + 0.5, -53);
}

double wt_perturb_factor(const struct wt_perturb *p, uint64_t seed, uint32_t number)
{
	double u = quantile_draw(seed, number), sd, below, log_sd;

	switch (p->model) {
	case WT_PERTURB_UNIFORM:
		return 1 - p->spread + 2 * p->spread * u;
	/* One quantile through the inverse distribution, cut at 0: drawing again until it fits would take a number of
	 * draws that varies, and the job beside it would change with it. */
	case WT_PERTURB_NORMAL:
		sd = p->spread / p->divisor;
		below = gsl_cdf_ugaussian_P(-1 / sd);	/* what lies below 0 */
		return fmax(1 + sd * gsl_cdf_ugaussian_Pinv(below + u * (1 - below)), 0);
	case WT_PERTURB_LOGNORMAL:
		/* of exp (N (m, s)) the mean is exp (m + s^2 / 2), and (sd / mean)^2 is exp (s^2) - 1 */
		log_sd = sqrt(log1p(p->spread * p->spread));
		return exp(log_sd * gsl_cdf_ugaussian_Pinv(u) - log_sd * log_sd / 2);
	default:
		return 1;
	}
}

void wt_perturb_apply(const struct wt_perturb *p, uint64_t seed, struct wt_workload *w)
{
	double before = 0, after = 0;

	for (size_t i = 0; i < w->job_count; i++) {
		struct wt_job *job = &w->jobs[i];

		before += job->cpus * job->run_time_s;
		job->run_time_s *= wt_perturb_factor(p, seed, job->number);
		after += job->cpus * job->run_time_s;
	}
	/* The ideal makespan is CPU time over CPUs: it changes as the CPU time does. */
	if (before > 0)
		w->ideal_s *= after / before;
}
