/* batsim_jobs.h - a record from a jobs.csv that Batsim or a program of its kind has written
 * (https://batsim.readthedocs.io/en/latest/output-jobs.html).  Columns are found by name; a resource counts as a CPU,
 * and is a node of its own.  Pure but for the stream. */
#ifndef WT_RECORD_BATSIM_JOBS_H
#define WT_RECORD_BATSIM_JOBS_H

#include <stdio.h>

#include "lib/error.h"
#include "record/record.h"

/* Fill record->jobs (empty before) from foreign bytes; times are seconds after the first submission.  An empty time, -1 and
 * "nan" are not known; ran_s is execution_time.  0, or -1 with EINVAL ("NAME:LINE: ..."; the rows before stay), ENOMEM or
 * the read error. */
int wt_batsim_jobs_read(struct wt_record *record, FILE *in, const char *name, struct wt_error *errp);

#endif
