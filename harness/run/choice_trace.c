/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A piece of a trace, in any of the formats. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "harness/cluster/conf/nodes.h"
#include "harness/run/choice_private.h"
#include "lib/json.h"

static const char *trace_name(const struct wt_scenario *s)
{
	return s->choice.slice.name;
}

static int trace_load(struct wt_workload_choice *c, struct wt_error *errp)
{
	struct wt_trace_file file;
	const char *damage;
	int rc;

	if (wt_trace_file_open(&file, c->trace_path, errp) < 0)
		return -1;
	rc = c->format->read(&c->trace, file.in, c->trace_path, c->leave_out, errp);
	if (rc < 0) {
		damage = wt_trace_file_damage(&file);
		if (damage)
			wt_error_set(errp, EIO, "%s: %s", c->trace_path, damage);
		wt_trace_file_close(&file, NULL, NULL);
		return -1;
	}
	return wt_trace_file_close(&file, c->trace_sum, errp) < 0 ? wt_error_prefix(errp, "%s", c->trace_path) : 0;
}

static int trace_prepare(struct wt_workload_choice *c, struct wt_error *errp)
{
	if (c->regular_set || c->jobs_set)
		return wt_error_set(errp, EINVAL,
				    "--jobs, --run-time, --job-cpus and --interval are for burst and spaced: a trace has "
				    "its own");
	return trace_load(c, errp);
}

static int trace_nodes(const struct wt_workload_choice *c, unsigned int *nodes, struct wt_error *errp)
{
	if (!c->trace.max_procs)
		return wt_error_set(errp, EINVAL, "%s has no header MaxProcs: give --nodes", c->trace_path);
	if (c->trace.max_procs > WT_NODES_MAX)
		return wt_error_set(errp, EINVAL,
				    "%s is of a machine of %u processors, and a cluster has %d nodes at most: give --nodes "
				    "and --shape", c->trace_path, c->trace.max_procs, WT_NODES_MAX);
	*nodes = c->trace.max_procs;
	return 0;
}

static unsigned int trace_submitters(const struct wt_workload_choice *c)
{
	(void) c;
	return 1;
}

static struct wt_slice_options slice_options(const struct wt_scenario *s, uint32_t cpus)
{
	struct wt_slice_options o = s->choice.slice;

	o.shared = s->shared;
	o.machine_cpus = cpus;
	o.leave_large = s->choice.leave_out[WT_LEFT_LARGE];
	return o;
}

static struct wt_workload *slice_create(const struct wt_scenario *s, uint32_t cpus, struct wt_slice_info *info,
					struct wt_error *errp)
{
	struct wt_slice_options options = slice_options(s, cpus);
	struct wt_workload *w = wt_slice_create(&s->choice.trace, &options, info, errp);

	if (!w)
		wt_error_prefix(errp, "%s", s->choice.trace_path);
	return w;
}

static struct wt_workload *trace_create(const struct wt_scenario *s, uint64_t seed, uint32_t nodes, uint32_t cpus,
					struct wt_error *errp)
{
	struct wt_workload *w = slice_create(s, cpus, NULL, errp);

	(void) nodes;
	if (w)
		w->seed = seed;
	return w;
}

static size_t trace_jobs_max(const struct wt_scenario *s)
{
	return s->choice.trace.job_count;
}

static json_t *leave_out_json(const bool *chosen)
{
	json_t *list = json_array();

	for (int i = 0; i < WT_LEFT_COUNT; i++)
		if (chosen[i])
			json_array_append_new(list, json_string(wt_left_out_key((enum wt_left_out) i)));
	return list;
}

static json_t *trace_json(const struct wt_scenario *s)
{
	const struct wt_slice_options *o = &s->choice.slice;

	return json_pack("{s:s, s:o, s:s, s:f, s:b, s:f, s:I, s:I, s:f, s:f, s:f, s:o}", "name", o->name, "trace",
			 wt_json_text(s->choice.trace_path), "sha256", s->choice.trace_sum, "from_s", o->from_s,
			 "from_absolute", (int) o->from_absolute, "duration_s", o->duration_s, "first_job",
			 (json_int_t) o->first_job, "last_job", (json_int_t) o->last_job, "load", o->load, "cpus_scale",
			 o->cpus_scale, "max_run_time_s", o->max_run_time_s, "leave_out",
			 leave_out_json(s->choice.leave_out));
}

static json_t *left_out_json(const size_t *left_out)
{
	json_t *counts = json_object();

	for (int i = 0; i < WT_LEFT_COUNT; i++)
		json_object_set_new(counts, wt_left_out_key((enum wt_left_out) i), json_integer((json_int_t) left_out[i]));
	return counts;
}

static json_t *trace_fate_json(const struct wt_scenario *s, uint32_t cpus)
{
	const struct wt_swf_trace *t = &s->choice.trace;
	struct wt_slice_info info;
	struct wt_workload *w = slice_create(s, cpus, &info, NULL);
	json_t *json;

	if (!w)
		return json_null();
	json = json_pack("{s:o, s:s, s:s, s:I, s:I, s:o, s:o, s:I, s:I, s:I, s:I, s:o, s:f}", "name",
			 wt_json_text(basename(s->choice.trace_path)), "format", s->choice.slice.name, "sha256",
			 s->choice.trace_sum,
			 "jobs", (json_int_t) w->job_count, "jobs_in_file", (json_int_t) t->entry_count,
			 "left_out", left_out_json(info.left_out), "first_bad", wt_json_text(t->first_bad),
			 "run_times_cut", (json_int_t) info.cut, "limits_raised", (json_int_t) info.limits_raised,
			 "dependencies_cut", (json_int_t) info.dependencies_cut,
			 "minutes_rounded", (json_int_t) info.minutes_rounded,
			 "offered_load", info.load > 0 ? json_real(info.load) : json_null(), "period_s", info.period_s);
	wt_workload_destroy(w);
	return json;
}

static void trace_fate_print(FILE *out, const char *indent, const struct wt_scenario *s, uint32_t cpus)
{
	const struct wt_swf_trace *t = &s->choice.trace;
	struct wt_slice_info info;
	struct wt_workload *w = slice_create(s, cpus, &info, NULL);
	const char *before = "; left out: ";

	if (!w)
		return;
	fprintf(out, "%s%s: %zu of %zu jobs", indent, basename(s->choice.trace_path), w->job_count, t->entry_count);
	for (int i = 0; i < WT_LEFT_COUNT; i++)
		if (info.left_out[i]) {
			fprintf(out, "%s%zu %s", before, info.left_out[i], wt_left_out_text((enum wt_left_out) i));
			before = ", ";
		}
	if (info.limits_raised)
		fprintf(out, "; %zu time limits raised", info.limits_raised);
	if (info.dependencies_cut)
		fprintf(out, "; %zu dependencies on jobs that are left out", info.dependencies_cut);
	if (info.minutes_rounded)
		fprintf(out, "; minutes of %zu dependencies rounded", info.minutes_rounded);
	if (info.cut)
		fprintf(out, "; %zu run times cut", info.cut);
	fputc('\n', out);
	if (*t->first_bad)
		fprintf(out, "%sthe first that cannot be read: %s\n", indent, t->first_bad);
	wt_workload_destroy(w);
}

const struct choice_ops choice_trace = {
	.name = trace_name, .create = trace_create, .jobs_max = trace_jobs_max, .json = trace_json,
	.submitters = trace_submitters, .prepare = trace_prepare, .nodes = trace_nodes,
	.trace_json = trace_fate_json, .trace_print = trace_fate_print,
};
