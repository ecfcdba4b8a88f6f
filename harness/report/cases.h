/* cases.h - the cases of an experiment: the runs of each, how each compares with a first one, and that in words.
 *
 * Pure; all texts are owned; one thread at a time. */
#ifndef WT_HARNESS_REPORT_CASES_H
#define WT_HARNESS_REPORT_CASES_H

#include "harness/report/class_waits.h"
#include "harness/report/compare.h"
#include "lib/error.h"

#define CASES_AXES_MAX 8 /* of a grid, those that are drawn */

struct wt_case {
	char *name; /* "defer, nodes 64" */
	char *series; /* "defer": its variant, "" without variants; NULL: its place in the grid is not known */
	char *at[CASES_AXES_MAX]; /* its value of each axis */
	char *options; /* the command's, one a line; NULL: not known */
	char *path; /* of the folder that has its runs 1, 2, ... */
	unsigned int done, failed;
	double wall_s; /* of the runs that ended well, together */
	struct wt_run_set set; /* count 0: none has ended well */
	struct wt_stats stats[WT_FIG_COUNT];
	struct wt_comparison with_first; /* with 'base'; only where 'compared' */
	size_t base; /* what it is compared with: an index */
	bool compared;
	struct wt_error refused; /* why not, where it is not compared */
	struct class_waits waits; /* beside 'base': wt_case_waits_read () */
};

struct wt_cases {
	char *title; /* "": none */
	enum wt_figure_id *figures; /* what the experiment is about, the first foremost */
	size_t figure_count;
	char *axes[CASES_AXES_MAX]; /* "EpilogMsgTime" */
	size_t axis_count;
	struct wt_case *items;
	size_t count, first; /* first == count: no run has ended well */
	size_t comparisons; /* differences with an interval that are looked at at once */
};

/* From titles, names, figures and sets of runs: compare each with the case 'against' in the figures that they are about, and
 * correct by Holm over all.  Without 'against' (NULL) a case of another variant than the first is compared with the first
 * variant's case at its place of the grid, all others with the first case that has runs.  0, or -1 with EINVAL (there is no
 * such case, or none of its runs ended well) or ENOMEM. */
int wt_cases_compare(struct wt_cases *cases, const char *against, struct wt_error *errp);
void wt_cases_clear(struct wt_cases *cases);

/* One sentence on a figure of a case beside its base; "": nothing is known.  The caller frees; NULL without memory. */
char *wt_cases_sentence(const struct wt_cases *cases, size_t index, enum wt_figure_id figure);
/* Is a difference asserted in it? */
bool wt_cases_clear_difference(const struct wt_cases *cases, size_t index, enum wt_figure_id figure);

/* "Releases of Slurm: stock 22.05.8, new 24.11.5." where the cases' runs are not all of one (or of some it is
 * "unknown"); else "".  The caller frees;
 * NULL without memory. */
char *wt_cases_releases(const struct wt_cases *cases);
/* Did every run of every case give the same figures as its counterpart?  No chance is at work then, and no more runs tell
 * more. */
bool wt_cases_all_same(const struct wt_cases *cases);

/* A case's value of an axis as a number; NAN: it is none.  Units behind it are not read. */
double wt_cases_at(const struct wt_case *c, size_t axis);

#endif
