/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "wt_slice.h"

#define LOAD_MAX 100

void wt_slice_options_init(struct wt_slice_options *options)
{
	*options = (struct wt_slice_options) { .cpus_scale = 1, .time_scale = 1, .limit_factor = 2, .name = "swf" };
}

static int options_check(const struct wt_slice_options *o, struct wt_error *errp)
{
	const struct { const char *what; double value; } seconds[] = {
		{ "the slice's start", o->from_s }, { "the slice's duration", o->duration_s }, { "the longest run time", o->max_run_time_s },
	};

	for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++)
		if (!(isfinite(seconds[i].value) && seconds[i].value >= 0))
			return wt_error_set(errp, EINVAL, "%s, %g s: give 0 or more", seconds[i].what, seconds[i].value);
	if (o->last_job && o->last_job < o->first_job)
		return wt_error_set(errp, EINVAL, "jobs %llu to %llu: the last is below the first", (unsigned long long) o->first_job,
				    (unsigned long long) o->last_job);
	if (!(o->load >= 0 && o->load <= LOAD_MAX))
		return wt_error_set(errp, EINVAL, "an offered load of %g: give a number above 0, at most %d", o->load, LOAD_MAX);
	if (!(isfinite(o->cpus_scale) && o->cpus_scale >= 0))
		return wt_error_set(errp, EINVAL, "processors times %g: give a number above 0", o->cpus_scale);
	if (!(o->time_scale > 0 && o->time_scale <= 1000))
		return wt_error_set(errp, EINVAL, "time scale %g: give a number above 0, at most 1000", o->time_scale);
	if (!(o->limit_factor >= 1 && o->limit_factor <= 1000))
		return wt_error_set(errp, EINVAL, "time limits of %g times the run time: give a factor from 1 to 1000",
				    o->limit_factor);
	return o->machine_cpus ? 0 : wt_error_set(errp, EINVAL, "a machine without CPUs");
}

static bool chosen(const struct wt_swf_job *job, const struct wt_slice_options *o)
{
	return job->submit_s >= o->from_s && (o->duration_s == 0 || job->submit_s < o->from_s + o->duration_s) &&
	       job->number >= o->first_job && (!o->last_job || job->number <= o->last_job);
}

static int cpus_set(struct wt_job *job, const struct wt_swf_job *from, const struct wt_slice_options *o, double scale,
		    struct wt_error *errp)
{
	double cpus = round(from->procs * scale);

	if (cpus > o->machine_cpus)
		return wt_error_set(errp, EINVAL, "line %zu: job %llu asks for %g CPUs, the machine has %u: scale the processors",
				    from->line, (unsigned long long) from->number, cpus, o->machine_cpus);
	job->cpus = cpus < 1 ? 1 : (uint32_t) cpus;
	return 0;
}

/* Times as in the trace; the lane's delays are made when it is known how far they are to be stretched. */
static int job_fill(struct wt_job *job, const struct wt_swf_job *from, const struct wt_slice_options *o, struct wt_slice_info *info,
		    struct wt_error *errp)
{
	double margin_s = WT_SLICE_LIMIT_MARGIN_S;

	if (wt_job_set_name(job, o->name, from->number, errp) < 0)
		return -1;
	job->run_time_s = from->run_time_s;
	if (o->max_run_time_s > 0 && job->run_time_s > o->max_run_time_s) {
		job->run_time_s = o->max_run_time_s;
		info->cut++;
	}
	job->run_time_s *= o->time_scale;
	job->time_limit_s = from->requested_time_s > 0 ? from->requested_time_s * o->time_scale : job->run_time_s * o->limit_factor;
	if (job->time_limit_s < job->run_time_s + margin_s) {
		job->time_limit_s = job->run_time_s + margin_s;
		info->limits_raised++;
	}
	return 0;
}

static double scale_of(const struct wt_swf_trace *trace, const struct wt_slice_options *o)
{
	return o->cpus_scale > 0 ? o->cpus_scale : (double) o->machine_cpus / trace->max_procs;
}

static size_t chosen_count(const struct wt_swf_trace *trace, const struct wt_slice_options *o)
{
	size_t count = 0;

	for (size_t i = 0; i < trace->job_count; i++)
		count += chosen(&trace->jobs[i], o);
	return count;
}

/* Delays hold the trace's submit times until delays_set. */
static int jobs_fill(struct wt_workload *w, const struct wt_swf_trace *trace, const struct wt_slice_options *o,
		     struct wt_slice_info *info, struct wt_error *errp)
{
	size_t n = 0;

	for (size_t i = 0; i < trace->job_count; i++) {
		const struct wt_swf_job *from = &trace->jobs[i];

		if (!chosen(from, o))
			continue;
		if (job_fill(&w->jobs[n], from, o, info, errp) < 0 || cpus_set(&w->jobs[n], from, o, scale_of(trace, o), errp) < 0)
			return -1;
		w->ideal_s += w->jobs[n].cpus * w->jobs[n].run_time_s / o->machine_cpus;
		w->jobs[n++].delay_s = from->submit_s;
	}
	return 0;
}

static int delays_set(struct wt_workload *w, const struct wt_slice_options *o, struct wt_slice_info *info, struct wt_error *errp)
{
	double first_s = w->jobs[0].delay_s, last_s = w->jobs[w->job_count - 1].delay_s, stretch = o->time_scale;

	info->period_s = (o->duration_s > 0 ? o->duration_s : last_s - first_s) * o->time_scale;
	info->load = info->period_s > 0 ? w->ideal_s / info->period_s : NAN;
	if (o->load > 0) {
		if (!(info->load > 0))
			return wt_error_set(errp, EINVAL, "no load can be made of jobs that came all at once, or need no time");
		stretch *= info->load / o->load;
		info->period_s *= info->load / o->load;
		info->load = o->load;
	}
	for (size_t i = w->job_count - 1; i > 0; i--)
		w->jobs[i].delay_s = (w->jobs[i].delay_s - w->jobs[i - 1].delay_s) * stretch;
	w->jobs[0].delay_s = 0;
	return 0;
}

struct wt_workload *wt_slice_create(const struct wt_swf_trace *trace, const struct wt_slice_options *o, struct wt_slice_info *info,
				    struct wt_error *errp)
{
	struct wt_slice_info ignored;
	struct wt_workload *w;
	size_t count;

	info = info ? info : &ignored;
	memset(info, 0, sizeof(*info));
	if (options_check(o, errp) < 0)
		return NULL;
	if (!(o->cpus_scale > 0) && !trace->max_procs) {
		wt_error_set(errp, EINVAL, "the trace has no header MaxProcs: give the factor for its processors");
		return NULL;
	}
	count = chosen_count(trace, o);
	if (!count) {
		wt_error_set(errp, EINVAL, "no job in this slice: the trace has submissions from %g to %g s", trace->jobs[0].submit_s,
			     trace->jobs[trace->job_count - 1].submit_s);
		return NULL;
	}
	w = wt_workload_create(o->name, count, errp);
	if (!w)
		return NULL;
	w->time_scale = o->time_scale;
	w->lanes[0].open_loop = true;
	if (jobs_fill(w, trace, o, info, errp) == 0 && delays_set(w, o, info, errp) == 0)
		return w;
	wt_workload_destroy(w);
	return NULL;
}
