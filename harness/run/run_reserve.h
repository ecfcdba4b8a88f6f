/* run_reserve.h - room on the disk that is held for a run's results from its beginning, so that a disk that others fill
 * meanwhile does not cost them: the file ".reserve" of the run folder. */
#ifndef WT_HARNESS_RUN_RUN_RESERVE_H
#define WT_HARNESS_RUN_RUN_RESERVE_H

#include <stddef.h>

#include "lib/error.h"

/* For jobs.csv, jobs.swf and summary.json of so many jobs.  0 also where the file system cannot hold room; -1 with ENOSPC,
 * EDQUOT or EFBIG when there is not as much, or what open () said. */
int wt_run_reserve_make(const char *dir, size_t jobs, struct wt_error *errp);

/* Give back all but summary.json's part, and then that.  Without a reserve they do nothing. */
void wt_run_reserve_shrink(const char *dir);
void wt_run_reserve_drop(const char *dir);

#endif
