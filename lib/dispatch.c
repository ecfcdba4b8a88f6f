/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/dispatch.h"
#include "lib/suggest.h"

static void usage(const struct wt_dispatch *d, FILE *out)
{
	fprintf(out, "Usage: %s VERB [OPTION...]\n\n%s\n\nVerbs:\n", d->name, d->doc);
	for (size_t i = 0; i < d->verb_count; i++)
		if (d->verbs[i].help)
			fprintf(out, "  %-10s %s\n", d->verbs[i].name, d->verbs[i].help);
	fprintf(out, "\n'%s VERB --help' tells more%s%s.\n", d->name, d->more ? "; " : "", d->more ? d->more : "");
}

static bool asks_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "--help=all") || !strcmp(word, "-h") || !strcmp(word, "-?") ||
		!strcmp(word, "help");
}

static int unknown(const struct wt_dispatch *d, const char *word)
{
	const char *names[64];
	const char *meant;
	size_t count = 0;

	for (size_t i = 0; i < d->verb_count && count < sizeof(names) / sizeof(names[0]); i++)
		if (d->verbs[i].help)
			names[count++] = d->verbs[i].name;
	meant = wt_suggest(word, names, count, sizeof(names[0]));
	fprintf(stderr, "%s: '%s' is not a verb%s%s%s; see '%s --help'\n", d->name, word, meant ? "; did you mean '" : "",
		meant ? meant : "", meant ? "'?" : "", d->name);
	return 2;
}

/* "help VERB WORD..." becomes "VERB WORD... --help": the same number of words. */
static int help_for(const struct wt_dispatch *d, int argc, char **argv)
{
	static char help[] = "--help";
	char **turned = calloc((size_t) argc + 1, sizeof(*turned));
	int status;

	if (!turned) {
		fprintf(stderr, "%s: %s\n", d->name, strerror(ENOMEM));
		return 1;
	}
	turned[0] = argv[0];
	for (int i = 2; i < argc; i++)
		turned[i - 1] = argv[i];
	turned[argc - 1] = help;
	status = wt_dispatch(d, argc, turned);
	free(turned);
	return status;
}

int wt_dispatch(const struct wt_dispatch *d, int argc, char **argv)
{
	char name[128];

	argp_err_exit_status = 2;
	if (argc < 2) {
		usage(d, stderr);
		return 2;
	}
	if (!strcmp(argv[1], "help") && argc > 2)
		return help_for(d, argc, argv);
	if (asks_help(argv[1])) {
		usage(d, stdout);
		return 0;
	}
	for (size_t i = 0; i < d->verb_count; i++) {
		if (strcmp(argv[1], d->verbs[i].name))
			continue;
		snprintf(name, sizeof(name), "%s %s", d->name, d->verbs[i].name);
		/* argp (3) begins its messages with this word: "windtunnel cluster up: ...". */
		argv[1] = name;
		return d->verbs[i].run(argc - 1, argv + 1);
	}
	return unknown(d, argv[1]);
}
