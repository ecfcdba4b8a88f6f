/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel topology score: how many jobs of a run were placed optimally. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cmd/topology/placements_live.h"
#include "cmd/topology/topology_verb.h"
#include "harness/run/controller_query.h"
#include "lib/options.h"
#include "lib/str.h"
#include "lib/table.h"
#include "topology/bound.h"

struct score {
	const char *path, *topology;
	enum placement_unit unit;
	int json, live, bound;
};

/* What is printed of a run. */
struct scored {
	struct wt_replay_result result;
	struct wt_bound bound;
	int bounded;
};

enum { KEY_UNIT = 256, KEY_JSON, KEY_LIVE, KEY_BOUND };

static const struct argp_option options[] = {
	{ "topology", 't', "FILE|curie", 0, "The tree (default: topology.conf in the run folder)", 0 },
	{ "live", KEY_LIVE, NULL, 0, "Instead of a RUN: the jobs that the slurmctld of SLURM_CONF knows, by its own tree",
	  0 },
	{ "unit", KEY_UNIT, "auto|nodes|cpus", 0,
	  "What least numbers are counted in (default: auto: nodes when every job had "
	  "whole nodes, else CPUs)", 0 },
	{ "bound", KEY_BOUND, NULL, 0,
	  "Beside what is optimal absolutely: how many jobs could be at most, starting and ending as they did, on "
	  "whatever nodes", 0 },
	{ "json", KEY_JSON, NULL, 0, "Print JSON", 0 },
	{ 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct score *s = state->input;
	struct wt_error err;

	switch (key) {
	case 't':
		s->topology = arg;
		return 0;
	case KEY_UNIT:
		if (placements_unit_parse(arg, &s->unit, &err) < 0)
			argp_error(state, "%s", err.text);
		return 0;
	case KEY_JSON:
		s->json = 1;
		return 0;
	case KEY_BOUND:
		s->bound = 1;
		return 0;
	case KEY_LIVE:
		s->live = 1;
		return 0;
	case ARGP_KEY_ARG:
		if (s->path)
			argp_error(state, "one run at a time; '%s' is another one", arg);
		s->path = arg;
		return 0;
	case ARGP_KEY_END:
		if (s->live && s->path)
			argp_error(state, "--live, or a run: not both");
		if (!s->live && !s->path)
			argp_error(state, "which run? A run folder, or an SWF with node lists");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

/* Of no job: there is nothing more to show. */
static int offers_known(const struct wt_replay_result *r)
{
	return r->not_offered < r->tally.jobs;
}

/* Level: the number of levels for all of them. */
static void row_add(struct wt_table *table, const struct scored *s, uint32_t level)
{
	const struct wt_score_tally *tally = &s->result.tally, *offered = &s->result.offered;
	int all = level == tally->levels;

	if (all)
		wt_table_cell(table, "all levels");
	else
		wt_table_cell(table, "level %u%s", level, level ? "" : " (leaves)");
	wt_table_cell(table, "%llu", (unsigned long long) (all ? tally->absolute_all : tally->absolute[level]));
	if (s->bounded)
		wt_table_cell(table, "%llu", (unsigned long long) (all ? s->bound.absolute_all : s->bound.absolute[level]));
	wt_table_cell(table, "%llu", (unsigned long long) (all ? tally->relative_all : tally->relative[level]));
	if (offers_known(&s->result))
		wt_table_cell(table, "%llu", (unsigned long long) (all ? offered->relative_all : offered->relative[level]));
}

static int text_print(const struct placements *p, const struct scored *s)
{
	const struct wt_replay_result *r = &s->result;
	char align[8];
	struct wt_table *table;

	snprintf(align, sizeof(align), "lrr%s%s", s->bounded ? "r" : "", offers_known(r) ? "r" : "");
	table = wt_table_create(align);
	if (!table)
		return -1;
	wt_table_cell(table, "optimal on");
	wt_table_cell(table, "absolutely");
	if (s->bounded)
		wt_table_cell(table, "at most");
	wt_table_cell(table, "relatively");
	if (offers_known(r))
		wt_table_cell(table, "of what was offered");
	for (uint32_t l = r->tally.levels; l-- > 0;)
		row_add(table, s, l);
	row_add(table, s, r->tally.levels);
	printf("%llu jobs, counted in %s\n", (unsigned long long) r->tally.jobs, p->capacity ? "CPUs" : "whole nodes");
	wt_table_print(table, stdout, "");
	wt_table_destroy(table);
	return 0;
}

static void notes_print(const char *name, const struct placements *p, const struct wt_replay_result *r)
{
	if (p->without_nodes)
		fprintf(stderr, "%s: %zu jobs never had nodes and are left out\n", name, p->without_nodes);
	if (p->assumed)
		fprintf(stderr, "%s: of %zu jobs it is not known how many CPUs each node gave: taken from their nodes in "
				"order\n", name,
			p->assumed);
	if (p->forgotten)
		fprintf(stderr, "%s: %zu jobs started so long ago that slurmctld has forgotten some that ran then "
				"(MinJobAge): their nodes "
			"count as free\n", name, p->forgotten);
	if (p->out_of_service)
		fprintf(stderr, "%s: %zu nodes are down or drained: not free since then; nodes that were so earlier count "
				"as free\n", name,
			p->out_of_service);
	if (r->overlaps)
		fprintf(stderr, "%s: %llu times a job started on a node that was not free by the record\n", name,
			(unsigned long long) r->overlaps);
	if (offers_known(r) && r->not_offered)
		fprintf(stderr, "%s: of %llu jobs it is not known what they were offered: all that was free\n", name,
			(unsigned long long) r->not_offered);
	if (r->tally.guessed)
		fprintf(stderr, "%s: for %llu jobs 'relatively on all levels' is our selector's opinion, not proved\n", name,
			(unsigned long long) r->tally.guessed);
}

static int number_set(json_t *object, const char *key, uint64_t number)
{
	return json_object_set_new(object, key, json_integer((json_int_t) number));
}

static int offers_set(json_t *value, const struct wt_replay_result *r)
{
	json_t *levels = json_object_get(value, "levels");
	int rc = number_set(value, "jobs_not_offered", r->not_offered) |
		 number_set(json_object_get(value, "all_levels"), "optimal_offered", r->offered.relative_all);

	for (uint32_t l = 0; l < r->offered.levels; l++)
		rc |= number_set(json_array_get(levels, l), "optimal_offered", r->offered.relative[l]);
	return rc;
}

/* Sums over the jobs, beside the counts of optimal ones. */
static int switches_set(json_t *value, const struct wt_score_tally *tally)
{
	json_t *switches = json_array();
	int rc = 0;

	for (uint32_t l = 0; l < tally->levels; l++)
		rc |= json_array_append_new(switches, json_pack("{s:i, s:I, s:I, s:I}", "level", (int) l, "touched",
								(json_int_t) tally->touched_sum[l], "least_absolute",
								(json_int_t) tally->absolute_sum[l], "least_relative",
								(json_int_t) tally->relative_sum[l]));
	return json_object_set_new(value, "switches", switches) | rc;
}

static int bound_set(json_t *value, const struct wt_bound *bound)
{
	json_t *levels = json_object_get(value, "levels");
	int rc = number_set(json_object_get(value, "all_levels"), "bound_absolute", bound->absolute_all);

	for (uint32_t l = 0; l < bound->levels; l++)
		rc |= number_set(json_array_get(levels, l), "bound_absolute", bound->absolute[l]);
	return rc;
}

static int json_print(const struct placements *p, const struct scored *s, struct wt_error *errp)
{
	const struct wt_replay_result *r = &s->result;
	json_t *value = topology_tally_json(&r->tally);

	if (switches_set(value, &r->tally) < 0 || (p->assumed && number_set(value, "jobs_cpus_assumed", p->assumed) < 0) ||
	    (offers_known(r) && offers_set(value, r) < 0) || (s->bounded && bound_set(value, &s->bound) < 0)) {
		json_decref(value);
		value = NULL;
	}
	return topology_json_print(value, errp);
}

static struct wt_tree *tree_load(const struct score *s, struct wt_error *errp)
{
	struct wt_tree *t;
	char *path;

	if (s->topology)
		return topology_load(s->topology, errp);
	if (s->live)
		return placements_live_tree(errp);
	path = wt_str_format("%s/topology.conf", s->path);
	t = path ? topology_load(path, errp) : NULL;
	if (!path)
		wt_error_errno(errp, ENOMEM, "score");
	else if (!t)
		wt_error_prefix(errp, "no --topology is given");
	free(path);
	return t;
}

static int scored_print(const struct score *s, const char *name, const struct placements *p, const struct scored *scored,
			struct wt_error *errp)
{
	notes_print(name, p, &scored->result);
	if (s->json)
		return json_print(p, scored, errp);
	return text_print(p, scored) < 0 ? wt_error_errno(errp, ENOMEM, "score") : 0;
}

static int score(struct score *s, const char *name, struct wt_error *errp)
{
	struct scored scored = { .bounded = s->bound };
	struct placements p = { 0 };
	struct wt_tree *t;
	int rc;

	if (s->live && wt_controller_init(NULL, errp) < 0)
		return -1;
	t = tree_load(s, errp);
	if (!t)
		return -1;
	rc = s->live ? placements_live(&p, t, s->unit, errp) : placements_load(&p, s->path, t, s->unit, errp);
	if (rc == 0)
		rc = wt_replay(t, p.capacity, p.jobs, p.count, INFINITY, &scored.result, NULL, errp);
	if (rc == 0 && s->bound)
		rc = wt_bound(t, p.capacity, p.jobs, p.count, &scored.bound, errp);
	if (rc == 0)
		rc = scored_print(s, name, &p, &scored, errp);
	placements_clear(&p);
	wt_tree_destroy(t);
	return rc;
}

int topology_score(int argc, char **argv)
{
	static const struct argp argp = {
		options, parse, "[RUN]",
		"Count the jobs of a run that touch as few switches as their size allows (absolutely), or as the nodes "
		"free at "
		"their start allowed (relatively).  RUN is a run folder, or an SWF whose lines end with a Slurm host list; "
		"with --live "
		"it is the cluster that runs.",
		NULL, NULL, NULL
	};
	struct score s = { 0 };
	struct wt_error err;

	if (wt_options_parse(&argp, argc, argv, 0, &s))
		return 2;
	return score(&s, argv[0], &err) < 0 ? topology_fail(argv[0], &err, 1) : 0;
}
