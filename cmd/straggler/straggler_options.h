/* straggler_options.h - what several parts of "windtunnel straggler" are asked in the same words. */
#ifndef WT_CMD_STRAGGLER_STRAGGLER_OPTIONS_H
#define WT_CMD_STRAGGLER_STRAGGLER_OPTIONS_H

#include <argp.h>

#include "cmd/straggler/straggler_figures.h"
#include "straggler/trial.h"

/* Which detectors, how they are set, and where the figures go: the input of options_argp. */
struct detector_options {
	size_t count;
	struct wt_trial_options detector[WT_STRAGGLER_METHODS];	/* filled at the end of parsing */
	bool asked[WT_STRAGGLER_METHODS];
	bool json;
	char *csv, *svg;		/* paths, or NULL; of argv */
	double tick_s, z, silence_s, slow_ratio, score_gap, lag_s;
	enum wt_trial_lag lag;
};

extern const struct argp options_argp;

void options_init(struct detector_options *options, bool all);	/* all: all detectors unless told, else "fresh" */

/* A number behind an option; argp_error () if it is none. */
double option_number(struct argp_state *state, const char *name, const char *arg);
uint64_t option_count(struct argp_state *state, const char *name, const char *arg, uint64_t min, uint64_t max);

const char *options_name(const struct detector_options *options, size_t detector);

/* Write what was asked for in files, and to stdout: JSON with 'head' (consumed), or a table. */
int options_report(const struct detector_options *options, const char *title, json_t *head, const struct figures *figures,
		   struct wt_error *errp);

#endif
