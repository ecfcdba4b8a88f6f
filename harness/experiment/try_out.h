/* try_out.h - would each case's command be taken?  Asked before anything is run: a mistake in the last case shows at once.
 */
#ifndef WT_HARNESS_EXPERIMENT_TRY_OUT_H
#define WT_HARNESS_EXPERIMENT_TRY_OUT_H

#include "harness/experiment/experiment_plan.h"

/* Calls this program for each wanted case with --dry-run.  0, or -1 with EINVAL and "PATH:LINE: CASE: what it said",
 * the line where one setting alone is at fault. */
int try_out_plan(const struct experiment_plan *plan, const char *path, struct wt_error *errp);

#endif
