/* folder_options.h - what the verbs that show an experiment are told: a folder, --against, --json. */
#ifndef WT_CMD_EXPERIMENT_FOLDER_OPTIONS_H
#define WT_CMD_EXPERIMENT_FOLDER_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

struct folder_options {
	const char *dir, *against; /* of argv; against NULL: not given */
	bool json;
};

/* For an argp whose input is a struct folder_options; 'options' with --against, and without it. */
extern const struct argp_option folder_options_all[], folder_options_plain[];
error_t folder_options_parse(int key, char *arg, struct argp_state *state);

#endif
