/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel compare - the figures of run folders side by side. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/compare.h"
#include "lib/options.h"
#include "harness/report/summary.h"
#include "cmd/verbs.h"

enum { OPT_ACROSS = 0x5000, OPT_WORKLOADS, OPT_UNPAIRED, OPT_FIGURE, OPT_JSON };

static const struct argp_option options[] = {
	{ "across-kinds", OPT_ACROSS, 0, 0, "compare also real with virtual or modelled figures: to validate a clock", 0 },
	{ "across-workloads", OPT_WORKLOADS, 0, 0, "compare also runs of different workloads", 0 },
	{ "figure", OPT_FIGURE, "KEY", 0, "only this figure, by its key in summary.json; may be repeated", 0 },
	{ "unpaired", OPT_UNPAIRED, 0, 0, "do not pair runs of the same seed", 0 },
	{ "json", OPT_JSON, 0, 0, "print JSON", 0 },
	{ 0 }
};

struct compare {
	struct wt_compare_options options;
	bool json;
	char **paths;		/* of argv */
	size_t path_count;
};

static int figure_choose(struct argp_state *state, const char *key, struct wt_compare_options *o)
{
	for (size_t f = 0; f < WT_FIG_COUNT; f++)
		if (!strcmp(key, wt_figure_infos[f].key)) {
			o->only[f] = true;
			return 0;
		}
	argp_error(state, "--figure %s: not a figure; windtunnel-run(5) names them all", key);
	return EINVAL;
}

static error_t option_parse(int key, char *arg, struct argp_state *state)
{
	struct compare *c = state->input;

	switch (key) {
	case OPT_ACROSS:
		c->options.across_kinds = true;
		return 0;
	case OPT_WORKLOADS:
		c->options.across_workloads = true;
		return 0;
	case OPT_UNPAIRED:
		c->options.unpaired = true;
		return 0;
	case OPT_FIGURE:
		return figure_choose(state, arg, &c->options);
	case OPT_JSON:
		c->json = true;
		return 0;
	case ARGP_KEY_ARGS:
		c->paths = state->argv + state->next;
		c->path_count = (size_t) (state->argc - state->next);
		return 0;
	case ARGP_KEY_END:
		if (c->path_count < 2)
			argp_error(state, "give two run folders, or more");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int pair_compare(const struct compare *cmp, const struct wt_run_set *a, const struct wt_run_set *b, json_t *all,
			struct wt_error *errp)
{
	struct wt_comparison c;
	const char *unknown;

	if (wt_compare(&c, a, b, &cmp->options, errp) < 0)
		return -1;
	unknown = c.other_workload ? NULL : wt_compare_unknown(&c);
	if (unknown)
		fprintf(stderr, "windtunnel compare: %s and %s: %s\n", a->path, b->path, unknown);
	if (wt_compare_other_size(&c))
		fprintf(stderr, "windtunnel compare: %s and %s have not the same size\n", a->path, b->path);
	if (cmp->json)
		return json_array_append_new(all, wt_compare_json(&c)) < 0 ? wt_error_errno(errp, ENOMEM, "comparison") : 0;
	return wt_compare_print(stdout, &c) < 0 ? wt_error_errno(errp, ENOMEM, "comparison") : 0;
}

static int all_compare(const struct compare *cmp, struct wt_error *errp)
{
	json_t *all = json_array();
	struct wt_run_set a, b;
	int rc = all ? wt_run_set_read(&a, cmp->paths[0], errp) : wt_error_errno(errp, ENOMEM, "comparison");

	for (size_t i = 1; rc == 0 && i < cmp->path_count; i++) {
		rc = wt_run_set_read(&b, cmp->paths[i], errp);
		if (rc == 0 && i > 1 && !cmp->json)
			fputc('\n', stdout);
		if (rc == 0)
			rc = pair_compare(cmp, &a, &b, all, errp);
		wt_run_set_clear(&b);
	}
	if (rc == 0 && cmp->json)
		rc = wt_json_write(stdout, all, errp);
	if (all)
		wt_run_set_clear(&a);
	json_decref(all);
	return rc;
}

int wt_verb_compare(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options, .parser = option_parse, .args_doc = "A B...",
		.doc = "Compare the figures of runs: of each folder B with those of A.\vA folder is that of one run, or "
		       "one that has "
		       "the folders 1, 2, ... of repeated runs.",
	};
	struct compare cmp = { 0 };
	struct wt_error error = { "" };

	argp_err_exit_status = 2;
	if (wt_options_parse(&argp, argc, argv, 0, &cmp))
		return 2;
	if (all_compare(&cmp, &error) < 0) {
		fprintf(stderr, "windtunnel compare: %s\n", error.text);
		return 1;
	}
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fputs("windtunnel compare: standard output could not be written\n", stderr);
		return 1;
	}
	return 0;
}
