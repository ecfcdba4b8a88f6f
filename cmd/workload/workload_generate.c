/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel workload generate: workflows drawn by published figures. */
#include "config.h"

#include <string.h>

#include "cmd/workload/workload_verb.h"
#include "harness/run/option_value.h"
#include "lib/options.h"
#include "workload/generate.h"

enum { KEY_SEED = 256, KEY_CASE };

struct generation {
	const char *output;
	enum { KIND_NONE, KIND_BAG, KIND_MONTAGE } kind;
	enum wt_bag_case which;
	bool case_given;
	uint64_t size;		/* 0: as published */
	uint64_t seed;
};

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0, "Write this file (default: standard output); packed if its name ends in .gz", 0 },
	{ "seed", KEY_SEED, "N", 0, "What is drawn depends on it alone (default 1)", 0 },
	{ "case", KEY_CASE, "brs|brt|hrs|hrt", 0, "bag: which of the four use cases of OMSSA (default brs)", 0 },
	{ 0 },
};

static int argument_take(struct generation *g, struct argp_state *state, const char *arg)
{
	if (g->kind == KIND_NONE && !strcmp(arg, "bag"))
		g->kind = KIND_BAG;
	else if (g->kind == KIND_NONE && !strcmp(arg, "montage"))
		g->kind = KIND_MONTAGE;
	else if (g->kind == KIND_NONE || g->size)
		argp_error(state, "'%s': give bag or montage, then perhaps a number", arg);
	else
		return wt_option_whole(state, g->kind == KIND_BAG ? "bag" : "montage", arg, g->kind == KIND_BAG ? 1 : 2,
				       g->kind == KIND_BAG ? WT_GENERATE_TASKS_MAX : WT_MONTAGE_IMAGES_MAX, &g->size);
	return 0;
}

static error_t generate_parse(int key, char *arg, struct argp_state *state)
{
	struct generation *g = state->input;

	switch (key) {
	case 'o':
		g->output = arg;
		return 0;
	case KEY_SEED:
		return wt_option_whole(state, "seed", arg, 0, UINT64_MAX, &g->seed);
	case KEY_CASE:
		if (wt_bag_case_parse(arg, &g->which) < 0)
			argp_error(state, "--case %s: give brs, brt, hrs or hrt", arg);
		g->case_given = true;
		return 0;
	case ARGP_KEY_ARG:
		return argument_take(g, state, arg);
	case ARGP_KEY_END:
		if (g->kind == KIND_NONE)
			argp_error(state, "which workflow?  Give bag or montage");
		if (g->kind == KIND_MONTAGE && g->case_given)
			argp_error(state, "--case is for bag");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int workload_generate(int argc, char **argv)
{
	static const struct argp argp = {
		options, generate_parse, "bag|montage [N]",
		"Draw a workflow by published figures, and write it as jobs (windtunnel-jobs(5)): a bag of N independent "
		"tasks like OMSSA's (default: as many as the use case had), or one like Montage of N images in each of "
		"three bands (default 36: 184 tasks).", NULL, NULL, NULL
	};
	struct generation g = { .seed = 1 };
	struct workload_file file = { .path = "workflow", .form = FORM_JOBS };
	struct wt_error error;
	int rc;

	argp_err_exit_status = 2;
	if (wt_options_parse(&argp, argc, argv, 0, &g))
		return 2;
	if (g.kind == KIND_BAG)
		rc = wt_generate_bag(&file.trace, g.which, g.size ? (uint32_t) g.size : wt_bag_tasks(g.which), g.seed,
				     &error);
	else
		rc = wt_generate_montage(&file.trace, g.size ? (uint32_t) g.size : WT_MONTAGE_IMAGES, g.seed, &error);
	if (rc == 0)
		rc = workload_file_write(&file, FORM_JOBS, g.output, false, &error);
	workload_file_clear(&file);
	return rc < 0 ? workload_fail(argv[0], &error) : 0;
}
