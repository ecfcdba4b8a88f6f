/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "workload/regular.h"
#include "workload/stream.h"

#define JOBS_MAX 1000000u
#define STREAM_SIZES 0

void wt_regular_burst(struct wt_regular_options *options)
{
	*options = (struct wt_regular_options){
		.shared = WORKLOAD_OPTIONS_DEFAULT,
		.name = "burst",
		.jobs = 200,
		.cpus_min = 1,
		.cpus_max = 1,
		.run_time_s = 170,
		.interval_s = 0,
	};
}

void wt_regular_spaced(struct wt_regular_options *options)
{
	wt_regular_burst(options);
	options->name = "spaced";
	options->interval_s = 10;
}

static int options_check(const struct wt_regular_options *o, struct wt_error *errp)
{
	if (!o->name || !*o->name)
		return wt_error_set(errp, EINVAL, "a workload needs a name");
	if (!o->jobs || o->jobs > JOBS_MAX)
		return wt_error_set(errp, EINVAL, "%u jobs: give 1 to %u", o->jobs, JOBS_MAX);
	if (o->cpus_max < o->cpus_min)
		return wt_error_set(errp, EINVAL, "jobs of %u to %u CPUs", o->cpus_min, o->cpus_max);
	if (!o->cpus_min || o->cpus_max > o->machine_cpus)
		return wt_error_set(errp, EINVAL, "jobs of %u CPUs on a machine of %u",
				    o->cpus_min ? o->cpus_max : o->cpus_min, o->machine_cpus);
	if (!(isfinite(o->run_time_s) && o->run_time_s >= 0))
		return wt_error_set(errp, EINVAL, "a run time of %g s: give 0 or more", o->run_time_s);
	if (!(isfinite(o->interval_s) && o->interval_s >= 0))
		return wt_error_set(errp, EINVAL, "an interval of %g s: give 0 or more", o->interval_s);
	return workload_options_check(&o->shared, errp);
}

static int sizes_draw(struct wt_workload *w, const struct wt_regular_options *o, struct wt_error *errp)
{
	gsl_rng *rng = wt_stream_open(o->shared.seed, STREAM_SIZES);
	double cpus = 0;

	if (!rng)
		return wt_error_errno(errp, ENOMEM, "workload %s", o->name);
	for (size_t i = 0; i < w->job_count; i++) {
		w->jobs[i].cpus = o->cpus_min + (uint32_t) gsl_rng_uniform_int(rng, o->cpus_max - o->cpus_min + 1ul);
		cpus += w->jobs[i].cpus;
	}
	w->ideal_s = cpus * o->run_time_s * o->shared.time_scale / o->machine_cpus;
	gsl_rng_free(rng);
	return 0;
}

static int jobs_fill(struct wt_workload *w, const struct wt_regular_options *o, struct wt_error *errp)
{
	for (size_t i = 0; i < w->job_count; i++) {
		struct wt_job *job = &w->jobs[i];

		if (wt_job_set_name(job, o->name, i + 1u, errp) < 0)
			return -1;
		job->run_time_s = o->run_time_s * o->shared.time_scale;
		job->time_limit_s = job->run_time_s * o->shared.limit_factor;
		job->delay_s = i ? o->interval_s * o->shared.time_scale : 0;
	}
	return sizes_draw(w, o, errp);
}

struct wt_workload *wt_regular_create(const struct wt_regular_options *o, struct wt_error *errp)
{
	struct wt_workload *w;

	if (options_check(o, errp) < 0)
		return NULL;
	w = wt_workload_create(o->name, o->jobs, errp);
	if (!w)
		return NULL;
	w->seed = o->shared.seed;
	w->time_scale = o->shared.time_scale;
	w->lanes[0].open_loop = true;
	if (jobs_fill(w, o, errp) == 0)
		return w;
	wt_workload_destroy(w);
	return NULL;
}
