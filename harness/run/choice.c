/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/run/choice_private.h"
#include "lib/clock.h"

#define ONE_CPU "pack:1 core:1 pu:1"

static const struct choice_ops *ops_of(const struct wt_workload_choice *c)
{
	static const struct choice_ops *const kinds[] = {
		[WT_CHOICE_ESP] = &choice_esp, [WT_CHOICE_REGULAR] = &choice_regular, [WT_CHOICE_TRACE] = &choice_trace,
		[WT_CHOICE_LUBLIN] = &choice_lublin,
	};

	return kinds[c->kind];
}

/* Nodes of one CPU. */
static int cluster_default(struct wt_scenario *s, struct wt_error *errp)
{
	if (s->choice.real || s->cluster)
		return 0;
	s->own_cluster.given = true;
	if (!s->own_cluster.nodes && ops_of(&s->choice)->nodes(&s->choice, &s->own_cluster.nodes, errp) < 0)
		return -1;
	if (!s->own_cluster.shape)
		s->own_cluster.shape = strdup(ONE_CPU);
	return s->own_cluster.shape ? 0 : wt_error_errno(errp, ENOMEM, "options");
}

/* By its options, or because this process has joined a cluster's virtual clock. */
static bool is_virtual(const struct wt_scenario *s)
{
	return s->virtual_clock || wt_clock_own() != wt_clock_real();
}

int wt_choice_finish(struct wt_scenario *s, struct wt_error *errp)
{
	struct wt_workload_choice *c = &s->choice;
	const struct choice_ops *ops = ops_of(c);

	if (!ops->prepare)
		return 0;
	if (!c->given)
		return wt_error_set(errp, EINVAL, "which workload?  Give --workload burst, spaced, lublin, "
				    "swf:FILE, batsim:FILE or jobs:FILE");
	if (ops->prepare(c, errp) < 0)
		return -1;
	if (c->submitters > 1 && is_virtual(s))
		return wt_error_set(errp, EINVAL,
				    "--submitters %u: in virtual time there is one, so that the order of the jobs is the "
				    "same in each run", c->submitters);
	return cluster_default(s, errp);
}

unsigned int wt_choice_submitters(const struct wt_scenario *s)
{
	const struct wt_workload_choice *c = &s->choice;

	if (is_virtual(s))
		return 1;
	return c->submitters ? c->submitters : ops_of(c)->submitters(c);
}

void wt_choice_clear(struct wt_workload_choice *choice)
{
	free(choice->trace_path);
	wt_swf_trace_clear(&choice->trace);
}

const char *wt_choice_name(const struct wt_scenario *s)
{
	return ops_of(&s->choice)->name(s);
}

struct wt_workload *wt_choice_create(const struct wt_scenario *s, uint64_t seed, uint32_t nodes, uint32_t cpus,
				     struct wt_error *errp)
{
	uint64_t own_seed = s->workload_seed_given ? s->workload_seed : seed;
	struct wt_workload *w = ops_of(&s->choice)->create(s, own_seed, nodes, cpus, errp);

	if (!w)
		return NULL;
	/* The run's seed names the run, also where the workload was drawn with another. */
	w->seed = seed;
	if (s->perturb.model != WT_PERTURB_NONE)
		wt_perturb_apply(&s->perturb, seed, w);
	return w;
}

/* A jobs file's jobs name their own partitions: what is measured is all of the cluster then. */
bool wt_choice_everywhere(const struct wt_scenario *s)
{
	return s->choice.trace.has_asks && !s->partition;
}

size_t wt_choice_jobs_max(const struct wt_scenario *s)
{
	return ops_of(&s->choice)->jobs_max(s);
}

json_t *wt_choice_json(const struct wt_scenario *s)
{
	return ops_of(&s->choice)->json(s);
}

json_t *wt_choice_trace_json(const struct wt_scenario *s, uint32_t cpus)
{
	const struct choice_ops *ops = ops_of(&s->choice);

	return ops->trace_json ? ops->trace_json(s, cpus) : json_null();
}

void wt_choice_trace_print(FILE *out, const char *indent, const struct wt_scenario *s, uint32_t cpus)
{
	const struct choice_ops *ops = ops_of(&s->choice);

	if (ops->trace_print)
		ops->trace_print(out, indent, s, cpus);
}
