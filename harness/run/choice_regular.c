/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs at equal distances: burst and spaced. */
#include "config.h"

#include <errno.h>

#include "harness/run/choice_private.h"

#define BURST_SUBMITTERS 4	/* more gain nothing: slurmctld takes one job at a time */

static const char *regular_name(const struct wt_scenario *scenario)
{
	return scenario->choice.regular.name;
}

static int regular_prepare(struct wt_workload_choice *choice, struct wt_error *errp)
{
	if (choice->slice_set || choice->load_set)
		return wt_error_set(errp, EINVAL,
				    "--from, --duration, --first-job, --last-job, --load, --cpus-scale, --max-run-time and "
				    "--leave-out are for traces (swf:FILE, batsim:FILE, jobs:FILE), --load for lublin, too");
	return 0;
}

/* Batkube's platform. */
static int regular_nodes(const struct wt_workload_choice *choice, unsigned int *nodes, struct wt_error *errp)
{
	(void) choice;
	(void) errp;
	*nodes = WT_REGULAR_NODES;
	return 0;
}

/* Where a burst's jobs are equal their order means nothing. */
static unsigned int regular_submitters(const struct wt_workload_choice *choice)
{
	const struct wt_regular_options *options = &choice->regular;

	return options->interval_s == 0 && options->cpus_min == options->cpus_max ? BURST_SUBMITTERS : 1;
}

static struct wt_regular_options regular_options(const struct wt_scenario *scenario, uint64_t seed,
						uint32_t cpus)
{
	struct wt_regular_options options = scenario->choice.regular;

	options.shared = scenario->shared;
	options.shared.seed = seed;
	options.machine_cpus = cpus;
	return options;
}

static struct wt_workload *regular_create(const struct wt_scenario *scenario, uint64_t seed, uint32_t nodes, uint32_t cpus,
					  struct wt_error *errp)
{
	struct wt_regular_options options = regular_options(scenario, seed, cpus);

	(void) nodes;
	return wt_regular_create(&options, errp);
}

static size_t regular_jobs_max(const struct wt_scenario *scenario)
{
	return scenario->choice.regular.jobs;
}

/* A number, or as the option has it: "1-8". */
static json_t *sizes_json(const struct wt_regular_options *options)
{
	char text[32];

	if (options->cpus_min == options->cpus_max)
		return json_integer((json_int_t) options->cpus_min);
	snprintf(text, sizeof(text), "%u-%u", options->cpus_min, options->cpus_max);
	return json_string(text);
}

static json_t *regular_json(const struct wt_scenario *scenario)
{
	const struct wt_regular_options *options = &scenario->choice.regular;

	return json_pack("{s:s, s:I, s:o, s:f, s:f}", "name", options->name, "jobs", (json_int_t) options->jobs, "job_cpus",
			 sizes_json(options), "run_time_s", options->run_time_s, "interval_s", options->interval_s);
}

const struct choice_ops choice_regular = {
	.name = regular_name, .create = regular_create, .jobs_max = regular_jobs_max, .json = regular_json,
	.submitters = regular_submitters, .prepare = regular_prepare, .nodes = regular_nodes,
};
