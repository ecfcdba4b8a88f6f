/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel - the command: finds the verb and hands over. */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "lib/dispatch.h"
#include "cmd/verbs.h"

static const struct wt_verb verbs[] = {
	{ "cluster", wt_verb_cluster, "start, inspect and stop emulated clusters" },
	{ "compare", wt_verb_compare, "figures of run folders side by side" },
	{ "esp", wt_verb_esp, "run ESP, Light-ESP or Parallel Light-ESP and measure it" },
	{ "experiment", wt_verb_experiment, "change one thing, run again, compare: what a file describes" },
	{ "report", wt_verb_report, "a run folder as a page for the browser" },
	{ "run", wt_verb_run, "run equal jobs or a trace (SWF) and measure it" },
	{ "straggler", wt_verb_straggler, "find slow tasks of job arrays: simulate, replay, status" },
	{ "topology", wt_verb_topology, "trees of switches: make, draw, choose nodes, score placements" },
};
static const struct wt_dispatch windtunnel = {
	"windtunnel", "A wind tunnel for Slurm.", verbs, sizeof(verbs) / sizeof(verbs[0]),
		"'windtunnel --version' the version",
};

int main(int argc, char **argv)
{
	signal(SIGCHLD, SIG_DFL);	/* a parent that ignores it hands that down, and then no child can be waited for */
	if (argc > 1 && !strcmp(argv[1], "--version")) {
		printf("windtunnel %s (Slurm %s)\n", PACKAGE_VERSION, WT_SLURM_VERSION);
		return 0;
	}
	return wt_dispatch(&windtunnel, argc, argv);
}
