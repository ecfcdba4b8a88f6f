/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What most verbs below "windtunnel cluster" take: the cluster's NAME and a few flags. */
#include "config.h"

#include <argp.h>
#include <string.h>

#include "cmd/cluster/cmd_cluster.h"
#include "lib/options.h"

struct parse {
	struct cmd_cluster_args *args;
	int named;
};

static error_t plain_parse(int key, char *arg, struct argp_state *state)
{
	struct parse *p = state->input;

	switch (key) {
	case 'j':
		p->args->json = 1;
		break;
	case 'a':
		p->args->all = 1;
		break;
	case 'k':
		p->args->keep = 1;
		break;
	case 'd':
		p->args->drive = 1;
		break;
	case ARGP_KEY_ARG:
		if (!p->named || p->args->name)
			argp_error(state, "'%s' is one argument too many", arg);
		p->args->name = arg;
		break;
	case ARGP_KEY_END:
		if (p->named && !p->args->name && !p->args->all)
			argp_error(state, "the cluster's NAME is missing");
		if (p->args->name && p->args->all)
			argp_error(state, "either NAME or --all");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

void cmd_cluster_parse(int argc, char **argv, const char *flags, int named, const char *doc, struct cmd_cluster_args *args)
{
	static const struct argp_option known[] = {
		{ "json", 'j', NULL, 0, "Print JSON, for programs", 0 },
		{ "all", 'a', NULL, 0, "All clusters of this user", 0 },
		{ "keep", 'k', NULL, 0, "Leave the folder with its logs", 0 },
		{ "drive", 'd', NULL, 0, "In a cluster with a virtual clock, let time jump for the sake of this command",
		  0 },
	};
	struct argp_option options[5] = { { 0 } };
	struct argp argp = { options, plain_parse, named ? "NAME" : NULL, doc, NULL, NULL, NULL };
	struct parse p = { .args = args, .named = named };
	size_t n = 0;

	memset(args, 0, sizeof(*args));
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strchr(flags, known[i].key))
			options[n++] = known[i];
	if (strchr(flags, 'a'))
		argp.args_doc = "NAME\n--all";
	wt_options_parse(&argp, argc, argv, 0, &p);
}
