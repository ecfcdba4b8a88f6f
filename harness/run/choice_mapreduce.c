/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Map tasks and reduce tasks as job arrays. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "harness/cluster/conf/clusterconf.h"
#include "harness/run/choice_private.h"
#include "record/job_env.h"

static const char *mapreduce_name(const struct wt_scenario *scenario)
{
	(void) scenario;
	return "mapreduce";
}

static int mapreduce_prepare(struct wt_workload_choice *choice, struct wt_error *errp)
{
	if (choice->others_set || choice->jobs_set || choice->load_set || choice->regular_set)
		return wt_error_set(errp, EINVAL, "of the options of workloads mapreduce has --maps, --reduces, --map-time, "
				    "--reduce-time, --input, --replicas, --rounds, --slots, --speculate and --bandwidth");
	return 0;
}

/* Of one variable with its name and the NUL behind it: execve (2), "Limits on size of arguments and environment". */
#define VARIABLE_BYTES 131072u

/* Do all maps' times, with the nodes of their splits, fit into a variable of the environment?  At their longest. */
static bool splits_fit(const struct wt_workload_choice *choice)
{
	const struct wt_mapreduce_options *o = &choice->mapreduce;
	size_t task = strlen("10000000.000000+10000000.000000@ ") + o->replicas * strlen("n65535,");

	return choice->slice.bandwidth <= 0 || sizeof(WT_JOB_ENV_RUN_TIME "=") + o->maps * task <= VARIABLE_BYTES;
}

/* Its splits lie on nodes, so their names have to be known, and only virtual nodes tell how far a task of theirs is. */
static int mapreduce_fit(const struct wt_scenario *scenario, struct wt_error *errp)
{
	const struct wt_cluster_wanted *wanted = &scenario->own_cluster;

	if (scenario->choice.real || scenario->cluster || wanted->site)
		return wt_error_set(errp, EINVAL, "mapreduce puts its splits on nodes n0, n1, ...: it has a cluster of its "
				    "own, without --real, --cluster and --site");
	if (scenario->provision.given)
		return wt_error_set(errp, EINVAL, "--provision releases jobs one by one: it cannot have the arrays of "
				    "mapreduce");
	if (wanted->backend && strcmp(wanted->backend, "virtual") && !splits_fit(&scenario->choice))
		return wt_error_set(errp, EINVAL, "%u maps with the nodes of their splits do not fit into the environment "
				    "of a job on real nodes: give fewer --maps or --replicas",
				    scenario->choice.mapreduce.maps);
	if (scenario->choice.speculate && (!wanted->plugin || strcmp(wanted->plugin, WT_PLUGIN_STRAGGLER)))
		return wt_error_set(errp, EINVAL, "--speculate needs --plugin straggler, which makes the copies");
	if (scenario->choice.speculate && wanted->backend && strcmp(wanted->backend, "virtual"))
		return wt_error_set(errp, EINVAL, "--speculate: the tasks of a run tell how far they are on virtual nodes "
				    "only");
	return 0;
}

static int mapreduce_nodes(const struct wt_workload_choice *choice, unsigned int *nodes, struct wt_error *errp)
{
	(void) choice;
	(void) errp;
	*nodes = WT_MAPREDUCE_NODES;
	return 0;
}

static unsigned int mapreduce_submitters(const struct wt_workload_choice *choice)
{
	(void) choice;
	return 1;
}

static struct wt_workload *mapreduce_create(const struct wt_scenario *scenario, uint64_t seed, uint32_t nodes,
					    uint32_t cpus, struct wt_error *errp)
{
	struct wt_mapreduce_options options = scenario->choice.mapreduce;

	options.shared = scenario->shared;
	options.shared.seed = seed;
	options.bandwidth = scenario->choice.slice.bandwidth;
	options.nodes = nodes;
	options.machine_cpus = cpus;
	return wt_mapreduce_create(&options, errp);
}

static size_t mapreduce_jobs_max(const struct wt_scenario *scenario)
{
	const struct wt_mapreduce_options *o = &scenario->choice.mapreduce;

	return (size_t) o->rounds * (o->maps + o->reduces);
}

static json_t *mapreduce_json(const struct wt_scenario *scenario)
{
	const struct wt_workload_choice *choice = &scenario->choice;
	const struct wt_mapreduce_options *o = &choice->mapreduce;

	return json_pack("{s:s, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:I, s:s?}", "name", "mapreduce", "maps",
			 (json_int_t) o->maps, "reduces", (json_int_t) o->reduces, "rounds", (json_int_t) o->rounds,
			 "replicas", (json_int_t) o->replicas, "map_time_s", o->map_s, "reduce_time_s", o->reduce_s,
			 "input_bytes", o->input_bytes, "bandwidth", choice->slice.bandwidth, "slots",
			 (json_int_t) choice->slots, "speculate", choice->speculate);
}

const struct choice_ops choice_mapreduce = {
	.name = mapreduce_name, .create = mapreduce_create, .jobs_max = mapreduce_jobs_max, .json = mapreduce_json,
	.submitters = mapreduce_submitters, .prepare = mapreduce_prepare, .nodes = mapreduce_nodes, .fit = mapreduce_fit,
	.shape = WT_MAPREDUCE_SHAPE,
};
