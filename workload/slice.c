/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "workload/dependency.h"
#include "workload/slice.h"

#define LOAD_MAX 100
#define SHORTEST_MARGIN_S 1	/* of a limit that a cluster has seen kept */

void wt_slice_options_init(struct wt_slice_options *options)
{
	*options = (struct wt_slice_options) {
		.shared = WORKLOAD_OPTIONS_DEFAULT, .cpus_scale = 1, .name = "swf",
	};
}

static int options_check(const struct wt_slice_options *o, struct wt_error *errp)
{
	const struct { const char *what; double value; } seconds[] = {
		{ "the slice's start", o->from_s }, { "the slice's duration", o->duration_s }, { "the longest run time",
			o->max_run_time_s },
	};

	for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++)
		if (!(isfinite(seconds[i].value) && seconds[i].value >= 0))
			return wt_error_set(errp, EINVAL, "%s, %g s: give 0 or more", seconds[i].what, seconds[i].value);
	if (o->last_job && o->last_job < o->first_job)
		return wt_error_set(errp, EINVAL, "jobs %llu to %llu: the last is below the first",
				    (unsigned long long) o->first_job,
				    (unsigned long long) o->last_job);
	if (!(isfinite(o->bandwidth) && o->bandwidth >= 0))
		return wt_error_set(errp, EINVAL, "%g bytes a second: give a number above 0", o->bandwidth);
	if (o->near && !(o->bandwidth > 0 && o->near_bandwidth > o->bandwidth))
		return wt_error_set(errp, EINVAL, "--near-bandwidth: give --bandwidth, of the other nodes, which is less");
	if (!(o->load >= 0 && o->load <= LOAD_MAX))
		return wt_error_set(errp, EINVAL, "an offered load of %g: give a number above 0, at most %d", o->load,
				    LOAD_MAX);
	if (!(isfinite(o->cpus_scale) && o->cpus_scale >= 0))
		return wt_error_set(errp, EINVAL, "processors times %g: give a number above 0", o->cpus_scale);
	if (workload_options_check(&o->shared, errp) < 0)
		return -1;
	return o->machine_cpus ? 0 : wt_error_set(errp, EINVAL, "a machine without CPUs");
}

static double scale_of(const struct wt_swf_trace *trace, const struct wt_slice_options *o)
{
	return o->cpus_scale > 0 ? o->cpus_scale : (double) o->machine_cpus / trace->max_procs;
}

bool wt_slice_has(const struct wt_swf_trace *trace, const struct wt_swf_job *job, const struct wt_slice_options *o)
{
	/* Counted from the first line of the trace, whether that job is left out or not: --from S means the same with
	 * and without --skip-bad. */
	double at_s = o->from_absolute ? job->submit_s : job->submit_s - trace->first_submit_s;

	return at_s >= o->from_s && (o->duration_s == 0 || at_s < o->from_s + o->duration_s) &&
		job->number >= o->first_job &&
	       (!o->last_job || job->number <= o->last_job);
}

static double cpus_of(const struct wt_swf_trace *trace, const struct wt_swf_job *job, const struct wt_slice_options *o)
{
	return fmax(round(job->procs * scale_of(trace, o)), 1);
}

/* The jobs that the workload has, in the trace's order, into chosen[] (NULL: only count).  -1: one is too large. */
static ssize_t jobs_choose(const struct wt_swf_trace *trace, const struct wt_slice_options *o,
			   const struct wt_swf_job **chosen, struct wt_slice_info *info, struct wt_error *errp)
{
	size_t count = 0;

	/* Counted anew each time: wt_slice_create () goes over the trace twice, first to count, then to choose. */
	memcpy(info->left_out, trace->left_out, sizeof(info->left_out));
	for (size_t i = 0; i < trace->job_count; i++) {
		const struct wt_swf_job *job = &trace->jobs[i];

		if (!wt_slice_has(trace, job, o)) {
			info->left_out[WT_LEFT_OUTSIDE]++;
		} else if (cpus_of(trace, job, o) <= o->machine_cpus) {
			if (chosen)
				chosen[count] = job;
			count++;
		} else if (o->leave_large) {
			info->left_out[WT_LEFT_LARGE]++;
		} else {
			return wt_error_set(errp, EINVAL,
					    "%s %zu: job %llu asks for %g CPUs, the machine has %u: scale the processors, "
					    "or leave out what is too large",
					    trace->line_is_place ? "place" : "line", job->line,
					    (unsigned long long) job->number, cpus_of(trace, job, o),
					    o->machine_cpus);
		}
	}
	return (ssize_t) count;
}

static int name_set(struct wt_job *job, const struct wt_swf_job *from, const char *prefix, struct wt_error *errp)
{
	char number[32];

	snprintf(number, sizeof(number), "%llu", (unsigned long long) from->number);
	job->trace_id = strdup(from->id ? from->id : number);
	job->class_name = strdup(from->profile ? from->profile : prefix);
	if (!job->trace_id || !job->class_name || asprintf(&job->name, "%s.%s", prefix, job->trace_id) < 0) {
		job->name = NULL;
		return wt_error_errno(errp, ENOMEM, "job %s", number);
	}
	return 0;
}

/* A job that ends by itself must not run into its limit; what it asks for tells all else. */
static int ask_fill(struct wt_job *job, const struct wt_swf_job *from, const struct wt_slice_options *o,
		    struct wt_slice_info *info, struct wt_error *errp)
{
	job->ask = wt_job_ask_copy(from->ask);
	if (!job->ask)
		return wt_error_errno(errp, ENOMEM, "job %s", job->name);
	wt_job_ask_scale(job->ask, o->shared.time_scale);
	if (!(from->requested_time_s > 0)) {
		job->time_limit_s = NAN;
	} else if (!wt_job_ask_endless(job->ask) && 
		   job->time_limit_s < job->run_time_s + job->away_s + SHORTEST_MARGIN_S) {
		job->time_limit_s = job->run_time_s + job->away_s + WT_SLICE_LIMIT_MARGIN_S;
		info->limits_raised++;
	}
	return 0;
}

/* On the nodes to which files come faster, and how much longer on others. */
static int transfer_add(struct wt_job *job, const struct wt_swf_job *from, const struct wt_slice_options *o,
			struct wt_slice_info *info, struct wt_error *errp)
{
	double longest_s = o->bandwidth > 0 ? from->data_bytes / o->bandwidth : 0, least_s = longest_s;

	if (o->near && from->data_bytes > 0) {
		least_s = from->data_bytes / o->near_bandwidth;
		job->near = strdup(o->near);
		if (!job->near)
			return wt_error_errno(errp, ENOMEM, "job %s", job->name);
	}
	info->transfer_s += least_s;
	job->run_time_s = from->run_time_s + least_s;
	job->away_s = longest_s - least_s;
	if (o->max_run_time_s > 0 && job->run_time_s + job->away_s > o->max_run_time_s) {
		job->run_time_s = fmin(job->run_time_s, o->max_run_time_s);
		job->away_s = o->max_run_time_s - job->run_time_s;
		info->cut++;
	}
	job->run_time_s *= o->shared.time_scale;
	job->away_s *= o->shared.time_scale;
	return 0;
}

/* Times as in the trace; the lane's delays are made when it is known how far they are to be stretched. */
static int job_fill(struct wt_job *job, const struct wt_swf_job *from, const struct wt_slice_options *o,
		    struct wt_slice_info *info, struct wt_error *errp)
{
	double margin_s = WT_SLICE_LIMIT_MARGIN_S, longest_s;

	if (name_set(job, from, o->name, errp) < 0 || transfer_add(job, from, o, info, errp) < 0)
		return -1;
	job->expected_s = from->expected_s * o->shared.time_scale;
	longest_s = job->run_time_s + job->away_s;
	job->time_limit_s = from->requested_time_s > 0 ? from->requested_time_s * o->shared.time_scale :
		longest_s * o->shared.limit_factor;
	if (from->ask)
		return ask_fill(job, from, o, info, errp);
	if (job->time_limit_s < longest_s + margin_s) {
		job->time_limit_s = longest_s + margin_s;
		info->limits_raised += from->requested_time_s > 0;	/* else the trace gave none */
	}
	return 0;
}

/* What a job depends on that is no job of the workload has been, or never will be. */
static int dependencies_cut(struct wt_workload *w, double time_scale, struct wt_slice_info *info, struct wt_error *errp)
{
	json_t *ids = json_object();
	int rc = ids ? 0 : -1;

	for (size_t i = 0; rc == 0 && i < w->job_count; i++) {
		struct wt_job_ask *ask = w->jobs[i].ask;
		char *within = NULL;

		if (ask && ask->text[WT_ASK_DEPENDENCY]) {
			within = wt_dependency_cut(ask->text[WT_ASK_DEPENDENCY], ids, time_scale, &info->dependencies_cut,
						   &info->minutes_rounded, errp);
			rc = within ? wt_job_ask_text_set(ask, WT_ASK_DEPENDENCY, *within ? within : NULL) : -1;
			free(within);
		}
		if (rc == 0)
			rc = json_object_set_new(ids, w->jobs[i].trace_id, json_true());
	}
	json_decref(ids);
	return rc == 0 ? 0 : wt_error_errno(errp, ENOMEM, "workload %s", w->name);
}

/* Delays hold the trace's submit times until delays_set. */
static int jobs_fill(struct wt_workload *w, const struct wt_swf_trace *trace, const struct wt_slice_options *o,
		     struct wt_slice_info *info, struct wt_error *errp)
{
	const struct wt_swf_job **chosen = calloc(w->job_count, sizeof(*chosen));
	int rc = chosen ? 0 : wt_error_errno(errp, ENOMEM, "workload %s", w->name);

	if (rc == 0)
		jobs_choose(trace, o, chosen, info, NULL);
	for (size_t i = 0; rc == 0 && i < w->job_count; i++) {
		struct wt_job *job = &w->jobs[i];

		rc = job_fill(job, chosen[i], o, info, errp);
		job->cpus = (uint32_t) cpus_of(trace, chosen[i], o);
		w->ideal_s += job->cpus * job->run_time_s / o->machine_cpus;
		job->delay_s = chosen[i]->submit_s;
	}
	free(chosen);
	return rc == 0 && trace->has_asks ? dependencies_cut(w, o->shared.time_scale, info, errp) : rc;
}

/* Events go with the submissions. */
static int world_set(struct wt_workload *w, const struct wt_swf_trace *trace, const struct wt_slice_options *o,
		     double first_s, double stretch, struct wt_error *errp)
{
	double end_s = (o->from_absolute ? 0 : trace->first_submit_s) + o->from_s + o->duration_s;

	if (wt_world_copy(&w->world, &trace->world, first_s, stretch, errp) < 0)
		return -1;
	return wt_world_cut(&w->world, 0, o->duration_s > 0 ? (end_s - first_s) * stretch : INFINITY, errp);
}

static int delays_set(struct wt_workload *w, const struct wt_swf_trace *trace, const struct wt_slice_options *o,
		      struct wt_slice_info *info, struct wt_error *errp)
{
	double first_s = w->jobs[0].delay_s, last_s = w->jobs[w->job_count - 1].delay_s, stretch = o->shared.time_scale;

	info->period_s = (o->duration_s > 0 ? o->duration_s : last_s - first_s) * o->shared.time_scale;
	info->load = info->period_s > 0 ? w->ideal_s / info->period_s : NAN;
	if (o->load > 0) {
		if (!(info->load > 0))
			return wt_error_set(errp, EINVAL,
					    "no load can be made of jobs that came all at once, or need no time");
		stretch *= info->load / o->load;
		info->period_s *= info->load / o->load;
		info->load = o->load;
	}
	/* From the last to the first, in place: each difference needs the time before it, which is not yet
	 * overwritten. */
	for (size_t i = w->job_count - 1; i > 0; i--)
		w->jobs[i].delay_s = (w->jobs[i].delay_s - w->jobs[i - 1].delay_s) * stretch;
	w->jobs[0].delay_s = 0;
	return world_set(w, trace, o, first_s, stretch, errp);
}

static void none_tell(const struct wt_swf_trace *trace, const struct wt_slice_options *o, const struct wt_slice_info *info,
		      struct wt_error *errp)
{
	double origin_s = o->from_absolute ? 0 : trace->first_submit_s;

	if (info->left_out[WT_LEFT_LARGE])
		wt_error_set(errp, EINVAL, "no job of this slice fits the machine, which has %u CPUs", o->machine_cpus);
	else
		wt_error_set(errp, EINVAL, "no job in this slice: the trace has submissions from %.15g to %.15g s",
			     trace->jobs[0].submit_s - origin_s, trace->jobs[trace->job_count - 1].submit_s - origin_s);
}

struct wt_workload *wt_slice_create(const struct wt_swf_trace *trace, const struct wt_slice_options *o,
				    struct wt_slice_info *info, struct wt_error *errp)
{
	struct wt_slice_info ignored;
	struct wt_workload *w;
	ssize_t count;

	info = info ? info : &ignored;
	memset(info, 0, sizeof(*info));
	if (options_check(o, errp) < 0)
		return NULL;
	if (!(o->cpus_scale > 0) && !trace->max_procs) {
		wt_error_set(errp, EINVAL, "the trace has no header MaxProcs: give the factor for its processors");
		return NULL;
	}
	if (trace->has_asks && o->cpus_scale != 1) {
		wt_error_set(errp, EINVAL, "the sizes of these jobs cannot be scaled: they ask for nodes, memory and more");
		return NULL;
	}
	count = jobs_choose(trace, o, NULL, info, errp);
	if (count == 0)
		none_tell(trace, o, info, errp);
	w = count > 0 ? wt_workload_create(o->name, (size_t) count, errp) : NULL;
	if (!w)
		return NULL;
	w->time_scale = o->shared.time_scale;
	w->lanes[0].open_loop = true;
	if (jobs_fill(w, trace, o, info, errp) == 0 && delays_set(w, trace, o, info, errp) == 0)
		return w;
	wt_workload_destroy(w);
	return NULL;
}
