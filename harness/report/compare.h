/* compare.h - the figures of one set of runs beside those of another.  Pure. */
#ifndef WT_HARNESS_REPORT_COMPARE_H
#define WT_HARNESS_REPORT_COMPARE_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include "lib/error.h"
#include "harness/report/run_set.h"
#include "lib/stats.h"

struct wt_compare_options {
	bool across_kinds;	/* compare a real figure with a virtual one: only to validate a clock or a model */
	bool across_workloads;	/* compare runs of different workloads */
	bool unpaired;		/* even where the seeds would make pairs */
	bool few_pairs;		/* also one pair, and where most runs have none */
	bool only[WT_FIG_COUNT];	/* these figures; none set: all */
};

struct wt_comparison {		/* of b with a */
	const struct wt_run_set *a, *b;	/* not owned */
	bool paired;		/* by seed; else Welch */
	size_t pairs;		/* 'paired': so many; other runs do not count then */
	bool other_workload;	/* surely; only with across_workloads */
	bool wanted[WT_FIG_COUNT];
	struct wt_stats a_stats[WT_FIG_COUNT], b_stats[WT_FIG_COUNT];
	struct wt_difference difference[WT_FIG_COUNT];	/* b - a */
	const char *a_name, *b_name;	/* in sentences; wt_compare () takes their paths.  Not owned */
	double p_holm[WT_FIG_COUNT];	/* wt_compare_correct (); NAN: not known, or not corrected */
	size_t comparisons;	/* differences with an interval that are looked at at once */
};

/* Runs are paired by seed where each has a counterpart, or most of those of the smaller set have, and there are two
 * pairs at least.  A seed that stands twice in a set makes no pair.  0, or -1 with EINVAL (different workloads, or figures
 * of different kinds, and not allowed) or ENOMEM. */
int wt_compare(struct wt_comparison *c, const struct wt_run_set *a, const struct wt_run_set *b,
	       const struct wt_compare_options *options, struct wt_error *errp);

/* Correct the wanted figures of 'count' comparisons, which are looked at at once, by Holm; NULLs among them are skipped.
 * 0, or -1 with ENOMEM. */
int wt_compare_correct(struct wt_comparison *const *all, size_t count);

/* Is a difference of this figure asserted: an interval beside 0, and p_holm below 0.05? */
bool wt_compare_asserted(const struct wt_comparison *c, enum wt_figure_id figure);

/* The difference in one plain sentence (difference_words.h), which asserts no more than that; "": nothing is known.  The
 * caller frees; NULL without memory. */
char *wt_compare_sentence(const struct wt_comparison *c, enum wt_figure_id figure);

/* Is the machine another one?  One may not have meant that. */
bool wt_compare_other_size(const struct wt_comparison *c);

/* Another release of Slurm?  That may be what one wants to know about, or an oversight. */
bool wt_compare_other_release(const struct wt_comparison *c);

/* What of the two workloads cannot be compared, because it was not written down, or NULL.  Static. */
const char *wt_compare_unknown(const struct wt_comparison *c);

/* For the terminal: a table for each kind of figure, and below it each difference in words.  0, or -1 with ENOMEM. */
int wt_compare_print(FILE *out, const struct wt_comparison *c);

/* Below all comparisons: how many assertions were corrected for; nothing of a single one. */
void wt_compare_note_print(FILE *out, size_t comparisons);

/* New reference; NULL with ENOMEM. */
json_t *wt_compare_json(const struct wt_comparison *c);

#endif
