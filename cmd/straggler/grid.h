/* grid.h - many settings of the model, each with its own detectors, run one after another. */
#ifndef WT_CMD_STRAGGLER_GRID_H
#define WT_CMD_STRAGGLER_GRID_H

#include "cmd/straggler/straggler_figures.h"
#include "straggler/trial.h"

#define CELL_DETECTORS 3

struct cell {
	const char *table;		/* what it belongs to, or NULL */
	char label[64];			/* "15-25 s" */
	struct wt_trace_model model;
	size_t detectors;
	struct wt_trial_options options[CELL_DETECTORS];
	const char *names[CELL_DETECTORS];
	/* results */
	struct figures figures[CELL_DETECTORS];
	size_t late;			/* heartbeats under way for more than a second */
};

/* Cell i is seeded with seed + i.  'name' (may be NULL) heads a line of progress on standard error. */
int grid_run(struct cell *cells, size_t count, size_t runs, uint32_t seed, const char *name, struct wt_error *errp);

/* All cells of Figures 3 and 4 of Lambert et al. 2022, for jobs of 10 and 50 tasks: score, rate and fresh. */
#define PAPER_CELLS 96
#define PAPER_SCORE 0
#define PAPER_RATE 1
#define PAPER_FRESH 2
void grid_paper(struct cell cells[PAPER_CELLS]);

/* What that paper leaves out: noise, separated stragglers, hangs, losses. */
#define ROBUSTNESS_CELLS 22
void grid_robustness(struct cell cells[ROBUSTNESS_CELLS]);

/* Rows of text, JSON, CSV.  -1 and ENOMEM (text, JSON). */
int grid_print(FILE *out, const struct cell *cells, size_t count, struct wt_error *errp);
json_t *grid_json(const struct cell *cells, size_t count, struct wt_error *errp);
void grid_csv(FILE *out, const struct cell *cells, size_t count);

#endif
