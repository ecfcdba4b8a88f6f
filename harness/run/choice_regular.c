/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Equal jobs: burst and spaced. */
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
	if (c->slice_set)
		return wt_error_set(errp, EINVAL,
				    "--from, --duration, --first-job, --last-job, --load, --cpus-scale, --max-run-time and "
				    "--leave-out are for swf:FILE and batsim:FILE");
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

/* A burst's jobs are equal, so that their order means nothing. */
static unsigned int regular_submitters(const struct wt_workload_choice *c)
{
	return c->regular.interval_s == 0 ? BURST_SUBMITTERS : 1;
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

static struct wt_workload *regular_create(const struct wt_scenario *s, uint64_t seed, uint32_t nodes, uint32_t cpus,
					  struct wt_error *errp)
{
	struct wt_regular_options options = regular_options(s, cpus);
	struct wt_workload *w = wt_regular_create(&options, errp);

	(void) nodes;
	if (w)
		w->seed = seed;
	return w;
}

static size_t regular_jobs_max(const struct wt_scenario *s)
{
	return s->choice.regular.jobs;
}

static json_t *regular_json(const struct wt_scenario *s)
{
	const struct wt_regular_options *r = &s->choice.regular;

	return json_pack("{s:s, s:I, s:I, s:f, s:f}", "name", r->name, "jobs", (json_int_t) r->jobs, "job_cpus",
			 (json_int_t) r->cpus, "run_time_s", r->run_time_s, "interval_s", r->interval_s);
}

const struct choice_ops choice_regular = {
	.name = regular_name, .create = regular_create, .jobs_max = regular_jobs_max, .json = regular_json,
	.submitters = regular_submitters, .prepare = regular_prepare, .nodes = regular_nodes,
};
