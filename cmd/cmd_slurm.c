/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel slurm list: the releases of Slurm that there are builds for. */
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cmd/slurm_builds.h"
#include "cmd/verbs.h"
#include "lib/dispatch.h"
#include "lib/options.h"

struct list_command {
	bool json;
};

static const struct argp_option options[] = {
	{ "json", 'j', NULL, 0, "print JSON", 0 },
	{ 0 },
};

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	struct list_command *cmd = state->input;

	(void) arg;
	if (key == ARGP_KEY_ARG)
		argp_error(state, "there is nothing to be named");
	if (key != 'j')
		return ARGP_ERR_UNKNOWN;
	cmd->json = true;
	return 0;
}

static int builds_print_json(const struct slurm_builds *builds)
{
	json_t *list = json_array();
	int rc = list ? 0 : -1;

	for (size_t i = 0; rc == 0 && i < builds->count; i++) {
		const struct slurm_build *b = &builds->items[i];

		rc = json_array_append_new(list, json_pack("{s:s, s:s, s:b, s:b}", "version", b->version, "prefix",
							   b->prefix, "default", !*b->command, "usable",
							   slurm_build_check(b, NULL) == 0));
	}
	if (rc == 0)
		rc = json_dumpf(list, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(list);
	return rc;
}

static void build_print(const struct slurm_build *build)
{
	const char *gone = slurm_build_check(build, NULL) == 0 ? NULL : strerror(errno);

	printf("%-10s %s%s", build->version, *build->prefix ? build->prefix : "the distribution's",
	       *build->command ? "" : "  (default)");
	if (gone)
		printf("  (cannot be used: %s)", gone);
	putchar('\n');
}

static int list_run(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = option_parse,
		.doc = "The releases of Slurm that --slurm can name, the default first.",
	};
	struct list_command cmd = { 0 };
	struct slurm_builds builds;
	struct wt_error error;
	int rc;

	if (wt_options_parse(&argp, argc, argv, 0, &cmd))
		return 2;
	rc = slurm_builds_find(&builds, &error);
	if (rc < 0)
		fprintf(stderr, "%s: %s\n", argv[0], error.text);
	else if (cmd.json)
		rc = builds_print_json(&builds);
	for (size_t i = 0; rc == 0 && !cmd.json && i < builds.count; i++)
		build_print(&builds.items[i]);
	slurm_builds_free(&builds);
	return rc < 0;
}

int wt_verb_slurm(int argc, char **argv)
{
	static const struct wt_verb verbs[] = {
		{ "list", list_run, "the releases of Slurm that --slurm can name" },
	};
	static const struct wt_dispatch dispatch = {
		"windtunnel slurm", "Releases of Slurm.", verbs, sizeof(verbs) / sizeof(verbs[0]), NULL,
	};

	return wt_dispatch(&dispatch, argc, argv);
}
