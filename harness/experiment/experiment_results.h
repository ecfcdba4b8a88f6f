/* experiment_results.h - an experiment's folder as the cases of a comparison (harness/report/cases.h).  Reads files only;
 * one thread at a time. */
#ifndef WT_HARNESS_EXPERIMENT_EXPERIMENT_RESULTS_H
#define WT_HARNESS_EXPERIMENT_EXPERIMENT_RESULTS_H

#include "harness/report/cases.h"

/* Is this the folder of an experiment: has it an index? */
bool experiment_folder(const char *dir);

/* Its cases as they stand in the index, with the runs that have ended well, compared with 'against' (NULL: the first that
 * has any).  Where a case lies in the grid is taken from the experiment.yaml beside the index, if that can be read.  0, or
 * -1 with EINVAL (no index; 'against' is no case, or has no run), ENOMEM or the read error; wt_cases_clear () also then. */
int experiment_results_read(struct wt_cases *cases, const char *dir, const char *against, struct wt_error *errp);

#endif
