/* case_waits.h - who waits longer in each case of an experiment than in the one that it is compared with, and who less
 * (class_waits.h), from the jobs.csv of their runs.  Reads files; one thread at a time. */
#ifndef WT_HARNESS_REPORT_CASE_WAITS_H
#define WT_HARNESS_REPORT_CASE_WAITS_H

#include "harness/report/cases.h"
#include "lib/error.h"

/* Fill 'waits' of each case that wt_cases_compare () has compared: of the runs that have their seed in common.  A jobs.csv
 * that is missing or damaged costs its pair of runs, which is counted.  0, or -1 with ENOMEM. */
int wt_case_waits_read(struct wt_cases *cases, struct wt_error *errp);

#endif
