/* claims.h - every percentage that the text of Lambert et al. 2022 gives for its simulations, beside ours. */
#ifndef WT_CMD_STRAGGLER_CLAIMS_H
#define WT_CMD_STRAGGLER_CLAIMS_H

#include "cmd/straggler/grid.h"

#define PAPER_RUNS 50	/* [P] III.B: random configurations were run 50 times */

enum claim_statistic { CLAIM_MEAN, CLAIM_MEDIAN, CLAIM_MAX, CLAIM_STRAGGLERS, CLAIM_LATE };

struct claim {
	const char *what, *where;	/* where: section of the paper */
	int detector;			/* PAPER_SCORE or PAPER_RATE */
	enum figure_kind kind;
	enum claim_statistic statistic;	/* MAX: the largest mean of all cells that match */
	uint32_t tasks;			/* 0: any */
	double duration_s;		/* 0: any */
	double spread;			/* negative: any */
	int starts, latency;		/* negative: any */
	double paper;			/* per cent */
	const char *note;		/* why ours differs, or NULL */
};

struct claim_result {
	double ours;		/* per cent */
	double error;		/* standard error of the difference: the paper's runs and ours; NAN: none */
};

extern const struct claim claims[];
extern const size_t claims_count;

struct claim_result claim_check(const struct claim *claim, const struct cell cells[PAPER_CELLS]);

int claims_print(FILE *out, const struct cell cells[PAPER_CELLS], struct wt_error *errp);
json_t *claims_json(const struct cell cells[PAPER_CELLS], struct wt_error *errp);

#endif
