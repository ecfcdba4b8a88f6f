/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "cmd/experiment/folder_options.h"

enum { OPT_AGAINST = 0x6100, OPT_SHOW_JSON };

#define JSON_OPTION                                                                                                         \
	{                                                                                                                   \
		"json", OPT_SHOW_JSON, 0, 0, "print JSON", 0                                                                \
	}

const struct argp_option folder_options_plain[] = { JSON_OPTION, { 0 } };
const struct argp_option folder_options_all[] = { { "against", OPT_AGAINST, "CASE", 0,
						    "the case that the others are compared with (default: the first)", 0 },
						  JSON_OPTION,
						  { 0 } };

error_t folder_options_parse(int key, char *arg, struct argp_state *state)
{
	struct folder_options *options = state->input;

	switch (key) {
	case OPT_AGAINST:
		options->against = arg;
		return 0;
	case OPT_SHOW_JSON:
		options->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (options->dir)
			argp_error(state, "give one folder");
		options->dir = arg;
		return 0;
	case ARGP_KEY_END:
		if (!options->dir)
			argp_error(state, "give the folder: %s", state->root_argp->args_doc);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}
