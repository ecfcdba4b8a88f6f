/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel site capture: the script that is run on a site's login node.  It is printed, never run, here. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/site/site_verb.h"
#include "lib/error.h"
#include "lib/options.h"
#include "lib/outfile.h"

extern const unsigned char web_site_capture_sh[];
extern const size_t web_site_capture_sh_size;

static error_t capture_parse(int key, char *arg, struct argp_state *state)
{
	const char **output = state->input;

	switch (key) {
	case 'o':
		*output = arg;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "'%s': there are no arguments; give them to the script", arg);
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int script_print(FILE *out, const void *arg, struct wt_error *errp)
{
	(void) arg;
	(void) errp;
	fwrite(web_site_capture_sh, 1, web_site_capture_sh_size, out);
	return 0;
}

int site_capture(int argc, char **argv)
{
	static const struct argp_option options[] = {
		{ "output", 'o', "FILE", 0, "Write this file (default: standard output)", 0 },
		{ 0 },
	};
	static const struct argp argp = {
		options, capture_parse, NULL,
		"Print the shell script that collects what a site's Slurm tells of its configuration, accounts and jobs: "
		"read it, take it to a login node, and run it there as 'sh FILE --output DIR'.  It only asks; 'sh FILE "
		"--help' has its options.", NULL, NULL, NULL
	};
	const char *output = NULL;
	struct wt_error error;

	argp_err_exit_status = 2;
	if (wt_options_parse(&argp, argc, argv, 0, &output))
		return 2;
	if (output && wt_outfile_write(output, script_print, NULL, &error) < 0) {
		fprintf(stderr, "%s: %s\n", argv[0], error.text);
		return 1;
	}
	if (!output)
		script_print(stdout, NULL, NULL);
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
