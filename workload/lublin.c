/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>

#include "workload/lublin.h"
#include "workload/stream.h"

#define JOBS_MAX 1000000u
#define LOAD_MAX 100
/* The model counts arrivals by half hours of the day. */
#define SLOT_S 1800.0

/* So that more of one changes nothing of another. */
enum { STREAM_SIZES, STREAM_RUN_TIMES, STREAM_GAPS };

void wt_lublin_options_init(struct wt_lublin_options *options)
{
	*options = (struct wt_lublin_options){ .shared = WORKLOAD_OPTIONS_DEFAULT, .jobs = 1000 };
}

static int options_check(const struct wt_lublin_options *o, struct wt_error *errp)
{
	if (!o->jobs || o->jobs > JOBS_MAX)
		return wt_error_set(errp, EINVAL, "%u jobs: give 1 to %u", o->jobs, JOBS_MAX);
	if (o->machine_cpus < WT_LUBLIN_CPUS_MIN)
		return wt_error_set(errp, EINVAL, "the model of Lublin and Feitelson is for machines of %u CPUs and more, "
				    "not %u",
				    WT_LUBLIN_CPUS_MIN, o->machine_cpus);
	if (!(o->load >= 0 && o->load <= LOAD_MAX))
		return wt_error_set(errp, EINVAL, "an offered load of %g: give a number above 0, at most %d", o->load,
				    LOAD_MAX);
	return workload_options_check(&o->shared, errp);
}

/* Two uniform distributions of the logarithm, joined at a knee below the machine's size, with shares of serial jobs and of
 * powers of two beside them (lublin.h names the paper). */
uint32_t wt_lublin_size(gsl_rng *rng, uint32_t machine_cpus)
{
	double high = log2(machine_cpus), knee = fmax(high - WT_LUBLIN_KNEE, WT_LUBLIN_LOW);
	double kind = gsl_rng_uniform(rng), log2_size, size;

	if (kind < WT_LUBLIN_SERIAL)
		return 1;
	log2_size = gsl_rng_uniform(rng) < WT_LUBLIN_BELOW_KNEE ? gsl_ran_flat(rng, WT_LUBLIN_LOW, knee) :
								  gsl_ran_flat(rng, knee, high);
	if (kind < WT_LUBLIN_SERIAL + WT_LUBLIN_POWER_OF_TWO)
		log2_size = round(log2_size);
	size = round(exp2(log2_size));
	/* Of a machine whose CPUs are no power of two the next one may be larger than all of it. */
	return size < machine_cpus ? (uint32_t) size : machine_cpus;
}

/* Hyper-gamma, of the logarithm: the larger a job, the less often it is drawn from the short branch.  A tail that the
 * paper's fit did not see would make run times of years: such draws are made again. */
double wt_lublin_run_time_s(gsl_rng *rng, uint32_t cpus)
{
	double short_share = WT_LUBLIN_SHORT_SLOPE * cpus + WT_LUBLIN_SHORT_AT_ZERO, ln_s;

	do
		ln_s = gsl_rng_uniform(rng) < short_share ?
			       gsl_ran_gamma(rng, WT_LUBLIN_SHORT_SHAPE, WT_LUBLIN_SHORT_SCALE) :
			       gsl_ran_gamma(rng, WT_LUBLIN_LONG_SHAPE, WT_LUBLIN_LONG_SCALE);
	while (ln_s > WT_LUBLIN_LONGEST_LN);
	return exp(ln_s);
}

double wt_lublin_gap_s(gsl_rng *rng)
{
	double ln_s;

	do
		ln_s = gsl_ran_gamma(rng, WT_LUBLIN_GAP_SHAPE, WT_LUBLIN_GAP_SCALE);
	while (ln_s > WT_LUBLIN_GAP_LONGEST_LN);
	return exp(ln_s);
}

/* The day's cycle is a gamma distribution over the slots, cut to 24 hours and scaled to a mean of 1, so that it
 * changes when jobs come but not how many come in a day. */
void wt_lublin_day(double weights[WT_LUBLIN_SLOTS])
{
	double sum = 0;

	for (int i = WT_LUBLIN_SLOT_FIRST; i < WT_LUBLIN_SLOT_FIRST + WT_LUBLIN_SLOTS; i++) {
		double share = gsl_cdf_gamma_P(i + 0.5, WT_LUBLIN_DAY_SHAPE, WT_LUBLIN_DAY_SCALE) -
			       gsl_cdf_gamma_P(i - 0.5, WT_LUBLIN_DAY_SHAPE, WT_LUBLIN_DAY_SCALE);

		weights[(i - 1) % WT_LUBLIN_SLOTS] = share;
		sum += share;
	}
	for (int i = 0; i < WT_LUBLIN_SLOTS; i++)
		weights[i] *= WT_LUBLIN_SLOTS / sum;
}

/* When a gap has passed that begins at 'at_s' (seconds since some midnight). */
static double gap_pass(const double *weights, double at_s, double gap_s)
{
	for (;;) {
		double slot = floor(at_s / SLOT_S), next_s = (slot + 1) * SLOT_S;
		double weight = weights[(int) fmod(slot, WT_LUBLIN_SLOTS)], passes_s = (next_s - at_s) * weight;

		if (gap_s < passes_s)
			return at_s + gap_s / weight;
		gap_s -= passes_s;
		at_s = next_s;
	}
}

static void arrivals_draw(struct wt_workload *w, gsl_rng *rng)
{
	double weights[WT_LUBLIN_SLOTS], at_s;

	wt_lublin_day(weights);
	at_s = gap_pass(weights, 0, wt_lublin_gap_s(rng));
	for (size_t i = 1; i < w->job_count; i++) {
		double next_s = gap_pass(weights, at_s, wt_lublin_gap_s(rng));

		w->jobs[i].delay_s = (next_s - at_s) * w->time_scale;
		at_s = next_s;
	}
}

static int jobs_draw(struct wt_workload *w, const struct wt_lublin_options *o, gsl_rng *sizes, gsl_rng *run_times,
		     struct wt_error *errp)
{
	for (size_t i = 0; i < w->job_count; i++) {
		struct wt_job *job = &w->jobs[i];

		if (wt_job_set_name(job, "lublin", i + 1u, errp) < 0)
			return -1;
		job->cpus = wt_lublin_size(sizes, o->machine_cpus);
		job->run_time_s = wt_lublin_run_time_s(run_times, job->cpus) * o->shared.time_scale;
		job->time_limit_s = job->run_time_s * o->shared.limit_factor;
		w->ideal_s += job->cpus * job->run_time_s / o->machine_cpus;
	}
	return 0;
}

double wt_lublin_load(const struct wt_workload *w)
{
	double period_s = 0;

	for (size_t i = 0; i < w->job_count; i++)
		period_s += w->jobs[i].delay_s;
	return period_s > 0 ? w->ideal_s / period_s : NAN;
}

/* Only the gaps are stretched: sizes and run times are the model's, whatever load is wanted. */
static int load_make(struct wt_workload *w, double wanted, struct wt_error *errp)
{
	double stretch = wanted > 0 ? wt_lublin_load(w) / wanted : 1;

	if (!isfinite(stretch))
		return wt_error_set(errp, EINVAL, "no load can be made of one job");
	for (size_t i = 0; i < w->job_count; i++)
		w->jobs[i].delay_s *= stretch;
	return 0;
}

struct wt_workload *wt_lublin_create(const struct wt_lublin_options *o, struct wt_error *errp)
{
	gsl_rng *sizes, *run_times, *gaps;
	struct wt_workload *w;
	int rc = -1;

	if (options_check(o, errp) < 0)
		return NULL;
	sizes = wt_stream_open(o->shared.seed, STREAM_SIZES);
	run_times = wt_stream_open(o->shared.seed, STREAM_RUN_TIMES);
	gaps = wt_stream_open(o->shared.seed, STREAM_GAPS);
	w = wt_workload_create("lublin", o->jobs, errp);
	if (w && sizes && run_times && gaps) {
		w->seed = o->shared.seed;
		w->time_scale = o->shared.time_scale;
		w->lanes[0].open_loop = true;
		arrivals_draw(w, gaps);
		rc = jobs_draw(w, o, sizes, run_times, errp) < 0 ? -1 : load_make(w, o->load, errp);
	} else {
		wt_error_errno(errp, ENOMEM, "workload lublin");
	}
	gsl_rng_free(sizes);
	gsl_rng_free(run_times);
	gsl_rng_free(gaps);
	if (rc == 0)
		return w;
	wt_workload_destroy(w);
	return NULL;
}
