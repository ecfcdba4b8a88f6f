/* criterion.h - what is asked of an experiment's figures: enough precision, or that a case is no worse than the first.
 * Pure; any number of threads. */
#ifndef WT_HARNESS_EXPERIMENT_CRITERION_H
#define WT_HARNESS_EXPERIMENT_CRITERION_H

#include <stdbool.h>

#include "harness/report/metrics.h"
#include "lib/error.h"
#include "lib/stats.h"

/* "ci95(makespan)<0.5%": half the width of the 95 % interval of the mean, as a share of the mean. */
struct precision {
	enum wt_figure_id figure;
	double share; /* 0.005 */
};

/* Figures by their key in summary.json, with or without its unit ("makespan" is makespan_s).  0, or -1 with EINVAL. */
int precision_parse(struct precision *p, const char *text, struct wt_error *errp);

/* Fewer values have not reached it: the interval of two is chance. */
#define PRECISION_RUNS_MIN 3
bool precision_reached(const struct precision *p, const struct wt_stats *stats);

/* "wait_mean_s <= +2%": a case's figure beside the first case's, as a share of the first's mean ("%"), or in its own unit.
 */
struct expectation {
	enum wt_figure_id figure;
	bool at_most; /* <=, else >= */
	bool relative;
	double bound; /* 0.02 */
	const char *text; /* what was parsed: the caller's */
};
int expectation_parse(struct expectation *e, const char *text, struct wt_error *errp);

enum expectation_verdict {
	EXPECTATION_HOLDS, /* the 95 % interval of the difference is on the right side of the bound */
	EXPECTATION_BROKEN, /* on the wrong side */
	EXPECTATION_OPEN, /* the bound is within it, or there is none: more runs would tell */
};
/* 'difference' of the case from the first one, 'base' the first one's mean.  A difference of equal pairs has a width of 0.
 */
enum expectation_verdict expectation_judge(const struct expectation *e, const struct wt_difference *difference, double base);

/* Two-sided p of the difference being the bound; NAN: it has no interval. */
double expectation_p(const struct expectation *e, const struct wt_difference *difference, double base);

/* The verdict where several are given at once, 'p_holm' corrected for that (wt_stats_holm ()): what chance alone would give
 * among so many is open.  Where no run differs from another nothing is left to chance. */
enum expectation_verdict expectation_correct(enum expectation_verdict verdict, const struct wt_difference *difference,
					     double p_holm);

#endif
