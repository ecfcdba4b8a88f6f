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

/* What one may not have meant. */
static void doubts_tell(const struct wt_comparison *c)
{
	const char *unknown = c->other_workload ? NULL : wt_compare_unknown(c);

	if (unknown)
		fprintf(stderr, "windtunnel compare: %s and %s: %s\n", c->a->path, c->b->path, unknown);
	if (wt_compare_other_size(c))
		fprintf(stderr, "windtunnel compare: %s and %s have not the same size\n", c->a->path, c->b->path);
}

static int text_print(const struct wt_comparison *comparisons, size_t count, struct wt_error *errp)
{
	for (size_t i = 0; i < count; i++) {
		if (i)
			fputc('\n', stdout);
		if (wt_compare_print(stdout, &comparisons[i]) < 0)
			return wt_error_errno(errp, ENOMEM, "comparison");
	}
	if (comparisons[0].comparisons > 1)
		fputc('\n', stdout);
	wt_compare_note_print(stdout, comparisons[0].comparisons);
	return 0;
}

static int json_print(const struct wt_comparison *comparisons, size_t count, struct wt_error *errp)
{
	json_t *all = json_array();
	int rc = all ? 0 : wt_error_errno(errp, ENOMEM, "comparison");

	for (size_t i = 0; rc == 0 && i < count; i++)
		if (json_array_append_new(all, wt_compare_json(&comparisons[i])) < 0)
			rc = wt_error_errno(errp, ENOMEM, "comparison");
	if (rc == 0)
		rc = wt_json_write(stdout, all, errp);
	json_decref(all);
	return rc;
}

/* Each set with the first, and all of them corrected for being many. */
static int sets_compare(const struct compare *cmp, const struct wt_run_set *sets, struct wt_error *errp)
{
	size_t count = cmp->path_count - 1;
	struct wt_comparison *comparisons = calloc(count, sizeof(*comparisons)), **each = calloc(count, sizeof(*each));
	int rc = comparisons && each ? 0 : wt_error_errno(errp, ENOMEM, "comparison");

	for (size_t i = 0; rc == 0 && i < count; i++) {
		each[i] = &comparisons[i];
		rc = wt_compare(each[i], &sets[0], &sets[i + 1], &cmp->options, errp);
		if (rc == 0)
			doubts_tell(each[i]);
	}
	if (rc == 0 && wt_compare_correct(each, count) < 0)
		rc = wt_error_errno(errp, ENOMEM, "comparison");
	if (rc == 0)
		rc = cmp->json ? json_print(comparisons, count, errp) : text_print(comparisons, count, errp);
	free(comparisons);
	free(each);
	return rc;
}

static int all_compare(const struct compare *cmp, struct wt_error *errp)
{
	struct wt_run_set *sets = calloc(cmp->path_count, sizeof(*sets));
	int rc = sets ? 0 : wt_error_errno(errp, ENOMEM, "comparison");

	for (size_t i = 0; rc == 0 && i < cmp->path_count; i++)
		rc = wt_run_set_read(&sets[i], cmp->paths[i], errp);
	if (rc == 0)
		rc = sets_compare(cmp, sets, errp);
	for (size_t i = 0; sets && i < cmp->path_count; i++)
		wt_run_set_clear(&sets[i]);
	free(sets);
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
