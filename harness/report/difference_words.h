/* difference_words.h - a difference between two sets of runs in one plain sentence, which asserts no more than its interval
 * does.  Pure; any number of threads. */
#ifndef WT_HARNESS_REPORT_DIFFERENCE_WORDS_H
#define WT_HARNESS_REPORT_DIFFERENCE_WORDS_H

#include <stdbool.h>

#include "harness/report/metrics.h"
#include "lib/stats.h"

enum difference_verdict {
	DIFFERENCE_UNKNOWN, /* not measured */
	DIFFERENCE_EQUAL, /* each value is the same as its counterpart */
	DIFFERENCE_NO_INTERVAL, /* too few runs: whether it is more than chance is not known */
	DIFFERENCE_UNCLEAR, /* the interval has 0 in it */
	DIFFERENCE_CLEAR,
};
/* Something that differs: "B" verb amount more | less, as "B takes 4.7 % longer". */
struct difference_quantity {
	const char *noun, *verb, *more, *less; /* verb NULL: "NOUN: 4.7 % MORE in B" */
	const char *unit; /* "%": differences are in points */
	double scale; /* a value times this is in 'unit' */
};
struct difference_quantity difference_quantity_of(enum wt_figure_id figure);

enum difference_verdict difference_verdict(const struct wt_difference *difference);

/* A difference of B from A, 'base' A's mean, in words: "B waits 12 % less, 9 to 15 %.".  Of figures that are percent
 * themselves, and where A's mean is 0, in their own unit.  The caller frees; NULL without memory, "" of
 * DIFFERENCE_UNKNOWN. */
char *difference_sentence(const struct difference_quantity *quantity, const char *letter,
			  const struct wt_difference *difference, double base);

/* The same difference and the ends of its interval as difference_sentence () scales them: percent of A's mean, points, or
 * the quantity's unit.  NAN where not known. */
struct difference_amount {
	double mean, low, high;
	const char *unit; /* "%", "points", "s", ... */
	int decimals; /* as many as the interval is worth */
};
struct difference_amount difference_amount(const struct difference_quantity *quantity,
					   const struct wt_difference *difference, double base);

/* What is known besides of a case that is compared with a first one, many such comparisons being made at once. */
struct difference_context {
	const char *name, *first; /* of the case, and of what it is compared with */
	size_t runs; /* of each, the fewer */
	bool paired; /* by seed; else Welch */
	double p_holm; /* wt_stats_holm; NAN: not known */
	size_t comparisons; /* made at once, this one included */
};

/* Is it asserted?  Only where 0 lies outside its own interval and its p, corrected for all, is below 0.05. */
bool difference_asserted(const struct wt_difference *difference, const struct difference_context *context);

/* Is the whole interval so near to 0, in the unit of the words, that they tell it as nothing? */
bool difference_alike(const struct difference_quantity *quantity, const struct wt_difference *difference, double base);

/* One sentence with names: "defer raises submission throughput to 1.9 times (1.7 to 2.2) that of stock.", "fine and
 * flat cannot be told apart in mean wait with 8 runs of each: ...; about 40 would tell a difference of this size."  The
 * number is wt_stats_runs_needed's, for the difference that was seen.  As difference_sentence () else. */
char *difference_tell(const struct difference_quantity *quantity, const struct difference_context *context,
		      const struct wt_difference *difference, double base);

#endif
