/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel - the command: finds the verb and hands over. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cluster_release.h"
#include "cmd/slurm_builds.h"
#include "lib/dispatch.h"
#include "cmd/verbs.h"

static const struct wt_verb verbs[] = {
	{ "advise", wt_verb_advise, "which settings the measurements of an experiment speak for" },
	{ "cluster", wt_verb_cluster, "start, inspect and stop emulated clusters" },
	{ "compare", wt_verb_compare, "figures of run folders side by side" },
	{ "esp", wt_verb_esp, "run ESP, Light-ESP or Parallel Light-ESP and measure it" },
	{ "experiment", wt_verb_experiment, "change one thing, run again, compare: what a file describes" },
	{ "montecarlo", wt_verb_montecarlo, "what runs with drawn run times say together" },
	{ "node", wt_verb_node, "switch nodes on and off" },
	{ "profile", wt_verb_profile, "where slurmctld's CPU time goes: by thread and by function" },
	{ "report", wt_verb_report, "a run folder as a page for the browser" },
	{ "run", wt_verb_run, "run equal jobs or a trace (SWF) and measure it" },
	{ "site", wt_verb_site, "a site's own cluster: capture it, import it, compare with it" },
	{ "slurm", wt_verb_slurm, "which releases of Slurm there are builds for" },
	{ "straggler", wt_verb_straggler, "find slow tasks of job arrays: simulate, replay, status" },
	{ "topology", wt_verb_topology, "trees of switches: make, draw, choose nodes, score placements" },
	{ "try", wt_verb_try, "change a setting of a site's own cluster: who waits longer, and who less?" },
	{ "twin", wt_verb_twin, "the same workload on a real cluster and on its emulation" },
	{ "upgrade", wt_verb_upgrade, "rehearse an upgrade: is every job, node and reservation still there?" },
	{ "workload", wt_verb_workload, "workloads in files: show, convert, slice" },
};
static const struct wt_dispatch windtunnel = {
	"windtunnel", "A wind tunnel for Slurm.", verbs, sizeof(verbs) / sizeof(verbs[0]),
		"'windtunnel --version' the version",
};

/* The build for what --slurm says, and for the release of the cluster that the command is for; both may be NULL. */
static const struct slurm_build *build_find(const struct slurm_builds *builds, const char *name, const char *cluster,
					    const char *release, struct wt_error *errp)
{
	const struct slurm_build *build;

	if (name && !*name) {
		wt_error_set(errp, EINVAL, "--slurm needs a version or a folder; 'windtunnel slurm list' "
			     "shows what there is");
		return NULL;
	}
	build = slurm_build_choose(builds, name ? name : release, errp);
	if (!build && !name)
		wt_error_prefix(errp, "cluster '%s' runs Slurm %s", cluster, release);
	if (!build || !name || !release || !strcmp(build->version, release))
		return build;
	wt_error_set(errp, EINVAL, "--slurm %s: cluster '%s' runs Slurm %s; without --slurm its release is found", name,
		     cluster, release);
	return NULL;
}

/* Hand the command line to the build for another Slurm.  Returns when it is this one's, 0, or when that cannot be: -1. */
static int slurm_change(const char *name, const char *cluster, const char *release, char **argv, struct wt_error *errp)
{
	const struct slurm_build *build = NULL;
	struct slurm_builds builds;
	int rc = slurm_builds_find(&builds, errp);

	if (rc == 0)
		build = build_find(&builds, name, cluster, release, errp);
	if (build && *build->command && slurm_build_check(build, errp) < 0) {
		if (cluster && release)
			wt_error_prefix(errp, "cluster '%s' (what 'cluster list', 'logs' and 'down' do needs no Slurm)",
					cluster);
		rc = -1;
	} else if (build && *build->command) {
		execv(build->command, argv);
		rc = wt_error_errno(errp, errno, "%s", build->command);
	} else if (!build) {
		rc = -1;
	}
	slurm_builds_free(&builds);
	return rc;
}

/* What a verb has printed may lie in stdio's buffer still: on a full disk its exit status must not say that all is well. */
static int output_end(int status)
{
	if ((fflush(stdout) == 0 && !ferror(stdout)) || status)
		return status;
	fputs("windtunnel: standard output could not be written\n", stderr);
	return 1;
}

int main(int argc, char **argv)
{
	const char *slurm = slurm_option_take(&argc, argv);
	const char *cluster = cluster_named(argc, argv);
	char *release = cluster ? cluster_release(cluster) : NULL;
	struct wt_error error;

	signal(SIGCHLD, SIG_DFL);	/* a parent that ignores it hands that down, and then no child can be waited for */
	if ((slurm || release) && slurm_change(slurm, cluster, release, argv, &error) < 0) {
		fprintf(stderr, "windtunnel: %s\n", error.text);
		return 2;
	}
	free(release);
	if (argc > 1 && !strcmp(argv[1], "--version")) {
		printf("windtunnel %s (Slurm %s)\n", PACKAGE_VERSION, WT_SLURM_VERSION);
		return output_end(0);
	}
	return output_end(wt_dispatch(&windtunnel, argc, argv));
}
