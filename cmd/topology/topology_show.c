/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel topology show: the tree, and what is free in it. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cmd/topology/draw.h"
#include "harness/placement/placements.h"
#include "cmd/topology/topology_options.h"
#include "cmd/topology/topology_verb.h"
#include "lib/options.h"
#include "lib/outfile.h"
#include "lib/str.h"

struct show {
	struct topology_options asked;
	const char *svg, *run;
	double at_s;
	int text;
	/* of the run */
	struct wt_tree *tree;
	struct wt_room *capacity, *room;
	char *title;
};

enum { KEY_TEXT = 256, KEY_SVG, KEY_RUN, KEY_AT };

static const struct argp_option options[] = {
	{ "text", KEY_TEXT, NULL, 0, "Print text (the default, unless --svg or --json is given)", 0 },
	{ "svg", KEY_SVG, "FILE", 0, "Write a picture", 0 },
	TOPOLOGY_ROW_JSON("Print JSON: free and all units of every switch"),
	{ "run", KEY_RUN, "RUN", 0, "Show what was free in a run (a folder, or an SWF with node lists) ...", 0 },
	{ "at", KEY_AT, "SECONDS", 0, "... so long after its first submission (default: 0)", 0 },
	TOPOLOGY_ROWS_FREE,
	TOPOLOGY_ROW_CPUS("With --free and --busy: nodes are shared and have N CPUs each"),
	{ 0 }
};

static double seconds_read(const char *arg, struct argp_state *state)
{
	char *end;
	double value = strtod(arg, &end);

	if (end == arg || *end || !isfinite(value))
		argp_error(state, "--at: '%s' is not a number of seconds", arg);
	return value;
}

static void combination_check(const struct show *s, struct argp_state *state)
{
	if (s->run && s->asked.free.count)
		argp_error(state, "--run says what is free; --free and --busy do not go with it");
	if (s->at_s != 0 && !s->run)
		argp_error(state, "--at needs --run");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct show *s = state->input;

	switch (key) {
	case KEY_TEXT:
		s->text = 1;
		return 0;
	case KEY_SVG:
		s->svg = arg;
		return 0;
	case KEY_RUN:
		s->run = arg;
		return 0;
	case KEY_AT:
		s->at_s = seconds_read(arg, state);
		return 0;
	case ARGP_KEY_END:
		combination_check(s, state);
		break;
	}
	return topology_option_read(&s->asked, key, arg, state);
}

static int room_from_options(struct show *s, struct wt_error *errp)
{
	uint32_t nodes = wt_tree_nodes(s->tree), *units = calloc(nodes, sizeof(*units));
	int rc = units ? topology_free_apply(&s->asked.free, s->tree, s->asked.cpus_per_node, units, errp) :
			 wt_error_errno(errp, ENOMEM, "show");

	if (rc == 0) {
		wt_room_fill(s->room, units);
		for (uint32_t i = 0; i < nodes; i++)
			wt_room_set(s->capacity, i, s->asked.cpus_per_node);
		s->title = wt_str_format("%s: %u nodes", s->asked.file, nodes);
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

	s->tree = topology_load(s->asked.file, errp);
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
	if (s->asked.json)
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
	struct show s = { .asked.cpus_per_node = 1 };
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
