/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel topology score: how many jobs of a run were placed optimally. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "placements.h"
#include "topology_verb.h"
#include "wt_str.h"
#include "wt_table.h"

struct score {
	const char *path, *topology;
	enum placement_unit unit;
	int json;
};

enum { KEY_UNIT = 256, KEY_JSON };

static const struct argp_option options[] = {
	{ "topology", 't', "FILE|curie", 0, "The tree (default: topology.conf in the run folder)", 0 },
	{ "unit", KEY_UNIT, "auto|nodes|cpus", 0, "What least numbers are counted in (default: auto: nodes when every job had "
	  "whole nodes, else CPUs)", 0 },
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
	case ARGP_KEY_ARG:
		if (s->path)
			argp_error(state, "one run at a time; '%s' is another one", arg);
		s->path = arg;
		return 0;
	case ARGP_KEY_END:
		if (!s->path)
			argp_error(state, "which run? A run folder, or an SWF with node lists");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void row_add(struct wt_table *table, const char *what, uint64_t absolute, uint64_t relative)
{
	wt_table_cell(table, "%s", what);
	wt_table_cell(table, "%llu", (unsigned long long) absolute);
	wt_table_cell(table, "%llu", (unsigned long long) relative);
}

static int text_print(const struct placements *p, const struct wt_replay_result *r)
{
	struct wt_table *table = wt_table_create("lrr");
	char what[64];

	if (!table)
		return -1;
	wt_table_cell(table, "optimal on");
	wt_table_cell(table, "absolutely");
	wt_table_cell(table, "relatively");
	for (uint32_t l = r->tally.levels; l-- > 0;) {
		snprintf(what, sizeof(what), "level %u%s", l, l ? "" : " (leaves)");
		row_add(table, what, r->tally.absolute[l], r->tally.relative[l]);
	}
	row_add(table, "all levels", r->tally.absolute_all, r->tally.relative_all);
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
		fprintf(stderr, "%s: of %zu jobs it is not known how many CPUs each node gave: taken from their nodes in order\n", name,
			p->assumed);
	if (r->overlaps)
		fprintf(stderr, "%s: %llu times a job started on a node that was not free by the record\n", name,
			(unsigned long long) r->overlaps);
	if (r->tally.guessed)
		fprintf(stderr, "%s: for %llu jobs 'relatively on all levels' is our selector's opinion, not proved\n", name,
			(unsigned long long) r->tally.guessed);
}

static int json_print(const struct placements *p, const struct wt_replay_result *r, struct wt_error *errp)
{
	json_t *value = topology_tally_json(&r->tally);

	if (json_object_set_new(value, "jobs_cpus_assumed", json_integer((json_int_t) p->assumed)) < 0) {
		json_decref(value);
		value = NULL;
	}
	return topology_json_print(value, errp);
}

static int score(struct score *s, const char *name, struct wt_error *errp)
{
	char *path = s->topology ? wt_str_format("%s", s->topology) : wt_str_format("%s/topology.conf", s->path);
	struct wt_replay_result result;
	struct placements p = { 0 };
	struct wt_tree *t;
	int rc = -1;

	if (!path)
		return wt_error_errno(errp, ENOMEM, "score");
	t = topology_load(path, errp);
	free(path);
	if (!t)
		return s->topology ? -1 : wt_error_prefix(errp, "no --topology is given");
	if (placements_load(&p, s->path, t, s->unit, errp) == 0)
		rc = wt_replay(t, p.capacity, p.jobs, p.count, INFINITY, &result, NULL, errp);
	if (rc == 0) {
		notes_print(name, &p, &result);
		if (s->json)
			rc = json_print(&p, &result, errp);
		else if (text_print(&p, &result) < 0)
			rc = wt_error_errno(errp, ENOMEM, "score");
	}
	placements_clear(&p);
	wt_tree_destroy(t);
	return rc;
}

int topology_score(int argc, char **argv)
{
	static const struct argp argp = {
		options, parse, "RUN",
		"Count the jobs of a run that touch as few switches as their size allows (absolutely), or as the nodes free at "
		"their start allowed (relatively).  RUN is a run folder, or an SWF whose lines end with a Slurm host list.",
		NULL, NULL, NULL
	};
	struct score s = { 0 };
	struct wt_error err;

	if (argp_parse(&argp, argc, argv, 0, NULL, &s))
		return 2;
	return score(&s, argv[0], &err) < 0 ? topology_fail(argv[0], &err, 1) : 0;
}
