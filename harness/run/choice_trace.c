/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A piece of a trace, in any of the formats. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "harness/cluster/conf/nodes.h"
#include "harness/run/choice_private.h"
#include "lib/json.h"

static const char *trace_name(const struct wt_scenario *scenario)
{
	return scenario->choice.slice.name;
}

static int trace_load(struct wt_workload_choice *choice, struct wt_error *errp)
{
	struct wt_trace_file file;
	int rc;

	if (wt_trace_file_open(&file, choice->trace_path, errp) < 0)
		return -1;
	rc = choice->format->read(&choice->trace, file.in, choice->trace_path, choice->leave_out, errp);
	return wt_trace_file_end(&file, choice->trace_path, rc, choice->trace_sum, errp);
}

static int trace_prepare(struct wt_workload_choice *choice, struct wt_error *errp)
{
	if (choice->regular_set || choice->jobs_set)
		return wt_error_set(errp, EINVAL,
				    "--jobs, --run-time, --job-cpus and --interval are for burst and spaced: a trace has "
				    "its own");
	return trace_load(choice, errp);
}

static int trace_nodes(const struct wt_workload_choice *choice, unsigned int *nodes, struct wt_error *errp)
{
	if (!choice->trace.max_procs)
		return wt_error_set(errp, EINVAL, "%s has no header MaxProcs: give --nodes", choice->trace_path);
	if (choice->trace.max_procs > WT_NODES_MAX)
		return wt_error_set(errp, EINVAL,
				    "%s is of a machine of %u processors, and a cluster has %d nodes at most: give --nodes "
				    "and --shape", choice->trace_path, choice->trace.max_procs, WT_NODES_MAX);
	*nodes = choice->trace.max_procs;
	return 0;
}

static unsigned int trace_submitters(const struct wt_workload_choice *choice)
{
	(void) choice;
	return 1;
}

static struct wt_slice_options slice_options(const struct wt_scenario *scenario, uint32_t cpus)
{
	struct wt_slice_options options = scenario->choice.slice;

	options.shared = scenario->shared;
	options.machine_cpus = cpus;
	options.leave_large = scenario->choice.leave_out[WT_LEFT_LARGE];
	return options;
}

static struct wt_workload *slice_create(const struct wt_scenario *scenario, uint32_t cpus, struct wt_slice_info *info,
					struct wt_error *errp)
{
	struct wt_slice_options options = slice_options(scenario, cpus);
	struct wt_workload *w = wt_slice_create(&scenario->choice.trace, &options, info, errp);

	if (!w)
		wt_error_prefix(errp, "%s", scenario->choice.trace_path);
	return w;
}

static struct wt_workload *trace_create(const struct wt_scenario *scenario, uint64_t seed, uint32_t nodes, uint32_t cpus,
					struct wt_error *errp)
{
	struct wt_workload *w = slice_create(scenario, cpus, NULL, errp);

	(void) nodes;
	if (w)
		w->seed = seed;
	return w;
}

static size_t trace_jobs_max(const struct wt_scenario *scenario)
{
	return scenario->choice.trace.job_count;
}

static json_t *leave_out_json(const bool *chosen)
{
	json_t *list = json_array();

	for (int i = 0; i < WT_LEFT_COUNT; i++)
		if (chosen[i])
			json_array_append_new(list, json_string(wt_left_out_key((enum wt_left_out) i)));
	return list;
}

static json_t *trace_json(const struct wt_scenario *scenario)
{
	const struct wt_slice_options *options = &scenario->choice.slice;

	json_t *json;

	json = json_pack("{s:s, s:o, s:s, s:f, s:b, s:f, s:I, s:I, s:f, s:f, s:f, s:o}", "name", options->name, "trace",
			 wt_json_text(scenario->choice.trace_path), "sha256", scenario->choice.trace_sum,
			 "from_s", options->from_s, "from_absolute", (int) options->from_absolute,
			 "duration_s", options->duration_s, "first_job", (json_int_t) options->first_job,
			 "last_job", (json_int_t) options->last_job, "load", options->load,
			 "cpus_scale", options->cpus_scale, "max_run_time_s", options->max_run_time_s,
			 "leave_out", leave_out_json(scenario->choice.leave_out));
	if (json && options->bandwidth > 0)
		json_object_set_new(json, "bandwidth_mb_s", json_real(options->bandwidth / 1e6));
	if (json && options->near) {
		json_object_set_new(json, "near_bandwidth_mb_s", json_real(options->near_bandwidth / 1e6));
		json_object_set_new(json, "near_bandwidth_nodes", wt_json_text(options->near));
	}
	return json;
}

static json_t *left_out_json(const size_t *left_out)
{
	json_t *counts = json_object();

	for (int i = 0; i < WT_LEFT_COUNT; i++)
		json_object_set_new(counts, wt_left_out_key((enum wt_left_out) i), json_integer((json_int_t) left_out[i]));
	return counts;
}

static json_t *trace_fate_json(const struct wt_scenario *scenario, uint32_t cpus)
{
	const struct wt_swf_trace *trace = &scenario->choice.trace;
	struct wt_slice_info info;
	struct wt_workload *w = slice_create(scenario, cpus, &info, NULL);
	json_t *json;

	if (!w)
		return json_null();
	json = json_pack("{s:o, s:s, s:s, s:I, s:I, s:o, s:o, s:I, s:I, s:I, s:I, s:o, s:f}", "name",
			 wt_json_text(basename(scenario->choice.trace_path)), "format", scenario->choice.slice.name,
			 "sha256", scenario->choice.trace_sum,
			 "jobs", (json_int_t) w->job_count, "jobs_in_file", (json_int_t) trace->entry_count,
			 "left_out", left_out_json(info.left_out), "first_bad", wt_json_text(trace->first_bad),
			 "run_times_cut", (json_int_t) info.cut, "limits_raised", (json_int_t) info.limits_raised,
			 "dependencies_cut", (json_int_t) info.dependencies_cut,
			 "minutes_rounded", (json_int_t) info.minutes_rounded,
			 "offered_load", info.load > 0 ? json_real(info.load) : json_null(), "period_s", info.period_s);
	if (json && scenario->choice.slice.bandwidth > 0)
		json_object_set_new(json, "transfer_s", json_real(info.transfer_s));
	if (json && trace->world.count)
		json_object_set_new(json, "events", json_integer((json_int_t) w->world.count));
	wt_workload_destroy(w);
	return json;
}

static void trace_fate_print(FILE *out, const char *indent, const struct wt_scenario *scenario, uint32_t cpus)
{
	const struct wt_swf_trace *trace = &scenario->choice.trace;
	struct wt_slice_info info;
	struct wt_workload *w = slice_create(scenario, cpus, &info, NULL);
	const char *before = "; left out: ";

	if (!w)
		return;
	fprintf(out, "%s%s: %zu of %zu jobs", indent, basename(scenario->choice.trace_path), w->job_count,
		trace->entry_count);
	for (int i = 0; i < WT_LEFT_COUNT; i++)
		if (info.left_out[i]) {
			fprintf(out, "%s%zu %s", before, info.left_out[i], wt_left_out_text((enum wt_left_out) i));
			before = ", ";
		}
	if (trace->world.count)
		fprintf(out, "; %zu of %zu events of the cluster", w->world.count, trace->world.count);
	if (info.limits_raised)
		fprintf(out, "; %zu time limits raised", info.limits_raised);
	if (info.dependencies_cut)
		fprintf(out, "; %zu dependencies on jobs that are left out", info.dependencies_cut);
	if (info.minutes_rounded)
		fprintf(out, "; minutes of %zu dependencies rounded", info.minutes_rounded);
	if (info.cut)
		fprintf(out, "; %zu run times cut", info.cut);
	if (info.transfer_s > 0)
		fprintf(out, "; %.6g s of run time for files", info.transfer_s);
	fputc('\n', out);
	if (*trace->first_bad)
		fprintf(out, "%sthe first that cannot be read: %s\n", indent, trace->first_bad);
	wt_workload_destroy(w);
}

const struct choice_ops choice_trace = {
	.name = trace_name, .create = trace_create, .jobs_max = trace_jobs_max, .json = trace_json,
	.submitters = trace_submitters, .prepare = trace_prepare, .nodes = trace_nodes,
	.trace_json = trace_fate_json, .trace_print = trace_fate_print,
};
