/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "workload/regular.h"

#define JOBS_MAX 1000000u

void wt_regular_burst(struct wt_regular_options *options)
{
	*options = (struct wt_regular_options){
		.name = "burst",
		.jobs = 200,
		.cpus = 1,
		.run_time_s = 170,
		.interval_s = 0,
		.time_scale = 1,
		.limit_factor = 2,
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
	if (!o->cpus || o->cpus > o->machine_cpus)
		return wt_error_set(errp, EINVAL, "jobs of %u CPUs on a machine of %u", o->cpus, o->machine_cpus);
	if (!(isfinite(o->run_time_s) && o->run_time_s >= 0))
		return wt_error_set(errp, EINVAL, "a run time of %g s: give 0 or more", o->run_time_s);
	if (!(isfinite(o->interval_s) && o->interval_s >= 0))
		return wt_error_set(errp, EINVAL, "an interval of %g s: give 0 or more", o->interval_s);
	if (!(o->time_scale > 0 && o->time_scale <= 1000))
		return wt_error_set(errp, EINVAL, "time scale %g: give a number above 0, at most 1000", o->time_scale);
	if (!(o->limit_factor >= 1 && o->limit_factor <= 1000))
		return wt_error_set(errp, EINVAL, "time limits of %g times the run time: give a factor from 1 to 1000",
				    o->limit_factor);
	return 0;
}

struct wt_workload *wt_regular_create(const struct wt_regular_options *o, struct wt_error *errp)
{
	struct wt_workload *w;

	if (options_check(o, errp) < 0)
		return NULL;
	w = wt_workload_create(o->name, o->jobs, errp);
	if (!w)
		return NULL;
	w->time_scale = o->time_scale;
	w->ideal_s = (double) o->jobs * o->cpus * o->run_time_s * o->time_scale / o->machine_cpus;
	w->lanes[0].open_loop = true;
	for (uint32_t i = 0; i < o->jobs; i++) {
		struct wt_job *job = &w->jobs[i];

		if (wt_job_set_name(job, o->name, i + 1u, errp) < 0) {
			wt_workload_destroy(w);
			return NULL;
		}
		job->cpus = o->cpus;
		job->run_time_s = o->run_time_s * o->time_scale;
		job->time_limit_s = job->run_time_s * o->limit_factor;
		job->delay_s = i ? o->interval_s * o->time_scale : 0;
	}
	return w;
}
