/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel topology: finds the verb. */
#include "config.h"

#include "cmd/topology/topology_verb.h"
#include "lib/dispatch.h"
#include "cmd/verbs.h"

static const struct wt_verb verbs[] = {
	{ "generate", topology_generate, "write topology.conf of a fat tree, or of Curie (Georgiou and Hautreux 2012)" },
	{ "show", topology_show, "draw a tree as text or SVG, with occupied and free leaves" },
	{ "select", topology_select, "choose nodes for a job, as we would and as Slurm does" },
	{ "score", topology_score, "count the jobs of a run that were placed optimally" },
	{ "simulate", topology_simulate, "compare policies on an ESP workload, without a controller" },
};
static const struct wt_dispatch dispatch = {
	"windtunnel topology", "Trees of switches, and where jobs lie in them.", verbs, sizeof(verbs) / sizeof(verbs[0]),
	"windtunnel-topology(1) everything",
};

int wt_verb_topology(int argc, char **argv)
{
	return wt_dispatch(&dispatch, argc, argv);
}
