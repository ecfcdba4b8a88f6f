/* resume.h - --resume: what of an earlier command's run folder stays. */
#ifndef WT_HARNESS_RUN_RESUME_H
#define WT_HARNESS_RUN_RESUME_H

#include "lib/error.h"
#include "harness/run/scenario.h"

/* Does this folder hold a run that came to its end?  1, 0, or -1. */
int wt_resume_finished(const char *dir, struct wt_error *errp);

/* Is the folder's run one of this scenario?  Options that only say how it is shown do not matter.  0, or -1 with EINVAL and
 * what is another, or the read error. */
int wt_resume_same(const struct wt_scenario *scenario, const char *dir, struct wt_error *errp);

/* What a run that was killed before its scenario.json was there has left is removed, so that the folder is empty but for
 * what was put aside (unfinished-N) before (1); of any other all stays as it is (0).  -1: EBUSY, it goes on, or EINVAL. */
int wt_resume_beginning(const char *dir, struct wt_error *errp);

/* A single run.  slurmctld's state is gone with its cluster, so a run cannot go on in its middle: one that ended well is
 * shown, and stays as it is (1); of any other all that it left goes to DIR/unfinished-N, and DIR is as new (0).  -1:
 * neither. */
int wt_resume_single(const struct wt_scenario *scenario, const char *dir, struct wt_error *errp);

#endif
