/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel workload: finds the verb. */
#include "config.h"

#include "cmd/verbs.h"
#include "cmd/workload/workload_verb.h"
#include "lib/dispatch.h"

static const struct wt_verb verbs[] = {
	{ "show", workload_show, "what a workload asks for: load, arrivals, sizes, run times, limits" },
	{ "convert", workload_convert, "between SWF, Batsim's JSON, jobs and jobs.csv; workflows as jobs" },
	{ "generate", workload_generate, "workflows by published figures: a bag of tasks, Montage" },
	{ "slice", workload_slice, "the part of a workload within times or job numbers" },
};
static const struct wt_dispatch dispatch = {
	"windtunnel workload", "Workloads in files: traces (SWF), Batsim's, and those of run folders.", verbs,
	sizeof(verbs) / sizeof(verbs[0]), "windtunnel-workload(1) everything",
};

int wt_verb_workload(int argc, char **argv)
{
	return wt_dispatch(&dispatch, argc, argv);
}
