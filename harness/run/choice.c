/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/run/choice_private.h"
#include "lib/clock.h"

#define ONE_CPU "pack:1 core:1 pu:1"

static const struct choice_ops *ops_of(const struct wt_workload_choice *choice)
{
	static const struct choice_ops *const kinds[] = {
		[WT_CHOICE_ESP] = &choice_esp, [WT_CHOICE_REGULAR] = &choice_regular, [WT_CHOICE_TRACE] = &choice_trace,
		[WT_CHOICE_LUBLIN] = &choice_lublin, [WT_CHOICE_MAPREDUCE] = &choice_mapreduce,
	};

	return kinds[choice->kind];
}

/* Nodes of one CPU. */
static int cluster_default(struct wt_scenario *scenario, struct wt_error *errp)
{
	const char *shape = ops_of(&scenario->choice)->shape;

	if (scenario->choice.real || scenario->cluster)
		return 0;
	scenario->own_cluster.given = true;
	if (scenario->own_cluster.site)		/* it has its nodes */
		return 0;
	if (!scenario->own_cluster.nodes &&
	    ops_of(&scenario->choice)->nodes(&scenario->choice, &scenario->own_cluster.nodes, errp) < 0)
		return -1;
	if (!scenario->own_cluster.shape)
		scenario->own_cluster.shape = strdup(shape ? shape : ONE_CPU);
	return scenario->own_cluster.shape ? 0 : wt_error_errno(errp, ENOMEM, "options");
}

/* By its options, or because this process has joined a cluster's virtual clock. */
static bool is_virtual(const struct wt_scenario *scenario)
{
	return scenario->virtual_clock || wt_clock_own() != wt_clock_real();
}

int wt_choice_finish(struct wt_scenario *scenario, struct wt_error *errp)
{
	struct wt_workload_choice *choice = &scenario->choice;
	const struct choice_ops *ops = ops_of(choice);

	if (!ops->prepare)
		return 0;
	if (!choice->given)
		return wt_error_set(errp, EINVAL, "which workload?  Give --workload burst, spaced, lublin, mapreduce, "
				    "swf:FILE, batsim:FILE, jobs:FILE, dax:FILE or wfcommons:FILE");
	if (choice->mapreduce_set && choice->kind != WT_CHOICE_MAPREDUCE)
		return wt_error_set(errp, EINVAL, "--maps, --reduces, --map-time, --reduce-time, --input, --replicas, "
				    "--rounds, --slots and --speculate are for --workload mapreduce");
	if (ops->prepare(choice, errp) < 0 || (ops->fit && ops->fit(scenario, errp) < 0))
		return -1;
	if (choice->submitters > 1 && is_virtual(scenario))
		return wt_error_set(errp, EINVAL,
				    "--submitters %u: in virtual time there is one, so that the order of the jobs is the "
				    "same in each run", choice->submitters);
	return cluster_default(scenario, errp);
}

unsigned int wt_choice_submitters(const struct wt_scenario *scenario)
{
	const struct wt_workload_choice *choice = &scenario->choice;

	if (is_virtual(scenario))
		return 1;
	return choice->submitters ? choice->submitters : ops_of(choice)->submitters(choice);
}

void wt_choice_clear(struct wt_workload_choice *choice)
{
	free(choice->trace_path);
	free(choice->speculate);
	free(choice->near);
	wt_swf_trace_clear(&choice->trace);
}

const char *wt_choice_name(const struct wt_scenario *scenario)
{
	return ops_of(&scenario->choice)->name(scenario);
}

struct wt_workload *wt_choice_create(const struct wt_scenario *scenario, uint64_t seed, uint32_t nodes, uint32_t cpus,
				     struct wt_error *errp)
{
	uint64_t own_seed = scenario->workload_seed_given ? scenario->workload_seed : seed;
	struct wt_workload *w = ops_of(&scenario->choice)->create(scenario, own_seed, nodes, cpus, errp);

	if (!w)
		return NULL;
	/* The run's seed names the run, also where the workload was drawn with another. */
	w->seed = seed;
	if (scenario->perturb.model != WT_PERTURB_NONE)
		wt_perturb_apply(&scenario->perturb, seed, w);
	return w;
}

/* A jobs file's jobs name their own partitions: what is measured is all of the cluster then. */
bool wt_choice_everywhere(const struct wt_scenario *scenario)
{
	return scenario->choice.trace.has_asks && !scenario->partition;
}

size_t wt_choice_jobs_max(const struct wt_scenario *scenario)
{
	return ops_of(&scenario->choice)->jobs_max(scenario);
}

json_t *wt_choice_json(const struct wt_scenario *scenario)
{
	return ops_of(&scenario->choice)->json(scenario);
}

json_t *wt_choice_trace_json(const struct wt_scenario *scenario, uint32_t cpus)
{
	const struct choice_ops *ops = ops_of(&scenario->choice);

	return ops->trace_json ? ops->trace_json(scenario, cpus) : json_null();
}

void wt_choice_trace_print(FILE *out, const char *indent, const struct wt_scenario *scenario, uint32_t cpus)
{
	const struct choice_ops *ops = ops_of(&scenario->choice);

	if (ops->trace_print)
		ops->trace_print(out, indent, scenario, cpus);
}
