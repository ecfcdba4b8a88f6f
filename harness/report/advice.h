/* advice.h - which of an experiment's cases the measurements speak for.  Pure; any number of threads.
 *
 * Of each figure it is known whether more or less of it is better; those of which it is not (an ideal makespan) do not
 * count. What speaks for or against a case is only what is asserted: cases.h. */
#ifndef WT_HARNESS_REPORT_ADVICE_H
#define WT_HARNESS_REPORT_ADVICE_H

#include "harness/report/cases.h"

enum advice_verdict {
	ADVICE_FOR, /* something is better, nothing is worse */
	ADVICE_TRADE, /* something is better, something is worse */
	ADVICE_AGAINST, /* something is worse, nothing is better */
	ADVICE_OPEN, /* nothing can be asserted: too few runs, or too little difference */
	ADVICE_UNKNOWN, /* it was not compared */
};
const char *advice_verdict_name(enum advice_verdict verdict); /* "for", "trade", "against", "open", "unknown" */

/* 1: more of it is better, -1: less, 0: neither. */
int advice_direction(enum wt_figure_id figure);

/* 1: the case is better in this figure than the first one, -1: worse, 0: that cannot be asserted. */
int advice_of_figure(const struct wt_cases *cases, size_t index, enum wt_figure_id figure);

/* Beside the first case. */
enum advice_verdict advice_judge(const struct wt_cases *cases, size_t index);

#endif
