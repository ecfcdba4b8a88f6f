/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel straggler: finds the part and hands over. */
#include "config.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "verb.h"
#include "wt_verbs.h"

static const struct part {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} parts[] = {
	{ "simulate", straggler_simulate, "run detectors over simulated jobs" },
	{ "status", straggler_status, "arrays that speculate: tasks, progress, copies" },
	{ "nodes", straggler_nodes, "the nodes on which tasks are slow" },
	{ "record", straggler_record, "keep the heartbeats of real arrays in a log" },
	{ "replay", straggler_replay, "run detectors over a log of heartbeats" },
	{ "reproduce", straggler_reproduce, "the paper's figures beside ours, and what the paper left out" },
};

int straggler_failed(const char *name, const struct wt_error *err)
{
	fprintf(stderr, "%s: %s\n", name, err->text);
	return 1;
}

static void usage(FILE *out)
{
	fprintf(out, "Usage: windtunnel straggler PART [OPTION...]\n\n"
		     "Find the slow tasks of a job from their heartbeats.\n\nParts:\n");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		fprintf(out, "  %-10s %s\n", parts[i].name, parts[i].help);
	fprintf(out, "\n'windtunnel straggler PART --help' tells more, windtunnel-straggler(1) everything.\n");
}

int wt_verb_straggler(int argc, char **argv)
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
