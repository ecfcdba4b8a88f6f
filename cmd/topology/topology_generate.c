/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel topology generate: topology.conf of a synthetic tree. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/topology/topology_verb.h"
#include "lib/options.h"
#include "lib/outfile.h"
#include "lib/str.h"

struct generate {
	const char *kind, *output;
	struct wt_tree_shape shape;
	uint32_t coarsen;
	int json;
};

enum { KEY_NODES = 256, KEY_PREFIX, KEY_SPEED, KEY_COARSEN, KEY_JSON };

static const struct argp_option options[] = {
	{ "arity", 'a', "N,N,...", 0,
	  "Nodes in a leaf, leaves in a switch, ..., children of the root: 18,18,16.  A count may "
	  "be several, taken in turn: 18/12,18,16", 0 },
	{ "nodes", KEY_NODES, "N", 0, "Stop after N nodes: the last switches are smaller", 0 },
	{ "prefix", KEY_PREFIX, "TEXT", 0, "Of node names (default: n)", 0 },
	{ "link-speed", KEY_SPEED, "S,S,...", 0, "LinkSpeed of each level from the leaves up, for pruned trees: 4,2,1", 0 },
	{ "coarsen", KEY_COARSEN, "LEVEL", 0,
	  "Leave out the levels below: 1 gives the medium topology of Georgiou and Hautreux 2012, the root's level one flat "
	  "switch", 0 },
	{ "output", 'o', "FILE", 0, "Write there, whole or not at all, instead of to standard output", 0 },
	{ "json", KEY_JSON, NULL, 0, "Print what was made as JSON: nodes, and switches of each level", 0 },
	{ 0 }
};

static int option_read(struct generate *g, int key, char *arg, struct wt_error *errp)
{
	uint64_t value = 0;
	int rc = 0;

	switch (key) {
	case 'a':
		g->shape.arity = arg;
		break;
	case 'o':
		g->output = arg;
		break;
	case KEY_NODES:
		rc = wt_str_to_u64(arg, 1, WT_TREE_NODES_MAX, "--nodes", &value, errp);
		g->shape.nodes = (uint32_t) value;
		break;
	case KEY_PREFIX:
		g->shape.prefix = arg;
		break;
	case KEY_SPEED:
		g->shape.link_speed = arg;
		break;
	case KEY_COARSEN:
		rc = wt_str_to_u64(arg, 0, WT_TREE_LEVELS_MAX, "--coarsen", &value, errp);
		g->coarsen = (uint32_t) value;
		break;
	case KEY_JSON:
		g->json = 1;
		break;
	}
	return rc;
}

static int check(const struct generate *g, struct wt_error *errp)
{
	if (!g->kind || (strcmp(g->kind, "curie") && strcmp(g->kind, "fattree")))
		return wt_error_set(errp, EINVAL, "which tree? curie, or fattree with --arity");
	if (!strcmp(g->kind, "fattree") && !g->shape.arity)
		return wt_error_set(errp, EINVAL, "fattree needs --arity, like --arity 18,18,16");
	if (!strcmp(g->kind, "curie") && (g->shape.arity || g->shape.nodes || g->shape.prefix || g->shape.link_speed))
		return wt_error_set(errp, EINVAL, "curie is fixed: only --coarsen, --output and --json go with it");
	if (g->json && !g->output)
		return wt_error_set(errp, EINVAL, "--json needs --output for the topology itself");
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct generate *g = state->input;
	struct wt_error err;

	if (key == ARGP_KEY_ARG) {
		if (g->kind)
			argp_error(state, "one tree at a time; '%s' is another one", arg);
		g->kind = arg;
	} else if (key == ARGP_KEY_END) {
		if (check(g, &err) < 0)
			argp_error(state, "%s", err.text);
	} else if (key == 'a' || key == 'o' || (key >= KEY_NODES && key <= KEY_JSON)) {
		if (option_read(g, key, arg, &err) < 0)
			argp_error(state, "%s", err.text);
	} else {
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static int text_write(FILE *out, const void *arg, struct wt_error *errp)
{
	(void) errp;
	fputs(arg, out);
	return 0;
}

static json_t *tree_json(const struct wt_tree *t)
{
	json_t *levels = json_array();

	for (uint32_t l = 0; l < wt_tree_levels(t); l++)
		json_array_append_new(levels, json_pack("{s:i, s:i}", "level", (int) l, "switches",
							(int) wt_tree_switches(t, l)));
	return json_pack("{s:i, s:o}", "nodes", (int) wt_tree_nodes(t), "levels", levels);
}

static struct wt_tree *tree_make(const struct generate *g, struct wt_error *errp)
{
	struct wt_tree *t = strcmp(g->kind, "curie") ? wt_tree_fat(&g->shape, errp) : wt_tree_curie(errp), *coarse;

	if (!t || !g->coarsen)
		return t;
	coarse = wt_tree_coarsen(t, g->coarsen, errp);
	wt_tree_destroy(t);
	return coarse;
}

static int generate(const struct generate *g, struct wt_error *errp)
{
	struct wt_tree *t = tree_make(g, errp);
	char *text = t ? wt_tree_format(t, errp) : NULL;
	int rc = text ? 0 : -1;

	if (rc == 0 && g->output)
		rc = wt_outfile_write(g->output, text_write, text, errp);
	else if (rc == 0 && (fputs(text, stdout) == EOF || fflush(stdout) != 0))
		rc = wt_error_errno(errp, errno, "standard output");
	if (rc == 0 && g->json)
		rc = topology_json_print(tree_json(t), errp);
	free(text);
	wt_tree_destroy(t);
	return rc;
}

int topology_generate(int argc, char **argv)
{
	static const struct argp argp = {
		options, parse, "curie|fattree",
		"Write the topology.conf of a fat tree, or of Curie as in Georgiou and Hautreux 2012: nodes n0 to n5039, "
		"280 leaves of 18, 16 intermediate switches of 18 leaves (the last has 10), one root.", NULL, NULL, NULL
	};
	struct generate g = { 0 };
	struct wt_error err;

	if (wt_options_parse(&argp, argc, argv, 0, &g))
		return 2;
	return generate(&g, &err) < 0 ? topology_fail(argv[0], &err, 1) : 0;
}
