/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cluster/conf/nodes.h"
#include "workload/batsim.h"
#include "harness/run/choice.h"
#include "lib/clock.h"
#include "lib/json.h"
#include "harness/run/scenario.h"

#define ONE_CPU "pack:1 core:1 pu:1"
#define BURST_SUBMITTERS 4	/* more gain nothing: slurmctld takes one job at a time */

static int trace_load(struct wt_choice *c, struct wt_error *errp)
{
	struct wt_trace_file file;
	const char *damage;
	int rc;

	if (wt_trace_file_open(&file, c->trace_path, errp) < 0)
		return -1;
	rc = strcmp(c->slice.name, "batsim") ? wt_swf_trace_read(&c->trace, file.in, c->trace_path, c->leave_out, errp) :
					       wt_batsim_read(&c->trace, file.in, c->trace_path, c->leave_out, errp);
	if (rc < 0) {
		damage = wt_trace_file_damage(&file);
		if (damage)
			wt_error_set(errp, EIO, "%s: %s", c->trace_path, damage);
		wt_trace_file_close(&file, NULL, NULL);
		return -1;
	}
	return wt_trace_file_close(&file, c->trace_sum, errp) < 0 ? wt_error_prefix(errp, "%s", c->trace_path) : 0;
}

static int options_fit(const struct wt_choice *c, struct wt_error *errp)
{
	if (!c->given)
		return wt_error_set(errp, EINVAL, "which workload?  Give --workload burst, spaced, swf:FILE or batsim:FILE");
	if (c->kind == WT_CHOICE_TRACE && c->regular_set)
		return wt_error_set(errp, EINVAL,
				    "--jobs, --run-time, --job-cpus and --interval are for burst and spaced: a trace has "
				    "its own");
	if (c->kind == WT_CHOICE_REGULAR && c->slice_set)
		return wt_error_set(errp, EINVAL,
				    "--from, --duration, --first-job, --last-job, --load, --cpus-scale, --max-run-time and "
				    "--leave-out are for swf:FILE and batsim:FILE");
	return 0;
}

/* Batkube's platform, or the trace's: nodes of one CPU. */
static int cluster_default(struct wt_scenario *s, struct wt_error *errp)
{
	if (s->choice.real && (s->cluster || s->spec.given))
		return wt_error_set(errp, EINVAL,
				    "--real uses the cluster that SLURM_CONF names: leave out the options of another one");
	if (s->choice.real || s->cluster)
		return 0;
	s->spec.given = true;
	if (!s->spec.nodes && s->choice.kind == WT_CHOICE_TRACE && !s->choice.trace.max_procs)
		return wt_error_set(errp, EINVAL, "%s has no header MaxProcs: give --nodes", s->choice.trace_path);
	if (!s->spec.nodes && s->choice.kind == WT_CHOICE_TRACE && s->choice.trace.max_procs > WT_NODES_MAX)
		return wt_error_set(errp, EINVAL,
				    "%s is of a machine of %u processors, and a cluster has %d nodes at most: give --nodes "
				    "and "
				    "--shape", s->choice.trace_path, s->choice.trace.max_procs, WT_NODES_MAX);
	if (!s->spec.nodes)
		s->spec.nodes = s->choice.kind == WT_CHOICE_TRACE ? s->choice.trace.max_procs : WT_REGULAR_NODES;
	if (!s->spec.shape)
		s->spec.shape = strdup(ONE_CPU);
	return s->spec.shape ? 0 : wt_error_errno(errp, ENOMEM, "options");
}

/* By its options, or because this process has joined a cluster's virtual clock. */
static bool is_virtual(const struct wt_scenario *s)
{
	return s->virtual_clock || wt_clock_own() != wt_clock_real();
}

int wt_choice_finish(struct wt_scenario *s, struct wt_error *errp)
{
	struct wt_choice *c = &s->choice;

	if (c->kind == WT_CHOICE_ESP)
		return 0;
	if (options_fit(c, errp) < 0 || (c->kind == WT_CHOICE_TRACE && trace_load(c, errp) < 0))
		return -1;
	if (c->submitters > 1 && is_virtual(s))
		return wt_error_set(errp, EINVAL,
				    "--submitters %u: in virtual time there is one, so that the order of the jobs is the "
				    "same in "
				    "each run", c->submitters);
	return cluster_default(s, errp);
}

unsigned int wt_choice_submitters(const struct wt_scenario *s)
{
	const struct wt_choice *c = &s->choice;

	if (is_virtual(s))
		return 1;
	if (c->submitters)
		return c->submitters;
	return c->kind == WT_CHOICE_REGULAR && c->regular.interval_s == 0 ? BURST_SUBMITTERS : 1;
}

void wt_choice_clear(struct wt_choice *choice)
{
	free(choice->trace_path);
	wt_swf_trace_clear(&choice->trace);
}

const char *wt_choice_name(const struct wt_scenario *s)
{
	switch (s->choice.kind) {
	case WT_CHOICE_REGULAR:
		return s->choice.regular.name;
	case WT_CHOICE_TRACE:
		return s->choice.slice.name;
	default:
		return wt_esp_workload_name(s->esp.variant);
	}
}

/* A seed and these two are options of every workload; the ESP's have them already. */
static struct wt_regular_options regular_options(const struct wt_scenario *s, uint32_t cpus)
{
	struct wt_regular_options o = s->choice.regular;

	o.time_scale = s->esp.time_scale;
	o.limit_factor = s->esp.limit_factor;
	o.machine_cpus = cpus;
	return o;
}

static struct wt_slice_options slice_options(const struct wt_scenario *s, uint32_t cpus)
{
	struct wt_slice_options o = s->choice.slice;

	o.time_scale = s->esp.time_scale;
	o.limit_factor = s->esp.limit_factor;
	o.machine_cpus = cpus;
	o.leave_large = s->choice.leave_out[WT_LEFT_LARGE];
	return o;
}

static struct wt_workload *swf_create(const struct wt_scenario *s, uint32_t cpus, struct wt_slice_info *info,
				      struct wt_error *errp)
{
	struct wt_slice_options options = slice_options(s, cpus);
	struct wt_workload *w = wt_slice_create(&s->choice.trace, &options, info, errp);

	if (!w)
		wt_error_prefix(errp, "%s", s->choice.trace_path);
	return w;
}

static struct wt_workload *esp_create(const struct wt_scenario *s, uint64_t seed, uint32_t nodes, uint32_t cpus,
				      struct wt_error *errp)
{
	struct wt_esp_options options = s->esp;

	options.seed = seed;
	options.nodes = nodes;
	options.cpus = cpus;
	return wt_esp_create(&options, errp);
}

struct wt_workload *wt_choice_create(const struct wt_scenario *s, uint64_t seed, uint32_t nodes, uint32_t cpus,
				     struct wt_error *errp)
{
	struct wt_regular_options regular;
	struct wt_workload *w;

	if (s->choice.kind == WT_CHOICE_ESP)
		return esp_create(s, seed, nodes, cpus, errp);
	if (s->choice.kind == WT_CHOICE_TRACE) {
		w = swf_create(s, cpus, NULL, errp);
	} else {
		regular = regular_options(s, cpus);
		w = wt_regular_create(&regular, errp);
	}
	if (w)
		w->seed = seed;
	return w;
}

size_t wt_choice_jobs_max(const struct wt_scenario *s)
{
	const struct wt_esp_class *classes = wt_esp_classes(s->esp.variant);
	size_t count = 0;

	if (s->choice.kind == WT_CHOICE_REGULAR)
		return s->choice.regular.jobs;
	if (s->choice.kind == WT_CHOICE_TRACE)
		return s->choice.trace.job_count;
	for (size_t i = 0; i < WT_ESP_CLASS_COUNT; i++)
		count += classes[i].job_count;
	return count;
}

static json_t *leave_out_json(const bool *chosen)
{
	json_t *list = json_array();

	for (int i = 0; i < WT_LEFT_COUNT; i++)
		if (chosen[i])
			json_array_append_new(list, json_string(wt_left_out_key((enum wt_left_out) i)));
	return list;
}

json_t *wt_choice_json(const struct wt_scenario *s)
{
	const struct wt_regular_options *r = &s->choice.regular;
	const struct wt_slice_options *o = &s->choice.slice;

	if (s->choice.kind == WT_CHOICE_REGULAR)
		return json_pack("{s:s, s:I, s:I, s:f, s:f}", "name", r->name, "jobs", (json_int_t) r->jobs, "job_cpus",
				 (json_int_t) r->cpus, "run_time_s", r->run_time_s, "interval_s", r->interval_s);
	if (s->choice.kind == WT_CHOICE_TRACE)
		return json_pack("{s:s, s:o, s:s, s:f, s:b, s:f, s:I, s:I, s:f, s:f, s:f, s:o}", "name", o->name, "trace",
				 wt_json_text(s->choice.trace_path), "sha256", s->choice.trace_sum, "from_s", o->from_s,
				 "from_absolute",
				 (int) o->from_absolute, "duration_s", o->duration_s, "first_job", (json_int_t) o->first_job,
				 "last_job", (json_int_t) o->last_job, "load", o->load, "cpus_scale", o->cpus_scale,
				 "max_run_time_s", o->max_run_time_s, "leave_out", leave_out_json(s->choice.leave_out));
	return json_pack("{s:s}", "name", wt_esp_workload_name(s->esp.variant));
}

static json_t *left_out_json(const size_t *left_out)
{
	json_t *counts = json_object();

	for (int i = 0; i < WT_LEFT_COUNT; i++)
		json_object_set_new(counts, wt_left_out_key((enum wt_left_out) i), json_integer((json_int_t) left_out[i]));
	return counts;
}

json_t *wt_choice_trace_json(const struct wt_scenario *s, uint32_t cpus)
{
	const struct wt_swf_trace *t = &s->choice.trace;
	struct wt_slice_info info;
	struct wt_workload *w = s->choice.kind == WT_CHOICE_TRACE ? swf_create(s, cpus, &info, NULL) : NULL;
	json_t *json;

	if (!w)
		return json_null();
	json = json_pack("{s:o, s:s, s:s, s:I, s:I, s:o, s:o, s:I, s:I, s:o, s:f}", "name",
			 wt_json_text(basename(s->choice.trace_path)), "format", s->choice.slice.name, "sha256",
			 s->choice.trace_sum,
			 "jobs", (json_int_t) w->job_count, "jobs_in_file", (json_int_t) t->entry_count,
			 "left_out", left_out_json(info.left_out), "first_bad", wt_json_text(t->first_bad),
			 "run_times_cut", (json_int_t) info.cut, "limits_raised", (json_int_t) info.limits_raised,
			 "offered_load", info.load > 0 ? json_real(info.load) : json_null(), "period_s", info.period_s);
	wt_workload_destroy(w);
	return json;
}

void wt_choice_trace_print(FILE *out, const char *indent, const struct wt_scenario *s, uint32_t cpus)
{
	const struct wt_swf_trace *t = &s->choice.trace;
	struct wt_slice_info info;
	struct wt_workload *w = s->choice.kind == WT_CHOICE_TRACE ? swf_create(s, cpus, &info, NULL) : NULL;
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
	if (info.cut)
		fprintf(out, "; %zu run times cut", info.cut);
	fputc('\n', out);
	if (*t->first_bad)
		fprintf(out, "%sthe first that cannot be read: %s\n", indent, t->first_bad);
	wt_workload_destroy(w);
}
