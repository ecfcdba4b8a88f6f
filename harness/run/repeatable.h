/* repeatable.h - how much a run can be trusted to repeat itself: the verdict, and what it rests on.
 * Pure.  The figures are those of the clock since it began, for what a run finds there is part of it. */
#ifndef WT_HARNESS_RUN_REPEATABLE_H
#define WT_HARNESS_RUN_REPEATABLE_H

#include "lib/clock.h"

enum wt_repeatable {
	WT_REPEATABLE_YES,	/* the same command gives the same schedule, to the microsecond */
	WT_REPEATABLE_DOUBTFUL,	/* it was meant to, but the machine had a say in it: see the basis */
	WT_REPEATABLE_NO,	/* times depend on what the machine does */
	WT_REPEATABLE_COUNT
};

/* 'counts' may be NULL: the machine's own clock.  'basis' gets one line without a full stop, cut to 'size'. */
enum wt_repeatable wt_repeatable_judge(const struct wt_clock_counts *counts, char *basis, size_t size);

/* "yes", "doubtful", "no". */
const char *wt_repeatable_name(enum wt_repeatable verdict);

#endif
