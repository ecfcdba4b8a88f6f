/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel site: finds the verb. */
#include "config.h"

#include "cmd/site/site_verb.h"
#include "cmd/verbs.h"
#include "lib/dispatch.h"

static const struct wt_verb verbs[] = {
	{ "capture", site_capture, "print the script that collects what a site's Slurm tells" },
	{ "import", site_import, "make a site's folder of what was collected, or of single files" },
	{ "compare", site_compare, "compare the waits of a run of its jobs with those that the site recorded" },
};
static const struct wt_dispatch dispatch = {
	"windtunnel site", "A site's own cluster: its configuration, accounts, users and jobs.", verbs,
	sizeof(verbs) / sizeof(verbs[0]), "windtunnel-site(1) everything",
};

int wt_verb_site(int argc, char **argv)
{
	return wt_dispatch(&dispatch, argc, argv);
}
