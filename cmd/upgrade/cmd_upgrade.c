/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel upgrade rehearse: a slurmctld's state, read by another release. */
#include "config.h"

#include <argp.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/slurm_builds.h"
#include "cmd/upgrade/upgrade_rehearse.h"
#include "cmd/verbs.h"
#include "lib/dispatch.h"
#include "lib/options.h"
#include "lib/str.h"

#define NODES_DEFAULT 8
#define NODES_OWN_MIN 8 /* the jobs of our own making need so many */
#define NODES_MAX     65536

enum { OPT_FROM = 0x6800, OPT_TO, OPT_VIA, OPT_BACK, OPT_STATE, OPT_SITE, OPT_NODES, OPT_OUTPUT, OPT_JSON, OPT_QUIET };

static const struct argp_option options[] = {
	{ "from", OPT_FROM, "VERSION", 0, "the release that has the state now (default: this machine's own)", 0 },
	{ "to", OPT_TO, "VERSION", 0, "the release that is to read it", 0 },
	{ "via", OPT_VIA, "VERSION", 0, "a release on the way; may be repeated, in their order", 0 },
	{ "back", OPT_BACK, 0, 0, "and then back by the same way", 0 },
	{ "state", OPT_STATE, "DIR", 0, "a copy of a StateSaveLocation (default: jobs of all kinds are made up)", 0 },
	{ "site", OPT_SITE, "DIR", 0, "its nodes and settings, as 'windtunnel site import' makes it", 0 },
	{ "nodes", OPT_NODES, "N", 0, "nodes n0, n1, ... (default without a state: 8)", 0 },
	{ "output", OPT_OUTPUT, "DIR", 0, "write upgrade.json and what was compared: new or empty", 0 },
	{ "json", OPT_JSON, 0, 0, "print JSON", 0 },
	{ "quiet", OPT_QUIET, 0, 0, "show no progress", 0 },
	{ 0 }
};

static error_t nodes_parse(struct argp_state *state, const char *arg, unsigned long *nodes)
{
	struct wt_error error;
	uint64_t n;

	if (wt_str_to_u64(arg, 1, NODES_MAX, "nodes", &n, &error) < 0)
		argp_error(state, "--nodes %s: give a whole number from 1 to %d", arg, NODES_MAX);
	else
		*nodes = (unsigned long) n;
	return 0;
}

static void options_check(const struct upgrade_wanted *cmd, struct argp_state *state)
{
	if (!cmd->to)
		argp_error(state, "give the release that is to read the state: --to VERSION");
	if (cmd->state && !cmd->site && !cmd->nodes)
		argp_error(state, "--state needs the nodes that it speaks of: --site DIR, or --nodes N for n0, n1, ...");
	if (cmd->site && !cmd->state)
		argp_error(state, "--site is for --state");
	if (cmd->site && cmd->nodes)
		argp_error(state, "--site names the nodes: leave out --nodes");
	if (!cmd->state && cmd->nodes && cmd->nodes < NODES_OWN_MIN)
		argp_error(state, "--nodes %lu: without --state give at least %d", cmd->nodes, NODES_OWN_MIN);
}

static error_t flag_parse(int key, char *arg, struct argp_state *state, struct upgrade_wanted *cmd)
{
	switch (key) {
	case OPT_BACK:
		cmd->back = true;
		return 0;
	case OPT_JSON:
		cmd->json = true;
		return 0;
	case OPT_QUIET:
		cmd->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s' is one argument too many", arg);
		return EINVAL;
	case ARGP_KEY_END:
		options_check(cmd, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	struct upgrade_wanted *cmd = state->input;

	switch (key) {
	case OPT_FROM:
		cmd->from = arg;
		return 0;
	case OPT_TO:
		cmd->to = arg;
		return 0;
	case OPT_VIA:
		if (cmd->via_count == UPGRADE_VIA_MAX)
			argp_error(state, "more than %d releases on the way", UPGRADE_VIA_MAX);
		else
			cmd->via[cmd->via_count++] = arg;
		return 0;
	case OPT_STATE:
		cmd->state = arg;
		return 0;
	case OPT_SITE:
		cmd->site = arg;
		return 0;
	case OPT_NODES:
		return nodes_parse(state, arg, &cmd->nodes);
	case OPT_OUTPUT:
		cmd->output = arg;
		return 0;
	default:
		return flag_parse(key, arg, state, cmd);
	}
}

/* "24.11" becomes "24.11.5". */
static int release_find(const struct slurm_builds *builds, const char *option, const char *name, const char **release,
			struct wt_error *errp)
{
	const struct slurm_build *build;

	if (!*name)
		return wt_error_set(errp, EINVAL, "--%s needs a version; 'windtunnel slurm list' shows what there is",
				    option);
	build = slurm_build_choose(builds, name, errp);
	if (!build) {
		wt_error_prefix(errp, "--%s", option);
		errno = EINVAL;
		return -1;
	}
	*release = build->version;
	return 0;
}

/* All the releases by the way, there and back. */
static int way_make(const struct upgrade_wanted *cmd, const struct slurm_builds *builds, struct upgrade_way *way,
		    struct wt_error *errp)
{
	way->count = 0;
	if (release_find(builds, "from", cmd->from ? cmd->from : WT_SLURM_VERSION, &way->releases[way->count++], errp) < 0)
		return -1;
	for (size_t i = 0; i < cmd->via_count; i++)
		if (release_find(builds, "via", cmd->via[i], &way->releases[way->count++], errp) < 0)
			return -1;
	if (release_find(builds, "to", cmd->to, &way->releases[way->count++], errp) < 0)
		return -1;
	way->turn = way->count - 1;
	for (size_t i = way->turn; cmd->back && i-- > 0;)
		way->releases[way->count++] = way->releases[i];
	return 0;
}

static int rehearse_run(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = option_parse,
		.doc = "Stop a cluster of one release of Slurm with jobs of all kinds, start it as another on the same "
		       "state, and account for every job, node and reservation.\v"
		       "The old release is restarted on its own state, too: what that changes is not blamed on the new one.",
	};
	struct upgrade_wanted cmd = { 0 };
	struct slurm_builds builds = { 0 };
	struct upgrade_way way;
	struct wt_error error;
	int status;

	argp_err_exit_status = 2;
	if (wt_options_parse(&argp, argc, argv, 0, &cmd))
		return 2;
	if (!cmd.state && !cmd.nodes)
		cmd.nodes = NODES_DEFAULT;
	if (slurm_builds_find(&builds, &error) < 0 || way_make(&cmd, &builds, &way, &error) < 0)
		status = -1;
	else
		status = upgrade_rehearse(&cmd, &way, &error);
	if (status < 0) {
		int saved = errno;

		fprintf(stderr, "%s: %s\n", argv[0], error.text);
		status = saved == EINTR ? 130 : saved == EINVAL ? 2 : 1;
	}
	slurm_builds_free(&builds);
	return status;
}

int wt_verb_upgrade(int argc, char **argv)
{
	static const struct wt_verb verbs[] = {
		{ "rehearse", rehearse_run, "read a cluster's state with another release, and account for all of it" },
	};
	static const struct wt_dispatch dispatch = {
		"windtunnel upgrade", "From one release of Slurm to another.", verbs, sizeof(verbs) / sizeof(verbs[0]), NULL,
	};

	return wt_dispatch(&dispatch, argc, argv);
}
