/* SPDX-License-Identifier: GPL-2.0-or-later */
/* windtunnel straggler reproduce: the figures of Lambert et al. 2022 beside ours, and what they leave out. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/straggler/claims.h"
#include "cmd/straggler/grid.h"
#include "cmd/straggler/straggler_options.h"
#include "cmd/straggler/plot.h"
#include "cmd/straggler/failure.h"
#include "cmd/straggler/straggler_verb.h"
#include "lib/options.h"
#include "lib/outfile.h"
#include "lib/str.h"

enum { KEY_RUNS = 0x100, KEY_SEED, KEY_ROBUSTNESS, KEY_JSON, KEY_CSV, KEY_SVG };

#define RUNS_MAX 1000000

struct reproduce {
	size_t runs, count;
	uint32_t seed;
	bool robustness, json;
	char *csv, *svg;
	struct cell *cells;
};

static const struct argp_option reproduce_options[] = {
	{ .name = "runs", .key = KEY_RUNS, .arg = "N", .doc = "of each cell (1000)" },
	{ .name = "seed", .key = KEY_SEED, .arg = "N", .doc = "of the random numbers (1)" },
	{ .name = "robustness", .key = KEY_ROBUSTNESS,
	  .doc = "instead: noise, clock offsets, separated stragglers, hangs, losses" },
	{ .name = "json", .key = KEY_JSON, .doc = "print JSON" },
	{ .name = "csv", .key = KEY_CSV, .arg = "FILE", .doc = "write means, quartiles, deciles of all cells there" },
	{ .name = "svg", .key = KEY_SVG, .arg = "PREFIX",
	  .doc = "draw Figures 3 and 4 to PREFIX3.svg and PREFIX4.svg (with gnuplot; jobs of 50 tasks)" },
	{ 0 }
};

static error_t reproduce_parse(int key, char *arg, struct argp_state *state)
{
	struct reproduce *r = state->input;

	switch (key) {
	case KEY_RUNS:
		r->runs = option_count(state, "runs", arg, 2, RUNS_MAX);
		return 0;
	case KEY_SEED:
		r->seed = option_count(state, "seed", arg, 1, UINT32_MAX - PAPER_CELLS);
		return 0;
	case KEY_ROBUSTNESS:
		r->robustness = true;
		return 0;
	case KEY_JSON:
		r->json = true;
		return 0;
	case KEY_CSV:
		r->csv = arg;
		return 0;
	case KEY_SVG:
		r->svg = arg;
		return 0;
	case ARGP_KEY_END:
		if (r->svg && r->robustness)
			argp_error(state, "--svg draws the paper's figures, not --robustness");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int write_csv(FILE *out, const void *arg, struct wt_error *errp)
{
	const struct reproduce *r = arg;

	(void) errp;
	grid_csv(out, r->cells, r->count);
	return 0;
}

/* One of the paper's figures: panels by starts and latency, a group of boxes for each range of durations. */
static int draw_figure(const struct reproduce *r, int number, enum figure_kind kind, struct wt_error *errp)
{
	static const char *const titles[] = { "uniform starts, no latency", "uniform starts, latency",
					      "skewed starts, no latency", "skewed starts, latency" };
	static const char *const legend[] = { "score", "rate", "fresh" };
	struct plot_box boxes[4][12 * CELL_DETECTORS];
	struct plot_panel panels[4];
	char *path, title[80];
	int rc;

	for (size_t p = 0; p < 4; p++) {
		panels[p] = (struct plot_panel) { titles[p], boxes[p], 0, true, CELL_DETECTORS, legend };
		for (size_t i = 12 * p; i < 12 * (p + 1); i++)
			for (size_t d = 0; d < CELL_DETECTORS && r->cells[i].figures[d].of[kind].count; d++)
				boxes[p][panels[p].count++] = (struct plot_box) {
					r->cells[i].label, r->cells[i].figures[d].of[kind], 100 };
	}
	path = wt_str_format("%s%d.svg", r->svg, number);
	if (!path)
		return wt_error_set(errp, ENOMEM, "no memory");
	snprintf(title, sizeof(title), "%s, jobs of %u tasks, %zu runs", figure_title(kind), r->cells[0].model.tasks,
		 r->runs);
	rc = plot_draw(path, title, panels, 4, errp);
	free(path);
	return rc;
}

static int print_json(const struct reproduce *r, struct wt_error *errp)
{
	json_t *rows = grid_json(r->cells, r->count, errp), *list = NULL, *all = NULL;
	int rc = -1;

	if (!r->robustness)
		list = claims_json(r->cells, errp);
	if (rows && (list || r->robustness)) {
		all = json_pack("{s:I, s:I, s:O, s:O*}", "runs", (json_int_t) r->runs, "seed", (json_int_t) r->seed,
				"cells", rows, "paper", list);
		rc = all && json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(9)) == 0 ? 0 :
		     wt_error_set(errp, EIO, "standard output: write failed");
		putchar('\n');
	}
	json_decref(all);
	json_decref(list);
	json_decref(rows);
	return rc;
}

static int print_text(const struct reproduce *r, struct wt_error *errp)
{
	if (r->robustness) {
		printf("Skewed starts, latency, jobs of %u tasks; means (medians) of %zu runs, seed %u\n",
		       r->cells[0].model.tasks, r->runs, r->seed);
		return grid_print(stdout, r->cells, r->count, errp);
	}
	printf("What the text of Lambert et al. (CCGrid 2022) says, and %zu runs of ours, seed %u\n"
	       "(error: standard error of the difference, nearly all of it that of the paper's %d runs)\n\n",
	       r->runs, r->seed, PAPER_RUNS);
	if (claims_print(stdout, r->cells, errp) < 0)
		return -1;
	printf("\nAll cells of Figures 3 and 4; means (medians)\n\n");
	return grid_print(stdout, r->cells, r->count, errp);
}

static int reproduce(struct reproduce *r, const char *name, struct wt_error *errp)
{
	if (r->robustness)
		grid_robustness(r->cells);
	else
		grid_paper(r->cells);
	if (grid_run(r->cells, r->count, r->runs, r->seed, isatty(STDERR_FILENO) ? name : NULL, errp) < 0)
		return -1;
	if (r->csv && wt_outfile_write(r->csv, write_csv, r, errp) < 0)
		return -1;
	if (r->svg && (draw_figure(r, 3, FALSE_POSITIVE, errp) < 0 || draw_figure(r, 4, FALSE_NEGATIVE, errp) < 0))
		return -1;
	return r->json ? print_json(r, errp) : print_text(r, errp);
}

int straggler_reproduce(int argc, char **argv)
{
	static const struct argp argp = {
		.options = reproduce_options, .parser = reproduce_parse,
		.doc = "Run every cell of Figures 3 and 4 of Lambert et al. (CCGrid 2022) and print the paper's figures "
		       "beside ours.",
	};
	static struct cell cells[PAPER_CELLS];
	struct reproduce r = { .runs = 1000, .seed = 1, .cells = cells };
	struct wt_error err;

	if (wt_options_parse(&argp, argc, argv, 0, &r))
		return 2;
	r.count = r.robustness ? ROBUSTNESS_CELLS : PAPER_CELLS;
	return reproduce(&r, argv[0], &err) < 0 ? straggler_failed(argv[0], &err) : 0;
}
