/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs at equal distances: burst and spaced. */
#include "config.h"

#include <errno.h>

#include "harness/run/choice_private.h"

#define BURST_SUBMITTERS 4	/* more gain nothing: slurmctld takes one job at a time */

static const char *regular_name(const struct wt_scenario *s)
{
	return s->choice.regular.name;
}

static int regular_prepare(struct wt_workload_choice *c, struct wt_error *errp)
{
	if (c->slice_set || c->load_set)
		return wt_error_set(errp, EINVAL,
				    "--from, --duration, --first-job, --last-job, --load, --cpus-scale, --max-run-time and "
				    "--leave-out are for traces (swf:FILE, batsim:FILE, jobs:FILE), --load for lublin, too");
	return 0;
}

/* Batkube's platform. */
static int regular_nodes(const struct wt_workload_choice *c, unsigned int *nodes, struct wt_error *errp)
{
	(void) c;
	(void) errp;
	*nodes = WT_REGULAR_NODES;
	return 0;
}

/* Where a burst's jobs are equal their order means nothing. */
static unsigned int regular_submitters(const struct wt_workload_choice *c)
{
	return c->regular.interval_s == 0 && c->regular.cpus_min == c->regular.cpus_max ? BURST_SUBMITTERS : 1;
}

static struct wt_regular_options regular_options(const struct wt_scenario *s, uint64_t seed,
						uint32_t cpus)
{
	struct wt_regular_options o = s->choice.regular;

	o.shared = s->shared;
	o.shared.seed = seed;
	o.machine_cpus = cpus;
	return o;
}

static struct wt_workload *regular_create(const struct wt_scenario *s, uint64_t seed, uint32_t nodes, uint32_t cpus,
					  struct wt_error *errp)
{
	struct wt_regular_options options = regular_options(s, seed, cpus);

	(void) nodes;
	return wt_regular_create(&options, errp);
}

static size_t regular_jobs_max(const struct wt_scenario *s)
{
	return s->choice.regular.jobs;
}

/* A number, or as the option has it: "1-8". */
static json_t *sizes_json(const struct wt_regular_options *r)
{
	char text[32];

	if (r->cpus_min == r->cpus_max)
		return json_integer((json_int_t) r->cpus_min);
	snprintf(text, sizeof(text), "%u-%u", r->cpus_min, r->cpus_max);
	return json_string(text);
}

static json_t *regular_json(const struct wt_scenario *s)
{
	const struct wt_regular_options *r = &s->choice.regular;

	return json_pack("{s:s, s:I, s:o, s:f, s:f}", "name", r->name, "jobs", (json_int_t) r->jobs, "job_cpus",
			 sizes_json(r), "run_time_s", r->run_time_s, "interval_s", r->interval_s);
}

const struct choice_ops choice_regular = {
	.name = regular_name, .create = regular_create, .jobs_max = regular_jobs_max, .json = regular_json,
	.submitters = regular_submitters, .prepare = regular_prepare, .nodes = regular_nodes,
};
