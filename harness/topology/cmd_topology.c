/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel topology: finds the part and hands over. */
#include "config.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "topology_verb.h"
#include "wt_verbs.h"

static const struct part {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} parts[] = {
	{ "generate", topology_generate, "write topology.conf of a fat tree, or of the paper's Curie" },
	{ "show", topology_show, "draw a tree as text or SVG, with occupied and free leaves" },
	{ "select", topology_select, "choose nodes for a job, as we would and as Slurm does" },
	{ "score", topology_score, "count the jobs of a run that were placed optimally" },
	{ "simulate", topology_simulate, "compare policies on an ESP workload, without a controller" },
};

static void usage(FILE *out)
{
	fprintf(out, "Usage: windtunnel topology PART [OPTION...]\n\nTrees of switches, and where jobs lie in them.\n\nParts:\n");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		fprintf(out, "  %-10s %s\n", parts[i].name, parts[i].help);
	fprintf(out, "\n'windtunnel topology PART --help' tells more, windtunnel-topology(1) everything.\n");
}

int wt_verb_topology(int argc, char **argv)
{
	char name[64];

	argp_err_exit_status = 2;
	if (argc < 2) {
		usage(stderr);
		return 2;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "-?")) {
		usage(stdout);
		return 0;
	}
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (strcmp(argv[1], parts[i].name))
			continue;
		snprintf(name, sizeof(name), "%s %s", argv[0], parts[i].name);
		argv[1] = name;
		return parts[i].run(argc - 1, argv + 1);
	}
	fprintf(stderr, "%s: '%s' is not one of its parts; see '%s --help'\n", argv[0], argv[1], argv[0]);
	return 2;
}
