/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel - the command: finds the verb and hands over. */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "wt_verbs.h"

struct verb {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
};

static const struct verb verbs[] = {
	{ "cluster", wt_verb_cluster, "start, inspect and stop emulated clusters" },
	{ "compare", wt_verb_compare, "figures of run folders side by side" },
	{ "esp", wt_verb_esp, "run ESP, Light-ESP or Parallel Light-ESP and measure it" },
	{ "run", wt_verb_run, "run equal jobs or a trace (SWF) and measure it" },
	{ "straggler", wt_verb_straggler, "find slow tasks of job arrays: simulate, replay, status" },
	{ "topology", wt_verb_topology, "trees of switches: make, draw, choose nodes, score placements" },
};

static void usage(FILE *out)
{
	fprintf(out, "Usage: windtunnel VERB [OPTION...]\n\nA wind tunnel for Slurm.\n\nVerbs:\n");
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		fprintf(out, "  %-10s %s\n", verbs[i].name, verbs[i].help);
	fprintf(out, "\n'windtunnel VERB --help' tells more; 'windtunnel --version' the version.\n");
}

int main(int argc, char **argv)
{
	char name[64];

	signal(SIGCHLD, SIG_DFL);	/* who ignores it hands that down, and then nobody can wait for a child */
	if (argc < 2) {
		usage(stderr);
		return 2;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		usage(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("windtunnel %s (Slurm %s)\n", PACKAGE_VERSION, WT_SLURM_VERSION);
		return 0;
	}
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(argv[1], verbs[i].name))
			continue;
		snprintf(name, sizeof(name), "windtunnel %s", verbs[i].name);
		argv[1] = name;
		return verbs[i].run(argc - 1, argv + 1);
	}
	fprintf(stderr, "windtunnel: '%s' is not a verb; see 'windtunnel --help'\n", argv[1]);
	return 2;
}
