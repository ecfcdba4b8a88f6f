/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel straggler: finds the verb. */
#include "config.h"

#include "cmd/straggler/straggler_verb.h"
#include "lib/dispatch.h"
#include "cmd/verbs.h"

static const struct wt_verb verbs[] = {
	{ "simulate", straggler_simulate, "run detectors over simulated jobs" },
	{ "status", straggler_status, "arrays that speculate: tasks, progress, copies" },
	{ "nodes", straggler_nodes, "the nodes on which tasks are slow" },
	{ "record", straggler_record, "keep the heartbeats of real arrays in a log" },
	{ "replay", straggler_replay, "run detectors over a log of heartbeats" },
	{ "reproduce", straggler_reproduce, "the paper's figures beside ours, and what the paper left out" },
};
static const struct wt_dispatch dispatch = {
	"windtunnel straggler", "Find the slow tasks of a job from their heartbeats.", verbs,
		sizeof(verbs) / sizeof(verbs[0]),
	"windtunnel-straggler(1) everything",
};

int wt_verb_straggler(int argc, char **argv)
{
	return wt_dispatch(&dispatch, argc, argv);
}
