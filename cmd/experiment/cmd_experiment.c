/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel experiment: finds the verb. */
#include "config.h"

#include "cmd/experiment/experiment_verb.h"
#include "cmd/verbs.h"
#include "lib/dispatch.h"

static const struct wt_verb verbs[] = {
	{ "run", cmd_experiment_run, "run what a file describes, case by case, and compare the cases" },
	{ "check", cmd_experiment_check, "run it and judge by given bounds: its exit status is for other programs" },
	{ "list", cmd_experiment_list, "show an experiment's cases and how far each is" },
	{ "compare", cmd_experiment_compare, "show the figures of its cases side by side" },
};
static const struct wt_dispatch dispatch = {
	"windtunnel experiment", "Change one thing, run again, and compare.", verbs, sizeof(verbs) / sizeof(verbs[0]), NULL,
};

int wt_verb_experiment(int argc, char **argv)
{
	return wt_dispatch(&dispatch, argc, argv);
}
