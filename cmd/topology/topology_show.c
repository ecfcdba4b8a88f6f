/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel topology show: the tree, and what is free in it. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cmd/topology/draw.h"
#include "harness/placement/placements.h"
#include "cmd/topology/topology_verb.h"
#include "lib/options.h"
#include "lib/outfile.h"
#include "lib/str.h"

struct show {
	const char *file, *svg, *run;
	double at_s;
	uint32_t cpus_per_node;
	struct topology_free free;
	int text, json;
	/* of the run */
	struct wt_tree *tree;
	struct wt_room *capacity, *room;
	char *title;
};

enum { KEY_TEXT = 256, KEY_SVG, KEY_RUN, KEY_AT, KEY_FREE, KEY_BUSY, KEY_CPUS, KEY_JSON };

static const struct argp_option options[] = {
	{ "text", KEY_TEXT, NULL, 0, "Print text (the default, unless --svg or --json is given)", 0 },
	{ "svg", KEY_SVG, "FILE", 0, "Write a picture", 0 },
	{ "json", KEY_JSON, NULL, 0, "Print JSON: free and all units of every switch", 0 },
	{ "run", KEY_RUN, "RUN", 0, "Show what was free in a run (a folder, or an SWF with node lists) ...", 0 },
	{ "at", KEY_AT, "SECONDS", 0, "... so long after its first submission (default: 0)", 0 },
	{ "free", KEY_FREE, "NODES[=CPUS]", 0, "These are free; when it comes first, only these (default: all are free)",
	  0 },
	{ "busy", KEY_BUSY, "NODES[=CPUS]", 0, "These are not", 0 },
	{ "cpus-per-node", KEY_CPUS, "N", 0, "With --free and --busy: nodes are shared and have N CPUs each", 0 },
	{ 0 }
};

static int option_read(struct show *s, int key, char *arg, struct wt_error *errp)
{
	uint64_t value = 0;
	char *end;
	int rc = 0;

	switch (key) {
	case KEY_TEXT:
		s->text = 1;
		break;
	case KEY_SVG:
		s->svg = arg;
		break;
	case KEY_RUN:
		s->run = arg;
		break;
	case KEY_AT:
		s->at_s = strtod(arg, &end);
		if (end == arg || *end || !isfinite(s->at_s))
			rc = wt_error_set(errp, EINVAL, "--at: '%s' is not a number of seconds", arg);
		break;
	case KEY_FREE:
	case KEY_BUSY:
		return topology_free_add(&s->free, key == KEY_FREE ? 'f' : 'b', arg, errp);
	case KEY_CPUS:
		rc = wt_str_to_u64(arg, 1, 4096, "--cpus-per-node", &value, errp);
		s->cpus_per_node = (uint32_t) value;
		break;
	case KEY_JSON:
		s->json = 1;
		break;
	}
	return rc;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct show *s = state->input;
	struct wt_error err;

	if (key == ARGP_KEY_ARG) {
		if (s->file)
			argp_error(state, "one topology at a time; '%s' is another one", arg);
		s->file = arg;
	} else if (key == ARGP_KEY_END) {
		if (!s->file)
			argp_error(state, "which topology? A topology.conf, or the word curie");
		if (s->run && s->free.count)
			argp_error(state, "--run says what is free; --free and --busy do not go with it");
		if (s->at_s != 0 && !s->run)
			argp_error(state, "--at needs --run");
	} else if (key >= KEY_TEXT && key <= KEY_JSON) {
		if (option_read(s, key, arg, &err) < 0)
			argp_error(state, "%s", err.text);
	} else {
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static int room_from_options(struct show *s, struct wt_error *errp)
{
	uint32_t nodes = wt_tree_nodes(s->tree), *units = calloc(nodes, sizeof(*units));
	int rc = units ? topology_free_apply(&s->free, s->tree, s->cpus_per_node, units, errp) :
			 wt_error_errno(errp, ENOMEM, "show");

	if (rc == 0) {
		wt_room_fill(s->room, units);
		for (uint32_t i = 0; i < nodes; i++)
			wt_room_set(s->capacity, i, s->cpus_per_node);
		s->title = wt_str_format("%s: %u nodes", s->file, nodes);
	}
	free(units);
	return rc;
}

static int room_from_run(struct show *s, struct wt_error *errp)
{
	struct placements p = { 0 };
	int rc = placements_load(&p, s->run, s->tree, UNIT_AUTO, errp);

	for (uint32_t i = 0; rc == 0 && i < wt_tree_nodes(s->tree); i++)
		wt_room_set(s->capacity, i, p.capacity ? p.capacity[i] : 1);
	if (rc == 0)
		rc = wt_replay(s->tree, p.capacity, p.jobs, p.count, p.begin_s + s->at_s, NULL, s->room, errp);
	if (rc == 0)
		s->title = wt_str_format("%s at %g s, in %s", s->run, s->at_s, p.capacity ? "CPUs" : "nodes");
	placements_clear(&p);
	return rc;
}

static int svg_write(FILE *out, const void *arg, struct wt_error *errp)
{
	(void) errp;
	draw_svg(out, arg);
	return 0;
}

static json_t *room_json(const struct show *s)
{
	json_t *levels = json_array();

	for (uint32_t l = 0; l < wt_tree_levels(s->tree); l++) {
		json_t *switches = json_array();

		for (uint32_t i = 0; i < wt_tree_switches(s->tree, l); i++)
			json_array_append_new(switches,
					      json_pack("{s:s, s:I, s:I}", "name", wt_tree_switch_name(s->tree, l, i),
							"free", (json_int_t) wt_room_units(s->room, l, i), "all",
							(json_int_t) wt_room_units(s->capacity, l, i)));
		json_array_append_new(levels, json_pack("{s:i, s:o}", "level", (int) l, "switches", switches));
	}
	return json_pack("{s:i, s:o}", "nodes", (int) wt_tree_nodes(s->tree), "levels", levels);
}

static int show(struct show *s, struct wt_error *errp)
{
	struct drawing d;

	s->tree = topology_load(s->file, errp);
	if (!s->tree)
		return -1;
	s->capacity = wt_room_create(s->tree);
	s->room = wt_room_create(s->tree);
	if (!s->capacity || !s->room)
		return wt_error_errno(errp, ENOMEM, "show");
	if ((s->run ? room_from_run(s, errp) : room_from_options(s, errp)) < 0)
		return -1;
	if (!s->title)
		return wt_error_errno(errp, ENOMEM, "show");
	d = (struct drawing) { s->capacity, s->room, s->title };
	if (s->svg && wt_outfile_write(s->svg, svg_write, &d, errp) < 0)
		return -1;
	if (s->json)
		return topology_json_print(room_json(s), errp);
	if (s->text || !s->svg)
		draw_text(stdout, &d);
	return fflush(stdout) == 0 ? 0 : wt_error_errno(errp, errno, "standard output");
}

int topology_show(int argc, char **argv)
{
	static const struct argp argp = {
		options, parse, "TOPOLOGY", "Draw a tree of switches, with its occupied and free leaves.", NULL, NULL, NULL
	};
	struct show s = { .cpus_per_node = 1 };
	struct wt_error err;
	int rc;

	if (wt_options_parse(&argp, argc, argv, 0, &s))
		return 2;
	rc = show(&s, &err);
	wt_room_destroy(s.capacity);
	wt_room_destroy(s.room);
	wt_tree_destroy(s.tree);
	free(s.title);
	return rc < 0 ? topology_fail(argv[0], &err, 1) : 0;
}
