/* straggler_figures.h - what detectors did, as figures: text, JSON, CSV, box plots. */
#ifndef WT_CMD_STRAGGLER_STRAGGLER_FIGURES_H
#define WT_CMD_STRAGGLER_STRAGGLER_FIGURES_H

#include <jansson.h>
#include <stdio.h>

#include "straggler/trial.h"

enum figure_kind { FALSE_POSITIVE, FALSE_NEGATIVE, DETECTION_DELAY_S, LIFE_LEFT, FIGURE_KINDS };

struct figures {
	const char *detector;		/* name */
	size_t runs, tasks, stragglers, unknown, hung, hung_missed, heartbeats, refused;
	struct wt_quantiles of[FIGURE_KINDS];	/* shares are fractions */
};

const char *figure_name(enum figure_kind kind);		/* "false_positive", as in JSON and CSV */
const char *figure_title(enum figure_kind kind);	/* "false positives, %" */
double figure_scale(enum figure_kind kind);		/* what text and plots multiply it by: 100 for shares */

/* Sorts the tally's series. */
struct figures figures_of(const char *detector, struct wt_tally *tally);

/* A table of 'count' detectors.  -1 and ENOMEM. */
int figures_print(FILE *out, const struct figures *figures, size_t count, struct wt_error *errp);

/* Add to 'object': counts, and NAME_mean, NAME_sd, NAME_decile1, ...; null where there is no value.  -1 and ENOMEM. */
int figures_json(json_t *object, const struct figures *figures, struct wt_error *errp);

/* One header line; then one row for each kind, behind 'columns' (text that ends with a comma, or ""). */
void figures_csv_header(FILE *out, const char *columns);
void figures_csv(FILE *out, const char *columns, const struct figures *figures);

/* One object for stdout: 'head' (consumed) with the figures in it; with several detectors, in an array "detectors". */
int figures_json_print(json_t *head, const struct figures *figures, size_t count, struct wt_error *errp);

#endif
