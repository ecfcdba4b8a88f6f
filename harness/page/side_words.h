/* side_words.h - a difference between two sets of runs in one plain sentence, which asserts no more than its interval does.
 * Pure; any number of threads. */
#ifndef WT_HARNESS_PAGE_SIDE_WORDS_H
#define WT_HARNESS_PAGE_SIDE_WORDS_H

#include "harness/report/metrics.h"
#include "lib/stats.h"

enum side_verdict {
	SIDE_UNKNOWN,		/* not measured */
	SIDE_EQUAL,		/* each value is the same as its counterpart */
	SIDE_NO_INTERVAL,	/* too few runs: whether it is more than chance is not known */
	SIDE_UNCLEAR,		/* the interval has 0 in it */
	SIDE_CLEAR,
};
/* Something that differs: "B" verb amount more | less, as "B takes 4.7 % longer". */
struct side_quantity {
	const char *noun, *verb, *more, *less;	/* verb NULL: "NOUN: 4.7 % MORE in B" */
	const char *unit;	/* "%": differences are in points */
	double scale;		/* a value times this is in 'unit' */
};
struct side_quantity side_quantity_of(enum wt_figure_id figure);

enum side_verdict side_verdict(const struct wt_difference *difference);

/* A difference of B from A, 'base' A's mean, in words: "B waits 12 % less, 9 to 15 %.".  Of figures that are percent
 * themselves, and where A's mean is 0, in their own unit.  The caller frees; NULL without memory, "" of SIDE_UNKNOWN. */
char *side_sentence(const struct side_quantity *quantity, const char *letter, const struct wt_difference *difference,
		    double base);

/* The same difference and the ends of its interval as side_sentence () scales them: percent of A's mean, points, or the
 * quantity's unit.  NAN where not known. */
struct side_amount {
	double mean, low, high;
	const char *unit;	/* "%", "points", "s", ... */
	int decimals;		/* as many as the interval is worth */
};
struct side_amount side_amount(const struct side_quantity *quantity, const struct wt_difference *difference, double base);

#endif
