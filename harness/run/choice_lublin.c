/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The model of Lublin and Feitelson. */
#include "config.h"

#include <errno.h>
#include <math.h>

#include "harness/run/choice_private.h"

static const char *lublin_name(const struct wt_scenario *scenario)
{
	(void) scenario;
	return "lublin";
}

static int lublin_prepare(struct wt_workload_choice *choice, struct wt_error *errp)
{
	if (choice->slice_set || choice->regular_set)
		return wt_error_set(errp, EINVAL, "of the options of workloads lublin has --jobs and --load");
	return 0;
}

/* The machine that the model was fitted to. */
static int lublin_nodes(const struct wt_workload_choice *choice, unsigned int *nodes, struct wt_error *errp)
{
	(void) choice;
	(void) errp;
	*nodes = WT_LUBLIN_NODES;
	return 0;
}

static unsigned int lublin_submitters(const struct wt_workload_choice *choice)
{
	(void) choice;
	return 1;
}

static struct wt_workload *lublin_create(const struct wt_scenario *scenario, uint64_t seed, uint32_t nodes, uint32_t cpus,
					 struct wt_error *errp)
{
	struct wt_lublin_options options = scenario->choice.lublin;

	(void) nodes;
	options.load = scenario->choice.slice.load;
	options.shared = scenario->shared;
	options.shared.seed = seed;
	options.machine_cpus = cpus;
	return wt_lublin_create(&options, errp);
}

static size_t lublin_jobs_max(const struct wt_scenario *scenario)
{
	return scenario->choice.lublin.jobs;
}

static json_t *lublin_json(const struct wt_scenario *scenario)
{
	return json_pack("{s:s, s:I, s:f}", "name", "lublin", "jobs", (json_int_t) scenario->choice.lublin.jobs, "load",
			 scenario->choice.slice.load);
}

static void lublin_print(FILE *out, const char *indent, const struct wt_scenario *scenario, uint32_t cpus)
{
	struct wt_workload *w = lublin_create(scenario, scenario->shared.seed, 0, cpus, NULL);
	double load = w ? wt_lublin_load(w) : NAN;

	if (isfinite(load))
		fprintf(out, "%san offered load of %.3g over %.0f s\n", indent, load, w->ideal_s / load);
	wt_workload_destroy(w);
}

const struct choice_ops choice_lublin = {
	.name = lublin_name, .create = lublin_create, .jobs_max = lublin_jobs_max, .json = lublin_json,
	.submitters = lublin_submitters, .prepare = lublin_prepare, .nodes = lublin_nodes,
	.trace_print = lublin_print,
};
